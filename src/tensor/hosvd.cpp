// Bases mode by mode, of the array itself or of what the modes before have left of it.
#include "tensor/hosvd.hpp"

#include "base/at.hpp"
#include "base/linalg.hpp"
#include "tensor/mode_product.hpp"

#include <mercer/tensor_algebra.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace mercer {
namespace {

/// The basis of one mode of y, kept in the parts; returns what it leaves out.
template <class T>
double truncate_mode(const TensorView<T>& y, TuckerStep step, const TuckerProblem& problem, double budget,
                     TuckerParts<T>& parts, const Run& run) {
  const Index mode = step.mode, rank = problem.ranks.empty() ? 0 : problem.ranks[at(mode)];
  step.route = choose_basis_route(
      {.size = y.size(mode), .fibers = y.count() / y.size(mode), .rank = rank, .precise = problem.precise});
  LeftVectors basis = mode_basis(y, mode, {.rank = rank, .budget = budget}, step.route, run);
  parts.factors[at(mode)] = basis.vectors.template cast<T>();
  parts.values[at(mode)] = std::move(basis.values);
  parts.steps.push_back(step);
  return basis.tail;
}

template <class T>
TuckerParts<T> empty_parts(const TensorView<T>& x) {
  TuckerParts<T> parts;
  parts.factors.resize(x.shape().size());
  parts.values.resize(x.shape().size());
  return parts;
}

template <class T>
Tensor<T> projected_samples(const TensorView<T>& x, const std::vector<Block<T>>& factors, Index sample_mode,
                            const Run& run) {
  return mode_products<T>(x, factors_without(factors, sample_mode), true, run);
}

/// A mode whose rank exceeds the product of the others' holds directions that the core does not use:
/// G₍ₙ₎ = P S Qᵀ has fewer columns than rows, and Uₙ P will do.
template <class T>
void drop_unused_directions(TuckerParts<T>& parts, Index sample_mode, const Run& run) {
  for (bool changed = true; changed;) {
    changed = false;
    for (Index mode = 0; mode < parts.core.order(); ++mode) {
      const Index rank = parts.core.size(mode), others = parts.core.count() / rank;
      if (rank <= others) continue;
      Block<double> used = unfold<T>(parts.core, mode).template cast<double>();
      used = leading_left_vectors(used, others, run).vectors;
      Block<T>& factor = parts.factors[at(mode)];
      Block<double> fewer = factor.template cast<double>() * used;
      make_orthonormal(fewer);
      const Block<T> turn = (factor.template cast<double>().transpose() * fewer).template cast<T>();
      factor = fewer.template cast<T>();
      parts.core = mode_product<T>(parts.core, mode, turn, true, run);
      if (mode != sample_mode) parts.samples = mode_product<T>(parts.samples, mode, turn, true, run);
      changed = true;
    }
  }
}

}  // namespace

template <class T>
std::vector<ModeFactor<T>> factors_without(const std::vector<Block<T>>& factors, Index mode) {
  std::vector<ModeFactor<T>> out;
  for (std::size_t m = 0; m < factors.size(); ++m)
    if (static_cast<Index>(m) != mode) out.push_back({static_cast<Index>(m), factors[m]});
  return out;
}

template <class T>
TuckerParts<T> sequential_hosvd(const TensorView<T>& x, const TuckerProblem& problem,
                                const std::vector<TuckerStep>& steps, double budget, const Run& run) {
  TuckerParts<T> parts = empty_parts(x);
  PackedTensor<T> y;
  double left = budget;
  for (std::size_t turn = 0; turn < steps.size(); ++turn) {
    run.report("bases", double(turn) / double(steps.size()));
    const Index mode = steps[turn].mode;
    const TensorView<T> now = turn == 0 ? x : y.view();
    const double tail =
        truncate_mode(now, steps[turn], problem, left / double(steps.size() - turn), parts, run);
    parts.squared_error += tail;
    left = std::max(0.0, left - tail);

    const Block<T>& factor = parts.factors[at(mode)];
    const double elements = double(now.count()) / double(now.size(mode)) * double(factor.cols());
    require_budget((double(y.count()) + elements) * sizeof(T), run,
                   fmt::format("rank {} in mode {}", factor.cols(), mode));
    PackedTensor<T> next = packed_mode_product<T>(now, mode, factor, true, run);
    if (turn + 1 == steps.size() && mode == problem.sample_mode) parts.samples = Tensor<T>(now);
    y = std::move(next);
  }
  parts.core = std::move(y).to_tensor(run);
  if (static_cast<Index>(steps.size()) < x.order()) return parts;
  if (parts.samples.order() == 0)
    parts.samples = projected_samples(x, parts.factors, problem.sample_mode, run);
  drop_unused_directions(parts, problem.sample_mode, run);
  return parts;
}

template <class T>
TuckerParts<T> plain_hosvd(const TensorView<T>& x, const TuckerProblem& problem,
                           const std::vector<TuckerStep>& steps, double budget, double total,
                           const Run& run) {
  TuckerParts<T> parts = empty_parts(x);
  double left = budget;
  for (std::size_t turn = 0; turn < steps.size(); ++turn) {
    run.report("bases", double(turn) / double(steps.size()));
    const double tail =
        truncate_mode(x, steps[turn], problem, left / double(steps.size() - turn), parts, run);
    left = std::max(0.0, left - tail);
  }
  const Index s = problem.sample_mode;
  parts.samples = projected_samples(x, parts.factors, s, run);
  parts.core = mode_product<T>(parts.samples, s, parts.factors[at(s)], true, run);
  drop_unused_directions(parts, s, run);
  const double kept = norm<T>(parts.core);
  parts.squared_error = std::max(0.0, total - kept * kept);
  return parts;
}

#define MERCER_INSTANTIATE(T)                                                                   \
  template std::vector<ModeFactor<T>> factors_without(const std::vector<Block<T>>&, Index);     \
  template TuckerParts<T> sequential_hosvd(const TensorView<T>&, const TuckerProblem&,          \
                                           const std::vector<TuckerStep>&, double, const Run&); \
  template TuckerParts<T> plain_hosvd(const TensorView<T>&, const TuckerProblem&,               \
                                      const std::vector<TuckerStep>&, double, double, const Run&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
