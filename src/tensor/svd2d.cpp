// 2D-SVD (Ding, Ye 2005), GLRAM (Ye 2005) and 2DPCA (Yang et al. 2004) as one model (mission row M16).
#include <mercer/svd2d.hpp>

#include "base/linalg.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "base/stopwatch.hpp"
#include "spectral/orthonormal.hpp"
#include "tensor/array_check.hpp"
#include "tensor/lanes.hpp"
#include "tensor/matrix_stack.hpp"
#include "tensor/model_parts.hpp"
#include "tensor/sample_rows.hpp"
#include "tensor/tucker_error.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

void require_sensible(const Shape& shape, const Svd2dOptions& o) {
  if (shape.size() != 3)
    throw Error(ErrorCode::usage,
                fmt::format("2D-SVD takes a stack of matrices, not a {} array", to_string(shape)),
                "samples x height x width; Tucker takes arrays of any order");
  (void)element_count(shape);
  if (o.ranks.size() != 2)
    throw Error(ErrorCode::usage, fmt::format("2D-SVD takes two ranks, not {}", o.ranks.size()),
                "of rows and of columns; a full size leaves that side as it is");
  for (std::size_t side = 0; side < 2; ++side) {
    const char* name = side == 0 ? "rows" : "columns";
    if (o.ranks[side] < 1)
      throw Error(ErrorCode::usage, fmt::format("rank {} of the {} makes no sense", o.ranks[side], name),
                  "a rank is 1 or more");
    if (o.ranks[side] > shape[side + 1])
      throw Error(ErrorCode::usage,
                  fmt::format("rank {} of the {} (mode {}) is more than their number {}", o.ranks[side], name,
                              side + 1, shape[side + 1]),
                  fmt::format("the stack is {}", to_string(shape)));
  }
  if (o.iterations < 0 || !(o.tolerance >= 0))
    throw Error(ErrorCode::usage, "the number of rounds and the tolerance must not be negative");
}

/// Leading eigenvectors of a scatter matrix, and all its eigenvalues, descending.
struct Leading {
  Block<double> vectors;
  Vector<double> values;
};

Leading leading(Block<double> scatter, Index count) {
  Leading out;
  linalg::syevd(scatter, out.values);
  out.values = out.values.reverse().cwiseMax(0.0).eval();
  out.vectors = scatter.rightCols(count).rowwise().reverse();
  fix_signs<double>(out.vectors);
  return out;
}

/// What a basis as wide as its side would change is nothing.
Block<double> unless_full(Block<double> vectors) {
  return vectors.cols() == vectors.rows() ? Block<double>() : std::move(vectors);
}

template <class T>
Sides sides_of(const Block<T>& left, const Block<T>& right) {
  return {unless_full(left.template cast<double>()), unless_full(right.template cast<double>())};
}

Block<double> identity_if_full(const Block<double>& basis, Index size) {
  return basis.size() > 0 ? basis : Block<double>(Block<double>::Identity(size, size));
}

/// The relative error after each round.
struct Rounds {
  std::vector<double> errors;
  bool converged = false;
};

/// GLRAM: each side's best basis for the other's. Errors are relative to `norm`, that of the array as it is;
/// the tolerance is to what varies about the mean, which may be far less.
template <class T>
Rounds alternate(const MatrixStack<T>& stack, Sides& sides, double squared_norm, double error, double norm,
                 const Svd2dOptions& options, const Run& run) {
  using Wanted = typename MatrixStack<T>::Wanted;
  Rounds out;
  const double tolerance = options.tolerance * (std::sqrt(squared_norm) / norm);
  const auto captured_by = [&](Block<double>& basis,
                               Block<double> scatter) {  // Σ of the eigenvalues it keeps
    Leading found = leading(std::move(scatter), basis.cols());
    basis = std::move(found.vectors);
    return found.values.head(basis.cols()).sum();
  };
  for (Index round = 0; round < options.iterations; ++round) {
    run.report("GLRAM", double(round) / double(options.iterations));
    run.check();
    const Sides before = sides;
    double captured = squared_norm;
    if (sides.left.size() > 0) captured = captured_by(sides.left, stack.scatter(sides, Wanted::rows).rows);
    if (sides.right.size() > 0)
      captured = captured_by(sides.right, stack.scatter(sides, Wanted::columns).columns);
    const double now = std::sqrt(std::max(0.0, squared_norm - captured)) / norm;
    if (now > error) {  // rounding
      sides = before;
      out.converged = true;
      break;
    }
    out.errors.push_back(now);
    out.converged = error - now <= tolerance;
    error = now;
    if (out.converged) break;
  }
  return out;
}

}  // namespace

