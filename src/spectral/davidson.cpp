// Block Davidson with a landmark preconditioner and mixed precision.
#include "spectral/davidson.hpp"

#include "base/linalg.hpp"
#include "base/pages.hpp"
#include "base/parallel.hpp"
#include "spectral/certificate.hpp"
#include "spectral/orthonormal.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mercer {
namespace {

constexpr Index probe_count = 8;
/// Corrections amplify by at most this over θ: eigenvalues closer than that are told apart by Ritz.
constexpr double nearest = 1e-3;
constexpr Index max_rounds = 24;

Block<double> product(const BlockView<double>& a, const Block<double>& b) {
  Block<double> c = Block<double>::Zero(a.rows(), b.cols());
  linalg::add_product<double>(1, a, b, c);
  return c;
}

Index padded(Index columns) { return (columns + 7) / 8 * 8; }

class Davidson {
 public:
  Davidson(const SymmetricOperator<double>& op, const LandmarkApproximation& approximation,
           const EigenRequest& request, const Run& run)
      : op_(op),
        approximation_(approximation),
        request_(request),
        run_(run),
        random_(run.seed, 0x6461766964736f6eULL),
        n_(op.size()),
        k_(request.count),
        tolerance_(request.tolerance > 0 ? request.tolerance : 1e-10) {}

  std::optional<Spectrum<double>> solve() {
    const Index first = std::min(padded(k_ + 2), approximation_.rank());
    if (approximation_.rank() < k_ + 1 || n_ < 4 * (first + probe_count)) return std::nullopt;
    begin(first);
    double before = std::numeric_limits<double>::infinity();
    for (Index round = 0; round < max_rounds; ++round) {
      ritz();
      const double worst = residuals_.maxCoeff() / theta_[0];
      run_.report("eigenvectors", std::clamp(std::log(worst) / std::log(tolerance_), 0.0, 1.0));
      if (worst <= tolerance_ / 2) {
        if (!landmarks_saw_all()) return std::nullopt;
        Spectrum<double> out =
            known_well_enough() ? found(vectors_, theta_, residuals_ + allowance()) : measure();
        if (out.converged) return out;
        continue;  // the exact images have replaced the rough ones
      }
      if (round >= 1 && missed_bound() > 4 * theta_[k_ - 1]) return std::nullopt;
      if (round >= 4 && worst > 0.5 * before) return std::nullopt;  // no better than block Krylov
      before = worst;
      correct();
    }
    return std::nullopt;
  }

 private:
  void begin(Index first) {
    // Memory that is not used is not taken either.
    basis_.resize(
        n_, probe_count + std::max(first + 3 * k_, request_.basis > 0 ? request_.basis : first + 6 * k_));
    images_.resize(n_, basis_.cols());
    Block<double> start = approximation_.expand(Block<double>::Identity(first, first), run_);
    orthonormalize<double>(basis(), start, std::numeric_limits<double>::min(), random_);
    probes_.resize(n_, probe_count);
    fill_random<double>(probes_, random_);  // the operator centres them if it centres anything
    explain_probes();
    rough_error_ =
        op_.rough_error(start.leftCols(std::min<Index>(8, first)), run_) / approximation_.values()[0];
    const bool rough = rough_enough(1);
    join(std::move(start), rough);
  }

  /// Keeps the best of the basis, where there is no room for more.
  void compress(Index keep) {
    Block<double> matrix = projected_, top;
    Vector<double> values;
    linalg::syevr(matrix, size_ - keep, size_ - 1, values, top);
    const Block<double> best = top.rowwise().reverse();
    basis_.leftCols(keep) = product(basis(), best);
    images_.leftCols(keep) = product(images(), best);
    projected_ = values.reverse().asDiagonal();
    image_error_ = errors_of(best);
    size_ = keep;
  }
  [[nodiscard]] BlockView<double> basis() const { return basis_.leftCols(size_); }
  [[nodiscard]] BlockView<double> images() const { return images_.leftCols(size_); }

