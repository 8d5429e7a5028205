// Maximum variance unfolding (Weinberger, Saul 2004): the Gram matrix K ⪰ 0 with Σ K_ij = 0 and the distances
// of neighbours kept, of the largest trace: a semidefinite program. Small n: all of it. Larger n: K = Q Y Qᵀ
// on the bottom eigenvectors Q of the graph's Laplacian (Weinberger, Sha, Zhu, Saul 2007), distances kept in
// the mean square; then the points themselves are moved until they are kept. New points are placed by weights
// that reconstruct them from their neighbours.
//
//     auto model = mercer::Mvu<double>::fit(samples, {.components = 2, .neighbors = {.count = 12}});
//     model.report().embedding->isometry_error;
#pragma once

#include <mercer/manifold.hpp>

namespace mercer {

struct MvuOptions {
  Index components = 2;
  NeighborOptions neighbors = {.count = 6};
  /// Eigenvectors of the Laplacian; 0: the whole program for few points, as many as suit for more. From n − 1
  /// on the whole program, however many points there are.
  Index basis = 0;
  Scale scale = Scale::none;
};

template <class T>
class Mvu final : public ManifoldModel<T> {
 public:
  static Mvu fit(const Samples<T>& samples, const MvuOptions& options = {}, const Run& run = {});
  static Mvu fit(const Dataset<T>& data, const MvuOptions& options = {}, const Run& run = {});
  static Mvu fit(const Samples<T>& samples, const NeighborGraph& graph, const MvuOptions& options,
                 const Run& run = {});
  static Mvu fit(const Dataset<T>& data, const NeighborGraph& graph, const MvuOptions& options,
                 const Run& run = {});
  static Plan plan(const Samples<T>& samples, const MvuOptions& options = {}, const Run& run = {});

  static std::unique_ptr<Model<T>> read(ModelReader<T>& reader);  ///< used by load_model

 private:
  Matrix<T> do_transform(const Samples<T>& points, const Run& run) const override;
  void write(ModelWriter& writer) const override;
  static Mvu unfolded(const ManifoldData<T>& data, const MvuOptions& options, const Run& run);

  Index neighbors_ = 1;  ///< that place a new point
};

extern template class Mvu<float>;
extern template class Mvu<double>;

}  // namespace mercer
