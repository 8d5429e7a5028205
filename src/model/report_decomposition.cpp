// Tucker, CP and 2D-SVD in their reports: ranks, errors, and how many numbers are kept instead of how many.
#include "model/report_decomposition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer {

namespace {

constexpr Index most_components = 20, most_values = 3;

std::string times(const std::vector<Index>& sizes) { return fmt::format("{}", fmt::join(sizes, " x ")); }

/// 61305 -> "61,305"
std::string grouped(Index count) {
  std::string out;
  const std::string digits = std::to_string(count);
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

/// As many decimals as it takes to see that it is not yet 100 %.
std::string percent(double share) {
  if (!std::isfinite(share)) return "-";
  const double missing = 100 * std::abs(1 - share);
  const int decimals =
      missing > 0 && missing < 0.1 ? 1 - static_cast<int>(std::floor(std::log10(missing))) : 2;
  return missing == 0 ? "100 %" : fmt::format("{:.{}f} %", 100 * share, std::min(decimals, 12));
}

double entries(const Decomposition& d) {
  double count = 1;
  for (const Index size : d.shape) count *= static_cast<double>(size);
  return count;
}

std::string closeness(const Decomposition& d) {
  if (!std::isfinite(d.relative_error)) return "the relative error cannot be told";
  std::string out =
      fmt::format("relative error {:.4g}, {} explained", d.relative_error, percent(d.explained));
  if (d.variance_explained && std::isfinite(*d.variance_explained))
    out += fmt::format(" (of the variation about the mean {})", percent(*d.variance_explained));
  if (d.rms_error && std::isfinite(*d.rms_error)) {
    const double of_a_sample = entries(d) / static_cast<double>(std::max<Index>(1, d.shape.front()));
    out += fmt::format("\nrms error {:.6g} a sample, {:.4g} an entry", *d.rms_error,
                       *d.rms_error / std::sqrt(of_a_sample));
  }
  return out;
}

std::string storage(const Decomposition& d) {
  if (d.known <= 0 || d.kept <= 0) return "";
  std::string out = fmt::format("keeps {} numbers instead of {}", grouped(d.kept), grouped(d.known));
  const double ratio = double(d.kept) / double(d.known);
  out += ratio <= 1 ? fmt::format(" ({:.3g} %, {:.3g} times fewer)", 100 * ratio, 1 / ratio)
                    : fmt::format(" ({:.3g} times more: nothing is saved)", ratio);
  const double share = double(d.known) / entries(d);
  if (share < 1) out += fmt::format("; {:.3g} % of the entries were given", 100 * share);
  return out + "\n";
}

/// λ, and how much smaller than the first.
std::string components(const Vector<double>& weights) {
  if (weights.size() == 0) return "";
  std::string out = fmt::format("  {:>9}  {:>12}  {:>12}\n", "component", "lambda", "of the first");
  const Index shown = std::min<Index>(weights.size(), most_components);
  for (Index r = 0; r < shown; ++r) {
    const bool comparable = std::isfinite(weights[r]) && std::isfinite(weights[0]) && weights[0] > 0;
    out += fmt::format("  {:>9}  {:>12}  {:>12}\n", r + 1,
                       std::isfinite(weights[r]) ? fmt::format("{:.6g}", weights[r]) : "-",
                       comparable ? fmt::format("{:.1f} %", 100 * weights[r] / weights[0]) : "-");
  }
  if (shown < weights.size()) out += fmt::format("  {:>9}  and {} more\n", "…", weights.size() - shown);
  return out;
}

/// The first singular values of a mode, the last one kept, and the first one that is not.
std::string values_in_words(const Vector<double>& values, Index rank) {
  rank = std::min(rank, values.size());
  std::vector<std::string> words;
  for (Index i = 0; i < std::min(rank, most_values); ++i) words.push_back(fmt::format("{:.4g}", values[i]));
  if (rank > most_values + 1) words.emplace_back("…");
  if (rank > most_values) words.push_back(fmt::format("{:.4g}", values[rank - 1]));
  std::string out = fmt::format("{}", fmt::join(words, ", "));
  if (rank < values.size()) out += fmt::format("; next {:.4g}", values[rank]);
  return out;
}

/// Sizes, ranks and singular values of the modes that have them. 2D-SVD has ranks for rows and columns only:
/// the modes after the samples.
std::string modes(const Decomposition& d) {
  if (d.mode_values.empty() || d.mode_values.size() != d.ranks.size()) return "";
  const std::size_t skipped = d.shape.size() - std::min(d.shape.size(), d.ranks.size());
  std::string out = fmt::format("  {:>9}  {:>6}  {:>6}  singular values\n", "mode", "size", "rank");
  for (std::size_t m = 0; m < d.ranks.size(); ++m) {
    if (!d.mode_values[m].allFinite()) return "";
    out += fmt::format("  {:>9}  {:>6}  {:>6}  {}\n", m + skipped, d.shape[m + skipped], d.ranks[m],
                       values_in_words(d.mode_values[m], d.ranks[m]));
  }
  return out;
}

/// Bro and Kiers (2003): near 100 the components are what they seem, far below they share something.
std::string consistency(double percent) {
  const char* meaning = percent >= 90   ? "not more components than the array has"
                        : percent >= 50 ? "perhaps one component too many"
                                        : "too many components, or an array that is no sum of so few";
  return fmt::format("core consistency {}: {}\n", percent < 0 ? "below 0" : fmt::format("{:.1f} %", percent),
                     meaning);
}

std::string sweeps(const Report& r) {
  const Decomposition& d = *r.decomposition;
  if (d.errors.empty()) return r.converged ? "" : "NOT CONVERGED\n";
  std::string out = fmt::format("{} after {} sweep{}", r.converged ? "converged" : "NOT CONVERGED",
                                d.errors.size(), d.errors.size() == 1 ? "" : "s");
  if (d.starts > 1) out += fmt::format(", the best of {} starts", d.starts);
  return out + "\n";
}

}  // namespace

void add_decomposition(Json& report, const Decomposition& d) {
  report["shape"] = d.shape;
  report["sample_mode"] = d.sample_mode;
  report["ranks"] = d.ranks;
  report["relative_error"] = json_number(d.relative_error);
  report["explained"] = json_number(d.explained);
  if (d.variance_explained) report["variance_explained"] = json_number(d.variance_explained);
  if (d.rms_error) report["rms_error"] = json_number(d.rms_error);
  report["known"] = d.known;
  report["kept"] = d.kept;
  report["weights"] = json_numbers(d.weights);
  report["core_consistency"] = json_number(d.core_consistency);
  report["errors"] = Json::array();
  for (const double error : d.errors) report["errors"].push_back(json_number(error));
  report["starts"] = d.starts;
  report["warnings"] = d.warnings;
  report["mode_values"] = Json::array();
  for (const auto& values : d.mode_values) report["mode_values"].push_back(json_numbers(values));
}

std::string decomposition_title(const Decomposition& d) {
  std::string out = times(d.shape) + " -> ";
  if (d.weights.size() > 0)
    return out + fmt::format("{} component{}", d.weights.size(), d.weights.size() == 1 ? "" : "s");
  return out + fmt::format("{} {}", d.ranks.size() < d.shape.size() ? "cores" : "core", times(d.ranks));
}

std::string decomposition_in_words(const Report& report) {
  const Decomposition& d = *report.decomposition;
  std::string out = closeness(d) + "\n" + storage(d) + components(d.weights) + modes(d) + sweeps(report);
  if (d.core_consistency && std::isfinite(*d.core_consistency)) out += consistency(*d.core_consistency);
  for (const std::string& warning : d.warnings) out += "warning: " + warning + "\n";
  return out;
}

}  // namespace mercer
