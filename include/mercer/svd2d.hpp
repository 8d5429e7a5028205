// 2D-SVD (mission row M16): matrices A_i, one a sample. F = Σ(A_i − Ā)(A_i − Ā)ᵀ and G = Σ(A_i − Ā)ᵀ(A_i − Ā)
// have the leading eigenvectors U and V; M_i = Uᵀ(A_i − Ā)V and Â_i = Ā + U M_i Vᵀ. Iterated (GLRAM), U and V
// are each found for the other until the error stops falling; with one side alone it is 2DPCA.
//
//     auto model = mercer::Svd2d<double>::fit(faces, {.ranks = {20, 20}});
//     model.report().decomposition->rms_error;    // √ of the mean of ‖A_i − Â_i‖²
//
// Scores of a sample: the entries of M_i, row by row.
#pragma once

#include <mercer/tensor_model.hpp>

namespace mercer {

struct Svd2dOptions {
  Shape ranks = {};      ///< of rows and columns; a full size leaves that side as it is (2DPCA: {height, q})
  bool center = true;    ///< false: Ā = 0
  Index iterations = 0;  ///< GLRAM: at most so many rounds
  /// It stops when the error falls by less, relative to the norm of what varies (‖A_i − Ā‖ where centred).
  double tolerance = 1e-10;
};

template <class T>
class Svd2d final : public TensorModel<T> {
 public:
  /// x: samples x height x width.
  static Svd2d fit(const TensorView<T>& x, const Svd2dOptions& options = {}, const Run& run = {});
  static Plan plan(const Shape& shape, const Svd2dOptions& options = {}, const Run& run = {});

  [[nodiscard]] const Block<T>& left() const { return left_; }    ///< U, height x p
  [[nodiscard]] const Block<T>& right() const { return right_; }  ///< V, width x q
  [[nodiscard]] const Matrix<double>& mean() const { return mean_; }
  /// Eigenvalues of F and G, descending: all of them.
  [[nodiscard]] const Vector<double>& left_values() const { return left_values_; }
  [[nodiscard]] const Vector<double>& right_values() const { return right_values_; }
  [[nodiscard]] std::vector<Block<T>> factors() const override { return {left_, right_}; }
  [[nodiscard]] Tensor<T> reconstruction(const Run& run = {}) const override;
  [[nodiscard]] Matrix<T> scores() const override { return scores_; }

  static std::unique_ptr<Model<T>> read(ModelReader<T>& reader);  ///< used by load_model

 private:
  Matrix<T> do_transform(const Samples<T>& points, const Run& run) const override;
  Matrix<T> do_inverse(const MatrixView<T>& scores, const Run& run) const override;
  void write(ModelWriter& writer) const override;

  Block<T> left_, right_;
  Matrix<double> mean_;
  Vector<double> left_values_, right_values_;
  Matrix<T> scores_;
};

}  // namespace mercer
