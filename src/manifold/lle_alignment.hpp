// The matrix that the variants of LLE share: M = Σᵢ Sᵢ Fᵢ Fᵢᵀ Sᵢᵀ, a small factor Fᵢ a neighbourhood whose
// rows belong to its members. They differ in Fᵢ alone; since Fᵢᵀ1 = 0, the constant is a null vector of M.
#pragma once

#include <mercer/lle.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace mercer {

/// Whether a point is a member of its own neighbourhood, the last one, beside its neighbours.
enum class Itself {
  always,
  if_nobodys_neighbor,  ///< else no neighbourhood would hold it, and M would have an empty row
};

struct LocalFactors {
  /// `most_columns`: of each factor; 0: as many as neighbours.
  LocalFactors(const NeighborLists& lists, Itself itself, Index most_columns);

  [[nodiscard]] Index size() const { return static_cast<Index>(columns.size()); }
  [[nodiscard]] std::span<const std::int32_t> members_of(Index i) const;
  /// Room for all columns; the first columns[i] count.
  [[nodiscard]] Eigen::Map<Matrix<double>> factor_of(Index i);
  [[nodiscard]] Eigen::Map<const Matrix<double>> factor_of(Index i) const;

  std::vector<Index> columns;  ///< of each factor
 private:
  std::vector<Index> begin_, value_begin_;
  std::vector<std::int32_t> members_;
  std::vector<double> values_;
};

/// M, row-compressed and exactly symmetric. Each row is summed by one thread, neighbourhood by neighbourhood.
[[nodiscard]] SparseMatrix<double> aligned(const LocalFactors& factors, const Run& run);

/// (w, −1): Roweis, Saul 2000; Fᵢ has one column.
template <class T>
[[nodiscard]] LocalFactors lle_weights(const Samples<T>& points, const NeighborLists& lists,
                                       double regularization, const Run& run);
/// (Wᵢ, −1): Zhang, Wang 2007; as many columns as the local Gram matrix has small eigenvalues.
template <class T>
[[nodiscard]] LocalFactors modified_lle_weights(const Samples<T>& points, const NeighborLists& lists,
                                                Index components, double regularization, double tolerance,
                                                const Run& run);
/// The Hessian of a function on the tangent space, estimated: Donoho, Grimes 2003; a column for each second
/// derivative. `remainder`: and for all else that is not linear.
template <class T>
[[nodiscard]] LocalFactors hessian_weights(const Samples<T>& points, const NeighborLists& lists,
                                           Index components, double tolerance, bool remainder,
                                           const Run& run);

/// Neighbourhoods that a thread takes at once.
constexpr Index neighborhoods_together = 64;

}  // namespace mercer
