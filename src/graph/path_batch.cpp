// Label correcting with a register of distances a vertex.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "graph/path_batch.cpp"
#include <hwy/foreach_target.h>
// (foreach_target must come first)
#include <hwy/highway.h>

#include "graph/path_batch.hpp"
#include "graph/shortest_paths.hpp"

#include <limits>

HWY_BEFORE_NAMESPACE();
namespace mercer::paths::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void FromEight(const PathLinks& links, std::span<const PathStart> starts, double* HWY_RESTRICT distance,
               Frontier& frontier) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const hn::CappedTag<double, path_batch> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const auto nothing = hn::Set(d, infinite);
  std::fill(distance, distance + links.size() * path_batch, infinite);
  frontier.restart();
  for (const PathStart& start : starts) {
    double& known = distance[start.vertex * path_batch + start.lane];
    known = std::min(known, start.length);
    frontier.lower(start.vertex, start.length);
  }
  const std::int32_t* const to = links.to.data();
  const double* const length = links.length.data();
  while (!frontier.empty()) {
    const Index u = frontier.pop();
    const double* const from = distance + u * path_batch;
    const std::int64_t end = links.begin[static_cast<std::size_t>(u) + 1];
    for (std::int64_t p = links.begin[static_cast<std::size_t>(u)]; p < end; ++p) {
      double* const known = distance + Index(to[p]) * path_batch;
      const auto step = hn::Set(d, length[p]);
      auto least = nothing;
      bool changed = false;
      for (Index l = 0; l < path_batch; l += lanes) {
        const auto through = hn::Add(hn::LoadU(d, from + l), step), before = hn::LoadU(d, known + l);
        const auto better = hn::Lt(through, before);
        if (hn::AllFalse(d, better)) continue;
        changed = true;
        hn::StoreU(hn::Min(through, before), d, known + l);
        least = hn::Min(least, hn::IfThenElse(better, through, nothing));
      }
      // The vertex is due when the least of what has changed is.
      if (changed) frontier.lower(to[p], hn::GetLane(hn::MinOfLanes(d, least)));
    }
  }
}

}  // namespace mercer::paths::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mercer {
namespace paths {
HWY_EXPORT(FromEight);
}  // namespace paths

void shortest_from_eight(const PathLinks& links, std::span<const PathStart> starts, double* distance,
                         Frontier& frontier) {
  using namespace paths;
  HWY_DYNAMIC_DISPATCH(FromEight)(links, starts, distance, frontier);
}

}  // namespace mercer
#endif  // HWY_ONCE
