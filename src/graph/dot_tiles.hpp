// Tiles of inner products x·y of points, prepared so that distances can be bounded from them: dense rows by
// BLAS, CSR rows against the columns of the transposed points. In float where that is fine enough: twice as
// fast, and what is found is the same, since the bounds hold whatever the arithmetic is.
#pragma once

#include <mercer/run.hpp>
#include <mercer/samples.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace mercer {

/// Rows of one side of a tile.
template <class S>
struct TileRows {
  Samples<S> rows;  ///< less the shift
  Vector<S> half;   ///< ½(1 − slack)‖row‖²: the sum of two, less the inner product, is a lower bound
};

template <class S>
class DotTiles {
 public:
  /// `shift`: of dense points, taken off every row (distances stay, their digits are kept), or empty.
  template <class T>
  DotTiles(const Samples<T>& points, Vector<double> shift);

  /// Other points, in the form of the first.
  template <class T>
  [[nodiscard]] TileRows<S> prepare(const Samples<T>& points) const;

  [[nodiscard]] const TileRows<S>& points() const { return points_; }
  [[nodiscard]] Index size() const { return points_.rows.rows(); }
  /// The side of the square tiles that suit, and how many of their rows to evaluate together.
  [[nodiscard]] Index side() const;
  [[nodiscard]] Index together() const;
  /// out (rows x cols, row-major) = left's rows [i0, i0 + rows) times the points' [j0, j0 + cols).
  void evaluate(const TileRows<S>& left, Index i0, Index rows, Index j0, Index cols, S* out) const;

  /// Half the squared distance is at most lower + width(half of one + half of the other).
  [[nodiscard]] S width(S halves) const { return spread_ * (halves + 2 * tiny_) + 4 * tiny_; }
  /// Relative error of ‖x‖² + ‖y‖² − 2x·y against ‖x‖² + ‖y‖², with all that is rounded on the way: γ_d of
  /// Higham for d terms, twice since the direct sum is rounded too.
  [[nodiscard]] static double slack(Index terms) {
    return std::min(0.5, (2 * double(terms) + 32) * double(std::numeric_limits<S>::epsilon()));
  }

 private:
  /// CSR points by columns: who has an entry there.
  struct Columns {
    std::vector<std::int64_t> begin;
    std::vector<std::int32_t> row;
    std::vector<S> value;
  };
  void evaluate_sparse(const TileRows<S>& left, Index i0, Index rows, Index j0, Index cols, S* out) const;

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
