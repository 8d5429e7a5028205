// What the low-rank route takes: the factor in memory where it fits, otherwise passes over the data.
#pragma once

#include "plan/planner.hpp"

namespace mercer {

struct LowRankLayout {
  bool streamed = false;  ///< F is not kept: features are computed anew, a chunk of rows at a time
  Index rank = 0;         ///< the one asked for, or the largest that fits when a tolerance decides
  Index sample = 0;       ///< streamed: rows among which pivots are chosen
  double bytes = 0;
  double flops = 0;
  /// Bytes and flops where landmarks are drawn by rejection from points in memory.
  double without_factor = 0, flops_without_factor = 0;
};

/// From some size on a factor costs more in fresh memory than in arithmetic: it is not made where landmarks
/// can be drawn without.
[[nodiscard]] bool is_large_factor(Index n, Index rank);

/// Throws Error{no_memory} when not even the streamed form fits. `always_stream`: the points do not
/// lie in memory.
[[nodiscard]] LowRankLayout low_rank_layout(const Problem& problem, const Run& run,
                                            bool always_stream = false);

/// The layout as a plan with its reasons in words.
[[nodiscard]] Plan plan_low_rank(const Problem& problem, const LowRankLayout& layout, const Run& run);

}  // namespace mercer
