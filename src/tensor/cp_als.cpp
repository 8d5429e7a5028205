// Sweeps, and when they have done enough.
#include "tensor/cp_als.hpp"

#include "tensor/cp_update.hpp"
#include "tensor/line_search.hpp"

#include <mercer/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace mercer {
namespace {

template <class T>
constexpr double epsilon = double(std::numeric_limits<T>::epsilon());

/// √(1 − 2a + b) of numbers that are each known to rounding says nothing below this: there errors are
/// measured against the data.
template <class T>
constexpr double lost = sizeof(T) == sizeof(float) ? 3e-3 : 1e-4;

/// When to stop. Usually: when two sweeps in a row change the error by less than the tolerance, or than can
/// be seen. On data that are exactly of low rank the error is far below the tolerance before the factors are
/// right: then when these no longer move, or the error no longer falls.
template <class T>
class Convergence {
 public:
  explicit Convergence(double tolerance)
      : tolerance_(tolerance),
        settled_(std::max(sizeof(T) == sizeof(float) ? 1e-6 : 1e-10, 1e-2 * tolerance)) {}

  /// Of the relative error and of the factors' relative change in the last sweep.
  [[nodiscard]] bool reached(double error, double change) {
    fall_ = before_ - error;
    const double seen = 2 * epsilon<T> / std::max(error, std::sqrt(epsilon<T>));
    flat_ = std::abs(fall_) <= std::max(tolerance_, seen) ? flat_ + 1 : 0;
    if (before_ < 2 && fall_ < 1e-4 * error) ++slow_;
    before_ = error;
    if (!flat()) return false;
    if (error > exact) return true;
    stale_ = error < 0.9 * least_ ? 0 : stale_ + 1;
    least_ = std::min(least_, error);
    return change <= settled_ || stale_ >= 30;
  }
  [[nodiscard]] bool flat() const { return flat_ >= 2; }
  [[nodiscard]] double fall() const { return fall_; }
  [[nodiscard]] Index slow() const { return slow_; }

 private:
  static constexpr double exact = sizeof(T) == sizeof(float) ? 1e-2 : 1e-4;
  double tolerance_, settled_;
  double before_ = 10, fall_ = 0, least_ = 1e9;
  Index flat_ = 0, stale_ = 0, slow_ = 0;
};

/// How far the factors moved, relative to their columns of length one; λ relative to the largest.
template <class T>
double change_of(const Kruskal<T>& before, const Kruskal<T>& now) {
  double out = (now.weights - before.weights).norm() / std::max(now.weights.norm(), 1e-300);
  for (std::size_t m = 0; m < now.factors.size(); ++m)
    out = std::max(out, double((now.factors[m] - before.factors[m]).norm()) / std::sqrt(double(now.rank)));
  return out;
}

double relative(double squared, double squared_norm) {
  if (!std::isfinite(squared))
    throw Error(ErrorCode::bad_data, "the values are too large: sums of them are not finite numbers",
                "divide them by a number");
  return squared_norm > 0 ? std::sqrt(std::max(0.0, squared) / squared_norm) : 0;
}

}  // namespace

template <class T>
CpFit<T> alternate(CpData<T>& data, Kruskal<T> start, const CpOptions& options, const Run& run) {
  CpFit<T> fit;
  fit.model = std::move(start);
  Kruskal<T>& model = fit.model;
  const Shape order = data.values->sweep_order(options.sample_mode);
  const auto equations_for = [&](const Kruskal<T>& m, Index mode) {
    return normal_equations(*data.values, data.weights.get(), m.factors, m.rank, mode, run);
  };
  Convergence<T> convergence(options.tolerance);
  LineSearch line;
  std::optional<NormalEquations<T>> ready;  // for the first mode, where the line search has made them
  Kruskal<T> before = model;                // the last sweep's end
  data.all_changed();
  for (Index sweep = 0; sweep < options.iterations && !fit.converged; ++sweep) {
    run.check();
    run.report("sweeps", double(sweep) / double(options.iterations));
    double squared = 0;
    for (const Index mode : order) {
      const NormalEquations<T> equations =
          ready ? *std::exchange(ready, std::nullopt) : equations_for(model, mode);
      update_factor(equations, options.nonnegative, model, run);
      data.changed(mode);
      if (mode == order.back()) squared = squared_error(equations, data, model, run);
    }
    double error = relative(squared, data.squared_norm);
    const bool measure = error < lost<T>;
    if (measure) error = relative(data.squared_residual(model, run), data.squared_norm);
    fit.errors.push_back(error);
    fit.converged = convergence.reached(error, change_of(before, model));
    const bool search = options.line_search && !fit.converged && line.due();
    if (!search || sweep + 1 == options.iterations) {
      before = model;
      continue;
    }
    Kruskal<T> beyond = extrapolate(before, model, line.step(), order.back(), options.nonnegative);
    before = model;
    data.all_changed();
    ready = equations_for(beyond, order[0]);
    const double there =
        measure ? data.squared_residual(beyond, run) : squared_error(*ready, data, beyond, run);
    if (there < error * error * data.squared_norm) {  // false where the step left the range of numbers
      model = std::move(beyond);
      line.succeeded();
    } else {
      data.all_changed();
      ready.reset();
      line.failed();
    }
  }
  fit.converged = fit.converged || convergence.flat();
  fit.last_fall = convergence.fall();
  fit.slow_sweeps = convergence.slow();
  return fit;
}

template CpFit<float> alternate(CpData<float>&, Kruskal<float>, const CpOptions&, const Run&);
template CpFit<double> alternate(CpData<double>&, Kruskal<double>, const CpOptions&, const Run&);

}  // namespace mercer
