// Bytes and flops of the low-rank route.
#include "plan/low_rank_plan.hpp"

#include "base/memory.hpp"
#include "operator/feature_moments.hpp"
#include "operator/remainder_block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

/// A tolerance is reached by some rank that is not known beforehand; one this large should be allowed.
constexpr Index usual_rank = 1024;

struct Sizes {
  const Problem& p;
  double budget, n, element, row;
  double reading;  ///< a chunk of a file's rows, as text and as numbers (data/open_rows)
  Sizes(const Problem& problem, const Run& run, bool from_file)
      : p(problem),
        budget(double(run.memory_budget())),
        n(double(problem.size)),
        element(problem.precision == Precision::float32 ? 4 : 8),
        row(problem.size > 0 ? problem.data_bytes / double(problem.size) : 0),
        reading(from_file ? std::min(budget / 16, 84e6) : 0) {}

  /// Scatter, its copies and workspace in LAPACK, L twice; one chunk of features.
  [[nodiscard]] double small(double r) const { return 60 * r * r + double(feature_rows) * r * element; }
  [[nodiscard]] double scores() const {
    return p.components.share > 0 ? 0 : n * double(p.components.count) * element;
  }
  [[nodiscard]] double kept(double r) const {
    return n * (r * element + 40) + p.data_bytes + scores() + small(r);
  }
  [[nodiscard]] double sampled(double r, double sample) const {
    return sample * (r * element + 2 * row + 40);
  }
  /// Rows between which the remainder is looked at, with their features.
  [[nodiscard]] double block(double r) const {
    const auto m = double(remainder_block_rows(p.size, static_cast<Index>(r), budget / 16, element));
    return m * ((m + r) * element + row);
  }
  /// Beside the rest, what is known of each row: its diagonal, what is left of it, and the draw by that.
  [[nodiscard]] double streamed(double r, double sample) const {
    return reading + 48 * n + scores() + small(r) + std::max(block(r), sampled(r, sample));
  }
};

/// The largest rank up to n whose bytes fit; 0 when none does.
template <class Bytes>
Index largest_rank(Index n, double budget, Bytes&& bytes) {
  Index low = 0, high = n;
  while (low < high) {
    const Index middle = low + (high - low + 1) / 2;
    if (bytes(double(middle)) <= budget)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

}  // namespace

bool is_large_factor(Index n, Index rank) {
  return rank > 0 && n >= 32 * rank && double(n) * double(rank) >= 1 << 25;
}

LowRankLayout low_rank_layout(const Problem& p, const Run& run, bool always_stream) {
  const Sizes size(p, run, always_stream);
  const double budget = size.budget, n = size.n;
  LowRankLayout out;
  const Index in_memory = largest_rank(p.size, budget, [&](double r) { return size.kept(r); });
  const Index wanted = p.rank > 0 ? std::min(p.rank, p.size) : 0;
  out.streamed =
      always_stream || (wanted > 0 ? in_memory < wanted : in_memory < std::min(p.size, usual_rank));
  out.rank = wanted > 0 ? wanted : in_memory;
  if (!out.streamed) {
    out.bytes = size.kept(double(out.rank));
  } else {
    const auto needed = [&](double r) { return size.streamed(r, std::min(n, 4 * r)); };
    if (wanted == 0) out.rank = largest_rank(p.size, budget, needed);
    const auto r = double(out.rank);
    if (out.rank == 0 || needed(r) > budget)
      throw Error(
          ErrorCode::no_memory,
          fmt::format("route lowrank at rank {} needs {} even when the data is streamed, but the memory "
                      "budget is {}",
                      std::max<Index>(1, out.rank), format_bytes(needed(std::max(1.0, r))),
                      format_bytes(budget)),
          "raise --memory, or lower --rank");
    const double room = budget - size.streamed(r, 0);
    out.sample = static_cast<Index>(std::min(n, 0.7 * room / size.sampled(r, 1)));
    out.sample = std::max(out.sample, static_cast<Index>(std::min(n, 4 * r)));
    out.bytes = size.streamed(r, double(out.sample));
  }
  const auto r = double(out.rank), k = double(std::max<Index>(1, p.components.count));
  out.without_factor = p.data_bytes + size.streamed(r, 0);
  // A pass multiplies kernel values, with features for some of the rows; a factor is made and multiplied.
  const auto all = [&](double products) {
    return n * r * (products * r + 2 * p.element_flops + 2 * k) + 4 * r * r * r;
  };
  out.flops = out.streamed ? all(1.25) + double(out.sample) * r * (r + p.element_flops) : all(2);
  out.flops_without_factor = all(1.25);
  return out;
}

Plan plan_low_rank(const Problem& p, const LowRankLayout& layout, const Run& run) {
  Plan plan;
  plan.route = Route::lowrank;
  plan.budget = run.memory_budget();
  plan.bytes = layout.bytes;
  plan.flops = layout.flops;
  plan.problem = fmt::format("{} matrix {} x {} as a factor of {}{} columns", p.name, p.size, p.size,
                             p.rank > 0 ? "" : "at most ", layout.rank);
  plan.reason = "asked for";
  if (!layout.streamed && is_large_factor(p.size, p.rank))
    plan.reason += fmt::format("; {} where landmarks can be drawn without the factor",
                               format_bytes(layout.without_factor));
  if (layout.streamed)
    plan.reason += layout.sample < p.size
                       ? fmt::format(
                             "; the factor is not kept: landmarks from {} of the rows, then passes over the "
                             "data",
                             layout.sample)
                       : std::string("; the factor is not kept: passes over the data");
  return plan;
}

}  // namespace mercer
