// Tiles of inner products x·y of points, prepared so that distances can be bounded from them: dense rows by
// BLAS, CSR rows against the columns of the transposed points. In float where that is fine enough: twice as
// fast, and what is found is the same, since the bounds hold whatever the arithmetic is. Dense rows of
// another type, or less a shift, are converted tile by tile: no copy of the points is made.
#pragma once

#include "base/thread_scratch.hpp"

#include <mercer/run.hpp>
#include <mercer/samples.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <variant>
#include <vector>

namespace mercer {

/// Rows of one side of a tile.
template <class S>
class TileRows {
 public:
  /// ½(1 − slack)‖row‖²: the sum of two, less the inner product, is a lower bound. No number where S does not
  /// hold it: then there is no bound.
  Vector<S> half;

  [[nodiscard]] Index size() const { return half.size(); }
  [[nodiscard]] bool is_sparse() const {
    return std::visit([](const auto& rows) { return rows.is_sparse(); }, rows_);
  }
  [[nodiscard]] auto sparse() const { return std::get<Samples<S>>(rows_).sparse(); }
  /// Whether a tile has to write its rows down first.
  [[nodiscard]] bool converted() const { return shift_.size() > 0 || rows_.index() == 1; }

  struct Dense {
    const S* data = nullptr;
    Index stride = 0;
  };
  /// Rows [first, first + count) of dense ones, less the shift: where they lie, or in the thread's memory for
  /// this `Side`.
  template <class Side>
  [[nodiscard]] Dense dense(Index first, Index count) const {
    if (!converted()) {
      const auto x = std::get<0>(rows_).dense();
      return {x.data() + first * x.outerStride(), x.outerStride()};
    }
    S* const to = thread_scratch<S, Side>(count * cols());
    convert(first, count, to);
    return {to, cols()};
  }

 private:
  template <class>
  friend class DotTiles;
  using Other = std::conditional_t<std::is_same_v<S, float>, double, float>;
  [[nodiscard]] Index cols() const {
    return std::visit([](const auto& rows) { return rows.cols(); }, rows_);
  }
  void convert(Index first, Index count, S* to) const;

  std::variant<Samples<S>, Samples<Other>> rows_;
  Vector<double> shift_;  ///< still to be taken off
};

template <class S>
class DotTiles {
 public:
  /// `shift`: of dense points, taken off every row (distances stay, their digits are kept), or empty.
  template <class T>
  DotTiles(const Samples<T>& points, Vector<double> shift);

  /// Other points, in the form of the first: converted at once, since they meet all of those.
  template <class T>
  [[nodiscard]] TileRows<S> prepare(const Samples<T>& points) const;

  [[nodiscard]] const TileRows<S>& points() const { return points_; }
  [[nodiscard]] Index size() const { return points_.size(); }
  /// The side of the square tiles that suit; of dense rows that need no conversion.
  [[nodiscard]] Index side() const;
  static constexpr Index plain_side = 512;
  /// How many of so many rows to deal out at a time where each meets all points: few enough that every thread
  /// has some.
  [[nodiscard]] Index portion(Index rows) const;
  /// use(i, inner products of left's row i with the points [j0, j0 + cols)) for i in [i0, i0 + rows).
  template <class Use>
  void for_rows(const TileRows<S>& left, Index i0, Index rows, Index j0, Index cols, const Use& use) const {
    const Dense right = points_.is_sparse() ? Dense{} : points_.template dense<DotTiles>(j0, cols);
    const Index step = std::min(together(), rows);
    S* const dots = thread_scratch<S>(step * cols);
    for (Index first = i0; first < i0 + rows; first += step) {
      const Index some = std::min(step, i0 + rows - first);
      evaluate(left, first, some, right, j0, cols, dots);
      for (Index r = 0; r < some; ++r) use(first + r, static_cast<const S*>(dots + r * cols));
    }
  }

  /// Half the squared distance is at most lower + width(half of one + half of the other).
  [[nodiscard]] S width(S halves) const { return spread_ * (halves + 2 * tiny_) + 4 * tiny_; }
  /// Relative error of ‖x‖² + ‖y‖² − 2x·y against ‖x‖² + ‖y‖², with all that is rounded on the way: γ_d of
  /// Higham for d terms, twice since the direct sum is rounded too.
  [[nodiscard]] static double slack(Index terms) {
    return std::min(0.5, (2 * double(terms) + 32) * double(std::numeric_limits<S>::epsilon()));
  }

 private:
  using Dense = typename TileRows<S>::Dense;
  /// CSR points by columns: who has an entry there.
  struct Columns {
    std::vector<std::int64_t> begin;
    std::vector<std::int32_t> row;
    std::vector<S> value;
  };
  template <class T>
  [[nodiscard]] TileRows<S> bounded(const Samples<T>& points) const;
  /// How many rows of a tile are evaluated at once.
  [[nodiscard]] Index together() const;
  /// out (rows x cols, row-major) = left's rows [i0, i0 + rows) times the points' [j0, j0 + cols), which
  /// dense ones have at `right`.
  void evaluate(const TileRows<S>& left, Index i0, Index rows, Dense right, Index j0, Index cols,
                S* out) const;
  void evaluate_sparse(const TileRows<S>& left, Index i0, Index rows, Index j0, Index cols, S* out) const;

  Index features_;
  Vector<double> shift_;
  TileRows<S> points_;
  Columns columns_;
  double slack_ = 0;
  S spread_ = 0, tiny_ = 0;
};

/// The mean of dense points.
template <class T>
[[nodiscard]] Vector<double> mean_of(const Samples<T>& points);
/// Entries of the fullest row.
template <class T>
[[nodiscard]] Index longest_row(const Samples<T>& points);
/// ‖row − shift‖² of every row; throws Error{bad_data} naming a row whose square overflows.
template <class T>
[[nodiscard]] Vector<double> squared_norms(const Samples<T>& points, const Vector<double>& shift);

}  // namespace mercer
