// The product of one tile of K with blocks of vectors, both ways while the tile is in cache:
// y_I += K_IJ v_J and y_J += K_IJᵀ v_I. Each element of K is loaded once. Vectorised with Highway.
//
// A tile is kept as a plane of floats: 32 panels of 8 rows; within a panel, columns in pairs, so that
// (r0,j) (r0,j+1) (r1,j) … (r7,j+1) fill 64 bytes. In double a second plane follows with what rounding
// to float left: 48 bits in all, in the 8 bytes of a double. A pass that needs no more than float's
// accuracy then reads half the memory and computes at float's rate.
#pragma once

#include <mercer/matrix.hpp>

namespace mercer::tile {

constexpr Index size = 256;  ///< rows and columns of a tile
constexpr Index panel = 8;   ///< rows of a tile that are stored side by side
constexpr Index plane = size * size;

/// Floats that a tile of T takes.
template <class T>
constexpr Index floats = plane* static_cast<Index>(sizeof(T) / sizeof(float));

/// How many vectors one call takes: the doubles in one register on this machine.
[[nodiscard]] Index width();

/// Where vector c of row `row` stands in a group of `w` vectors: row-major in double; in float two rows
/// are interleaved, as the columns of a tile are.
template <class T>
[[nodiscard]] constexpr Index place(Index row, Index c, Index w) {
  if constexpr (sizeof(T) == sizeof(double))
    return row * w + c;
  else
    return (row / 2) * 2 * w + 2 * c + row % 2;
}

/// Packs `count` row-major rows of `size` values, a multiple of `panel`, as rows `first` and on of a tile.
/// False when a value is not finite in float.
template <class T>
[[nodiscard]] bool pack(const T* rows, Index first, Index count, float* packed);

/// Adds the sums of a row-major tile's rows and columns to `by_row` and `by_column`; returns Σ k².
[[nodiscard]] double add_sums(const double* tile, Index rows, Index cols, double* by_row, double* by_column);

/// v and y hold so many vectors in groups of width(), the last one filled up: each group is `size` rows of
/// width() values. Adds K v_J to y_I and, if y_J is not null, Kᵀ v_I to y_J. In float the first plane alone
/// is used.
void multiply(const float* packed, Index vectors, const float* v_j, float* y_i, const float* v_i, float* y_j);
void multiply(const float* packed, Index vectors, const double* v_j, double* y_i, const double* v_i,
              double* y_j);

/// The same for some rows of a tile as they were evaluated: row-major, `size` values each, a multiple of
/// `panel` of them; y_I and v_I begin at the first of these rows.
void multiply_rows(const float* k, Index rows, Index vectors, const float* v_j, float* y_i, const float* v_i,
                   float* y_j);
void multiply_rows(const double* k, Index rows, Index vectors, const double* v_j, double* y_i,
                   const double* v_i, double* y_j);

/// Multiplies the values by a factor. False when one of them is not finite.
[[nodiscard]] bool scale(float* values, Index n, float factor);
[[nodiscard]] bool scale(double* values, Index n, double factor);

}  // namespace mercer::tile
