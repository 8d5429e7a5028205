// Linear PCA's matrices, implicit and explicit.
#include "operator/scatter_operator.hpp"

#include "base/linalg.hpp"
#include "base/parallel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace mercer {
namespace {

/// Rows (or columns) centred at a time when a matrix is written out.
constexpr Index chunk = 512;

/// Sums, side by side, of however many terms: what each addition rounds away is added to the next (Kahan), so
/// that they are off by 2ε Σ|terms|.
class LongSums {
 public:
  LongSums(Index rows, Index columns) : sums_(Matrix<double>::Zero(rows, columns)), lost_(sums_) {}

  /// Row i of the sums += factor · values
  void add(Index i, double factor, const double* values) {
    double *sum = sums_.data() + i * sums_.cols(), *lost = lost_.data() + i * lost_.cols();
    for (Index c = 0; c < sums_.cols(); ++c) {
      const double term = factor * values[c] - lost[c], next = sum[c] + term;
      lost[c] = (next - sum[c]) - term;
      sum[c] = next;
    }
  }
  void restart(const Vector<double>& from) {  // its only row
    sums_.row(0) = from;
    lost_.setZero();
  }
  [[nodiscard]] const Matrix<double>& sums() const { return sums_; }

 private:
  Matrix<double> sums_, lost_;
};

/// (X − 1μᵀ)v of CSR rows.
template <class T>
Block<T> sparse_times(const Samples<T>& x, const Vector<double>& mean, const BlockView<T>& v) {
  const auto s = x.sparse();
  const Matrix<double> rows = v.template cast<double>();
  LongSums middle(1, v.cols());  // −μᵀv
  for (Index j = 0; j < s.cols(); ++j) middle.add(0, -mean[j], rows.data() + j * rows.cols());
  Block<T> w(s.rows(), v.cols());
  parallel_for((s.rows() + chunk - 1) / chunk, {}, [&](Index part) {
    LongSums own(1, v.cols());
    for (Index i = part * chunk; i < std::min(s.rows(), (part + 1) * chunk); ++i) {
      own.restart(middle.sums().row(0));
      for (auto p = s.outerIndexPtr()[i]; p < s.outerIndexPtr()[i + 1]; ++p)
        own.add(0, double(s.valuePtr()[p]), rows.data() + s.innerIndexPtr()[p] * rows.cols());
      w.row(i) = own.sums().row(0).template cast<T>();
    }
  });
  return w;
}

/// (X − 1μᵀ)ᵀw of CSR rows.
template <class T>
Block<T> sparse_transposed_times(const Samples<T>& x, const Vector<double>& mean, const BlockView<T>& w) {
  const auto s = x.sparse();
  const Matrix<double> rows = w.template cast<double>();
  LongSums sums(s.cols(), w.cols()), whole(1, w.cols());
  for (Index i = 0; i < s.rows(); ++i) {
    const double* row = rows.data() + i * rows.cols();
    whole.add(0, 1, row);
    for (auto p = s.outerIndexPtr()[i]; p < s.outerIndexPtr()[i + 1]; ++p)
      sums.add(s.innerIndexPtr()[p], double(s.valuePtr()[p]), row);
  }
  return (sums.sums() - mean * whole.sums()).template cast<T>();
}

}  // namespace

template <class T>
Vector<double> column_means(const Samples<T>& x) {
  Vector<double> mean = Vector<double>::Zero(x.cols());
  if (x.rows() == 0) return mean;
  if (x.is_sparse()) {
    const auto s = x.sparse();
    constexpr double one = 1;
    LongSums sums(x.cols(), 1);
    for (auto p = s.outerIndexPtr()[0]; p < s.outerIndexPtr()[s.rows()]; ++p)
      sums.add(s.innerIndexPtr()[p], double(s.valuePtr()[p]), &one);
    return sums.sums().col(0) / double(x.rows());
  }
  const auto m = x.dense();
  for (Index i = 0; i < m.rows(); ++i) mean += m.row(i).template cast<double>().transpose();
  mean /= double(x.rows());
  Vector<double> correction = Vector<double>::Zero(x.cols());  // takes back the rounding of the long sum
  for (Index i = 0; i < m.rows(); ++i) correction += m.row(i).template cast<double>().transpose() - mean;
  return mean + correction / double(x.rows());
}

