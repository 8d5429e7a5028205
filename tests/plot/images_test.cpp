// Contact sheets: tidy text, the pixels asked for, and sizes that fit.
#include "plot/figures.hpp"

#include "base/random.hpp"

#include <mercer/error.hpp>

#include <gtest/gtest.h>

#include <filesystem>

namespace mercer::plot {
namespace {

Matrix<double> noise(Index rows, Index columns) {
  Random random(3);
  Matrix<double> out(rows, columns);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j) out(i, j) = random.normal();
  return out;
}

TEST(Images, CaptionsStayOnThePageAndApart) {
  for (const Index count : {1, 5, 24}) {
    Style style;
    style.title = "Faces";
    for (Index i = 0; i < count; ++i)
      style.captions.push_back("PC" + std::to_string(i + 1) + " (12.3 %) and more than fits");
    Canvas canvas(Format::svg, 700, 700, "");
    draw_images(canvas, noise(count, 20), {.height = 5, .width = 4}, style);
    const auto& texts = canvas.texts();
    ASSERT_EQ(texts.size(), static_cast<std::size_t>(count) + 1);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      EXPECT_TRUE(canvas.page().contains(texts[i].ink.bounds())) << texts[i].text;
      for (std::size_t j = 0; j < i; ++j) EXPECT_FALSE(texts[i].ink.overlaps(texts[j].ink)) << texts[i].text;
    }
  }
}

TEST(Images, SizesThatDoNotFitAreRefusedAndLeaveNothing) {
  const std::string path = testing::TempDir() + "mercer_images.png";
  EXPECT_THROW(images(path, noise(2, 20), {.height = 4, .width = 4}), Error);
  EXPECT_THROW(images(path, Matrix<double>(0, 16), {.height = 4, .width = 4}), Error);
  EXPECT_FALSE(std::filesystem::exists(path));
  images(path, noise(300, 16), {.height = 4, .width = 4});
  images(path, Matrix<double>::Zero(1, 1), {.height = 1, .width = 1});  // one flat pixel
  EXPECT_TRUE(std::filesystem::exists(path));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace mercer::plot
