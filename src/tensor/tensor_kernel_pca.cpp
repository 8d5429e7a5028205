// Kernel PCA on the cores of 2D-SVD or of Tucker's projection.
#include <mercer/tensor_kernel_pca.hpp>

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "base/stopwatch.hpp"
#include "tensor/array_check.hpp"
#include "tensor/hosvd.hpp"
#include "tensor/model_parts.hpp"
#include "tensor/sample_rows.hpp"
#include "tensor/tucker_error.hpp"

#include <mercer/error.hpp>
#include <mercer/svd2d.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

/// Elements of samples taken at a time.
constexpr Index cores_elements = Index{1} << 22;

void require_sensible(const Shape& shape, const TensorKernelPcaOptions& o) {
  (void)element_count(shape);
  if (shape.size() < 2)
    throw Error(ErrorCode::usage,
                fmt::format("a {} array has no samples of several numbers", to_string(shape)),
                "a stack needs the samples' mode and at least one other");
  if (o.sample_mode < 0 || o.sample_mode >= static_cast<Index>(shape.size()))
    throw Error(
        ErrorCode::usage,
        fmt::format("mode {} cannot count the samples of a {} array", o.sample_mode, to_string(shape)),
        fmt::format("modes count from 0 to {}", shape.size() - 1));
  const Shape others = other_modes(static_cast<Index>(shape.size()), o.sample_mode);
  if (o.ranks.size() != others.size())
    throw Error(ErrorCode::usage,
                fmt::format("{} rank{} for samples of {} mode{}", o.ranks.size(),
                            o.ranks.size() == 1 ? "" : "s", others.size(), others.size() == 1 ? "" : "s"),
                "give one for each mode but the samples'");
  for (std::size_t i = 0; i < others.size(); ++i)
    if (o.ranks[i] < 1 || o.ranks[i] > shape[at(others[i])])
      throw Error(ErrorCode::usage,
                  fmt::format("rank {} of mode {} does not fit its size {}", o.ranks[i], others[i],
                              shape[at(others[i])]),
                  "a rank is 1 or more, and at most the size");
  if (o.kernel.is_precomputed())
    throw Error(ErrorCode::usage, "a precomputed kernel matrix says nothing about cores",
                "give it to kernel PCA, without --tensor");
}

/// Bases of all modes but the samples'.
TuckerProblem projection_problem(const Shape& shape, const TensorKernelPcaOptions& options,
                                 std::size_t item) {
  TuckerProblem p;
  p.shape = shape;
  p.ranks = options.ranks;
  p.ranks.insert(p.ranks.begin() + options.sample_mode, shape[at(options.sample_mode)]);
  p.sample_mode = options.sample_mode;
  p.item = item;
  return p;
}

std::vector<TuckerStep> projection_steps(const TuckerProblem& problem) {
  std::vector<TuckerStep> steps = tucker_steps(problem);
  std::erase_if(steps, [&](const TuckerStep& step) { return step.mode == problem.sample_mode; });
  return steps;
}

bool takes_matrices(const Shape& shape) { return shape.size() == 3; }

/// Samples first, as 2D-SVD wants them.
Shape samples_first(Index order, Index sample_mode) {
  Shape modes = other_modes(order, sample_mode);
  modes.insert(modes.begin(), sample_mode);
  return modes;
}

/// What the projection learns.
template <class T>
struct Projection {
  std::vector<Block<T>> factors;
  Vector<double> mean;
  Matrix<T> cores;
  Decomposition decomposition;
};

template <class T>
Projection<T> project_matrices(const TensorView<T>& x, const TensorKernelPcaOptions& options,
                               const Run& run) {
  const TensorView<T> stack = x.reordered(samples_first(x.order(), options.sample_mode));
  const auto model = Svd2d<T>::fit(stack, {.ranks = options.ranks}, run);
  Projection<T> out;
  out.factors = model.factors();
  out.mean = Eigen::Map<const Vector<double>>(model.mean().data(), model.mean().size());
  out.cores = model.scores();
  out.decomposition = *model.report().decomposition;
  return out;
}

