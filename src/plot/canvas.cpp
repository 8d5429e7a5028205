// Canvas on cairo. The toy font interface is enough for labels; hinting is off so that svg, png and
// pdf have the same measures.
#include "plot/canvas.hpp"

#include "base/atomic_file.hpp"
#include "plot/svg_tidy.hpp"
#include "plot/utf8.hpp"

#include <mercer/error.hpp>

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <fmt/format.h>

#include <cmath>
#include <new>
#include <numbers>

namespace mercer::plot {
namespace {

constexpr double png_scale = 2;                  // pixels a point, for crisp text on today's screens
constexpr double raster_scale = 2;               // of layers embedded in svg and pdf
constexpr double ascent = 0.76, descent = 0.24;  // of a line, in font sizes

struct SurfaceEnd {
  void operator()(cairo_surface_t* s) const { cairo_surface_destroy(s); }
};
struct ContextEnd {
  void operator()(cairo_t* c) const { cairo_destroy(c); }
};
using Surface = std::unique_ptr<cairo_surface_t, SurfaceEnd>;
using Context = std::unique_ptr<cairo_t, ContextEnd>;

void check(cairo_status_t status) {
  if (status == CAIRO_STATUS_SUCCESS) return;
  if (status == CAIRO_STATUS_NO_MEMORY) throw std::bad_alloc();
  throw Error(ErrorCode::internal, fmt::format("drawing failed: {}", cairo_status_to_string(status)));
}

cairo_status_t append(void* bytes, const unsigned char* data, unsigned int size) {
  try {
    static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), size);
    return CAIRO_STATUS_SUCCESS;
  } catch (...) {
    return CAIRO_STATUS_NO_MEMORY;  // an exception must not pass through C
  }
}

Surface make_surface(Format format, double width, double height, std::string& bytes,
                     const std::string& title) {
  if (format == Format::png) {
    Surface s(cairo_image_surface_create(CAIRO_FORMAT_ARGB32,
                                         static_cast<int>(std::lround(width * png_scale)),
                                         static_cast<int>(std::lround(height * png_scale))));
    cairo_surface_set_device_scale(s.get(), png_scale, png_scale);
    return s;
  }
  if (format == Format::svg) {
    Surface s(cairo_svg_surface_create_for_stream(append, &bytes, width, height));
    cairo_svg_surface_set_document_unit(s.get(), CAIRO_SVG_UNIT_PX);
    return s;
  }
  Surface s(cairo_pdf_surface_create_for_stream(append, &bytes, width, height));
  cairo_pdf_surface_set_metadata(s.get(), CAIRO_PDF_METADATA_TITLE, title.c_str());
  // A fixed date instead of now: the same data gives the same file.
  cairo_pdf_surface_set_metadata(s.get(), CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
  return s;
}

Context make_context(cairo_surface_t* surface) {
  Context c(cairo_create(surface));
  cairo_font_options_t* options = cairo_font_options_create();
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo_set_font_options(c.get(), options);
  cairo_font_options_destroy(options);
  cairo_set_line_join(c.get(), CAIRO_LINE_JOIN_ROUND);
  return c;
}

/// Looked up once a process and kept: finding a font takes longer than drawing with it.
cairo_font_face_t* font_face(bool bold) {
  const auto find = [](cairo_font_weight_t weight) {
    return cairo_toy_font_face_create("DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, weight);
  };
  static cairo_font_face_t* const normal_face = find(CAIRO_FONT_WEIGHT_NORMAL);
  static cairo_font_face_t* const bold_face = find(CAIRO_FONT_WEIGHT_BOLD);
  return bold ? bold_face : normal_face;
}

void check_size(double width, double height) {
  constexpr double least = 80, most = 8000;  // cairo's images end at 32767 pixels
  if (width >= least && width <= most && height >= least && height <= most) return;
  throw Error(ErrorCode::usage, fmt::format("a picture of {} x {} cannot be drawn", width, height),
              fmt::format("width and height from {} to {}", least, most));
}

}  // namespace

struct Canvas::Impl {
  Format format;
  double width, height;
  std::string title;
  std::string bytes;  // declared before the surface, which writes into it until destroyed
  Surface surface;
  Context context;
  Surface layer_surface;
  Context layer_context;
  std::vector<PlacedText> texts;

  [[nodiscard]] cairo_t* cr() const { return layer_context ? layer_context.get() : context.get(); }

  void color(const Color& c) const { cairo_set_source_rgba(cr(), c.r, c.g, c.b, c.a); }
  void pen(const Pen& p) const {
    color(p.color);
    cairo_set_line_width(cr(), p.width);
    cairo_set_dash(cr(), p.dash.data(), static_cast<int>(p.dash.size()), 0);
  }
  void path(std::span<const Point> points, bool closed) const {
    cairo_new_path(cr());
    for (const Point& p : points) cairo_line_to(cr(), p.x, p.y);
    if (closed) cairo_close_path(cr());
  }
  void fill_path(const Color& fill, const std::optional<Pen>& outline) const {
    color(fill);
    if (!outline) {
      cairo_fill(cr());
      return;
    }
    cairo_fill_preserve(cr());
    pen(*outline);
    cairo_stroke(cr());
  }
  void font(const Font& f) const {
    cairo_set_font_face(cr(), font_face(f.bold));
    cairo_set_font_size(cr(), f.size);
  }
};

void Image::set(int x, int y, const Color& c) {
  const auto byte = [&](double v) {
    return static_cast<std::uint32_t>(std::lround(std::clamp(v * c.a, 0.0, 1.0) * 255));
  };
  pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)] =
      byte(1) << 24 | byte(c.r) << 16 | byte(c.g) << 8 | byte(c.b);
}

