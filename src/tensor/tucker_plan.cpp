// Orders of modes by dynamic programming over the sets of modes already truncated; costs.
#include "tensor/tucker_plan.hpp"

#include "base/at.hpp"
#include "base/memory.hpp"
#include "tensor/fibers.hpp"
#include "tensor/mode_product.hpp"
#include "tensor/sample_rows.hpp"
#include "tensor/sparse_gram.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

double product(const Shape& sizes) {
  double out = 1;
  for (const Index size : sizes) out *= double(size);
  return out;
}

/// Ranks as given, or a guess.
Shape expected_ranks(const TuckerProblem& p) {
  if (!p.ranks.empty()) return p.ranks;
  Shape out;
  for (const Index size : p.shape) out.push_back((size + 3) / 4);
  return out;
}

BasisProblem basis_problem(const TuckerProblem& p, double elements, Index mode) {
  const Index size = p.shape[at(mode)];
  return {.size = size,
          .fibers = static_cast<Index>(elements / double(size)),
          .rank = p.ranks.empty() ? 0 : p.ranks[at(mode)],
          .precise = p.precise};
}

/// X ×(n ≠ skipped) Uₙᵀ in the cheapest order; `largest`: elements of the largest product.
double chain_flops(const TuckerProblem& p, const Shape& ranks, Index skipped, double& largest) {
  std::vector<SizeChange> changes;
  for (const Index mode : other_modes(static_cast<Index>(p.shape.size()), skipped))
    changes.push_back({p.shape[at(mode)], ranks[at(mode)]});
  double elements = product(p.shape), flops = 0;
  largest = 0;
  for (const std::size_t c : cheapest_order(changes)) {
    flops += 2 * elements * double(changes[c].after);
    elements *= double(changes[c].after) / double(changes[c].before);
    largest = std::max(largest, elements);
  }
  return flops;
}

/// A turn: the basis of the mode, and the product with it.
double step_flops(const TuckerProblem& p, const Shape& ranks, double elements, Index mode) {
  const BasisProblem basis = basis_problem(p, elements, mode);
  return basis_flops(basis, choose_basis_route(basis)) + 2 * elements * double(ranks[at(mode)]);
}

double elements_left(const TuckerProblem& p, const Shape& ranks, std::size_t truncated) {
  double out = 1;
  for (std::size_t m = 0; m < p.shape.size(); ++m) out *= double(truncated >> m & 1 ? ranks[m] : p.shape[m]);
  return out;
}

/// The order that takes the fewest operations among those that end with the samples' mode: its basis is then
/// that of the projected samples, and scores lead back to X̂ itself.
Shape cheapest_modes(const TuckerProblem& p) {
  const Index order = static_cast<Index>(p.shape.size());
  const Shape ranks = expected_ranks(p);
  Shape modes = first_fastest_modes(order);
  if (order > 12) {  // a good guess: large modes last, when little is left
    std::stable_sort(modes.begin(), modes.end(),
                     [&](Index a, Index b) { return p.shape[at(a)] < p.shape[at(b)]; });
    std::erase(modes, p.sample_mode);
    modes.push_back(p.sample_mode);
    return modes;
  }
  const std::size_t sets = std::size_t{1} << order;
  std::vector<double> best(sets, std::numeric_limits<double>::infinity());
  std::vector<Index> last(sets);
  best[0] = 0;
  for (std::size_t set = 0; set + 1 < sets; ++set)
    for (Index mode = 0; mode < order; ++mode) {
      const std::size_t next = set | std::size_t{1} << mode;
      if (next == set || (mode == p.sample_mode && next + 1 != sets)) continue;
      const double flops = best[set] + step_flops(p, ranks, elements_left(p, ranks, set), mode);
      if (flops >= best[next]) continue;
      best[next] = flops;
      last[next] = mode;
    }
  for (std::size_t set = sets - 1, place = at(order); place-- > 0; set ^= std::size_t{1} << last[set])
    modes[place] = last[set];
  return modes;
}

