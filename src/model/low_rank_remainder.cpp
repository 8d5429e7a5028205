// Drawing rows, computing what remains between them, bounding the norm.
#include "model/low_rank_remainder.hpp"

#include "base/random.hpp"
#include "kernel/tiles.hpp"
#include "operator/feature_moments.hpp"
#include "operator/remainder_block.hpp"
#include "spectral/davidson.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mercer {
namespace {

/// The block's norm is found by this many steps from this many random vectors: to about a fifth.
constexpr Index power_steps = 32, power_vectors = 8;
/// A larger share of the rows is not proposed: then all of them are looked at.
constexpr double most_proposed = 0.5;

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

/// Rows drawn independently with probability ∝ w_i ≥ E_ii.
template <class T>
struct Draw {
  Samples<T> points;                 ///< scaled
  Vector<double> weights, diagonal;  ///< w_i and k_ii
  double total = 0;                  ///< Σw over all rows, drawn or not
};

/// ‖E‖₂ itself from the block between rows that were drawn. Half of δ for the draw of the rows, half for the
/// norm of the block. Elements may be off by noise·√(k_ii k_jj): a matrix whose norm is at most the mean of
/// noise·k_ii/w_i.
template <class T>
double norm_by_block(const LandmarkBasis<T>& basis, const Draw<T>& draw, double noise, double delta,
                     const Run& run) {
  const Index count = draw.points.rows();
  run.report("bound", 0);
  const RemainderBlock<T> block(basis, draw.points, draw.weights, run);
  const double largest = power_norm_bound(block.log_power_norm(power_steps, power_vectors, run), power_steps,
                                          power_vectors, delta / 2) +
                         noise * draw.diagonal.cwiseQuotient(draw.weights).mean();
  run.report("bound", 1);
  return draw.total * mean_upper_limit(std::min(1.0, largest), count, delta / 2);
}

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
  const DrawnRows<T> drawn(rows, which, scaling, run);
  const Draw<T> all{drawn(which), weights(which), diagonal(which), draw.total()};
  out.norm = std::min(out.trace, norm_by_block(basis, all, noise, delta, run));
  return out;
}

/// A row that may be drawn: it is, if `chance` is less than the share of it that remains.
struct Proposal {
  Index row;
  double chance;
};

std::vector<Proposal> proposals(const Vector<double>& diagonal, Index count, std::uint64_t seed) {
  const WeightedDraw draw(diagonal);
  Random random(seed, 0x70726f706f7365ULL);
  std::vector<Proposal> out(static_cast<std::size_t>(count));
  for (Proposal& p : out) {
    p.row = draw(random.uniform());
    p.chance = random.uniform();
  }
  std::sort(out.begin(), out.end(), [](const Proposal& a, const Proposal& b) {
    return a.row != b.row ? a.row < b.row : a.chance < b.chance;
  });
  return out;
}

/// Proposed rows of one chunk, sifted by what remains of them.
template <class T>
struct Sieve {
  Samples<T> points;                               ///< scaled
  std::vector<double> chances, weights, diagonal;  ///< weights: E_ii + noise·k_ii, E on the last basis

  /// Keeps those with chance < (w_i + slack·k_ii)/(1 + noise)k_ii.
  void sift(const LandmarkBasis<T>& basis, double noise, double slack, const Run& run) {
    const Index n = points.rows();
    std::vector<T> features(static_cast<std::size_t>(n * basis.rank()));
    Vector<double> whole(n), remaining(n);
    basis.evaluate(points, features.data(), whole.data(), remaining.data(), run);
    std::vector<Index> kept;
    const std::vector<double> before = std::exchange(chances, {});
    weights.clear();
    diagonal.clear();
    for (Index i = 0; i < n; ++i) {
      const double chance = before[static_cast<std::size_t>(i)], weight = remaining[i] + noise * whole[i];
      if (!(chance * (1 + noise) * whole[i] < weight + slack * whole[i])) continue;
      kept.push_back(i);
      chances.push_back(chance);
      weights.push_back(weight);
      diagonal.push_back(whole[i]);
    }
    points = points.select_rows(kept);
  }
};

