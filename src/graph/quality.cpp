// Trustworthiness and continuity (Venna, Kaski 2001), preserved neighbours, and stress, from the distances of
// some points to all others, in the data and in the map.
#include <mercer/embedding.hpp>
#include <mercer/error.hpp>

#include "base/parallel.hpp"
#include "base/random.hpp"
#include "graph/neighbor.hpp"
#include "graph/row_distance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mercer {
namespace {

/// Which points are measured: all, or as many as wanted, drawn without replacement.
std::vector<Index> measured_points(Index n, Index most, std::uint64_t seed) {
  std::vector<Index> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), Index{0});
  if (n <= most) return all;
  constexpr std::uint64_t stream = 0x7175616c;
  Random random(seed, stream);
  for (Index i = 0; i < most; ++i)
    std::swap(all[static_cast<std::size_t>(i)],
              all[static_cast<std::size_t>(i) + random.below(static_cast<std::uint64_t>(n - i))]);
  all.resize(static_cast<std::size_t>(most));
  std::sort(all.begin(), all.end());
  return all;
}

/// One point's distances to all others; itself comes last in every order.
template <class T>
void distances_from(const Samples<T>& points, Index i, std::vector<double>& squared) {
  const RowDistance<T> distance(points, points);
  for (Index j = 0; j < points.rows(); ++j) squared[static_cast<std::size_t>(j)] = distance(i, j);
  squared[static_cast<std::size_t>(i)] = std::numeric_limits<double>::infinity();
}

/// The k nearest, in order.
std::vector<Neighbor> nearest(const std::vector<double>& squared, Index k) {
  std::vector<Neighbor> heap;  // the farthest on top
  for (std::size_t j = 0; j < squared.size(); ++j) {
    const Neighbor candidate{squared[j], static_cast<std::int32_t>(j)};
    if (static_cast<Index>(heap.size()) < k) {
      heap.push_back(candidate);
      std::push_heap(heap.begin(), heap.end());
    } else if (candidate < heap.front()) {
      std::pop_heap(heap.begin(), heap.end());
      heap.back() = candidate;
      std::push_heap(heap.begin(), heap.end());
    }
  }
  std::sort_heap(heap.begin(), heap.end());
  return heap;
}

/// Σ max(0, rank − k) over `others`, ranks counted from 1 by distance `squared`.
double ranks_beyond(const std::vector<double>& squared, const std::vector<Neighbor>& others, Index k) {
  std::vector<Neighbor> targets;
  for (const Neighbor& other : others)
    targets.push_back({squared[static_cast<std::size_t>(other.index)], other.index});
  std::sort(targets.begin(), targets.end());
  // Points between two targets count for all targets behind them.
  std::vector<Index> before(targets.size() + 1, 0);
  for (std::size_t j = 0; j < squared.size(); ++j) {
    if (squared[j] > targets.back().squared) continue;
    const Neighbor candidate{squared[j], static_cast<std::int32_t>(j)};
    ++before[static_cast<std::size_t>(std::upper_bound(targets.begin(), targets.end(), candidate) -
                                      targets.begin())];
  }
  // (a target itself falls behind its own place, so that its rank is those before it and one)
  double sum = 0;
  Index rank = 1;
  for (std::size_t t = 0; t < targets.size(); ++t) {
    rank += before[t];
    sum += double(std::max<Index>(0, rank - k));
  }
  return sum;
}

Index shared(const std::vector<Neighbor>& a, const std::vector<Neighbor>& b) {
  std::vector<std::int32_t> x, y, both;
  for (const Neighbor& p : a) x.push_back(p.index);
  for (const Neighbor& p : b) y.push_back(p.index);
  std::sort(x.begin(), x.end()), std::sort(y.begin(), y.end());
  std::set_intersection(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(both));
  return static_cast<Index>(both.size());
}

/// Sums over pairs, δ in the data and d in the map, about a first guess of the scale: what the best scale
/// leaves is then not the difference of large numbers.
struct PairSums {
  double data = 0, map = 0, both = 0, left = 0;  // δ², d², dδ, (d − s₀δ)²

