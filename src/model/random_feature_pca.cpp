// Kernel PCA on random features: S = Σ(z − z̄)(z − z̄)ᵀ (D x D), S u = θ u, score of x: uᵀ(z(x) − z̄). The
// nonzero θ are the eigenvalues of K̂̃ = HẐẐᵀH, which stands for K̃.
#include <mercer/random_feature_pca.hpp>

#include "base/linalg.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "base/random.hpp"
#include "base/stopwatch.hpp"
#include "kernel/landmarks.hpp"
#include "kernel/primitives.hpp"
#include "kernel/random_features.hpp"
#include "kernel/tiles.hpp"
#include "model/contradictions.hpp"
#include "model/model_file.hpp"
#include "model/row_passes.hpp"
#include "model/spectral_fit.hpp"
#include "operator/dense_operator.hpp"
#include "operator/feature_moments.hpp"
#include "plan/feature_plan.hpp"
#include "spectral/certificate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {
namespace {

/// Rows drawn for what needs no more: gamma=median of a stream, the measured error, signs.
constexpr Index sample_rows = 4096;
constexpr Index error_pairs = 4096;

template <class T>
Samples<T> sample_of(const Samples<T>& samples, std::uint64_t seed) {
  if (samples.rows() <= sample_rows) return samples;
  return samples.select_rows(uniform_rows(samples.rows(), sample_rows, seed, 3));
}

/// Root mean square of z(x)·z(y) − k(x, y) over random pairs of different rows, k in double.
template <class T>
FeatureApproximation measured_error(const RandomFeatures<T>& map, const Kernel& kernel,
                                    const Samples<T>& points, const Run& run) {
  constexpr Index batch = 512;
  FeatureApproximation out;
  out.count = map.count();
  out.pairs = points.rows() > 1 ? error_pairs : 0;
  Random random(run.seed, 0x7061697273ULL);
  Matrix<T> left(batch, map.count()), right(batch, map.count());
  Vector<double> exact(batch);
  double squares = 0;
  for (Index first = 0; first < out.pairs; first += batch) {
    std::vector<Index> a, b;
    for (Index p = 0; p < batch; ++p) {
      const auto n = static_cast<std::uint64_t>(points.rows());
      const auto i = static_cast<Index>(random.below(n)), j = static_cast<Index>(random.below(n - 1));
      a.push_back(i);
      b.push_back(j < i ? j : j + 1);
    }
    const Samples<T> x = points.select_rows(a), y = points.select_rows(b);
    map.evaluate(x, left.data(), run);
    map.evaluate(y, right.data(), run);
    KernelTiles<double>(kernel, x.template cast<double>(), y.template cast<double>())
        .diagonal(0, batch, exact.data());
    for (Index p = 0; p < batch; ++p) {
      const double error =
          left.row(p).template cast<double>().dot(right.row(p).template cast<double>()) - exact[p];
      squares += error * error;
    }
  }
  if (out.pairs > 0) out.kernel_rms_error = std::sqrt(squares / double(out.pairs));
  return out;
}

/// Eigenpairs of the scatter matrix, which is kept in double whatever T is.
template <class T>
Solved<T> solve(const FeatureMoments& moments, Route route, const SolveRequest& request, const Run& run) {
  Block<double> matrix = moments.scatter.selfadjointView<Eigen::Lower>();
  if (route == Route::dense) return solve_dense<T>(std::move(matrix), request, run);
  const DenseOperator<double> op(std::move(matrix));
  const Solved<double> found = solve_iteratively<double>(op, request, run);
  const Spectrum<double>& s = found.spectrum;
  Solved<T> out{{s.values, s.vectors.template cast<T>(), s.residuals, s.missed, s.passes, s.converged},
                found.trace,
                {},
                {}};
  if constexpr (std::is_same_v<T, float>)  // of the rounded vectors, which the model keeps
    out.spectrum.residuals =
        residual_norms<double>(op, out.spectrum.vectors.template cast<double>(), s.values, run);
  return out;
}

template <class T>
FeatureProblem problem_of(Index n, Index d, double entries, const RandomFeaturePcaOptions& options,
                          bool scores) {
  return {.n = n,
          .d = d,
          .features = options.features,
          .entries = entries,
          .components = options.components,
          .precision = precision_of<T>,
          .scores = scores};
}

void require_options(const RandomFeaturePcaOptions& options) {
  require_solvable(options.components, options.residual);
  require_random_features(options.kernel, options.features);
}

}  // namespace

