// Linear discriminant analysis (mission row M9, the linear side): S_B w = λ(S_W + μI)w.
#include <mercer/discriminant.hpp>

#include "base/linalg.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "base/stopwatch.hpp"
#include "model/class_rule.hpp"
#include "model/discriminant_report.hpp"
#include "model/model_file.hpp"
#include "model/number_range.hpp"
#include "model/spectral_fit.hpp"
#include "operator/scatter_operator.hpp"
#include "plan/discriminant_plan.hpp"
#include "spectral/orthonormal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {
namespace {

template <class T>
Plan make_linear_plan(const Samples<T>& samples, const Run& run, bool measure) {
  const auto d = double(samples.cols()), n = double(samples.rows());
  return plan_discriminant(
      {.matrix = "covariance",
       .size = samples.cols(),
       .matrices = 8,  // S_W, a class's share, the whitened problem and LAPACK's work
       .other_bytes = 2 * double(samples.bytes()),
       .forming_flops = n * d * d + 12 * d * d * d,
       .functions = 0,
       .cure = "raise --memory, or use klda --kernel linear, whose matrices have a row a sample"},
      run, measure);
}

/// S_W and the class means; means about the mean of all, so that their differences keep their digits.
struct ClassScatter {
  Block<double> within, means;
};

/// Of the rows less a point near them all: far from the origin a mean itself has lost what tells classes
/// apart.
template <class T>
Vector<double> mean_offset(const Samples<T>& rows, const Vector<double>& from) {
  if (rows.is_sparse()) return column_means(rows) - from;  // zeros stay zeros
  constexpr Index together = 512;  // equal numbers in a long sum would all round the same way
  const auto m = rows.dense();
  Vector<double> sum = Vector<double>::Zero(m.cols()), part = sum;
  for (Index i = 0; i < m.rows(); ++i) {
    part += m.row(i).template cast<double>().transpose() - from;
    if ((i + 1) % together != 0 && i + 1 != m.rows()) continue;
    sum += part;
    part.setZero();
  }
  return sum / double(m.rows());
}

template <class T>
ClassScatter scatter_of(const Samples<T>& points, const Vector<double>& mean, const Label& label,
                        const Run& run) {
  const auto rows = rows_by_class(label);
  const Index d = points.cols();
  ClassScatter out{Block<double>::Zero(d, d), Block<double>(d, static_cast<Index>(rows.size()))};
  for (std::size_t j = 0; j < rows.size(); ++j) {
    const Samples<T> own = points.select_rows(rows[j]);
    const Vector<double> offset = mean_offset(own, mean);
    out.within += scatter_matrix(own, Vector<double>(mean + offset), Side::features, run);
    out.means.col(static_cast<Index>(j)) = offset;
    run.report("scatter", double(j + 1) / double(rows.size()));
  }
  return out;
}

struct Solution {
  DiscriminantDirections directions;
  Vector<double> residuals;
};

/// Scatters as they were summed: the element (i, j) of either is off by γ√(t_i t_j) at most, t the diagonal
/// of both together.
struct ScatterRounding {
  double gamma = 0;
  Vector<double> deviations;  ///< √t
};

/// Residuals are ‖L⁻¹(S_B − λ(S_W + μI))w‖, to which rounding of the scatters adds (1 + λ)·γ√d·‖L⁻¹D‖‖Dw‖.
Solution solve_with_ridge(const Block<double>& within, const Block<double>& between, double ridge,
                          Index count, const ScatterRounding& rounding) {
  const RidgeCholesky cholesky(within, ridge);
  Solution out;
  out.directions = cholesky.solve(between, count);
  out.residuals = cholesky.residuals(out.directions, between, within * out.directions.vectors);
  const Vector<double>& scale = rounding.deviations;
  Block<double> enlarged = scale.asDiagonal();
  const double factor =
      rounding.gamma * std::sqrt(double(scale.size())) * cholesky.inverse_times_size(std::move(enlarged));
  const Block<double> lengths = scale.asDiagonal() * out.directions.vectors;
  out.residuals.array() +=
      factor * (1 + out.directions.values.array()) * lengths.colwise().norm().transpose().array();
  return out;
}

/// Does every feature vary within classes, and none nearly along with the others alone?
bool well_conditioned(const Block<double>& within, const Vector<double>& noise) {
  if (within.rows() == 0 || (within.diagonal().array() <= noise.array()).any()) return false;
  const Vector<double> unit = within.diagonal().cwiseSqrt().cwiseInverse();
  Block<double> scaled = unit.asDiagonal() * within * unit.asDiagonal();
  Vector<double> values;
  linalg::syevd(scaled, values);
  return values[0] > 1e-6 * values[values.size() - 1];
}

/// X̃D⁻¹, a row a sample, and zeros below where there are fewer samples than features.
template <class T>
Block<double> scaled_rows(const Samples<T>& points, const Vector<double>& mean,
                          const Vector<double>& inverse) {
  constexpr Index at_once = 4096;
  const Index n = points.rows(), d = points.cols();
  Block<double> out = Block<double>::Zero(std::max(n, d), d);
  for (Index i = 0; i < n; i += at_once) {
    const Index count = std::min(at_once, n - i);
    out.middleRows(i, count) =
        (points.dense_rows(i, count).template cast<double>().rowwise() - mean.transpose()) *
        inverse.asDiagonal();
  }
  return out;
}

/// Without a ridge, and features that are alike: X̃D⁻¹ = QR, R = WΣVᵀ, and the problem in the coordinates
/// X̃D⁻¹VΣ⁻¹, where the total scatter is the identity. Directions without any variation (constant columns,
/// columns that depend on others) are left out; the scatter itself would hide those of less than √ε of the
/// rest. There S_W must have full rank.
template <class T>
Solution solve_by_factor(const Samples<T>& points, const Vector<double>& mean, const Label& label,
                         const std::vector<Index>& sizes, const Vector<double>& total,
                         const Vector<double>& noise, Index count, const Run& run) {
  constexpr double epsilon = std::numeric_limits<double>::epsilon(), negligible = 1e-10;
  const Index n = points.rows(), d = points.cols();
  if (const double needed = 16.0 * double(std::max(n, d)) * double(d); needed > double(run.memory_budget()))
    throw Error(ErrorCode::no_memory,
                fmt::format("features depend on each other, and telling how needs {} for a copy of the data",
                            format_bytes(needed)),
                "add a --ridge, raise --memory, or leave out features");
  Vector<double> inverse = Vector<double>::Zero(d);
  for (Index i = 0; i < d; ++i)
    if (total[i] > noise[i]) inverse[i] = 1 / std::sqrt(total[i]);
  Block<double> rows = scaled_rows(points, mean, inverse);
  Block<double> v = linalg::qr_triangle<double>(rows).transpose();
  Vector<double> sigma;
  linalg::svd(v, sigma);
  const double least = 32 * epsilon * std::sqrt(double(n + d)) * (d > 0 ? sigma[0] : 0);
  const Index rank = (sigma.array() > least).count();
  const Block<double> turn = v.leftCols(rank) * sigma.head(rank).cwiseInverse().asDiagonal();
  rows = scaled_rows(points, mean, inverse);
  const Samples<double> turned = Matrix<double>(rows.topRows(n) * turn);
  const ClassScatter scatter = scatter_of(turned, Vector<double>(Vector<double>::Zero(rank)), label, run);
  Block<double> work = scatter.within;
  Vector<double> shares;  // of the variation along each direction, what lies within classes
  linalg::syevd(work, shares);
  const Index lost = (shares.array() <= negligible).count();
  if (lost > 0 || rank == 0) {
    const double scale = d > 0 ? total.mean() : 0;
    throw Error(
        ErrorCode::bad_data,
        fmt::format("the scatter within classes is singular: along {} of {} directions only the classes "
                    "differ, so that no ratio of the two can be taken",
                    lost, rank),
        fmt::format("add a ridge, such as --ridge {:.0e}, or use fewer features",
                    scale > 0 ? scale * 1e-3 : 1.0));
  }
  // A column of X̃D⁻¹VΣ⁻¹, of length 1, is off by some εd/σ.
  const ScatterRounding rounding{rounding_of_sums(double(n)) + 32 * epsilon * double(d) / sigma[rank - 1],
                                 Vector<double>::Ones(rank)};
  Solution out = solve_with_ridge(scatter.within, between_factor(scatter.means, sizes), 0, count, rounding);
  out.directions.vectors = inverse.asDiagonal() * (turn * out.directions.vectors);
  return out;
}

void require_ridge(double ridge) {
  if (!(ridge >= 0) || !std::isfinite(ridge))
    throw Error(ErrorCode::usage, fmt::format("a ridge of {}", ridge), "it is a number, 0 or more");
}

}  // namespace