/// The proposed rows that are taken. Given how many there are, they are independent draws ∝ w_i. The first
/// landmarks alone leave more of a row than all of them: what they refuse need not be looked at closely.
template <class T>
Draw<T> taken(RowSource<T>& rows, const Scaling<T>& scaling, const LandmarkBasis<T>& basis,
              const std::vector<Proposal>& proposed, double noise, const Run& run) {
  const Index first_few = basis.rank() / 4;
  const LandmarkBasis<T> shorter(basis.kernel(), basis.landmarks().middle_rows(0, first_few),
                                 basis.factor().topLeftCorner(first_few, first_few));
  std::vector<Samples<T>> parts;
  std::vector<double> weights, diagonal;
  auto next = proposed.begin();
  for_each_chunk(rows, run, [&](const Samples<T>& chunk, Index first) {
    while (next != proposed.end() && next->row < first + chunk.rows()) {
      Sieve<T> sieve;
      std::vector<Index> here;
      for (; next != proposed.end() && next->row < first + chunk.rows() && here.size() < feature_rows;
           ++next) {
        here.push_back(next->row - first);
        sieve.chances.push_back(next->chance);
      }
      sieve.points = scaling.apply(chunk.select_rows(here));
      sieve.sift(shorter, noise, 2 * noise, run);
      sieve.sift(basis, noise, 0, run);
      parts.push_back(sieve.points);
      weights.insert(weights.end(), sieve.weights.begin(), sieve.weights.end());
      diagonal.insert(diagonal.end(), sieve.diagonal.begin(), sieve.diagonal.end());
      run.report("rows", double(next - proposed.begin()) / double(proposed.size()));
    }
  });
  const auto map = [](const std::vector<double>& v) {
    return Eigen::Map<const Vector<double>>(v.data(), static_cast<Index>(v.size()));
  };
  return {stacked(parts, rows.cols()), map(weights), map(diagonal), 0};
}

/// What remains of every row, E_ii.
template <class T>
Vector<double> remaining_of(RowSource<T>& rows, const Scaling<T>& scaling, const LandmarkBasis<T>& basis,
                            Index n, const Run& run) {
  std::vector<T> features(static_cast<std::size_t>(feature_rows * basis.rank()));
  Vector<double> out(n), unused(feature_rows);
  for_each_chunk(rows, run, [&](const Samples<T>& chunk, Index before) {
    const Samples<T> points = scaling.apply(chunk);
    for (Index first = 0; first < points.rows(); first += feature_rows) {
      const Index count = std::min(feature_rows, points.rows() - first);
      basis.evaluate(points.middle_rows(first, count), features.data(), unused.data(),
                     out.data() + before + first, run);
    }
    run.report("remainder", double(before + chunk.rows()) / double(n));
  });
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

template <class T>
RemainderGroup proposed_group(RowSource<T>& rows, const Scaling<T>& scaling, const LandmarkBasis<T>& basis,
                              double trace, const Vector<double>& diagonal, double delta, const Run& run) {
  const double noise = element_noise<T>(basis.rank()), whole = diagonal.sum();
  RemainderGroup out{basis.rank(), trace, trace};
  if (trace <= 8 * noise * whole) return out;  // nothing but rounding
  const Index n = diagonal.size(),
              block = remainder_block_rows(n, basis.rank(), double(run.memory_budget()) / 16, sizeof(T));
  const double needed = double(block) * (1 + noise) * whole / (trace + noise * whole);
  if (block == 0 || needed > most_proposed * double(n))
    return sampled_group(rows, scaling, basis, remaining_of(rows, scaling, basis, n, run), diagonal, delta,
                         run);
  const std::vector<Proposal> proposed = proposals(diagonal, static_cast<Index>(std::ceil(needed)), run.seed);
  Draw<T> draw = taken(rows, scaling, basis, proposed, noise, run);
  if (draw.points.rows() == 0) return out;
  draw.total = trace + 3 * noise * whole;  // E_ii may be off by noise·k_ii, in the trace and in the weights
  out.norm = std::min(out.trace, norm_by_block(basis, draw, noise, delta, run));
  return out;
}

#define MERCER_INSTANTIATE(T)                                                                               \
  template RemainderGroup sampled_group(RowSource<T>&, const Scaling<T>&, const LandmarkBasis<T>&,          \
                                        const Vector<double>&, const Vector<double>&, double, const Run&);  \
  template RemainderGroup proposed_group(RowSource<T>&, const Scaling<T>&, const LandmarkBasis<T>&, double, \
                                         const Vector<double>&, double, const Run&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