/// A fit under way: the parts that fits in memory and of streams share.
template <class T>
struct RandomFeaturePca<T>::Fit {
  const RandomFeaturePcaOptions& options;
  const Run& run;
  Stopwatch watch = {};
  RandomFeaturePca model = {};
  FeatureMoments moments = {};

  /// Draws the features, and measures them on a sample of the rows (as they were given).
  void draw(const Samples<T>& sample) {
    const Samples<T> points = model.scaling_.apply(sample);
    const auto map =
        RandomFeatures<T>::draw(model.kernel_, points.cols(), options.features, options.orthogonal, run)
            .about(distance_shift(points));
    Report& report = model.report_;
    report.features = measured_error(map, model.kernel_, points, run);
    report.features->orthogonal = options.orthogonal;
    if (options.orthogonal && !has_orthogonal_features(model.kernel_))
      report.notes.push_back("the Laplacian kernel's frequencies have no directions to make orthogonal");
    model.map_ = std::make_shared<const RandomFeatures<T>>(map);
    watch.lap("prepare");
  }

  /// Mean and scatter of z, from one pass over the rows.
  void pass(RowSource<T>& rows, Index n, const Samples<T>& sample) {
    const RandomFeatures<T>& map = *model.map_;
    std::vector<T> z(static_cast<std::size_t>(std::min(n, feature_rows) * map.count()));
    const Index some = std::min<Index>({sample.rows(), feature_rows, 1024});
    map.evaluate(model.scaling_.apply(sample.middle_rows(0, some)), z.data(), run);
    MomentSum<T> sum(options.center, mean_of(z.data(), some, map.count()));
    const Index seen = for_each_chunk(rows, run, [&](const Samples<T>& chunk, Index first) {
      for (Index i = 0; i < chunk.rows(); i += feature_rows) {
        const Index count = std::min(feature_rows, chunk.rows() - i);
        if (first + i + count > n) break;  // the file has grown: said below
        map.evaluate(model.scaling_.apply(chunk.middle_rows(i, count)), z.data(), run);
        sum.add(z.data(), count, run);
        run.report("features", double(first + i + count) / double(n));
      }
    });
    if (seen != n) throw Error(ErrorCode::io, fmt::format("the data had {} rows and now has {}", n, seen));
    moments = sum.result();
    watch.lap("features");
  }

  void solve_and_report(Index n, const Samples<T>& sample) {
    Report& report = model.report_;
    SolveRequest request;
    request.components = options.components;
    request.residual = options.residual;
    request.known_psd = true;
    Solved<T> solved = solve<T>(moments, report.plan.route, request, run);
    // The scatter carries a few ε of its largest eigenvalue; z itself a few ε of its length, squared.
    const double epsilon = double(std::numeric_limits<T>::epsilon());
    const double largest = solved.spectrum.values.size() ? solved.spectrum.values[0] : 0;
    const double length = model.map_->amplitudes().template cast<double>().squaredNorm();  // k(x, x)
    keep_components(solved, options.components,
                    std::max(32 * epsilon * largest, 1024 * epsilon * epsilon * double(n) * length), report);
    model.directions_ = solved.spectrum.vectors;
    model.offset_ = Vector<double>::Zero(model.directions_.cols());
    if (options.center) model.offset_ = model.directions_.template cast<double>().transpose() * moments.mean;
    fix_signs(sample);

    report.method = "kpca";
    report.n = n;
    report.d = sample.cols();
    report.kernel = model.kernel_.to_string();
    report.centered = options.center;
    fill_report(report, solved, double(n));
    report.missed = {};  // a bound for the features' problem says nothing of the kernel's
    report.notes.push_back(
        "eigenvalues, trace and residuals are those of the problem in random features; how far they are from "
        "the kernel's own is not bounded");
    refuse_contradictions(report, report.trace);
    watch.lap("solve");
  }

