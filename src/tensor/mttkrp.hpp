// MTTKRP: the matricized tensor times a Khatri-Rao product, X₍ₙ₎ (⊙ of all other modes' matrices), which is
// what alternating least squares spend their time on. Kolda and Bader, SIAM Review 51 (2009), section 3.4.
//
//     auto data = dense_mttkrp<double>(x);
//     data->product(1, factors, out, run);   // out: I₁ rows
//     data->changed(1);                      // after factors[1] was set anew
//
// Matrices have one row an index, padded as in kruskal.hpp; in what is returned the padding may hold
// anything.
#pragma once

#include <mercer/run.hpp>
#include <mercer/tensor.hpp>

#include "tensor/unfolded_entries.hpp"

#include <memory>
#include <vector>

namespace mercer {

template <class T>
class Mttkrp {
 public:
  virtual ~Mttkrp() = default;

  [[nodiscard]] virtual const Shape& shape() const = 0;
  /// out = X₍ₙ₎ (⊙ factors of the other modes); that of `mode` itself is not looked at.
  virtual void product(Index mode, const std::vector<Matrix<T>>& factors, Matrix<T>& out, const Run& run) = 0;
  /// The factor of this mode is not what it was: what was kept of products with it is void.
  virtual void changed(Index mode) = 0;
  /// All modes in the order in which a sweep computes the least anew, `last` at its end.
  [[nodiscard]] virtual Shape sweep_order(Index last) const = 0;
  /// Rows (of the width of the factors) that are kept from one product to the next.
  [[nodiscard]] virtual Index kept_rows() const = 0;

  void all_changed() {
    for (Index mode = 0; mode < static_cast<Index>(shape().size()); ++mode) changed(mode);
  }
};

/// A sweep over all modes reads the tensor twice.
template <class T>
[[nodiscard]] std::unique_ptr<Mttkrp<T>> dense_mttkrp(EntriesPointer<T> entries);
template <class T>
[[nodiscard]] std::unique_ptr<Mttkrp<T>> dense_mttkrp(const TensorView<T>& x) {
  return dense_mttkrp<T>(unfolded_entries(x));
}
/// Rows that dense_mttkrp keeps for an array of this shape, its modes in this order in memory.
[[nodiscard]] Index dense_mttkrp_kept_rows(const Shape& shape, const Shape& modes);

/// Borrows the tensor. Walks its tree of fibres once a product, for any mode. Known::weights: of ones where
/// entries are stored.
template <class T>
[[nodiscard]] std::unique_ptr<Mttkrp<T>> sparse_mttkrp(const SparseTensor<T>& x, Known what = Known::values);
/// Bytes that sparse_mttkrp takes beside its result, at most.
[[nodiscard]] double sparse_mttkrp_bytes(const Shape& shape, double tensor_bytes, Index columns,
                                         std::size_t element);

}  // namespace mercer
