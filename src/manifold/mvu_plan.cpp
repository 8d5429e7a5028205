// The one place that chooses for maximum variance unfolding, and the costs that it counts with.
#include "manifold/mvu_plan.hpp"

#include "base/memory.hpp"
#include "spectral/semidefinite.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mercer {
namespace {

/// Links up to which the whole program takes seconds: DSDP factors a matrix of as many rows some forty times.
constexpr double whole_most = 2400;
constexpr Index usual_basis = 20, beyond_components = 10, most_basis = 100;
/// A map that may leave its plane opens folds that it cannot open within it.
constexpr Index spare_dimensions = 3;
constexpr double solver_iterations = 40, newton_steps = 65, moves = 2000;

double reduced_bytes(double n, double links, double basis, double rank) {
  const double p = basis * (basis + 1) / 2;
  return 8 * (12 * p * p + 8 * 1024 * p) + links * (24 + 2 * 32) + 8 * n * (4 * basis + 32 * rank);
}

double reduced_flops(double n, double links, double basis, double rank) {
  const double p = basis * (basis + 1) / 2;
  return links * p * p + newton_steps * (p * p * p / 3 + 8 * p * p) +
         moves * (2 * links * 22 * rank + n * rank * (4 * basis + 60));
}

}  // namespace

void require_sensible(const MvuOptions& options) {
  if (options.components < 1)
    throw Error(ErrorCode::usage, fmt::format("{} components were asked for", options.components),
                "ask for at least 1");
  if (options.basis < 0 || (options.basis > 0 && options.basis < options.components))
    throw Error(ErrorCode::usage,
                fmt::format("a basis of {} vectors cannot carry {} component{}", options.basis,
                            options.components, options.components == 1 ? "" : "s"),
                "as many or more, or 0 to have it chosen");
}

MvuPlan plan_mvu(Index n, double links, const MvuOptions& options, const Run& run) {
  require_sensible(options);
  MvuPlan out;
  Plan& plan = out.plan;
  plan.budget = run.memory_budget();
  const double most_pairs = double(n) * double(n - 1) / 2;
  links = std::min(links, most_pairs);
  const double whole_bytes = semidefinite_bytes(double(n), links) + 8 * 6 * double(n) * double(n);
  const bool fits = whole_bytes <= double(plan.budget), asked = options.basis > 0;
  out.whole = asked ? options.basis >= n - 1 : links <= whole_most && fits;
  const Index chosen = asked ? options.basis : std::max(usual_basis, options.components + beyond_components);
  if (!out.whole && chosen >= n - 1) out.whole = fits || asked;
  if (out.whole) {
    plan.route = Route::dense;
    plan.problem = fmt::format("semidefinite program of {}x{} with up to {:.0f} links", n, n, links);
    plan.reason = asked ? fmt::format("a basis of {} vectors is all there is", options.basis)
                        : fmt::format("up to {:.0f} links the whole program takes seconds", whole_most);
    plan.bytes = whole_bytes;
    plan.flops = solver_iterations * (links * links * links / 3 + 10 * double(n) * double(n) * double(n));
  } else {
    out.basis = std::min(chosen, n - 1);
    if (out.basis > most_basis)
      throw Error(ErrorCode::usage,
                  fmt::format("a basis of {} vectors makes a program of {} unknowns", out.basis,
                              out.basis * (out.basis + 1) / 2),
                  asked ? fmt::format("at most {}, or {} for the whole program", most_basis, n - 1)
                        : fmt::format("at most {} components", most_basis - beyond_components));
    out.rank = std::min(out.basis, options.components + spare_dimensions);
    plan.route = Route::lowrank;
    plan.problem =
        fmt::format("map by unfolding {} points on {} vectors of the Laplacian, with up to {:.0f} links", n,
                    out.basis, links);
    const std::string whole =
        fits ? fmt::format("the whole program: more than {:.0f} links take long", whole_most)
             : fmt::format("the whole program: {} do not fit", format_bytes(whole_bytes));
    plan.reason = asked  ? fmt::format("a basis of {} vectors was asked for", out.basis)
                  : fits ? fmt::format("more than {:.0f} links", whole_most)
                         : "the whole program does not fit the memory budget";
    plan.rejected.push_back(whole);
    plan.bytes = reduced_bytes(double(n), links, double(out.basis), double(out.rank));
    plan.flops = reduced_flops(double(n), links, double(out.basis), double(out.rank));
  }
  if (plan.bytes > double(plan.budget))
    throw Error(ErrorCode::no_memory,
                fmt::format("a {} needs {} but the memory budget is {}", plan.problem,
                            format_bytes(plan.bytes), format_bytes(double(plan.budget))),
                out.whole && n > usual_basis
                    ? "raise --memory, lower --neighbors, or choose a smaller --basis"
                    : "raise --memory, or lower --neighbors");
  return out;
}

}  // namespace mercer
