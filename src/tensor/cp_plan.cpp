// The plan of a CP fit.
#include "tensor/cp_plan.hpp"

#include "base/memory.hpp"
#include "tensor/cp_update.hpp"
#include "tensor/fibers.hpp"
#include "tensor/mttkrp.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mercer {
namespace {

double product_of(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), 1.0, [](double a, Index b) { return a * double(b); });
}

}  // namespace

void require_sensible(const Shape& shape, const CpOptions& o) {
  if (shape.empty()) (void)element_count(shape);
  for (const Index size : shape)
    if (size < 1) (void)element_count(shape);
  require_mode(shape, o.sample_mode);
  const Index largest = *std::max_element(shape.begin(), shape.end());
  const double most = product_of(shape) / double(largest);
  if (o.rank < 1 || double(o.rank) > most)
    throw Error(
        ErrorCode::usage, fmt::format("a rank of {} for an array of {}", o.rank, to_string(shape)),
        fmt::format("from 1 to {:.0f}, the product of all sizes but the largest: more components than "
                    "that describe any array exactly",
                    most));
  if (o.starts < 0) throw Error(ErrorCode::usage, fmt::format("{} starts make no sense", o.starts));
  if (o.start == CpStart::hosvd && o.starts > 1)
    throw Error(ErrorCode::usage, fmt::format("HOSVD gives one start, not {}", o.starts),
                "random ones beside it: start automatic");
  if (o.iterations < 1) throw Error(ErrorCode::usage, "at least one sweep is needed");
  if (!(o.tolerance > 0 && o.tolerance < 1))
    throw Error(ErrorCode::usage, fmt::format("a tolerance of {} makes no sense", o.tolerance),
                "between 0 and 1, such as 1e-8");
}

Plan plan_cp(const CpProblem& p, const CpOptions& options, const Run& run) {
  const auto rank = double(options.rank), width = double(padded(options.rank)), element = double(p.element);
  const double rows = double(std::accumulate(p.shape.begin(), p.shape.end(), Index(0)));
  const double longest = double(*std::max_element(p.shape.begin(), p.shape.end()));
  const double modes = double(p.shape.size()), entries = product_of(p.shape);
  const Index pairs = options.rank * (options.rank + 1) / 2;
  Plan plan;
  plan.budget = run.memory_budget();
  plan.problem = fmt::format("{} components of {} {}{}", options.rank, p.sparse ? "a sparse" : "an array of",
                             to_string(p.shape), p.weighted ? ", with gaps or weights" : "");
  // The factors now, a sweep ago, beyond, and the best so far; one factor's equations and solution.
  plan.bytes = 4 * rows * width * element + longest * (width * element + 2 * 8 * rank);
  double sweep = 0;
  if (p.sparse) {
    const double tensor = p.stored * (element + 4) * 1.1;
    plan.bytes += sparse_mttkrp_bytes(p.shape, tensor, options.rank, p.element);
    sweep = modes * 3 * p.stored * width;
    if (p.weighted) {
      plan.bytes += sparse_mttkrp_bytes(p.shape, tensor, pairs, p.element) +
                    (longest + rows) * double(padded(pairs)) * element;
      sweep += modes * 3 * p.stored * double(pairs);
    }
    plan.reason = "the entries are walked once a mode, on one tree of fibres for all of them";
  } else {
    const Index kept = dense_mttkrp_kept_rows(p.shape, first_fastest_modes(Index(p.shape.size())));
    plan.bytes += double(kept) * width * element;
    sweep = 2 * 2 * entries * width;
    if (p.weighted) {
      const Index some = pairs_at_once(pairs, entries, kept);
      plan.bytes +=
          double(kept) * double(padded(some)) * element + (longest + rows) * double(padded(pairs)) * element;
      sweep += (some < pairs ? modes : 2) * 2 * entries * double(pairs);
    }
    plan.reason = "a dimension tree: two passes over the array a sweep, and no Khatri-Rao product is formed";
  }
  sweep += modes * rank * rank * (rank + 4 * longest);
  plan.flops = usual_cp_sweeps * sweep;
  plan.reason += fmt::format("; {:.2g} operations a sweep", sweep);
  if (plan.bytes > double(plan.budget))
    throw Error(ErrorCode::no_memory,
                fmt::format("CP of {} at rank {} needs {} beside the data, but the memory budget is {}",
                            to_string(p.shape), options.rank, format_bytes(plan.bytes),
                            format_bytes(double(plan.budget))),
                "raise --memory, or lower the rank");
  return plan;
}

}  // namespace mercer
