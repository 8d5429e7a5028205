// A stack of matrices A_i (samples x height x width), read some at a time, in double and with the mean
// subtracted there: F − n Ā Āᵀ would lose what a large mean leaves.
#pragma once

#include <mercer/run.hpp>
#include <mercer/tensor.hpp>

namespace mercer {

/// U and V of U Uᵀ A V Vᵀ. An empty one is the identity: that side is left alone.
struct Sides {
  Block<double> left, right;
};

/// Matrices of one size, each a row of its entries row by row.
struct MatrixRows {
  Index height, width;
  [[nodiscard]] Index size() const { return height * width; }
  /// How many to take at a time.
  [[nodiscard]] Index at_once() const;
  /// rows: count x size, row-major; M_i = Uᵀ A_i V of each.
  [[nodiscard]] Matrix<double> project(const Matrix<double>& rows, const Sides& sides) const;
  /// U M_i Vᵀ of each.
  [[nodiscard]] Matrix<double> expand(const Matrix<double>& cores, const Sides& sides) const;
};

template <class T>
class MatrixStack {
 public:
  /// Finds the mean, unless it is to be 0.
  MatrixStack(const TensorView<T>& x, bool center, const Run& run);

  [[nodiscard]] Index samples() const { return x_.size(0); }
  [[nodiscard]] const MatrixRows& matrices() const { return form_; }
  [[nodiscard]] const Matrix<double>& mean() const { return mean_; }

  /// F = Σ(A_i − Ā)V Vᵀ(A_i − Ā)ᵀ, G = Σ(A_i − Ā)ᵀU Uᵀ(A_i − Ā) (lower triangles) and Σ‖A_i − Ā‖².
  struct Scatter {
    Block<double> rows, columns;
    double squared_norm = 0;
  };
  enum class Wanted { rows, columns, both };
  [[nodiscard]] Scatter scatter(const Sides& sides, Wanted wanted) const;
  /// M_i = Uᵀ(A_i − Ā)V, a row each.
  [[nodiscard]] Matrix<double> cores(const Sides& sides) const;
  /// Σ‖A_i − Ā − U M_i Vᵀ‖², measured.
  [[nodiscard]] double squared_residual(const Sides& sides, const Matrix<double>& cores) const;

 private:
  /// Some of the matrices, centred.
  [[nodiscard]] Matrix<double> rows(Index first, Index count) const;

  TensorView<T> x_;
  MatrixRows form_;
  Matrix<double> mean_;  ///< height x width
  Run run_;
};

}  // namespace mercer
