// PCA on basis functions: Φ̃ᵀΦ̃ u = θ u, or Φ̃Φ̃ᵀ v = θ v and u = Φ̃ᵀv/√θ; Φ by blocks of rows.
#include <mercer/basis_pca.hpp>

#include "base/memory.hpp"
#include "base/number_limits.hpp"
#include "base/parallel.hpp"
#include "base/stopwatch.hpp"
#include "kernel/basis_parts.hpp"
#include "kernel/feature_map.hpp"
#include "kernel/node.hpp"
#include "model/contradictions.hpp"
#include "model/in_words.hpp"
#include "model/model_file.hpp"
#include "model/number_range.hpp"
#include "model/relations.hpp"
#include "model/spectral_fit.hpp"
#include "operator/dense_operator.hpp"
#include "operator/feature_rows.hpp"
#include "operator/scatter_operator.hpp"
#include "spectral/orthonormal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

namespace mercer {
namespace {

/// So many functions are listed in the report with their coefficients.
constexpr Index listed = 200;
/// What a function counts for in flops.
constexpr double function_flops = 4;

Side smaller_side(Index n, double m, bool smallest) {
  return smallest || m <= double(n) ? Side::features : Side::samples;
}

template <class T>
Problem problem_of(const Samples<T>& samples, const BasisPcaOptions& options) {
  const double n = double(samples.rows()), m = options.basis.count(samples.cols());
  const Side side = smaller_side(samples.rows(), m, options.smallest > 0);
  Problem p;
  p.name = side == Side::features ? "basis scatter" : "basis Gram";
  const double size = side == Side::features ? m : n;
  if (size > 1e9 || m > std::numeric_limits<std::int32_t>::max())
    throw Error(
        ErrorCode::no_memory,
        fmt::format("{} of {} features is {:.3g} functions", options.basis.to_string(), samples.cols(), m),
        "lower the degree; kpca with the kernel poly does without them");
  p.size = static_cast<Index>(size);
  p.components = options.smallest > 0 ? Components(options.smallest) : options.components;
  p.element_flops = side == Side::features ? n : m;
  p.apply_flops = n * m * (4 + function_flops / 8);
  const double k = options.components.share > 0 ? 32 : double(p.components.count);
  p.data_bytes =
      FeatureRows<T>::block_bytes(samples.rows(), m) + 40 * m + 16 * k * m + k * n * double(8 + sizeof(T));
  if (options.smallest > 0) p.data_bytes += 64 * m * m;  // a factor, a change of coordinates, their product
  if (options.scale != Scale::none) p.data_bytes += double(samples.bytes());
  return p;
}

template <class T>
void require_options(const BasisPcaOptions& options) {
  require_solvable(options.components, options.residual);
  if (options.smallest < 0)
    throw Error(ErrorCode::usage, fmt::format("{} relations were asked for", options.smallest),
                "ask for at least 1");
  if (options.smallest > 0 && options.route != Route::automatic && options.route != Route::dense)
    throw Error(ErrorCode::usage,
                fmt::format("there is no route {} to the smallest eigenvalues", name_of(options.route)),
                "they are found by LAPACK: leave out --route");
}

Route route_of(const BasisPcaOptions& options) { return options.smallest > 0 ? Route::dense : options.route; }

/// The matrix was made of functions as rounded: Φ̃ is off by η = ‖Φ‖ times that rounding, which far from the
/// origin is more than Φ̃'s own, and its square by 2‖Φ̃‖η + η². Then come the sums of so many terms.
void allow_for_values(Solved<double>& solved, const FeatureMap& map, const Vector<double>& sizes, Index n,
                      double terms, double asked, Report& report) {
  Spectrum<double>& s = solved.spectrum;
  if (s.values.size() == 0) return;
  Index degree = 0;
  for (Index j = 0; j < map.count(); ++j) degree = std::max(degree, map.degree(j));
  const double eta =
      double(4 + degree) * std::numeric_limits<double>::epsilon() * std::sqrt(double(n)) * sizes.norm();
  const double change =
      eta * (2 * std::sqrt(s.values[0]) + eta) + rounding_of_sums(terms) * std::abs(solved.trace);
  s.residuals.array() += change;
  s.missed.rigorous += change;
  s.missed.probable += change;
  if (change > 2 * (asked > 0 ? asked : 1e-10) * s.values[0])
    report.notes.push_back(
        "the functions' values are large beside their variation, and rounding limits the residuals; with "
        "--scale "
        "center the functions are of the centred inputs");
}

/// Where no component was found: do the functions vary after all, by so little that their squares underflow?
template <class T>
void require_values_in_range(const FeatureMap& map, const FeatureRows<T>& rows, const Run& run) {
  Block<double> along(rows.features(), 1);  // all functions but constants count, and differently
  for (Index j = 0; j < along.rows(); ++j) along(j, 0) = map.degree(j) == 0 ? 0 : 1 / double(j + 1);
  const Matrix<double> values = rows.times(rows.mean(run), along, run);
  require_squares_in_range<double>(Samples<double>(values), Vector<double>::Zero(1));
}

/// Sizes are √ of mean squares: the eigenvalues of ΦᵀΦ are at most n times the sum of their squares, and
/// their own squares are summed too.
void require_squares(const Vector<double>& sizes, Index n) {
  if (sizes.stableNorm() < 1e-2 * std::pow(std::numeric_limits<double>::max(), 0.25) / std::sqrt(double(n)))
    return;
  throw Error(ErrorCode::bad_data, "the functions' values are so large that sums of their squares overflow",
              "scale the inputs (--scale standardize)");
}

/// Scores are given in T, and the functions' values may leave its range where the inputs do not.
template <class T>
void require_scores_in_range(const Block<double>& scores, bool smallest) {
  if (scores.size() == 0) return;
  const double largest = scores.cwiseAbs().maxCoeff();
  const bool small = !smallest && largest < least_with_all_digits<T>;  // along a relation scores may be 0
  if (largest < double(std::numeric_limits<T>::max()) && !small) return;
  throw Error(ErrorCode::bad_data,
              fmt::format("scores are as large as {:.3g}, too {} for {} precision", largest,
                          small ? "little" : "much", std::is_same_v<T, float> ? "single" : "double"),
              fmt::format("{}scale the inputs (--scale standardize)", cure_by_precision<T>));
}

/// x7 for anything but the seventh column: formulas call columns x1, x2, … by their place.
bool misleading(const std::string& name, std::size_t place) {
  return name.size() > 1 && name[0] == 'x' && name.find_first_not_of("0123456789", 1) == std::string::npos &&
         name != fmt::format("x{}", place + 1);
}

/// Plain names can stand in formulas: age², not "age (years)²".
bool plain(const std::vector<std::string>& columns) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string& name = columns[i];
    if (name.empty() || !std::isalpha(static_cast<unsigned char>(name[0])) || misleading(name, i))
      return false;
    for (const unsigned char c : name)
      if (!std::isalnum(c) && c != '_' && c < 0x80) return false;
  }
  return !columns.empty();
}

}  // namespace

