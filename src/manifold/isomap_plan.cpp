// All points where their paths fit into memory, else as many landmarks as do.
#include "manifold/isomap_plan.hpp"

#include "base/memory.hpp"
#include "manifold/geodesic_map.hpp"
#include "model/spectral_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

constexpr Index dense_most = 768;  ///< beyond, block Krylov finds a few pairs sooner than LAPACK
constexpr Index most_landmarks = 8192;

Route route_for(Index size, Index components) {
  return size <= dense_most || 6 * components >= size ? Route::dense : Route::stored;
}

/// Lists, links both ways and the walk's own copy.
double graph_bytes(Index n, const NeighborOptions& neighbors) {
  const double count = neighbors.radius > 0 ? 32 : double(neighbors.count);
  return double(n) * (count * (12 + 1.5 * 16 + 1.5 * 12) + 40);
}

/// The most landmarks within so many bytes.
Index landmarks_within(double bytes, Index n, Index components) {
  Index low = 0, high = std::min(n - 1, most_landmarks);
  while (low < high) {
    const Index middle = (low + high + 1) / 2;
    if (landmark_bytes(n, middle, components, route_for(middle, components)) <= bytes)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

void require_sensible(Index n, const IsomapOptions& o) {
  require_solvable(Components(o.components), o.residual);
  if (o.components >= n && n > 0)
    throw Error(ErrorCode::usage, fmt::format("{} points have no map of {} dimensions", n, o.components),
                fmt::format("at most {}", n - 1));
  if (o.landmarks < 0) throw Error(ErrorCode::usage, fmt::format("{} landmarks make no sense", o.landmarks));
  if (o.landmarks > 0 && o.landmarks <= o.components)
    throw Error(ErrorCode::usage,
                fmt::format("{} landmarks cannot span {} dimensions", o.landmarks, o.components),
                fmt::format("at least {}", o.components + 1));
}

}  // namespace

IsomapPlan plan_isomap(Index n, double entries, const IsomapOptions& options, const Run& run) {
  require_sensible(n, options);
  IsomapPlan out;
  Plan& plan = out.plan;
  plan.budget = run.memory_budget();
  const double graph = graph_bytes(n, options.neighbors), budget = double(plan.budget);
  const Index k = options.components;
  out.landmarks = options.landmarks < n ? options.landmarks : 0;
  const Route all_route = route_for(n, k);
  const double all = geodesic_bytes(n, k, all_route, run.thread_count());
  if (out.landmarks == 0 && graph + all > budget) {
    out.reduced = true;
    out.landmarks = landmarks_within(budget - graph, n, k);
    plan.rejected.push_back(
        fmt::format("all {} points: paths between them need {}", n, format_bytes(graph + all)));
  }
  const bool few = out.landmarks > 0;
  const Index size = few ? out.landmarks : n;
  plan.route = route_for(size, k);
  plan.bytes = graph + (few ? landmark_bytes(n, size, k, plan.route) : all);
  if (plan.bytes > budget || (out.reduced && out.landmarks <= 10 * k))
    throw Error(ErrorCode::no_memory,
                fmt::format("Isomap of {} points with {} landmarks needs {}, and the memory budget is {}", n,
                            few ? out.landmarks : 10 * k, format_bytes(plan.bytes), format_bytes(budget)),
                "raise --memory, or fewer landmarks");
  plan.problem = few ? fmt::format("geodesic kernel {}x{} of landmarks, {} points", size, size, n)
                     : fmt::format("geodesic kernel {}x{}", n, n);
  plan.reason = out.reduced ? "all points do not fit the memory budget: as many landmarks as do"
                : few       ? "landmarks were asked for"
                : plan.route == Route::dense ? "small enough for LAPACK"
                                             : "the paths fit into memory";
  // Neighbours; paths, each link in both directions and a queue; passes or LAPACK.
  const double count = options.neighbors.radius > 0 ? 32 : double(options.neighbors.count);
  const double m = double(size), points = double(n);
  plan.flops = 2 * points * entries + m * points * (3 * count + std::log2(points + 1)) +
               (plan.route == Route::dense ? 4.0 / 3 * m * m * m : 200 * m * m);
  return out;
}

}  // namespace mercer
