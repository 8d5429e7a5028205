// Maximum variance unfolding (Weinberger, Saul 2004): the Gram matrix K ⪰ 0 with Σ K_ij = 0 and the distances
// of neighbours kept, of the largest trace: a semidefinite program. Small n: all of it. Larger n: K = Q Y Qᵀ
// on the bottom eigenvectors Q of the graph's Laplacian (Weinberger, Sha, Zhu, Saul 2007), distances kept in
// the mean square.
#pragma once

#include <mercer/manifold.hpp>

namespace mercer {

struct MvuOptions {
  Index components = 2;
  NeighborOptions neighbors = {.count = 6};
  Index basis = 0;  ///< eigenvectors of the Laplacian; 0: none for few points, then as many as suit
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
};

}  // namespace mercer
