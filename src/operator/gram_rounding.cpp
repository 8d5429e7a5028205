// Rows that show how far rounding moves the elements of a kernel matrix.
#include "operator/gram_rounding.hpp"

#include "base/parallel.hpp"
#include "kernel/tiles.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace mercer {
namespace {

/// Rows looked at: those of the largest points, those whose row of K adds up to most, and others.
constexpr Index largest_rows = 12, fullest_rows = 12, other_rows = 20;
/// Of few points every pair is looked at: where only near points are alike, a few pairs are all that rounding
/// moves.
constexpr Index all_pairs = 512;
/// Columns of them that are looked at: fewer where the points have many features, for the memory of copies.
constexpr Index most_columns = 2048, fewest_columns = 64;
constexpr double most_entries = 2e6;

template <class T>
Vector<double> squared_lengths(const Samples<T>& samples) {
  Vector<double> out = Vector<double>::Zero(samples.rows());
  for (Index i = 0; i < samples.rows(); ++i) {
    double& sum = out[i];
    if (samples.is_sparse()) {
      const auto s = samples.sparse();
      for (auto p = s.outerIndexPtr()[i]; p < s.outerIndexPtr()[i + 1]; ++p)
        sum += double(s.valuePtr()[p]) * double(s.valuePtr()[p]);
    } else {
      sum = samples.dense().row(i).template cast<double>().squaredNorm();
    }
  }
  return out;
}

/// Puts the `count` rows of order[begin, ...) with the largest values to its front; of equal ones the first.
void bring_forward(std::vector<Index>& order, Index begin, Index count, const Vector<double>& value) {
  const auto first = order.begin() + begin;
  std::partial_sort(first, first + count, order.end(),
                    [&](Index a, Index b) { return value[a] != value[b] ? value[a] > value[b] : a < b; });
}

struct RowsToLookAt {
  std::vector<Index> rows;
  Index important = 0;  ///< so many first ones were sought out, the others are spread evenly over the rest
};

/// `row_sums`: K·1 where it is known. A few near points in a K close to the identity are found by it.
template <class T>
RowsToLookAt rows_to_look_at(const Samples<T>& samples, const Vector<double>* row_sums) {
  const Index n = samples.rows();
  RowsToLookAt out;
  std::vector<Index>& order = out.rows;
  order.resize(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index(0));
  out.important = n;
  if (n <= largest_rows + fullest_rows + other_rows) return out;
  bring_forward(order, 0, largest_rows, squared_lengths(samples));
  out.important = largest_rows;
  if (row_sums != nullptr) {
    bring_forward(order, largest_rows, fullest_rows, row_sums->cwiseAbs());
    out.important += fullest_rows;
  }
  std::sort(order.begin() + out.important, order.end());
  for (Index i = 0; i < other_rows; ++i)
    order[static_cast<std::size_t>(out.important + i)] =
        order[static_cast<std::size_t>(out.important + i * (n - out.important) / other_rows)];
  order.resize(static_cast<std::size_t>(out.important + other_rows));
  return out;
}

/// A matrix that was given is as it is; what is computed with it rounds.
template <class T>
GramRounding rounding_of_given(const Samples<T>& matrix) {
  constexpr double unit = 8 * std::numeric_limits<double>::epsilon();
  GramRounding out;
  Vector<double> norms(matrix.rows());
  for (Index i = 0; i < matrix.rows(); ++i) {
    const Matrix<T> row = matrix.dense_rows(i, 1);
    norms[i] = row.template cast<double>().stableNorm();
    out.trace += unit * std::abs(double(row(0, i)));
  }
  out.norm = unit * norms.stableNorm();
  return out;
}

/// √k(x, x)
template <class S>
Vector<double> lengths_of(const Kernel& kernel, const Samples<S>& points) {
  Vector<S> values(points.rows());
  KernelTiles<S>(kernel, points).diagonal(0, points.rows(), values.data());
  return values.template cast<double>().cwiseAbs().cwiseSqrt();
}

}  // namespace

template <class S, class T>
GramRounding gram_rounding(const Kernel& kernel, const Samples<T>& samples, const Vector<double>* row_sums) {
  GramRounding out;
  const Index n = samples.rows();
  if (n == 0) return out;
  if (kernel.is_precomputed()) return rounding_of_given(samples);
  const ThreadScope alone(Run{.threads = 1});  // BLAS on more threads gives other bits
  const double entries = double(samples.stored()) / double(n);
  const Index most =
      std::clamp(static_cast<Index>(most_entries / std::max(1.0, entries)), fewest_columns, most_columns);
  const bool some = n > most, all = n <= all_pairs && !some;
  RowsToLookAt looked_at;
  if (all) {
    looked_at.important = n;
  } else {
    looked_at = rows_to_look_at(samples, row_sums);
  }
  const std::vector<Index>& rows = looked_at.rows;
  // Columns of the important points too: what they do to each other may be most of it.
  const Index forced = some ? std::min(looked_at.important, static_cast<Index>(rows.size())) : 0,
              spread = some ? most : n;
  std::vector<Index> columns(rows.begin(), rows.begin() + forced);
  for (Index j = 0; j < spread; ++j) columns.push_back(j * n / spread);
  Vector<double> of_columns = Vector<double>::Constant(forced + spread, double(n) / double(spread));
  of_columns.head(forced).setOnes();
  const Samples<S> left = (all ? samples : samples.select_rows(rows)).template cast<S>(),
                   right = (some ? samples.select_rows(columns) : samples).template cast<S>();
  const Matrix<double> moved = value_rounding(kernel, left, right);
  const Vector<double> own = (all ? moved : value_rounding(kernel, left, left)).diagonal(),
                       left_lengths = lengths_of(kernel, left), right_lengths = lengths_of(kernel, right);
  const Index count = left.rows(), important = looked_at.important;
  // An important row counts twice: it is a column, too.
  const double of_important = count < n ? 2 : 1,
               of_others = double(n - important) / double(std::max<Index>(1, count - important));
  double largest = moved.size() > 0 ? moved.maxCoeff() : 0, squares = 0;
  if (!(largest > 0)) largest = 1;  // squares are of what is at most 1
  for (Index r = 0; r < count; ++r) {
    const double weight = r < important ? of_important : of_others;
    squares += weight * (moved.row(r).transpose() / largest).cwiseAbs2().dot(of_columns);
    out.trace += (r < important ? 1 : of_others) * own[r];
    for (Index j = 0; j < moved.cols(); ++j)
      if (const double size = left_lengths[r] * right_lengths[j]; size > 0)
        out.relative = std::max(out.relative, moved(r, j) / size);
  }
  out.norm = largest * std::sqrt(squares);
  return out;
}

#define MERCER_INSTANTIATE(S, T) \
  template GramRounding gram_rounding<S>(const Kernel&, const Samples<T>&, const Vector<double>*);
MERCER_INSTANTIATE(float, float)
MERCER_INSTANTIATE(double, float)
MERCER_INSTANTIATE(double, double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