template <class T>
Plan BasisPca<T>::plan(const Samples<T>& samples, const BasisPcaOptions& options, const Run& run) {
  require_options<T>(options);
  const Problem problem = problem_of(samples, options);
  Plan plan = make_plan(problem, route_of(options), run);
  estimate_seconds(plan, problem, run);
  return plan;
}

template <class T>
BasisPca<T> BasisPca<T>::fit(const Dataset<T>& data, const BasisPcaOptions& options, const Run& run) {
  BasisPca model = fit(data.samples, options, run);
  model.label_ = data.label;
  model.columns_ = data.columns;
  model.describe();
  return model;
}

template <class T>
BasisPca<T> BasisPca<T>::fit(const Samples<T>& samples, const BasisPcaOptions& options, const Run& caller) {
  require_options<T>(options);
  require_samples(samples);
  Stopwatch watch;
  BasisPca model;
  Report& report = model.report_;
  const Problem problem = problem_of(samples, options);
  report.plan = make_plan(problem, route_of(options), caller);
  estimate_seconds_if_known(report.plan, problem, caller);
  const SteadyRun steady(caller);
  const Run& run = steady;
  model.scaling_ = Scaling<T>::fit(options.scale, samples);
  const Samples<T> points = model.scaling_.apply(samples);
  model.basis_ = options.basis.resolved(points, run);
  model.map_ = std::make_shared<const FeatureMap>(model.basis_, points.cols());
  const FeatureRows<T> rows(*model.map_, points);
  const Index n = points.rows(), m = rows.features();
  const bool smallest = options.smallest > 0;
  const Side side = smaller_side(n, double(m), smallest);
  watch.lap("prepare");

  SolveRequest request;
  request.components = problem.components;
  request.residual = options.residual;
  request.delta = options.delta;
  request.known_psd = true;
  request.end = smallest ? End::smallest : End::largest;
  const Route route = report.plan.route;
  Solved<double> solved;
  model.mean_ = Vector<double>::Zero(m);
  const Vector<double> sizes = rows.sizes(run);
  require_squares(sizes, n);
  Block<double> matrix;
  if (smallest) {
    if (options.center) model.mean_ = rows.mean(run);
    model.sizes_ = sizes;
  } else if (side == Side::features && route != Route::tiled) {
    FeatureMoments moments = rows.moments(options.center, run);
    if (options.center) model.mean_ = moments.mean;
    matrix = moments.scatter.template selfadjointView<Eigen::Lower>();
  } else {
    if (options.center) model.mean_ = rows.mean(run);
    if (route != Route::tiled) matrix = rows.gram(model.mean_, run);
  }
  watch.lap("features");
  Index hidden = 0, lost = 0;  // relations, and directions, that rounding hides
  if (smallest) {
    Relations found = find_relations(*model.map_, points, options.center ? model.mean_ : Vector<double>(),
                                     model.sizes_, options.smallest, run);
    solved = std::move(found.solved);
    model.spans_ = std::move(found.spans);
    hidden = found.hidden;
    lost = found.lost;
  } else if (route == Route::dense) {
    solved = solve_dense<double>(std::move(matrix), request, run);
  } else if (route == Route::stored) {
    solved = solve_iteratively<double>(DenseOperator<double>(std::move(matrix)), request, run);
  } else {
    solved = solve_iteratively<double>(FeatureRowsOperator<T>(rows, model.mean_, side, run), request, run);
  }

  const double epsilon = std::numeric_limits<double>::epsilon();
  if (smallest) {
    report.components_requested = options.smallest;
    if (hidden > 0)
      report.notes.push_back(fmt::format("only {} of {} relations stand out from rounding{}",
                                         solved.spectrum.values.size(),
                                         solved.spectrum.values.size() + hidden,
                                         options.scale == Scale::none ? "; try --scale standardize" : ""));
    else if (lost > 0)
      report.notes.push_back(fmt::format(
          "rounding hides {} of {} directions, and whether a relation was missed among them{}", lost,
          m - (options.center ? 1 : 0), options.scale == Scale::none ? "; try --scale standardize" : ""));
    if (n < m - (options.center ? 1 : 0))
      report.notes.push_back(fmt::format(
          "{} samples always obey relations in {} functions: more samples, or fewer functions, would tell", n,
          m));
  } else {
    // φ − μ is known to rounding of μ: what n such errors make of an eigenvalue is not variance.
    const double largest = solved.spectrum.values.size() ? solved.spectrum.values[0] : 0;
    const double of_the_mean = double(n) * model.mean_.squaredNorm() * 64 * epsilon * epsilon;
    keep_components(
        solved, options.components,
        std::max({of_the_mean, 32 * epsilon * largest, rounding_threshold(solved, 0, epsilon, route)}),
        report);
  }
  if (!smallest && solved.spectrum.values.size() == 0) require_values_in_range(*model.map_, rows, run);
  const double terms = double(route == Route::tiled ? std::max(n, m) : side == Side::features ? n : m);
  if (!smallest) allow_for_values(solved, *model.map_, sizes, n, terms, options.residual, report);
  watch.lap("solve");

  if (side == Side::features) {
    model.directions_ = solved.spectrum.vectors;
  } else {  // u = Φ̃ᵀv/√θ
    model.directions_ = rows.transposed_times(model.mean_, solved.spectrum.vectors, run);
    model.directions_ *= solved.spectrum.values.cwiseSqrt().cwiseInverse().asDiagonal();
    make_orthonormal(model.directions_, run.seed);
  }
  fix_signs<double>(model.directions_);
  const Block<double> scores = rows.times(model.mean_, model.directions_, run);
  require_scores_in_range<T>(scores, smallest);
  model.scores_ = scores.template cast<T>();

  report.method = "basis-pca";
  report.n = n;
  report.d = samples.cols();
  if (const auto kernel = model.basis_.kernel()) report.kernel = kernel->to_string();
  report.centered = options.center;
  report.end = request.end;
  fill_report(report, solved, double(n));
  refuse_contradictions(report, report.trace);
  report.precision = precision_of<T>;
  if (options.scale != Scale::none) report.notes.push_back("the functions are of the scaled inputs");
  model.describe();
  watch.lap("scores");
  report.seconds = watch.laps_and_total();
  report.peak_bytes = peak_memory();
  return model;
}