  /// The sampled point with the largest score has a positive one: as in the exact fit when all are sampled.
  void fix_signs(const Samples<T>& sample) {
    const Matrix<T> scores = model.do_transform(sample, run);
    for (Index c = 0; c < scores.cols(); ++c) {
      Index most = 0;
      scores.col(c).cwiseAbs().maxCoeff(&most);
      if (scores(most, c) >= 0) continue;
      model.directions_.col(c) = -model.directions_.col(c);
      model.offset_[c] = -model.offset_[c];
    }
  }

  RandomFeaturePca finish() {
    model.report_.seconds = watch.laps_and_total();
    model.report_.peak_bytes = peak_memory();
    return std::move(model);
  }
};

template <class T>
Plan RandomFeaturePca<T>::plan(const Samples<T>& samples, const RandomFeaturePcaOptions& options,
                               const Run& run) {
  require_options(options);
  return plan_features(problem_of<T>(samples.rows(), samples.cols(), double(samples.stored()), options, true),
                       run, true);
}

template <class T>
RandomFeaturePca<T> RandomFeaturePca<T>::fit(const Dataset<T>& data, const RandomFeaturePcaOptions& options,
                                             const Run& run) {
  RandomFeaturePca model = fit(data.samples, options, run);
  model.label_ = data.label;
  model.columns_ = data.columns;
  return model;
}

template <class T>
RandomFeaturePca<T> RandomFeaturePca<T>::fit(const Samples<T>& samples,
                                             const RandomFeaturePcaOptions& options, const Run& caller) {
  require_options(options);
  require_samples(samples);
  const SteadyRun steady(caller);
  const Run& run = steady;
  Fit fit{options, run};
  RandomFeaturePca& model = fit.model;
  const Index n = samples.rows();
  model.report_.plan =
      plan_features(problem_of<T>(n, samples.cols(), double(samples.stored()), options, true), run, false);
  model.scaling_ = Scaling<T>::fit(options.scale, samples);
  // From all points, as in an exact fit, so that both have the same gamma.
  model.kernel_ = options.kernel.is_resolved()
                      ? options.kernel
                      : options.kernel.resolved(model.scaling_.apply(samples), run.seed);
  const Samples<T> sample = sample_of(samples, run.seed);
  fit.draw(sample);
  const auto rows = rows_of(samples);
  fit.pass(*rows, n, sample);
  fit.solve_and_report(n, sample);
  model.scores_ = model.do_transform(samples, run);
  fit.watch.lap("scores");
  return fit.finish();
}

template <class T>
RandomFeaturePca<T> RandomFeaturePca<T>::fit(RowSource<T>& rows, const RandomFeaturePcaOptions& options,
                                             const Run& caller) {
  require_options(options);
  const SteadyRun steady(caller);
  const Run& run = steady;
  Fit fit{options, run};
  RandomFeaturePca& model = fit.model;
  const RowSurvey<T> seen = survey(rows, options.scale, run);
  if (seen.rows == 0 || rows.cols() == 0)
    throw Error(ErrorCode::bad_data,
                fmt::format("there is nothing to fit: {} samples of {} features", seen.rows, rows.cols()));
  model.report_.plan =
      plan_features(problem_of<T>(seen.rows, rows.cols(), seen.entries, options, false), run, false);
  model.scaling_ = seen.scaling;
  const Samples<T> sample = gather_rows(rows, uniform_rows(seen.rows, sample_rows, run.seed, 3), run);
  model.kernel_ = options.kernel.resolved(model.scaling_.apply(sample), run.seed);
  fit.draw(sample);
  fit.pass(rows, seen.rows, sample);
  fit.solve_and_report(seen.rows, sample);
  model.columns_ = rows.columns();
  if (std::string label = rows.label_column(); !label.empty()) model.label_ = Label{std::move(label)};
  return fit.finish();
}

