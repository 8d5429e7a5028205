// PCA of rows and of basis functions on trial; and what methods without a certificate claim of themselves.
#include "trial.hpp"

#include <mercer/basis_pca.hpp>
#include <mercer/missing_pca.hpp>
#include <mercer/pca.hpp>
#include <mercer/random_feature_pca.hpp>

#include <cmath>

namespace certify {
namespace {

using mercer::Index;
using mercer::Matrix;
using mercer::Samples;

/// Two fits with other numbers of threads, and the model after saving: where the case asks for it.
template <class T, class Model, class Fit>
void check_copies(const FitCase& c, Outcome& out, const Model& model, const Fit& fit) {
  const Samples<T> points = samples_of<T>(c, new_points(c));
  if (c.saved) check_saved<T>(out, model, points);
  if (c.other_threads)
    check_same<T>(out, "threads change nothing", model, fit(c.threads == 1 ? 2 : 1), points);
}

void check_orthonormal(Outcome& out, const RealMatrix& u, Real unit) {
  const RealMatrix gram = u.transpose() * u - RealMatrix::Identity(u.cols(), u.cols());
  out.within("directions are orthonormal", gram.cwiseAbs().maxCoeff(), 64 * unit * std::sqrt(Real(u.rows())));
}

/// Scores of the training points again, as new ones, in each component.
template <class T>
void check_training_points(const FitCase& c, Outcome& out, const mercer::Model<T>& model, Real allowed) {
  const RealMatrix scores = widened<T>(model.scores());
  const RealMatrix again = widened<T>(model.transform(samples_of<T>(c, c.x), {.threads = 1}));
  for (Index j = 0; j < scores.cols(); ++j)
    out.within("training points transformed are their scores",
               (again.col(j) - scores.col(j)).cwiseAbs().maxCoeff(), allowed,
               "component " + std::to_string(j + 1));
}

template <class T>
void try_rows(const FitCase& c, Outcome& out) {
  mercer::PcaOptions o;
  o.components = c.components, o.center = c.center, o.scale = c.scale, o.unbiased = c.unbiased;
  o.residual = c.residual, o.route = c.route, o.delta = c.delta;
  const auto fit = [&](int threads) {
    return mercer::Pca<T>::fit(samples_of<T>(c, c.x), o, run_of(c, threads));
  };
  const mercer::Pca<T> model = fit(c.threads);
  const mercer::Report& report = model.report();
  const RealMatrix scaled = scaled_rows<T>(out, c.x, c.x, c.scale, nullptr);
  const RealMatrix rows = centered_columns(scaled, c.center);
  const Truth truth = truth_of_rows(rows);
  if (!out.holds("values beyond the numbers' range are refused", truth.largest() < 1e308L)) return;
  out.scale = std::max(truth.largest(), Real(1e-300L));
  SpectrumClaims claims;
  claims.delta = c.delta;
  check_spectrum(out, report, truth, claims);
  const Real unit = std::numeric_limits<T>::epsilon();
  const Index clear =
      (truth.values.array() > std::max(1e-6L, 64 * std::sqrt(Real(c.x.rows())) * unit) * truth.at(0)).count();
  if (c.components.share == 0 && truth.at(0) > 1e-280L)
    out.holds("components that are clearly there are found",
              report.components >= std::min(clear, c.components.count),
              std::to_string(report.components) + " found, " + std::to_string(clear) + " clear");
  const Real divisor = Real(c.x.rows() - (c.unbiased ? 1 : 0));
  for (Index i = 0; i < report.components; ++i)
    out.within("a variance is its eigenvalue over n",
               std::abs(Real(report.variances[i]) - report.gram_eigenvalues[i] / divisor),
               1e-15L * report.variances[i]);
  if (report.components == 0) return;
  const Real reach = scaled.rowwise().norm().maxCoeff();
  // Directions are orthonormal; scores are the rows' along them.
  const RealMatrix u = model.directions().template cast<Real>();
  check_orthonormal(out, u, unit);
  const Real largest_sum =
      4 * unit * std::sqrt(Real(c.x.rows())) + 0x1p-52L * Real(c.x.rows());  // of n terms
  for (Index j = 0; j < u.cols(); ++j) {
    const RealVector image =
        rows.transpose() * (rows * u.col(j)) - Real(report.gram_eigenvalues[j]) * u.col(j);
    // Through the samples' side u = X̃ᵀv/√θ: its residual is up to √(θ₁/θ) times that of v.
    const Real along =
        c.x.cols() > c.x.rows() ? std::sqrt(truth.largest() / report.gram_eigenvalues[j]) : Real(1);
    out.within("residuals are as recomputed from the directions", image.norm(),
               along * report.residuals[j] + rounding_of(truth) + largest_sum * truth.largest() * along,
               "component " + std::to_string(j + 1));
  }
  const RealMatrix expected = rows * u;
  const RealMatrix found = widened<T>(model.scores());
  const Real allowed = 16 * unit * std::sqrt(Real(u.rows())) *
                           std::max(reach * Real(0x1p-20L), rows.rowwise().norm().maxCoeff()) +
                       16 * Real(0x1p-52L) * std::sqrt(Real(u.rows())) * reach;
  out.within("scores are where the formula puts them", (found - expected).cwiseAbs().maxCoeff(), allowed);
  check_training_points<T>(c, out, model, 2 * allowed);
  check_copies<T>(c, out, model, fit);
}

/// Values of the functions: monomials and polynomials from their definition.
RealMatrix functions_of(const FitCase& c, const RealMatrix& x, const mercer::Basis& basis) {
  if (c.basis.rfind("monomials", 0) == 0) {
    const int degree = c.basis[c.basis.find('=') + 1] - '0';
    std::vector<RealVector> columns{RealVector::Ones(x.rows())};
    std::vector<Index> last{0};
    std::size_t first = 0;
    for (int g = 0; g < degree; ++g) {
      const std::size_t end = columns.size();
      for (std::size_t i = first; i < end; ++i)
        for (Index j = last[i]; j < x.cols(); ++j) {
          columns.push_back(columns[i].cwiseProduct(x.col(j)));
          last.push_back(j);
        }
      first = end;
    }
    RealMatrix out(x.rows(), Index(columns.size()));
    for (std::size_t i = 0; i < columns.size(); ++i) out.col(Index(i)) = columns[i];
    return out;
  }
  return basis.evaluate(Samples<double>(Matrix<double>(x.cast<double>()))).cast<Real>();
}

template <class T>
void try_basis(const FitCase& c, Outcome& out) {
  mercer::BasisPcaOptions o;
  o.basis = mercer::Basis::parse(c.basis);
  o.components = c.components, o.smallest = c.smallest, o.center = c.center, o.scale = c.scale;
  o.residual = c.residual, o.route = c.route, o.delta = c.delta;
  const auto fit = [&](int threads) {
    return mercer::BasisPca<T>::fit(samples_of<T>(c, c.x), o, run_of(c, threads));
  };
  const mercer::BasisPca<T> model = fit(c.threads);
  const mercer::Report& report = model.report();
  const RealMatrix scaled = scaled_rows<T>(out, c.x, c.x, c.scale, nullptr);
  const RealMatrix raw = functions_of(c, scaled, model.basis());
  RealMatrix phi = centered_columns(raw, c.center);
  if (c.smallest > 0 && c.center && (c.basis[0] == 'p' || c.basis[0] == 'm'))
    phi = phi.rightCols(phi.cols() - 1).eval();
  const Truth truth = c.smallest > 0 ? eigenvalues_of(phi.transpose() * phi) : truth_of_rows(phi);
  if (!out.holds("values beyond the numbers' range are refused", truth.largest() < 1e308L)) return;
  out.scale = std::max(truth.largest(), Real(1e-300L));
  SpectrumClaims claims;
  claims.delta = c.delta;
  // Φ is evaluated in double: what rounding of its values makes of an eigenvalue.
  claims.further = 8 * Real(0x1p-52L) * std::sqrt(truth.largest()) * raw.norm();
  check_spectrum(out, report, truth, claims);
  if (report.components == 0 || c.smallest > 0) return;
  const Real unit = std::numeric_limits<T>::epsilon();
  const RealMatrix gram = phi * phi.transpose();
  // Scores are Φ̃u = √θ v: the residual of u is √(θ₁/θ) times as large for v, and rounding of the scores is
  // beside √θ.
  const RealMatrix scores = widened<T>(model.scores());
  for (Index j = 0; j < report.components; ++j) {
    const Real length = scores.col(j).norm(), value = report.gram_eigenvalues[j];
    if (!(length > 0)) continue;
    const RealVector v = scores.col(j) / length;
    const bool functions = phi.cols() <= phi.rows();  // else u = Φ̃ᵀv/√θ comes first
    const Real once = std::sqrt(truth.largest()) / length, along = functions ? once : once * once;
    const Real rounding = 4 * unit * std::sqrt(Real(phi.cols())) * raw.norm() / length;
    out.within(
        "residuals are as recomputed from the scores", (gram * v - value * v).norm(),
        along * (report.residuals[j] + claims.further) + rounding_of(truth) + truth.largest() * rounding,
        "component " + std::to_string(j + 1) + ", eigenvalue " + std::to_string(double(value)) +
            ", of scores " + std::to_string(double(length * length)));
  }
  check_orthonormal(out, widened<double>(model.directions()), 0x1p-52L);
  check_training_points<T>(c, out, model,
                           16 * unit * std::sqrt(Real(c.x.cols())) * raw.rowwise().norm().maxCoeff());
  check_copies<T>(c, out, model, fit);
}

template <class T>
void check_own_shares(Outcome& out, const mercer::Report& report) {
  out.within("shares add up to no more than 100 %",
             report.explained_variance_ratio.template cast<Real>().sum(), 1 + 1e-12L);
}

template <class T>
void try_features(const FitCase& c, Outcome& out) {
  mercer::RandomFeaturePcaOptions o;
  o.components = c.components, o.kernel = mercer::Kernel::parse(c.kernel.to_string());
  o.features = c.features, o.center = c.center, o.scale = c.scale;
  const auto fit = [&](int threads) {
    return mercer::RandomFeaturePca<T>::fit(samples_of<T>(c, c.x), o, run_of(c, threads));
  };
  const mercer::RandomFeaturePca<T> model = fit(c.threads);
  check_own_shares<T>(out, model.report());
  const RealMatrix scores = widened<T>(model.scores());
  const RealMatrix gram = scores.transpose() * scores;
  const Real size = Real(c.x.rows()), unit = std::numeric_limits<T>::epsilon();
  for (Index i = 0; i < gram.rows(); ++i)
    for (Index j = 0; j <= i; ++j)
      out.within("scores are orthogonal, and their squares add up to the eigenvalues",
                 std::abs(gram(i, j) - (i == j ? Real(model.report().gram_eigenvalues[i]) : Real(0))),
                 16 * unit * size * std::sqrt(size) * std::max(Real(1), Real(model.report().trace) / size) +
                     2 * Real(model.report().residuals.norm()));
  out.holds("random features are said to have no bounds",
            !model.report().bounds && model.report().features.has_value());
  check_copies<T>(c, out, model, fit);
}

template <class T>
void try_missing(const FitCase& c, Outcome& out) {
  mercer::MissingPcaOptions o;
  o.components = c.components, o.center = c.center;
  if (c.ridge > 0) o.ridge = c.ridge;
  Matrix<T> x = c.x.cast<T>();
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < x.cols(); ++j)
      if ((i * 31 + j * 17 + Index(c.seed)) % 100 < Index(100 * c.gaps) && i % x.cols() != j)
        x(i, j) = std::numeric_limits<T>::quiet_NaN();
  const Samples<T> samples = Matrix<T>(x);
  const auto model = mercer::MissingPca<T>::fit(samples, o, run_of(c, c.threads));
  const mercer::Report& report = model.report();
  check_own_shares<T>(out, report);
  if (report.components == 0 || !report.gaps) return;
  const Matrix<T> back = model.inverse(model.scores());
  Real sum = 0, size = 0;
  Index known = 0;
  for (Index i = 0; i < x.size(); ++i)
    if (!std::isnan(x.data()[i])) {
      sum += std::pow(Real(x.data()[i]) - Real(back.data()[i]), 2);
      size = std::max(size, std::abs(Real(x.data()[i])));
      ++known;
    }
  out.holds("known entries are counted", known == report.gaps->known);
  out.within("the error on known entries is as recomputed",
             std::abs(std::sqrt(sum / Real(known)) - Real(report.gaps->known_error)),
             64 * Real(std::numeric_limits<T>::epsilon()) * size * std::sqrt(Real(x.cols())));
}

}  // namespace

void try_pca(const FitCase& c, Outcome& out) {
  mercer::with_precision(c.precision, [&]<class T>() {
    if (c.method == "pca") return try_rows<T>(c, out);
    if (c.method == "basis-pca") return try_basis<T>(c, out);
    if (c.method == "features") return try_features<T>(c, out);
    try_missing<T>(c, out);
  });
}

}  // namespace certify
