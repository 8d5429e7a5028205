// The numbers of the low-rank certificate.
#include "spectral/lowrank_bound.hpp"

#include <mercer/error.hpp>

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

/// kl(q ‖ p) of two coins, with 0·ln 0 = 0.
double relative_entropy(double q, double p) {
  const double heads = q > 0 ? q * std::log(q / p) : 0;
  const double tails = q < 1 ? (1 - q) * std::log((1 - q) / (1 - p)) : 0;
  return heads + tails;
}

}  // namespace

double mean_upper_limit(double mean, Index m, double delta) {
  if (m <= 0 || mean >= 1) return 1;
  const double allowed = std::log(1 / delta) / double(m);
  double low = std::max(0.0, mean), high = 1;
  for (int i = 0; i < 200 && high - low > 1e-16 * high; ++i) {  // kl grows with p above the mean
    const double middle = (low + high) / 2;
    (middle < 1 && relative_entropy(std::max(0.0, mean), middle) <= allowed ? low : high) = middle;
  }
  return high;
}

double Remainder::trace() const {
  double sum = 0;
  for (const RemainderGroup& group : groups) sum += group.trace;
  return sum;
}

double Remainder::rigorous() const {
  double largest = 0;
  for (const RemainderGroup& group : groups) largest = std::max(largest, group.trace);
  return largest + cross;
}

double Remainder::probable() const {
  double largest = 0;
  for (const RemainderGroup& group : groups) largest = std::max(largest, group.norm);
  return largest + cross;
}

Remainder with_points(Remainder before, const RemainderGroup& group, double delta,
                      const std::vector<double>& trace_in, double hidden) {
  Remainder out = std::move(before);
  out.delta += delta;
  for (std::size_t g = 0; g < out.groups.size(); ++g)
    if (out.groups[g].rank < group.rank)
      out.cross += std::sqrt((out.groups[g].trace + hidden) * (trace_in[g] + hidden));
  if (out.groups.empty() || out.groups.back().rank != group.rank) {
    out.groups.push_back(group);
    return out;
  }
  out.groups.back().trace += group.trace;
  out.groups.back().norm += group.norm;
  return out;
}

Remainder joined(const Remainder& a, const Remainder& b) {
  if (a.groups.size() != 1 || b.groups.size() != 1 || a.groups[0].rank != b.groups[0].rank)
    throw Error(ErrorCode::usage, "a model whose basis grew by updates cannot be merged",
                "merge first and update afterwards, or update with a fixed basis");
  return with_points(a, b.groups[0], b.delta, {});
}

}  // namespace mercer
