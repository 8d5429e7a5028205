// CpData<T>: what CP is fitted to, dense or sparse, whole or with gaps or weights, seen through the few
// things that a fit asks of it.
#pragma once

#include <mercer/run.hpp>
#include <mercer/tensor.hpp>

#include "tensor/kruskal.hpp"
#include "tensor/mttkrp.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace mercer {

template <class T>
class CpData {
 public:
  virtual ~CpData() = default;

  [[nodiscard]] const Shape& shape() const { return values->shape(); }
  [[nodiscard]] Index order() const { return static_cast<Index>(shape().size()); }
  [[nodiscard]] Index size(Index mode) const { return shape()[static_cast<std::size_t>(mode)]; }
  void changed(Index mode) {
    values->changed(mode);
    if (weights) weights->changed(mode);
  }
  void all_changed() {
    values->all_changed();
    if (weights) weights->all_changed();
  }

  /// Σ w (x − x̂)², entry by entry. Sparse without gaps: all but the stored entries by the Gram trick.
  [[nodiscard]] virtual double squared_residual(const Kruskal<T>& model, const Run& run) const = 0;
  /// X ×₁ P₁ ×₂ P₂ ..., first index fastest; gaps are filled from the model, whose core must be ones
  /// on the superdiagonal and zeros elsewhere.
  [[nodiscard]] virtual Vector<double> core(const std::vector<Block<T>>& matrices, const Kruskal<T>& model,
                                            const Run& run) const = 0;
  /// Leading left singular vectors of X₍ₙ₎, where they are cheap to have; at most I_n.
  [[nodiscard]] virtual std::optional<Block<double>> leading(Index mode, Index count,
                                                             const Run& run) const = 0;

  std::unique_ptr<Mttkrp<T>> values;   ///< of W ∗ X
  std::unique_ptr<Mttkrp<T>> weights;  ///< of W; null where every entry counts once
  double squared_norm = 0;             ///< Σ w x²
  Index known = 0;                     ///< entries with w > 0; sparse: those stored
};

/// Throws Error{bad_data} with the place for a value that is not finite, unless it is NaN and a gap may be
/// (`missing`, or a weight of 0), and for a weight that is negative or not finite. Views are borrowed.
template <class T>
[[nodiscard]] std::unique_ptr<CpData<T>> dense_cp_data(const TensorView<T>& x, const TensorView<T>* weights,
                                                       bool missing, const Run& run);
template <class T>
[[nodiscard]] std::unique_ptr<CpData<T>> sparse_cp_data(const SparseTensor<T>& x, bool missing,
                                                        const Run& run);

/// Throws Error{bad_data} where squares have left the range of numbers.
void require_measurable(double squared_norm, bool zero);

}  // namespace mercer