template <class T>
void BasisPca<T>::describe() {
  const Index m = map_->count(), k = directions_.cols();
  const std::vector<std::string> variables =
      plain(this->columns_) ? this->columns_ : std::vector<std::string>{};
  BasisDescription out;
  out.basis = basis_.to_string();
  out.functions = m;
  out.offsets = directions_.transpose() * mean_;
  const auto coefficient = [&](Index j, Index c) { return directions_(j, c) * map_->weight(j); };
  if (m <= listed) {
    for (Index j = 0; j < m; ++j) out.names.push_back(map_->plain_name(j, variables));
    out.coefficients.resize(k, m);
    for (Index c = 0; c < k; ++c)
      for (Index j = 0; j < m; ++j) out.coefficients(c, j) = coefficient(j, c);
  }
  for (Index c = 0; c < k; ++c) {
    double largest = 0, constant = -out.offsets[c];
    for (Index j = 0; j < m; ++j) largest = std::max(largest, std::abs(coefficient(j, c)));
    std::vector<Term> terms;
    for (Index j = 0; j < m; ++j) {
      if (map_->degree(j) == 0)
        constant += coefficient(j, c);
      else if (sizes_.size() > 0 || std::abs(coefficient(j, c)) > 1e-10 * largest)
        terms.push_back({coefficient(j, c), map_->plain_name(j, variables), map_->degree(j),
                         sizes_.size() > 0 ? sizes_[j] / map_->weight(j) : 1});
    }
    terms.push_back({constant, "1", 0, 1});
    const double rms = std::sqrt(std::max(0.0, this->report_.variances[c]));
    const double span = spans_.size() > 0 ? spans_[c] : 0;
    out.directions.push_back(this->report_.end == End::smallest
                                 ? relation_in_words(std::move(terms), rms, span)
                                 : in_words(std::move(terms), 3));
  }
  this->report_.basis = std::move(out);
}

