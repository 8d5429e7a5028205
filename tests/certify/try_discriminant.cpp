// Linear and kernel discriminants on trial: the generalised eigenproblem in long double.
#include "trial.hpp"

#include <mercer/discriminant.hpp>

#include <Eigen/Cholesky>

#include <cmath>
#include <optional>

namespace certify {
namespace {

using mercer::Index;
using mercer::Matrix;
using mercer::Samples;

mercer::Label label_of(const FitCase& c) {
  std::vector<std::string> words;
  for (const auto code : c.classes) words.push_back("c" + std::to_string(code));
  return mercer::make_label("class", words);
}

/// Rows of g are samples: what varies within classes, and the weighted class means about the whole mean.
struct Scatter {
  RealMatrix within, between;  ///< features x features, features x classes
};

Scatter scatter_of(const RealMatrix& g, const mercer::Label& label) {
  const Index classes = Index(label.names.size());
  RealMatrix means = RealMatrix::Zero(classes, g.cols());
  RealVector sizes = RealVector::Zero(classes);
  for (Index i = 0; i < g.rows(); ++i) {
    means.row(label.codes[std::size_t(i)]) += g.row(i);
    sizes[label.codes[std::size_t(i)]] += 1;
  }
  for (Index j = 0; j < classes; ++j) means.row(j) /= sizes[j];
  RealMatrix rest = g;
  for (Index i = 0; i < g.rows(); ++i) rest.row(i) -= means.row(label.codes[std::size_t(i)]);
  Scatter out;
  out.within = rest.transpose() * rest;
  const auto whole = (sizes.transpose() * means / sizes.sum()).eval();
  out.between = (means.rowwise() - whole).transpose();
  for (Index j = 0; j < classes; ++j) out.between.col(j) *= std::sqrt(sizes[j]);
  return out;
}

/// The non-zero eigenvalues of (N + μI)⁻¹BBᵀ are those of a matrix of classes x classes.
/// Nothing where N + μI is too nearly singular for the reference itself.
std::optional<Truth> truth_of(const Scatter& s, Real ridge) {
  RealMatrix n = s.within;
  n.diagonal().array() += ridge;
  const Eigen::LLT<Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>> cholesky(n);
  const Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic> root = s.between;
  const Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic> y = cholesky.matrixL().solve(root);
  if (cholesky.info() != Eigen::Success || cholesky.rcond() < 1e-14L) return std::nullopt;
  return eigenvalues_of(y.transpose() * y);
}

void check(Outcome& out, const mercer::Report& report, const std::optional<Truth>& truth) {
  if (!truth) return;
  out.scale = std::max(truth->largest(), Real(1e-300L));
  check_spectrum(out, report, *truth, {});
}

template <class T>
void try_linear(const FitCase& c, Outcome& out) {
  mercer::LinearDiscriminantOptions o;
  o.components = c.components.count, o.ridge = c.ridge, o.scale = c.scale;
  const auto fit = [&](int threads) {
    return mercer::LinearDiscriminant<T>::fit(samples_of<T>(c, c.x), label_of(c), o, run_of(c, threads));
  };
  const auto model = fit(c.threads);
  const RealMatrix rows = centered_columns(scaled_rows<T>(out, c.x, c.x, c.scale, nullptr), true);
  check(out, model.report(), truth_of(scatter_of(rows, label_of(c)), c.ridge));
  const Samples<T> points = samples_of<T>(c, new_points(c));
  if (c.saved) check_saved<T>(out, model, points);
  if (c.other_threads)
    check_same<T>(out, "threads change nothing", model, fit(c.threads == 1 ? 2 : 1), points);
}

/// K, or with landmarks what they make of it: K̂ = K_:S K_SS⁻¹ K_S:. Empty where K_SS is too nearly singular
/// to tell.
RealMatrix kernel_matrix(const KernelTree& kernel, const RealMatrix& rows, const RealMatrix& landmarks,
                         bool low_rank) {
  if (!low_rank) return evaluate(kernel, rows, rows);
  using Columns = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
  const Columns own = evaluate(kernel, landmarks, landmarks), cross = evaluate(kernel, landmarks, rows);
  const Eigen::LLT<Columns> cholesky(own);
  if (cholesky.info() != Eigen::Success || cholesky.rcond() < 1e-9L) return {};
  const Columns f = cholesky.matrixL().solve(cross);
  return f.transpose() * f;
}

template <class T>
void try_kernel(const FitCase& c, Outcome& out) {
  mercer::KernelDiscriminantOptions o;
  o.components = c.components.count, o.kernel = mercer::Kernel::parse(c.kernel.to_string()),
  o.ridge = c.ridge;
  o.scale = c.scale, o.route = c.route, o.lowrank = c.lowrank;
  const auto fit = [&](int threads) {
    return mercer::KernelDiscriminant<T>::fit(samples_of<T>(c, c.x), label_of(c), o, run_of(c, threads));
  };
  const auto model = fit(c.threads);
  const bool low_rank = c.route == mercer::Route::lowrank;
  const RealMatrix rows = scaled_rows<T>(out, c.x, c.x, c.scale, nullptr);
  const KernelTree kernel = c.kernel.resolved_as(model.report().kernel);
  const RealMatrix landmarks = low_rank ? widened<T>(model.points().to_dense()) : rows;
  const RealMatrix k = kernel_matrix(kernel, rows, landmarks, low_rank);
  if (k.size() > 0) check(out, model.report(), truth_of(scatter_of(k, label_of(c)), c.ridge));
  if (model.report().components == 0) return;
  // The score of x is Σ α_i k(x_i, x).
  const Matrix<double> raw = new_points(c);
  const RealMatrix points = scaled_rows<T>(out, raw, c.x, c.scale, nullptr);
  const RealMatrix alpha = model.alpha().template cast<Real>();
  const RealMatrix expected = evaluate(kernel, points, landmarks) * alpha;
  const RealMatrix found = widened<T>(model.transform(samples_of<T>(c, raw), {.threads = 1}));
  const Real reach = sensitivity(kernel, points, landmarks).maxCoeff();
  out.scale = 1;
  for (Index j = 0; j < found.cols(); ++j)
    out.within(
        "new points are where the formula puts them", (found.col(j) - expected.col(j)).cwiseAbs().maxCoeff(),
        32 * Real(landmarks.rows()) * Real(std::numeric_limits<T>::epsilon()) * reach * alpha.col(j).norm() +
            std::numeric_limits<T>::min());
  const Samples<T> some = samples_of<T>(c, raw);
  if (c.saved) check_saved<T>(out, model, some);
  if (c.other_threads) check_same<T>(out, "threads change nothing", model, fit(c.threads == 1 ? 2 : 1), some);
}

}  // namespace

void try_discriminant(const FitCase& c, Outcome& out) {
  mercer::with_precision(
      c.precision, [&]<class T>() { c.method == "lda" ? try_linear<T>(c, out) : try_kernel<T>(c, out); });
}

}  // namespace certify
