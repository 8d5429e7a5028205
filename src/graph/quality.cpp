// Trustworthiness and continuity (Venna, Kaski 2001), preserved neighbours, and stress, from the distances of
// some points to all others, in the data and in the map.
#include <mercer/embedding.hpp>
#include <mercer/error.hpp>

#include "base/parallel.hpp"
#include "base/random.hpp"
#include "graph/distance_strips.hpp"
#include "graph/neighbor.hpp"
#include "graph/tile_scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

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

/// The k nearest, in order. The k-th of some is no nearer than the k-th of all: what lies beyond it is
/// passed over.
std::vector<Neighbor> nearest(std::span<const double> squared, Index k) {
  constexpr std::size_t step = 16;
  thread_local std::vector<double> some;
  thread_local std::vector<Found<double>> found;
  some.clear(), found.resize(squared.size());
  const std::size_t stride = squared.size() / step >= static_cast<std::size_t>(k) ? step : 1;
  for (std::size_t j = 0; j < squared.size(); j += stride) some.push_back(squared[j]);
  std::nth_element(some.begin(), some.begin() + (k - 1), some.end());
  const Index count = tile_scan::not_above(squared.data(), static_cast<Index>(squared.size()),
                                           some[static_cast<std::size_t>(k - 1)], found.data());
  std::vector<Neighbor> out(static_cast<std::size_t>(count));
  std::transform(found.begin(), found.begin() + count, out.begin(), [](const Found<double>& f) {
    return Neighbor{f.lower, f.index};
  });
  std::partial_sort(out.begin(), out.begin() + k, out.end());
  out.resize(static_cast<std::size_t>(k));
  return out;
}

/// Its place among all others by distance, from 1; equal distances by number.
Index rank(std::span<const double> squared, Index j) {
  const double mine = squared[static_cast<std::size_t>(j)];
  const double above = std::nextafter(mine, std::numeric_limits<double>::infinity());
  const auto n = static_cast<Index>(squared.size());
  return 1 + tile_scan::count_below(squared.data(), j, above) +
         tile_scan::count_below(squared.data() + j + 1, n - j - 1, mine);
}

/// Σ (rank − k) over those of `others` that are not among the k nearest.
double ranks_beyond(std::span<const double> squared, const std::vector<Neighbor>& nearest,
                    const std::vector<Neighbor>& others) {
  const auto k = static_cast<Index>(nearest.size());
  double sum = 0;
  for (const Neighbor& other : others)
    if (nearest.back() < Neighbor{squared[static_cast<std::size_t>(other.index)], other.index})
      sum += double(rank(squared, other.index) - k);
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

/// δ in the data, d in the map: sums about a first guess of the scale, so that what the best scale leaves is
/// not the difference of large numbers.
using tile_scan::PairSums;

double best_scale(const PairSums& sums) { return sums.first > 0 ? sums.both / sums.first : 0; }

/// √(min_s Σ(d − sδ)²/Σd²); a map of one point only has lost everything, unless the data was such.
double stress(const PairSums& sums, double guess) {
  if (sums.second == 0) return sums.first == 0 ? 0 : 1;
  const double e = best_scale(sums) - guess;
  return std::sqrt(std::max(0.0, sums.left - e * e * sums.first) / sums.second);
}

struct PointQuality {
  double intruders = 0, missing = 0, kept = 0;
  PairSums pairs;
};

/// Points in the data and in the map.
template <class T>
class Comparison {
 public:
  Comparison(const Samples<T>& data, const Samples<T>& map, Index k, const Run& run)
      : n_(data.rows()), k_(k), data_(data, run), map_(map, run) {}

  void measure(std::span<const Index> some, double guess, PointQuality* out) const {
    thread_local std::vector<double> in_data, in_map;
    in_data.resize(some.size() * static_cast<std::size_t>(n_)), in_map.resize(static_cast<std::size_t>(n_));
    data_.evaluate(some, in_data.data());
    for (std::size_t p = 0; p < some.size(); ++p) {
      map_.evaluate(some.subspan(p, 1), in_map.data());
      const auto n = static_cast<std::size_t>(n_);
      out[p] = compare(some[p], std::span(in_data).subspan(p * n, n), in_map, guess);
    }
  }
  [[nodiscard]] Index together() const { return data_.together(); }

 private:
  /// One point, from its squared distances to all others; it comes last in every order itself.
  [[nodiscard]] PointQuality compare(Index i, std::span<double> in_data, std::span<double> in_map,
                                     double guess) const {
    constexpr double last = std::numeric_limits<double>::infinity();
    in_data[static_cast<std::size_t>(i)] = in_map[static_cast<std::size_t>(i)] = last;
    const std::vector<Neighbor> near_in_data = nearest(in_data, k_), near_in_map = nearest(in_map, k_);
    PointQuality out;
    out.intruders = ranks_beyond(in_data, near_in_data, near_in_map);
    out.missing = ranks_beyond(in_map, near_in_map, near_in_data);
    out.kept = double(shared(near_in_data, near_in_map));
    out.pairs = tile_scan::pair_sums(in_data.data(), in_map.data(), i, guess);
    out.pairs.add(tile_scan::pair_sums(in_data.data() + i + 1, in_map.data() + i + 1, n_ - i - 1, guess));
    return out;
  }

  Index n_, k_;
  DistanceStrips<T> data_, map_;
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
  const SteadyRun steady(run);
  const Comparison<T> comparison(data, image, k, steady);
  PointQuality first;
  comparison.measure(std::span(points).first(1), 0, &first);
  const double guess = best_scale(first.pairs);
  std::vector<PointQuality> each(points.size());
  const auto m = static_cast<Index>(points.size());
  const Index together = comparison.together();
  std::atomic<Index> done{0};
  parallel_for((m + together - 1) / together, steady, [&](Index part) {
    const Index begin = part * together, count = std::min(together, m - begin);
    const auto some =
        std::span(points).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count));
    comparison.measure(some, guess, each.data() + begin);
    const Index finished = done += count;
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
          .stress = stress(sum.pairs, guess),
          .measured = m};
}

template EmbeddingQuality embedding_quality(const Samples<float>&, const MatrixView<float>&,
                                            const QualityOptions&, const Run&);
template EmbeddingQuality embedding_quality(const Samples<double>&, const MatrixView<double>&,
                                            const QualityOptions&, const Run&);

}  // namespace mercer
