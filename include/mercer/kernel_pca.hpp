// Kernel PCA (mission rows M3, M4): K̃ = HKH, K̃ v = nλ v, α = v/√(nλ) so that αᵀK̃α = 1; the score
// of x on a component is Σ_j α_j k̃(x_j, x).
//
//     auto model = mercer::KernelPca<double>::fit(samples, {.components = 2,
//                                                           .kernel = mercer::Kernel::rbf(0.5)});
//     auto z = model.transform(new_points);
#pragma once

#include <mercer/kernel.hpp>
#include <mercer/model.hpp>
#include <mercer/plan.hpp>
#include <mercer/scaling.hpp>

namespace mercer {

/// What to do when the kernel matrix has negative eigenvalues.
enum class Indefinite { error, clip };
[[nodiscard]] Indefinite parse_indefinite(std::string_view name);

struct KernelPcaOptions {
  Components components = 2;
  Kernel kernel = {};         ///< default rbf(gamma=median)
  bool center = true;         ///< in feature space
  Scale scale = Scale::none;  ///< of the inputs
  Indefinite indefinite = Indefinite::error;
  double residual = 0;  ///< relative to the largest eigenvalue; 0: 1e-10 or 1e-5
  Route route = Route::automatic;
  double delta = 1e-6;
};

template <class T>
class KernelPca final : public Model<T> {
 public:
  static KernelPca fit(const Samples<T>& samples, const KernelPcaOptions& options = {}, const Run& run = {});
  static KernelPca fit(const Dataset<T>& data, const KernelPcaOptions& options = {}, const Run& run = {});
  /// What fit would do, with the time it should take here (measured briefly, once a process).
  static Plan plan(const Samples<T>& samples, const KernelPcaOptions& options = {}, const Run& run = {});

  [[nodiscard]] Index features() const override {
    return kernel_.is_precomputed() ? alpha_.rows() : points_.cols();
  }
  [[nodiscard]] Matrix<T> scores() const override;
  [[nodiscard]] std::optional<Matrix<T>> training_points() const override;
  [[nodiscard]] const Kernel& kernel() const { return kernel_; }
  [[nodiscard]] const Block<T>& alpha() const { return alpha_; }      ///< n x k, αᵀK̃α = 1
  [[nodiscard]] const Samples<T>& points() const { return points_; }  ///< scaled training points

  static std::unique_ptr<Model<T>> read(ModelReader<T>& reader);  ///< used by load_model

 private:
  Matrix<T> do_transform(const Samples<T>& points, const Run& run) const override;
  void write(ModelWriter& writer) const override;

  Kernel kernel_;
  Samples<T> points_;
  Block<T> alpha_;
  Vector<double> offset_;  ///< Σ_j α_j mean_l k(x_l, x_j): all that centring a new point needs
  Scaling<T> scaling_;
};

}  // namespace mercer
