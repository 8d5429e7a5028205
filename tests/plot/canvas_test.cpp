// The canvas writes what its name promises, the same bytes each time, whole or not at all.
#include "plot/canvas.hpp"
#include "plot/tidy.hpp"

#include <mercer/error.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>

// fontconfig keeps what it found for the life of the process and refers to it by offsets, which the
// leak sanitizer takes for lost memory.
extern "C" const char* __lsan_default_suppressions() { return "leak:libfontconfig"; }  // NOLINT

namespace mercer::plot {
namespace {

std::string drawn(Format format, const std::string& title = "A title") {
  Canvas canvas(format, 300, 200, title);
  canvas.fill({10, 10, 50, 50}, Color::hex(0x0072b2));
  {
    const Clip clip(canvas, {0, 0, 100, 100});
    canvas.circle({90, 90}, 30, ink.with_alpha(0.5), Pen{white, 1});
  }
  {
    const RasterLayer layer(canvas, {100, 50, 100, 100}, true);
    canvas.circle({150, 100}, 30, ink);
  }
  Image image(3, 2);
  image.set(1, 1, Color::hex(0xff0000));
  canvas.image({200, 20, 60, 40}, image);
  canvas.text("λ₁ − ×10⁻³", {20, 150}, {});
  return canvas.finish();
}

TEST(Canvas, FilesBeginAsTheirFormatDoes) {
  EXPECT_EQ(drawn(Format::png).substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(drawn(Format::pdf).substr(0, 5), "%PDF-");
  EXPECT_NE(drawn(Format::svg).find("<svg"), std::string::npos);
}

TEST(Canvas, TheSameDrawingGivesTheSameBytes) {
  for (const Format format : {Format::svg, Format::png, Format::pdf}) EXPECT_EQ(drawn(format), drawn(format));
}

TEST(Canvas, FormatFollowsFromTheEnding) {
  EXPECT_EQ(format_of("a/b.svg"), Format::svg);
  EXPECT_EQ(format_of("b.PNG"), Format::png);
  EXPECT_EQ(format_of("x.y.pdf"), Format::pdf);
  for (const char* path : {"picture.gif", "picture", "dir.svg/picture", "", "png"})
    EXPECT_EQ(code_of([&] { (void)format_of(path); }), ErrorCode::usage) << path;
}

TEST(Canvas, RefusesSizesThatCannotBeDrawn) {
  for (const double bad : {0.0, -5.0, 1e9, std::nan("")})
    EXPECT_EQ(code_of([&] { Canvas(Format::png, bad, 100); }), ErrorCode::usage) << bad;
}

TEST(Canvas, SvgCarriesItsTitleEscaped) {
  EXPECT_NE(drawn(Format::svg, "a < b & c").find("<title>a &lt; b &amp; c</title>"), std::string::npos);
}

TEST(Canvas, ARasterLayerBecomesAnImageInSvgOnly) {
  const auto images = [](bool layered) {
    Canvas canvas(Format::svg, 100, 100);
    {
      const RasterLayer layer(canvas, {0, 0, 100, 100}, layered);
      canvas.circle({50, 50}, 20, ink);
    }
    return canvas.finish().find("<image") != std::string::npos;
  };
  EXPECT_TRUE(images(true));
  EXPECT_FALSE(images(false));
}

TEST(Canvas, WrongBytesInTextDoNotSpoilThePicture) {
  for (const Format format : {Format::svg, Format::png, Format::pdf}) {
    Canvas canvas(format, 200, 100, "bad \xff title");
    canvas.text("caf\xe9 \x80\xc0\xaf \xed\xa0\x80\ttab\nline", {10, 50}, {});
    EXPECT_FALSE(canvas.finish().empty());
  }
}

TEST(Canvas, ElidedTextFitsAndEndsInAnEllipsis) {
  const Canvas canvas(Format::svg, 200, 100);
  const Font font;
  const std::string text = "Ein ziemlich langer Klassenname mit Ümläuten";
  for (const double width : {20.0, 50.0, 120.0}) {
    const std::string shown = canvas.elide(text, font, width);
    EXPECT_LE(canvas.text_width(shown, font), width);
    EXPECT_TRUE(shown.ends_with("…"));
  }
  EXPECT_EQ(canvas.elide("short", font, 100), "short");
  EXPECT_LE(canvas.text_width(canvas.elide(std::string(100000, 'x'), font, 90), font), 90);
}

TEST(Canvas, RecordsWhereTextWentAlsoWhenTurned) {
  Canvas canvas(Format::svg, 200, 200);
  const Rect flat = canvas.text("measure", {100, 100}, {}, Along::middle, Across::middle).bounds();
  const Rect upright = canvas.text("measure", {100, 100}, {}, Along::middle, Across::middle, -90).bounds();
  ASSERT_EQ(canvas.texts().size(), 2U);
  EXPECT_NEAR(flat.w, upright.h, 1e-9);
  EXPECT_NEAR(flat.center().x, 100, 1);
  EXPECT_NEAR(upright.center().y, 100, 1);
}

TEST(Canvas, NothingIsLeftWhenTheFileCannotBeCreated) {
  Canvas canvas(Format::svg, 100, 100);
  EXPECT_EQ(code_of([&] { save(canvas, "/nonexistent-folder/x.svg"); }), ErrorCode::cannot_create);
  EXPECT_FALSE(std::filesystem::exists("/nonexistent-folder"));
}

}  // namespace
}  // namespace mercer::plot