template <class T>
Index BasisPca<T>::features() const {
  return map_->dimension();
}

template <class T>
Matrix<T> BasisPca<T>::do_transform(const Samples<T>& points, const Run& caller) const {
  const SteadyRun steady(caller);
  return FeatureRows<T>(*map_, scaling_.apply(points)).times(mean_, directions_, steady).template cast<T>();
}

template <class T>
void BasisPca<T>::write(ModelWriter& writer) const {
  writer.set("basis", basis_.to_string());
  writer.set("smallest", this->report_.end == End::smallest);
  for (std::size_t i = 0; i < basis_.parts().size(); ++i) {  // what was drawn, not the seed it came from
    const std::string name = fmt::format("basis.{}.", i);
    if (const auto* p = std::get_if<RadialPart>(&basis_.parts()[i].value); p && !p->given)
      writer.block(name + "centers", Block<double>(*p->centers));
    if (const auto* p = std::get_if<FourierPart>(&basis_.parts()[i].value)) {
      writer.block(name + "frequencies", Block<double>(p->map->frequencies()));
      writer.vector(name + "amplitudes", p->map->amplitudes());
      writer.vector(name + "origin", p->map->origin());
    }
  }
  writer.block("directions", directions_);
  writer.vector("mean", mean_);
  if (sizes_.size() > 0) writer.vector("sizes", sizes_);
  if (spans_.size() > 0) writer.vector("spans", spans_);
  writer.matrix("scores", scores_);
  writer.scaling(scaling_);
}

