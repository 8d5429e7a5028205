// The fields of a report against each other.
#include "model/report_check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace mercer {

namespace {

/// A list of numbers of the report with a number for each component, or with none.
struct PerComponent {
  const char* name;
  const Vector<double> Report::*values;
};
constexpr std::array<PerComponent, 4> per_component{{
    {"gram_eigenvalues", &Report::gram_eigenvalues},
    {"variances", &Report::variances},
    {"explained_variance_ratio", &Report::explained_variance_ratio},
    {"residuals", &Report::residuals},
}};

/// A list of bounds: a number for each eigenvalue.
struct PerEigenvalue {
  const char* name;
  const Vector<double> EigenvalueBounds::*values;
};
constexpr std::array<PerEigenvalue, 4> per_eigenvalue{{
    {"low", &EigenvalueBounds::low},
    {"high", &EigenvalueBounds::high},
    {"rigorous_low", &EigenvalueBounds::rigorous_low},
    {"rigorous_high", &EigenvalueBounds::rigorous_high},
}};

/// A part of the report that only some methods have.
struct OptionalPart {
  const char* name;
  ReportParts::Has expected;
  bool there;
};

std::string presence(const Report& r, const ReportParts& parts) {
  const std::array<OptionalPart, 6> all{{
      {"eigenvalues", r.components == 0 ? ReportParts::maybe : parts.eigenvalues,
       r.gram_eigenvalues.size() > 0},
      {"bounds", parts.bounds, r.bounds.has_value()},
      {"features", parts.features, r.features.has_value()},
      {"gaps", parts.gaps, r.gaps.has_value()},
      {"decomposition", parts.decomposition, r.decomposition.has_value()},
      {"embedding", parts.embedding, r.embedding.has_value()},
  }};
  for (const OptionalPart& part : all) {
    if (part.expected == ReportParts::always && !part.there)
      return fmt::format("the report of a {} model lacks its {}", r.method, part.name);
    if (part.expected == ReportParts::never && part.there)
      return fmt::format("the report of a {} model has no {}", r.method, part.name);
  }
  return "";
}

std::string lengths(const Report& r) {
  for (const auto& [name, values] : per_component) {
    const Index size = (r.*values).size();
    if (size != 0 && (size != r.components || r.gram_eigenvalues.size() == 0))
      return fmt::format("report.{} has {} numbers for {} components and {} eigenvalues", name, size,
                         r.components, r.gram_eigenvalues.size());
  }
  if (!r.gram_eigenvalues.allFinite()) return "report.gram_eigenvalues has numbers that are not finite";
  if (!r.bounds) return "";
  for (const auto& [name, values] : per_eigenvalue)
    if (const Index size = (*r.bounds.*values).size(); size != r.gram_eigenvalues.size())
      return fmt::format("report.bounds.{} has {} numbers for {} eigenvalues", name, size,
                         r.gram_eigenvalues.size());
  return "";
}

std::string contradiction(const GapEstimate& g, double entries) {
  if (double(g.known) > entries || g.held_out > g.known)
    return fmt::format("report.gaps knows {} entries of {}, {} of them held out", g.known, entries,
                       g.held_out);
  return "";
}

std::string contradiction(const Decomposition& d, const Report& r) {
  const auto at_least_one = [](Index size) { return size >= 1; };
  double entries = 1;
  for (const Index size : d.shape) entries *= double(size);
  if (d.shape.empty() || !std::all_of(d.shape.begin(), d.shape.end(), at_least_one) || entries >= 9e18)
    return fmt::format("report.decomposition.shape is [{}]", fmt::join(d.shape, ", "));
  if (d.sample_mode < 0 || d.sample_mode >= static_cast<Index>(d.shape.size()) ||
      d.shape[static_cast<std::size_t>(d.sample_mode)] != r.n || double(r.n) * double(r.d) != entries)
    return fmt::format("{} samples of {} numbers are not a {} array with sample mode {}", r.n, r.d,
                       fmt::join(d.shape, " x "), d.sample_mode);
  if (d.ranks.size() > d.shape.size() || !std::all_of(d.ranks.begin(), d.ranks.end(), at_least_one))
    return fmt::format("report.decomposition.ranks is [{}] for {} modes", fmt::join(d.ranks, ", "),
                       d.shape.size());
  if (d.weights.size() != 0 && d.weights.size() != r.components)
    return fmt::format("report.weights has {} numbers for {} components", d.weights.size(), r.components);
  if (!d.mode_values.empty() && d.mode_values.size() != d.ranks.size())
    return fmt::format("report.decomposition has {} ranks and {} lists of values", d.ranks.size(),
                       d.mode_values.size());
  const Index longest = *std::max_element(d.shape.begin(), d.shape.end());
  for (std::size_t m = 0; m < d.mode_values.size(); ++m)
    if (d.mode_values[m].size() > longest)
      return fmt::format("report.mode_values.{} has {} numbers, and no mode has more than {}", m,
                         d.mode_values[m].size(), longest);
  return "";
}

std::string contradiction(const EmbeddingReport& e, Index n) {
  if (e.landmarks > n || (e.quality && e.quality->measured > n))
    return fmt::format("report.embedding has {} landmarks and {} measured points of {}", e.landmarks,
                       e.quality ? e.quality->measured : 0, n);
  return "";
}

}  // namespace

std::string contradiction(const Report& r, const ReportParts& parts) {
  if (parts.samples == ReportParts::always && (r.n < 1 || r.d < 1))
    return fmt::format("its report is of {} samples of {} features", r.n, r.d);
  if (std::string what = presence(r, parts); !what.empty()) return what;
  if (std::string what = lengths(r); !what.empty()) return what;
  if (r.gaps)
    if (std::string what = contradiction(*r.gaps, double(r.n) * double(r.d)); !what.empty()) return what;
  if (r.decomposition)
    if (std::string what = contradiction(*r.decomposition, r); !what.empty()) return what;
  if (r.embedding)
    if (std::string what = contradiction(*r.embedding, r.n); !what.empty()) return what;
  return "";
}

}  // namespace mercer