  void add(const std::vector<double>& data_squared, const std::vector<double>& map_squared, Index itself,
           double guess) {
    for (std::size_t j = 0; j < data_squared.size(); ++j) {
      if (static_cast<Index>(j) == itself) continue;
      const double delta = std::sqrt(data_squared[j]), d = std::sqrt(map_squared[j]), e = d - guess * delta;
      data += data_squared[j], map += map_squared[j];
      both += d * delta, left += e * e;
    }
  }
  void add(const PairSums& other) {
    data += other.data, map += other.map, both += other.both, left += other.left;
  }
  [[nodiscard]] double scale() const { return data > 0 ? both / data : 0; }
  /// √(min_s Σ(d − sδ)²/Σd²); a map of one point only has lost everything, unless the data was such.
  [[nodiscard]] double stress(double guess) const {
    if (map == 0) return data == 0 ? 0 : 1;
    const double e = scale() - guess;
    return std::sqrt(std::max(0.0, left - e * e * data) / map);
  }
};

struct PointQuality {
  double intruders = 0, missing = 0, kept = 0;
  PairSums pairs;
};

}  // namespace

template <class T>
EmbeddingQuality embedding_quality(const Samples<T>& data, const MatrixView<T>& map,
                                   const QualityOptions& options, const Run& run) {
  const Index n = data.rows(), k = options.neighbors;
  if (map.rows() != n)
    throw Error(ErrorCode::usage, fmt::format("the map has {} points, the data {}", map.rows(), n));
  if (map.cols() < 1 || data.cols() < 1)
    throw Error(ErrorCode::usage, "the data and the map need a coordinate each");
  if (k < 1 || 2 * k >= n)
    throw Error(ErrorCode::usage, fmt::format("{} neighbours were asked for of {} points", k, n),
                n > 2 ? fmt::format("from 1 to {}: fewer than half of the points", (n - 1) / 2)
                      : "there are too few points to compare neighbours");
  if (options.most_points < 1)
    throw Error(ErrorCode::usage, fmt::format("quality measured on {} points", options.most_points));
  const Samples<T> image = Samples<T>::borrow(map.data(), map.rows(), map.cols(), map.outerStride());
  require_finite(data);
  require_finite(image, "the map");

  const std::vector<Index> points = measured_points(n, options.most_points, run.seed);
  const auto measure = [&](Index i, double guess) {
    thread_local std::vector<double> in_data, in_map;
    in_data.resize(static_cast<std::size_t>(n)), in_map.resize(static_cast<std::size_t>(n));
    distances_from(data, i, in_data);
    distances_from(image, i, in_map);
    const std::vector<Neighbor> near_in_data = nearest(in_data, k), near_in_map = nearest(in_map, k);
    PointQuality out;
    out.intruders = ranks_beyond(in_data, near_in_map, k);
    out.missing = ranks_beyond(in_map, near_in_data, k);
    out.kept = double(shared(near_in_data, near_in_map));
    out.pairs.add(in_data, in_map, i, guess);
    return out;
  };
  const double guess = measure(points.front(), 0).pairs.scale();
  std::vector<PointQuality> each(points.size());
  const auto m = static_cast<Index>(points.size());
  std::atomic<Index> done{0};
  parallel_for(m, run, [&](Index p) {
    each[static_cast<std::size_t>(p)] = measure(points[static_cast<std::size_t>(p)], guess);
    const Index finished = ++done;
    if (omp_get_thread_num() == 0) run.report("quality", double(finished) / double(m));
  });

  PointQuality sum;
  for (const PointQuality& q : each) {
    sum.intruders += q.intruders, sum.missing += q.missing, sum.kept += q.kept;
    sum.pairs.add(q.pairs);
  }
  const double worst = double(m) * double(k) * double(2 * n - 3 * k - 1) / 2;
  return {.neighbors = k,
          .trustworthiness = 1 - sum.intruders / worst,
          .continuity = 1 - sum.missing / worst,
          .preservation = sum.kept / (double(m) * double(k)),
          .stress = sum.pairs.stress(guess),
          .measured = m};
}

template EmbeddingQuality embedding_quality(const Samples<float>&, const MatrixView<float>&,
                                            const QualityOptions&, const Run&);
template EmbeddingQuality embedding_quality(const Samples<double>&, const MatrixView<double>&,
                                            const QualityOptions&, const Run&);

}  // namespace mercer
