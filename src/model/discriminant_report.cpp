// Filling the report of a discriminant.
#include "model/discriminant_report.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer {

void require_distinct_means(const Block<double>& means, const Block<double>& between,
                            const std::vector<Index>& sizes, double epsilon) {
  double whole = 0;
  for (Index j = 0; j < means.cols(); ++j)
    whole += double(sizes[static_cast<std::size_t>(j)]) * means.col(j).squaredNorm();
  if (between.norm() <= 16 * epsilon * std::sqrt(whole))
    throw Error(ErrorCode::bad_data, "the means of the classes coincide: no direction tells them apart",
                "is the label the right one? a kernel may see what means do not");
}

Index wanted_directions(Index asked, std::size_t classes) {
  if (asked < 0) throw Error(ErrorCode::usage, fmt::format("{} components were asked for", asked));
  const auto most = static_cast<Index>(classes) - 1;
  return asked == 0 ? most : std::min(asked, most);
}

void fill_discriminant_report(Report& report, const DiscriminantDirections& found, Vector<double> residuals,
                              Index requested, std::vector<Index> sizes, double ridge) {
  report.components = found.values.size();
  report.components_requested = requested == 0 ? report.components : requested;
  report.gram_eigenvalues = found.values;
  report.variances = found.values / double(report.n);
  report.explained_variance_ratio =
      found.trace > 0 ? Vector<double>(found.values / found.trace) : found.values;
  report.trace = found.trace;
  report.residuals = std::move(residuals);
  // M has rank c − 1 at most and all its eigenvalues are known: their sum is the trace.
  const double rest = std::max(0.0, found.trace - found.values.sum());
  const double off = report.residuals.size() > 0 ? report.residuals.norm() : 0;
  report.missed = {rest + off, rest + off, 0};
  Discrimination discrimination;
  discrimination.sizes = std::move(sizes);
  discrimination.ridge = ridge;
  report.discrimination = std::move(discrimination);
}

double score_scale(Index n, std::size_t classes) {
  return std::sqrt(std::max(1.0, double(n) - double(classes)));
}

}  // namespace mercer
