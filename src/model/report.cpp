// A fit's report as JSON for programs (the command line's contract names the fields) and as a short
// table for people.
#include <mercer/report.hpp>

#include "base/memory.hpp"
#include "model/report_decomposition.hpp"
#include "model/report_embedding.hpp"
#include "model/report_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer {

namespace {

constexpr Index table_rows = 10;

Json intervals(const Vector<double>& low, const Vector<double>& high) {
  Json out = Json::array();
  for (Index i = 0; i < low.size(); ++i)
    out.push_back(Json::array({json_number(low[i]), json_number(high[i])}));
  return out;
}

double at(const Vector<double>& values, Index i) { return i < values.size() ? values[i] : std::nan(""); }

std::string cell(double value, const char* format) {
  return std::isnan(value) ? "-" : fmt::format(fmt::runtime(format), value);
}

std::string table(const Report& r) {
  const Index count = r.gram_eigenvalues.size();
  if (count == 0)
    return r.kernel.empty()
               ? "  no component: the data does not vary\n"
               : "  no component: the kernel sees no variation (all points alike, or a kernel so "
                 "wide or saturated that it cannot tell them apart)\n";
  // From the bottom of a graph's matrix, and of a walk on it, the eigenvalues alone have a meaning.
  const bool variances =
      !(r.embedding && (r.end == End::smallest || r.explained_variance_ratio.size() == 0)) &&
      (r.variances.size() > 0 || r.explained_variance_ratio.size() > 0);
  const auto row = [&](const auto& component, const std::string& value, const std::string& variance,
                       const std::string& share, const std::string& cumulative, const std::string& residual) {
    std::string out = fmt::format("  {:>9}  {:>12}", component, value);
    if (variances) out += fmt::format("  {:>12}  {:>7}  {:>10}", variance, share, cumulative);
    return out + fmt::format("  {:>8}\n", residual);
  };
  std::string out = row("component", "eigenvalue", "variance", "share", "cumulative", "residual");
  double cumulative = 0;
  for (Index i = 0; i < std::min(count, table_rows); ++i) {
    const double share = at(r.explained_variance_ratio, i);
    cumulative += share;
    out += row(i + 1, cell(at(r.gram_eigenvalues, i), "{:.6g}"), cell(at(r.variances, i), "{:.6g}"),
               cell(100 * share, "{:.2f}%"), cell(100 * cumulative, "{:.2f}%"),
               cell(at(r.residuals, i), "{:.1e}"));
  }
  if (count > table_rows) {
    const double all =
        r.explained_variance_ratio.size() == count ? r.explained_variance_ratio.sum() : std::nan("");
    out += fmt::format("  {:>9}  and {} more{}\n", "…", count - table_rows,
                       variances ? fmt::format(", {} together", cell(100 * all, "{:.2f}%")) : "");
  }
  return out;
}

/// For a symmetric matrix, ‖Av − θv‖ ≤ r means that an eigenvalue lies within r of θ.
std::string certificate(const Report& r) {
  std::string out = r.converged ? "certificate: " : "NOT CONVERGED: ";
  if (r.residuals.size() == 0) {
    if (r.gram_eigenvalues.size() > 0) out += "residuals were not measured; ";
  } else {
    out += fmt::format("each eigenvalue of the matrix as computed is right to within {:.2g}; ",
                       r.residuals.maxCoeff());
  }
  const auto [sure, likely, delta] = r.missed;
  if (r.end == End::smallest) {
    if (!std::isfinite(likely)) return out + "what may have been missed was not measured\n";
    if (std::isfinite(sure) && !(likely > sure))
      return out + fmt::format("none below {:.4g} was missed\n", sure);
    if (!(delta > 0)) return out + fmt::format("none below {:.4g} was missed\n", likely);
    out += fmt::format("none below {:.4g} was missed (but for a chance of {:.1g}", likely, delta);
    return out + (std::isfinite(sure) ? fmt::format("; beyond doubt, none below {:.4g})\n", sure) : ")\n");
  }
  if (std::isfinite(sure) && !(likely < sure))
    return out + fmt::format("none above {:.4g} was missed\n", sure);
  if (!std::isfinite(likely)) return out + "what may have been missed was not measured\n";
  if (!(delta > 0)) return out + fmt::format("none above {:.4g} was missed\n", likely);
  out += fmt::format("none above {:.4g} was missed (but for a chance of {:.1g}", likely, delta);
  out += std::isfinite(sure) ? fmt::format("; beyond doubt, none above {:.4g})", sure) : ")";
  const auto below = (r.gram_eigenvalues.array() < likely).count();
  if (below > 0)
    out += fmt::format("; the last {} lie too close to the rest for that to tell them apart", below);
  return out + "\n";
}

/// Three digits, never less than the value: what was rounded down would be no bound.
std::string at_most(double value) {
  if (!(value > 0) || !std::isfinite(value))
    return fmt::format("{}", std::isnan(value) ? value : std::max(value, 0.0));
  const double digit = std::pow(10.0, std::floor(std::log10(value)) - 2);
  return fmt::format("{:.3g}", std::ceil(value / digit * (1 - 1e-12)) * digit);
}

/// How far the eigenvalues of K̃ may be from those of its low-rank stand-in: the intervals themselves are too
/// narrow to be seen in their ends.
std::string low_rank(const Report& r) {
  if (!r.bounds) return "";
  const EigenvalueBounds& b = *r.bounds;
  std::string out =
      fmt::format("low rank: {} columns leave out a trace of {:.4g}", b.rank, b.remaining_trace);
  const Index count = std::min({r.gram_eigenvalues.size(), b.low.size(), b.high.size(), b.rigorous_low.size(),
                                b.rigorous_high.size()});
  if (count == 0) return out + "\n";
  const auto shown = r.gram_eigenvalues.head(count);
  const double larger = (b.high.head(count) - shown).maxCoeff(),
               smaller = (shown - b.low.head(count)).maxCoeff(),
               surely_larger = (b.rigorous_high.head(count) - shown).maxCoeff(),
               surely_smaller = (shown - b.rigorous_low.head(count)).maxCoeff();
  const auto share = [&](Index i) { return at_most(100 * larger / shown[i]) + " %"; };
  out += fmt::format("; the true eigenvalues are larger than these by at most {} ({} of the first{})",
                     at_most(larger), share(0),
                     count > 1 ? fmt::format(", {} of the last", share(count - 1)) : "");
  if (larger < surely_larger)
    out += fmt::format(" but for a chance of {:.1g}, by at most {} beyond doubt", b.delta,
                       at_most(surely_larger));
  out += fmt::format("; smaller by at most {}", at_most(smaller));
  if (smaller < surely_smaller)
    out += fmt::format(" but for that chance, by at most {} beyond doubt", at_most(surely_smaller));
  return out + "\n";
}

/// What stands in place of a certificate where random features stand for the kernel.
std::string uncertified(const FeatureApproximation& f) {
  std::string out =
      fmt::format("uncertified: random features approximate the kernel to about 1/√D = {:.2g} (D = {}, {})",
                  1 / std::sqrt(double(f.count)), f.count, f.orthogonal ? "orthogonal" : "fourier");
  if (f.pairs > 0)
    out += fmt::format("; measured: root mean square error {:.3g} over {} pairs of points",
                       f.kernel_rms_error, f.pairs);
  return out + "\n";
}

/// What the components are, as functions of the inputs.
std::string basis_in_words(const Report& r) {
  if (!r.basis) return "";
  std::string out;
  const auto& lines = r.basis->directions;
  for (std::size_t i = 0; i < std::min<std::size_t>(lines.size(), table_rows); ++i)
    out += fmt::format("{} {}: {}\n", r.end == End::smallest ? "relation" : "score", i + 1, lines[i]);
  return out;
}

std::string discriminated(const Discrimination& d, Index n) {
  std::vector<std::string> classes;
  for (std::size_t i = 0; i < std::min<std::size_t>(d.classes.size(), 10); ++i)
    classes.push_back(fmt::format("{} ({})", d.classes[i], d.sizes[i]));
  if (d.classes.size() > classes.size()) classes.emplace_back("…");
  std::string out =
      fmt::format("{} classes: {}; ridge {:.4g}", d.classes.size(), fmt::join(classes, ", "), d.ridge);
  if (d.threshold) out += fmt::format("; threshold {:.4g}", *d.threshold);
  out += fmt::format("; {} of {} training points wrong ({:.2f} %)\n", d.training_errors, n,
                     100 * double(d.training_errors) / double(std::max<Index>(1, n)));
  if (d.folds > 0) {
    const auto& best = d.trials[static_cast<std::size_t>(d.chosen)];
    out += fmt::format(
        "chosen by {}-fold cross-validation among {}: {}{}ridge {:.4g}, error {:.2f} % ± {:.2f}\n", d.folds,
        d.trials.size(), best.kernel, best.kernel.empty() ? "" : ", ", best.ridge, 100 * best.error,
        100 * best.deviation);
  }
  return out;
}

void add(Json& report, const Discrimination& d, Index n) {
  report["classes"] = d.classes;
  report["class_sizes"] = d.sizes;
  report["ridge"] = json_number(d.ridge);
  report["threshold"] = json_number(d.threshold);
  report["training_error"] = json_number(double(d.training_errors) / double(std::max<Index>(1, n)));
  if (d.folds == 0) return;
  const auto trial = [](const Discrimination::Trial& t) {
    return Json{{"kernel", t.kernel.empty() ? Json(nullptr) : Json(t.kernel)},
                {"ridge", json_number(t.ridge)},
                {"error", json_number(t.error)},
                {"deviation", json_number(t.deviation)}};
  };
  Json table = Json::array();
  for (const auto& t : d.trials) table.push_back(trial(t));
  report["cross_validation"] = {{"folds", d.folds},
                                {"chosen", trial(d.trials[static_cast<std::size_t>(d.chosen)])},
                                {"trials", std::move(table)}};
}

/// What stands in place of a certificate where entries of the table were not known.
std::string estimated(const GapEstimate& g, Index n, Index d) {
  std::string out = fmt::format(
      "estimated: {:.4g} % of the table was known; root mean square error there {:.4g} (ridge {:.4g}, {} "
      "sweeps)\n",
      100 * double(g.known) / (double(n) * double(d)), g.known_error, g.ridge, g.sweeps);
  if (g.held_out > 0)
    out += fmt::format(
        "held out: {} known entries, hidden from a first fit, were guessed with an error of {:.4g}; "
        "column means alone miss them by {:.4g}\n",
        g.held_out, g.held_out_error, g.column_mean_error);
  else
    out += "held out: nothing, too little is known; how well the gaps are guessed cannot be told\n";
  return out;
}

/// Three digits, never an exponent.
std::string time_text(double seconds) {
  return seconds < 100 ? fmt::format("{:.3g}", seconds) : fmt::format("{:.0f}", seconds);
}

std::string cost(const Report& r) {
  std::string out = r.plan.route == Route::automatic && !r.plan.problem.empty()
                        ? r.plan.problem
                        : fmt::format("route {}", name_of(r.plan.route));
  if (r.plan.route != Route::automatic && !r.plan.problem.empty())
    out += fmt::format(" ({})", r.plan.problem);
  if (r.passes > 0) out += fmt::format(", {} pass{}", r.passes, r.passes == 1 ? "" : "es");
  if (r.rough_passes > 0) out += fmt::format(" ({} of them in float)", r.rough_passes);
  std::vector<std::string> stages;
  for (const auto& [stage, seconds] : r.seconds) {
    if (stage == "total")
      out += fmt::format(", {} s", time_text(seconds));
    else if (seconds >= 0.001)
      stages.push_back(fmt::format("{} {}", stage, time_text(seconds)));
  }
  if (!stages.empty()) out += fmt::format(" ({})", fmt::join(stages, ", "));
  if (r.peak_bytes > 0)
    out += fmt::format(", peak memory {}", format_bytes(static_cast<double>(r.peak_bytes)));
  return out + "\n";
}

std::string eigenproblem_in_words(const Report& r) {
  std::string out;
  if (r.components < r.components_requested)
    out += fmt::format("{} component{} of the {} asked for: there are no more\n", r.components,
                       r.components == 1 ? "" : "s", r.components_requested);
  out += table(r);
  out += basis_in_words(r);
  out += r.gaps ? estimated(*r.gaps, r.n, r.d) : r.features ? uncertified(*r.features) : certificate(r);
  out += low_rank(r);
  if (r.discrimination) out += discriminated(*r.discrimination, r.n);
  if (r.min_eigenvalue && r.negative_share.value_or(0) > 0) {
    out += fmt::format("not positive semidefinite: the smallest eigenvalue is {:.4g}", *r.min_eigenvalue);
    out += r.negative_share ? fmt::format(", {:.2g}% of the spectrum is negative\n", 100 * *r.negative_share)
                            : "\n";
  }
  return out;
}

/// Tucker, CP and 2D-SVD have no kernel matrix; kernel PCA on their cores has one besides. Nor has t-SNE.
bool has_eigenproblem(const Report& r) {
  if (r.embedding && r.gram_eigenvalues.size() == 0) return false;
  return !r.decomposition || !r.kernel.empty();
}
/// Of these 2D-SVD alone subtracts a mean.
bool has_centre(const Report& r) {
  return has_eigenproblem(r) || (r.decomposition && r.decomposition->rms_error);
}

void add_eigenproblem(Json& report, const Report& r) {
  report.update({{"gram_eigenvalues", json_numbers(r.gram_eigenvalues)},
                 {"variances", json_numbers(r.variances)},
                 {"explained_variance_ratio", json_numbers(r.explained_variance_ratio)},
                 {"trace", json_number(r.trace)},
                 {"residuals", json_numbers(r.residuals)},
                 {"missed_bound",
                  {{"rigorous", json_number(r.missed.rigorous)},
                   {"probable", json_number(r.missed.probable)},
                   {"delta", json_number(r.missed.delta)}}},
                 {"min_eigenvalue", json_number(r.min_eigenvalue)},
                 {"negative_share", json_number(r.negative_share)},
                 {"passes", r.passes},
                 {"rough_passes", r.rough_passes}});
}

}  // namespace