template <class T>
Index RandomFeaturePca<T>::features() const {
  return map_->dimension();
}

template <class T>
Matrix<T> RandomFeaturePca<T>::scores() const {
  if (scores_.rows() != this->report_.n)
    throw Error(ErrorCode::usage, "this model was fitted in passes and keeps no scores",
                "transform the points");
  return scores_;
}

template <class T>
Matrix<T> RandomFeaturePca<T>::do_transform(const Samples<T>& points, const Run& run) const {
  constexpr Index at_once = 8192, part_rows = 128;  // memory does not grow with the points
  const ThreadScope threads(run);
  const Index k = directions_.cols(), count = map_->count();
  const Vector<T> offset = offset_.template cast<T>();
  Matrix<T> out(points.rows(), k);
  if (k == 0) return out;
  for (Index first = 0; first < points.rows(); first += at_once) {
    const Index rows = std::min(at_once, points.rows() - first);
    const Samples<T> chunk = scaling_.apply(points.middle_rows(first, rows));
    parallel_for((rows + part_rows - 1) / part_rows, run, [&](Index part) {
      const Index i0 = part * part_rows, size = std::min(part_rows, rows - i0);
      std::vector<T> z(static_cast<std::size_t>(size * count));
      map_->evaluate(chunk.middle_rows(i0, size), z.data());
      T* scores = out.data() + (first + i0) * k;
      // Row-major Z U is column-major Uᵀ Zᵀ.
      linalg::gemm<T>(linalg::Transpose::yes, linalg::Transpose::no, k, size, count, 1, directions_.data(),
                      count, z.data(), count, 0, scores, k);
      Eigen::Map<Matrix<T>>(scores, size, k).rowwise() -= offset.transpose();
    });
    run.report("transform", double(first + rows) / double(points.rows()));
  }
  return out;
}

template <class T>
void RandomFeaturePca<T>::write(ModelWriter& writer) const {
  writer.set("kernel", kernel_.to_string());
  writer.matrix("frequencies", map_->frequencies());  // themselves: a seed would tie the file to the code
  writer.vector("amplitudes", map_->amplitudes());
  writer.vector("origin", map_->origin());
  writer.block("directions", directions_);
  writer.vector("offset", offset_);
  writer.scaling(scaling_);
  if (scores_.rows() == this->report_.n) writer.matrix("scores", scores_);
}

template <class T>
std::unique_ptr<Model<T>> RandomFeaturePca<T>::read(ModelReader<T>& reader) {
  auto model = std::make_unique<RandomFeaturePca<T>>(RandomFeaturePca<T>());
  reader.restore(*model, {.eigenvalues = ReportParts::always, .features = ReportParts::always});
  const Report& report = model->report_;
  reader.require(report.features->count >= 2 && report.features->count % 2 == 0,
                 "the number of its random features is odd or 0");
  const Index d = report.d, k = report.components, count = report.features->count;
  reader.require_shape("frequencies", {d, count / 2});
  reader.require_shape("amplitudes", {count / 2});
  if (reader.shape("origin") != safetensors::Shape{0}) reader.require_shape("origin", {d});
  reader.require_shape("directions", {count, k});
  reader.require_shape("offset", {k});
  model->kernel_ = reader.kernel();
  model->map_ = std::make_shared<const RandomFeatures<T>>(
      reader.matrix("frequencies"), reader.vector("amplitudes").template cast<T>(), reader.vector("origin"));
  model->directions_ = reader.block("directions");
  model->offset_ = reader.vector("offset");
  model->scaling_ = reader.scaling();
  if (reader.has("scores")) {
    reader.require_shape("scores", {report.n, k});
    model->scores_ = reader.matrix("scores");
  }
  return model;
}

template class RandomFeaturePca<float>;
template class RandomFeaturePca<double>;

}  // namespace mercer
