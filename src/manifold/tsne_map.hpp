// TsneMap<T>: the map while it is made, an axis at a time, so that whole vectors of points are worked on. And
// sums over its points whose bits do not depend on the number of threads.
#pragma once

#include <mercer/error.hpp>
#include <mercer/matrix.hpp>
#include <mercer/run.hpp>

#include "base/parallel.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mercer {

template <class T>
class TsneMap {
 public:
  /// Axes end with whole vectors of any instruction set: the points that fill them up lie so far away that
  /// 1/(1 + d²) is nothing.
  static constexpr Index vector = 16;
  static constexpr T far = T(1e18);
  [[nodiscard]] static Index padded(Index count) { return (count + vector - 1) / vector * vector; }

  TsneMap(Index points, Index components) : points_(points), values_(padded(points), components) {
    values_.topRows(points).setZero();
    values_.bottomRows(stride() - points).setConstant(far);
  }
  explicit TsneMap(const MatrixView<T>& rows) : TsneMap(rows.rows(), rows.cols()) {
    values_.topRows(points_) = rows;
  }
  [[nodiscard]] Matrix<T> rows() const { return values_.topRows(points_); }

  [[nodiscard]] Index points() const { return points_; }
  [[nodiscard]] Index components() const { return values_.cols(); }
  [[nodiscard]] Index stride() const { return values_.rows(); }  ///< from axis to axis
  [[nodiscard]] T* axis(Index c) { return values_.data() + c * stride(); }
  [[nodiscard]] const T* axis(Index c) const { return values_.data() + c * stride(); }
  [[nodiscard]] const T* data() const { return values_.data(); }

 private:
  Index points_;
  Block<T> values_;
};

/// body(first, last) for the points [0, count) in chunks of a fixed size.
template <class F>
void for_chunks(Index count, Index chunk, const Run& run, F&& body) {
  parallel_for((count + chunk - 1) / chunk, run,
               [&](Index part) { body(part * chunk, std::min(count, (part + 1) * chunk)); });
}

/// Σ part(first, last) over the same chunks, added in their order.
template <class F>
[[nodiscard]] double sum_chunks(Index count, Index chunk, const Run& run, F&& part) {
  std::vector<double> sums(static_cast<std::size_t>((count + chunk - 1) / chunk), 0.0);
  for_chunks(count, chunk, run, [&](Index first, Index last) {
    sums[static_cast<std::size_t>(first / chunk)] = part(first, last);
  });
  double total = 0;
  for (const double s : sums) total += s;
  return total;
}

/// Throws Error{not_converged} where a map has left the numbers.
template <class T>
void require_finite(const TsneMap<T>& map, const Run& run) {
  double sum = 0;  // what is not finite stays so
  for (Index c = 0; c < map.components(); ++c)
    sum += sum_chunks(map.points(), 4096, run, [&](Index first, Index last) {
      T part = 0;
      for (Index i = first; i < last; ++i) part += map.axis(c)[i];
      return double(part);
    });
  if (!std::isfinite(sum))
    throw Error(ErrorCode::not_converged, "the map of t-SNE has left the numbers", "lower the learning rate");
}

}  // namespace mercer
