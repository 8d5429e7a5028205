// Whole pictures: text never overlaps or leaves the page, whatever the data; bad input is refused
// with a message and leaves no file; the same input gives the same file.
#include "plot/figures.hpp"

#include "base/random.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

namespace mercer::plot {
namespace {

Matrix<double> cloud(Index n, Index columns, double scale = 1, std::uint64_t seed = 7) {
  Random random(seed);
  Matrix<double> points(n, columns);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < columns; ++j) points(i, j) = scale * (random.normal() + static_cast<double>(i % 3));
  return points;
}

Label classes(Index n, int count, const std::string& name = "class") {
  Label label;
  label.column = "kind";
  for (int c = 0; c < count; ++c) label.names.push_back(fmt::format("{} {}", name, c));
  for (Index i = 0; i < n; ++i) label.codes.push_back(static_cast<std::int32_t>(i % count));
  return label;
}

Label amounts(Index n, double scale = 1) {
  Label label = classes(n, static_cast<int>(n));
  for (Index i = 0; i < n; ++i) label.values.push_back(scale * static_cast<double>(i));
  return label;
}

Report decay(Index count, double share = 0.3, double factor = 0.7) {
  Report report;
  report.explained_variance_ratio.resize(count);
  report.variances.resize(count);
  for (Index i = 0; i < count; ++i, share *= factor) {
    report.explained_variance_ratio[i] = share;
    report.variances[i] = 2 * share;
  }
  return report;
}

Matrix<double> waves(const Matrix<double>& at, Index components) {
  Matrix<double> out(at.rows(), components);
  for (Index i = 0; i < at.rows(); ++i)
    for (Index k = 0; k < components; ++k)
      out(i, k) =
          std::sin(static_cast<double>(k + 1) * at(i, 0)) * std::cos(static_cast<double>(k) * at(i, 1));
  return out;
}

ScoreFunction waves(Index components) {
  return [=](const Matrix<double>& at) { return waves(at, components); };
}

void expect_tidy(const Canvas& canvas, const std::string& what) {
  const auto& texts = canvas.texts();
  EXPECT_FALSE(texts.empty()) << what;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_TRUE(canvas.page().contains(texts[i].ink.bounds()))
        << what << ": '" << texts[i].text << "' leaves the page";
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_FALSE(texts[i].ink.overlaps(texts[j].ink))
          << what << ": '" << texts[i].text << "' overlaps '" << texts[j].text << "'";
  }
}

bool shows(const Canvas& canvas, const std::string& text) {
  for (const PlacedText& t : canvas.texts())
    if (t.text == text) return true;
  return false;
}

std::vector<std::pair<std::string, std::optional<Label>>> labels(Index n) {
  return {{"no label", std::nullopt},
          {"two classes", classes(n, 2)},
          {"ten classes", classes(n, 10)},
          {"fifty classes", classes(n, 50)},
          {"long names", classes(n, 4, "a class with a very long name indeed")},
          {"numbers", amounts(n)},
          {"small numbers", amounts(n, 1e-9)}};
}

const Style titled{.title = "A title that is neither short nor really long",
                   .axes = {"first axis", "second axis", "third axis"}};

class Sizes : public testing::TestWithParam<std::pair<double, double>> {};
INSTANTIATE_TEST_SUITE_P(Figures, Sizes,
                         testing::Values(std::pair(400.0, 320.0), std::pair(800.0, 600.0),
                                         std::pair(1200.0, 500.0)));

TEST_P(Sizes, ScattersNeverHaveOverlappingText) {
  const auto [width, height] = GetParam();
  for (const Index columns : {1, 2, 3})
    for (const double scale : {1.0, 1e-6, 3e7})
      for (const auto& [name, label] : labels(60)) {
        Canvas canvas(Format::svg, width, height);
        draw_scatter(canvas, cloud(60, columns, scale), label, titled);
        expect_tidy(canvas, fmt::format("{} columns, scale {}, {}", columns, scale, name));
      }
}

TEST_P(Sizes, ScreesNeverHaveOverlappingText) {
  const auto [width, height] = GetParam();
  for (const Index count : {1, 2, 8, 12, 20, 31, 64, 200, 1797})
    for (const double share : {1.0 - 1e-7, 0.3, 0.02, 1e-5}) {
      Canvas canvas(Format::svg, width, height);
      draw_scree(canvas, decay(count, count == 1 ? share : share * 0.3), titled);
      expect_tidy(canvas, fmt::format("{} components, share {}", count, share));
    }
}

TEST_P(Sizes, PanelsNeverHaveOverlappingText) {
  const auto [width, height] = GetParam();
  for (const Index columns : {2, 3})
    for (const auto& [name, label] : labels(60)) {
      Canvas canvas(Format::svg, width, height);
      draw_panels(canvas, pairs(cloud(60, 3, 10), columns), label, titled);
      expect_tidy(canvas, fmt::format("{} columns, {}", columns, name));
    }
}

