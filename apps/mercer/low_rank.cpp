// Options of the low-rank route, and fits on the basis of a model.
#include "low_rank.hpp"

#include "files.hpp"
#include "fit.hpp"
#include "model_points.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

namespace mercer::app {
namespace {

/// One 0-based row number a line (or in one line).
std::vector<Index> read_rows(const std::string& path) {
  const auto data = read_dataset<double>(path);
  const Matrix<double> numbers = data.samples.to_dense();
  if (numbers.rows() != 1 && numbers.cols() != 1)
    throw Error(ErrorCode::bad_data,
                fmt::format("{}: {} x {} numbers are no list of rows", path, numbers.rows(), numbers.cols()),
                "give one row number a line, from 0");
  std::vector<Index> out;
  for (Index i = 0; i < numbers.size(); ++i) {
    const double value = numbers.data()[i];
    if (value < 0 || value != std::floor(value) || value > 1e15)
      throw Error(ErrorCode::bad_data, fmt::format("{}: {} is no row number", path, value),
                  "rows count from 0");
    out.push_back(static_cast<Index>(value));
  }
  return out;
}

bool is_way(const std::string& name) { return name == "pivoted" || name == "uniform" || name == "kmeans"; }

}  // namespace

void LowRankFlags::add_to(CLI::App& parser, const std::string& group) {
  parser.add_option("--rank", rank, "low rank: how many landmarks")
      ->type_name("R")
      ->check(CLI::Range(Index(1), Index(1000000000)).description(""))
      ->group(group);
  parser.add_option("--tolerance", tolerance, "low rank: share of the variance to leave out (1e-3)")
      ->type_name("E")
      ->check(positive_number())
      ->group(group);
  parser
      .add_option("--landmarks", landmarks, "low rank: pivoted, uniform, kmeans, or row numbers, or a model")
      ->type_name("HOW|FILE")
      ->group(group);
}

bool LowRankFlags::from_model() const {
  return !landmarks.empty() && !is_way(landmarks) && is_model_file(landmarks);
}

Route LowRankFlags::route(const std::string& name) const {
  const Route wanted = parse_route(name);
  if (!given() || wanted == Route::lowrank) return wanted;
  if (wanted != Route::automatic)
    throw Error(
        ErrorCode::usage,
        fmt::format("--rank, --tolerance and --landmarks belong to the low-rank route, not to {}", name),
        "leave out --route, or say --route lowrank");
  return Route::lowrank;
}

LowRank LowRankFlags::parsed() const {
  LowRank out{.rank = rank, .tolerance = tolerance};
  if (is_way(landmarks)) {
    out.landmarks = parse_landmarks(landmarks);
  } else if (!landmarks.empty()) {
    out.landmarks = Landmarks::given;
    out.given = read_rows(landmarks);
  }
  return out;
}

template <class T>
std::unique_ptr<Model<T>> load_kernel_pca(const std::string& path, const std::string& purpose) {
  auto model = load_model<T>(path);
  if (dynamic_cast<const KernelPca<T>*>(model.get()) == nullptr)
    throw Error(ErrorCode::usage, fmt::format("{} is a {} model, which {}", path, model->method(), purpose),
                "that takes a model of kpca --route lowrank");
  if (model->report().plan.route != Route::lowrank)
    throw Error(ErrorCode::usage, fmt::format("{} is an exact model, which {}", path, purpose),
                "fit it with --route lowrank");
  return model;
}

template <class T>
Dataset<T> OnBasis<T>::read(const std::string& path, const ReadOptions& read, const BasisOptions& options,
                            const Run& run) {
  return read_model_points<T>(path, read, *load_kernel_pca<T>(options.model, "has no basis to take over"),
                              run, true);
}

template <class T>
KernelPca<T> OnBasis<T>::fit(const Dataset<T>& data, const BasisOptions& options, const Run& run) {
  const auto model = load_kernel_pca<T>(options.model, "has no basis to take over");
  return as_kernel_pca(*model).refit(data, options.components, run);
}

template <class T>
Plan OnBasis<T>::plan(const Samples<T>& samples, const BasisOptions& options, const Run& run) {
  const auto model = load_kernel_pca<T>(options.model, "has no basis to take over");
  const KernelPca<T>& basis = as_kernel_pca(*model);
  KernelPcaOptions fit;
  fit.components = options.components;
  fit.kernel = basis.kernel();
  fit.route = Route::lowrank;
  fit.lowrank.rank = basis.points().rows();
  return KernelPca<T>::plan(samples, fit, run);
}

bool must_stream(const FitFlags& flags, const Run& run) {
  std::error_code none;
  if (is_stream(flags.data) || flags.read.transpose || flags.keep_label || flags.explain ||
      !std::filesystem::is_regular_file(flags.data, none))
    return false;
  return static_cast<double>(std::filesystem::file_size(flags.data, none)) >
         static_cast<double>(run.memory_budget()) / 2;
}

void fit_in_passes(const FitFlags& flags, const KernelPcaOptions& options, const Session& session) {
  flags.check();
  const Stopwatch total;
  ProgressBar bar(!flags.run.quiet);
  const Run run = flags.run.run(session, bar);
  with_precision(parse_precision(flags.precision), [&]<class T>() {
    const auto rows = open_rows<T>(flags.data, flags.read.parsed(), 0, run);
    const double read_seconds = total.seconds();
    const auto model = KernelPca<T>::fit(*rows, options, run);
    if (!flags.out.empty() && model.components() == 0)
      throw Error(ErrorCode::bad_data,
                  fmt::format("{}: the samples do not vary, so there are no scores to write", flags.data),
                  "leave out --out to see the report");
    const Stopwatch writing;
    if (!flags.out.empty()) write_scores<T>(flags.out, model, *rows, run);
    if (!flags.model.empty()) model.save(flags.model);
    print_report(model.report(), read_seconds, writing.seconds(), total.seconds(), rows->dropped(), flags);
  });
}

template std::unique_ptr<Model<float>> load_kernel_pca(const std::string&, const std::string&);
template std::unique_ptr<Model<double>> load_kernel_pca(const std::string&, const std::string&);
template struct OnBasis<float>;
template struct OnBasis<double>;

}  // namespace mercer::app