Format format_of(const std::string& path) {
  const auto dot = path.find_last_of("./");
  std::string ending = dot == std::string::npos || path[dot] == '/' ? "" : path.substr(dot + 1);
  for (char& c : ending) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  if (ending == "svg") return Format::svg;
  if (ending == "png") return Format::png;
  if (ending == "pdf") return Format::pdf;
  throw Error(ErrorCode::usage, fmt::format("{}: no picture format for the ending '{}'", path, ending),
              "end the name with .svg, .png or .pdf");
}

Canvas::Canvas(Format format, double width, double height, std::string_view title) : impl_(new Impl) {
  check_size(width, height);
  impl_->format = format;
  impl_->width = width;
  impl_->height = height;
  impl_->title = printable(title);
  impl_->surface = make_surface(format, width, height, impl_->bytes, impl_->title);
  impl_->context = make_context(impl_->surface.get());
  check(cairo_status(impl_->context.get()));
  fill(page(), white);
}

Canvas::~Canvas() = default;
Format Canvas::format() const { return impl_->format; }
Rect Canvas::page() const { return {0, 0, impl_->width, impl_->height}; }
const std::vector<PlacedText>& Canvas::texts() const { return impl_->texts; }

void Canvas::fill(const Rect& r, const Color& color) {
  cairo_new_path(impl_->cr());
  cairo_rectangle(impl_->cr(), r.x, r.y, r.w, r.h);
  impl_->fill_path(color, {});
}

void Canvas::stroke(const Rect& r, const Pen& pen) {
  cairo_new_path(impl_->cr());
  cairo_rectangle(impl_->cr(), r.x, r.y, r.w, r.h);
  impl_->pen(pen);
  cairo_stroke(impl_->cr());
}

void Canvas::line(Point a, Point b, const Pen& pen) {
  const Point ends[] = {a, b};
  polyline(ends, pen);
}

void Canvas::polyline(std::span<const Point> points, const Pen& pen, bool closed) {
  impl_->path(points, closed);
  impl_->pen(pen);
  cairo_stroke(impl_->cr());
}

void Canvas::polygon(std::span<const Point> points, const Color& color, const std::optional<Pen>& outline) {
  impl_->path(points, true);
  impl_->fill_path(color, outline);
}

void Canvas::circle(Point center, double radius, const Color& color, const std::optional<Pen>& outline) {
  cairo_new_path(impl_->cr());
  cairo_arc(impl_->cr(), center.x, center.y, radius, 0, 2 * std::numbers::pi);
  cairo_close_path(impl_->cr());
  impl_->fill_path(color, outline);
}

void Canvas::image(const Rect& where, const Image& image) {
  Surface pixels(cairo_image_surface_create(CAIRO_FORMAT_ARGB32, image.width, image.height));
  check(cairo_surface_status(pixels.get()));
  cairo_surface_flush(pixels.get());
  const auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(pixels.get()));
  const auto row_bytes = static_cast<std::size_t>(image.width) * sizeof(std::uint32_t);
  for (std::size_t y = 0; y < static_cast<std::size_t>(image.height); ++y)
    std::copy_n(reinterpret_cast<const unsigned char*>(image.pixels.data()) + y * row_bytes, row_bytes,
                cairo_image_surface_get_data(pixels.get()) + y * stride);
  cairo_surface_mark_dirty(pixels.get());
  cairo_t* cr = impl_->cr();
  cairo_save(cr);
  cairo_rectangle(cr, where.x, where.y, where.w, where.h);
  cairo_clip(cr);
  cairo_translate(cr, where.x, where.y);
  cairo_scale(cr, where.w / image.width, where.h / image.height);
  cairo_set_source_surface(cr, pixels.get(), 0, 0);
  cairo_pattern_set_extend(cairo_get_source(cr), CAIRO_EXTEND_PAD);
  cairo_paint(cr);
  cairo_restore(cr);
}

