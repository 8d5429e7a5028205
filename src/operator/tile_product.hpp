// The product of one stored tile with blocks of vectors, both ways while the tile is in cache:
// y_I += K_IJ v_J and y_J += K_IJᵀ v_I. Each element of K is loaded once. Vectorised with Highway.
#pragma once

#include <mercer/matrix.hpp>

namespace mercer::tile {

constexpr Index size = 256;  ///< rows and columns of a tile
constexpr Index panel = 8;   ///< rows of a tile that are stored side by side

/// A tile is packed as 32 panels of 8 rows; within a panel the 8 values of a column are contiguous.
constexpr Index elements = size * size;

/// How many vectors one call takes: the lanes of one register on this machine.
template <class T>
[[nodiscard]] Index width();

/// Packs a row-major rows x cols tile (both at most `size`), padding with zeros.
template <class T>
void pack(const T* tile, Index rows, Index cols, T* packed);

/// v and y hold `size` rows of width() values. Adds K v_J to y_I and, if y_J is not null, Kᵀ v_I to y_J.
template <class T>
void multiply(const T* packed, const T* v_j, T* y_i, const T* v_i, T* y_j);

}  // namespace mercer::tile
