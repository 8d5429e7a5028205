// Perplexities by Newton's method inside a bracket, and P made symmetric.
#include "manifold/tsne_affinities.hpp"

#include "base/parallel.hpp"
#include "kernel/elementwise.hpp"
#include "kernel/primitives.hpp"
#include "manifold/tsne_map.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace mercer {
namespace {

constexpr Index rows_at_once = 256;
constexpr double entropy_tolerance = 1e-10;
constexpr int most_steps = 200;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// p_{j|i} of the lists, by rows, columns ascending: every row `width` long.
template <class T>
struct Conditional {
  Index width = 0;
  std::vector<std::int32_t> index;
  std::vector<T> p;
};

template <class T>
Conditional<T> conditional_affinities(const NeighborLists& lists, double perplexity, const Run& run) {
  const Index n = lists.size(), width = n > 0 ? static_cast<Index>(lists.neighbors(0).size()) : 0;
  Conditional<T> out{width, std::vector<std::int32_t>(at(n * width)), std::vector<T>(at(n * width))};
  for_chunks(n, rows_at_once, run, [&](Index first, Index last) {
    std::vector<double> squared(at(width)), p(at(width));
    std::vector<std::size_t> order(at(width));
    for (Index i = first; i < last; ++i) {
      const auto neighbors = lists.neighbors(i);
      const auto distances = lists.distances(i);
      std::transform(distances.begin(), distances.end(), squared.begin(), [](double d) { return d * d; });
      calibrate(squared, perplexity, p);
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::sort(order.begin(), order.end(),
                [&](std::size_t a, std::size_t b) { return neighbors[a] < neighbors[b]; });
      for (Index e = 0; e < width; ++e) {
        out.index[at(i * width + e)] = neighbors[order[at(e)]];
        out.p[at(i * width + e)] = T(p[order[at(e)]]);
      }
    }
  });
  return out;
}

/// The same by columns: who has j among its neighbours, ascending.
template <class T>
struct Transposed {
  std::vector<Index> begin;
  std::vector<std::int32_t> index;
  std::vector<T> p;
};

template <class T>
Transposed<T> transposed(const Conditional<T>& c, Index n) {
  Transposed<T> out{std::vector<Index>(at(n + 1), 0), std::vector<std::int32_t>(c.index.size()),
                    std::vector<T>(c.p.size())};
  for (const std::int32_t j : c.index) ++out.begin[at(j + 1)];
  std::partial_sum(out.begin.begin(), out.begin.end(), out.begin.begin());
  std::vector<Index> next(out.begin.begin(), out.begin.end() - 1);
  for (Index i = 0; i < n; ++i)
    for (Index e = i * c.width; e < (i + 1) * c.width; ++e) {
      const Index slot = next[at(c.index[at(e)])]++;
      out.index[at(slot)] = static_cast<std::int32_t>(i);
      out.p[at(slot)] = c.p[at(e)];
    }
  return out;
}

/// visit(j, p_{j|i} + p_{i|j}) over row i of both, j ascending.
template <class T, class Visit>
void merge_row(const Conditional<T>& c, const Transposed<T>& t, Index i, Visit&& visit) {
  Index a = i * c.width, b = t.begin[at(i)];
  const Index a_end = a + c.width, b_end = t.begin[at(i + 1)];
  constexpr auto none = std::numeric_limits<std::int32_t>::max();
  while (a < a_end || b < b_end) {
    const std::int32_t ja = a < a_end ? c.index[at(a)] : none, jb = b < b_end ? t.index[at(b)] : none;
    const std::int32_t j = std::min(ja, jb);
    T sum = 0;
    if (ja == j) sum += c.p[at(a++)];
    if (jb == j) sum += t.p[at(b++)];
    visit(j, sum);
  }
}

}  // namespace

Index neighbors_for(double perplexity, Index points) {
  return std::clamp<Index>(static_cast<Index>(std::ceil(3 * perplexity)), 1, points - 1);
}

