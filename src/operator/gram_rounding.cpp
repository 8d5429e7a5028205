// Rows that show how far rounding moves the elements of a kernel matrix.
#include "operator/gram_rounding.hpp"

#include "kernel/tiles.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace mercer {
namespace {

/// Rows looked at, and how many of them are those of the largest points.
constexpr Index most_rows = 48, largest_rows = 16;
/// Columns of them that are looked at.
constexpr Index most_columns = 16384;

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
  std::partial_sort(order.begin(), order.begin() + largest_rows, order.end(), [&](Index a, Index b) {
    const double x = size[static_cast<std::size_t>(a)], y = size[static_cast<std::size_t>(b)];
    return x != y ? x > y : a < b;
  });
  std::sort(order.begin() + largest_rows, order.end());
  constexpr Index others = most_rows - largest_rows;
  for (Index i = 0; i < others; ++i)
    order[static_cast<std::size_t>(largest_rows + i)] =
        order[static_cast<std::size_t>(largest_rows + i * (n - largest_rows) / others)];
  order.resize(most_rows);
  return order;
}

/// |δk_ii| of these rows.
template <class T>
Vector<double> own_rounding(const Kernel& kernel, const Samples<T>& rows) {
  return kernel.is_precomputed() ? Vector<double>()
                                 : Vector<double>(value_rounding(kernel, rows, rows).diagonal());
}

}  // namespace

template <class T>
GramRounding gram_rounding(const Kernel& kernel, const Samples<T>& samples) {
  GramRounding out;
  const Index n = samples.rows();
  if (n == 0) return out;
  const std::vector<Index> rows = rows_to_look_at(samples);
  const bool some = n > most_columns && !kernel.is_precomputed();
  std::vector<Index> columns(static_cast<std::size_t>(some ? most_columns : n));
  for (std::size_t j = 0; j < columns.size(); ++j)
    columns[j] = static_cast<Index>(j) * n / static_cast<Index>(columns.size());
  const Samples<T> left = samples.select_rows(rows);
  const Matrix<double> moved = value_rounding(kernel, left, some ? samples.select_rows(columns) : samples);
  Vector<double> diagonal(n);
  if (kernel.is_precomputed()) {
    for (Index i = 0; i < n; ++i) diagonal[i] = double(samples.dense_rows(i, 1)(0, i));
  } else {
    Vector<T> values(n);
    KernelTiles<T>(kernel, samples).diagonal(0, n, values.data());
    diagonal = values.template cast<double>();
  }
  const Vector<double> lengths = diagonal.cwiseAbs().cwiseSqrt();
  const auto count = static_cast<Index>(rows.size());
  const Index large = count < n ? largest_rows : count;
  // A large row counts twice: it is a column, too.
  const double of_large = count < n ? 2 : 1,
               of_others = double(n - large) / double(std::max<Index>(1, count - large));
  const double of_columns = double(n) / double(columns.size());
  const Vector<double> own = own_rounding(kernel, left);
  double squares = 0;
  for (Index r = 0; r < count; ++r) {
    const Index i = rows[static_cast<std::size_t>(r)];
    const double weight = r < large ? of_large : of_others;
    squares += weight * of_columns * moved.row(r).squaredNorm();
    out.trace += (r < large ? 1 : of_others) * (kernel.is_precomputed() ? moved(r, i) : own[r]);
    for (std::size_t j = 0; j < columns.size(); ++j)
      if (const double size = lengths[i] * lengths[columns[j]]; size > 0)
        out.relative = std::max(out.relative, moved(r, static_cast<Index>(j)) / size);
  }
  out.norm = std::sqrt(squares);
  return out;
}

template GramRounding gram_rounding(const Kernel&, const Samples<float>&);
template GramRounding gram_rounding(const Kernel&, const Samples<double>&);

}  // namespace mercer
