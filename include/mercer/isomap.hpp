// Isomap (Tenenbaum, de Silva, Langford 2000): kernel PCA with K = −½ H D² H, D the lengths of shortest paths
// in the neighbour graph. With landmarks (de Silva, Tenenbaum 2003) only their paths are needed.
//
//     auto model = mercer::Isomap<double>::fit(samples, {.components = 2, .neighbors = {.count = 12}});
#pragma once

#include <mercer/manifold.hpp>

namespace mercer {

struct IsomapOptions {
  Index components = 2;
  NeighborOptions neighbors = {};
  Index landmarks = 0;  ///< 0: all points, or as many as the memory allows where that is too many, saying so
  Scale scale = Scale::none;
  double residual = 0;  ///< as in kernel PCA
};

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
  Matrix<T> do_transform(const Samples<T>& points, const Run& run) const override;
  void write(ModelWriter& writer) const override;
};

}  // namespace mercer