TEST_P(Sizes, ContoursNeverHaveOverlappingText) {
  const auto [width, height] = GetParam();
  for (const Index components : {1, 3, 8})
    for (const auto& [name, label] : labels(60)) {
      Style style = titled;
      style.captions = captions(decay(components));
      Canvas canvas(Format::svg, width, height);
      draw_contours(canvas, waves(components), cloud(60, 2), components, label, style);
      expect_tidy(canvas, fmt::format("{} maps, {}", components, name));
    }
}

TEST(Figures, DegenerateDataCanBeDrawn) {
  const Matrix<double> one = Matrix<double>::Constant(1, 2, 3.5), same = Matrix<double>::Zero(20, 3),
                       flat = (Matrix<double>(3, 2) << 0, 1e-20, 1, 1e-20, 2, 1e-20).finished();
  for (const Matrix<double>& points : {one, same, flat}) {
    Canvas canvas(Format::png, 400, 300);
    draw_scatter(canvas, points, {}, {});
    expect_tidy(canvas, fmt::format("{} points", points.rows()));
  }
  Canvas canvas(Format::png, 400, 300);
  const auto nothing = [](const Matrix<double>& at) {
    return Matrix<double>(Matrix<double>::Zero(at.rows(), 2));
  };
  draw_contours(canvas, nothing, one, 2, {}, {});
  expect_tidy(canvas, "a component that is zero");
}

TEST(Figures, LegendsCountWhatTheyCannotShow) {
  Canvas canvas(Format::svg, 800, 600);
  draw_scatter(canvas, cloud(60, 2), classes(60, 50), {});
  EXPECT_TRUE(shows(canvas, "class 18"));
  EXPECT_FALSE(shows(canvas, "class 19"));
  EXPECT_TRUE(shows(canvas, "… 31 more"));
}

TEST(Figures, AFewNumbersAreClassesManyAreAScale) {
  Label few = classes(60, 12);
  for (const auto code : few.codes) few.values.push_back(code);
  EXPECT_EQ(Coloring(few, 60).kind(), Coloring::Kind::classes);
  EXPECT_EQ(Coloring(amounts(60), 60).kind(), Coloring::Kind::scale);
  EXPECT_EQ(Coloring({}, 60).kind(), Coloring::Kind::plain);
}

TEST(Figures, ClassesWithoutPointsAreNotInTheLegend) {
  Label label = classes(10, 2);
  label.names.push_back("nobody");
  EXPECT_EQ(Coloring(label, 10).entries().size(), 2U);
}

TEST(Figures, ScreeShowsTheShareOfTheWholeTrace) {
  Canvas canvas(Format::svg, 800, 500);
  Report report = decay(2);
  report.explained_variance_ratio << 0.5, 0.25;
  draw_scree(canvas, report, {});
  EXPECT_TRUE(shows(canvas, "50.0\u00A0%"));
  EXPECT_TRUE(shows(canvas, "75.0\u00A0%"));
}

TEST(Figures, CaptionsNameComponentVarianceAndShare) {
  Report report = decay(1);
  report.variances << 0.2141;
  report.explained_variance_ratio << 0.342;
  EXPECT_EQ(captions(report), (std::vector<std::string>{"PC1 (λ = 0.21, 34.2\u00A0%)"}));
}

TEST(Figures, PairsAreAllPairsOfTheFirstColumns) {
  const auto panels = pairs(cloud(5, 6), 3);
  ASSERT_EQ(panels.size(), 3U);
  EXPECT_EQ(panels[1].axes, (std::vector<std::string>{"PC1", "PC3"}));
  EXPECT_EQ(pairs(cloud(5, 2), 3).size(), 1U);
  EXPECT_THROW((void)pairs(cloud(5, 1), 3), Error);
}

TEST(Figures, EightMapsStandInTwoRowsOfFour) {
  EXPECT_EQ(grid_columns(8), 4);
  EXPECT_EQ(grid_columns(3), 3);
  EXPECT_EQ(grid_columns(4), 2);
  for (Index n = 1; n < 200; ++n) EXPECT_LE(grid_columns(n), std::max<Index>(n, 1));
}

class InFolder : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              fmt::format("mercer-plot-{}-{}", ::getpid(),
                          testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] static std::string bytes(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  /// Runs, expects an Error of this code, and that nothing was written.
  void expect_refused(ErrorCode code, const std::string& word, const std::function<void()>& action) const {
    try {
      action();
      ADD_FAILURE() << "no error: " << word;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), code) << e.what();
      EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << e.what();
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder_));
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(InFolder, EveryPictureInEveryFormatIsTheSameTwice) {
  for (const char* ending : {"svg", "png", "pdf"}) {
    const auto draw_all = [&](const std::string& round) {
      const auto name = [&](const char* what) { return path(fmt::format("{}{}.{}", what, round, ending)); };
      scatter(name("plane"), cloud(50, 2), classes(50, 3), titled);
      scatter(name("many"), cloud(4000, 2), classes(4000, 3), titled);
      scatter(name("space"), cloud(50, 3), amounts(50), titled);
      panels(name("panels"), pairs(cloud(50, 3)), classes(50, 3), titled);
      scree(name("scree"), decay(10), titled);
      contours(name("contours"), waves(2), cloud(50, 2), 2, classes(50, 3), titled);
    };
    draw_all("1");
    draw_all("2");
    for (const char* what : {"plane", "many", "space", "panels", "scree", "contours"}) {
      const std::string first = bytes(path(fmt::format("{}1.{}", what, ending)));
      EXPECT_FALSE(first.empty()) << what;
      EXPECT_TRUE(first == bytes(path(fmt::format("{}2.{}", what, ending)))) << what << "." << ending;
    }
  }
}