template <class T>
Projection<T> project_modes(const TensorView<T>& x, const TensorKernelPcaOptions& options,
                            const Run& caller) {
  const SteadyRun steady(caller);
  const Run& run = steady;
  const TuckerProblem problem = projection_problem(x.shape(), options, sizeof(T));
  const TensorView<T> data = packed_copy_if_needed(x, run);
  const double length = checked_norm(data, run), total = length * length;
  TuckerParts<T> parts = sequential_hosvd(data, problem, projection_steps(problem), 0, run);
  if (lost_in_rounding<T>(parts.squared_error, total))
    parts.squared_error = squared_residual(data, parts.core, parts.factors, run);
  Projection<T> out;
  out.cores = rows_of_array<T>(parts.core.view(), options.sample_mode, run);
  out.factors = std::move(parts.factors);
  out.factors.erase(out.factors.begin() + options.sample_mode);
  Decomposition& d = out.decomposition;
  d.relative_error = total > 0 ? std::sqrt(parts.squared_error / total) : 0;
  d.explained = 1 - d.relative_error * d.relative_error;
  d.mode_values = std::move(parts.values);
  d.mode_values.erase(d.mode_values.begin() + options.sample_mode);
  d.known = x.count();
  d.kept = parts.core.count();
  for (const Block<T>& factor : out.factors) d.kept += factor.size();
  for (const Block<T>& factor : out.factors) d.ranks.push_back(factor.cols());
  return out;
}

KernelPcaOptions kernel_options(const TensorKernelPcaOptions& options) {
  return {.components = options.components, .kernel = options.kernel, .center = options.center};
}

}  // namespace

template <class T>
Plan TensorKernelPca<T>::plan(const Shape& shape, const TensorKernelPcaOptions& options, const Run& run) {
  require_sensible(shape, options);
  Index size = 1;
  for (const Index rank : options.ranks) size *= rank;
  const Index samples = shape[at(options.sample_mode)];
  // The kernel's cost depends on the sizes alone: cores of zeros have the same.
  Plan plan = KernelPca<T>::plan(Matrix<T>(Matrix<T>::Zero(samples, size)), kernel_options(options), run);
  Shape matrices = shape;
  if (takes_matrices(shape)) {
    std::rotate(matrices.begin(), matrices.begin() + options.sample_mode,
                matrices.begin() + options.sample_mode + 1);
    const Plan projection = Svd2d<T>::plan(matrices, {.ranks = options.ranks}, run);
    plan.bytes = std::max(plan.bytes, projection.bytes);
    plan.flops += projection.flops;
  } else {
    const TuckerProblem problem = projection_problem(shape, options, sizeof(T));
    const Plan projection = plan_tucker(problem, projection_steps(problem), run);
    plan.bytes = std::max(plan.bytes, projection.bytes);
    plan.flops += projection.flops;
  }
  plan.problem += fmt::format(" on cores of {}", to_string(options.ranks));
  return plan;
}

template <class T>
TensorKernelPca<T> TensorKernelPca<T>::fit(const TensorView<T>& x, const TensorKernelPcaOptions& options,
                                           const Run& run) {
  require_sensible(x.shape(), options);
  Stopwatch watch;
  const bool matrices = takes_matrices(x.shape());
  Projection<T> projection = matrices ? project_matrices(x, options, run) : project_modes(x, options, run);
  watch.lap("projection");
  TensorKernelPca model;
  model.shape_ = x.shape();
  model.sample_mode_ = options.sample_mode;
  model.factors_ = std::move(projection.factors);
  model.mean_ = std::move(projection.mean);
  model.inner_ = std::make_shared<const KernelPca<T>>(
      KernelPca<T>::fit(Samples<T>(std::move(projection.cores)), kernel_options(options), run));

  Report& report = model.report_ = model.inner_->report();
  report.method = "tensor-kpca";
  report.d = model.features();
  report.decomposition = std::move(projection.decomposition);
  report.decomposition->shape = x.shape();
  report.decomposition->sample_mode = options.sample_mode;
  report.plan.problem += fmt::format(" on cores of {}", to_string(report.decomposition->ranks));
  report.notes.push_back(fmt::format("the kernel is of the samples' cores, {}, by {}",
                                     to_string(report.decomposition->ranks),
                                     matrices ? "2D-SVD" : "Tucker's projection"));
  report.seconds.insert(report.seconds.begin(), watch.laps_and_total().front());
  report.seconds.back().second += report.seconds.front().second;
  return model;
}

template <class T>
std::vector<ModeFactor<T>> TensorKernelPca<T>::projections() const {
  std::vector<ModeFactor<T>> out;
  for (const Index mode : other_modes(static_cast<Index>(this->shape_.size()), this->sample_mode_))
    out.push_back({mode, factors_[out.size()]});
  return out;
}

template <class T>
Shape TensorKernelPca<T>::core_shape(Index samples) const {
  Shape shape = with_samples(this->shape_, this->sample_mode_, samples);
  for (const ModeFactor<T>& factor : projections()) shape[at(factor.mode)] = factor.matrix.cols();
  return shape;
}

