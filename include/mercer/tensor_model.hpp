// TensorModel<T>: a decomposition of an N-way array as a model. One mode counts the samples (the first,
// unless told otherwise); a sample is then an array of the other modes, and as a row of Model::transform its
// entries with the last index moving fastest, as numpy's reshape(n, -1) has them.
#pragma once

#include <mercer/model.hpp>
#include <mercer/tensor.hpp>

namespace mercer {

template <class T>
class TensorModel : public Model<T> {
 public:
  [[nodiscard]] const Shape& shape() const { return shape_; }  ///< of the training array
  [[nodiscard]] Index sample_mode() const { return sample_mode_; }
  /// The modes of a sample, without the sample mode.
  [[nodiscard]] Shape sample_shape() const;
  [[nodiscard]] Index features() const override;

  /// Scores of new samples: an array like the training array, but for its size in the sample mode; or a
  /// single sample.
  [[nodiscard]] Matrix<T> transform_tensor(const TensorView<T>& x, const Run& run = {}) const;
  [[nodiscard]] Matrix<T> transform_tensor(const SparseTensor<T>& x, const Run& run = {}) const;
  /// The samples that have these scores, in an array like the training array.
  [[nodiscard]] Tensor<T> inverse_tensor(const MatrixView<T>& scores, const Run& run = {}) const;
  /// X̂, all of it.
  [[nodiscard]] virtual Tensor<T> reconstruction(const Run& run = {}) const = 0;
  /// One factor matrix a mode, I_n x R_n (2D-SVD: none for the samples).
  [[nodiscard]] virtual std::vector<Block<T>> factors() const = 0;

 protected:
  Shape shape_;
  Index sample_mode_ = 0;
};

extern template class TensorModel<float>;
extern template class TensorModel<double>;

}  // namespace mercer
