// Looking through a row of inner products for pairs that may be near: half the squared distance is
// ½‖x‖² + ½‖y‖² − x·y, and with norms a little reduced it is a lower bound in spite of rounding. All but a
// few pairs are passed over several at a time. And what else is asked of a row of distances: the lowest, how
// many below, sums.
#pragma once

#include <mercer/matrix.hpp>

#include <cstdint>

namespace mercer {

/// A pair that is not farther than the limit: of a row (known to the caller) and point `index`.
template <class S>
struct Found {
  S lower;  ///< at most half the squared distance, or no number at all; the value looked through
  std::int32_t index;
};

namespace tile_scan {

/// Those of own + half[j] − dot[j], j < n, not above `limit`, written to `out` (room for n); how many.
template <class S>
[[nodiscard]] Index near_row(const S* dot, Index n, S own, const S* half, S limit, Found<S>* out);

/// The same, not above the larger of `limit` and limits[j]: near to the row or near to the column.
template <class S>
[[nodiscard]] Index near_either(const S* dot, Index n, S own, const S* half, S limit, const S* limits,
                                Found<S>* out);

/// Those of values[j], j < n, not above `limit`, written to `out` (room for n); how many.
[[nodiscard]] Index not_above(const double* values, Index n, double limit, Found<double>* out);

/// How many of values[j], j < n, are below `limit`.
[[nodiscard]] Index count_below(const double* values, Index n, double limit);

/// Sums over pairs of distances: a², b², ab and (b − sa)².
struct PairSums {
  double first = 0, second = 0, both = 0, left = 0;

  void add(const PairSums& other) {
    first += other.first, second += other.second, both += other.both, left += other.left;
  }
};

/// Of n pairs given by their squares.
[[nodiscard]] PairSums pair_sums(const double* a, const double* b, Index n, double scale);

}  // namespace tile_scan
}  // namespace mercer