  /// Does a rough product do no harm to vectors with this share in the wanted ones?
  [[nodiscard]] bool rough_enough(double share) const {
    return op_.has_rough_product() && rough_error_ * share <= 0.3 * tolerance_ * caution_;
  }

  /// One pass: the new basis vectors and the probes go through the operator together, side by side in the
  /// room that later vectors will take.
  void join(Block<double> fresh, bool rough) {
    const Index more = fresh.cols();
    if (size_ + more + probe_count > basis_.cols()) compress(basis_.cols() - probe_count - 2 * k_);
    const Index size = size_;
    basis_.middleCols(size, more) = fresh;
    basis_.middleCols(size + more, probe_count) = probes_;
    fresh.resize(0, 0);
    return_freed_memory();
    const BlockView<double> in = basis_.middleCols(size, more + probe_count);
    BlockRef<double> out = images_.middleCols(size, more + probe_count);
    if (rough)
      op_.apply_roughly(in, out, run_);
    else
      op_.apply(in, out, run_);
    passes_ += padded(in.cols()) / 8;
    advance_probes(out.rightCols(probe_count));

    const BlockView<double> w = in.leftCols(more);
    image_error_.conservativeResize(size + more);
    image_error_.tail(more).setConstant(rough ? op_.rough_error(w.leftCols(std::min<Index>(8, more)), run_)
                                              : 0);
    seen_exactly_ |= !rough;
    size_ += more;
    // Images of the vectors before are at least as good as this one: (A q)ᵀ w for them.
    projected_.conservativeResize(size + more, size + more);
    if (size > 0) {
      const Block<double> cross = linalg::transposed_times<double>(images_.leftCols(size), w);
      projected_.topRightCorner(size, more) = cross;
      projected_.bottomLeftCorner(more, size) = cross.transpose();
    }
    const Block<double> corner = linalg::transposed_times<double>(w, images_.middleCols(size, more));
    projected_.bottomRightCorner(more, more) = (corner + corner.transpose()) / 2;
  }

  /// U Σ Uᵀ ω
  void explain_probes() {
    const Block<double> part = approximation_.project(probes_, run_);
    explained_ = approximation_.expand(approximation_.values().asDiagonal() * part, run_);
  }

  /// ω := E ω, normalised together; the logarithm of what was divided by is kept.
  void advance_probes(const BlockView<double>& image) {
    const Vector<double> before = probes_.colwise().norm();
    probes_ = image - explained_;
    const Vector<double> after = probes_.colwise().norm();
    const double largest = after.maxCoeff();
    last_growth_ = (after.array() / before.array().max(std::numeric_limits<double>::min())).maxCoeff();
    log_norm_ += std::log(std::max(largest, 1e-300));
    if (largest > 0) probes_ /= largest;
    ++probe_steps_;
  }

  void ritz() {
    Block<double> matrix = projected_, top;
    Vector<double> values;
    linalg::syevr(matrix, size_ - k_, size_ - 1, values, top);
    theta_ = values.reverse();
    combination_ = top.rowwise().reverse();
    vectors_ = product(basis(), combination_);
    residual_ = product(images(), combination_);
    residual_ -= vectors_ * theta_.asDiagonal();
    residuals_ = residual_.colwise().norm();
  }

  /// The residuals that are too large join the basis, each as (θ − U Σ Uᵀ)⁻¹ r.
  void correct() {
    std::vector<Index> open;
    for (Index c = 0; c < k_; ++c)
      if (residuals_[c] > 0.1 * tolerance_ * theta_[0]) open.push_back(c);
    const Index more = static_cast<Index>(open.size());
    Block<double> w = std::move(residual_);
    for (Index c = 0; c < more; ++c)
      if (open[static_cast<std::size_t>(c)] != c) w.col(c) = w.col(open[static_cast<std::size_t>(c)]);
    vectors_.resize(0, 0);  // memory is what limits the size of the problem
    // 1/θ r + U D Uᵀ r with D = 1/(θ − σ) − 1/θ. U is evaluated for the probes' U Σ Uᵀ ω as well.
    w.conservativeResize(n_, more + probe_count);
    w.rightCols(probe_count) = probes_;
    Block<double> part = approximation_.project(w, run_);
    part.rightCols(probe_count).array().colwise() *= approximation_.values().array();
    w.rightCols(probe_count).setZero();
    for (Index c = 0; c < more; ++c) {
      const double theta = theta_[open[static_cast<std::size_t>(c)]];
      for (Index j = 0; j < part.rows(); ++j) {
        const double gap = theta - approximation_.values()[j];
        const double safe = std::copysign(std::max(std::abs(gap), nearest * theta), gap);
        part(j, c) *= 1 / safe - 1 / theta;
      }
      w.col(c) /= theta;
    }
    approximation_.add_expanded(part, w, run_);
    explained_ = w.rightCols(probe_count);
    w.conservativeResize(n_, more);
    const double share = w.colwise().norm().maxCoeff();
    orthonormalize<double>(basis(), w, std::numeric_limits<double>::min(), random_);
    join(std::move(w), rough_enough(share));
  }

