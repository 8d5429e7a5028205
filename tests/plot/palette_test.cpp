// Colours can be told apart with any common colour vision, and never stand alone.
#include "plot/palette.hpp"

#include "plot/color_vision.hpp"

#include <gtest/gtest.h>

#include <set>

namespace mercer::plot {
namespace {

using test::difference;

double closest_pair(std::span<const Color> colors, const test::Sight& sight) {
  double least = 1e9;
  for (std::size_t i = 0; i < colors.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) least = std::min(least, difference(colors[i], colors[j], sight));
  return least;
}

TEST(Palette, EightClassColorsDifferWithEveryColorVision) {
  const auto colors = class_colors(8);
  ASSERT_EQ(colors.size(), 8U);
  EXPECT_GT(closest_pair(colors, test::normal), 20);
  EXPECT_GT(closest_pair(colors, test::protanopia), 8);
  EXPECT_GT(closest_pair(colors, test::deuteranopia), 8);
}

TEST(Palette, TenClassColorsDifferWithEveryColorVision) {
  const auto colors = class_colors(10);
  ASSERT_EQ(colors.size(), 10U);
  EXPECT_GT(closest_pair(colors, test::normal), 15);
  EXPECT_GT(closest_pair(colors, test::protanopia), 8);
  EXPECT_GT(closest_pair(colors, test::deuteranopia), 8);
}

TEST(Palette, TheFirstFourColorsAreFarApart) {
  for (const test::Sight& sight : {test::normal, test::protanopia, test::deuteranopia})
    EXPECT_GT(closest_pair(class_colors(4).first(4), sight), 15);
}

TEST(Palette, EveryClassColorIsVisibleOnWhite) {
  for (const std::size_t classes : {8U, 10U})
    for (const Color& c : class_colors(classes)) EXPECT_GT(difference(c, white, test::normal), 25);
}

TEST(Palette, NoTwoOfAHundredClassesLookTheSame) {
  std::set<std::tuple<double, double, double, Marker>> looks;
  for (std::size_t i = 0; i < 100; ++i) {
    const Look look = class_look(i, 100);
    looks.insert({look.color.r, look.color.g, look.color.b, look.marker});
  }
  EXPECT_EQ(looks.size(), 100U);
}

TEST(Palette, ClassesDifferInShapeWhereverTheirColorsAreClose) {
  for (const std::size_t classes : {2U, 8U, 10U})
    for (std::size_t i = 0; i < classes; ++i)
      for (std::size_t j = 0; j < i; ++j)
        EXPECT_NE(class_look(i, classes).marker, class_look(j, classes).marker);
}

TEST(Palette, TheSequentialScaleGetsLighterAllTheWay) {
  for (const test::Sight& sight : {test::normal, test::protanopia, test::deuteranopia})
    for (double t = 0; t < 0.99; t += 0.02)
      EXPECT_LT(test::lab(sequential(t), sight)[0], test::lab(sequential(t + 0.02), sight)[0]) << t;
}

TEST(Palette, TheDivergingScaleIsLightestInTheMiddleAndTellsSignsApart) {
  const double middle = test::lab(diverging(0), test::normal)[0];
  for (double t = 0.1; t <= 1; t += 0.1)
    for (const test::Sight& sight : {test::normal, test::protanopia, test::deuteranopia}) {
      EXPECT_LT(test::lab(diverging(t), test::normal)[0], middle);
      EXPECT_LT(test::lab(diverging(-t), test::normal)[0], middle);
      EXPECT_GT(difference(diverging(t), diverging(-t), sight), 50 * t);
    }
}

TEST(Palette, ScalesEndAtTheirEnds) {
  EXPECT_EQ(sequential(-3).r, sequential(0).r);
  EXPECT_EQ(sequential(7).r, sequential(1).r);
  EXPECT_EQ(diverging(-3).b, diverging(-1).b);
}

}  // namespace
}  // namespace mercer::plot
