// Perplexities by Newton's method inside a bracket, and P made symmetric.
#include "manifold/tsne_affinities.hpp"

#include "base/at.hpp"
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
constexpr int most_bisections = 200;

/// p_{j|i} by rows, or by columns: who has j among its neighbours; ascending.
template <class T>
struct Conditional {
  std::vector<Index> begin;
  std::vector<std::int32_t> index;
  std::vector<T> p;
};

template <class T>
Conditional<T> conditional_affinities(const NeighborLists& lists, double perplexity, const Run& run) {
  Conditional<T> out{lists.begin, std::vector<std::int32_t>(lists.index.size()),
                     std::vector<T>(lists.index.size())};
  for_chunks(lists.size(), rows_at_once, run, [&](Index first, Index last) {
    std::vector<double> squared, p;
    std::vector<std::size_t> order;
    for (Index i = first; i < last; ++i) {
      const auto neighbors = lists.neighbors(i);
      const auto distances = lists.distances(i);
      squared.resize(distances.size());
      p.resize(distances.size());
      order.resize(distances.size());
      std::transform(distances.begin(), distances.end(), squared.begin(), [](double d) { return d * d; });
      calibrate(squared, perplexity, p);
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::sort(order.begin(), order.end(),
                [&](std::size_t a, std::size_t b) { return neighbors[a] < neighbors[b]; });
      for (std::size_t e = 0; e < order.size(); ++e) {
        out.index[at(out.begin[at(i)]) + e] = neighbors[order[e]];
        out.p[at(out.begin[at(i)]) + e] = T(p[order[e]]);
      }
    }
  });
  return out;
}

template <class T>
Conditional<T> transposed(const Conditional<T>& rows) {
  const Index n = static_cast<Index>(rows.begin.size()) - 1;
  Conditional<T> out{std::vector<Index>(at(n + 1), 0), std::vector<std::int32_t>(rows.index.size()),
                     std::vector<T>(rows.p.size())};
  for (const std::int32_t j : rows.index) ++out.begin[at(j) + 1];
  std::partial_sum(out.begin.begin(), out.begin.end(), out.begin.begin());
  std::vector<Index> next(out.begin.begin(), out.begin.end() - 1);
  for (Index i = 0; i < n; ++i)
    for (Index e = rows.begin[at(i)]; e < rows.begin[at(i + 1)]; ++e) {
      const Index slot = next[at(rows.index[at(e)])]++;
      out.index[at(slot)] = static_cast<std::int32_t>(i);
      out.p[at(slot)] = rows.p[at(e)];
    }
  return out;
}

/// visit(j, p_{j|i} + p_{i|j}) over row i of both, j ascending.
template <class T, class Visit>
void merge_row(const Conditional<T>& rows, const Conditional<T>& columns, Index i, Visit&& visit) {
  Index a = rows.begin[at(i)], b = columns.begin[at(i)];
  const Index a_end = rows.begin[at(i + 1)], b_end = columns.begin[at(i + 1)];
  constexpr auto none = std::numeric_limits<std::int32_t>::max();
  while (a < a_end || b < b_end) {
    const std::int32_t ja = a < a_end ? rows.index[at(a)] : none;
    const std::int32_t jb = b < b_end ? columns.index[at(b)] : none;
    const std::int32_t j = std::min(ja, jb);
    T sum = 0;
    if (ja == j) sum += rows.p[at(a++)];
    if (jb == j) sum += columns.p[at(b++)];
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
  for (int step = 0; step < most_bisections; ++step) {
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
  const Conditional<T> rows = conditional_affinities<T>(lists, perplexity, run), columns = transposed(rows);
  SparseAffinities<T> out;
  out.begin.assign(at(n + 1), 0);
  for_chunks(n, rows_at_once, run, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i)
      merge_row(rows, columns, i, [&](std::int32_t, T) { ++out.begin[at(i + 1)]; });
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
      merge_row(rows, columns, i, [&](std::int32_t j, T sum) {
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
Index SparseAffinities<T>::pieces() const {
  std::vector<bool> seen(at(points()), false);
  std::vector<std::int32_t> open;
  Index count = 0;
  for (Index start = 0; start < points(); ++start) {
    if (seen[at(start)]) continue;
    ++count;
    seen[at(start)] = true;
    open.assign(1, static_cast<std::int32_t>(start));
    while (!open.empty()) {
      const Index i = open.back();
      open.pop_back();
      for (Index e = begin[at(i)]; e < begin[at(i + 1)]; ++e)
        if (const std::int32_t j = index[at(e)]; !seen[at(j)]) {
          seen[at(j)] = true;
          open.push_back(j);
        }
    }
  }
  return count;
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
  template Index SparseAffinities<T>::pieces() const;                                          \
  template SparseAffinities<T> sparse_affinities<T>(const NeighborLists&, double, const Run&); \
  template Matrix<T> dense_affinities(const Samples<T>&, double, const Run&);                  \
  template double negative_entropy(const T*, Index, const Run&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
