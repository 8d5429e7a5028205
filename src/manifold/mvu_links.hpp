// What maximum variance unfolding keeps: the links of the graph and their squared lengths. Points at distance
// 0 of each other are one node that counts as many times: the constraint of distance 0 holds by construction.
#pragma once

#include <mercer/neighbors.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace mercer {

struct MvuLinks {
  std::vector<Index> node;       ///< of each point
  Vector<double> weight;         ///< c: how many points each node stands for
  SparseMatrix<double> squared;  ///< d² of linked nodes over `unit`, in both directions
  double unit = 1;               ///< the mean squared length of a link

  [[nodiscard]] Index size() const { return weight.size(); }
  [[nodiscard]] Index count() const { return squared.nonZeros() / 2; }
  /// D − A of links that all weigh the same.
  [[nodiscard]] SparseMatrix<double> laplacian() const;
};

[[nodiscard]] MvuLinks mvu_links(const NeighborGraph& graph);

/// A squared length that others are measured by: very short links count as if they were a thousandth of the
/// mean.
[[nodiscard]] inline double measuring(double squared) { return std::max(squared, 1e-6); }

/// Relative changes |δ/d² − 1| of squared lengths.
struct Isometry {
  double largest = 0, mean = 0;
};
/// Of links between the rows of a map of the nodes, in the data's units.
[[nodiscard]] Isometry isometry(const MvuLinks& links, const Matrix<double>& map);
/// In a Gram matrix of the nodes.
[[nodiscard]] Isometry isometry(const MvuLinks& links, const Block<double>& gram);

}  // namespace mercer
