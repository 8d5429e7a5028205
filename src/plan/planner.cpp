// The one place that chooses a route for the user.
#include "plan/planner.hpp"

#include "base/memory.hpp"
#include "operator/gram_operator.hpp"
#include "operator/landmark_approximation.hpp"
#include "plan/cost_model.hpp"
#include "plan/low_rank_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

/// A share of a kernel matrix' variance often takes a third of all components: up to this size LAPACK has
/// them all before an iteration has found out how many there must be.
constexpr Index small_for_a_share = 2000;
using cost::block_of;

/// Components the solver must hold: a share of variance is not known beforehand.
Index expected_count(const Problem& p) {
  if (p.components.share > 0) return std::min<Index>(p.size, std::max<Index>(32, p.size / 16));
  return std::min(p.components.count, p.size);
}

/// Kernel problems are solved in double whatever the data is in.
double element_bytes(const Problem& p) {
  return p.precision == Precision::float32 && p.apply_flops > 0 ? 4 : 8;
}

double krylov_bytes(const Problem& p, Index basis = 0) {
  const double n = double(p.size);
  double columns = cost::krylov_vectors(p.size, expected_count(p), block_of(p), basis, !p.indefinite);
  if (p.indefinite)  // a few of the other end, while the wanted ones wait
    columns = std::max(
        columns, double(expected_count(p)) + cost::krylov_vectors(p.size, 8, block_of(p), basis, false));
  // Where the basis would hold most of the space the solver writes the matrix out and calls LAPACK.
  const double written_out = columns > n ? 48 * n * n : 0;
  return n * columns * element_bytes(p) + written_out;
}

double gram_bytes(const Problem& p, Storage storage, const Run& run) {
  const Index block = std::max(cost::davidson_block(expected_count(p)), block_of(p));
  return GramOperator::bytes(p.size, block, storage, run.thread_count());
}

/// Nothing kept: the vectors of block Krylov, or of Davidson within what the budget leaves and a guess from
/// landmarks first. Where Davidson gives up, block Krylov takes over with a basis of that size.
double tiled_bytes(const Problem& p, const Run& run) {
  const double gram = gram_bytes(p, Storage::recomputed, run) + p.tile_bytes + p.rough_bytes;
  if (!begins_from_landmarks(p)) return gram + krylov_bytes(p);
  const Index k = expected_count(p), basis = cost::davidson_basis(k);
  const Index rank = LandmarkApproximation::suggested_rank(p.size, p.element_flops / 2);
  const double guess = LandmarkApproximation::bytes(p.size, p.element_flops / 2, rank);
  const double vectors = double(p.size) * 8 * cost::davidson_vectors(basis, k);
  return std::max(gram + std::max(vectors, krylov_bytes(p, basis)), guess) + p.tile_bytes;
}

Plan costed(const Problem& p, Route route, const Run& run) {
  Plan plan;
  plan.route = route;
  plan.problem = fmt::format("{} matrix {} x {}", p.name, p.size, p.size);
  plan.budget = run.memory_budget();
  const double n = double(p.size), k = double(expected_count(p)), b = double(block_of(p));
  switch (route) {
    case Route::dense:  // K̃, its copy for LAPACK, the workspace of divide and conquer; in double
      plan.bytes = n * n * 8 * (k >= n / 4 || p.components.share > 0 ? 5 : 3) + p.data_bytes + p.tile_bytes;
      plan.flops = n * n * p.element_flops + (k >= n / 4 ? 9 : 4.0 / 3) * n * n * n + 4 * n * n * k;
      break;
    case Route::stored: {
      const double vectors = krylov_bytes(p) + p.data_bytes + p.tile_bytes;
      plan.flops = n * n / 2 * p.element_flops + cost::passes * 2 * n * n * b + cost::orthogonalisation(p);
      if (p.apply_flops > 0) {
        plan.bytes = n * n * 8 + vectors;
        break;
      }
      plan.bytes = gram_bytes(p, Storage::stored, run) + vectors;
      const double in_float = gram_bytes(p, Storage::rounded, run) + vectors + p.rough_bytes;
      plan.rounded = p.precision == Precision::float32 ||
                     (plan.bytes > double(plan.budget) && in_float < plan.bytes);  // not with wide data
      if (plan.rounded) {
        plan.bytes = in_float;
        plan.flops += n * n * p.element_flops;  // exact passes evaluate K again
      }
      break;
    }
    default:
      plan.bytes = (p.apply_flops > 0 ? krylov_bytes(p) : tiled_bytes(p, run)) + p.data_bytes;
      plan.flops = p.apply_flops > 0
                       ? cost::passes * p.apply_flops * b + cost::orthogonalisation(p)
                       : cost::tiled_passes * (n * n / 2 * p.element_flops +
                                               2 * n * n * double(cost::davidson_block(expected_count(p))));
  }
  return plan;
}

