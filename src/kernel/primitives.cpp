// Tiles of dot products and distances. Squared distances come from the Gram trick
// ‖x−y‖² = ‖x‖² + ‖y‖² − 2x·y; where that subtraction has lost its digits (nearly equal points) the
// pair is summed directly.
#include "kernel/primitives.hpp"

#include "base/linalg.hpp"
#include "base/number_limits.hpp"
#include "kernel/dot_block.hpp"
#include "kernel/elementwise.hpp"

#include <cmath>
#include <vector>

namespace mercer {
namespace {

/// Below this share of ‖x‖² + ‖y‖² the Gram trick has lost four digits (in float three).
template <class T>
constexpr T cancellation_guard = std::is_same_v<T, float> ? T(2e-3) : T(1e-4);

template <class T>
void dense_dot(const Samples<T>& x, Index i0, Index rows, const Samples<T>& y, Index j0, Index cols, T* out) {
  const auto a = x.dense(), b = y.dense();
  if (a.cols() == 0) {
    std::fill(out, out + rows * cols, T(0));
    return;
  }
  if (suits_dot_block(rows, cols, a.cols()))
    return dot_block(a.data() + i0 * a.outerStride(), a.outerStride(), rows, b.data() + j0 * b.outerStride(),
                     b.outerStride(), cols, a.cols(), out);
  // Row-major out = A Bᵀ is column-major outᵀ = B Aᵀ.
  linalg::gemm<T>(linalg::Transpose::yes, linalg::Transpose::no, cols, rows, a.cols(), 1,
                  b.data() + j0 * b.outerStride(), b.outerStride(), a.data() + i0 * a.outerStride(),
                  a.outerStride(), 0, out, cols);
}

/// Calls f(i, j, row of x spread out densely, row of y as CSR entries) for each pair of the tile.
template <class T, class F>
void for_sparse_pairs(const Samples<T>& x, Index i0, Index rows, const Samples<T>& y, Index j0, Index cols,
                      const F& f) {
  const auto a = x.sparse(), b = y.sparse();
  thread_local std::vector<T> spread;
  spread.assign(static_cast<std::size_t>(std::max(a.cols(), b.cols())), T(0));
  for (Index i = 0; i < rows; ++i) {
    const auto from = a.outerIndexPtr()[i0 + i], to = a.outerIndexPtr()[i0 + i + 1];
    for (auto p = from; p < to; ++p) spread[static_cast<std::size_t>(a.innerIndexPtr()[p])] = a.valuePtr()[p];
    for (Index j = 0; j < cols; ++j) {
      const auto begin = b.outerIndexPtr()[j0 + j], end = b.outerIndexPtr()[j0 + j + 1];
      f(i, j, spread.data(), b.innerIndexPtr() + begin, b.valuePtr() + begin, Index(end - begin));
    }
    for (auto p = from; p < to; ++p) spread[static_cast<std::size_t>(a.innerIndexPtr()[p])] = T(0);
  }
}

/// So many products of sparse rows are added up before they join the sum: the rounding of equal terms, which
/// all goes one way, grows with the longer of the two.
constexpr Index together = 64;

template <class T>
void sparse_dot(const Samples<T>& x, Index i0, Index rows, const Samples<T>& y, Index j0, Index cols,
                T* out) {
  for_sparse_pairs(
      x, i0, rows, y, j0, cols,
      [&](Index i, Index j, const T* row, const std::int64_t* columns, const T* values, Index count) {
        T sum = 0;
        for (Index begin = 0; begin < count; begin += together) {
          T part = 0;
          const Index end = std::min(count, begin + together);
          for (Index p = begin; p < end; ++p) part += row[columns[p]] * values[p];
          sum += part;
        }
        out[i * cols + j] = sum;
      });
}

template <class T>
void dot_tile(const Samples<T>& x, Index i0, Index rows, const Samples<T>& y, Index j0, Index cols, T* out) {
  if (x.is_sparse())
    sparse_dot(x, i0, rows, y, j0, cols, out);
  else
    dense_dot(x, i0, rows, y, j0, cols, out);
}

/// Calls use(x_k, y_k) for every k at which one of two CSR rows has an entry.
template <class T, class Use>
void for_either_entry(const Samples<T>& x, Index i, const Samples<T>& y, Index j, const Use& use) {
  const auto a = x.sparse(), b = y.sparse();
  auto p = a.outerIndexPtr()[i], p_end = a.outerIndexPtr()[i + 1];
  auto q = b.outerIndexPtr()[j], q_end = b.outerIndexPtr()[j + 1];
  while (p < p_end || q < q_end) {
    const std::int64_t cp = p < p_end ? a.innerIndexPtr()[p] : std::numeric_limits<std::int64_t>::max();
    const std::int64_t cq = q < q_end ? b.innerIndexPtr()[q] : std::numeric_limits<std::int64_t>::max();
    use(cp <= cq ? a.valuePtr()[p] : T(0), cq <= cp ? b.valuePtr()[q] : T(0));
    p += cp <= cq;
    q += cq <= cp;
  }
}

/// Σ_k pair(x_k, y_k) of two CSR rows, without cancellation.
template <class T, class Pair>
T sparse_pair_sum(const Samples<T>& x, Index i, const Samples<T>& y, Index j, Pair pair) {
  T sum = 0;
  for_either_entry(x, i, y, j, [&](T p, T q) { sum += pair(p, q); });
  return sum;
}

template <class T>
void sqdist_tile(const RowSet<T>& x, Index i0, Index rows, const RowSet<T>& y, Index j0, Index cols, T* out) {
  dot_tile(x.shifted, i0, rows, y.shifted, j0, cols, out);
  const T guard = cancellation_guard<T>;
  for (Index i = 0; i < rows; ++i) {
    T* row = out + i * cols;
    const T a = x.norms[i0 + i];
    if (!elementwise::sqdist_from_dot(row, cols, a, y.norms.data() + j0, guard)) continue;
    for (Index j = 0; j < cols; ++j) {
      if (row[j] >= guard * (a + y.norms[j0 + j])) continue;
      if (x.rows.is_sparse()) {
        row[j] = sparse_pair_sum(x.rows, i0 + i, y.rows, j0 + j, [](T p, T q) { return (p - q) * (p - q); });
      } else {
        const auto left = x.rows.dense(), right = y.rows.dense();
        row[j] = elementwise::sqdist(left.data() + (i0 + i) * left.outerStride(),
                                     right.data() + (j0 + j) * right.outerStride(), left.cols());
      }
    }
  }
}

/// Tiles of a sum over features that is not an inner product: Σ_k pair(x_k, y_k), where
/// pair(x, 0) = own(x) and pair(0, 0) = 0. For CSR rows Σ_k own(x_k) is corrected at y's entries; where
/// little is left, the pair is summed directly.
template <class T, class DenseSum, class Own, class Pair>
void feature_sum_tile(const RowSet<T>& x, Index i0, Index rows, const RowSet<T>& y, Index j0, Index cols,
                      T* out, DenseSum dense_sum, Own own, Pair pair) {
  if (!x.rows.is_sparse()) {
    const auto a = x.rows.dense(), b = y.rows.dense();
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < cols; ++j)
        out[i * cols + j] =
            dense_sum(a.data() + (i0 + i) * a.outerStride(), b.data() + (j0 + j) * b.outerStride(), a.cols());
    return;
  }
  const auto a = x.rows.sparse();
  std::vector<T> total(static_cast<std::size_t>(rows), T(0));
  for (Index i = 0; i < rows; ++i)
    for (auto p = a.outerIndexPtr()[i0 + i]; p < a.outerIndexPtr()[i0 + i + 1]; ++p)
      total[static_cast<std::size_t>(i)] += own(a.valuePtr()[p]);
  for_sparse_pairs(
      x.rows, i0, rows, y.rows, j0, cols,
      [&](Index i, Index j, const T* row, const std::int64_t* columns, const T* values, Index count) {
        const T whole = total[static_cast<std::size_t>(i)];
        T sum = whole;
        for (Index p = 0; p < count; ++p) sum += pair(row[columns[p]], values[p]) - own(row[columns[p]]);
        if (sum < T(0.01) * whole) sum = sparse_pair_sum(x.rows, i0 + i, y.rows, j0 + j, pair);
        out[i * cols + j] = sum;
      });
}

template <class T>
void l1_tile(const RowSet<T>& x, Index i0, Index rows, const RowSet<T>& y, Index j0, Index cols, T* out) {
  feature_sum_tile(
      x, i0, rows, y, j0, cols, out, elementwise::l1dist<T>, [](T a) { return std::abs(a); },
      [](T a, T b) { return std::abs(a - b); });
}

template <class T>
void chi2_tile(const RowSet<T>& x, Index i0, Index rows, const RowSet<T>& y, Index j0, Index cols, T* out) {
  feature_sum_tile(
      x, i0, rows, y, j0, cols, out, elementwise::chi2<T>, [](T a) { return a; },
      [](T a, T b) { return a + b > 0 ? (a - b) / (a + b) * (a - b) : T(0); });
}

template <class T>
void cosine_tile(const RowSet<T>& x, Index i0, Index rows, const RowSet<T>& y, Index j0, Index cols, T* out) {
  dot_tile(x.rows, i0, rows, y.rows, j0, cols, out);
  for (Index i = 0; i < rows; ++i) {
    const T a = x.lengths[i0 + i];
    for (Index j = 0; j < cols; ++j) {
      const T product = a * y.lengths[j0 + j];
      out[i * cols + j] = product > 0 ? out[i * cols + j] / product : T(0);
    }
  }
}

/// ‖row‖² of every row, summed in double.
template <class T>
Vector<double> squared_norms(const Samples<T>& rows) {
  Vector<double> out = Vector<double>::Zero(rows.rows());
  if (!rows.is_sparse()) {
    const auto m = rows.dense();
    for (Index i = 0; i < m.rows(); ++i) out[i] = m.row(i).template cast<double>().squaredNorm();
    return out;
  }
  const auto s = rows.sparse();
  for (Index i = 0; i < s.rows(); ++i)
    for (auto p = s.outerIndexPtr()[i]; p < s.outerIndexPtr()[i + 1]; ++p)
      out[i] += double(s.valuePtr()[p]) * double(s.valuePtr()[p]);
  return out;
}

/// ‖x‖ of each row; its squares may leave the range of numbers where it does not.
template <class T>
Vector<double> row_lengths(const Samples<T>& rows) {
  const auto length = [&](Index i) {
    if (!rows.is_sparse()) return rows.dense().row(i).template cast<double>().stableNorm();
    const auto s = rows.sparse();
    const auto begin = s.outerIndexPtr()[i], end = s.outerIndexPtr()[i + 1];
    return Eigen::Map<const Vector<T>>(s.valuePtr() + begin, Index(end - begin))
        .template cast<double>()
        .stableNorm();
  };
  Vector<double> out = squared_norms(rows);
  for (Index i = 0; i < out.size(); ++i)
    out[i] = out[i] > least_with_all_digits<double> && std::isfinite(out[i]) ? std::sqrt(out[i]) : length(i);
  return out;
}

struct MeanAndSpread {
  Vector<double> mean;
  double spread = 0;  ///< mean squared distance from it
};

template <class T>
MeanAndSpread mean_and_spread(const Samples<T>& rows) {
  const auto m = rows.dense();
  MeanAndSpread out{Vector<double>::Zero(m.cols())};
  for (Index i = 0; i < m.rows(); ++i) out.mean += m.row(i).template cast<double>().transpose();
  out.mean /= double(m.rows());
  for (Index i = 0; i < m.rows(); ++i)
    out.spread += (m.row(i).template cast<double>().transpose() - out.mean).squaredNorm();
  out.spread /= double(m.rows());
  return out;
}

}  // namespace

