// Sweeps that share products between modes, and the loop around them.
#include "tensor/hooi.hpp"

#include "base/at.hpp"
#include "tensor/mode_product.hpp"
#include "tensor/sample_rows.hpp"

namespace mercer {
namespace {

/// y is X projected on all modes but `modes`: one half of them is visited after projecting on the other.
template <class T>
void visit_modes(const TensorView<T>& y, const Shape& modes, const std::vector<Block<T>>& factors,
                 const Visit<T>& visit, const Run& run) {
  if (modes.size() == 1) return visit(modes[0], y);
  const auto middle = modes.begin() + static_cast<std::ptrdiff_t>(modes.size() / 2);
  const Shape first(modes.begin(), middle), second(middle, modes.end());
  const auto visit_half = [&](const Shape& half, const Shape& rest) {
    std::vector<ModeFactor<T>> projections;
    for (const Index mode : rest) projections.push_back({mode, factors[at(mode)]});
    visit_modes<T>(packed_mode_products<T>(y, projections, true, run), half, factors, visit, run);
  };
  visit_half(first, second);
  visit_half(second, first);
}

}  // namespace

template <class T>
Sweep<T> dense_sweep(const TensorView<T>& x, const std::vector<Block<T>>& factors, Index sample_mode,
                     const Run& run) {
  Shape modes = other_modes(x.order(), sample_mode);
  modes.push_back(sample_mode);
  return [&, x, modes](const Visit<T>& visit) { visit_modes(x, modes, factors, visit, run); };
}

template <class T>
HooiSweeps hooi(TuckerParts<T>& parts, Index sample_mode, const Sweep<T>& sweep,
                const std::function<double(TuckerParts<T>&)>& relative_error, double error,
                const HooiLimits& limits, const Run& run) {
  HooiSweeps out;
  const Visit<T> update = [&](Index mode, const TensorView<T>& y) {
    const Block<double> flat = unfold(y, mode).template cast<double>();
    Block<T>& factor = parts.factors[at(mode)];
    factor = leading_left_vectors(flat, factor.cols(), run).vectors.template cast<T>();
    if (mode != sample_mode) return;
    parts.samples = Tensor<T>(y);
    parts.core = mode_product<T>(y, mode, factor, true, run);
  };
  for (Index i = 0; i < limits.sweeps; ++i) {
    run.report("HOOI", double(i) / double(limits.sweeps));
    run.check();
    TuckerParts<T> before = parts;
    sweep(update);
    const double now = relative_error(parts);
    if (now > error) {
      parts = std::move(before);
      out.converged = true;
      break;
    }
    out.errors.push_back(now);
    out.converged = error - now <= limits.tolerance;
    error = now;
    if (out.converged) break;
  }
  return out;
}

#define MERCER_INSTANTIATE(T)                                                                           \
  template Sweep<T> dense_sweep(const TensorView<T>&, const std::vector<Block<T>>&, Index, const Run&); \
  template HooiSweeps hooi(TuckerParts<T>&, Index, const Sweep<T>&,                                     \
                           const std::function<double(TuckerParts<T>&)>&, double, const HooiLimits&,    \
                           const Run&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
