// Reports of maps: the fields of the contract, nothing about what was not measured, the way through a file.
#include "expect_error.hpp"
#include "model/report_carrier.hpp"
#include "model/toy_model.hpp"

#include <mercer/report.hpp>

namespace mercer {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

Report isomap_report() {
  Report r;
  r.method = "isomap";
  r.n = 2000;
  r.d = 3;
  r.components = r.components_requested = 2;
  r.gram_eigenvalues = Vector<double>(2);
  r.gram_eigenvalues << 1e6, 7e4;
  r.variances = r.gram_eigenvalues / 2000;
  r.explained_variance_ratio = r.gram_eigenvalues / 1.2e6;
  r.residuals = Vector<double>::Constant(2, 1e-6);
  EmbeddingReport e;
  e.graph = NeighborReport{.search = NeighborSearch::hnsw,
                           .recall = 0.9875,
                           .links = 14000,
                           .components = 3,
                           .left_out = 0,
                           .bridges = 2,
                           .duplicates = 1};
  e.quality = EmbeddingQuality{.neighbors = 12,
                               .trustworthiness = 0.99997,
                               .continuity = 0.9871,
                               .preservation = 0.931,
                               .stress = 0.0421,
                               .measured = 500};
  e.landmarks = 300;
  e.residual_variance = 0.00125;
  r.embedding = e;
  return r;
}

Report lle_report() {
  Report r;
  r.method = "lle";
  r.n = 100;
  r.d = 3;
  r.components = r.components_requested = 2;
  r.end = End::smallest;
  r.gram_eigenvalues = Vector<double>::LinSpaced(2, 1e-7, 3e-7);
  r.variances = r.explained_variance_ratio = r.gram_eigenvalues / 100;
  r.residuals = Vector<double>::Constant(2, 1e-15);
  r.missed = {infinity, 3.5e-7, 1e-6};
  r.embedding = EmbeddingReport{};
  r.embedding->graph = NeighborReport{.links = 700, .left_out = 1};
  return r;
}

Report tsne_report() {
  Report r;
  r.method = "tsne";
  r.n = 100;
  r.d = 64;
  r.components = r.components_requested = 2;
  r.embedding = EmbeddingReport{};
  r.embedding->kl_divergence = 0.75;
  r.embedding->kl_history = {3.5, 1.25, 0.75};
  return r;
}

TEST(EmbeddingJson, HoldsEveryFieldOfTheContract) {
  const json j = json::parse(isomap_report().to_json());
  EXPECT_EQ(j["trustworthiness"], 0.99997);
  EXPECT_EQ(j["continuity"], 0.9871);
  EXPECT_EQ(j["neighborhood_preservation"], 0.931);
  EXPECT_EQ(j["stress"], 0.0421);
  EXPECT_EQ(j["quality_neighbors"], 12);
  EXPECT_EQ(j["quality_points"], 500);
  EXPECT_EQ(j["graph"], json({{"search", "hnsw"},
                              {"recall", 0.9875},
                              {"links", 14000},
                              {"components", 3},
                              {"left_out", 0},
                              {"bridges", 2},
                              {"duplicates", 1}}));
  EXPECT_EQ(j["landmarks"], 300);
  EXPECT_EQ(j["residual_variance"], 0.00125);
  EXPECT_EQ(j["gram_eigenvalues"].size(), 2U);
  EXPECT_EQ(json::parse(lle_report().to_json())["end"], "smallest");
}

TEST(EmbeddingJson, LeavesOutWhatWasNotMeasured) {
  const json isomap = json::parse(isomap_report().to_json());
  for (const char* other : {"isometry_error", "kl_divergence", "kl_history"})
    EXPECT_FALSE(isomap.contains(other)) << other;
  const json tsne = json::parse(tsne_report().to_json());
  EXPECT_EQ(tsne["kl_divergence"], 0.75);
  EXPECT_EQ(tsne["kl_history"], json({3.5, 1.25, 0.75}));
  for (const char* other : {"trustworthiness", "graph", "landmarks", "gram_eigenvalues", "variances", "trace",
                            "residuals", "missed_bound", "centered"})
    EXPECT_FALSE(tsne.contains(other)) << other;
  Report mvu = tsne_report();
  mvu.embedding->isometry_error = 0.25;
  EXPECT_EQ(json::parse(mvu.to_json())["isometry_error"], 0.25);
  mvu.embedding->isometry_error = std::nan("");
  EXPECT_FALSE(json::parse(mvu.to_json()).contains("isometry_error"));
}

TEST(EmbeddingText, SaysHowFaithfulAndOfWhichGraph) {
  const std::string text = isomap_report().to_string();
  EXPECT_TRUE(text.starts_with("isomap of 2000 x 3, double\n")) << text;
  EXPECT_TRUE(has(text,
                  "trustworthiness above 0.9999, continuity 0.9871, 93.1 % of neighbours kept, stress 0.0421 "
                  "(12 neighbours, measured on 500 of 2000 points)\n"))
      << text;
  EXPECT_TRUE(has(text,
                  "graph: 14000 links found by hnsw, 98.75 % of the true neighbours, 3 pieces joined by 2 "
                  "bridges; 1 point is at the place of another\n"))
      << text;
  EXPECT_TRUE(has(text, "landmarks: paths from 300 of 2000 points\n")) << text;
  EXPECT_TRUE(has(text, "residual variance 0.00125")) << text;
}

TEST(EmbeddingText, OfTheBottomOfASpectrumHasNoShares) {
  const std::string text = lle_report().to_string();
  EXPECT_TRUE(has(text, "  component    eigenvalue  residual\n          1         1e-07   1.0e-15\n"))
      << text;
  EXPECT_TRUE(has(text, "none below 3.5e-07 was missed")) << text;
  Report guessed = lle_report();
  guessed.missed = {2e-7, 3.5e-7, 1e-6};
  EXPECT_TRUE(
      has(guessed.to_string(),
          "none below 3.5e-07 was missed (but for a chance of 1e-06; beyond doubt, none below 2e-07)"))
      << guessed.to_string();
  EXPECT_TRUE(has(text, "one piece, 1 point outside of the largest left out\n")) << text;
  EXPECT_FALSE(has(text, "share") || has(text, "nan")) << text;
}

TEST(EmbeddingText, OfTsneSpeaksOfNoEigenvalues) {
  const std::string text = tsne_report().to_string();
  EXPECT_TRUE(has(text, "KL divergence 0.75")) << text;
  EXPECT_FALSE(has(text, "component") || has(text, "certificate")) << text;
}

TEST(EmbeddingFile, ComesBackWhole) {
  Folder folder;
  Report mvu = tsne_report();
  mvu.embedding->isometry_error = infinity;
  mvu.embedding->isometry_mean = 0.25;
  for (const Report& r : {isomap_report(), lle_report(), tsne_report(), mvu}) {
    test::ReportCarrier(r).save(folder / "m");
    ModelReader<double> reader(folder / "m");
    const Report back = test::ReportCarrier(reader).report();
    EXPECT_EQ(back.to_json(), r.to_json());
    EXPECT_EQ(back.to_string(), r.to_string());
    EXPECT_EQ(back.end, r.end);
    EXPECT_EQ(back.embedding->isometry_error, r.embedding->isometry_error);
  }
}

TEST(EmbeddingFile, DamageIsNamed) {
  Folder folder;
  Report both = isomap_report();
  both.embedding->kl_history = {1, 2};
  test::ReportCarrier(both).save(folder / "m");
  const Parts good = Parts::of(slurp(folder / "m"));
  const auto damaged = [&](const std::string& pointer, const json& value, const std::string& words) {
    Parts parts = good;
    parts.change_parameters([&](json& j) { j[json::json_pointer(pointer)] = value; });
    spill(folder / "bad", parts.bytes());
    ModelReader<double> reader(folder / "bad");
    const Error error = error_of([&] { test::ReportCarrier back(reader); });
    EXPECT_EQ(error.code(), ErrorCode::bad_data);
    EXPECT_TRUE(has_words(error, words)) << error.what();
  };
  damaged("/report/embedding", 3, "'report.embedding' is not an object");
  damaged("/report/embedding/graph/search", "by eye",
          "'report.embedding.graph.search' is not a way to search");
  damaged("/report/embedding/graph/links", -1, "'report.embedding.graph.links' is not a count");
  damaged("/report/embedding/quality", json::object(), "'report.embedding.quality.neighbors' is missing");
  damaged("/report/embedding/kl_history", "falling",
          "'report.embedding.kl_history' is not a list of numbers");
  damaged("/report/embedding/residual_variance", "little", "residual_variance' is not a number");
}

}  // namespace
}  // namespace mercer
