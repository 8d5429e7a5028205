// mercer plot: a picture of a model (scores, scree, contour maps) or of a table's columns.
#include "files.hpp"
#include "fit_options.hpp"
#include "images.hpp"
#include "tensor_pictures.hpp"
#include "topics.hpp"

#include <mercer/error.hpp>
#include <mercer/model.hpp>
#include <mercer/plot.hpp>
#include <mercer/tensor_model.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace mercer::app {
namespace {

constexpr Index most_contour_maps = 12;

struct PlotFlags {
  std::string file, out, label, title, images, reconstruct, words, data;
  std::vector<Index> components;  // counted from 1
  Index topics = 0;
  bool scree = false, contours = false, three_d = false;
};

/// The columns to draw, counted from 0: those asked for, or the first two or three.
std::vector<Index> chosen_columns(const PlotFlags& flags, Index available, std::string_view what) {
  const std::size_t wanted = flags.three_d ? 3 : 2;
  std::vector<Index> columns;
  for (const Index c : flags.components) columns.push_back(c - 1);
  if (flags.components.empty())
    for (Index c = 0; c < std::min<Index>(available, static_cast<Index>(wanted)); ++c) columns.push_back(c);
  for (const Index c : columns)
    if (c < 0 || c >= available)
      throw Error(ErrorCode::usage, fmt::format("--components: there is no {} {}", what, c + 1),
                  fmt::format("{} has {} of them, counted from 1", flags.file, available));
  if (!flags.components.empty() && columns.size() != 2 && columns.size() != 3)
    throw Error(ErrorCode::usage, "--components takes two numbers, or three for a picture in 3-D");
  if (columns.size() < wanted && (flags.three_d || columns.empty()))
    throw Error(ErrorCode::usage, fmt::format("a picture in {}-D needs {} {}s, {} has {}", wanted, wanted,
                                              what, flags.file, available));
  return columns;
}

/// Those columns side by side; a single one is drawn over the sample's number.
Matrix<double> take_columns(const Matrix<double>& all, const std::vector<Index>& columns) {
  if (columns.size() == 1) {
    Matrix<double> out(all.rows(), 2);
    out.col(0).setLinSpaced(0, static_cast<double>(std::max<Index>(1, all.rows() - 1)));
    out.col(1) = all.col(columns[0]);
    return out;
  }
  Matrix<double> out(all.rows(), static_cast<Index>(columns.size()));
  for (std::size_t j = 0; j < columns.size(); ++j) out.col(static_cast<Index>(j)) = all.col(columns[j]);
  return out;
}

std::vector<std::string> with_sample_axis(std::vector<std::string> axes) {
  if (axes.size() == 1) axes.insert(axes.begin(), "sample");
  return axes;
}

template <class T>
void plot_contours(const PlotFlags& flags, const Model<T>& model) {
  if (model.features() != 2)
    throw Error(ErrorCode::usage, fmt::format("--contours needs a model of 2 features, {} has {}", flags.file,
                                              model.features()));
  if (model.report().kernel.find("precomputed") != std::string::npos)
    throw Error(ErrorCode::usage, "--contours needs points, not a precomputed kernel");
  const auto points = model.training_points();
  const Matrix<double> shown = (points ? *points : model.inverse(model.scores())).template cast<double>();
  const auto score_of = [&](const Matrix<double>& grid) -> Matrix<double> {
    return model.transform(Matrix<T>(grid.cast<T>())).template cast<double>();
  };
  plot::contours(flags.out, score_of, shown, std::min(model.components(), most_contour_maps), model.label(),
                 {.title = flags.title, .axes = model.columns()});
}

template <class T>
void plot_topics(const PlotFlags& flags, const Model<T>& model) {
  constexpr Index words_shown = 10;
  std::vector<plot::BarList> lists;
  for (const Topic& topic :
       topics_of(model, flags.topics, words_shown,
                 flags.words.empty() ? std::vector<std::string>{} : read_words(flags.words))) {
    plot::BarList list{fmt::format("topic {} ({:.1f} %)", topic.component, 100 * topic.share), {}, {}};
    for (const auto& [word, weight] : topic.words) {
      list.names.push_back(word);
      list.values.push_back(weight);
    }
    lists.push_back(std::move(list));
  }
  plot::bars(flags.out, lists, {.title = flags.title});
}

/// Tucker, CP and 2D-SVD have pictures of their own; kernel PCA of cores is drawn as others are.
template <class T>
bool plot_decomposition(const PlotFlags& flags, const Model<T>& model) {
  const auto* tensor = dynamic_cast<const TensorModel<T>*>(&model);
  if (tensor == nullptr || !model.report().kernel.empty()) {
    if (!flags.data.empty())
      throw Error(ErrorCode::usage, "--data is a stack for models of tucker, cp and svd2d",
                  "for pca: --images HEIGHTxWIDTH --reconstruct DATA");
    return false;
  }
  if (flags.scree)
    draw_mode_shares(flags.out, model.report(), flags.title);
  else if (!flags.data.empty())
    draw_rebuilt(flags.out, *tensor, flags.data, flags.title);
  else if (flags.components.empty() && !flags.three_d && !flags.contours && flags.images.empty() &&
           flags.topics == 0)
    draw_decomposition(flags.out, *tensor, flags.title);
  else
    return false;
  return true;
}

/// "PC1 (34.2 %)" where shares of variance are known, "c1" where components have none.
std::string component_axis(const Report& report, Index c) {
  const bool from_the_bottom = report.embedding && report.end == End::smallest;
  if (from_the_bottom || c >= report.explained_variance_ratio.size()) return fmt::format("c{}", c + 1);
  return fmt::format("{}{} ({:.1f} %)", report.discrimination ? "LD" : "PC", c + 1,
                     100 * report.explained_variance_ratio[c]);
}

/// Whether a map's coordinates can be drawn to one scale: a map is looked at for its distances, but a line
/// has no width to look at.
bool shows_distances(const Matrix<double>& points) {
  if (points.cols() != 2 || points.rows() == 0) return false;
  const Vector<double> spread = points.colwise().maxCoeff() - points.colwise().minCoeff();
  return spread.maxCoeff() <= 10 * spread.minCoeff();
}

template <class T>
void plot_model(const PlotFlags& flags) {
  if (!flags.label.empty())
    throw Error(ErrorCode::usage, "a model carries the label it was fitted with", "leave --label out");
  const auto model = load_model<T>(flags.file);
  if (plot_decomposition(flags, *model)) return;
  if (flags.scree) {
    plot::scree(flags.out, model->report(), {.title = flags.title, .axes = {}});
    return;
  }
  if (flags.contours) {
    plot_contours(flags, *model);
    return;
  }
  if (flags.topics > 0) {
    plot_topics(flags, *model);
    return;
  }
  if (!flags.images.empty()) {
    const ImageSize size = parse_image_size(flags.images);
    if (flags.reconstruct.empty())
      draw_components(flags.out, *model, size, flags.title);
    else
      draw_reconstructions(flags.out, *model, flags.reconstruct, size, flags.title);
    return;
  }
  const auto columns = chosen_columns(flags, model->components(), "component");
  std::vector<std::string> axes;
  for (const Index c : columns) axes.push_back(component_axis(model->report(), c));
  const auto points = take_columns(model->scores().template cast<double>(), columns);
  plot::scatter(flags.out, points, model->label(),
                {.title = flags.title,
                 .axes = with_sample_axis(axes),
                 .equal_aspect = model->report().embedding && shows_distances(points)});
}

void plot_table(const PlotFlags& flags) {
  if (!flags.reconstruct.empty())
    throw Error(ErrorCode::usage, fmt::format("{} is a table: --reconstruct needs a model", flags.file),
                "fit one with --model");
  if (flags.scree || flags.contours || flags.topics > 0 || !flags.data.empty())
    throw Error(ErrorCode::usage,
                fmt::format("{} is a table: {} needs a model", flags.file,
                            !flags.data.empty() ? "--data"
                            : flags.scree       ? "--scree"
                            : flags.contours    ? "--contours"
                                                : "--topics"),
                "fit one with --model");
  const auto data = read_dataset<double>(flags.file, {.label = flags.label});
  if (!flags.images.empty()) {
    draw_rows(flags.out, data, parse_image_size(flags.images), flags.title);
    return;
  }
  const auto columns = chosen_columns(flags, data.samples.cols(), "column");
  std::vector<std::string> axes;
  for (const Index c : columns)
    axes.push_back(data.columns.empty() ? fmt::format("column {}", c + 1)
                                        : data.columns[static_cast<std::size_t>(c)]);
  plot::scatter(flags.out, take_columns(data.samples.to_dense(), columns), data.label,
                {.title = flags.title, .axes = with_sample_axis(axes)});
}

void plot_file(const PlotFlags& flags) {
  require_creatable(flags.out);
  const bool images = !flags.images.empty(), topics = flags.topics > 0, stack = !flags.data.empty();
  if (flags.scree + flags.contours + flags.three_d + images + topics + stack > 1)
    throw Error(ErrorCode::usage,
                "--scree, --contours, --3d, --images, --topics and --data are different pictures",
                "choose one");
  if (!flags.words.empty() && !topics)
    throw Error(ErrorCode::usage, "--words names the words of --topics", "add --topics N");
  if (!flags.reconstruct.empty() && !images)
    throw Error(ErrorCode::usage, "--reconstruct is drawn as images", "add --images HEIGHTxWIDTH");
  if ((flags.scree || flags.contours || images || topics || stack) && !flags.components.empty())
    throw Error(ErrorCode::usage, "--components chooses the axes of a scatter plot", "leave it out here");
  if (is_model_file(flags.file))
    with_precision(model_precision(flags.file), [&]<class T>() { plot_model<T>(flags); });
  else
    plot_table(flags);
}

}  // namespace

