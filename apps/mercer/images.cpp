// Contact sheets of components, of rows, and of rows rebuilt from growing numbers of components.
#include "images.hpp"

#include "files.hpp"
#include "model_points.hpp"

#include <mercer/error.hpp>
#include <mercer/plot.hpp>
#include <mercer/reconstruction.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace mercer::app {
namespace {

constexpr Index most_components = 99, most_rows = 60, rebuilt_rows = 6, most_steps = 9;

void require_pixels(const ImageSize& size, Index numbers) {
  if (size.height * size.width == numbers) return;
  throw Error(ErrorCode::usage,
              fmt::format("{} x {} pixels are {}, but there are {} features", size.height, size.width,
                          size.height * size.width, numbers),
              "--images takes height x width, such as 112x92");
}

/// The steps to draw: all of them, or the last ones.
std::vector<ReconstructionStep> drawn_steps(const Report& report) {
  auto steps = reconstruction_steps(report);
  if (static_cast<Index>(steps.size()) > most_steps) steps.erase(steps.begin(), steps.end() - most_steps);
  return steps;
}

}  // namespace

ImageSize parse_image_size(const std::string& text) {
  ImageSize out;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, out.height);
  if (first.ec == std::errc{} && first.ptr != end && *first.ptr == 'x') {
    const auto second = std::from_chars(first.ptr + 1, end, out.width);
    constexpr Index most = 4096;
    if (second.ec == std::errc{} && second.ptr == end && out.height > 0 && out.width > 0 &&
        out.height <= most && out.width <= most)
      return out;
  }
  throw Error(ErrorCode::usage, fmt::format("'{}' is no size of a picture", text),
              "height x width, such as 112x92");
}

template <class T>
void draw_components(const std::string& path, const Model<T>& model, const ImageSize& size,
                     const std::string& title) {
  const auto loadings = model.loadings();
  if (!loadings)
    throw Error(ErrorCode::usage,
                fmt::format("the components of {} are no pictures of the input", model.method()),
                "pca's are");
  require_pixels(size, model.features());
  const bool mean = model.report().centered;
  const Index shown = std::min(model.components(), most_components);
  if (shown == 0) throw Error(ErrorCode::usage, "the model has no components to draw");
  Matrix<double> pictures(shown + mean, model.features());
  plot::Style style;
  style.title = title;
  plot::ImageGrid grid{.height = size.height, .width = size.width};
  if (mean) {
    pictures.row(0) =
        model.inverse(Matrix<T>(Matrix<T>::Zero(1, model.components()))).template cast<double>();
    style.captions.emplace_back("mean");
    grid.around_zero.push_back(false);
  }
  for (Index c = 0; c < shown; ++c) {
    pictures.row(c + mean) = loadings->col(c).template cast<double>().transpose();
    style.captions.push_back(
        fmt::format("PC{} ({:.1f} %)", c + 1, 100 * model.report().explained_variance_ratio[c]));
    grid.around_zero.push_back(true);
  }
  plot::images(path, pictures, grid, style);
}

template <class T>
void draw_reconstructions(const std::string& path, const Model<T>& model, const std::string& data,
                          const ImageSize& size, const std::string& title) {
  require_pixels(size, model.features());
  if (!model.loadings())
    throw Error(ErrorCode::usage, fmt::format("{} does not rebuild by directions", model.method()),
                "pca does");
  ReadOptions options;
  if (is_libsvm(data)) options.features = model.features();
  ModelPoints<T> points(data, options, model, {});
  const Samples<T> chunk = points.next();
  const Index rows = std::min(chunk.rows(), rebuilt_rows);
  if (rows == 0) throw Error(ErrorCode::bad_data, fmt::format("{}: there are no rows", data));
  // Spread over what was read: neighbours in a file are often alike.
  Matrix<T> originals(rows, model.features());
  for (Index i = 0; i < rows; ++i) originals.row(i) = chunk.dense_rows(i * chunk.rows() / rows, 1);
  const Matrix<T> scores = model.transform(originals);
  const auto steps = drawn_steps(model.report());
  const auto columns = static_cast<Index>(steps.size()) + 1;

  Matrix<double> pictures(rows * columns, model.features());
  plot::Style style;
  style.title = title.empty()
                    ? "Rebuilt from components (how many: error of a pixel, share of the numbers stored)"
                    : title;
  style.captions.resize(static_cast<std::size_t>(rows * columns));
  for (Index s = 0; s < columns; ++s) {
    const bool original = s == columns - 1;
    Matrix<T> kept = scores;
    if (!original)
      kept.rightCols(model.components() - steps[static_cast<std::size_t>(s)].components).setZero();
    const Matrix<T> rebuilt = original ? originals : model.inverse(kept);
    for (Index i = 0; i < rows; ++i) {
      const auto at = static_cast<std::size_t>(i * columns + s);
      pictures.row(static_cast<Index>(at)) = rebuilt.row(i).template cast<double>();
      if (original) {
        style.captions[at] = "original";
        continue;
      }
      const double rms = std::sqrt((rebuilt.row(i) - originals.row(i)).template cast<double>().squaredNorm() /
                                   static_cast<double>(model.features()));
      const ReconstructionStep& step = steps[static_cast<std::size_t>(s)];
      style.captions[at] =
          fmt::format("{}: ±{:.3g}, {:.2g} %", step.components, rms, 100 * (1 - step.saving));
    }
  }
  // Grey means the same in the whole sheet: what an original can show. What overshoots is cut.
  const double low = double(originals.minCoeff()), high = double(originals.maxCoeff());
  pictures = pictures.cwiseMax(low).cwiseMin(high);
  plot::images(path, pictures,
               {.height = size.height, .width = size.width, .columns = columns, .shared_range = true}, style);
}

void draw_rows(const std::string& path, const Dataset<double>& data, const ImageSize& size,
               const std::string& title) {
  require_pixels(size, data.samples.cols());
  const Index shown = std::min(data.samples.rows(), most_rows);
  plot::Style style;
  style.title = title;
  if (data.label)
    for (Index i = 0; i < shown; ++i)
      style.captions.push_back(
          data.label->names[static_cast<std::size_t>(data.label->codes[static_cast<std::size_t>(i)])]);
  plot::images(path, data.samples.dense_rows(0, shown),
               {.height = size.height, .width = size.width, .shared_range = true}, style);
}

template void draw_components(const std::string&, const Model<float>&, const ImageSize&, const std::string&);
template void draw_components(const std::string&, const Model<double>&, const ImageSize&, const std::string&);
template void draw_reconstructions(const std::string&, const Model<float>&, const std::string&,
                                   const ImageSize&, const std::string&);
template void draw_reconstructions(const std::string&, const Model<double>&, const std::string&,
                                   const ImageSize&, const std::string&);

}  // namespace mercer::app
