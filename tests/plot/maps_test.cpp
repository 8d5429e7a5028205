// Maps side by side: tidy at every size, failures in words, colours that stay with their rows.
#include "plot/figures.hpp"
#include "plot/tidy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace mercer::plot {
namespace {

Matrix<double> cloud(Index n, Index d) {
  Matrix<double> x(n, d);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < d; ++j) x(i, j) = std::sin(double(7 * i + 3 * j + i * j));
  return x;
}

Label numbers(Index n) {
  Label label{"t"};
  for (Index i = 0; i < n; ++i) {
    label.names.push_back(std::to_string(i));
    label.codes.push_back(static_cast<std::int32_t>(i));
    label.values.push_back(double(i));
  }
  return label;
}

std::vector<PointMap> some_maps(Index count, Index n) {
  std::vector<PointMap> out;
  for (Index i = 0; i < count; ++i)
    out.push_back({"method " + std::to_string(i + 1), "trustworthiness 0.998, 0.123 s", cloud(n, 1 + i % 3)});
  return out;
}

bool shows(const Canvas& canvas, const std::string& words) {
  return std::any_of(canvas.texts().begin(), canvas.texts().end(),
                     [&](const PlacedText& t) { return t.text.find(words) != std::string::npos; });
}

TEST(Maps, AreTidyAtEverySize) {
  for (const double width : {700.0, 1100.0, 1600.0})
    for (const Index count : {1, 2, 5, 7, 9, 10})
      for (const bool labelled : {false, true}) {
        Canvas canvas(Format::svg, width, 620);
        const auto label = labelled ? std::optional(numbers(40)) : std::nullopt;
        draw_maps(canvas, some_maps(count, 40), label, {.title = "Maps of a roll"});
        expect_tidy(canvas);
        EXPECT_TRUE(shows(canvas, "method " + std::to_string(count)));
      }
}

TEST(Maps, AMapThatFailedShowsItsReason) {
  auto maps = some_maps(4, 30);
  maps[2] = {"Hessian LLE", "the graph of 5 nearest neighbours falls into 12 pieces of 30, 20, 10 points"};
  Canvas canvas(Format::svg, 900, 300);
  draw_maps(canvas, maps, {}, {});
  expect_tidy(canvas);
  EXPECT_TRUE(shows(canvas, "Hessian LLE"));
  EXPECT_TRUE(shows(canvas, "the graph of 5"));
  maps[2].caption = std::string(400, 'w') + std::string(3000, ' ') + "end";
  Canvas long_one(Format::svg, 900, 300);
  draw_maps(long_one, maps, {}, {});
  expect_tidy(long_one);
}

TEST(Maps, RowsKeepTheColoursTheyHaveAmongAll) {
  const Coloring all(numbers(40), 40);
  const Coloring some = all.of({3, 39});
  for (const auto& [part, whole] : {std::pair(0U, 3U), std::pair(1U, 39U)}) {
    EXPECT_EQ(some.look(part).color.r, all.look(whole).color.r);
    EXPECT_EQ(some.look(part).color.g, all.look(whole).color.g);
  }
  Label classes{"c", {"a", "b"}, {0, 1, 1, 0}, {}};
  const Coloring named(classes, 4);
  EXPECT_EQ(named.of({2, 3}).entry_of(0), named.entry_of(2));
  auto maps = some_maps(2, 40);
  maps[1].points = cloud(2, 2);
  maps[1].rows = {3, 39};
  Canvas canvas(Format::svg, 900, 300);
  draw_maps(canvas, maps, numbers(40), {});
  expect_tidy(canvas);
}

TEST(Maps, RefuseWhatCannotBeDrawn) {
  Canvas canvas(Format::svg, 900, 300);
  EXPECT_EQ(ErrorCode::usage, code_of([&] { draw_maps(canvas, {}, {}, {}); }));
  auto maps = some_maps(3, 30);
  EXPECT_EQ(ErrorCode::bad_data, code_of([&] { draw_maps(canvas, maps, numbers(29), {}); }));
  maps[1].points(2, 0) = std::nan("");
  EXPECT_EQ(ErrorCode::bad_data, code_of([&] { draw_maps(canvas, maps, {}, {}); }));
  maps = some_maps(3, 30);
  maps[1].points = cloud(1, 2);
  maps[1].rows = {30};
  EXPECT_EQ(ErrorCode::bad_data, code_of([&] { draw_maps(canvas, maps, numbers(30), {}); }));
}

}  // namespace
}  // namespace mercer::plot
