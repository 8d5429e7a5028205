// Canvas: the page everything is drawn on, an RAII wrapper of cairo for svg, png and pdf. Pictures
// are made in memory and written through AtomicFile, the same bytes each time; every text's extent
// is recorded, so that layouts can be checked for overlaps.
#pragma once

#include "plot/color.hpp"
#include "plot/geometry.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mercer::plot {

enum class Format { svg, png, pdf };
/// By the file's ending, in upper or lower case; throws Error{usage} for any other.
[[nodiscard]] Format format_of(const std::string& path);

struct Pen {
  Color color = ink;
  double width = 1;
  std::vector<double> dash = {};
};

struct Font {
  double size = 11;
  bool bold = false;
  Color color = ink;
};

/// Where a text's anchor lies in it: along the text, and across it.
enum class Along { start, middle, end };
enum class Across { top, middle, baseline, bottom };

/// Pixels, row by row from the top, premultiplied 0xAARRGGBB.
struct Image {
  int width = 0, height = 0;
  std::vector<std::uint32_t> pixels;

  Image(int w, int h)
      : width(w), height(h), pixels(static_cast<std::size_t>(w) * static_cast<std::size_t>(h)) {}
  void set(int x, int y, const Color& c);
};

struct PlacedText {
  std::string text;
  Quad ink;  ///< turned as the text is
};

class Canvas {
 public:
  /// `title` goes into the file's metadata (SVG <title>, PDF title), not onto the page.
  /// Throws Error{usage} for a size that cannot be drawn.
  Canvas(Format format, double width, double height, std::string_view title = {});
  ~Canvas();
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  [[nodiscard]] Format format() const;
  [[nodiscard]] Rect page() const;

  void fill(const Rect& rect, const Color& color);
  void stroke(const Rect& rect, const Pen& pen);
  void line(Point a, Point b, const Pen& pen);
  void polyline(std::span<const Point> points, const Pen& pen, bool closed = false);
  void polygon(std::span<const Point> points, const Color& color, const std::optional<Pen>& outline = {});
  void circle(Point center, double radius, const Color& color, const std::optional<Pen>& outline = {});
  void image(const Rect& where, const Image& image);

  /// Returns the extent of the ink; `angle` in degrees, clockwise; −90 reads upwards.
  /// Bytes that are not UTF-8 and control characters are shown as replacement marks and spaces.
  Quad text(std::string_view text, Point anchor, const Font& font, Along along = Along::start,
            Across across = Across::baseline, double angle = 0);
  /// The same text's extent without drawing it.
  [[nodiscard]] Quad text_extent(std::string_view text, Point anchor, const Font& font,
                                 Along along = Along::start, Across across = Across::baseline,
                                 double angle = 0) const;
  [[nodiscard]] double text_width(std::string_view text, const Font& font) const;
  /// The text, or as much of its beginning as fits followed by an ellipsis.
  [[nodiscard]] std::string elide(std::string_view text, const Font& font, double width) const;
  [[nodiscard]] const std::vector<PlacedText>& texts() const;

  /// Ends the picture and returns the file's bytes; nothing can be drawn afterwards.
  [[nodiscard]] std::string finish();

 private:
  friend class Clip;
  friend class RasterLayer;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// While alive, drawing is cut off at the rectangle.
class Clip {
 public:
  Clip(Canvas& canvas, const Rect& rect);
  ~Clip();
  Clip(const Clip&) = delete;
  Clip& operator=(const Clip&) = delete;

 private:
  Canvas& canvas_;
};

/// While alive, drawing goes into pixels, which are placed on the page as one image at the end: a
/// hundred thousand points then cost a small file. Does nothing in a png or when not wanted.
class RasterLayer {
 public:
  RasterLayer(Canvas& canvas, const Rect& rect, bool wanted);
  ~RasterLayer();
  RasterLayer(const RasterLayer&) = delete;
  RasterLayer& operator=(const RasterLayer&) = delete;

 private:
  Canvas& canvas_;
  Rect rect_;
  bool active_;
};

/// finish() into a file that appears whole or not at all.
void save(Canvas& canvas, const std::string& path);

}  // namespace mercer::plot
