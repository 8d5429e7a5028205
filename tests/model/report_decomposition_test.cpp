// Reports of decompositions: the fields of the contract, words without a NaN, and the way through a file.
#include "expect_error.hpp"
#include "model/report_carrier.hpp"
#include "model/toy_model.hpp"

#include <mercer/report.hpp>

#include <algorithm>

namespace mercer {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

Report cp_report() {
  Report r;
  r.method = "cp";
  r.n = 5;
  r.d = 201 * 61;
  r.components = r.components_requested = 3;
  r.plan.problem = "3 components of 5 x 201 x 61";
  r.seconds = {{"fit", 0.5}, {"total", 0.75}};
  Decomposition d;
  d.shape = {5, 201, 61};
  d.ranks = {3};
  d.known = 5 * 201 * 61;
  d.kept = 3 * (5 + 201 + 61) + 3;
  d.relative_error = 0.0245;
  d.explained = 1 - 0.0245 * 0.0245;
  d.weights = Vector<double>(3);
  d.weights << 40000, 30000, 1000;
  d.errors = {0.5, 0.1, 0.0245};
  d.starts = 4;
  d.core_consistency = 99.25;
  d.warnings = {"components 1 and 2 cancel each other"};
  r.decomposition = d;
  return r;
}

Report svd2d_report() {
  Report r;
  r.method = "svd2d";
  r.n = 400;
  r.d = 112 * 92;
  r.components = 400;
  r.centered = false;
  Decomposition d;
  d.shape = {400, 112, 92};
  d.ranks = {20, 10};
  d.known = 400 * 112 * 92;
  d.kept = 400 * 200 + 112 * 20 + 92 * 10;
  d.relative_error = 0.1;
  d.explained = 0.99;
  d.rms_error = 1357.59;
  d.mode_values = {Vector<double>::LinSpaced(112, 112, 1), Vector<double>::LinSpaced(92, 92, 1)};
  r.decomposition = d;
  return r;
}

TEST(DecompositionJson, HoldsEveryFieldOfTheContract) {
  const json j = json::parse(cp_report().to_json());
  EXPECT_EQ(j["method"], "cp");
  EXPECT_EQ(j["shape"], json({5, 201, 61}));
  EXPECT_EQ(j["sample_mode"], 0);
  EXPECT_EQ(j["ranks"], json::array({3}));
  EXPECT_EQ(j["relative_error"], 0.0245);
  EXPECT_EQ(j["explained"], 1 - 0.0245 * 0.0245);
  EXPECT_EQ(j["known"], 61305);
  EXPECT_EQ(j["kept"], 804);
  EXPECT_EQ(j["weights"], json({40000.0, 30000.0, 1000.0}));
  EXPECT_EQ(j["core_consistency"], 99.25);
  EXPECT_EQ(j["errors"], json({0.5, 0.1, 0.0245}));
  EXPECT_EQ(j["starts"], 4);
  EXPECT_EQ(j["warnings"].size(), 1U);
  EXPECT_EQ(j["converged"], true);
  for (const char* field : {"plan", "seconds", "peak_bytes", "notes", "mode_values", "precision", "n", "d"})
    EXPECT_TRUE(j.contains(field)) << field;
  for (const char* other : {"rms_error", "gram_eigenvalues", "variances", "explained_variance_ratio", "trace",
                            "residuals", "missed_bound", "passes", "centered"})
    EXPECT_FALSE(j.contains(other)) << other;

  const json matrices = json::parse(svd2d_report().to_json());
  EXPECT_EQ(matrices["rms_error"], 1357.59);
  EXPECT_EQ(matrices["centered"], false);
  EXPECT_EQ(matrices["mode_values"][1].size(), 92U);
}

TEST(DecompositionJson, ComesBesideTheEigenproblemWhereThereIsAKernel) {
  Report r = svd2d_report();
  r.kernel = "rbf(gamma=0.5)";
  r.gram_eigenvalues = Vector<double>::Constant(1, 2);
  const json j = json::parse(r.to_json());
  EXPECT_EQ(j["gram_eigenvalues"], json::array({2.0}));
  EXPECT_EQ(j["ranks"], json({20, 10}));
}

TEST(DecompositionText, SaysHowSmallAndHowClose) {
  const std::string text = cp_report().to_string();
  EXPECT_TRUE(
      text.starts_with("cp of 5 x 201 x 61 -> 3 components, double\n"
                       "relative error 0.0245, 99.940 % explained\n"
                       "keeps 804 numbers instead of 61,305 (1.31 %, 76.2 times fewer)\n"))
      << text;
  EXPECT_TRUE(has(text, "          2         30000        75.0 %\n")) << text;
  EXPECT_TRUE(has(text, "converged after 3 sweeps, the best of 4 starts\n")) << text;
  EXPECT_TRUE(has(text, "core consistency 99.2 %: not more components than the array has\n") ||
              has(text, "core consistency 99.3 %: not more components than the array has\n"))
      << text;
  EXPECT_TRUE(has(text, "warning: components 1 and 2 cancel each other\n")) << text;
  EXPECT_TRUE(has(text, "3 components of 5 x 201 x 61, 0.75 s")) << text;
  EXPECT_FALSE(has(text, "route") || has(text, "certificate") || has(text, "not centred")) << text;
}

TEST(DecompositionText, ShowsModesWithTheirSingularValues) {
  const std::string text = svd2d_report().to_string();
  EXPECT_TRUE(text.starts_with("svd2d of 400 x 112 x 92 -> cores 20 x 10, double, not centred\n")) << text;
  EXPECT_TRUE(has(text, "rms error 1357.59 a sample, 13.37 an entry\n")) << text;
  EXPECT_TRUE(has(text, "          1     112      20  112, 111, 110, …, 93; next 92\n")) << text;
  EXPECT_TRUE(has(text, "          2      92      10  92, 91, 90, …, 83; next 82\n")) << text;
}

TEST(DecompositionText, DoesNotRoundUpToEverything) {
  Report r = cp_report();
  r.decomposition->explained = 1 - 1e-9;
  EXPECT_TRUE(has(r.to_string(), "99.9999999")) << r.to_string();
  r.decomposition->explained = 1;
  EXPECT_TRUE(has(r.to_string(), "100 % explained")) << r.to_string();
}

TEST(DecompositionText, NeverShowsANan) {
  Report r = cp_report();
  Decomposition& d = *r.decomposition;
  d.relative_error = d.explained = std::nan("");
  d.weights.setConstant(std::nan(""));
  d.core_consistency = std::nan("");
  d.errors = {std::nan("")};
  r.converged = false;
  for (const std::string& text : {r.to_string(), r.to_json()})
    EXPECT_FALSE(has(text, "nan") || has(text, "inf")) << text;
  EXPECT_TRUE(has(r.to_string(), "NOT CONVERGED after 1 sweep")) << r.to_string();
  Report s = svd2d_report();
  s.decomposition->mode_values[0][3] = infinity;
  s.decomposition->rms_error = std::nan("");
  for (const std::string& text : {s.to_string(), s.to_json()})
    EXPECT_FALSE(has(text, "nan") || has(text, "inf")) << text;
}

TEST(DecompositionText, SaysWhatWasGivenOfAnArrayWithGaps) {
  Report r = cp_report();
  r.decomposition->known = 12261;
  EXPECT_TRUE(
      has(r.to_string(), "instead of 12,261 (6.56 %, 15.2 times fewer); 20 % of the entries were given"))
      << r.to_string();
  r.decomposition->known = 100;
  EXPECT_TRUE(has(r.to_string(), "(8.04 times more: nothing is saved)")) << r.to_string();
}

TEST(DecompositionText, LongListsOfComponentsStop) {
  Report r = cp_report();
  r.decomposition->weights = Vector<double>::LinSpaced(64, 64, 1);
  const std::string text = r.to_string();
  EXPECT_TRUE(has(text, "…  and 44 more\n")) << text;
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 35);
}

TEST(DecompositionFile, ComesBackWhole) {
  Folder folder;
  for (const Report& r : {cp_report(), svd2d_report()}) {
    test::ReportCarrier(r).save(folder / "m");
    ModelReader<double> reader(folder / "m");
    EXPECT_EQ(test::ReportCarrier(reader).report().to_json(), r.to_json());
  }
}

TEST(DecompositionFile, DamageIsNamed) {
  Folder folder;
  test::ReportCarrier(svd2d_report()).save(folder / "m");
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
  damaged("/report/decomposition/sample_mode", 3, "sample mode 3");
  damaged("/report/decomposition/mode_values", 3, "'report.mode_values.2' is missing");
  damaged("/report/decomposition/mode_values", 1e9, "mode_values");
  damaged("/report/decomposition/mode_values", 100, "100 lists of values");
  damaged("/report/decomposition/shape", json({1, "x"}), "decomposition.shape");
  damaged("/report/decomposition/ranks", 7, "a list of counts");
  damaged("/report/decomposition/kept", -1, "a count");
}

}  // namespace
}  // namespace mercer
