// Strips of distances from products of rows.
#include "graph/distance_strips.hpp"

#include "base/linalg.hpp"
#include "base/thread_scratch.hpp"

#include <type_traits>

namespace mercer {
namespace {

constexpr Index short_row = 16;  // summed directly as soon
constexpr Index side = 512;      // points to a product
/// ‖x − y‖² below this share of ‖x‖² + ‖y‖² is summed directly: the others keep nine digits and more.
constexpr double near = 1e-4;

/// Rows in double: where they are, or copied to `room`.
template <class T>
const double* in_double(const T* rows, Index count, Index d, Index stride, double* room) {
  if constexpr (std::is_same_v<T, double>) return rows;
  for (Index i = 0; i < count; ++i) std::copy_n(rows + i * stride, d, room + i * d);
  return room;
}

}  // namespace

template <class T>
Samples<T> compacted(const Samples<T>& points, const Run& run) {
  if (!points.is_sparse()) return points;
  const double all = double(points.rows()) * double(points.cols());
  const bool full = double(points.stored()) > 0.05 * all;
  return full && all * sizeof(T) < 0.25 * double(run.memory_budget()) ? Samples<T>(points.to_dense())
                                                                      : points;
}

template <class T>
DistanceStrips<T>::DistanceStrips(const Samples<T>& points, const Run& run)
    : points_(compacted(points, run)), distance_(points_, points_) {
  norms_ = squared_norms(points_, Vector<double>());  // and none of them overflows
  if (points_.cols() < short_row) return;
  if (points_.is_sparse()) tiles_.emplace(points_, Vector<double>());
}

template <class T>
void DistanceStrips<T>::directly(Index i, double* out) const {
  for (Index j = 0; j < points_.rows(); ++j) out[j] = distance_(i, j);
}

template <class T>
void DistanceStrips<T>::dense_products(std::span<const Index> of, double* out) const {
  const auto x = points_.dense();
  const Index n = x.rows(), d = x.cols(), count = static_cast<Index>(of.size());
  thread_local std::vector<double> left;
  left.resize(static_cast<std::size_t>(count * d));
  for (Index r = 0; r < count; ++r)
    std::copy_n(x.data() + of[static_cast<std::size_t>(r)] * x.outerStride(), d, left.data() + r * d);
  const bool copied = !std::is_same_v<T, double>;
  double* const room = copied ? thread_scratch<double>(side * d) : nullptr;
  for (Index j = 0; j < n; j += side) {
    const Index cols = std::min(side, n - j);
    const double* const right = in_double(x.data() + j * x.outerStride(), cols, d, x.outerStride(), room);
    linalg::gemm<double>(linalg::Transpose::yes, linalg::Transpose::no, cols, count, d, 1, right,
                         copied ? d : x.outerStride(), left.data(), d, 0, out + j, n);
  }
}

template <class T>
void DistanceStrips<T>::evaluate(std::span<const Index> of, double* out) const {
  const Index n = points_.rows();
  if (norms_.size() == 0) {
    for (std::size_t r = 0; r < of.size(); ++r) directly(of[r], out + static_cast<Index>(r) * n);
    return;
  }
  if (tiles_)
    for (std::size_t r = 0; r < of.size(); ++r)
      tiles_->for_rows(tiles_->points(), of[r], 1, 0, n, [&](Index, const double* dots) {
        std::copy_n(dots, n, out + static_cast<Index>(r) * n);
      });
  else
    dense_products(of, out);
  for (std::size_t r = 0; r < of.size(); ++r) {
    const Index i = of[r];
    double* const row = out + static_cast<Index>(r) * n;
    for (Index j = 0; j < n; ++j) {
      const double sum = norms_[i] + norms_[j], squared = sum - 2 * row[j];
      row[j] = squared > near * sum ? squared : distance_(i, j);
    }
  }
}

#define MERCER_INSTANTIATE(T)       \
  template class DistanceStrips<T>; \
  template Samples<T> compacted(const Samples<T>&, const Run&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
