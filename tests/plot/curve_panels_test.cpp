// Panels of curves: tidy at every size, one look a component, and refused when there is nothing to draw.
#include "plot/figures.hpp"
#include "plot/tidy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace mercer::plot {
namespace {

std::vector<Block<double>> waves(const std::vector<Index>& sizes, Index rank, double scale = 1) {
  std::vector<Block<double>> out;
  for (const Index size : sizes) {
    Block<double> factor(size, rank);
    for (Index i = 0; i < size; ++i)
      for (Index r = 0; r < rank; ++r) factor(i, r) = scale * std::sin(0.1 * double(i * (r + 1)));
    out.push_back(factor);
  }
  return out;
}

TEST(CurvePanels, AreTidyAtEverySize) {
  for (const double width : {560.0, 1100.0, 1600.0})
    for (const Index rank : {1, 3, 9})
      for (const double scale : {1.0, 1e-6, 4e7})
        for (const auto& sizes : {std::vector<Index>{5, 201, 61}, {1, 2}, {3, 4, 5, 6}}) {
          Canvas canvas(Format::svg, width, 480);
          draw_curve_panels(canvas, factor_panels(waves(sizes, rank, scale), {"sample", "emission"}),
                            {.title = "Factors"});
          expect_tidy(canvas);
        }
}

TEST(CurvePanels, HaveAPanelAModeAndACurveAComponent) {
  const auto panels = factor_panels(waves({5, 7}, 3), {"sample"});
  ASSERT_EQ(panels.size(), 2U);
  EXPECT_EQ(panels[0].title, "sample");
  EXPECT_EQ(panels[1].title, "mode 1");
  ASSERT_EQ(panels[1].curves.size(), 3U);
  EXPECT_EQ(panels[1].curves[2].name, "component 3");
  EXPECT_EQ(panels[1].curves[2].y.size(), 7U);
  EXPECT_EQ(panels[1].curves[2].y[1], std::sin(0.1 * 3));
}

TEST(CurvePanels, AxesOfCountsHaveNoTicksBetween) {
  Canvas canvas(Format::svg, 900, 300);
  draw_curve_panels(canvas, factor_panels(waves({3, 40}, 1, 100)), {});
  std::size_t zeros = 0;
  for (const PlacedText& t : canvas.texts()) {
    EXPECT_NE(t.text, "0.5");
    EXPECT_NE(t.text, "1.5");
    zeros += t.text == "0";
  }
  EXPECT_GE(zeros, 2U);
}

TEST(CurvePanels, RefuseWhatCannotBeDrawn) {
  Canvas canvas(Format::svg, 400, 300);
  EXPECT_EQ(code_of([&] { draw_curve_panels(canvas, {}, {}); }), ErrorCode::usage);
  EXPECT_EQ(code_of([&] {
              draw_curve_panels(canvas, factor_panels(waves({0, 3}, 2)), {});
            }),
            ErrorCode::usage);
  auto factors = waves({4, 3}, 2);
  factors[1](1, 1) = std::nan("");
  EXPECT_EQ(code_of([&] { draw_curve_panels(canvas, factor_panels(factors), {}); }), ErrorCode::bad_data);
}

}  // namespace
}  // namespace mercer::plot
