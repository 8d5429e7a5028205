// Inner products by tiles.
#include "graph/dot_tiles.hpp"

#include "base/linalg.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer {

template <class T>
Vector<double> mean_of(const Samples<T>& points) {
  const auto x = points.dense();
  Vector<double> mean = Vector<double>::Zero(x.cols());
  for (Index i = 0; i < x.rows(); ++i) mean += x.row(i).template cast<double>().transpose();
  return mean / double(std::max<Index>(1, x.rows()));
}

template <class T>
Index longest_row(const Samples<T>& points) {
  if (!points.is_sparse()) return points.cols();
  const auto x = points.sparse();
  Index most = 0;
  for (Index i = 0; i < x.rows(); ++i)
    most = std::max<Index>(most, x.outerIndexPtr()[i + 1] - x.outerIndexPtr()[i]);
  return most;
}

template <class T>
Vector<double> squared_norms(const Samples<T>& points, const Vector<double>& shift) {
  Vector<double> out = Vector<double>::Zero(points.rows());
  if (!points.is_sparse()) {
    const auto x = points.dense();
    for (Index i = 0; i < x.rows(); ++i)
      out[i] = shift.size() > 0 ? (x.row(i).template cast<double>() - shift.transpose()).squaredNorm()
                                : x.row(i).template cast<double>().squaredNorm();
  } else {
    const auto x = points.sparse();
    for (Index i = 0; i < x.rows(); ++i)
      for (auto p = x.outerIndexPtr()[i]; p < x.outerIndexPtr()[i + 1]; ++p)
        out[i] += double(x.valuePtr()[p]) * double(x.valuePtr()[p]);
  }
  for (Index i = 0; i < out.size(); ++i)
    if (!(out[i] < 1e300))
      throw Error(ErrorCode::bad_data,
                  fmt::format("row {} holds numbers so large that its squared length overflows", i),
                  "scale the data first");
  return out;
}

template <class S>
void TileRows<S>::convert(Index first, Index count, S* to) const {
  std::visit(
      [&](const auto& rows) {
        const auto x = rows.dense();
        const Index d = x.cols();
        const double* const shift = shift_.size() > 0 ? shift_.data() : nullptr;
        for (Index i = 0; i < count; ++i) {  // by rows: the shift stays in the nearest cache
          const auto* const from = x.data() + (first + i) * x.outerStride();
          S* const row = to + i * d;
          if (shift)
            for (Index c = 0; c < d; ++c) row[c] = S(double(from[c]) - shift[c]);
          else
            for (Index c = 0; c < d; ++c) row[c] = S(from[c]);
        }
      },
      rows_);
}

/// Points as they are, with their bounds.
template <class S>
template <class T>
TileRows<S> DotTiles<S>::bounded(const Samples<T>& points) const {
  TileRows<S> out;
  out.half =
      ((0.5 * (1 - slack_)) * squared_norms(points, shift_).array() - double(tiny_)).template cast<S>();
  out.half = out.half.unaryExpr(
      [](S half) { return std::isinf(half) ? std::numeric_limits<S>::quiet_NaN() : half; });
  if (points.is_sparse())
    out.rows_ = points.template cast<S>();
  else
    out.rows_ = points;
  out.shift_ = shift_;
  return out;
}

template <class S>
template <class T>
TileRows<S> DotTiles<S>::prepare(const Samples<T>& points) const {
  TileRows<S> out = bounded(points);
  if (!out.converted()) return out;
  Matrix<S> rows(points.rows(), points.cols());
  out.convert(0, rows.rows(), rows.data());
  out.rows_ = Samples<S>(std::move(rows));
  out.shift_.resize(0);
  return out;
}

