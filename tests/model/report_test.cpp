// The report as JSON (the command line's contract) and as a table.
#include <mercer/report.hpp>
#include "expect_error.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>

namespace mercer {
namespace {

using nlohmann::json;
using test::has;
constexpr double infinity = std::numeric_limits<double>::infinity();

Report some_report(Index k = 3) {
  Report r;
  r.method = "kpca";
  r.n = 1797;
  r.d = 64;
  r.components = k;
  r.components_requested = k;
  r.kernel = "rbf(gamma=0.5)";
  r.gram_eigenvalues = Vector<double>::LinSpaced(k, 12, 6);
  r.variances = r.gram_eigenvalues / 1797;
  r.explained_variance_ratio = r.gram_eigenvalues / 300;
  r.trace = 300;
  r.residuals = Vector<double>::Constant(k, 3e-12);
  r.missed = {55.5, 5.75, 1e-6};
  r.passes = 12;
  r.rough_passes = 9;
  r.plan.route = Route::stored;
  r.plan.problem = "kernel 1797x1797";
  r.plan.bytes = 25.8e6;
  r.plan.flops = 4.1e9;
  r.seconds = {{"read", 0.25}, {"solve", 0.5}, {"total", 1}};
  r.peak_bytes = 123456789;
  r.notes = {"be \"careful\"", "twice"};
  return r;
}

TEST(ReportJson, HoldsEveryFieldOfTheContract) {
  const json j = json::parse(some_report().to_json());
  EXPECT_EQ(j["method"], "kpca");
  EXPECT_EQ(j["n"], 1797);
  EXPECT_EQ(j["d"], 64);
  EXPECT_EQ(j["components"], 3);
  EXPECT_EQ(j["components_requested"], 3);
  EXPECT_EQ(j["kernel"], "rbf(gamma=0.5)");
  EXPECT_EQ(j["precision"], "double");
  EXPECT_EQ(j["centered"], true);
  EXPECT_EQ(j["gram_eigenvalues"], json({12.0, 9.0, 6.0}));
  EXPECT_EQ(j["variances"], json({12.0 / 1797, 9.0 / 1797, 6.0 / 1797}));
  EXPECT_EQ(j["explained_variance_ratio"], json({0.04, 0.03, 0.02}));
  EXPECT_EQ(j["trace"], 300);
  EXPECT_EQ(j["residuals"], json({3e-12, 3e-12, 3e-12}));
  EXPECT_EQ(j["missed_bound"], json({{"rigorous", 55.5}, {"probable", 5.75}, {"delta", 1e-6}}));
  EXPECT_EQ(j["converged"], true);
  EXPECT_EQ(j["passes"], 12);
  EXPECT_EQ(j["rough_passes"], 9);
  EXPECT_EQ(j["plan"]["route"], "stored");
  EXPECT_EQ(j["plan"]["bytes"], 25'800'000);
  EXPECT_TRUE(j["plan"]["bytes"].is_number_integer());
  EXPECT_EQ(j["plan"]["flops"], 4'100'000'000);
  EXPECT_EQ(j["seconds"], json({{"total", 1.0}, {"read", 0.25}, {"solve", 0.5}}));
  EXPECT_EQ(j["peak_bytes"], 123456789);
  EXPECT_EQ(j["notes"], json({"be \"careful\"", "twice"}));
  EXPECT_TRUE(j.contains("min_eigenvalue") && j["min_eigenvalue"].is_null());
  EXPECT_TRUE(j.contains("negative_share") && j["negative_share"].is_null());
}

TEST(ReportJson, WritesNullWhereANumberIsNotFinite) {
  Report r = some_report();
  r.missed = {};
  r.trace = std::nan("");
  r.residuals[1] = infinity;
  r.explained_variance_ratio.setConstant(std::nan(""));
  r.plan.flops = infinity;
  r.plan.bytes = -std::nan("");
  r.seconds[0].second = infinity;
  r.min_eigenvalue = -infinity;
  r.kernel.clear();
  const std::string text = r.to_json();
  EXPECT_FALSE(has(text, "nan") || has(text, "NaN") || has(text, "inf"));
  const json j = json::parse(text);
  for (const char* place :
       {"/kernel", "/missed_bound/rigorous", "/missed_bound/probable", "/trace", "/residuals/1",
        "/explained_variance_ratio/0", "/plan/flops", "/plan/bytes", "/seconds/read", "/min_eigenvalue"})
    EXPECT_TRUE(j.at(json::json_pointer(place)).is_null()) << place;
  EXPECT_EQ(j["residuals"].size(), 3U);
}

TEST(ReportJson, KeepsEveryDigit) {
  Report r = some_report(1);
  r.gram_eigenvalues[0] = 0.1 + 0.2;
  r.min_eigenvalue = -1.0 / 3;
  r.negative_share = 1e-300;
  const json j = json::parse(r.to_json());
  EXPECT_EQ(j["gram_eigenvalues"][0].get<double>(), 0.1 + 0.2);
  EXPECT_EQ(j["min_eigenvalue"].get<double>(), -1.0 / 3);
  EXPECT_EQ(j["negative_share"].get<double>(), 1e-300);
}

TEST(ReportJson, IsIndentedWithNumbersOnOneLine) {
  const std::string text = some_report().to_json();
  EXPECT_TRUE(text.starts_with("{\n  \"method\": \"kpca\",\n  \"n\": 1797,\n")) << text;
  EXPECT_TRUE(has(text, "\n  \"gram_eigenvalues\": [12.0, 9.0, 6.0],\n")) << text;
  EXPECT_TRUE(has(text, "\n  \"missed_bound\": {\n    \"rigorous\": 55.5,\n")) << text;
  EXPECT_TRUE(has(text, "\n  \"notes\": [\n    \"be \\\"careful\\\"\",\n    \"twice\"\n  ]\n}")) << text;
}

TEST(ReportJson, AnEmptyReportIsStillJson) {
  const json j = json::parse(Report{}.to_json());
  EXPECT_EQ(j["gram_eigenvalues"], json::array());
  EXPECT_EQ(j["notes"], json::array());
  EXPECT_EQ(j["seconds"], json::object());
}

TEST(ReportJson, TextThatIsNotUtf8IsStillJson) {
  Report r = some_report();
  r.notes = {
      "gr\xf6\xdf"
      "e"};
  EXPECT_TRUE(json::accept(r.to_json()));
}

TEST(ReportTable, SaysWhatWasFitted) {
  const std::string text = some_report().to_string();
  EXPECT_TRUE(text.starts_with("kpca of 1797 x 64, kernel rbf(gamma=0.5), double\n")) << text;
  EXPECT_TRUE(
      has(text,
          "each eigenvalue of the matrix as computed is right to within 3e-12; none above 5.75 was missed "
          "(but for a chance of 1e-06; beyond doubt, none above 55.5)\n"))
      << text;
  EXPECT_TRUE(has(text,
                  "route stored (kernel 1797x1797), 12 passes (9 of them in float), 1 s (read 0.25, solve "
                  "0.5), peak memory 123 MB\n"))
      << text;
  EXPECT_TRUE(has(text, "note: twice\n")) << text;
}

TEST(ReportTable, TimesAreReadable) {
  Report r = some_report();
  r.seconds = {{"read", 8.4e-5}, {"solve", 1234.5}, {"total", 1234.6}};
  EXPECT_TRUE(has(r.to_string(), ", 1235 s (solve 1234)") || has(r.to_string(), ", 1235 s (solve 1235)"))
      << r.to_string();
}

TEST(ReportTable, StopsAfterTenComponents) {
  const std::string ten = some_report(10).to_string();
  EXPECT_FALSE(has(ten, "…")) << ten;
  const std::string many = some_report(47).to_string();
  EXPECT_TRUE(has(many, "…  and 37 more, ")) << many;
  EXPECT_LT(std::count(many.begin(), many.end(), '\n'), 20);
}

TEST(ReportTable, SaysWhatWentWrong) {
  Report r = some_report();
  r.converged = false;
  r.components_requested = 8;
  r.centered = false;
  r.min_eigenvalue = -0.5;
  r.negative_share = 0.25;
  const std::string text = r.to_string();
  EXPECT_TRUE(has(text, ", double, not centred\n3 components of the 8 asked for")) << text;
  EXPECT_TRUE(has(text, "NOT CONVERGED")) << text;
  EXPECT_TRUE(has(text, "the smallest eigenvalue is -0.5, 25% of the spectrum is negative")) << text;
}

TEST(ReportTable, NamesNoChanceWhereThereIsNone) {
  Report r = some_report();
  r.missed = {5.5000001, 5.5, 0};
  EXPECT_TRUE(has(r.to_string(), "none above 5.5 was missed\n")) << r.to_string();
  r.end = End::smallest;
  r.missed = {5.4999999, 5.5, 0};
  EXPECT_TRUE(has(r.to_string(), "none below 5.5 was missed\n")) << r.to_string();
}

TEST(ReportTable, ManagesWithoutResidualsOrBounds) {
  Report r = some_report();
  r.residuals.resize(0);
  r.missed = {};
  EXPECT_TRUE(has(r.to_string(), "residuals were not measured; what may have been missed was not measured"))
      << r.to_string();
  r.missed = {2.5, infinity, 0};
  EXPECT_TRUE(has(r.to_string(), "none above 2.5 was missed\n")) << r.to_string();
  EXPECT_TRUE(has(Report{}.to_string(), "no component")) << Report{}.to_string();
}

EigenvalueBounds bounds_around(const Vector<double>& values, double likely, double sure, double below) {
  EigenvalueBounds b;
  b.low = b.rigorous_low = values.array() - below;
  b.high = values.array() + likely;
  b.rigorous_high = values.array() + sure;
  b.delta = 1e-6;
  b.remaining_trace = 0.25;
  b.rank = 60;
  return b;
}

TEST(ReportText, SaysHowFarTheTruthMayLieFromALowRank) {
  Report r = some_report();
  r.gram_eigenvalues << 257.3764, 30, 2;
  r.bounds = bounds_around(r.gram_eigenvalues, 3.1251e-5, 0.0025, 1e-13);
  const std::string text = r.to_string();
  EXPECT_TRUE(
      has(text,
          "low rank: 60 columns leave out a trace of 0.25; the true eigenvalues are larger than these by "
          "at most 3.13e-05 (1.22e-05 % of the first, 0.00157 % of the last) but for a chance of 1e-06, by "
          "at most 0.0025 beyond doubt; smaller by at most "))
      << text;
  EXPECT_FALSE(has(text, "257.376 …")) << text;

  r.bounds->rigorous_low = r.gram_eigenvalues.array() - 0.5;
  r.bounds->low = r.gram_eigenvalues.array() - 0.25;
  EXPECT_TRUE(
      has(r.to_string(), "smaller by at most 0.25 but for that chance, by at most 0.5 beyond doubt\n"))
      << r.to_string();
  r.bounds = bounds_around(r.gram_eigenvalues, 0.125, 0.125, 0);
  EXPECT_TRUE(
      has(r.to_string(),
          "larger than these by at most 0.125 (0.0486 % of the first, 6.25 % of the last); smaller by at "
          "most 0\n"))
      << r.to_string();
}

TEST(ReportJson, HoldsBothEndsOfEveryInterval) {
  Report r = some_report();
  r.bounds = bounds_around(r.gram_eigenvalues, 1e-9, 0.5, 1e-10);
  const json j = json::parse(r.to_json());
  for (Index i = 0; i < 3; ++i) {
    const auto at = static_cast<std::size_t>(i);
    EXPECT_EQ(j["eigenvalue_bounds"][at], json({r.bounds->low[i], r.bounds->high[i]}));
    EXPECT_LT(j["eigenvalue_bounds"][at][0].get<double>(), j["eigenvalue_bounds"][at][1].get<double>());
    EXPECT_EQ(j["eigenvalue_bounds_rigorous"][at],
              json({r.bounds->rigorous_low[i], r.bounds->rigorous_high[i]}));
  }
}

}  // namespace
}  // namespace mercer
