// Bases to begin from, and sweeps by projections of the stored entries.
#include "tensor/sparse_tucker.hpp"

#include "base/at.hpp"
#include "base/random.hpp"
#include "spectral/orthonormal.hpp"
#include "tensor/mode_product.hpp"
#include "tensor/sample_rows.hpp"
#include "tensor/sparse_gram.hpp"
#include "tensor/ttmc.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {
namespace {

Block<double> random_basis(Index size, Index rank, Index mode, std::uint64_t seed) {
  Random random(seed, 0x737061727365ULL + static_cast<std::uint64_t>(mode));
  Block<double> basis(size, rank);
  fill_random<double>(basis, random);
  make_orthonormal(basis);
  return basis;
}

}  // namespace

template <class T>
TuckerParts<double> sparse_bases(const SparseTensor<T>& x, const TuckerProblem& problem, const Run& run) {
  TuckerParts<double> parts;
  parts.factors.resize(x.shape().size());
  parts.values.resize(x.shape().size());
  for (Index mode = 0; mode < x.order(); ++mode) {
    run.report("bases", double(mode) / double(x.order()));
    const Index rank = problem.ranks[at(mode)];
    if (has_sparse_gram(x.size(mode))) {
      LeftVectors start = vectors_of_gram(sparse_mode_gram(x, mode, run), {.rank = rank});
      parts.factors[at(mode)] = std::move(start.vectors);
      parts.values[at(mode)] = std::move(start.values);
    } else {
      parts.factors[at(mode)] = random_basis(x.size(mode), rank, mode, run.seed);
    }
  }
  return parts;
}

template <class T>
void project_sparse(const SparseTensor<T>& x, TuckerParts<double>& parts, Index sample_mode, double total,
                    const Run& run) {
  parts.samples = Tensor<double>(project_other_modes(x, sample_mode, parts.factors, run).view());
  parts.core = mode_product<double>(parts.samples, sample_mode, parts.factors[at(sample_mode)], true, run);
  parts.squared_error = std::max(0.0, total - parts.core.values().squaredNorm());
}

template <class T>
HooiSweeps sparse_hooi(const SparseTensor<T>& x, TuckerParts<double>& parts, Index sample_mode, double total,
                       const HooiLimits& limits, const Run& run) {
  // Large modes first: what begins from a random basis is found from what does not.
  Shape modes = other_modes(x.order(), sample_mode);
  std::stable_sort(modes.begin(), modes.end(), [&](Index a, Index b) { return x.size(a) > x.size(b); });
  modes.push_back(sample_mode);
  const Sweep<double> sweep = [&](const Visit<double>& visit) {
    for (const Index mode : modes) visit(mode, project_other_modes(x, mode, parts.factors, run).view());
  };
  const auto relative_error = [&](TuckerParts<double>& now) {  // the factors are orthonormal
    now.squared_error = std::max(0.0, total - now.core.values().squaredNorm());
    return total > 0 ? std::sqrt(now.squared_error / total) : 0.0;
  };
  return hooi<double>(parts, sample_mode, sweep, relative_error, std::numeric_limits<double>::infinity(),
                      limits, run);
}

#define MERCER_INSTANTIATE(T)                                                                            \
  template void project_sparse(const SparseTensor<T>&, TuckerParts<double>&, Index, double, const Run&); \
  template TuckerParts<double> sparse_bases(const SparseTensor<T>&, const TuckerProblem&, const Run&);   \
  template HooiSweeps sparse_hooi(const SparseTensor<T>&, TuckerParts<double>&, Index, double,           \
                                  const HooiLimits&, const Run&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
