// Tucker's decomposition (mission row M14): X ≈ G ×₁ U ×₂ V ×₃ W ..., orthonormal bases for each mode's
// subspace and a small core. Found by sequentially truncated HOSVD, to an error or to given ranks, and then
// polished by HOOI on request.
//
//     auto model = mercer::Tucker<double>::fit(stack, {.error = 0.01});
//     model.core(); model.factors(); model.report().decomposition->relative_error;   // ≤ 0.01
//
// Scores: G's mode-s unfolding is P S Qᵀ, so that the slices that the model can represent have the
// orthonormal basis Q ×(other factors); a sample's scores are its inner products with these R_s arrays.
#pragma once

#include <mercer/tensor_model.hpp>

#include <string_view>

namespace mercer {

enum class TuckerMethod { st_hosvd, hosvd };
/// "st-hosvd" or "hosvd".
[[nodiscard]] TuckerMethod parse_tucker_method(std::string_view name);

struct TuckerOptions {
  Shape ranks = {};  ///< one a mode; empty: by error
  double error = 0;  ///< ‖X − X̂‖ ≤ error ‖X‖; used where no ranks are given; 0: exact rank
  TuckerMethod method = TuckerMethod::st_hosvd;
  Index hooi = 0;           ///< at most so many sweeps of HOOI afterwards
  double tolerance = 1e-8;  ///< HOOI stops when the relative error falls by less
  Index sample_mode = 0;
};

template <class T>
class Tucker final : public TensorModel<T> {
 public:
  static Tucker fit(const TensorView<T>& x, const TuckerOptions& options = {}, const Run& run = {});
  /// Never made dense: HOSVD from the modes' own Gram matrices, then HOOI on request; needs ranks. `hooi` 0:
  /// 50 sweeps at most.
  static Tucker fit(const SparseTensor<T>& x, const TuckerOptions& options, const Run& run = {});
  /// What fit would do and need; made before anything is allocated. Sparse: where fewer entries are stored
  /// than the shape has.
  static Plan plan(const Shape& shape, Index stored, const TuckerOptions& options = {}, const Run& run = {});

  [[nodiscard]] const Tensor<T>& core() const { return core_; }
  [[nodiscard]] std::vector<Block<T>> factors() const override { return factors_; }
  [[nodiscard]] Tensor<T> reconstruction(const Run& run = {}) const override;
  [[nodiscard]] Matrix<T> scores() const override { return scores_; }

  static std::unique_ptr<Model<T>> read(ModelReader<T>& reader);  ///< used by load_model

 private:
  Matrix<T> do_transform(const Samples<T>& points, const Run& run) const override;
  Matrix<T> do_inverse(const MatrixView<T>& scores, const Run& run) const override;
  void write(ModelWriter& writer) const override;

  struct Fit;

  Tensor<T> core_;
  std::vector<Block<T>> factors_;
  Block<T> score_basis_;  ///< Q
  Matrix<T> scores_;
};

}  // namespace mercer
