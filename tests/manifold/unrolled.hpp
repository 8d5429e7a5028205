// Sheets in space whose coordinates are known, and ways to compare a map with them.
#pragma once

#include "support.hpp"

namespace mercer::test {

struct Sheet {
  Matrix<double> points;
  Matrix<double> flat;  ///< arc length and height
};

/// t(cos t, ·, sin t), t from 1½π to 4½π, 21 high.
Sheet swiss_roll(Index n, std::uint64_t seed);

Sheet s_curve(Index n, std::uint64_t seed);

/// R² of each column of `truth` after a linear fit by the map; the least of them.
double least_r_squared(const Matrix<double>& map, const Matrix<double>& truth);

/// `map` moved, turned and scaled so that its first rows lie upon `onto` as well as they can (Procrustes).
Matrix<double> laid_upon(const Matrix<double>& map, const Matrix<double>& onto);

/// Mean distance to the k-th nearest row.
double spacing(const Matrix<double>& map, Index k);

template <class T>
Samples<T> samples(const Matrix<double>& points) {
  return Matrix<T>(points.template cast<T>());
}

}  // namespace mercer::test