Command add_plot(CLI::App& program) {
  auto flags = std::make_shared<PlotFlags>();
  auto* parser = program.add_subcommand("plot", "a picture of a model or of a table");
  parser->add_option("FILE", flags->file, "a model (its scores, coloured by its label) or a table")
      ->required();
  parser->add_option("--out", flags->out, "the picture: svg, png or pdf by its ending")
      ->type_name("PICTURE")
      ->required();
  parser->add_flag("--scree", flags->scree, "variance of each component and its running share");
  parser->add_flag("--contours", flags->contours, "each component over the input plane (2 features)");
  parser->add_flag("--3d", flags->three_d, "scatter of three components");
  parser
      ->add_option("--images", flags->images,
                   "components (or a table's rows) as pictures of that many pixels")
      ->type_name("HEIGHTxWIDTH");
  parser
      ->add_option("--reconstruct", flags->reconstruct,
                   "with --images: rows of DATA rebuilt from 1, 2, 4, ... components")
      ->type_name("DATA");
  parser->add_option("--topics", flags->topics, "the heaviest features of the first N components, as bars")
      ->type_name("N")
      ->check(CLI::Range(1, 100).description(""));
  parser->add_option("--words", flags->words, "with --topics: what the features are called, one a line")
      ->type_name("FILE");
  parser->add_option("--data", flags->data, "cp, tucker, svd2d: images of STACK beside what is made of them")
      ->type_name("STACK");
  parser->add_option("--components", flags->components, "which to draw, counted from 1 (default 1,2)")
      ->type_name("I,J")
      ->delimiter(',');
  parser->add_option("--label", flags->label, "for a table: the column that gives the colours")
      ->type_name("COLUMN");
  parser->add_option("--title", flags->title, "above the picture")->type_name("TEXT");
  parser->footer(
      "Of tucker models the core is drawn, of cp the factors of each mode, of svd2d images rebuilt from\n"
      "growing cores; --components I,J draws the samples' scores instead.\n"
      "Example: mercer plot digits.mercer --out digits.svg --title Digits");
  return {parser, [flags](const Session&) { plot_file(*flags); }};
}

}  // namespace mercer::app
