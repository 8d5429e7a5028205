// Curves and rows of pictures: tidy at every size, and refused when there is nothing sensible to draw.
#include "plot/figures.hpp"
#include "plot/tidy.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace mercer::plot {
namespace {

std::vector<Curve> sweep(std::size_t count, double scale) {
  std::vector<Curve> out;
  for (std::size_t i = 0; i < count; ++i) {
    Curve c{"kernel number " + std::to_string(i), {}, {}};
    for (double x = 1.0 / 64; x < 100; x *= 4) {
      c.x.push_back(x);
      c.y.push_back(scale * (1 + std::cos(x + double(i))));
    }
    out.push_back(c);
  }
  return out;
}

TEST(Curves, AreTidyAtEverySize) {
  for (const double width : {400.0, 760.0, 1200.0})
    for (const std::size_t count : {1, 3, 8})
      for (const double scale : {1.0, 1e-6, 3e7})
        for (const bool log_x : {true, false}) {
          Canvas canvas(Format::svg, width, 420);
          draw_curves(canvas, sweep(count, scale), log_x, {.title = "A sweep", .axes = {"gamma", "error"}});
          expect_tidy(canvas);
          EXPECT_GT(canvas.texts().size(), 6U);
        }
}

TEST(Curves, RefuseWhatCannotBeDrawn) {
  Canvas canvas(Format::svg, 400, 300);
  EXPECT_EQ(code_of([&] { draw_curves(canvas, {}, false, {}); }), ErrorCode::usage);
  EXPECT_EQ(code_of([&] { draw_curves(canvas, {{"a", {1, 2}, {1}}}, false, {}); }), ErrorCode::usage);
  EXPECT_EQ(code_of([&] { draw_curves(canvas, {{"a", {0, 2}, {1, 2}}}, true, {}); }), ErrorCode::bad_data);
  EXPECT_EQ(code_of([&] {
              draw_curves(canvas, {{"a", {1}, {std::nan("")}}}, true, {});
            }),
            ErrorCode::bad_data);
  EXPECT_EQ(code_of([] { require_picture("sweep.txt"); }), ErrorCode::usage);
}

TEST(Galleries, AreTidyAndStayOnThePage) {
  const Matrix<double> pictures = Matrix<double>::Random(14, 64);
  for (const double width : {300.0, 720.0, 1400.0}) {
    Canvas canvas(Format::svg, width, 400);
    draw_gallery(
        canvas,
        {{"clean", pictures}, {"noisy", pictures}, {"a caption that says a good deal more", pictures}}, 8, 8,
        {.title = "Denoising"});
    expect_tidy(canvas);
  }
}

TEST(Galleries, RefuseWhatCannotBeDrawn) {
  Canvas canvas(Format::svg, 400, 300);
  EXPECT_EQ(code_of([&] { draw_gallery(canvas, {}, 8, 8, {}); }), ErrorCode::usage);
  EXPECT_EQ(code_of([&] {
              draw_gallery(canvas, {{"a", Matrix<double>::Zero(2, 63)}}, 8, 8, {});
            }),
            ErrorCode::bad_data);
  EXPECT_EQ(code_of([&] {
              draw_gallery(canvas, {{"a", Matrix<double>::Zero(0, 64)}}, 8, 8, {});
            }),
            ErrorCode::usage);
}

}  // namespace
}  // namespace mercer::plot