template <class T>
Matrix<T> TensorKernelPca<T>::cores(const Samples<T>& points, const Run& run) const {
  const std::vector<ModeFactor<T>> bases = projections();
  const Index s = this->sample_mode_, step = std::max<Index>(1, cores_elements / points.cols());
  Matrix<T> out(points.rows(), inner_->features());
  for (Index first = 0; first < points.rows(); first += step) {
    const Index count = std::min(step, points.rows() - first);
    Matrix<T> rows = points.dense_rows(first, count);
    if (mean_.size() > 0)
      rows = (rows.template cast<double>().rowwise() - mean_.transpose()).template cast<T>().eval();
    const Tensor<T> projected =
        mode_products<T>(array_of_rows(rows.data(), count, rows.cols(), this->shape_, s), bases, true, run);
    out.middleRows(first, count) = rows_of_array<T>(projected.view(), s, run);
  }
  return out;
}

template <class T>
Matrix<T> TensorKernelPca<T>::samples_of(const Matrix<T>& cores, const Run& run) const {
  const std::vector<ModeFactor<T>> bases = projections();
  const Index s = this->sample_mode_, step = std::max<Index>(1, cores_elements / this->features());
  Matrix<T> out(cores.rows(), this->features());
  for (Index first = 0; first < cores.rows(); first += step) {
    const Index count = std::min(step, cores.rows() - first);
    const TensorView<T> these =
        array_of_rows(cores.data() + first * cores.cols(), count, cores.cols(), core_shape(count), s);
    const Tensor<T> made = mode_products<T>(these, bases, false, run);
    out.middleRows(first, count) = rows_of_array<T>(made.view(), s, run);
  }
  if (mean_.size() > 0)
    out = (out.template cast<double>().rowwise() + mean_.transpose()).template cast<T>().eval();
  return out;
}

template <class T>
Tensor<T> TensorKernelPca<T>::reconstruction(const Run& run) const {
  const Matrix<T> rows = samples_of(inner_->points().to_dense(), run);
  return Tensor<T>(array_of_rows(rows.data(), rows.rows(), rows.cols(), this->shape_, this->sample_mode_));
}

template <class T>
Matrix<T> TensorKernelPca<T>::do_transform(const Samples<T>& points, const Run& run) const {
  return inner_->transform(cores(points, run), run);
}

template <class T>
Matrix<T> TensorKernelPca<T>::do_inverse(const MatrixView<T>& scores, const Run& run) const {
  return samples_of(inner_->inverse(scores, run), run);
}

template <class T>
void TensorKernelPca<T>::write(ModelWriter& writer) const {
  write_shape(writer, "shape", this->shape_);
  writer.set("sample_mode", this->sample_mode_);
  for (std::size_t i = 0; i < factors_.size(); ++i) writer.block(fmt::format("factor.{}", i), factors_[i]);
  writer.vector("mean", mean_);
  writer.nested("on_cores", *inner_);
}

template <class T>
std::unique_ptr<Model<T>> TensorKernelPca<T>::read(ModelReader<T>& reader) {
  auto model = std::make_unique<TensorKernelPca<T>>(TensorKernelPca<T>());
  reader.restore(*model, {.eigenvalues = ReportParts::always,
                          .bounds = ReportParts::maybe,
                          .decomposition = ReportParts::always});
  model->shape_ = read_shape(reader, "shape");
  model->sample_mode_ = read_mode(reader, "sample_mode", model->shape_);
  const Report& report = model->report_;
  const Shape sample = model->sample_shape();
  if (sample.empty()) reader.damaged(fmt::format("a {} array has no samples", to_string(model->shape_)));
  Index size = 1;
  Shape ranks;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const std::string name = fmt::format("factor.{}", i);
    model->factors_.push_back(reader.block(name));
    const Index rank = model->factors_.back().cols();
    reader.require_shape(name, {sample[i], rank});
    if (rank < 1 || rank > sample[i]) reader.damaged(fmt::format("'{}' has {} columns", name, rank));
    size *= rank;
    ranks.push_back(rank);
  }
  require_decomposition(reader, report, model->shape_, model->sample_mode_, ranks);
  model->mean_ = reader.vector("mean");
  if (model->mean_.size() > 0) reader.require_shape("mean", {report.d});
  ModelReader<T> part(reader, "on_cores", "kpca");
  std::unique_ptr<Model<T>> inner = KernelPca<T>::read(part);
  model->inner_ = std::shared_ptr<const KernelPca<T>>(static_cast<const KernelPca<T>*>(inner.release()));
  const KernelPca<T>& on_cores = *model->inner_;
  if (on_cores.report().n != report.n || on_cores.features() != size ||
      on_cores.components() != report.components || on_cores.kernel().is_precomputed())
    reader.damaged("the model of the cores does not fit the rest of it");
  return model;
}

template class TensorKernelPca<float>;
template class TensorKernelPca<double>;

}  // namespace mercer
