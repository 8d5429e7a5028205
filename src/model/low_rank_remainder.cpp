// Drawing rows, computing what remains between them, bounding the norm.
#include "model/low_rank_remainder.hpp"

#include "base/random.hpp"
#include "kernel/tiles.hpp"
#include "operator/remainder_block.hpp"
#include "spectral/davidson.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

/// The block's norm is found by this many steps from this many random vectors: to about a fifth.
constexpr Index power_steps = 32, power_vectors = 8;

/// Some of the rows, scaled, to be picked by their numbers in the data.
template <class T>
class DrawnRows {
 public:
  DrawnRows(RowSource<T>& rows, std::vector<Index> which, const Scaling<T>& scaling, const Run& run)
      : which_(std::move(which)) {
    std::sort(which_.begin(), which_.end());
    which_.erase(std::unique(which_.begin(), which_.end()), which_.end());
    points_ = scaling.apply(gather_rows(rows, which_, run));
  }
  [[nodiscard]] Samples<T> operator()(std::vector<Index> rows) const {
    for (Index& row : rows) row = std::lower_bound(which_.begin(), which_.end(), row) - which_.begin();
    return points_.select_rows(rows);
  }

 private:
  std::vector<Index> which_;
  Samples<T> points_;
};

/// ‖E‖_F from a tenth of the rows, as pairs.
template <class T>
RemainderGroup group_by_pairs(RowSource<T>& rows, const Scaling<T>& scaling, const LandmarkBasis<T>& basis,
                              const Vector<double>& remaining, const Vector<double>& diagonal, double delta,
                              const Run& run) {
  const RemainderSample sample(remaining, diagonal, element_noise<T>(basis.rank()),
                               std::clamp<Index>(remaining.size() / 10, 2000, 100000), run.seed);
  std::vector<Index> needed;
  for (const auto& [i, j] : sample.pairs()) needed.insert(needed.end(), {i, j});
  const DrawnRows<T> drawn(rows, std::move(needed), scaling, run);
  const auto count = static_cast<Index>(sample.pairs().size()), r = basis.rank();
  Vector<double> elements(count);
  constexpr Index batch = feature_rows / 2;
  std::vector<T> left(static_cast<std::size_t>(batch * r)), right(left.size()), between(batch);
  Vector<double> unused(batch);
  for (Index first = 0; first < count; first += batch) {
    const Index size = std::min(batch, count - first);
    std::vector<Index> a, b;
    for (Index p = first; p < first + size; ++p) {
      const auto [i, j] = sample.pairs()[static_cast<std::size_t>(p)];
      a.push_back(i);
      b.push_back(j);
    }
    const Samples<T> x = drawn(a), y = drawn(b);
    basis.evaluate(x, left.data(), unused.data(), unused.data(), run);
    basis.evaluate(y, right.data(), unused.data(), unused.data(), run);
    KernelTiles<T>(basis.kernel(), x, y).diagonal(0, size, between.data());
    for (Index p = 0; p < size; ++p) {
      const Eigen::Map<const Vector<T>> f(left.data() + p * r, r), g(right.data() + p * r, r);
      elements[first + p] = double(between[static_cast<std::size_t>(p)]) -
                            f.template cast<double>().dot(g.template cast<double>());
    }
    run.report("bound", double(first + size) / double(count));
  }
  return bounded_group(
      r, remaining, sample, [&](Index p) { return elements[p]; }, delta, run);
}

/// ‖E‖₂ itself from a block between `count` rows. Half of δ for the draw of the rows, half for the norm of
/// the block.
template <class T>
RemainderGroup group_by_block(RowSource<T>& rows, const Scaling<T>& scaling, const LandmarkBasis<T>& basis,
                              const Vector<double>& remaining, const Vector<double>& diagonal, Index count,
                              double delta, const Run& run) {
  RemainderGroup out{basis.rank(), remaining.sum(), 0};
  const double noise = element_noise<T>(basis.rank());
  const Vector<double> weights = remaining + noise * diagonal;  // what rounding may hide
  const WeightedDraw draw(weights);
  if (!(draw.total() > 0)) return out;
  Random random(run.seed, 0x726f7773ULL);
  std::vector<Index> which(static_cast<std::size_t>(count));
  for (Index& row : which) row = draw(random.uniform());
  // Elements may be off by noise·√(k_ii k_jj): a matrix whose norm is at most the sum of k_ii/w_i over m.
  double shares = 0;
  for (const Index row : which) shares += diagonal[row] / weights[row];
  const DrawnRows<T> drawn(rows, which, scaling, run);
  run.report("bound", 0);
  const RemainderBlock<T> block(basis, drawn(which), weights(which), run);
  const double largest = power_norm_bound(block.log_power_norm(power_steps, power_vectors, run), power_steps,
                                          power_vectors, delta / 2) +
                         noise * shares / double(count);
  out.norm = std::min(out.trace, draw.total() * mean_upper_limit(std::min(1.0, largest), count, delta / 2));
  run.report("bound", 1);
  return out;
}

}  // namespace

RemainderGroup bounded_group(Index rank, const Vector<double>& remaining, const RemainderSample& sample,
                             const std::function<double(Index)>& element, double delta, const Run& run) {
  RemainderGroup out{rank, remaining.sum(), 0};
  const double mean = sample.mean(element, run);
  const double p = mean_upper_limit(mean, static_cast<Index>(sample.pairs().size()), delta);
  out.norm = std::min(out.trace, sample.total() * std::sqrt(p));
  return out;
}

template <class T>
RemainderGroup sampled_group(RowSource<T>& rows, const Scaling<T>& scaling, const LandmarkBasis<T>& basis,
                             const Vector<double>& remaining, const Vector<double>& diagonal, double delta,
                             const Run& run) {
  const Index block =
      remainder_block_rows(remaining.size(), basis.rank(), double(run.memory_budget()) / 16, sizeof(T));
  return block > 0 ? group_by_block(rows, scaling, basis, remaining, diagonal, block, delta, run)
                   : group_by_pairs(rows, scaling, basis, remaining, diagonal, delta, run);
}

template RemainderGroup sampled_group(RowSource<float>&, const Scaling<float>&, const LandmarkBasis<float>&,
                                      const Vector<double>&, const Vector<double>&, double, const Run&);
template RemainderGroup sampled_group(RowSource<double>&, const Scaling<double>&,
                                      const LandmarkBasis<double>&, const Vector<double>&,
                                      const Vector<double>&, double, const Run&);

}  // namespace mercer