template <class T>
Vector<double> distance_shift(const Samples<T>& rows) {
  if (rows.is_sparse() || rows.rows() == 0) return {};  // a shift would fill in the zeros
  MeanAndSpread m = mean_and_spread(rows);
  return m.mean.squaredNorm() > 3 * m.spread ? std::move(m.mean) : Vector<double>();
}

template <class T>
double squared_offset(const Samples<T>& rows) {
  if (rows.is_sparse() || rows.rows() == 0) return 0;
  const MeanAndSpread m = mean_and_spread(rows);
  const double squared = m.mean.squaredNorm();
  return squared > 0 ? squared / m.spread : 0;
}

template <class T>
RowSet<T> make_row_set(const Samples<T>& rows, PrimitiveSet needs, const Vector<double>& shift) {
  RowSet<T> set{rows, rows, {}, {}};
  if (needs.has(Primitive::sqdist)) {
    if (shift.size() > 0)
      set.shifted =
          Matrix<T>((rows.dense().template cast<double>().rowwise() - shift.transpose()).template cast<T>());
    set.norms = squared_norms(set.shifted).template cast<T>();
  }
  if (needs.has(Primitive::cosine)) set.lengths = row_lengths(rows).template cast<T>();
  return set;
}

template <class T>
void primitive_tile(Primitive primitive, const RowSet<T>& x, Index i0, Index rows, const RowSet<T>& y,
                    Index j0, Index cols, T* out) {
  switch (primitive) {
    case Primitive::dot:
      return dot_tile(x.rows, i0, rows, y.rows, j0, cols, out);
    case Primitive::sqdist:
      return sqdist_tile(x, i0, rows, y, j0, cols, out);
    case Primitive::l1dist:
      return l1_tile(x, i0, rows, y, j0, cols, out);
    case Primitive::chi2:
      return chi2_tile(x, i0, rows, y, j0, cols, out);
    case Primitive::cosine:
      return cosine_tile(x, i0, rows, y, j0, cols, out);
  }
}