/// No mode has more directions than the others' ranks can tell apart.
void reduce_ranks(TuckerProblem& p) {
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t m = 0; m < p.ranks.size(); ++m) {
      double others = 1;
      for (std::size_t k = 0; k < p.ranks.size(); ++k)
        if (k != m) others *= double(p.ranks[k]);
      if (double(p.ranks[m]) <= others) continue;
      p.notes.push_back(
          fmt::format("rank {} of mode {} is more than the product of the other ranks, and was reduced to {}",
                      p.ranks[m], m, others));
      p.ranks[m] = static_cast<Index>(others);
      changed = true;
    }
  }
}

void require_ranks(const Shape& shape, const Shape& ranks) {
  if (ranks.size() != shape.size())
    throw Error(ErrorCode::usage,
                fmt::format("{} rank{} for an array of order {}", ranks.size(), ranks.size() == 1 ? "" : "s",
                            shape.size()),
                "give one rank a mode");
  for (std::size_t m = 0; m < shape.size(); ++m) {
    if (ranks[m] < 1)
      throw Error(ErrorCode::usage, fmt::format("rank {} of mode {} makes no sense", ranks[m], m),
                  "a rank is 1 or more");
    if (ranks[m] > shape[m])
      throw Error(ErrorCode::usage,
                  fmt::format("rank {} of mode {} is more than its size {}", ranks[m], m, shape[m]),
                  fmt::format("the array is {}", to_string(shape)));
  }
}

std::string in_words(const TuckerProblem& p, const std::vector<TuckerStep>& steps) {
  if (!p.sequential) return "HOSVD";
  std::vector<std::string> turns;
  for (const TuckerStep& step : steps)
    turns.push_back(fmt::format("{} by {}", step.mode, name_of(step.route)));
  return fmt::format("ST-HOSVD, cheapest order of modes: {}", fmt::join(turns, ", "));
}

std::string problem_in_words(const TuckerProblem& p) {
  if (p.ranks.empty()) return fmt::format("Tucker of {}", to_string(p.shape));
  return fmt::format("Tucker of {} to {}", to_string(p.shape), to_string(p.ranks));
}

/// HOOI projects twice a sweep on one half of the modes, and then on the rest of the other.
void add_sweeps(const TuckerProblem& p, const Shape& ranks, Plan& plan) {
  double largest = 0;
  const double flops = chain_flops(p, ranks, p.sample_mode, largest);
  plan.flops += double(p.sweeps) * 2 * flops;
  if (p.sweeps > 0) plan.bytes = std::max(plan.bytes, 1.5 * largest * double(p.item));
}

}  // namespace

void require_budget(double bytes, const Run& run, const std::string& what) {
  const auto budget = double(run.memory_budget());
  if (bytes > budget)
    throw Error(ErrorCode::no_memory,
                fmt::format("{} needs {} but the memory budget is {}", what, format_bytes(bytes),
                            format_bytes(budget)),
                "raise --memory, or ask for smaller ranks");
}

Index sweeps_for_large_modes(const Shape& shape) {
  constexpr Index sweeps = 50;
  return std::all_of(shape.begin(), shape.end(), has_sparse_gram) ? 0 : sweeps;
}

double finishing_bytes(double core, double samples, bool sweeps) {
  return 48 * core + 24 * samples + (sweeps ? 16 * (core + samples) : 0);
}

TuckerProblem tucker_problem(const Shape& shape, const TuckerOptions& options, double least_error,
                             std::size_t item) {
  (void)element_count(shape);
  if (options.sample_mode < 0 || options.sample_mode >= static_cast<Index>(shape.size()))
    throw Error(
        ErrorCode::usage,
        fmt::format("mode {} cannot count the samples of a {} array", options.sample_mode, to_string(shape)),
        fmt::format("modes count from 0 to {}", shape.size() - 1));
  if (!options.ranks.empty()) require_ranks(shape, options.ranks);
  if (!(options.error >= 0 && options.error < 1))
    throw Error(ErrorCode::usage, fmt::format("a relative error of {} makes no sense", options.error),
                "0 (the exact rank) or more, and below 1");
  if (options.ranks.empty() && options.error > 0 && options.error < least_error)
    throw Error(
        ErrorCode::usage,
        fmt::format("an error of {} is below what rounding allows, {:.1e}", options.error, least_error),
        "ask for 0, which is the exact rank, or compute in double");
  if (options.hooi < 0 || !(options.tolerance >= 0))
    throw Error(ErrorCode::usage, "HOOI's number of sweeps and its tolerance must not be negative");
  TuckerProblem p;
  p.shape = shape;
  p.ranks = options.ranks;
  p.sample_mode = options.sample_mode;
  p.precise = options.ranks.empty() && std::max(options.error, least_error) < precise_error;
  p.sequential = options.method == TuckerMethod::st_hosvd;
  p.sweeps = options.hooi;
  p.item = item;
  reduce_ranks(p);
  return p;
}

