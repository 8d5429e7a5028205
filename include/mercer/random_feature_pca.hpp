// Kernel PCA on random features: k(x, y) ≈ z(x)·z(y) with D random cosines and sines (Rahimi and Recht 2007;
// orthogonal: Yu et al. 2016), and linear PCA of z. Memory D² and time n·D² whatever the kernel matrix would
// be; rows need not fit in memory. The answer is approximate to about 1/√D and carries no certificate: the
// report says so, and how far z(x)·z(y) was from k(x, y) on pairs of training points.
//
//     auto model = mercer::RandomFeaturePca<float>::fit(samples, {.components = 10,
//                                                                 .kernel = mercer::Kernel::rbf(0.5),
//                                                                 .features = 2000});
//     model.report().features->kernel_rms_error;
//     auto scores = model.transform(new_points);
#pragma once

#include <mercer/kernel.hpp>
#include <mercer/model.hpp>
#include <mercer/plan.hpp>
#include <mercer/row_source.hpp>
#include <mercer/scaling.hpp>

namespace mercer {

struct RandomFeaturePcaOptions {
  Components components = 2;
  /// rbf, laplacian, matern32, matern52, rq, and their positive multiples, sums and products.
  Kernel kernel = {};
  Index features = 1024;      ///< D, an even number
  bool orthogonal = true;     ///< directions of the frequencies orthogonal, d at a time: less variance
  bool center = true;         ///< in feature space
  Scale scale = Scale::none;  ///< of the inputs
  double residual = 0;        ///< of the problem in features; 0: 1e-10
};

template <class T>
class RandomFeatures;  // src/kernel/random_features.hpp

template <class T>
class RandomFeaturePca final : public Model<T> {
 public:
  static RandomFeaturePca fit(const Samples<T>& samples, const RandomFeaturePcaOptions& options = {},
                              const Run& run = {});
  static RandomFeaturePca fit(const Dataset<T>& data, const RandomFeaturePcaOptions& options = {},
                              const Run& run = {});
  /// On rows that need not fit in memory, in three passes: counting and scaling, a sample for gamma=median
  /// and the measured error, the features. The scores of the rows are not kept: transform them.
  static RandomFeaturePca fit(RowSource<T>& rows, const RandomFeaturePcaOptions& options = {},
                              const Run& run = {});

  /// What fit would do, with the time it should take here (measured briefly, once a process).
  static Plan plan(const Samples<T>& samples, const RandomFeaturePcaOptions& options = {},
                   const Run& run = {});

  [[nodiscard]] Index features() const override;
  [[nodiscard]] Matrix<T> scores() const override;
  [[nodiscard]] const Kernel& kernel() const { return kernel_; }
  /// Eigenvectors of the features' scatter matrix, a column a component: first the cosines' entries, then
  /// the sines'.
  [[nodiscard]] const Block<T>& directions() const { return directions_; }

  static std::unique_ptr<Model<T>> read(ModelReader<T>& reader);  ///< used by load_model

 private:
  struct Fit;  // src/model/random_feature_pca.cpp
  Matrix<T> do_transform(const Samples<T>& points, const Run& run) const override;
  void write(ModelWriter& writer) const override;

  Kernel kernel_;
  std::shared_ptr<const RandomFeatures<T>> map_;  ///< z
  Block<T> directions_;
  Vector<double> offset_;  ///< uᵀz̄
  Scaling<T> scaling_;
  Matrix<T> scores_;  ///< of the training points, where kept
};

}  // namespace mercer
