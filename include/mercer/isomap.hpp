// Isomap (Tenenbaum, de Silva, Langford 2000): kernel PCA with K = −½ H D² H, D the lengths of shortest paths
// in the neighbour graph. With landmarks (de Silva, Tenenbaum 2003) only their paths are needed.
//
//     auto model = mercer::Isomap<double>::fit(samples, {.components = 2, .neighbors = {.count = 12}});
#pragma once

#include <mercer/manifold.hpp>

namespace mercer {

class Stopwatch;  // src/base/stopwatch.hpp

struct IsomapOptions {
  Index components = 2;
  NeighborOptions neighbors = {};
  /// Drawn by the seed. 0: all points, or as many as the memory allows where that is too many, saying so.
  Index landmarks = 0;
  Scale scale = Scale::none;
  double residual = 0;  ///< as in kernel PCA
};

/// New points: from each a path begins at its neighbours in the graph, and y = ½ Λ^−½ Vᵀ(mean − d²) as for
/// the points of the map (Bengio et al. 2003), which therefore come back as they were.
template <class T>
class Isomap final : public ManifoldModel<T> {
 public:
  static Isomap fit(const Samples<T>& samples, const IsomapOptions& options = {}, const Run& run = {});
  static Isomap fit(const Dataset<T>& data, const IsomapOptions& options = {}, const Run& run = {});
  static Isomap fit(const Samples<T>& samples, const NeighborGraph& graph, const IsomapOptions& options,
                    const Run& run = {});
  static Isomap fit(const Dataset<T>& data, const NeighborGraph& graph, const IsomapOptions& options,
                    const Run& run = {});
  static Plan plan(const Samples<T>& samples, const IsomapOptions& options = {}, const Run& run = {});

  static std::unique_ptr<Model<T>> read(ModelReader<T>& reader);  ///< used by load_model

 private:
  static Isomap fit(const ManifoldData<T>& data, const IsomapOptions& options, const Run& run,
                    Stopwatch watch);
  Matrix<T> do_transform(const Samples<T>& points, const Run& run) const override;
  void write(ModelWriter& writer) const override;

  NeighborOptions neighbors_;     ///< by which new points are linked to the graph
  SparseMatrix<double> links_;    ///< of the graph, both ways
  std::vector<Index> landmarks_;  ///< ascending; empty: all points
  Vector<double> row_means_;      ///< of each landmark's squared path lengths to the landmarks
};

}  // namespace mercer