  /// The error of the images of these combinations of the basis, at most.
  [[nodiscard]] Vector<double> errors_of(const Block<double>& combinations) const {
    return (image_error_.asDiagonal() * combinations).cwiseAbs().colwise().sum();
  }
  /// What the rough images may add to a residual, with room for an error that was only estimated.
  [[nodiscard]] Vector<double> allowance() const { return 2 * errors_of(combination_); }
  /// Vectors that were multiplied exactly carry nearly all of the wanted ones; rough products with what
  /// little the later ones contribute change a residual by less than is allowed.
  [[nodiscard]] bool known_well_enough() const {
    return seen_exactly_ && (residuals_ + allowance()).maxCoeff() <= tolerance_ * theta_[0];
  }

  /// Exact images of the wanted vectors: their residuals, and a better basis to go on from.
  Spectrum<double> measure() {
    Block<double> exact(n_, k_);
    op_.apply(vectors_, exact, run_);
    passes_ += padded(k_) / 8;
    const Vector<double> values = (vectors_.cwiseProduct(exact)).colwise().sum().transpose();
    const Vector<double> residuals = (exact - vectors_ * values.asDiagonal()).colwise().norm();
    Spectrum<double> out = found(vectors_, values, residuals);
    if (!out.converged) keep(exact);
    return out;
  }

  [[nodiscard]] Spectrum<double> found(const Block<double>& vectors, const Vector<double>& values,
                                       const Vector<double>& residuals) {
    Spectrum<double> out;
    out.vectors = vectors;
    out.values = values;
    out.residuals = residuals;
    out.passes = passes_;
    out.converged = residuals.maxCoeff() <= std::max(tolerance_ * theta_[0], rounding());
    if (!out.converged) return out;
    basis_.resize(0, 0);
    images_.resize(0, 0);
    out.missed.rigorous = rigorous_missed_bound(op_, out.values, out.residuals, End::largest, true);
    out.missed.probable = std::min(bound_beyond(out.vectors) + out.residuals.norm(), out.missed.rigorous);
    out.missed.delta = request_.delta;
    fix_signs<double>(out.vectors);
    return out;
  }

  /// The wanted vectors with their exact images lead the basis; the rest of it follows, orthogonal.
  void keep(const Block<double>& exact) {
    const Index size = size_;
    Block<double> rotation(size, size);
    rotation.leftCols(k_) = combination_;
    Block<double> rest = Block<double>::Identity(size, size).rightCols(size - k_);
    orthonormalize<double>(combination_, rest, 1e-8, random_);
    rotation.rightCols(size - k_) = rest;
    basis_.leftCols(size) = product(basis(), rotation);
    images_.leftCols(size) = product(images(), rotation);
    images_.leftCols(k_) = exact;
    image_error_ = errors_of(rotation);
    image_error_.head(k_).setZero();
    seen_exactly_ = true;
    projected_ = linalg::transposed_times<double>(basis(), images());
    projected_.topRightCorner(k_, size - k_) = projected_.bottomLeftCorner(size - k_, k_).transpose();
    projected_ = ((projected_ + projected_.transpose()) / 2).eval();
    caution_ *= 0.1;
  }

