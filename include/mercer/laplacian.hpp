// Laplacian eigenmaps (Belkin, Niyogi 2003): the bottom of the graph's Laplacian D − W (unnormalised),
// I − D^−½WD^−½ (symmetric) or I − D⁻¹W (random walk) beyond the constant; and diffusion maps (Coifman, Lafon
// 2006), the top of the random walk with the density divided out, each coordinate times λᵗ.
//
//     auto model = mercer::LaplacianEigenmaps<double>::fit(samples, {.neighbors = {.count = 12}});
#pragma once

#include <mercer/manifold.hpp>

namespace mercer {

enum class Laplacian {
  unnormalized,  ///< y = u, eigenvectors of D − W of length 1
  symmetric,    ///< y = D^−½u, eigenvectors u of I − D^−½WD^−½ of length 1, as scikit-learn has it
  random_walk,  ///< the same scaled to mean square 1 where the walk is at rest
};
enum class GraphWeights {
  heat,  ///< w = exp(−‖x−y‖²/t), at least 1e-9, where one of the two is a neighbour of the other
  ones,  ///< w = 1 there
};
[[nodiscard]] std::string_view name_of(Laplacian laplacian);
[[nodiscard]] std::string_view name_of(GraphWeights weights);
[[nodiscard]] Laplacian parse_laplacian(std::string_view name);
[[nodiscard]] GraphWeights parse_graph_weights(std::string_view name);

class Stopwatch;  // src/base/stopwatch.hpp

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

/// The eigenvalues of the report are those of the Laplacian, ascending; of diffusion maps those of the walk.
/// New points (Bengio et al. 2003): linked as if they had been there, y(x) = Σ w(x,x_i) y_i / ((1 − λ) d(x)),
/// or / (d(x) − λ) where the Laplacian is not normalised. A point of the map is where it was.
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

  /// Of the fit, resolved: heat is a number, neighbours are as the graph has them.
  [[nodiscard]] const LaplacianOptions& options() const { return options_; }

  static std::unique_ptr<Model<T>> read(ModelReader<T>& reader);  ///< used by load_model

 private:
  static LaplacianEigenmaps fit(const ManifoldData<T>& data, const LaplacianOptions& options, const Run& run,
                                Stopwatch watch);
  Matrix<T> do_transform(const Samples<T>& points, const Run& run) const override;
  void write(ModelWriter& writer) const override;

  LaplacianOptions options_;  ///< resolved: weights, heat, neighbours as the graph has them
  Vector<double> densities_;  ///< Σ_j w_ij, before anything is divided out
  Vector<double> radii_;      ///< how far each point's own neighbours reach
  Vector<double> values_;     ///< of the Laplacian
};

}  // namespace mercer
