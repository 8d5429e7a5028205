// What the ways to a pre-image share: the projection Pφ = Σ_j w_j φ(x_j), w = αz + β, in double whatever the
// model is in, and the interface of a way back. One file a method.
#pragma once

#include <mercer/preimage.hpp>

#include "kernel/profile.hpp"

#include <memory>

namespace mercer {

/// Row-major C = A·B, by BLAS.
[[nodiscard]] Matrix<double> product(const MatrixView<double>& a, const MatrixView<double>& b);
/// Row-major C = A·Bᵀ, by BLAS.
[[nodiscard]] Matrix<double> product_transposed(const MatrixView<double>& a, const MatrixView<double>& b);

/// A model's feature space seen from its points; β are the weights of the mean φ̄ = Σ_j β_j φ(x_j).
struct Expansion {
  Kernel kernel;
  std::optional<KernelProfile> profile;
  Matrix<double> points;     ///< x_j, scaled as the model does
  Matrix<double> alpha;      ///< n x k
  Vector<double> beta;       ///< zeros when not centred
  Matrix<double> at_points;  ///< u_c·φ(x_j), n x k
  Vector<double> mean_at;    ///< φ̄·φ(x_j)
  Vector<double> diagonal;   ///< k(x_j, x_j)
  Vector<double> offset;     ///< u_c·φ̄
  double mean_norm = 0;      ///< ‖φ̄‖²

  /// Of the points, α and β alone; look_around() adds the rest, in a pass over the kernel matrix.
  template <class T>
  static Expansion of(const KernelPca<T>& model, const Run& run);
  void look_around(const Run& run);

  /// For scores of the first components, a row each: w, Pφ·φ(x_j), and ‖Pφ‖² = ‖z‖² + 2z·offset + ‖φ̄‖².
  [[nodiscard]] Matrix<double> weights(const MatrixView<double>& scores) const;
  [[nodiscard]] Matrix<double> inner(const MatrixView<double>& scores) const;
  [[nodiscard]] Vector<double> norms(const MatrixView<double>& scores) const;
  /// ‖φ(z) − Pφ‖², at least 0.
  [[nodiscard]] Vector<double> errors(const Matrix<double>& z, const MatrixView<double>& scores) const;
};

/// One way back; solve() is called for blocks of scores, from several threads.
class PreimageSolver {
 public:
  virtual ~PreimageSolver() = default;
  /// `inputs` has no rows where none are known. Returns how many have not converged.
  virtual Index solve(const MatrixView<double>& scores, const Matrix<double>& inputs,
                      Matrix<double>& out) const = 0;
  /// Of a way that was learned by ridge regression; otherwise empty.
  [[nodiscard]] virtual Matrix<double> ridge_coefficients() const { return {}; }
};

[[nodiscard]] std::unique_ptr<PreimageSolver> make_exact(const Expansion& space);
[[nodiscard]] std::unique_ptr<PreimageSolver> make_fixed_point(const Expansion& space,
                                                               const PreimageOptions& options);
[[nodiscard]] std::unique_ptr<PreimageSolver> make_distances(const Expansion& space,
                                                             const PreimageOptions& options);
[[nodiscard]] std::unique_ptr<PreimageSolver> make_ridge(const Expansion& space,
                                                         const PreimageOptions& options, const Run& run);

/// The training points nearest to each Pφ in feature space, nearest first; a row a point.
[[nodiscard]] Eigen::Matrix<Index, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> nearest_in_feature_space(
    const Expansion& space, const Matrix<double>& inner, Index count);

}  // namespace mercer
