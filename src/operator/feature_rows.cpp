// Products with Φ̃, a block of its rows at a time. Parts are cut by sizes alone, never by threads.
#include "operator/feature_rows.hpp"

#include "base/linalg.hpp"
#include "base/parallel.hpp"

#include <algorithm>

namespace mercer {
namespace {

using linalg::Transpose;

constexpr double block_size = 32e6;  ///< bytes of Φ held at a time
constexpr Index feature_part = 64, strip = 512;

Index parts(Index count, Index size) { return (count + size - 1) / size; }

}  // namespace

template <class T>
Index FeatureRows<T>::block_rows(Index n, double m) {
  const double fit = block_size / (8 * std::max(1.0, m));
  return std::clamp<Index>(static_cast<Index>(std::min(fit, double(feature_rows))), 1, std::max<Index>(1, n));
}

template <class T>
void FeatureRows<T>::evaluate(const Vector<double>& mean, Index first, Index count, double* out,
                              const Run& run) const {
  if (shift_)
    map_.evaluate_shifted(*shift_, points_.middle_rows(first, count), out, run, first);
  else
    map_.evaluate(points_.middle_rows(first, count), out, run, first);
  if (mean.size() == 0) return;
  const Index m = features();
  parallel_for(parts(count, feature_part), run, [&](Index part) {
    for (Index i = part * feature_part; i < std::min(count, (part + 1) * feature_part); ++i)
      Eigen::Map<Vector<double>>(out + i * m, m) -= mean;
  });
}

template <class T>
template <class Visit>
void FeatureRows<T>::for_each_block(const Vector<double>& mean, const Run& run, const Visit& visit) const {
  const Index height = block_rows(rows(), double(features()));
  std::vector<double> phi(static_cast<std::size_t>(height * features()));
  for (Index first = 0; first < rows(); first += height) {
    run.check();
    const Index count = std::min(height, rows() - first);
    evaluate(mean, first, count, phi.data(), run);
    visit(first, count, phi.data());
  }
}

template <class T>
Vector<double> FeatureRows<T>::mean(const Run& run) const {
  Vector<double> shift, sum = Vector<double>::Zero(features());
  for_each_block({}, run, [&](Index first, Index count, const double* phi) {
    if (first == 0) shift = mean_of(phi, count, features());  // near the mean: what is added up is small
    for (Index i = 0; i < count; ++i)
      sum += Eigen::Map<const Vector<double>>(phi + i * features(), features()) - shift;
  });
  return shift + sum / double(rows());
}

template <class T>
Vector<double> FeatureRows<T>::sizes(const Run& run) const {
  Vector<double> sum = Vector<double>::Zero(features());
  for_each_block({}, run, [&](Index, Index count, const double* phi) {
    sum += Eigen::Map<const Matrix<double>>(phi, count, features()).colwise().squaredNorm().transpose();
  });
  return (sum / double(rows())).cwiseSqrt();
}

template <class T>
FeatureMoments FeatureRows<T>::moments(bool center, const Run& run) const {
  std::optional<MomentSum<double>> sum;
  for_each_block({}, run, [&](Index first, Index count, double* phi) {
    if (first == 0) sum.emplace(center, mean_of(phi, count, features()));
    sum->add(phi, count, run);
    run.report("features", double(first + count) / double(rows()));
  });
  return sum->result();
}

template <class T>
double FeatureRows<T>::total(const Vector<double>& mean, const Run& run) const {
  double sum = 0;
  for_each_block(mean, run, [&](Index, Index count, const double* phi) {
    sum += Eigen::Map<const Matrix<double>>(phi, count, features()).squaredNorm();
  });
  return sum;
}

template <class T>
Block<double> FeatureRows<T>::times(const Vector<double>& mean, const BlockView<double>& v,
                                    const Run& run) const {
  const Index m = features(), n = rows(), b = v.cols();
  Block<double> out(n, b);
  if (b == 0) return out;
  for_each_block(mean, run, [&](Index first, Index count, const double* phi) {
    parallel_for(parts(count, feature_part), run, [&](Index part) {
      const Index i = part * feature_part, size = std::min(feature_part, count - i);
      linalg::gemm<double>(Transpose::yes, Transpose::no, size, b, m, 1, phi + i * m, m, v.data(),
                           v.outerStride(), 0, out.data() + first + i, n);
    });
  });
  return out;
}

template <class T>
Block<double> FeatureRows<T>::transposed_times(const Vector<double>& mean, const BlockView<double>& w,
                                               const Run& run) const {
  const Index m = features(), b = w.cols();
  Block<double> out = Block<double>::Zero(m, b);
  if (b == 0) return out;
  for_each_block(mean, run, [&](Index first, Index count, const double* phi) {
    parallel_for(parts(m, strip), run, [&](Index part) {
      const Index j = part * strip, size = std::min(strip, m - j);
      linalg::gemm<double>(Transpose::no, Transpose::no, size, b, count, 1, phi + j, m, w.data() + first,
                           w.outerStride(), 1, out.data() + j, m);
    });
  });
  return out;
}

template <class T>
Block<double> FeatureRows<T>::triangle(const Vector<double>& mean, const Run& run) const {
  const Index m = features(), rows_a_part = std::max<Index>(512, 4 * m);
  Block<double> out = Block<double>::Zero(m, m);
  for_each_block(mean, run, [&](Index first, Index count, const double* phi) {
    const Index cuts = parts(count, rows_a_part);
    Block<double> stacked((cuts + 1) * m, m);  // what each part leaves, under what there was
    stacked.topRows(m) = out;
    parallel_for(cuts, run, [&](Index cut) {
      const Index i = cut * rows_a_part, size = std::min(rows_a_part, count - i);
      Block<double> part = Block<double>::Zero(std::max(size, m), m);
      part.topRows(size) = Eigen::Map<const Matrix<double>>(phi + i * m, size, m);
      stacked.middleRows((cut + 1) * m, m) = linalg::qr_triangle<double>(part);
    });
    out = linalg::qr_triangle<double>(stacked);
    run.report("features", double(first + count) / double(rows()));
  });
  return out;
}

template <class T>
Block<double> FeatureRows<T>::gram(const Vector<double>& mean, const Run& run) const {
  const Index n = rows(), m = features(), height = block_rows(n, double(m));
  Block<double> out(n, n);
  std::vector<double> other(static_cast<std::size_t>(height < n ? height * m : 0));
  for_each_block(mean, run, [&](Index first, Index count, const double* phi) {
    for (Index j0 = 0; j0 <= first; j0 += height) {
      const double* right = phi;
      if (j0 < first) {  // Φ as a whole does not fit: blocks of rows are evaluated again for each other
        evaluate(mean, j0, height, other.data(), run);
        right = other.data();
      }
      const Index cols = j0 < first ? height : count;
      parallel_for(parts(count, feature_part), run, [&](Index part) {
        const Index i = part * feature_part, size = std::min(feature_part, count - i);
        linalg::gemm<double>(Transpose::yes, Transpose::no, size, cols, m, 1, phi + i * m, m, right, m, 0,
                             out.data() + first + i + j0 * n, n);
      });
    }
    run.report("features", double(first + count) / double(n));
  });
  out.triangularView<Eigen::StrictlyUpper>() = out.transpose();
  return out;
}

template <class T>
FeatureRowsOperator<T>::FeatureRowsOperator(const FeatureRows<T>& rows, Vector<double> mean, Side side,
                                            const Run& run)
    : SymmetricOperator<double>(side == Side::features ? rows.features() : rows.rows()),
      rows_(rows),
      mean_(std::move(mean)),
      side_(side),
      trace_(rows.total(mean_, run)) {}

template <class T>
void FeatureRowsOperator<T>::do_apply(const BlockView<double>& v, BlockRef<double> y, const Run& run) const {
  y = side_ == Side::features ? rows_.transposed_times(mean_, rows_.times(mean_, v, run), run)
                              : rows_.times(mean_, rows_.transposed_times(mean_, v, run), run);
}

template class FeatureRows<float>;
template class FeatureRows<double>;
template class FeatureRowsOperator<float>;
template class FeatureRowsOperator<double>;

}  // namespace mercer
