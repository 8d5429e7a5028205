// Kernel PCA on arrays (`tensor-rbf`): the kernel compares samples by their cores, k(X, Y) = κ(M_X, M_Y), so
// that a stack of images need not be made long vectors first. Matrices have the cores of 2D-SVD,
// M_i = Uᵀ(A_i − Ā)V; samples of other orders those of Tucker's projection on each of their modes.
//
//     auto model = mercer::TensorKernelPca<double>::fit(faces, {.ranks = {20, 20}, .components = 10});
//     auto z = model.transform_tensor(new_faces);
#pragma once

#include <mercer/kernel_pca.hpp>
#include <mercer/tensor_algebra.hpp>
#include <mercer/tensor_model.hpp>

namespace mercer {

struct TensorKernelPcaOptions {
  Shape ranks = {};  ///< one for each mode of a sample
  Components components = 2;
  Kernel kernel = {};  ///< κ, on the cores; default rbf(gamma=median)
  bool center = true;  ///< in feature space
  Index sample_mode = 0;
};

template <class T>
class TensorKernelPca final : public TensorModel<T> {
 public:
  static TensorKernelPca fit(const TensorView<T>& x, const TensorKernelPcaOptions& options = {},
                             const Run& run = {});
  static Plan plan(const Shape& shape, const TensorKernelPcaOptions& options = {}, const Run& run = {});

  /// The model on the cores, each a row, its last index fastest.
  [[nodiscard]] const KernelPca<T>& on_cores() const { return *inner_; }
  /// Of these samples, given as rows.
  [[nodiscard]] Matrix<T> cores(const Samples<T>& points, const Run& run = {}) const;

  /// The training samples as their cores tell them.
  [[nodiscard]] Tensor<T> reconstruction(const Run& run = {}) const override;
  [[nodiscard]] std::vector<Block<T>> factors() const override { return factors_; }  ///< none for the samples
  [[nodiscard]] Matrix<T> scores() const override { return inner_->scores(); }

  static std::unique_ptr<Model<T>> read(ModelReader<T>& reader);  ///< used by load_model

 private:
  Matrix<T> do_transform(const Samples<T>& points, const Run& run) const override;
  Matrix<T> do_inverse(const MatrixView<T>& scores, const Run& run) const override;
  void write(ModelWriter& writer) const override;
  /// The samples, as rows, that have these cores.
  [[nodiscard]] Matrix<T> samples_of(const Matrix<T>& cores, const Run& run) const;
  [[nodiscard]] std::vector<ModeFactor<T>> projections() const;
  [[nodiscard]] Shape core_shape(Index samples) const;

  std::vector<Block<T>> factors_;  ///< of the modes of a sample
  Vector<double> mean_;            ///< of the training samples, where it is subtracted
  std::shared_ptr<const KernelPca<T>> inner_;
};

}  // namespace mercer