template <class T>
Plan Svd2d<T>::plan(const Shape& shape, const Svd2dOptions& options, const Run& run) {
  require_sensible(shape, options);
  const double n = double(shape[0]), h = double(shape[1]), w = double(shape[2]);
  const double p = double(options.ranks[0]), q = double(options.ranks[1]);
  const MatrixRows form{shape[1], shape[2]};
  const double lanes = double(lanes_for(Pieces{shape[0], form.at_once()}.count(), Index(h * h + w * w)));
  Plan plan;
  plan.route = Route::dense;
  plan.problem = fmt::format("2D-SVD of {} matrices {} x {} to {} x {}", shape[0], shape[1], shape[2],
                             options.ranks[0], options.ranks[1]);
  plan.reason = options.iterations > 0 ? "eigenvectors of F and G, then GLRAM" : "eigenvectors of F and G";
  plan.budget = run.memory_budget();
  const double pieces = 8 * 4 * double(run.thread_count()) * double(form.at_once()) * h * w;
  plan.bytes = 8 * (lanes + 4) * (h * h + w * w) + pieces + n * p * q * (8 + sizeof(T)) + 8 * h * w;
  plan.flops = n * h * w * (h + w) + 20 * (h * h * h + w * w * w) + 2 * n * h * q * (w + p) +
               double(options.iterations) * n * (2 * h * w * (p + q) + h * h * q + w * w * p);
  if (plan.bytes > double(plan.budget))
    throw Error(ErrorCode::no_memory,
                fmt::format("{} needs {} but the memory budget is {}", plan.problem, format_bytes(plan.bytes),
                            format_bytes(double(plan.budget))),
                "raise --memory, or ask for smaller ranks");
  return plan;
}

template <class T>
Svd2d<T> Svd2d<T>::fit(const TensorView<T>& x, const Svd2dOptions& options, const Run& caller) {
  const SteadyRun steady(caller);
  const Run& run = steady;
  Stopwatch watch;
  Svd2d model;
  Report& report = model.report_;
  report.plan = plan(x.shape(), options, run);
  const double norm = checked_norm(x, run);
  const Index n = x.size(0), h = x.size(1), w = x.size(2), p = options.ranks[0], q = options.ranks[1];
  const MatrixStack<T> stack(x, options.center, run);
  model.mean_ = stack.mean();
  watch.lap("prepare");

  run.report("scatter", 0);
  auto scatter = stack.scatter({}, MatrixStack<T>::Wanted::both);
  const double squared_norm = scatter.squared_norm;
  watch.lap("scatter");
  Leading rows = leading(std::move(scatter.rows), p), columns = leading(std::move(scatter.columns), q);
  model.left_values_ = rows.values;
  model.right_values_ = columns.values;
  Sides sides{unless_full(std::move(rows.vectors)), unless_full(std::move(columns.vectors))};
  watch.lap("bases");

  Decomposition d;
  if (options.iterations > 0 && norm > 0) {
    const double left_out = std::max(0.0, squared_norm - stack.cores(sides).squaredNorm());
    Rounds rounds = alternate(stack, sides, squared_norm, std::sqrt(left_out) / norm, norm, options, run);
    d.errors = std::move(rounds.errors);
    report.converged = rounds.converged;
    if (!report.converged)
      report.notes.push_back(
          fmt::format("GLRAM was stopped after {} rounds: its error still falls", options.iterations));
    watch.lap("GLRAM");
  }
  model.left_ = identity_if_full(sides.left, h).template cast<T>();
  model.right_ = identity_if_full(sides.right, w).template cast<T>();
  sides = sides_of(model.left_, model.right_);  // as the model keeps them
  const Matrix<double> cores = stack.cores(sides);
  const bool whole = p == h && q == w;
  double squared_error = whole ? 0 : std::max(0.0, squared_norm - cores.squaredNorm());
  if (!whole && lost_in_rounding<T>(squared_error, squared_norm))
    squared_error = stack.squared_residual(sides, cores);
  model.scores_ = cores.template cast<T>();
  model.shape_ = x.shape();

  d.shape = x.shape();
  d.ranks = options.ranks;
  d.known = x.count();
  d.kept = n * p * q + (p < h ? h * p : 0) + (q < w ? w * q : 0) + (options.center ? h * w : 0);
  d.relative_error = norm > 0 ? std::sqrt(squared_error) / norm : 0;
  d.explained = 1 - d.relative_error * d.relative_error;
  if (options.center) d.variance_explained = squared_norm > 0 ? 1 - squared_error / squared_norm : 1;
  d.rms_error = std::sqrt(squared_error / double(n));
  d.mode_values = {model.left_values_.cwiseSqrt(), model.right_values_.cwiseSqrt()};
  report.method = "svd2d";
  report.n = n;
  report.d = h * w;
  report.components = report.components_requested = p * q;
  report.precision = precision_of<T>;
  report.centered = options.center;
  report.decomposition = std::move(d);
  watch.lap("scores");
  report.seconds = watch.laps_and_total();
  report.peak_bytes = peak_memory();
  return model;
}