namespace {

struct Placement {
  double dx, dy;  // from the anchor to the baseline's start, in the text's own directions
};

Placement place(const cairo_text_extents_t& e, const Font& font, Along along, Across across) {
  const double dx = along == Along::start ? 0 : along == Along::middle ? -e.x_advance / 2 : -e.x_advance;
  const double dy = across == Across::top      ? ascent * font.size
                    : across == Across::middle ? (ascent - 0.04) * font.size / 2
                    : across == Across::bottom ? -descent * font.size
                                               : 0;
  return {dx, dy};
}

/// Corners of the ink after the text has been turned about its anchor.
Quad turned_ink(const cairo_text_extents_t& e, Placement p, Point anchor, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  const double left = p.dx + e.x_bearing, top = p.dy + e.y_bearing, right = left + e.width,
               bottom = top + e.height;
  const auto turned = [&](double u, double v) {
    return Point{anchor.x + c * u - s * v, anchor.y + s * u + c * v};
  };
  return {{turned(left, top), turned(right, top), turned(right, bottom), turned(left, bottom)}};
}

}  // namespace

Quad Canvas::text_extent(std::string_view text, Point anchor, const Font& font, Along along, Across across,
                         double angle) const {
  impl_->font(font);
  cairo_text_extents_t e;
  cairo_text_extents(impl_->cr(), printable(text).c_str(), &e);
  return turned_ink(e, place(e, font, along, across), anchor, angle * std::numbers::pi / 180);
}

Quad Canvas::text(std::string_view text, Point anchor, const Font& font, Along along, Across across,
                  double angle) {
  const std::string shown = printable(text);
  if (shown.empty()) return {{anchor, anchor, anchor, anchor}};
  cairo_t* cr = impl_->cr();
  impl_->font(font);
  cairo_text_extents_t e;
  cairo_text_extents(cr, shown.c_str(), &e);
  const Placement p = place(e, font, along, across);
  const Quad ink_at = turned_ink(e, p, anchor, angle * std::numbers::pi / 180);
  cairo_save(cr);
  impl_->color(font.color);
  cairo_translate(cr, anchor.x, anchor.y);
  cairo_rotate(cr, angle * std::numbers::pi / 180);
  cairo_move_to(cr, p.dx, p.dy);
  cairo_show_text(cr, shown.c_str());
  cairo_restore(cr);
  impl_->texts.push_back({shown, ink_at});
  return ink_at;
}

double Canvas::text_width(std::string_view text, const Font& font) const {
  impl_->font(font);
  cairo_text_extents_t e;
  cairo_text_extents(impl_->cr(), printable(text).c_str(), &e);
  return e.x_advance;
}

std::string Canvas::elide(std::string_view text, const Font& font, double width) const {
  std::string shown = printable(text);
  if (text_width(shown, font) <= width) return shown;
  if (constexpr std::size_t most = 400; shown.size() > most) shown = printable(shown.substr(0, most));
  while (!shown.empty()) {
    shown.resize(last_character(shown));
    while (!shown.empty() && shown.back() == ' ') shown.pop_back();
    if (text_width(shown + "…", font) <= width) break;
  }
  return shown + "…";
}

std::string Canvas::finish() {
  check(cairo_status(impl_->context.get()));
  if (impl_->format == Format::png) {
    cairo_surface_flush(impl_->surface.get());
    check(cairo_surface_write_to_png_stream(impl_->surface.get(), append, &impl_->bytes));
  }
  cairo_surface_finish(impl_->surface.get());
  check(cairo_surface_status(impl_->surface.get()));
  if (impl_->format == Format::svg) return tidy_svg(impl_->bytes, impl_->title);
  return std::move(impl_->bytes);
}

Clip::Clip(Canvas& canvas, const Rect& r) : canvas_(canvas) {
  cairo_save(canvas_.impl_->cr());
  cairo_rectangle(canvas_.impl_->cr(), r.x, r.y, r.w, r.h);
  cairo_clip(canvas_.impl_->cr());
}

Clip::~Clip() { cairo_restore(canvas_.impl_->cr()); }

RasterLayer::RasterLayer(Canvas& canvas, const Rect& rect, bool wanted)
    : canvas_(canvas),
      rect_(rect),
      active_(wanted && canvas.format() != Format::png && !canvas.impl_->layer_context) {
  if (!active_) return;
  Surface layer(cairo_image_surface_create(CAIRO_FORMAT_ARGB32,
                                           static_cast<int>(std::ceil(rect.w * raster_scale)),
                                           static_cast<int>(std::ceil(rect.h * raster_scale))));
  check(cairo_surface_status(layer.get()));
  cairo_surface_set_device_scale(layer.get(), raster_scale, raster_scale);
  cairo_surface_set_device_offset(layer.get(), -rect.x * raster_scale, -rect.y * raster_scale);
  canvas_.impl_->layer_context = make_context(layer.get());
  canvas_.impl_->layer_surface = std::move(layer);
}

RasterLayer::~RasterLayer() {
  if (!active_) return;
  Canvas::Impl& impl = *canvas_.impl_;
  impl.layer_context.reset();
  cairo_surface_set_device_offset(impl.layer_surface.get(), 0, 0);
  cairo_set_source_surface(impl.cr(), impl.layer_surface.get(), rect_.x, rect_.y);
  cairo_paint(impl.cr());
  cairo_set_source_rgb(impl.cr(), 0, 0, 0);  // drop the context's hold on the layer
  impl.layer_surface.reset();
}

void save(Canvas& canvas, const std::string& path) {
  const std::string bytes = canvas.finish();
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace mercer::plot
