// Factors as curves, cores as colours, images as images.
#include "tensor_pictures.hpp"

#include <mercer/cp.hpp>
#include <mercer/error.hpp>
#include <mercer/plot.hpp>
#include <mercer/svd2d.hpp>
#include <mercer/tensor_file.hpp>
#include <mercer/tucker.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace mercer::app {
namespace {

constexpr Index most_images = 6;
constexpr std::size_t steps_shown = 5;

template <class T>
void draw_factors(const std::string& path, const TensorModel<T>& model, const std::string& title) {
  std::vector<Block<double>> factors;
  std::vector<std::string> modes;
  for (const auto& factor : model.factors()) {
    const auto mode = static_cast<Index>(factors.size());
    modes.push_back(fmt::format("mode {}{}", mode, mode == model.sample_mode() ? " (samples)" : ""));
    factors.push_back(factor.template cast<double>());
  }
  plot::curve_panels(path, plot::factor_panels(factors, modes), {.title = title});
}

template <class T>
void draw_core(const std::string& path, const Tucker<T>& model, const std::string& title) {
  Tensor<double> core(model.core().shape());
  core.values() = model.core().values().template cast<double>();
  plot::heat_maps(path, plot::core_maps(core.view()), true,
                  {.title = title.empty() ? "Magnitudes of the core" : title});
}

/// The sizes of core to draw, growing to the whole: 1, 2, 4, ..., at most; 2D-SVD alone has them nested.
template <class T>
std::vector<Shape> core_sizes(const TensorModel<T>& model) {
  const Shape& ranks = model.report().decomposition->ranks;
  std::vector<Shape> out;
  if (model.method() == "svd2d")
    for (Index r = 1; r < std::max(ranks[0], ranks[1]); r *= 2)
      out.push_back({std::min(r, ranks[0]), std::min(r, ranks[1])});
  out.push_back(ranks);
  if (out.size() > steps_shown) out.erase(out.begin(), out.end() - steps_shown);
  return out;
}

/// Scores whose core is zero outside of its first rows and columns.
template <class T>
Matrix<T> cut_to(Matrix<T> scores, const Shape& size, const TensorModel<T>& model) {
  if (model.method() != "svd2d") return scores;
  const Index width = model.report().decomposition->ranks[1];
  for (Index c = 0; c < scores.cols(); ++c)
    if (c / width >= size[0] || c % width >= size[1]) scores.col(c).setZero();
  return scores;
}

/// A sheet: a sample a row, from the smallest core to the whole, then the original where there is one.
template <class T>
void draw_sheet(const std::string& path, const TensorModel<T>& model, const Matrix<T>& scores,
                const std::optional<Matrix<T>>& originals, const std::string& title) {
  const Shape size = model.sample_shape();
  const auto steps = core_sizes(model);
  const auto columns = static_cast<Index>(steps.size()) + (originals ? 1 : 0);
  Matrix<double> pictures(scores.rows() * columns, model.features());
  plot::Style style;
  style.title =
      title.empty() ? (model.method() == "svd2d" ? "Rebuilt from cores of growing size" : "Rebuilt") : title;
  style.captions.resize(static_cast<std::size_t>(pictures.rows()));
  for (Index s = 0; s < columns; ++s) {
    const bool original = originals && s == columns - 1;
    const Shape cut = original ? Shape{} : steps[static_cast<std::size_t>(s)];
    const Matrix<T> shown = original ? *originals : model.inverse(cut_to(scores, cut, model));
    for (Index i = 0; i < scores.rows(); ++i) {
      const Index at = i * columns + s;
      pictures.row(at) = shown.row(i).template cast<double>();
      auto& caption = style.captions[static_cast<std::size_t>(at)];
      caption = original ? "original" : to_string(cut);
      if (originals && !original)
        caption +=
            fmt::format(": ±{:.3g}", (shown.row(i) - originals->row(i)).template cast<double>().norm() /
                                         std::sqrt(static_cast<double>(model.features())));
    }
  }
  if (originals)  // grey means what an original can show; what overshoots is cut
    pictures = pictures.cwiseMax(double(originals->minCoeff())).cwiseMin(double(originals->maxCoeff()));
  plot::images(path, pictures,
               {.height = size[0], .width = size[1], .columns = columns, .shared_range = true}, style);
}

template <class T>
void require_images(const TensorModel<T>& model) {
  if (model.shape().size() != 3)
    throw Error(ErrorCode::usage, fmt::format("samples of {} are no images", to_string(model.sample_shape())),
                "pictures need a stack of images: three modes");
}

/// Spread over the stack: neighbours in a file are often alike.
Index spread(Index i, Index shown, Index count) { return i * count / shown; }

}  // namespace

