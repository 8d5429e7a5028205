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
[[nodiscard]] std::string_view name_of(LleVariant variant);
[[nodiscard]] LleVariant parse_lle_variant(std::string_view name);

struct LleOptions {
  Index components = 2;
  LleVariant variant = LleVariant::standard;
  NeighborOptions neighbors = {};
  double regularization = 1e-3;  ///< of the local Gram matrices, times their trace
  double modified_tolerance = 1e-12, hessian_tolerance = 1e-4;  ///< as scikit-learn has them
  /// Hessian LLE: beside the second derivatives, whatever else of a function is not linear counts, as
  /// scikit-learn has it (its QR is a full one). M is then that of tangent space alignment (Zhang, Zha 2004),
  /// and sturdier; false: as Donoho and Grimes wrote it.
  bool hessian_remainder = true;
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

  [[nodiscard]] LleVariant variant() const { return variant_; }

  static std::unique_ptr<Model<T>> read(ModelReader<T>& reader);  ///< used by load_model

 private:
  struct Fit;  // src/manifold/lle.cpp
  Matrix<T> do_transform(const Samples<T>& points, const Run& run) const override;
  void write(ModelWriter& writer) const override;

  LleVariant variant_ = LleVariant::standard;
  Index neighbors_ = 0;  ///< that place a new point
  double regularization_ = 0;
};

}  // namespace mercer
