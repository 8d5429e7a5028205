// The fields of a map's points on a grid, by the FFT (Linderman, Rachh, Hoskins, Steinerberger, Kluger 2019):
// φ(y) = Σ_j 1/(1 + ‖y − y_j‖²) and the force f(y) = Σ_j (y − y_j)/(1 + ‖y − y_j‖²)² = −½∇φ. All of them are
// convolutions of the same unit charges, so one transform goes in and one a field comes out. Between nodes
// the fields are cubic splines; the kernels' transforms are divided by the splines' own, both for the charges
// and for the fields, which leaves a twentieth of the error of Lagrange polynomials on as many nodes.
#pragma once

#include "manifold/tsne_fft.hpp"
#include "manifold/tsne_grid.hpp"

#include <vector>

namespace mercer {

template <class T>
class TsneField {
 public:
  /// For 1 or 2 components; at most so many nodes an axis.
  TsneField(Index components, Index most_nodes) : components_(components), most_nodes_(most_nodes) {}

  /// False, and nothing else, where the map is too large for the nodes. Throws Error{not_converged} where it
  /// is no longer finite.
  bool compute(const TsneMap<T>& map, const Run& run);
  [[nodiscard]] const Grid<T>& grid() const { return grid_; }
  [[nodiscard]] const T* values() const { return fields_.data(); }  ///< rows x cols x fields_a_node

  /// Memory for so many nodes an axis.
  [[nodiscard]] static double bytes(Index components, Index nodes);

 private:
  using Complex = std::complex<T>;
  bool fit_grid(const TsneMap<T>& map, const Run& run);
  void resize(Index length, Index height);
  void transform_kernels(const Run& run);
  void spread(const TsneMap<T>& map, const Run& run);
  void convolve(const Run& run);

  Index components_, most_nodes_;
  Grid<T> grid_;
  bool kernels_ready_ = false;
  Index length_ = 0, height_ = 0;       ///< of the transforms: twice the nodes, so that nothing comes around
  Index pitch_ = 0;                     ///< length/2 + 1 in whole bundles
  Index parts_ = 0;                     ///< charges are spread in parts, added in order
  std::vector<FourierPlans<T>> plans_;  ///< one, or none yet
  AlignedArray<T> charges_;             ///< parts x rows x cols
  std::vector<AlignedArray<Complex>> spectra_;  ///< a field each: rows x pitch
  std::vector<AlignedArray<T>> kernels_;        ///< a field each: bundles x height x bundle; odd ones over i
  AlignedArray<T> fields_;
};

}  // namespace mercer
