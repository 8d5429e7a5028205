// mercer demo: kernel PCA on the seeds' examples and on real digits (mission row M17). Each example
// asks a question, prints the answer in a line or two and leaves pictures, scores and models behind.
#include "demo.hpp"

#include "command.hpp"
#include "example_folders.hpp"
#include "images.hpp"

#include <mercer/mercer.hpp>
#include <mercer/plot.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <numeric>

namespace mercer::app {

std::string example_file(const std::string& name) {
  std::error_code ignored;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  const auto installed = program.parent_path().parent_path() / installed_examples / name;
  const auto in_source = std::filesystem::path(source_examples) / name;
  for (const auto& candidate : {installed, in_source})
    if (std::filesystem::exists(candidate, ignored)) return candidate.string();
  throw Error(ErrorCode::no_input, fmt::format("{}: no such file", installed.string()),
              "the demo's data is installed with the program");
}

namespace {

/// The share of points that the best single threshold on a score puts on the right side (2 classes).
double best_threshold(const Vector<double>& score, const Label& label) {
  std::vector<std::size_t> order(static_cast<std::size_t>(score.size()));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](auto a, auto b) { return score[static_cast<Index>(a)] < score[static_cast<Index>(b)]; });
  const auto n = static_cast<std::ptrdiff_t>(order.size());
  std::ptrdiff_t right = std::count(label.codes.begin(), label.codes.end(), 1),
                 best = std::max(right, n - right);
  for (const auto i : order) {  // move the threshold past point i: class 0 is right below, class 1 above
    right += label.codes[i] == 0 ? 1 : -1;
    best = std::max({best, right, n - right});
  }
  return static_cast<double>(best) / static_cast<double>(n);
}

/// The share of points whose nearest other point in the picture has the same class.
double neighbour_agreement(const Scores& scores, const Label& label) {
  Index agree = 0;
  for (Index i = 0; i < scores.rows(); ++i) {
    Vector<double> distance = (scores.rowwise() - scores.row(i)).rowwise().squaredNorm();
    distance[i] = std::numeric_limits<double>::infinity();
    Index nearest = 0;
    distance.minCoeff(&nearest);
    agree += label.codes[static_cast<std::size_t>(i)] == label.codes[static_cast<std::size_t>(nearest)];
  }
  return static_cast<double>(agree) / static_cast<double>(scores.rows());
}

