// What must hold between the numbers of a report.
#include "model/contradictions.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

[[noreturn]] void contradiction(const std::string& what) {
  throw Error(ErrorCode::internal, "the report of this fit contradicts itself: " + what,
              "no result is given, since it may be wrong; please report this as a bug of Mercer, with the "
              "command and, "
              "if you may share it, the data; another --route may serve meanwhile");
}

void require_list(const Vector<double>& values, Index components, const char* name) {
  if (values.size() != components)
    contradiction(fmt::format("it has {} {} of {} components", values.size(), name, components));
  if (!values.allFinite()) contradiction(fmt::format("its {} are not all finite", name));
}

/// λ lies in [low, high], the tight interval within the sure one, and no residual exceeds the sure one.
void check_bounds(const Report& r, double rounding) {
  const EigenvalueBounds& b = *r.bounds;
  for (const Vector<double>* list : {&b.low, &b.high, &b.rigorous_low, &b.rigorous_high})
    require_list(*list, r.components, "bounds");
  if (b.remaining_trace < -rounding)
    contradiction(fmt::format("what remains of the trace is {}", b.remaining_trace));
  for (Index i = 0; i < r.components; ++i) {
    const double value = r.gram_eigenvalues[i];
    const auto outside = [&](double low, double high) {
      return value < low - rounding || value > high + rounding;
    };
    if (outside(b.low[i], b.high[i]) || outside(b.rigorous_low[i], b.rigorous_high[i]))
      contradiction(fmt::format("eigenvalue {}, {}, lies outside of its bounds", i + 1, value));
    const double widest = std::max(b.rigorous_high[i] - value, value - b.rigorous_low[i]);
    if (r.residuals[i] > widest + rounding)
      contradiction(fmt::format("the residual of component {}, {:.3g}, is above its bound, {:.3g}", i + 1,
                                r.residuals[i], widest));
  }
}

}  // namespace

void refuse_contradictions(const Report& r, double size) {
  require_list(r.gram_eigenvalues, r.components, "eigenvalues");
  if (r.residuals.size() > 0 || r.bounds) require_list(r.residuals, r.components, "residuals");
  if (!std::isfinite(r.trace)) contradiction("its trace is not finite");
  const double largest = r.components > 0 ? r.gram_eigenvalues.cwiseAbs().maxCoeff() : 0;
  const double unit = r.precision == Precision::float32 ? 1e-5 : 1e-12;
  const double rounding = unit * std::max({size, largest, std::abs(r.trace)});
  const bool largest_end = r.end == End::largest;
  for (Index i = 0; i < r.residuals.size(); ++i) {
    if (r.residuals[i] < 0)
      contradiction(fmt::format("the residual of component {} is {}", i + 1, r.residuals[i]));
    if (i == 0) continue;
    const double step = r.gram_eigenvalues[i] - r.gram_eigenvalues[i - 1];
    if ((largest_end ? step : -step) > r.residuals[i] + r.residuals[i - 1] + rounding)
      contradiction(fmt::format("eigenvalues {} and {} are not in order", i, i + 1));
  }
  if (const double shares = r.explained_variance_ratio.sum(); shares > 1 + 1e-9)
    contradiction(fmt::format("the components hold {:.6g} % of the variance", 100 * shares));
  // The matrix of a map may be indefinite, and a walk has eigenvalues below zero.
  const double excess = r.gram_eigenvalues.sum() - r.trace - r.residuals.sum();
  if (!r.min_eigenvalue && !r.embedding && excess > rounding)
    contradiction(
        fmt::format("the eigenvalues add up to {}, and the trace is {}", r.gram_eigenvalues.sum(), r.trace));
  const double tighter =
      largest_end ? r.missed.probable - r.missed.rigorous : r.missed.rigorous - r.missed.probable;
  if (tighter > rounding)
    contradiction(
        fmt::format("the bound on missed eigenvalues that always holds, {:.3g}, is {} the one that holds by "
                    "chance, {:.3g}",
                    r.missed.rigorous, largest_end ? "below" : "above", r.missed.probable));
  if (r.bounds) check_bounds(r, rounding);
}

}  // namespace mercer
