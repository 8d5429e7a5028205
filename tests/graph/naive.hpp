// What the searches are checked against: every distance, sorted.
#pragma once

#include <mercer/neighbors.hpp>

#include "support.hpp"

#include <algorithm>
#include <cmath>

namespace mercer::test {

/// Lists of all within `radius`, at most `count` (0: no limit), of rows of x among those of y; `among`: a row
/// is not its own neighbour.
template <class T>
NeighborLists naive_lists(const Samples<T>& x, const Samples<T>& y, Index count, double radius, bool among) {
  const Matrix<double> a = x.to_dense().template cast<double>(), b = y.to_dense().template cast<double>();
  NeighborLists out;
  out.begin.assign(1, 0);
  for (Index i = 0; i < a.rows(); ++i) {
    std::vector<std::pair<double, Index>> row;
    for (Index j = 0; j < b.rows(); ++j)
      if (!among || i != j) row.emplace_back((a.row(i) - b.row(j)).norm(), j);
    std::sort(row.begin(), row.end());
    if (count > 0) row.resize(std::min(row.size(), static_cast<std::size_t>(count)));
    for (const auto& [distance, j] : row) {
      if (distance > radius) break;
      out.index.push_back(static_cast<std::int32_t>(j));
      out.distance.push_back(distance);
    }
    out.begin.push_back(static_cast<Index>(out.index.size()));
  }
  return out;
}

inline constexpr double anywhere = 1e300;

/// The same points in the same order, at the same distances up to rounding.
inline void expect_same_lists(const NeighborLists& found, const NeighborLists& truth) {
  ASSERT_EQ(found.begin, truth.begin);
  EXPECT_EQ(found.index, truth.index);
  ASSERT_EQ(found.distance.size(), truth.distance.size());
  for (std::size_t p = 0; p < truth.distance.size(); ++p)
    ASSERT_NEAR(found.distance[p], truth.distance[p], 1e-13 * (1 + truth.distance[p])) << "entry " << p;
}

/// Small whole numbers: many equal distances and many equal points, all computed without rounding.
template <class T>
Matrix<T> lattice(Index n, Index d, int side, std::uint64_t seed) {
  Random random(seed, 5);
  Matrix<T> out(n, d);
  for (Index i = 0; i < out.size(); ++i) out.data()[i] = T(random.below(static_cast<std::uint64_t>(side)));
  return out;
}

/// Two clouds of points, `gap` apart.
template <class T>
Matrix<T> two_clouds(Index first, Index second, Index d, double gap, std::uint64_t seed) {
  Matrix<T> out = random_matrix<T>(first + second, d, seed);
  out.bottomRows(second).col(0).array() += T(gap);
  return out;
}

}  // namespace mercer::test