  [[nodiscard]] double rounding() const {
    return request_.tolerance > 0 && request_.strict
               ? 0
               : 32 * std::numeric_limits<double>::epsilon() * op_.cancellation();
  }

  /// Residuals never point at an eigenvector that lies in E alone. Is ‖E‖ below the last wanted value, so
  /// that there is none to be wanted? A few passes of the probes alone tell, where it is not clear yet.
  [[nodiscard]] bool landmarks_saw_all() {
    for (Index more = 0; more <= 8; ++more) {
      if (power_norm_bound(log_norm_, probe_steps_, probe_count, request_.delta) <= theta_[k_ - 1])
        return true;
      if (last_growth_ > theta_[k_ - 1] || more == 8) return false;
      Block<double> image(n_, probe_count);
      explain_probes();
      op_.apply_roughly(probes_, image, run_);
      ++passes_;
      advance_probes(image);
    }
    return false;
  }

  /// The largest eigenvalue of P A P, P = I − VVᵀ, whichever vectors V are: at most that of
  /// P U Σ Uᵀ P, which with M = UᵀV is that of Σ − Σ^½ M Mᵀ Σ^½, and ‖E‖.
  [[nodiscard]] double bound_beyond(const Block<double>& vectors) const {
    const Vector<double>& sigma = approximation_.values();
    const Index r = sigma.size();
    const Block<double> m = sigma.cwiseSqrt().asDiagonal() * approximation_.project(vectors, run_);
    Block<double> rest = Block<double>::Zero(r, r), ignored;
    linalg::syrk<double>(linalg::Transpose::no, r, m.cols(), -1, m.data(), r, 0, rest.data(), r);
    rest.diagonal() += sigma;
    Vector<double> largest;
    linalg::syevr(rest, r - 1, r - 1, largest, ignored);
    return std::max(0.0, largest[0]) + 1e-5 * sigma[0] +
           power_norm_bound(log_norm_, probe_steps_, probe_count, request_.delta);
  }

  /// σ_{k+1} + ‖E‖, a quick guess of it; the approximation's values are right to float's accuracy only.
  [[nodiscard]] double missed_bound() const {
    const Vector<double>& sigma = approximation_.values();
    return sigma[k_] + 1e-5 * sigma[0] +
           power_norm_bound(log_norm_, probe_steps_, probe_count, request_.delta);
  }

  const SymmetricOperator<double>& op_;
  const LandmarkApproximation& approximation_;
  const EigenRequest& request_;
  const Run& run_;
  Random random_;
  Index n_, k_;
  double tolerance_;
  double rough_error_ = 0;  ///< of the rough product of a unit vector, over the largest eigenvalue
  double caution_ = 1;      ///< falls when rough products turn out to have been too rough

  Index size_ = 0;                            ///< vectors in the basis
  Block<double> basis_, images_, projected_;  ///< Q, A Q (their first columns), QᵀAQ
  Vector<double> image_error_;                ///< of each column of A Q; 0: an exact product
  bool seen_exactly_ = false;                 ///< an exact pass has been made
  Block<double> probes_;                      ///< E^q ω up to a common factor
  Block<double> explained_;                   ///< U Σ Uᵀ ω of these
  double log_norm_ = 0;
  double last_growth_ = 0;  ///< of a probe in the last step: ‖E‖ is at least this
  Index probe_steps_ = 0, passes_ = 0;
  Vector<double> theta_, residuals_;
  Block<double> combination_, vectors_, residual_;  ///< of the wanted Ritz pairs
};

}  // namespace

double power_norm_bound(double log_norm, Index steps, Index vectors, double delta) {
  const double t = std::pow(delta, 1 / double(vectors)) / std::sqrt(2 / std::numbers::pi);
  return std::exp((log_norm - std::log(t)) / double(steps));
}

std::optional<Spectrum<double>> davidson(const SymmetricOperator<double>& op,
                                         const LandmarkApproximation& approximation,
                                         const EigenRequest& request, const Run& run) {
  const ThreadScope threads(run);
  return Davidson(op, approximation, request, run).solve();
}

}  // namespace mercer
