// Maps of a neighbourhood graph in their reports.
#include "model/report_embedding.hpp"

#include "model/saved_fields.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <cmath>

namespace mercer {

namespace {

std::string counted(Index count, std::string_view one, std::string_view more) {
  return fmt::format("{} {}", count, count == 1 ? one : more);
}

/// Four digits, but never a 1 that is none.
std::string share(double value) {
  if (value < 1 && value > 0.99995) return "above 0.9999";
  return fmt::format("{:.4f}", value);
}

std::string quality_in_words(const EmbeddingQuality& q, Index n) {
  std::string out =
      fmt::format("trustworthiness {}, continuity {}, {:.1f} % of neighbours kept, stress {:.3g}",
                  share(q.trustworthiness), share(q.continuity), 100 * q.preservation, q.stress);
  out += fmt::format(" ({}", counted(q.neighbors, "neighbour", "neighbours"));
  if (q.measured > 0 && q.measured < n) out += fmt::format(", measured on {} of {} points", q.measured, n);
  return out + ")\n";
}

std::string graph_in_words(const NeighborReport& g) {
  std::string out =
      fmt::format("graph: {} found by {}", counted(g.links, "link", "links"), name_of(g.search));
  out += g.recall < 1 ? fmt::format(", {:.2f} % of the true neighbours", 100 * g.recall) : ", exactly";
  out += g.components == 1 ? ", one piece" : fmt::format(", {} pieces", g.components);
  if (g.bridges > 0) out += fmt::format(" joined by {}", counted(g.bridges, "bridge", "bridges"));
  if (g.left_out > 0)
    out += fmt::format(", {} outside of the largest left out", counted(g.left_out, "point", "points"));
  if (g.duplicates > 0)
    out += fmt::format("; {} at the place of another", counted(g.duplicates, "point is", "points are"));
  return out + "\n";
}

Json graph_json(const NeighborReport& g) {
  return {{"search", name_of(g.search)}, {"recall", json_number(g.recall)}, {"links", g.links},
          {"components", g.components},  {"left_out", g.left_out},          {"bridges", g.bridges},
          {"duplicates", g.duplicates}};
}

void add(Json& report, const char* name, const std::optional<double>& value) {
  if (value && std::isfinite(*value)) report[name] = *value;
}

}  // namespace

void add_embedding(Json& report, const EmbeddingReport& e) {
  if (e.quality) {
    add(report, "trustworthiness", e.quality->trustworthiness);
    add(report, "continuity", e.quality->continuity);
    add(report, "neighborhood_preservation", e.quality->preservation);
    add(report, "stress", e.quality->stress);
    report["quality_neighbors"] = e.quality->neighbors;
    report["quality_points"] = e.quality->measured;
  }
  if (e.graph) report["graph"] = graph_json(*e.graph);
  if (e.landmarks > 0) report["landmarks"] = e.landmarks;
  add(report, "residual_variance", e.residual_variance);
  add(report, "isometry_error", e.isometry_error);
  add(report, "isometry_mean", e.isometry_mean);
  add(report, "kl_divergence", e.kl_divergence);
  if (e.kl_history.empty()) return;
  report["kl_history"] = Json::array();
  for (const double kl : e.kl_history) report["kl_history"].push_back(json_number(kl));
}

std::string embedding_in_words(const Report& report) {
  const EmbeddingReport& e = *report.embedding;
  std::string out;
  if (e.quality) out += quality_in_words(*e.quality, report.n);
  if (e.graph) out += graph_in_words(*e.graph);
  if (e.landmarks > 0) out += fmt::format("landmarks: paths from {} of {} points\n", e.landmarks, report.n);
  if (e.residual_variance)
    out += fmt::format("residual variance {:.3g}: what distances in the map do not explain of path lengths\n",
                       *e.residual_variance);
  if (e.isometry_error)
    out += fmt::format("isometry: squared distances of neighbours changed by at most {:.3g} %{}\n",
                       100 * *e.isometry_error,
                       e.isometry_mean ? fmt::format(", {:.3g} % in the mean", 100 * *e.isometry_mean) : "");
  if (e.kl_divergence)
    out += fmt::format("KL divergence {:.4g} between neighbourhoods of data and map\n", *e.kl_divergence);
  return out;
}

nlohmann::json saved_embedding(const EmbeddingReport& e) {
  nlohmann::json out = {{"landmarks", e.landmarks}};
  if (e.quality)
    out["quality"] = {{"neighbors", e.quality->neighbors},
                      {"trustworthiness", keep_number(e.quality->trustworthiness)},
                      {"continuity", keep_number(e.quality->continuity)},
                      {"preservation", keep_number(e.quality->preservation)},
                      {"stress", keep_number(e.quality->stress)},
                      {"measured", e.quality->measured}};
  if (e.graph) {
    const NeighborReport& g = *e.graph;
    out["graph"] = {{"search", name_of(g.search)}, {"recall", keep_number(g.recall)}, {"links", g.links},
                    {"components", g.components},  {"left_out", g.left_out},          {"bridges", g.bridges},
                    {"duplicates", g.duplicates}};
  }
  if (e.residual_variance) out["residual_variance"] = keep_number(*e.residual_variance);
  if (e.isometry_error) out["isometry_error"] = keep_number(*e.isometry_error);
  if (e.isometry_mean) out["isometry_mean"] = keep_number(*e.isometry_mean);
  if (e.kl_divergence) out["kl_divergence"] = keep_number(*e.kl_divergence);
  if (!e.kl_history.empty()) {
    out["kl_history"] = nlohmann::json::array();
    for (const double kl : e.kl_history) out["kl_history"].push_back(keep_number(kl));
  }
  return out;
}

EmbeddingReport restored_embedding(const Fields& saved) {
  EmbeddingReport e;
  e.landmarks = saved.count("landmarks");
  if (saved.has("quality")) {
    const Fields q = saved.object("quality");
    e.quality = EmbeddingQuality{.neighbors = q.count("neighbors"),
                                 .trustworthiness = q.number("trustworthiness"),
                                 .continuity = q.number("continuity"),
                                 .preservation = q.number("preservation"),
                                 .stress = q.number("stress"),
                                 .measured = q.count("measured")};
  }
  if (saved.has("graph")) {
    const Fields g = saved.object("graph");
    NeighborReport graph{.recall = g.number("recall"),
                         .links = g.count("links"),
                         .components = g.count("components"),
                         .left_out = g.count("left_out"),
                         .bridges = g.count("bridges"),
                         .duplicates = g.count("duplicates")};
    try {
      graph.search = parse_neighbor_search(g.text("search"));
    } catch (const Error&) {
      g.require(false, "search", "a way to search for neighbours");
    }
    e.graph = graph;
  }
  if (saved.has("residual_variance")) e.residual_variance = saved.number("residual_variance");
  if (saved.has("isometry_error")) e.isometry_error = saved.number("isometry_error");
  if (saved.has("isometry_mean")) e.isometry_mean = saved.number("isometry_mean");
  if (saved.has("kl_divergence")) e.kl_divergence = saved.number("kl_divergence");
  if (saved.has("kl_history")) e.kl_history = saved.numbers("kl_history");
  return e;
}

}  // namespace mercer
