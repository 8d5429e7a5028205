// Locally linear embedding (Roweis, Saul 2000) and its two refinements: modified LLE (Zhang, Wang 2007), with
// several weight vectors a neighbourhood, and Hessian LLE (Donoho, Grimes 2003), with the Hessian on tangent
// spaces. Each is the bottom of a sparse positive semidefinite matrix M beyond its constant null vector,
// found by shift-invert; as kernel PCA, K = (M + σI)⁻¹ without the constant.
//
//     auto model = mercer::Lle<double>::fit(samples, {.variant = mercer::LleVariant::hessian});
#pragma once

#include <mercer/manifold.hpp>

namespace mercer {

enum class LleVariant { standard, modified, hessian };

struct LleOptions {
  Index components = 2;
  LleVariant variant = LleVariant::standard;
  NeighborOptions neighbors = {};
  double regularization = 1e-3;  ///< of the local Gram matrices, times their trace
  double modified_tolerance = 1e-12, hessian_tolerance = 1e-4;  ///< as scikit-learn has them
  Scale scale = Scale::none;
  double residual = 0;
};

template <class T>
class Lle final : public ManifoldModel<T> {
 public:
  static Lle fit(const Samples<T>& samples, const LleOptions& options = {}, const Run& run = {});
  static Lle fit(const Dataset<T>& data, const LleOptions& options = {}, const Run& run = {});
  static Lle fit(const Samples<T>& samples, const NeighborGraph& graph, const LleOptions& options,
                 const Run& run = {});
  static Lle fit(const Dataset<T>& data, const NeighborGraph& graph, const LleOptions& options,
                 const Run& run = {});
  static Plan plan(const Samples<T>& samples, const LleOptions& options = {}, const Run& run = {});

  static std::unique_ptr<Model<T>> read(ModelReader<T>& reader);  ///< used by load_model

 private:
  Matrix<T> do_transform(const Samples<T>& points, const Run& run) const override;
  void write(ModelWriter& writer) const override;

  Index neighbors_ = 0;
  double regularization_ = 0;
};

}  // namespace mercer