/// The primitive of a pair of rows with more digits.
template <class T>
static long double exact_value(Primitive primitive, const Samples<T>& x, Index i, const Samples<T>& y,
                               Index j) {
  long double sum = 0, of_x = 0, of_y = 0;
  const auto add = [&](long double p, long double q) {
    switch (primitive) {
      case Primitive::dot:
        sum += p * q;
        break;
      case Primitive::sqdist:
        sum += (p - q) * (p - q);
        break;
      case Primitive::l1dist:
        sum += std::abs(p - q);
        break;
      case Primitive::chi2:
        if (p + q > 0) sum += (p - q) / (p + q) * (p - q);
        break;
      case Primitive::cosine:
        sum += p * q, of_x += p * p, of_y += q * q;
        break;
    }
  };
  if (x.is_sparse()) {
    for_either_entry(x, i, y, j, add);
  } else {
    const auto a = x.dense(), b = y.dense();
    for (Index k = 0; k < a.cols(); ++k) add(a(i, k), b(j, k));
  }
  if (primitive != Primitive::cosine) return sum;
  return of_x > 0 && of_y > 0 ? sum / (std::sqrt(of_x) * std::sqrt(of_y)) : 0;
}

template <class T>
void primitive_rounding(Primitive primitive, const RowSet<T>& x, Index i0, Index rows, const RowSet<T>& y,
                        Index j0, Index cols, const T* values, T* out) {
  constexpr T epsilon = std::numeric_limits<T>::epsilon();
  const bool sparse = y.rows.is_sparse();
  const double terms = double(y.rows.stored()) / std::max(1.0, double(y.rows.rows()));
  const T root = T(std::sqrt(double(y.rows.cols())));  // ‖x‖₁ ≤ √d ‖x‖
  const auto size_of = [&](Index i, Index j) {         // of what was summed
    const T value = values[i * cols + j], a = x.lengths[i0 + i], b = y.lengths[j0 + j];
    if (primitive == Primitive::dot) return a * b;
    if (primitive == Primitive::cosine) return T(a * b > 0 ? 1 : 0);
    if (primitive == Primitive::sqdist) {
      const T whole = x.norms[i0 + i] + y.norms[j0 + j];
      return value >= cancellation_guard<T> * whole ? whole : std::abs(value);
    }
    // Sparse sums go over the corrected whole of a row, ‖x‖₁ ≥ ‖x‖, unless little of it is left.
    return sparse && value >= T(0.01) * a ? root * (a + b) : std::abs(value);
  };
  // A sum of n terms, in whatever order: √n ε as a rule, γ_n at worst, where terms are alike and every
  // addition rounds the same way (Higham 2002, sections 2.8 and 3.1). Whether they are shows in a few pairs.
  double factor = 2 + std::sqrt(terms);
  constexpr Index most_rows = 6, most_columns = 12;
  const Index by_row = std::max<Index>(1, rows / most_rows),
              by_column = std::max<Index>(1, cols / most_columns);
  for (Index i = 0; i < rows; i += by_row)
    for (Index j = 0; j < cols; j += by_column) {
      const auto size = static_cast<long double>(size_of(i, j)),
                 off =
                     std::abs(values[i * cols + j] - exact_value(primitive, x.rows, i0 + i, y.rows, j0 + j));
      const auto seen = double(off / (epsilon * size));  // of data at the ends of the range no number
      if (std::isfinite(seen)) factor = std::max(factor, 1.5 * seen);
    }
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j) out[i * cols + j] = epsilon * T(factor) * size_of(i, j);
}

#define MERCER_INSTANTIATE(T)                                                                             \
  template Vector<double> distance_shift(const Samples<T>&);                                              \
  template double squared_offset(const Samples<T>&);                                                      \
  template RowSet<T> make_row_set(const Samples<T>&, PrimitiveSet, const Vector<double>&);                \
  template void primitive_tile(Primitive, const RowSet<T>&, Index, Index, const RowSet<T>&, Index, Index, \
                               T*);                                                                       \
  template void primitive_rounding(Primitive, const RowSet<T>&, Index, Index, const RowSet<T>&, Index,    \
                                   Index, const T*, T*);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