template <class T>
Tensor<T> Svd2d<T>::reconstruction(const Run& run) const {
  return this->inverse_tensor(scores_, run);
}

template <class T>
Matrix<T> Svd2d<T>::do_transform(const Samples<T>& points, const Run& caller) const {
  const SteadyRun steady(caller);
  const Run& run = steady;
  const MatrixRows form{left_.rows(), right_.rows()};
  const Sides sides = sides_of(left_, right_);
  const Eigen::Map<const Eigen::RowVectorXd> mean(mean_.data(), mean_.size());
  const Pieces pieces{points.rows(), form.at_once()};
  Matrix<T> out(points.rows(), left_.cols() * right_.cols());
  parallel_for(pieces.count(), run, [&](Index piece) {
    const Span span = pieces[piece];
    Matrix<double> rows = points.dense_rows(span.first, span.count()).template cast<double>();
    rows.rowwise() -= mean;
    out.middleRows(span.first, span.count()) = form.project(rows, sides).template cast<T>();
  });
  return out;
}

template <class T>
Matrix<T> Svd2d<T>::do_inverse(const MatrixView<T>& scores, const Run& caller) const {
  const SteadyRun steady(caller);
  const Run& run = steady;
  const MatrixRows form{left_.rows(), right_.rows()};
  const Sides sides = sides_of(left_, right_);
  const Eigen::Map<const Eigen::RowVectorXd> mean(mean_.data(), mean_.size());
  const Pieces pieces{scores.rows(), form.at_once()};
  Matrix<T> out(scores.rows(), form.size());
  parallel_for(pieces.count(), run, [&](Index piece) {
    const Span span = pieces[piece];
    const Matrix<double> cores = scores.middleRows(span.first, span.count()).template cast<double>();
    Matrix<double> rows = form.expand(cores, sides);
    rows.rowwise() += mean;
    out.middleRows(span.first, span.count()) = rows.template cast<T>();
  });
  return out;
}

template <class T>
void Svd2d<T>::write(ModelWriter& writer) const {
  write_shape(writer, "shape", this->shape_);
  writer.block("left", left_);
  writer.block("right", right_);
  writer.vector("mean", Vector<double>(Eigen::Map<const Vector<double>>(mean_.data(), mean_.size())));
  writer.vector("left_values", left_values_);
  writer.vector("right_values", right_values_);
  writer.matrix("scores", scores_);
}

template <class T>
std::unique_ptr<Model<T>> Svd2d<T>::read(ModelReader<T>& reader) {
  auto model = std::make_unique<Svd2d<T>>(Svd2d<T>());
  reader.restore(*model, {.decomposition = ReportParts::always});
  model->shape_ = read_shape(reader, "shape");
  const Report& report = model->report_;
  if (model->shape_.size() != 3)
    reader.damaged(fmt::format("a {} array is no stack", to_string(model->shape_)));
  const Index h = model->shape_[1], w = model->shape_[2];
  model->left_ = reader.block("left");
  model->right_ = reader.block("right");
  const Index p = model->left_.cols(), q = model->right_.cols();
  reader.require_shape("left", {h, p});
  reader.require_shape("right", {w, q});
  if (p < 1 || q < 1 || p > h || q > w || p * q != report.components)
    reader.damaged(fmt::format("ranks {} and {} do not fit the rest of it", p, q));
  require_decomposition(reader, report, model->shape_, 0, {p, q});
  reader.require_shape("mean", {h * w});
  reader.require_shape("left_values", {h});
  reader.require_shape("right_values", {w});
  reader.require_shape("scores", {report.n, report.components});
  const Vector<double> mean = reader.vector("mean");
  model->mean_ = Eigen::Map<const Matrix<double>>(mean.data(), h, w);
  model->left_values_ = reader.vector("left_values");
  model->right_values_ = reader.vector("right_values");
  model->scores_ = reader.matrix("scores");
  return model;
}

template class Svd2d<float>;
template class Svd2d<double>;

}  // namespace mercer
