// Laplacian eigenmaps (Belkin, Niyogi 2003): the bottom of the graph's Laplacian D − W (unnormalised),
// I − D^−½WD^−½ (symmetric) or I − D⁻¹W (random walk) beyond the constant; and diffusion maps (Coifman, Lafon
// 2006), the top of the random walk with the density divided out, each coordinate times λᵗ.
#pragma once

#include <mercer/manifold.hpp>

namespace mercer {

enum class Laplacian { unnormalized, symmetric, random_walk };
enum class GraphWeights { heat, ones };

struct LaplacianOptions {
  Index components = 2;
  Laplacian laplacian = Laplacian::symmetric;
  GraphWeights weights = GraphWeights::ones;
  double heat = 0;  ///< t in exp(−‖x−y‖²/t); 0: the mean squared length of the links
  NeighborOptions neighbors = {};
  bool diffusion = false;     ///< diffusion map in place of eigenmap: heat weights, random walk
  double diffusion_time = 1;  ///< t of λᵗ
  double density_power = 1;   ///< α: W is divided by (d_i d_j)^α first
  Scale scale = Scale::none;
  double residual = 0;
};

template <class T>
class LaplacianEigenmaps final : public ManifoldModel<T> {
 public:
  static LaplacianEigenmaps fit(const Samples<T>& samples, const LaplacianOptions& options = {},
                                const Run& run = {});
  static LaplacianEigenmaps fit(const Dataset<T>& data, const LaplacianOptions& options = {},
                                const Run& run = {});
  static LaplacianEigenmaps fit(const Samples<T>& samples, const NeighborGraph& graph,
                                const LaplacianOptions& options, const Run& run = {});
  static LaplacianEigenmaps fit(const Dataset<T>& data, const NeighborGraph& graph,
                                const LaplacianOptions& options, const Run& run = {});
  static Plan plan(const Samples<T>& samples, const LaplacianOptions& options = {}, const Run& run = {});

  static std::unique_ptr<Model<T>> read(ModelReader<T>& reader);  ///< used by load_model

 private:
  Matrix<T> do_transform(const Samples<T>& points, const Run& run) const override;
  void write(ModelWriter& writer) const override;

  LaplacianOptions options_;
  Vector<double> degrees_, values_;
};

}  // namespace mercer