/// "0.333, 0.333, 0.333"
std::string list(const Vector<double>& values) {
  std::vector<std::string> words;
  for (const double v : values) words.push_back(fmt::format("{:.3f}", v));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::vector<std::string> component_axes(Index a, Index b) {
  return {fmt::format("PC{}", a), fmt::format("PC{}", b)};
}

Scores two_columns(const Scores& scores, Index a, Index b) {
  Scores out(scores.rows(), 2);
  out << scores.col(a), scores.col(b);
  return out;
}

void circles(Demo& demo) {
  const auto data = generate("circles", 400, 1);
  demo.title("Two rings: does one component tell them apart?");
  const auto pca = demo.fit<Pca<double>>("circles-pca", data, PcaOptions{.components = 2});
  KernelPcaOptions options;
  options.kernel = Kernel::rbf(5);
  const auto kernel = demo.fit<KernelPca<double>>("circles-kpca", data, options);
  demo.line(
      fmt::format("PC1 of PCA puts {:.0f} % of the points on the right side; PC1 of kernel PCA, {}, {:.0f} %",
                  100 * best_threshold(pca.scores().col(0), *data.label), kernel.report().kernel,
                  100 * best_threshold(kernel.scores().col(0), *data.label)));
  plot::panels(demo.path("circles.svg"),
               {{"the data", data.samples.to_dense(), {"x", "y"}, true},
                {"PCA", pca.scores(), component_axes(1, 2), true},
                {"kernel PCA", kernel.scores(), component_axes(1, 2)}},
               data.label, styled("Concentric circles"));
  demo.list_written();
}

void three_modes(Demo& demo) {
  const auto data = generate("three-modes", 60, 1);
  demo.title("Three modes, 20 points each: what does each component see?");
  KernelPcaOptions options;
  options.components = 8;
  options.kernel = Kernel::rbf(10);  // narrow enough to tell the modes apart, as in Schölkopf et al. 1998
  const auto model = demo.fit<KernelPca<double>>("three-modes", data, options);
  demo.line(fmt::format("kernel {}; shares of variance {}", model.report().kernel,
                        list(model.report().explained_variance_ratio)));
  demo.line("the first two components tell the modes apart, the others look inside them");
  auto style = styled("Three modes: the first 8 kernel components");
  style.captions = plot::captions(model.report());
  plot::contours(
      demo.path("three-modes.svg"), [&](const Scores& grid) { return model.transform(grid, demo.run); },
      data.samples.to_dense(), 8, data.label, style);
  demo.list_written();
}

void unit_directions(Demo& demo) {
  const auto data = generate("unit-directions", 60, 1);
  demo.title("Plus and minus three unit vectors: linear PCA sees no direction before another");
  const auto pca = demo.fit<Pca<double>>("directions-pca", data, PcaOptions{.components = 3});
  KernelPcaOptions options;
  options.components = 5;
  options.kernel = Kernel::rbf(1);
  const auto kernel = demo.fit<KernelPca<double>>("directions-kpca", data, options);
  demo.line(fmt::format("linear eigenvalues {}; under {} {}", list(pca.report().variances),
                        kernel.report().kernel, list(kernel.report().variances)));
  demo.line("kernel components 4 and 5 tell the axes apart whatever the sign, which no linear one can");
  plot::panels(demo.path("directions.svg"),
               {{"PCA", two_columns(pca.scores(), 0, 1), component_axes(1, 2)},
                {"kernel PCA", two_columns(kernel.scores(), 3, 4), component_axes(4, 5)}},
               data.label, styled("Three unit directions"));
  demo.list_written();
}

void two_classes(Demo& demo) {
  const auto data = generate("two-classes", 200, 1);
  demo.title("Two classes in the plane under k(x, y) = exp(-|x - y|^2)");
  KernelPcaOptions options;
  options.components = 3;
  options.kernel = Kernel::rbf(1);
  const auto model = demo.fit<KernelPca<double>>("two-classes", data, options);
  const auto z = model.scores();
  demo.line(fmt::format("shares of variance {}", list(model.report().explained_variance_ratio)));
  plot::panels(demo.path("two-classes.svg"),
               {{"the data", data.samples.to_dense(), {"x", "y"}, true},
                {"", two_columns(z, 0, 1), component_axes(1, 2)},
                {"", two_columns(z, 0, 2), component_axes(1, 3)},
                {"", two_columns(z, 1, 2), component_axes(2, 3)}},
               data.label, styled("Two classes on PC1, PC2 and PC3"));
  plot::scatter(demo.path("two-classes-3d.svg"), z, data.label, styled("Two classes in feature space"));
  demo.list_written();
}

/// Mission row M9: where each discriminant draws the line between two classes, and how its scores tell them
/// apart.
void discriminants(Demo& demo) {
  const auto data = generate("two-classes", 200, 1);
  demo.title("The same classes, told apart: linear and kernel discriminant");
  const auto linear =
      demo.fit<LinearDiscriminant<double>>("discriminant-lda", data, LinearDiscriminantOptions{});
  KernelDiscriminantOptions options;
  options.kernel = Kernel::rbf(1);
  const auto kernel = demo.fit<KernelDiscriminant<double>>("discriminant-klda", data, options);
  const auto wrong = [](const auto& model) {
    return fmt::format("{:.0f} % wrong", 100.0 * double(model.report().discrimination->training_errors) /
                                             double(model.report().n));
  };
  demo.line(fmt::format("training points on the wrong side: LDA {}, kernel LDA ({}, ridge {}) {}",
                        wrong(linear), kernel.report().kernel, options.ridge, wrong(kernel)));
  auto style = styled("Which side of the boundary (strong line)?");
  style.captions = {"LDA: " + wrong(linear), "kernel LDA: " + wrong(kernel)};
  plot::contours(
      demo.path("discriminants.svg"),
      [&](const Scores& grid) {
        Scores sides(grid.rows(), 2);
        sides << linear.transform(grid, demo.run).array() - *linear.threshold(),
            kernel.transform(grid, demo.run).array() - *kernel.threshold();
        return sides;
      },
      data.samples.to_dense(), 2, data.label, style);
  plot::panels(demo.path("discriminant-scores.svg"),
               {{"LDA", linear.scores(), {"score"}}, {"kernel LDA", kernel.scores(), {"score"}}}, data.label,
               styled("The projection on each discriminant"));
  demo.list_written();
}

/// Mission row M8: on a circle x² + y² is constant, so one of the five monomials of (x·y + 1)² that
/// vary is lost.
void circle_rank(Demo& demo) {
  demo.title("Points on a circle under (x.y + 1)^2: a curve hides in the spectrum");
  KernelPcaOptions options;
  options.components = 6;
  options.kernel = Kernel::polynomial(2, 1, 1);
  const auto on_circle = KernelPca<double>::fit(generate("circle").samples, options, demo.run);
  const auto generic = KernelPca<double>::fit(generate("two-classes").samples, options, demo.run);
  demo.line(fmt::format("nonzero eigenvalues: {} on the circle, {} for points anywhere in the plane",
                        on_circle.components(), generic.components()));
  plot::scree(demo.path("circle-spectrum.svg"), on_circle.report(),
              styled("Points on a circle under (x·y + 1)²"));
  plot::scree(demo.path("generic-spectrum.svg"), generic.report(),
              styled("Points anywhere under (x·y + 1)²"));
  demo.list_written();
}

void digits(Demo& demo) {
  auto data = read_dataset<double>(example_file("digits.csv.gz"), {.label = "64"}, demo.run);
  data.label->column = "digit";  // the file has no header
  demo.title("1,797 handwritten digits of 8 x 8 pixels, in the plane");
  const auto pca = demo.fit<Pca<double>>("digits-pca", data, PcaOptions{.components = 10});
  KernelPcaOptions options;
  options.components = 10;
  options.kernel = Kernel::rbf(0.001);
  const auto kernel = demo.fit<KernelPca<double>>("digits-kpca", data, options);
  const auto linear_plane = two_columns(pca.scores(), 0, 1),
             kernel_plane = two_columns(kernel.scores(), 0, 1);
  demo.line(fmt::format(
      "the nearest neighbour in the plane is the same digit for {:.0f} % (PCA) and {:.0f} % (kernel PCA, {})",
      100 * neighbour_agreement(linear_plane, *data.label),
      100 * neighbour_agreement(kernel_plane, *data.label), kernel.report().kernel));
  demo.line(fmt::format(
      "largest residual |Kv - tv| {:.1e}; no eigenvalue missed above {:.4g} (found down to {:.4g})",
      kernel.report().residuals.maxCoeff(), kernel.report().missed.probable,
      kernel.report().gram_eigenvalues.minCoeff()));
  auto style = styled("Handwritten digits");
  style.width = 1200;
  style.height = 560;
  plot::panels(
      demo.path("digits.svg"),
      {{"PCA", linear_plane, component_axes(1, 2)}, {"kernel PCA", kernel_plane, component_axes(1, 2)}},
      data.label, style);
  plot::scree(demo.path("digits-scree.svg"), kernel.report(),
              styled("Digits: variance of the kernel components"));
  draw_components<double>(demo.path("digits-components.svg"), pca, {8, 8},
                          "Digits: the mean and ten components of PCA");
  demo.list_written();
}

/// Mission row M10: nine titles and the words in them (Deerwester et al. 1990); uncentred PCA is latent
/// semantic analysis.
void topics(Demo& demo) {
  const auto data = read_dataset<double>(example_file("titles.csv"), {.label = "about"}, demo.run);
  demo.title("Nine titles, twelve words: what are they about?");
  PcaOptions options{.components = 2};
  options.center = false;
  const auto model = demo.fit<Pca<double>>("titles", data, options);
  std::vector<plot::BarList> lists;
  for (Index c = 0; c < 2; ++c) {
    plot::BarList list{fmt::format("topic {}", c + 1), {}, {}};
    for (const Loading& loading : heaviest<double>(model.directions().col(c), 6)) {
      list.names.push_back(data.columns[static_cast<std::size_t>(loading.feature)]);
      list.values.push_back(loading.weight);
    }
    demo.line(fmt::format("{}: {}", list.title, fmt::join(list.names, ", ")));
    lists.push_back(std::move(list));
  }
  plot::bars(demo.path("topics.svg"), lists, styled("The heaviest words of each topic"));
  plot::scatter(demo.path("titles.svg"), model.scores(), data.label,
                styled("Titles by topic", {"topic 1", "topic 2"}));
  demo.list_written();
}

/// Which kernel, and how wide? By how many held-out digits their neighbours in the plane get right.
void choosing(Demo& demo) {
  const auto data = read_dataset<double>(example_file("digits.csv.gz"), {.label = "64"}, demo.run);
  demo.title("Which kernel, and how wide? Cross-validation on 300 of the digits");
  const Tuning tuning = tune(data, {.components = 2, .rows = 300, .permutations = 5}, demo.run);
  const Trial& best = tuning.trials.front();
  demo.line(fmt::format("best of {}: {}, with two components {:.0f} % of held-out digits are told right",
                        tuning.trials.size(), best.kernel.to_string(), 100 * *best.accuracy));
  plot::sweep(demo.path("kernel-choice.svg"), tuning);
  demo.list_written();
}

/// Mean over the rows of |x - y|^2.
double mean_squared_distance(const Scores& x, const Scores& y) {
  return (x - y).squaredNorm() / static_cast<double>(x.rows());
}

/// Mission row M12: noisy digits projected on the components of clean ones, each method at its best k.
void denoised_digits(Demo& demo) {
  const auto data = read_dataset<double>(example_file("digits.csv.gz"), {.label = "64"}, demo.run);
  const Scores all = data.samples.to_dense(), train = all.topRows(1297), clean = all.bottomRows(500);
  Scores noise = generate("gaussians", 500, 1, {.features = 64, .clusters = 1}).samples.to_dense();
  noise.rowwise() -= noise.colwise().mean().eval();
  const Scores noisy = clean + 4 * noise;
  demo.title("Noise on digits: project on the components of clean ones, and come back");
  const auto pca = Pca<double>::fit(train, {.components = 64}, demo.run);
  KernelPcaOptions options;
  options.components = 256;
  options.kernel = Kernel::rbf(0.0005);
  const auto kernel = KernelPca<double>::fit(train, options, demo.run);
  const Preimage<double> back(kernel, {.starts = 1}, demo.run);

  const Scores linear_scores = pca.transform(noisy, demo.run),
               kernel_scores = kernel.transform(noisy, demo.run);
  Scores linear_best, kernel_best;
  Index linear_k = 0, kernel_k = 0;
  const auto keep_better = [&](Scores found, Index k, Scores& best, Index& best_k) {
    if (best.size() > 0 && mean_squared_distance(found, clean) >= mean_squared_distance(best, clean)) return;
    best = std::move(found);
    best_k = k;
  };
  for (const Index k : {4, 8, 16, 32}) {
    Scores some = Scores::Zero(noisy.rows(), pca.components());
    some.leftCols(k) = linear_scores.leftCols(k);
    keep_better(pca.inverse(some, demo.run), k, linear_best, linear_k);
  }
  for (const Index k : {16, 32, 64, 128, 256})
    keep_better(back.find(kernel_scores.leftCols(k), noisy, demo.run).points, k, kernel_best, kernel_k);

  demo.line(
      fmt::format("mean squared distance to the clean digits: noisy {:.0f}, PCA {:.0f} (k = {}), kernel PCA "
                  "{:.0f} (k = {})",
                  mean_squared_distance(noisy, clean), mean_squared_distance(linear_best, clean), linear_k,
                  mean_squared_distance(kernel_best, clean), kernel_k));
  const Index shown = 14;
  plot::gallery(demo.path("denoised-digits.svg"),
                {{"clean", clean.topRows(shown)},
                 {"with noise", noisy.topRows(shown)},
                 {fmt::format("PCA, {} components", linear_k), linear_best.topRows(shown)},
                 {fmt::format("kernel PCA, {} components", kernel_k), kernel_best.topRows(shown)}},
                8, 8, styled("Denoising digits"));
  demo.list_written();
}

void run_demo(const std::string& folder, const Session& session) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw Error(ErrorCode::cannot_create, fmt::format("{}: cannot create: {}", folder, error.message()),
                "name a folder with --out");
  Demo demo(folder, session);
  print(fmt::format("Kernel PCA and its family on examples; everything is written to {}/\n", folder));
  for (const auto example : {circles, three_modes, unit_directions, two_classes, discriminants, circle_rank,
                             digits, denoised_digits, topics, choosing, unrolled, mixtures, digit_cores})
    example(demo);
  print(
      fmt::format("\nNow your own data: mercer kpca DATA.csv --label COLUMN --model my.mercer && "
                  "mercer plot my.mercer --out my.svg\n"));
}

}  // namespace

Command add_demo(CLI::App& program) {
  auto folder = std::make_shared<std::string>("demo-output");
  auto* parser =
      program.add_subcommand("demo", "kernel PCA, maps and tensors on examples: pictures, scores and models");
  parser->add_option("--out", *folder, "where to write (default demo-output)")->type_name("FOLDER");
  parser->footer("Example: mercer demo --out /tmp/demo");
  return {parser, [folder](const Session& session) { run_demo(*folder, session); }};
}

}  // namespace mercer::app
