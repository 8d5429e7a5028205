// Principal axes of some of the points, and what points look like along them.
#include "graph/shadow.hpp"

#include "base/linalg.hpp"
#include "base/parallel.hpp"
#include "base/thread_scratch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

namespace mercer {
namespace {

/// A row less the mean, in double.
template <class T>
void centre(const Samples<T>& rows, Index i, const Vector<double>& mean, double* to) {
  const auto x = rows.dense();
  const T* const from = x.data() + i * x.outerStride();
  for (Index c = 0; c < x.cols(); ++c) to[c] = double(from[c]) - mean[c];
}

/// Eigenvectors of the smaller of RᵀR and RRᵀ; the columns of r are points.
Block<double> leading_axes(const Block<double>& r, Index most) {
  const Index d = r.rows(), some = r.cols(), size = std::min(d, some), count = std::min(most, size);
  const bool by_features = d <= some;
  Block<double> gram = Block<double>::Zero(size, size), vectors;  // its upper half is not written to
  linalg::syrk<double>(by_features ? linalg::Transpose::no : linalg::Transpose::yes, size,
                       by_features ? some : d, 1, r.data(), d, 0, gram.data(), size);
  Vector<double> values;
  linalg::syevr(gram, size - count, size - 1, values, vectors);
  vectors = vectors.rowwise().reverse().eval();  // the largest first
  if (by_features) return vectors;
  Block<double> axes = r * vectors;
  (void)linalg::qr<double>(axes);
  return axes;
}

/// Puts the points named in order.
template <class Places>
void cut(const Places& places, Index part, std::span<Index> points) {
  const auto count = static_cast<Index>(points.size());
  if (count <= part) return;
  Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(places.cols()), squares = sum;
  const Index step = std::max<Index>(1, count / 4096);  // some of them show where they are spread
  Index seen = 0;
  for (Index i = 0; i < count; i += step, ++seen) {
    const auto place = places.row(points[static_cast<std::size_t>(i)]).template cast<double>();
    sum += place;
    squares += place.cwiseAbs2();
  }
  Index axis = 0;
  (squares - sum.cwiseAbs2() / double(seen)).maxCoeff(&axis);
  const Index parts = (count + part - 1) / part, half = parts / 2 * part;  // whole parts, the last one less
  std::nth_element(points.begin(), points.begin() + half, points.end(), [&](Index a, Index b) {
    return std::pair(places(a, axis), a) < std::pair(places(b, axis), b);
  });
  cut(places, part, points.first(static_cast<std::size_t>(half)));
  cut(places, part, points.subspan(static_cast<std::size_t>(half)));
}

}  // namespace

Samples<float> Shadows::coarse() const {
  const auto z = rows.dense();
  return Samples<float>::borrow(z.data(), z.rows(), few + 1, z.outerStride(),
                                std::make_shared<Samples<float>>(rows));
}

bool Shadows::in_range() const { return rows.dense().rowwise().squaredNorm().maxCoeff() < 1e37F; }

template <class T>
ShadowAxes::ShadowAxes(const Samples<T>& points, Vector<double> mean, Index most) : mean_(std::move(mean)) {
  const Index n = points.rows(), d = points.cols();
  // An eigenproblem of less than 1,000, where linalg::syevr is at its safest.
  const Index some = std::min<Index>(n, d < 1000 ? 2048 : 999);
  Block<double> r(d, some);
  for (Index s = 0; s < some; ++s) centre(points, s * n / some, mean_, r.col(s).data());
  axes_ = leading_axes(r, most);
  few_ = axes_.cols();
}

void ShadowAxes::keep(Index few, Index all) {
  axes_ = axes_.leftCols(all).eval();
  few_ = few;
}

template <class T>
Shadows ShadowAxes::shadows(const Samples<T>& rows, const std::vector<Index>& order, const Run& run) const {
  const Index n = order.empty() ? rows.rows() : static_cast<Index>(order.size()), d = rows.cols();
  // Each place is off by d ε‖x‖ / 2 or so, hence ‖x‖² − ‖Px‖² by √m d ε‖x‖², and the axes are orthonormal to
  // a few ε. Rounded up by as much, the length of what is left is that of a vector with one more, tiny,
  // coordinate: the difference of two such lengths is hardly larger for it, however small what is left.
  const double rounding = ((2 * std::sqrt(double(all())) + 1) * double(d) + double(all()) + 64) *
                          std::numeric_limits<double>::epsilon();
  const auto left_of = [&](double whole, double seen) {
    const double up = 1 + 2 * double(std::numeric_limits<float>::epsilon());
    return float(up * std::sqrt(std::max(0.0, whole * (1 + rounding) - seen)));
  };
  Matrix<float> out(n, all() + 2);
  const Index step = std::clamp<Index>((1 << 18) / (d + all()), 8, 256);  // 2 MB in double
  parallel_for((n + step - 1) / step, run, [&](Index part) {
    const Index first = part * step, count = std::min(step, n - first);
    double* const x = thread_scratch<double, ShadowAxes>(count * (d + all()));
    double* const along = x + count * d;
    for (Index i = 0; i < count; ++i)
      centre(rows, order.empty() ? first + i : order[static_cast<std::size_t>(first + i)], mean_, x + i * d);
    linalg::gemm<double>(linalg::Transpose::yes, linalg::Transpose::no, all(), count, d, 1, axes_.data(), d,
                         x, d, 0, along, all());
    for (Index i = 0; i < count; ++i) {
      const Eigen::Map<const Vector<double>> point(x + i * d, d), places(along + i * all(), all());
      const double whole = point.squaredNorm(), on_few = places.head(few_).squaredNorm();
      auto row = out.row(first + i);
      row.head(few_) = places.head(few_).transpose().cast<float>();
      row[few_] = left_of(whole, on_few);
      row.segment(few_ + 1, all() - few_) = places.tail(all() - few_).transpose().cast<float>();
      row[all() + 1] = left_of(whole, places.squaredNorm());
    }
  });
  return {Samples<float>(std::move(out)), few_};
}

template <class T>
std::vector<Index> ShadowAxes::order(const Samples<T>& points, Index part, const Run& run) const {
  ShadowAxes first = *this;
  first.keep(0, std::min<Index>(16, all()));
  const Samples<float> places = first.shadows(points, {}, run).rows;
  std::vector<Index> order(static_cast<std::size_t>(points.rows()));
  std::iota(order.begin(), order.end(), Index(0));
  cut(places.dense().middleCols(1, first.all()), part, order);
  return order;
}

SecondLook::SecondLook(const Shadows& left, const Shadows& right) {
  left_ = left.rows.dense().data() + left.few;
  right_ = right.rows.dense().data() + right.few;
  stride_ = right.rows.cols();
  further_ = stride_ - right.few - 1;
  error_ = float(further_ + 16) * std::numeric_limits<float>::epsilon();
  sum_ = row_distance::in_float();
}

#define MERCER_INSTANTIATE(T)                                                                           \
  template ShadowAxes::ShadowAxes(const Samples<T>&, Vector<double>, Index);                            \
  template Shadows ShadowAxes::shadows(const Samples<T>&, const std::vector<Index>&, const Run&) const; \
  template std::vector<Index> ShadowAxes::order(const Samples<T>&, Index, const Run&) const;
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
