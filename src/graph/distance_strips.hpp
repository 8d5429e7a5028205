// ‖x_i − x_j‖² of a few points i with all points j, for measures that rank every distance: through BLAS where
// rows are long, since reading all points once for each of them would take longer than all the rest.
#pragma once

#include "graph/dot_tiles.hpp"
#include "graph/row_distance.hpp"

#include <mercer/run.hpp>

#include <optional>
#include <span>

namespace mercer {

template <class T>
class DistanceStrips {
 public:
  DistanceStrips(const Samples<T>& points, const Run& run);
  DistanceStrips(const DistanceStrips&) = delete;  // distance_ points to points_
  DistanceStrips& operator=(const DistanceStrips&) = delete;

  /// Points that are best taken together: enough that packing rows for BLAS costs little, within 50 MB.
  [[nodiscard]] Index together() const { return std::clamp<Index>(6'000'000 / points_.rows(), 8, 128); }
  /// out (of.size() x n) = squared distances of the points `of`. Long rows: ‖x‖² + ‖y‖² − 2x·y in double,
  /// and summed directly where that would lose more than a few of its digits.
  void evaluate(std::span<const Index> of, double* out) const;

 private:
  void directly(Index i, double* out) const;
  void dense_products(std::span<const Index> of, double* out) const;

  Samples<T> points_;
  RowDistance<T> distance_;
  Vector<double> norms_;                   ///< ‖x‖²; empty where all is summed directly
  std::optional<DotTiles<double>> tiles_;  ///< of CSR rows
};

/// CSR with so many entries that BLAS is faster is written out, where the budget has room.
template <class T>
[[nodiscard]] Samples<T> compacted(const Samples<T>& points, const Run& run);

}  // namespace mercer