namespace {

/// The basis as it was, with what it had drawn and the user's functions.
template <class T>
Basis read_basis(const ModelReader<T>& reader, Index d) {
  const Basis parsed = reader.choice("basis", Basis::parse);
  std::vector<BasisPart> parts = parsed.parts();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string name = fmt::format("basis.{}.", i);
    if (auto* p = std::get_if<RadialPart>(&parts[i].value)) {
      if (p->gamma.rule != Gamma::Rule::value) reader.damaged("the width of its bumps is missing");
      if (!p->given) {
        reader.require_shape(name + "centers", {p->count, d});
        p->centers = std::make_shared<const Matrix<double>>(reader.wide_block(name + "centers"));
      }
      if (p->centers->cols() != d) reader.damaged("its centres are of another dimension");
    }
    if (auto* p = std::get_if<FourierPart>(&parts[i].value)) {
      reader.require_shape(name + "frequencies", {d, p->count / 2});
      reader.require_shape(name + "amplitudes", {p->count / 2});
      if (reader.shape(name + "origin") != safetensors::Shape{0}) reader.require_shape(name + "origin", {d});
      p->map = std::make_shared<const RandomFeatures<double>>(
          Matrix<double>(reader.wide_block(name + "frequencies")), reader.vector(name + "amplitudes"),
          reader.vector(name + "origin"));
    }
    if (auto* p = std::get_if<UserPart>(&parts[i].value)) {
      const auto found = reader.options().bases.find(p->name);
      if (found == reader.options().bases.end())
        throw Error(
            ErrorCode::usage,
            fmt::format("{} needs your functions '{}', which are saved by name only", reader.path(), p->name),
            fmt::format("load it from C++ with LoadOptions::bases[\"{}\"] = the basis", p->name));
      parts[i] = found->second.parts().at(0);
    }
  }
  return Basis(std::move(parts));
}

}  // namespace

template <class T>
std::unique_ptr<Model<T>> BasisPca<T>::read(ModelReader<T>& reader) {
  auto model = std::make_unique<BasisPca<T>>(BasisPca<T>());
  reader.restore(*model, {.eigenvalues = ReportParts::always});
  const Index n = model->report_.n, d = model->report_.d, k = model->report_.components;
  model->basis_ = read_basis(reader, d);
  const double count = model->basis_.count(d);
  const Index m = reader.length("directions");
  if (count != double(m)) reader.damaged(fmt::format("it has {} functions for a basis of {}", m, count));
  reader.require_shape("mean", {m});
  reader.require_shape("directions", {m, k});
  reader.require_shape("scores", {n, k});
  reader.require(model->report_.variances.size() == k, "its variances are not one a component");
  model->map_ =
      reader.made("its basis", [&] { return std::make_shared<const FeatureMap>(model->basis_, d); });
  model->report_.end = reader.flag("smallest") ? End::smallest : End::largest;
  model->directions_ = reader.wide_block("directions");
  model->mean_ = reader.vector("mean");
  if (model->report_.end == End::smallest) {
    reader.require_shape("sizes", {m});
    model->sizes_ = reader.vector("sizes");
    if (reader.has("spans")) {  // not in files of earlier versions
      reader.require_shape("spans", {k});
      model->spans_ = reader.vector("spans");
    }
  }
  model->scores_ = reader.matrix("scores");
  model->scaling_ = reader.scaling();
  model->describe();
  return model;
}

template class BasisPca<float>;
template class BasisPca<double>;

}  // namespace mercer
