// What a t-SNE fit will do and take: which gradient, how many neighbours, which learning rate, how much
// memory.
#pragma once

#include <mercer/tsne.hpp>

namespace mercer {

struct TsnePlan {
  Plan plan;
  TsneGradient gradient = TsneGradient::exact;
  Index neighbors = 0;   ///< of each point; n − 1 for the exact gradient
  Index most_nodes = 0;  ///< an axis, of the interpolation's grid
  double learning_rate = 0;
};

/// Of n − 1 neighbours that all count alike it is n − 1.
[[nodiscard]] bool perplexity_suits(double perplexity, Index n);

/// Throws Error{usage} where the options make no sense for so many points, Error{no_memory} where the budget
/// does not suffice.
template <class T>
[[nodiscard]] TsnePlan plan_tsne(const Samples<T>& samples, const TsneOptions& options, const Run& run);

}  // namespace mercer