double calibrate(std::span<const double> squared, double perplexity, std::span<double> p) {
  const auto count = static_cast<Index>(squared.size());
  const double target = std::log(perplexity), nearest = *std::min_element(squared.begin(), squared.end());
  const double mean = std::accumulate(squared.begin(), squared.end(), 0.0) / double(count) - nearest;
  double beta = mean > 0 ? 1 / mean : 1;
  double low = 0, high = std::numeric_limits<double>::infinity();  // H falls with β
  double sum = 0;
  for (int step = 0; step < most_steps; ++step) {
    for (std::size_t j = 0; j < squared.size(); ++j) p[j] = squared[j] - nearest;
    elementwise::exp_scaled(p.data(), count, -beta);
    double first = 0, second = 0;
    sum = 0;
    for (std::size_t j = 0; j < squared.size(); ++j) {
      const double x = squared[j] - nearest;
      sum += p[j];
      first += p[j] * x;
      second += p[j] * x * x;
    }
    const double average = first / sum, variance = second / sum - average * average;
    const double excess = std::log(sum) + beta * average - target;  // H − log perplexity
    const double slope = beta * beta * variance;                    // −dH/dlog β
    if (std::abs(excess) < entropy_tolerance || (excess > 0 && slope < entropy_tolerance)) break;
    (excess > 0 ? low : high) = beta;
    const double newton = beta * std::exp(std::clamp(excess / slope, -2.0, 2.0));
    if (newton > low && newton < high)
      beta = newton;
    else
      beta = low == 0 ? beta / 4 : std::isinf(high) ? beta * 4 : std::sqrt(low * high);
  }
  for (double& value : p) value /= sum;
  return beta;
}

template <class T>
SparseAffinities<T> sparse_affinities(const NeighborLists& lists, double perplexity, const Run& run) {
  const Index n = lists.size();
  const Conditional<T> c = conditional_affinities<T>(lists, perplexity, run);
  const Transposed<T> t = transposed(c, n);
  SparseAffinities<T> out;
  out.begin.assign(at(n + 1), 0);
  for_chunks(n, rows_at_once, run, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) merge_row(c, t, i, [&](std::int32_t, T) { ++out.begin[at(i + 1)]; });
  });
  for (Index i = 0; i < n; ++i) {
    out.links += out.begin[at(i + 1)];
    out.begin[at(i + 1)] = out.begin[at(i)] + TsneMap<T>::padded(out.begin[at(i + 1)]);
  }
  out.index.resize(at(out.begin.back()));
  out.value.resize(at(out.begin.back()));
  const T half = T(0.5 / double(n));
  for_chunks(n, rows_at_once, run, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      Index e = out.begin[at(i)];
      merge_row(c, t, i, [&](std::int32_t j, T sum) {
        out.index[at(e)] = j;
        out.value[at(e++)] = sum * half;
      });
      for (; e < out.begin[at(i + 1)]; ++e) {
        out.index[at(e)] = static_cast<std::int32_t>(i);
        out.value[at(e)] = 0;
      }
    }
  });
  return out;
}

template <class T>
Matrix<T> dense_affinities(const Samples<T>& points, double perplexity, const Run& run) {
  constexpr Index strip = 64;
  const Index n = points.rows();
  const RowSet<T> set = make_row_set(points, Primitive::sqdist, distance_shift(points));
  Matrix<T> p = Matrix<T>::Zero(n, TsneMap<T>::padded(n));
  for_chunks(n, strip, run, [&](Index first, Index last) {
    Matrix<T> tile(last - first, n);
    primitive_tile(Primitive::sqdist, set, first, last - first, set, 0, n, tile.data());
    std::vector<double> squared(at(n - 1)), row(at(n - 1));
    for (Index i = first; i < last; ++i) {
      for (Index j = 0; j < n - 1; ++j) squared[at(j)] = double(tile(i - first, j < i ? j : j + 1));
      calibrate(squared, perplexity, row);
      for (Index j = 0; j < n - 1; ++j) p(i, j < i ? j : j + 1) = T(row[at(j)]);
    }
  });
  const T half = T(0.5 / double(n));
  for_chunks(n, strip, run, [&](Index first, Index last) {  // tile by tile, since columns are read too
    for (Index across = 0; across < last; across += strip)
      for (Index i = first; i < last; ++i)
        for (Index j = across; j < std::min(across + strip, i); ++j)
          p(i, j) = p(j, i) = (p(i, j) + p(j, i)) * half;
  });
  return p;
}

template <class T>
double negative_entropy(const T* p, Index count, const Run& run) {
  return sum_chunks(count, Index{1} << 16, run, [&](Index first, Index last) {
    double sum = 0;
    for (Index e = first; e < last; ++e)
      if (p[e] > 0) sum += double(p[e]) * std::log(double(p[e]));
    return sum;
  });
}

#define MERCER_INSTANTIATE(T)                                                                  \
  template SparseAffinities<T> sparse_affinities<T>(const NeighborLists&, double, const Run&); \
  template Matrix<T> dense_affinities(const Samples<T>&, double, const Run&);                  \
  template double negative_entropy(const T*, Index, const Run&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
