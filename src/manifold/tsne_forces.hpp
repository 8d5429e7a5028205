// The forces that make the map: attraction along P, repulsion between all points (exactly, by Barnes-Hut or
// by interpolation), and the divergence that they lower.
#pragma once

#include <mercer/tsne.hpp>

#include "manifold/tsne_affinities.hpp"
#include "manifold/tsne_map.hpp"

#include <memory>
#include <string>

namespace mercer {

template <class T>
class TsneForces {
 public:
  virtual ~TsneForces() = default;

  /// out_i = Σ_j (e·p_ij − q_ij) w_ij (y_i − y_j) with q_ij = w_ij/Z, Z = Σ_{i≠j} w_ij: for e = 1 a quarter
  /// of ∂KL/∂y_i.
  virtual void gradient(const TsneMap<T>& map, double exaggeration, TsneMap<T>& out, const Run& run) = 0;
  /// KL(P‖Q) = Σ p_ij log(p_ij / q_ij)
  virtual double divergence(const TsneMap<T>& map, const Run& run) = 0;
  /// What the user should know, in words; empty for the most part.
  [[nodiscard]] virtual std::string note() const { return {}; }
};

/// All pairs, `p` as dense_affinities gives it.
template <class T>
[[nodiscard]] std::unique_ptr<TsneForces<T>> exact_forces(Matrix<T> p, const Run& run);

template <class T>
[[nodiscard]] std::unique_ptr<TsneForces<T>> barnes_hut_forces(SparseAffinities<T> p, Index components,
                                                               double angle, const Run& run);

/// The grid has at most so many nodes an axis.
template <class T>
[[nodiscard]] std::unique_ptr<TsneForces<T>> interpolation_forces(SparseAffinities<T> p, Index components,
                                                                  Index most_nodes, const Run& run);

}  // namespace mercer