std::vector<TuckerStep> tucker_steps(const TuckerProblem& p) {
  const Shape ranks = expected_ranks(p);
  double elements = product(p.shape);
  std::vector<TuckerStep> out;
  for (const Index mode : p.sequential ? cheapest_modes(p) : first_fastest_modes(Index(p.shape.size()))) {
    out.push_back({mode, choose_basis_route(basis_problem(p, elements, mode))});
    if (p.sequential) elements *= double(ranks[at(mode)]) / double(p.shape[at(mode)]);
  }
  return out;
}

Plan plan_tucker(const TuckerProblem& p, const std::vector<TuckerStep>& steps, const Run& run) {
  const Shape ranks = expected_ranks(p);
  Plan plan;
  plan.route = Route::dense;
  plan.problem = problem_in_words(p);
  plan.reason = in_words(p, steps);
  plan.budget = run.memory_budget();
  const double all = product(p.shape), item = double(p.item);
  double elements = all, held = 0;  // held: of products so far, beyond the array
  for (const TuckerStep& step : steps) {
    const BasisProblem basis = basis_problem(p, elements, step.mode);
    plan.flops += basis_flops(basis, step.route);
    plan.bytes = std::max(plan.bytes, held * item + basis_bytes(basis, step.route));
    if (!p.sequential) continue;
    const double left = elements * double(ranks[at(step.mode)]) / double(p.shape[at(step.mode)]);
    plan.flops += 2 * elements * double(ranks[at(step.mode)]);
    plan.bytes = std::max(plan.bytes, (held + left) * item);
    elements = held = left;
  }
  if (!p.sequential || steps.back().mode != p.sample_mode) {
    double largest = 0;
    plan.flops += chain_flops(p, ranks, p.sample_mode, largest);
    plan.bytes = std::max(plan.bytes, 1.5 * largest * item);
  }
  add_sweeps(p, ranks, plan);
  for (std::size_t m = 0; m < p.shape.size(); ++m) plan.bytes += 2 * item * double(p.shape[m] * ranks[m]);
  const double core = product(ranks), of_a_sample = core / double(ranks[at(p.sample_mode)]);
  plan.bytes = std::max(
      plan.bytes, finishing_bytes(core, of_a_sample * double(p.shape[at(p.sample_mode)]), p.sweeps > 0));
  require_budget(plan.bytes, run, plan.problem);
  return plan;
}

Plan plan_sparse_tucker(const TuckerProblem& p, Index stored, const Run& run) {
  if (p.ranks.empty())
    throw Error(ErrorCode::usage, "Tucker of a sparse array needs ranks, not an error",
                "give one rank a mode: an error would take all singular values of each mode");
  Plan plan;
  plan.route = Route::stored;
  plan.problem = problem_in_words(p);
  plan.reason =
      fmt::format("{} on {} stored entries, never made dense", p.sweeps > 0 ? "HOOI" : "HOSVD", stored);
  plan.budget = run.memory_budget();
  double core = product(p.ranks);
  for (std::size_t m = 0; m < p.shape.size(); ++m) {
    const double size = double(p.shape[m]), columns = core / double(p.ranks[m]);
    const double projected = 8 * size * columns, small = std::min(size, columns);
    plan.flops += double(std::max<Index>(p.sweeps, 1)) *
                  (2 * double(stored) * columns + 2 * size * columns * small + 20 * small * small * small);
    double bytes = 2 * projected + 8 * 4 * small * small + 8 * size * double(p.ranks[m]) * 3;
    if (has_sparse_gram(p.shape[m])) bytes = std::max(bytes, sparse_gram_bytes(p.shape[m], stored));
    plan.bytes = std::max(plan.bytes, bytes);
  }
  plan.bytes += 4 * 8 * core;
  require_budget(plan.bytes, run, plan.problem);
  return plan;
}

}  // namespace mercer
