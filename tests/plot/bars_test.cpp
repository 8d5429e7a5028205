// Lists of named numbers, and what tune() found: tidy, and refused when there is nothing sensible to draw.
#include "plot/figures.hpp"
#include "plot/tidy.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

namespace mercer::plot {
namespace {

std::vector<BarList> lists(std::size_t count, std::size_t words) {
  std::vector<BarList> out;
  for (std::size_t i = 0; i < count; ++i) {
    BarList list{"topic " + std::to_string(i + 1), {}, {}};
    for (std::size_t j = 0; j < words; ++j) {
      list.names.push_back(std::string(2 + 5 * (j % 5), 'w') + std::to_string(j));
      list.values.push_back(std::cos(double(i + j)));
    }
    out.push_back(list);
  }
  return out;
}

TEST(Bars, StayOnThePageAndOffEachOther) {
  for (const std::size_t count : {1, 2, 5, 12})
    for (const std::size_t words : {1, 8}) {
      Canvas canvas(Format::svg, 960, 600);
      draw_bars(canvas, lists(count, words), {.title = "Topics"});
      EXPECT_EQ(canvas.texts().size(), 1 + count * (1 + 2 * words));
      expect_tidy(canvas);
    }
}

TEST(Bars, RefuseWhatCannotBeDrawn) {
  Canvas canvas(Format::svg, 400, 300);
  EXPECT_EQ(code_of([&] { draw_bars(canvas, {}, {}); }), ErrorCode::usage);
  EXPECT_EQ(code_of([&] { draw_bars(canvas, {{"a", {"x", "y"}, {1}}}, {}); }), ErrorCode::usage);
  EXPECT_EQ(code_of([&] {
              draw_bars(canvas, {{"a", {"x"}, {std::numeric_limits<double>::quiet_NaN()}}}, {});
            }),
            ErrorCode::bad_data);
}

TEST(Sweep, DrawsACurveForEachKernel) {
  Tuning tuning;
  tuning.by = TuneBy::error;
  tuning.swept_with = 3;
  for (const double width : {4.0, 0.25, 1.0}) {
    Trial trial{.kernel = Kernel::rbf(width), .family = 0, .width = width, .error = 0.1 * width};
    tuning.trials.push_back(trial);
  }
  tuning.trials.push_back({.kernel = Kernel::linear(), .family = 1, .width = 1, .error = 0.3});
  const auto path = std::filesystem::temp_directory_path() / "mercer_sweep_test.svg";
  sweep(path.string(), tuning);
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  std::filesystem::remove(path);
  EXPECT_NE(text.str().find("Choosing a kernel, with 3 components"), std::string::npos);
}

}  // namespace
}  // namespace mercer::plot