template <class T>
void draw_decomposition(const std::string& path, const TensorModel<T>& model, const std::string& title) {
  if (const auto* tucker = dynamic_cast<const Tucker<T>*>(&model)) {
    draw_core(path, *tucker, title);
  } else if (model.method() == "svd2d") {
    const Matrix<T> all = model.scores();
    const Index shown = std::min(all.rows(), most_images);
    Matrix<T> scores(shown, all.cols());
    for (Index i = 0; i < shown; ++i) scores.row(i) = all.row(spread(i, shown, all.rows()));
    draw_sheet<T>(path, model, scores, std::nullopt, title);
  } else {
    draw_factors(path, model, title);
  }
}

template <class T>
void draw_rebuilt(const std::string& path, const TensorModel<T>& model, const std::string& data,
                  const std::string& title) {
  require_images(model);
  const auto x = read_tensor<T>(data);
  Shape stack = model.shape();
  const auto samples = static_cast<std::size_t>(model.sample_mode());
  if (x.order() == 3) stack[samples] = x.shape()[samples];
  if (x.shape() != stack)
    throw Error(ErrorCode::bad_data,
                fmt::format("{} is {}, no stack of the model's images", data, to_string(x.shape())),
                fmt::format("the model was fitted on {}", to_string(model.shape())));
  const Index count = x.size(model.sample_mode()), shown = std::min(count, most_images);
  const Shape size = model.sample_shape();
  Matrix<T> originals(shown, model.features()), scores(shown, model.components());
  for (Index i = 0; i < shown; ++i) {
    const auto sample = x.range(model.sample_mode(), spread(i, shown, count), 1);
    scores.row(i) = model.transform_tensor(sample).row(0);
    const auto pixels = sample.slice(model.sample_mode(), 0);
    for (Index r = 0; r < size[0]; ++r)
      for (Index c = 0; c < size[1]; ++c) originals(i, r * size[1] + c) = pixels({r, c});
  }
  draw_sheet<T>(path, model, scores, originals, title);
}

void draw_mode_shares(const std::string& path, const Report& report, const std::string& title) {
  const Decomposition& d = *report.decomposition;
  if (d.weights.size() > 0) {
    plot::BarList list{"lambda", {}, {}};
    for (Index r = 0; r < d.weights.size(); ++r) {
      list.names.push_back(fmt::format("component {}", r + 1));
      list.values.push_back(d.weights[r]);
    }
    plot::bars(path, {list}, {.title = title});
    return;
  }
  std::vector<plot::Curve> curves;
  const std::size_t skipped = d.shape.size() - std::min(d.shape.size(), d.mode_values.size());
  for (std::size_t m = 0; m < d.mode_values.size(); ++m) {
    const Vector<double> squares = d.mode_values[m].cwiseAbs2();
    const double all = squares.sum();
    if (!(all > 0)) continue;
    plot::Curve curve{fmt::format("mode {}", m + skipped), {}, {}};
    double held = 0;
    for (Index i = 0; i < squares.size(); ++i) {
      held += squares[i];
      curve.x.push_back(static_cast<double>(i + 1));
      curve.y.push_back(100 * held / all);
    }
    curves.push_back(std::move(curve));
  }
  plot::curves(path, curves, true, {.title = title, .axes = {"rank", "share held (%)"}});
}

#define MERCER_INSTANTIATE(T)                                                                      \
  template void draw_decomposition(const std::string&, const TensorModel<T>&, const std::string&); \
  template void draw_rebuilt(const std::string&, const TensorModel<T>&, const std::string&,        \
                             const std::string&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer::app
