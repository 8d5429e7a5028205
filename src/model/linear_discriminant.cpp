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

#include <cmath>

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

/// `basis`: the columns that the problem is in the coordinates of; none where it is in those of the features.
/// Residuals are ‖L⁻¹(S_B − λ(S_W + μI))w‖, to which rounding of the scatters adds (1 + λ)·γ√d·‖L⁻¹D‖‖Dw‖.
Solution solve_with_ridge(const Block<double>& within, const Block<double>& between, double ridge,
                          Index count, const ScatterRounding& rounding,
                          const Block<double>* basis = nullptr) {
  const RidgeCholesky cholesky(within, ridge);
  Solution out;
  out.directions = cholesky.solve(between, count);
  out.residuals = cholesky.residuals(out.directions, between, within * out.directions.vectors);
  if (basis != nullptr) out.directions.vectors = *basis * out.directions.vectors;
  const Vector<double>& scale = rounding.deviations;
  Block<double> enlarged = scale.asDiagonal();
  if (basis != nullptr) enlarged = basis->transpose() * enlarged;
  const double factor =
      rounding.gamma * std::sqrt(double(scale.size())) * cholesky.inverse_times_size(std::move(enlarged));
  const Block<double> lengths = scale.asDiagonal() * out.directions.vectors;
  out.residuals.array() +=
      factor * (1 + out.directions.values.array()) * lengths.colwise().norm().transpose().array();
  return out;
}

/// Does every feature vary within classes, and none along with the others alone?
bool well_conditioned(const Block<double>& within, const Vector<double>& noise) {
  if (within.rows() == 0 || (within.diagonal().array() <= noise.array()).any()) return false;
  const Vector<double> unit = within.diagonal().cwiseSqrt().cwiseInverse();
  Block<double> scaled = unit.asDiagonal() * within * unit.asDiagonal();
  Vector<double> values;
  linalg::syevd(scaled, values);
  return values[0] > 1e-10 * values[values.size() - 1];
}

/// Without a ridge: in coordinates where the total scatter is the identity, from which directions without
/// any variation (constant columns, columns that repeat others) are left out. There S_W must have full rank.
Solution solve_without_ridge(const Block<double>& within, const Block<double>& between,
                             const Vector<double>& noise, Index count, const ScatterRounding& rounding) {
  if (well_conditioned(within, noise)) return solve_with_ridge(within, between, 0, count, rounding);
  constexpr double negligible = 1e-12;
  Block<double> total = within + between * between.transpose();
  Vector<double> unit = total.diagonal();
  for (Index i = 0; i < unit.size(); ++i) unit[i] = unit[i] > noise[i] ? 1 / std::sqrt(unit[i]) : 0;
  total = unit.asDiagonal() * total * unit.asDiagonal();
  Vector<double> values;
  linalg::syevd(total, values);
  const double largest = values.size() > 0 ? values[values.size() - 1] : 0;
  const Index rank = (values.array() > std::max(negligible * largest, 0.0)).count();
  const Block<double> whiten =
      unit.asDiagonal() * total.rightCols(rank) * values.tail(rank).cwiseSqrt().cwiseInverse().asDiagonal();
  const Block<double> own = whiten.transpose() * within * whiten;
  Block<double> work = own;
  Vector<double> shares;  // of the variation along each direction, what lies within classes
  linalg::syevd(work, shares);
  const Index lost = (shares.array() <= negligible * 100).count();
  if (lost > 0 || rank == 0) {
    const double mean = within.trace() / double(std::max<Index>(1, within.rows()));
    throw Error(
        ErrorCode::bad_data,
        fmt::format("the scatter within classes is singular: along {} of {} directions only the classes "
                    "differ, so that no ratio of the two can be taken",
                    lost, rank),
        fmt::format("add a ridge, such as --ridge {:.0e}, or use fewer features",
                    mean > 0 ? mean * 1e-3 : 1.0));
  }
  return solve_with_ridge(own, whiten.transpose() * between, 0, count, rounding, &whiten);
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
  Solution solution = options.ridge > 0
                          ? solve_with_ridge(scatter.within, between, options.ridge, count, rounding)
                          : solve_without_ridge(scatter.within, between, noise, count, rounding);
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