template <class T>
double total_scatter(const Samples<T>& x, const Vector<double>& mean) {
  // Short sums, added up with more digits: in a long one equal terms would all round the same way.
  constexpr Index columns_together = 256;
  long double total = 0;
  if (!x.is_sparse()) {
    const auto m = x.dense();
    for (Index i = 0; i < m.rows(); ++i)
      for (Index j = 0; j < m.cols(); j += columns_together) {
        const Index count = std::min(columns_together, m.cols() - j);
        total += (m.row(i).segment(j, count).template cast<double>().transpose() - mean.segment(j, count))
                     .squaredNorm();
      }
    return double(total);
  }
  // Entries that are stored, and zeros that are not: nothing is subtracted, so no digit is lost.
  const auto s = x.sparse();
  Vector<double> stored = Vector<double>::Zero(s.cols());
  for (auto p = s.outerIndexPtr()[0]; p < s.outerIndexPtr()[s.rows()]; ++p) {
    const Index column = s.innerIndexPtr()[p];
    const double value = double(s.valuePtr()[p]) - mean[column];
    total += value * value;
    stored[column] += 1;
  }
  for (Index j = 0; j < s.cols(); ++j) total += (double(s.rows()) - stored[j]) * mean[j] * mean[j];
  return double(total);
}

template <class T>
double scatter_about_the_mean(const Samples<T>& x, const Vector<double>& mean) {
  // Σ(x_i − μ), 0 but for the rounding of μ: of sparse rows it is small, since what could move was moved.
  Vector<double> off = Vector<double>::Zero(x.cols());
  if (!x.is_sparse()) {
    const auto m = x.dense();
    for (Index i = 0; i < m.rows(); ++i) off += m.row(i).template cast<double>().transpose() - mean;
  }
  return std::max(0.0, total_scatter(x, mean) - off.squaredNorm() / double(std::max<Index>(1, x.rows())));
}

double rounding_of_sums(double n) { return rounding_of_long_sums(std::min(n, 512 + n / 512)); }

double rounding_of_long_sums(double n) { return (16 + n / 2) * std::numeric_limits<double>::epsilon(); }

/// Rows [i, i + count) minus the mean, subtracted in double: the digits of data far from the origin stay.
template <class T>
static Matrix<T> centered_rows(const Samples<T>& x, const Vector<double>& mean, Index i, Index count) {
  return (x.dense().middleRows(i, count).template cast<double>().rowwise() - mean.transpose())
      .template cast<T>();
}

template <class T>
Block<T> centered_times(const Samples<T>& x, const Vector<double>& mean, const BlockView<T>& v) {
  if (x.is_sparse()) return sparse_times(x, mean, v);
  Block<T> w(x.rows(), v.cols());
  if (v.cols() == 0) return w;
  const Index chunks = (x.rows() + chunk - 1) / chunk;
  parallel_for(chunks, {}, [&](Index part) {
    const Index i = part * chunk, count = std::min(chunk, x.rows() - i);
    const Matrix<T> rows = centered_rows(x, mean, i, count);  // row-major: column-major of the transpose
    linalg::gemm<T>(linalg::Transpose::yes, linalg::Transpose::no, count, v.cols(), x.cols(), 1, rows.data(),
                    x.cols(), v.data(), v.outerStride(), 0, w.data() + i, w.outerStride());
  });
  return w;
}

