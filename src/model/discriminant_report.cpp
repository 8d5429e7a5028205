// Filling the report of a discriminant.
#include "model/discriminant_report.hpp"

#include "model/contradictions.hpp"
#include "model/shares.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {

void require_options(const KernelDiscriminantOptions& options) {
  if (!(options.ridge > 0) || !std::isfinite(options.ridge))
    throw Error(ErrorCode::usage, fmt::format("a ridge of {}", options.ridge),
                "the scatter within classes is always singular here: give a number above 0, such as 1e-3");
  if (options.route == Route::stored || options.route == Route::tiled)
    throw Error(ErrorCode::usage, fmt::format("klda has no route {}", name_of(options.route)),
                "dense, or lowrank with --rank R");
  if (options.kernel.is_precomputed() && options.scale != Scale::none)
    throw Error(ErrorCode::usage, "a precomputed kernel matrix cannot be scaled like samples",
                "leave out --scale");
}

void require_distinct_means(const Block<double>& means, const Block<double>& between,
                            const std::vector<Index>& sizes, double epsilon) {
  double whole = 0;
  for (Index j = 0; j < means.cols(); ++j)
    whole += double(sizes[static_cast<std::size_t>(j)]) * means.col(j).squaredNorm();
  const char* const cure = "scale the inputs (--scale standardize)";
  if (!std::isfinite(whole) || !between.allFinite())
    throw Error(ErrorCode::bad_data, "the numbers are so large that their squares overflow", cure);
  if (whole < std::numeric_limits<double>::min() && !means.isZero(0))
    throw Error(ErrorCode::bad_data, "the numbers are so small that their squares vanish", cure);
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
  report.explained_variance_ratio = shares_of(found.values, found.trace);
  report.trace = found.trace;
  report.residuals = std::move(residuals);
  // M has rank c − 1 at most and all its eigenvalues are known: their sum is the trace.
  const double rest = std::max(0.0, found.trace - found.values.sum());
  // The trace is of all of them, each known to its residual.
  const auto directions = double(std::max<std::size_t>(sizes.size(), 2) - 1);
  const double off = report.residuals.size() > 0 ? 2 * directions * report.residuals.maxCoeff() : 0;
  report.missed = {rest + off, rest + off, 0};
  Discrimination discrimination;
  discrimination.sizes = std::move(sizes);
  discrimination.ridge = ridge;
  report.discrimination = std::move(discrimination);
  refuse_contradictions(report, report.trace);
}

double score_scale(Index n, std::size_t classes) {
  return std::sqrt(std::max(1.0, double(n) - double(classes)));
}

}  // namespace mercer
