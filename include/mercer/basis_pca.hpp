// PCA on basis functions (mission rows M6, M8): S = Φ̃ᵀΦ̃ (m x m) or Φ̃Φ̃ᵀ (n x n), whichever is smaller,
// Φ_ir = φ_r(x_i); score of x: uᵀ(φ(x) − μ). It equals kernel PCA with k(x, y) = φ(x)·φ(y). From the other
// end of the spectrum, S u ≈ 0 says that uᵀφ(x) = uᵀμ for all samples: a relation that the data obeys.
//
//     auto model = mercer::BasisPca<double>::fit(circle, {.basis = mercer::Basis::polynomial(2),
//                                                         .smallest = 1, .center = false});
//     model.report().basis->directions[0];      // x1² + x2² − 2·x1 − 4·x2 + 2.75 = 0
#pragma once

#include <mercer/basis.hpp>
#include <mercer/model.hpp>
#include <mercer/plan.hpp>
#include <mercer/scaling.hpp>

namespace mercer {

struct BasisPcaOptions {
  Basis basis = {};
  Components components = 2;
  Index smallest = 0;  ///< so many from the smallest end of the spectrum instead; 0: the largest
  bool center = true;  ///< in feature space
  Scale scale = Scale::none;
  double residual = 0;  ///< relative to the largest eigenvalue; 0: 1e-10
  Route route = Route::automatic;
  double delta = 1e-6;
};

class FeatureMap;  // src/kernel/feature_map.hpp

template <class T>
class BasisPca final : public Model<T> {
 public:
  static BasisPca fit(const Samples<T>& samples, const BasisPcaOptions& options = {}, const Run& run = {});
  static BasisPca fit(const Dataset<T>& data, const BasisPcaOptions& options = {}, const Run& run = {});
  /// What fit would do, with the time it should take here (measured briefly, once a process).
  static Plan plan(const Samples<T>& samples, const BasisPcaOptions& options = {}, const Run& run = {});

  [[nodiscard]] Index features() const override;
  [[nodiscard]] Matrix<T> scores() const override { return scores_; }
  [[nodiscard]] const Basis& basis() const { return basis_; }  ///< resolved
  /// m x k, orthonormal: in the coordinates φ₁ … φ_m, weights included.
  [[nodiscard]] const Block<double>& directions() const { return directions_; }
  [[nodiscard]] const Vector<double>& mean() const { return mean_; }  ///< of φ; zeros if not centred

  static std::unique_ptr<Model<T>> read(ModelReader<T>& reader);  ///< used by load_model

 private:
  Matrix<T> do_transform(const Samples<T>& points, const Run& run) const override;
  void write(ModelWriter& writer) const override;
  /// Fills report().basis from the rest.
  void describe();

  Basis basis_;
  std::shared_ptr<const FeatureMap> map_;
  Block<double> directions_;
  Vector<double> mean_;
  Vector<double> sizes_;  ///< of φ, root mean square; where relations are sought
  Vector<double> spans_;  ///< of each relation: how large its terms are about the middle of the data
  Scaling<T> scaling_;
  Matrix<T> scores_;
};

}  // namespace mercer
