// Heat maps: tidy at every size, one scale for all, and slices of a core that hold all of it.
#include "plot/figures.hpp"
#include "plot/tidy.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace mercer::plot {
namespace {

Matrix<double> decaying(Index rows, Index cols, double scale) {
  Matrix<double> out(rows, cols);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j) out(i, j) = scale * std::exp(-double(i + 2 * j)) * (j % 2 ? -1 : 1);
  return out;
}

TEST(HeatMaps, AreTidyAtEverySize) {
  for (const double width : {500.0, 1100.0})
    for (const std::size_t count : {1, 4, 12})
      for (const double scale : {1.0, 1e-9, 3e7})
        for (const bool logarithmic : {true, false}) {
          Canvas canvas(Format::svg, width, 640);
          const std::vector<HeatMap> maps(
              count, {"slice 1 of mode 0", decaying(7, 30, scale), {"mode 2", "mode 1"}});
          draw_heat_maps(canvas, maps, logarithmic, {.title = "A core"});
          expect_tidy(canvas);
        }
}

TEST(HeatMaps, NothingButZerosIsAPicture) {
  Canvas canvas(Format::svg, 400, 300);
  draw_heat_maps(canvas, {{"", Matrix<double>::Zero(3, 3), {}}}, true, {});
  expect_tidy(canvas);
}

TEST(HeatMaps, RefuseWhatCannotBeDrawn) {
  Canvas canvas(Format::svg, 400, 300);
  EXPECT_EQ(code_of([&] { draw_heat_maps(canvas, {}, false, {}); }), ErrorCode::usage);
  const Matrix<double> bad = Matrix<double>::Constant(2, 2, std::nan(""));
  EXPECT_EQ(code_of([&] { draw_heat_maps(canvas, {{"", bad, {}}}, false, {}); }), ErrorCode::bad_data);
}

TEST(CoreMaps, HoldTheWholeCore) {
  for (const Shape& shape : {Shape{4}, Shape{3, 5}, Shape{2, 4, 3}, Shape{2, 3, 2, 4}}) {
    Tensor<double> core(shape);
    for (Index i = 0; i < core.count(); ++i) core.data()[i] = std::sin(double(i + 1));
    const auto maps = core_maps(core.view());
    double sum = 0;
    for (const HeatMap& map : maps) sum += map.values.squaredNorm();
    EXPECT_NEAR(sum, core.values().squaredNorm(), 1e-12);
  }
}

TEST(CoreMaps, AreTheSlicesOfThreeModes) {
  Tensor<double> core({2, 4, 3});
  for (Index i = 0; i < core.count(); ++i) core.data()[i] = -double(i);
  const auto maps = core_maps(core.view());
  ASSERT_EQ(maps.size(), 2U);
  EXPECT_EQ(maps[1].title, "slice 2 of mode 0");
  EXPECT_EQ(maps[1].axes, (std::vector<std::string>{"mode 2", "mode 1"}));
  EXPECT_EQ(maps[1].values(3, 2), std::abs(core({1, 3, 2})));
}

}  // namespace
}  // namespace mercer::plot