template <class T>
Plan LinearDiscriminant<T>::plan(const Samples<T>& samples, const LinearDiscriminantOptions& options,
                                 const Run& run) {
  require_ridge(options.ridge);
  return make_linear_plan(samples, run, true);
}

template <class T>
LinearDiscriminant<T> LinearDiscriminant<T>::fit(const Dataset<T>& data,
                                                 const LinearDiscriminantOptions& options, const Run& run) {
  LinearDiscriminant model = fit(data.samples, classes_of(data), options, run);
  model.columns_ = data.columns;
  return model;
}

template <class T>
LinearDiscriminant<T> LinearDiscriminant<T>::fit(const Samples<T>& samples, const Label& label,
                                                 const LinearDiscriminantOptions& options,
                                                 const Run& caller) {
  require_ridge(options.ridge);
  require_samples(samples);
  std::vector<Index> sizes = require_classes(label, samples.rows());
  const Index count = wanted_directions(options.components, sizes.size());
  const SteadyRun steady(caller);
  const Run& run = steady;
  Stopwatch watch;
  LinearDiscriminant model;
  Report& report = model.report_;
  report.plan = make_linear_plan(samples, run, false);
  model.scaling_ = Scaling<T>::fit(options.scale, samples);
  const Samples<T> points = model.scaling_.apply(samples);
  model.mean_ = column_means(points);
  require_squares_in_range<T>(points, model.mean_);
  watch.lap("prepare");
  const ClassScatter scatter = scatter_of(points, model.mean_, label, run);
  watch.lap("scatter");

  const Block<double> between = between_factor(scatter.means, sizes);
  const double epsilon = std::numeric_limits<T>::epsilon(), n = double(samples.rows());
  Block<double> whole = scatter.means;
  whole.colwise() += model.mean_;
  require_distinct_means(whole, between, sizes, std::numeric_limits<double>::epsilon());
  const Vector<double> noise = n * 64 * epsilon * epsilon * model.mean_.array().square();
  const Vector<double> total = scatter.within.diagonal() + between.rowwise().squaredNorm();
  const ScatterRounding rounding{rounding_of_sums(n), total.cwiseSqrt()};
  Solution solution = options.ridge > 0 || well_conditioned(scatter.within, noise)
                          ? solve_with_ridge(scatter.within, between, options.ridge, count, rounding)
                          : solve_by_factor(points, model.mean_, label, sizes, total, noise, count, run);
  watch.lap("solve");
  model.directions_ =
      (solution.directions.vectors * score_scale(samples.rows(), sizes.size())).template cast<T>();
  fix_signs<T>(model.directions_);

  report.method = "lda";
  report.n = samples.rows();
  report.d = samples.cols();
  report.precision = precision_of<T>;
  fill_discriminant_report(report, solution.directions, std::move(solution.residuals), options.components,
                           std::move(sizes), options.ridge);
  model.learn_classes(label, model.do_transform(samples, run));
  watch.lap("scores");
  report.seconds = watch.laps_and_total();
  report.peak_bytes = peak_memory();
  return model;
}

template <class T>
Matrix<T> LinearDiscriminant<T>::do_transform(const Samples<T>& points, const Run& run) const {
  const ThreadScope threads(run);
  return centered_times<T>(scaling_.apply(points), mean_, directions_);
}

template <class T>
void LinearDiscriminant<T>::write(ModelWriter& writer) const {
  writer.block("directions", directions_);
  writer.vector("mean", mean_);
  writer.scaling(scaling_);
  this->write_classes(writer);
}

template <class T>
std::unique_ptr<Model<T>> LinearDiscriminant<T>::read(ModelReader<T>& reader) {
  auto model = std::make_unique<LinearDiscriminant<T>>(LinearDiscriminant<T>());
  reader.restore(*model, {.eigenvalues = ReportParts::always});
  const Index d = model->report_.d, k = model->report_.components;
  reader.require_shape("directions", {d, k});
  reader.require_shape("mean", {d});
  model->directions_ = reader.block("directions");
  model->mean_ = reader.vector("mean");
  model->scaling_ = reader.scaling();
  model->read_classes(reader);
  return model;
}

template class LinearDiscriminant<float>;
template class LinearDiscriminant<double>;

}  // namespace mercer