template <class S>
template <class T>
DotTiles<S>::DotTiles(const Samples<T>& points, Vector<double> shift)
    : features_(points.cols()), shift_(std::move(shift)) {
  const double c = slack_ = slack(longest_row(points));
  // From lower = (1 − c)m − x·y to upper = (1 + c)m − x·y, m half the sum of squares; and rounding up. What
  // underflows on the way is below `tiny`.
  spread_ = S(2 * c / (1 - c) * (1 + 16 * double(std::numeric_limits<S>::epsilon())));
  tiny_ = S(double(longest_row(points)) + 8) * std::numeric_limits<S>::min();
  points_ = bounded(points);
  if (!points_.is_sparse()) return;

  const auto x = points_.sparse();
  columns_.begin.assign(static_cast<std::size_t>(x.cols()) + 1, 0);
  const auto first = x.outerIndexPtr()[0], last = x.outerIndexPtr()[x.rows()];
  for (auto p = first; p < last; ++p) ++columns_.begin[static_cast<std::size_t>(x.innerIndexPtr()[p]) + 1];
  for (std::size_t c1 = 1; c1 < columns_.begin.size(); ++c1) columns_.begin[c1] += columns_.begin[c1 - 1];
  columns_.row.resize(static_cast<std::size_t>(last - first));
  columns_.value.resize(static_cast<std::size_t>(last - first));
  std::vector<std::int64_t> next(columns_.begin.begin(), columns_.begin.end() - 1);
  for (Index i = 0; i < x.rows(); ++i)
    for (auto p = x.outerIndexPtr()[i]; p < x.outerIndexPtr()[i + 1]; ++p) {
      const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(x.innerIndexPtr()[p])]++);
      columns_.row[at] = static_cast<std::int32_t>(i);
      columns_.value[at] = x.valuePtr()[p];
    }
}

template <class S>
Index DotTiles<S>::side() const {
  if (points_.is_sparse()) return std::clamp<Index>(size() / 16, 64, 4096);
  // Large enough that packing costs little, or converting does; small enough that there are some for every
  // thread, and that what is converted takes a few MB.
  if (!points_.converted()) return plain_side;
  constexpr Index values = (4 << 20) / sizeof(S);
  const Index most = std::clamp<Index>(values / std::max<Index>(1, features_), 64, 1024);
  return std::clamp<Index>(size() / 6, 64, most);
}

template <class S>
Index DotTiles<S>::portion(Index rows) const {
  return std::clamp<Index>(rows / 32, 16, points_.is_sparse() ? 64 : side());
}

template <class S>
Index DotTiles<S>::together() const {
  return points_.is_sparse() ? 16 : std::min<Index>(512, side());
}

template <class S>
void DotTiles<S>::evaluate_sparse(const TileRows<S>& left, Index i0, Index rows, Index j0, Index cols,
                                  S* out) const {
  std::fill(out, out + rows * cols, S(0));
  const auto x = left.sparse();
  for (Index i = 0; i < rows; ++i) {
    S* const row = out + i * cols;
    for (auto p = x.outerIndexPtr()[i0 + i]; p < x.outerIndexPtr()[i0 + i + 1]; ++p) {
      const auto c = static_cast<std::size_t>(x.innerIndexPtr()[p]);
      const S value = x.valuePtr()[p];
      const std::int32_t *const begin = columns_.row.data() + columns_.begin[c], *const end =
                                                                                     columns_.row.data() +
                                                                                     columns_.begin[c + 1];
      const std::int32_t* at = std::lower_bound(begin, end, static_cast<std::int32_t>(j0));
      const S* v = columns_.value.data() + (at - columns_.row.data());
      for (; at < end && *at < j0 + cols; ++at, ++v) row[*at - j0] += value * *v;
    }
  }
}

template <class S>
void DotTiles<S>::evaluate(const TileRows<S>& left, Index i0, Index rows, Dense right, Index j0, Index cols,
                           S* out) const {
  if (points_.is_sparse()) return evaluate_sparse(left, i0, rows, j0, cols, out);
  const Dense a = left.template dense<TileRows<S>>(i0, rows);
  // Row-major out = A Bᵀ is column-major outᵀ = B Aᵀ.
  linalg::gemm<S>(linalg::Transpose::yes, linalg::Transpose::no, cols, rows, features_, 1, right.data,
                  right.stride, a.data, a.stride, 0, out, cols);
}

template class DotTiles<float>;
template class DotTiles<double>;
template class TileRows<float>;
template class TileRows<double>;
#define MERCER_INSTANTIATE(T)                                                      \
  template Vector<double> mean_of(const Samples<T>&);                              \
  template Index longest_row(const Samples<T>&);                                   \
  template Vector<double> squared_norms(const Samples<T>&, const Vector<double>&); \
  template DotTiles<float>::DotTiles(const Samples<T>&, Vector<double>);           \
  template DotTiles<double>::DotTiles(const Samples<T>&, Vector<double>);          \
  template TileRows<float> DotTiles<float>::prepare(const Samples<T>&) const;      \
  template TileRows<double> DotTiles<double>::prepare(const Samples<T>&) const;
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
