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

/// Rows looked at, and how many of them are those of the largest points.
constexpr Index most_rows = 32, largest_rows = 12;
/// Of few points every pair is looked at: where only near points are alike, a few pairs are all that rounding
/// moves.
constexpr Index all_pairs = 128;
/// Columns of them that are looked at: fewer where the points have many features, for the memory of copies.
constexpr Index most_columns = 2048, fewest_columns = 64;
constexpr double most_entries = 2e6;

template <class T>
std::vector<double> squared_lengths(const Samples<T>& samples) {
  std::vector<double> out(static_cast<std::size_t>(samples.rows()), 0.0);
  for (Index i = 0; i < samples.rows(); ++i) {
    double& sum = out[static_cast<std::size_t>(i)];
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

/// The largest first, then rows spread evenly over the rest.
template <class T>
std::vector<Index> rows_to_look_at(const Samples<T>& samples) {
  const Index n = samples.rows();
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index(0));
  if (n <= most_rows) return order;
  const std::vector<double> size = squared_lengths(samples);
  const auto end = order.begin() + largest_rows;
  std::partial_sort(order.begin(), end, order.end(), [&](Index a, Index b) {
    const double x = size[static_cast<std::size_t>(a)], y = size[static_cast<std::size_t>(b)];
    return x != y ? x > y : a < b;
  });
  std::vector<Index> out(order.begin(), end);
  std::sort(order.begin(), end);
  constexpr Index others = most_rows - largest_rows;
  for (Index i = 0; i < others; ++i) {
    Index row = i * (n - largest_rows) / others;  // counted without the largest
    for (auto large = order.begin(); large != end; ++large) row += *large <= row;
    out.push_back(row);
  }
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
GramRounding gram_rounding(const Kernel& kernel, const Samples<T>& samples) {
  GramRounding out;
  const Index n = samples.rows();
  if (n == 0) return out;
  if (kernel.is_precomputed()) return rounding_of_given(samples);
  const ThreadScope alone(Run{.threads = 1});  // BLAS on more threads gives other bits
  const double entries = double(samples.stored()) / double(n);
  const Index most =
      std::clamp(static_cast<Index>(most_entries / std::max(1.0, entries)), fewest_columns, most_columns);
  const bool some = n > most, all = n <= all_pairs && !some;
  std::vector<Index> rows;
  if (all) {
    rows.resize(static_cast<std::size_t>(n));
    std::iota(rows.begin(), rows.end(), Index(0));
  } else {
    rows = rows_to_look_at(samples);
  }
  // Columns of the largest points too: what they do to each other may be most of it.
  const Index forced = some ? std::min(largest_rows, static_cast<Index>(rows.size())) : 0,
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
  const auto count = static_cast<Index>(rows.size());
  const Index large = count < n ? largest_rows : count;
  // A large row counts twice: it is a column, too.
  const double of_large = count < n ? 2 : 1,
               of_others = double(n - large) / double(std::max<Index>(1, count - large));
  double largest = moved.size() > 0 ? moved.maxCoeff() : 0, squares = 0;
  if (!(largest > 0)) largest = 1;  // squares are of what is at most 1
  for (Index r = 0; r < count; ++r) {
    const double weight = r < large ? of_large : of_others;
    squares += weight * (moved.row(r).transpose() / largest).cwiseAbs2().dot(of_columns);
    out.trace += (r < large ? 1 : of_others) * own[r];
    for (Index j = 0; j < moved.cols(); ++j)
      if (const double size = left_lengths[r] * right_lengths[j]; size > 0)
        out.relative = std::max(out.relative, moved(r, j) / size);
  }
  out.norm = largest * std::sqrt(squares);
  return out;
}

template GramRounding gram_rounding<float>(const Kernel&, const Samples<float>&);
template GramRounding gram_rounding<double>(const Kernel&, const Samples<float>&);
template GramRounding gram_rounding<double>(const Kernel&, const Samples<double>&);

}  // namespace mercer
