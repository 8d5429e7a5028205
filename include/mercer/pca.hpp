// PCA (mission rows M1, M2): S = XᵀHX/n, S u = λ u, scores Z = (X − μ)U, X ≈ Z Uᵀ + μ. The d x d
// covariance or the n x n Gram problem is solved, whichever is smaller; u = X̃ᵀv/√λ ties them.
//
//     auto pca = mercer::Pca<double>::fit(samples, {.components = 10});
//     pca.scores(); pca.directions(); pca.report().explained_variance_ratio;
#pragma once

#include <mercer/model.hpp>
#include <mercer/plan.hpp>
#include <mercer/scaling.hpp>

namespace mercer {

struct PcaOptions {
  Components components = 2;
  bool center = true;  ///< false: the plain SVD, as LSA needs
  Scale scale = Scale::none;
  bool unbiased = false;  ///< variances over n − 1 instead of n
  double residual = 0;    ///< relative to the largest eigenvalue; 0: 1e-10 or 1e-5
  Route route = Route::automatic;
  double delta = 1e-6;
};

template <class T>
class Pca final : public Model<T> {
 public:
  static Pca fit(const Samples<T>& samples, const PcaOptions& options = {}, const Run& run = {});
  static Pca fit(const Dataset<T>& data, const PcaOptions& options = {}, const Run& run = {});
  /// What fit would do, with the time it should take here (measured briefly, once a process).
  static Plan plan(const Samples<T>& samples, const PcaOptions& options = {}, const Run& run = {});

  [[nodiscard]] Index features() const override { return directions_.rows(); }
  [[nodiscard]] Matrix<T> scores() const override { return scores_; }
  [[nodiscard]] const Block<T>& directions() const { return directions_; }  ///< d x k, orthonormal
  [[nodiscard]] std::optional<Block<T>> loadings() const override { return directions_; }
  [[nodiscard]] const Vector<double>& mean() const { return mean_; }  ///< zeros if not centred

  static std::unique_ptr<Model<T>> read(ModelReader<T>& reader);  ///< used by load_model

 private:
  Matrix<T> do_transform(const Samples<T>& points, const Run& run) const override;
  Matrix<T> do_inverse(const MatrixView<T>& scores, const Run& run) const override;
  void write(ModelWriter& writer) const override;

  Block<T> directions_;
  Vector<double> mean_;
  Scaling<T> scaling_;
  Matrix<T> scores_;
};

}  // namespace mercer