/// The routes in the order in which they are tried, and why the first is first.
std::pair<std::vector<Route>, std::string> preference(const Problem& p) {
  const Index k = expected_count(p);
  if (p.size <= cost::small) return {{Route::dense, Route::stored, Route::tiled}, "small enough for LAPACK"};
  if (k >= p.size / 8)
    return {{Route::dense, Route::stored, Route::tiled}, "many components: LAPACK finds all at once"};
  if (p.components.share > 0 && p.apply_flops == 0 && p.size <= small_for_a_share)
    return {{Route::dense, Route::stored, Route::tiled},
            "a share of variance may take many components: LAPACK finds all at once"};
  const double form = p.element_flops * double(p.size) * double(p.size);
  if (p.apply_flops > 0 && form > cost::passes * double(block_of(p)) * p.apply_flops)
    return {{Route::tiled, Route::stored, Route::dense},
            "applying the data is cheaper than forming the matrix"};
  return {{Route::stored, Route::tiled, Route::dense},
          "few components: block Krylov on the matrix kept in memory"};
}

std::string in_float(const Plan& plan, const Problem& p) {
  return plan.rounded && p.precision == Precision::float64
             ? "; tiles kept in float, and the answer refined in double with fresh ones"
             : "";
}

std::string shortfall(const Plan& plan) {
  return fmt::format("{} would need {}", name_of(plan.route), format_bytes(plan.bytes));
}

/// What --route lowrank would take, to say when no exact route fits.
std::string low_rank_offer(const Problem& p, const Run& run) {
  if (!p.low_rank) return "";
  Problem approximate = p;
  approximate.rank = 0;  // as large as fits, but no larger than usual
  try {
    approximate.rank = std::min<Index>(low_rank_layout(approximate, run).rank, 1000);
    return fmt::format(", or approximate with --route lowrank: rank {} would need {}", approximate.rank,
                       format_bytes(low_rank_layout(approximate, run).bytes));
  } catch (const Error&) {
    return "";
  }
}

}  // namespace

bool begins_from_landmarks(const Problem& p) {
  return p.low_rank && p.apply_flops == 0 && p.components.share == 0 && p.size >= 2000;
}

Index davidson_basis(const Problem& p, const Plan& plan) {
  const Index k = expected_count(p), least = cost::davidson_basis(k);
  const double spare = std::max(0.0, double(plan.budget) - plan.bytes) / (8 * double(p.size));
  const double room = cost::davidson_vectors(least, k) + spare;
  Index basis = least;
  while (basis < least + 4 * k && cost::davidson_vectors(basis + 1, k) <= room) ++basis;
  return basis;
}

Plan make_plan(const Problem& p, Route wanted, const Run& run) {
  const double budget = double(run.memory_budget());
  if (wanted == Route::lowrank) {
    if (!p.low_rank)
      throw Error(ErrorCode::usage, fmt::format("there is no route lowrank for a {} matrix", p.name),
                  "it belongs to kernel PCA: choose auto, dense, stored or tiled");
    return plan_low_rank(p, low_rank_layout(p, run), run);
  }
  if (wanted != Route::automatic) {
    Plan plan = costed(p, wanted, run);
    plan.reason = "asked for" + in_float(plan, p);
    if (plan.bytes <= budget) return plan;
    std::string others;
    for (Route r : {Route::dense, Route::stored, Route::tiled})
      if (r != wanted && costed(p, r, run).bytes <= budget)
        others += fmt::format("{}{}", others.empty() ? "" : ", ", name_of(r));
    throw Error(ErrorCode::no_memory,
                fmt::format("route {} needs {} but the memory budget is {}", name_of(wanted),
                            format_bytes(plan.bytes), format_bytes(budget)),
                others.empty() ? fmt::format("raise --memory to at least {}",
                                             format_bytes(costed(p, Route::tiled, run).bytes * 1.01))
                               : "these fit: --route " + others);
  }
  const auto [routes, reason] = preference(p);
  std::vector<std::string> rejected;
  for (Route route : routes) {
    Plan plan = costed(p, route, run);
    if (plan.bytes <= budget) {
      plan.reason = rejected.empty() ? reason : fmt::format("fits the budget of {}", format_bytes(budget));
      plan.reason += in_float(plan, p);
      plan.rejected = std::move(rejected);
      return plan;
    }
    rejected.push_back(shortfall(plan));
  }
  std::string all;
  double least = std::numeric_limits<double>::infinity();
  for (Route route : {Route::dense, Route::stored, Route::tiled}) {
    const Plan plan = costed(p, route, run);
    all += fmt::format("{}{}", all.empty() ? "" : ", ", shortfall(plan));
    least = std::min(least, plan.bytes);
  }
  throw Error(ErrorCode::no_memory,
              fmt::format("no route fits the memory budget of {} for a {} matrix of {} x {}: {}",
                          format_bytes(budget), p.name, p.size, p.size, all),
              fmt::format("raise --memory to at least {} or ask for fewer components{}",
                          format_bytes(least * 1.01), low_rank_offer(p, run)));
}

}  // namespace mercer
