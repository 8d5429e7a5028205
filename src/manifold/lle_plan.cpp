// The costs of LLE before its graph is known.
#include "manifold/lle_plan.hpp"

#include "base/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

/// Fewer cannot be used: the Hessian has m(m + 3)/2 derivatives to tell apart, modified LLE needs a tangent
/// space.
Index fewest_neighbors(const LleOptions& o) {
  switch (o.variant) {
    case LleVariant::hessian:
      return o.components * (o.components + 3) / 2 + 1;
    case LleVariant::modified:
      return o.components;
    default:
      return 1;
  }
}

std::string title_of(LleVariant variant) {
  switch (variant) {
    case LleVariant::hessian:
      return "Hessian LLE";
    case LleVariant::modified:
      return "modified LLE";
    default:
      return "LLE";
  }
}

template <class T>
void require_sensible(const Samples<T>& samples, const LleOptions& o) {
  const auto refuse = [](std::string what, std::string hint = {}) {
    throw Error(ErrorCode::usage, std::move(what), std::move(hint));
  };
  const Index n = samples.rows();
  if (o.components < 1) refuse(fmt::format("{} components make no map", o.components), "ask for at least 1");
  if (n > 1 && o.components > n - 1)
    refuse(fmt::format("{} components of {} points were asked for", o.components, n),
           fmt::format("at most {}", n - 1));
  if (o.variant != LleVariant::standard && o.components > samples.cols() && samples.cols() > 0)
    refuse(fmt::format("{} in {} dimensions, and the data has {}", title_of(o.variant), o.components,
                       samples.cols()),
           "ask for fewer components");
  if (!(o.regularization > 0) || !std::isfinite(o.regularization))
    refuse(fmt::format("a regularisation of {} makes no sense", o.regularization), "above 0; 1e-3 is usual");
  if (!(o.residual >= 0) || !std::isfinite(o.residual))
    refuse(fmt::format("a residual of {} makes no sense", o.residual), "above 0, or 0 to have it chosen");
  if (!(o.modified_tolerance >= 0) || !(o.hessian_tolerance >= 0))
    refuse("the tolerances of modified and Hessian LLE must be 0 or more");
  if (!(o.neighbors.radius > 0) && o.neighbors.count < fewest_neighbors(o))
    refuse(fmt::format("{} in {} dimensions needs at least {} neighbours, and {} were asked for",
                       title_of(o.variant), o.components, fewest_neighbors(o), o.neighbors.count),
           o.variant == LleVariant::hessian ? "more than k(k + 3)/2 for k components" : "");
}

}  // namespace

template <class T>
Plan plan_lle(const Samples<T>& samples, const LleOptions& options, const Run& run) {
  require_sensible(samples, options);
  const double n = double(samples.rows()), m = double(options.components), d = double(samples.cols());
  // A radius takes as many as it does: known with the graph.
  const double k = double(options.neighbors.radius > 0 ? fewest_neighbors(options) : options.neighbors.count);
  const double columns = options.variant == LleVariant::standard ? 1
                         : options.variant == LleVariant::modified || options.hessian_remainder
                             ? k
                             : m * (m + 1) / 2;
  // Neighbourhoods overlap: on a surface about 4k points share one with a given point, of many dimensions k².
  const double row = std::min({n, (k + 1) * (k + 1), 5 * (k + 1) * std::sqrt(m)});
  const double krylov = n * (2 * m + 8 + 34 * 8) * 8;
  Plan plan;
  plan.route = Route::stored;
  plan.problem = fmt::format("{} of {} points with {}", title_of(options.variant), samples.rows(),
                             options.neighbors.radius > 0
                                 ? fmt::format("all neighbours within {}", options.neighbors.radius)
                                 : fmt::format("{} neighbours each", options.neighbors.count));
  plan.reason =
      "by shift-invert where the sparse Cholesky factor is cheap, which the graph tells, else by iteration";
  plan.bytes = n * k * 12 + n * (k + 1) * (8 * columns + 12) + 2 * n * row * 16 + krylov;
  plan.flops = 2 * n * double(samples.stored()) + n * k * k * (2 * d + 10 * k) +
               n * (k + 1) * (k + 1) * 2 * columns + 20 * 16 * n * row;
  plan.budget = run.memory_budget();
  if (plan.bytes > double(plan.budget))
    throw Error(ErrorCode::no_memory,
                fmt::format("{} needs {} but the memory budget is {}", plan.problem, format_bytes(plan.bytes),
                            format_bytes(double(plan.budget))),
                "raise --memory, or lower --neighbors");
  return plan;
}

void require_neighborhoods(const NeighborLists& lists, const LleOptions& options) {
  const auto fewest = static_cast<std::size_t>(fewest_neighbors(options));
  for (Index i = 0; i < lists.size(); ++i)
    if (lists.neighbors(i).size() < fewest)
      throw Error(
          ErrorCode::bad_data,
          fmt::format("{} in {} dimensions needs at least {} neighbours of each point, and point {} has {}",
                      title_of(options.variant), options.components, fewest, i, lists.neighbors(i).size()),
          "use a larger radius, or a number of neighbours");
}

template Plan plan_lle(const Samples<float>&, const LleOptions&, const Run&);
template Plan plan_lle(const Samples<double>&, const LleOptions&, const Run&);

}  // namespace mercer