template <class T>
Block<T> centered_transposed_times(const Samples<T>& x, const Vector<double>& mean, const BlockView<T>& w) {
  if (x.is_sparse()) return sparse_transposed_times(x, mean, w);
  // Strips of chunks with sums of their own, added in order: the same for any number of threads.
  const Index chunks = (x.rows() + chunk - 1) / chunk, strips = std::clamp<Index>(chunks, 1, 16);
  std::vector<Block<T>> sums(static_cast<std::size_t>(strips), Block<T>::Zero(x.cols(), w.cols()));
  if (w.cols() == 0) return sums[0];
  parallel_for(strips, {}, [&](Index strip) {
    for (Index part = chunks * strip / strips; part < chunks * (strip + 1) / strips; ++part) {
      const Index i = part * chunk, count = std::min(chunk, x.rows() - i);
      const Matrix<T> rows = centered_rows(x, mean, i, count);
      Block<T>& sum = sums[static_cast<std::size_t>(strip)];
      linalg::gemm<T>(linalg::Transpose::no, linalg::Transpose::no, x.cols(), w.cols(), count, 1, rows.data(),
                      x.cols(), w.data() + i, w.outerStride(), 1, sum.data(), sum.outerStride());
    }
  });
  for (std::size_t i = 1; i < sums.size(); ++i) sums[0] += sums[i];
  return std::move(sums[0]);
}

template <class T>
ScatterOperator<T>::ScatterOperator(const Samples<T>& samples, Vector<double> mean, Side side)
    : SymmetricOperator<T>(side == Side::features ? samples.cols() : samples.rows()),
      samples_(samples),
      mean_(std::move(mean)),
      side_(side),
      trace_(total_scatter(samples, mean_)) {}

template <class T>
void ScatterOperator<T>::do_apply(const BlockView<T>& v, BlockRef<T> y, const Run&) const {
  if (side_ == Side::features) {
    y = centered_transposed_times<T>(samples_, mean_, centered_times<T>(samples_, mean_, v));
  } else {
    y = centered_times<T>(samples_, mean_, centered_transposed_times<T>(samples_, mean_, v));
  }
}

template <class T>
Block<double> scatter_matrix(const Samples<T>& x, const Vector<double>& mean, Side side, const Run& run) {
  const Index n = x.rows(), d = x.cols(), size = side == Side::features ? d : n;
  Block<double> out = Block<double>::Zero(size, size);
  if (side == Side::features) {
    for (Index i = 0; i < n; i += chunk) {  // X̃ᵀX̃ = Σ over chunks of rows
      run.check();
      const Matrix<double> part =
          x.dense_rows(i, std::min(chunk, n - i)).template cast<double>().rowwise() - mean.transpose();
      linalg::syrk<double>(linalg::Transpose::no, d, part.rows(), 1, part.data(), std::max<Index>(1, d), 1,
                           out.data(), std::max<Index>(1, d));
    }
  } else if (x.is_sparse()) {
    const SparseMatrix<double> s = x.template cast<double>().sparse();
    const Vector<double> xm = s * mean;
    out = Block<double>(SparseMatrix<double>(s * s.transpose()));
    out.colwise() -= xm;
    out.rowwise() -= xm.transpose();
    out.array() += mean.squaredNorm();
  } else {
    const auto m = x.dense();
    for (Index j = 0; j < d; j += chunk) {  // X̃X̃ᵀ = Σ over chunks of columns
      run.check();
      const Index cols = std::min(chunk, d - j);
      const Block<double> part =
          m.middleCols(j, cols).template cast<double>().rowwise() - mean.segment(j, cols).transpose();
      linalg::syrk<double>(linalg::Transpose::no, n, cols, 1, part.data(), std::max<Index>(1, n), 1,
                           out.data(), std::max<Index>(1, n));
    }
  }
  out.template triangularView<Eigen::StrictlyUpper>() = out.transpose();
  return out;
}

#define MERCER_INSTANTIATE(T)                                                                      \
  template class ScatterOperator<T>;                                                               \
  template Vector<double> column_means(const Samples<T>&);                                         \
  template double total_scatter(const Samples<T>&, const Vector<double>&);                         \
  template double scatter_about_the_mean(const Samples<T>&, const Vector<double>&);                \
  template Block<T> centered_times(const Samples<T>&, const Vector<double>&, const BlockView<T>&); \
  template Block<T> centered_transposed_times(const Samples<T>&, const Vector<double>&,            \
                                              const BlockView<T>&);                                \
  template Block<double> scatter_matrix(const Samples<T>&, const Vector<double>&, Side, const Run&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