TEST_F(InFolder, ManyPointsMakeASmallFile) {
  scatter(path("many.svg"), cloud(50000, 2), classes(50000, 3));
  EXPECT_LT(bytes(path("many.svg")).size(), 3'000'000U);
}

TEST_F(InFolder, BadPointsAreRefusedAndLeaveNothing) {
  Matrix<double> bad = cloud(10, 2);
  bad(3, 1) = std::nan("");
  expect_refused(ErrorCode::bad_data, "row 3, column 1", [&] { scatter(path("x.svg"), bad); });
  bad(3, 1) = INFINITY;
  expect_refused(ErrorCode::bad_data, "inf", [&] { scatter(path("x.png"), bad); });
  expect_refused(ErrorCode::usage, "nothing to draw", [&] { scatter(path("x.svg"), Matrix<double>(0, 2)); });
  expect_refused(ErrorCode::usage, "nothing to draw", [&] { scatter(path("x.svg"), Matrix<double>(5, 0)); });
  expect_refused(ErrorCode::usage, ".svg, .png or .pdf", [&] { scatter(path("x.jpeg"), cloud(10, 2)); });
  expect_refused(ErrorCode::usage, "cannot be drawn",
                 [&] { scatter(path("x.svg"), cloud(10, 2), {}, {.width = -3}); });
}

TEST_F(InFolder, LabelsThatDoNotFitAreRefused) {
  expect_refused(ErrorCode::bad_data, "9 labels for 10 points",
                 [&] { scatter(path("x.svg"), cloud(10, 2), classes(9, 2)); });
  Label label = classes(10, 2);
  label.codes[4] = 2;
  expect_refused(ErrorCode::bad_data, "point 4", [&] { scatter(path("x.svg"), cloud(10, 2), label); });
  label = amounts(10);
  label.values[2] = std::nan("");
  expect_refused(ErrorCode::bad_data, "point 2",
                 [&] { contours(path("x.svg"), waves(1), cloud(10, 2), 1, label); });
  label = amounts(10);
  label.values.pop_back();
  expect_refused(ErrorCode::bad_data, "9 values", [&] { panels(path("x.svg"), pairs(cloud(10, 3)), label); });
}

TEST_F(InFolder, PanelsMustExistAndShareTheirPoints) {
  expect_refused(ErrorCode::usage, "no panels", [&] { panels(path("x.svg"), {}); });
  std::vector<Panel> two = pairs(cloud(10, 3));
  two[1].points = cloud(9, 2);
  expect_refused(ErrorCode::bad_data, "panel 2 has 9 points", [&] { panels(path("x.svg"), two); });
}

TEST_F(InFolder, ScreeNeedsComponents) {
  expect_refused(ErrorCode::usage, "no components", [&] { scree(path("x.svg"), Report{}); });
  Report report = decay(3);
  report.explained_variance_ratio[1] = std::nan("");
  expect_refused(ErrorCode::bad_data, "share of variance", [&] { scree(path("x.svg"), report); });
}

TEST_F(InFolder, ContoursNeedAPlaneAndScoresThatFit) {
  expect_refused(ErrorCode::usage, "2 columns", [&] { contours(path("x.svg"), waves(1), cloud(10, 3), 1); });
  expect_refused(ErrorCode::usage, "no component",
                 [&] { contours(path("x.svg"), waves(1), cloud(10, 2), 0); });
  expect_refused(ErrorCode::bad_data, "2 components",
                 [&] { contours(path("x.svg"), waves(1), cloud(10, 2), 2); });
  const auto nan = [](const Matrix<double>& at) {
    return Matrix<double>(Matrix<double>::Constant(at.rows(), 1, std::nan("")));
  };
  expect_refused(ErrorCode::bad_data, "not a finite", [&] { contours(path("x.svg"), nan, cloud(10, 2), 1); });
  const auto fails = [](const Matrix<double>&) -> Matrix<double> {
    throw Error(ErrorCode::cancelled, "stopped");
  };
  expect_refused(ErrorCode::cancelled, "stopped", [&] { contours(path("x.svg"), fails, cloud(10, 2), 1); });
}

}  // namespace
}  // namespace mercer::plot