std::string Report::to_json() const {
  Json times = Json::object();
  for (const auto& [stage, time] : seconds) times[stage] = json_number(time);
  Json report = {{"method", method},
                 {"n", n},
                 {"d", d},
                 {"components", components},
                 {"components_requested", components_requested},
                 {"kernel", kernel.empty() ? Json(nullptr) : Json(kernel)},
                 {"precision", name_of(precision)}};
  if (has_centre(*this)) report["centered"] = centered;
  if (has_eigenproblem(*this)) add_eigenproblem(report, *this);
  if (decomposition) add_decomposition(report, *decomposition);
  if (embedding) add_embedding(report, *embedding);
  report.update({{"converged", converged},
                 {"plan",
                  {{"route", name_of(plan.route)},
                   {"problem", plan.problem},
                   {"reason", plan.reason},
                   {"bytes", json_whole(plan.bytes)},
                   {"flops", json_whole(plan.flops)},
                   {"seconds", json_number(plan.seconds)},
                   {"budget", plan.budget}}},
                 {"seconds", times},
                 {"peak_bytes", peak_bytes},
                 {"notes", notes}});
  if (bounds) {
    report["eigenvalue_bounds"] = intervals(bounds->low, bounds->high);
    report["eigenvalue_bounds_delta"] = json_number(bounds->delta);
    report["eigenvalue_bounds_rigorous"] = intervals(bounds->rigorous_low, bounds->rigorous_high);
    report["remaining_trace"] = json_number(bounds->remaining_trace);
    report["rank"] = bounds->rank;
  }
  if (features) {
    report["approximation"] = "random features";
    report["certified"] = false;
    report["features"] = features->count;
    report["feature_kind"] = features->orthogonal ? "orthogonal" : "fourier";
    report["kernel_rms_error"] = json_number(features->kernel_rms_error);
    report["kernel_rms_pairs"] = features->pairs;
  }
  if (end == End::smallest) report["end"] = "smallest";
  if (basis) {
    report["basis"] = basis->basis;
    report["functions"] = basis->functions;
    report["function_names"] = basis->names;
    report["coefficients"] = Json::array();
    for (Index i = 0; i < basis->coefficients.rows(); ++i)
      report["coefficients"].push_back(json_numbers(basis->coefficients.row(i).transpose()));
    report["offsets"] = json_numbers(basis->offsets);
    report["directions"] = basis->directions;
  }
  if (discrimination) add(report, *discrimination, n);
  if (gaps)
    report["gaps"] = {
        {"known", gaps->known},
        {"ridge", json_number(gaps->ridge)},
        {"known_rms_error", json_number(gaps->known_error)},
        {"held_out", gaps->held_out},
        {"held_out_rms_error", gaps->held_out > 0 ? json_number(gaps->held_out_error) : Json()},
        {"column_mean_rms_error", gaps->held_out > 0 ? json_number(gaps->column_mean_error) : Json()},
        {"sweeps", gaps->sweeps}};
  return json_text(report);
}

std::string Report::to_string() const {
  std::string out = fmt::format("{} of ", method);
  out += decomposition ? decomposition_title(*decomposition) : fmt::format("{} x {}", n, d);
  if (!kernel.empty()) out += ", kernel " + kernel;
  if (basis) out += fmt::format(", basis {} ({} functions)", basis->basis, basis->functions);
  out += fmt::format(", {}{}\n", name_of(precision), centered || !has_centre(*this) ? "" : ", not centred");
  if (decomposition) out += decomposition_in_words(*this);
  if (has_eigenproblem(*this)) out += eigenproblem_in_words(*this);
  if (embedding) out += embedding_in_words(*this);
  out += cost(*this);
  for (const auto& note : notes) out += "note: " + note + "\n";
  return out;
}

}  // namespace mercer
