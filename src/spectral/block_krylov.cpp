// Eigenpairs at one end of a symmetric operator by block Krylov iteration with full
// reorthogonalisation and thick restart (Stewart's Krylov-Schur 2001, symmetric block form).
//
// A block Krylov space sees at most `block` copies of a repeated eigenvalue. So after the wanted
// pairs have converged, the iteration goes on from a fresh random block orthogonal to them: if
// something larger turns up, it joins and the loop repeats; if not, the same steps have given the
// probable bound of the certificate (see certificate.hpp).
#include <mercer/spectrum.hpp>

#include "base/linalg.hpp"
#include "base/parallel.hpp"
#include "spectral/certificate.hpp"
#include "spectral/orthonormal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

/// The probable bound is θ/(1 − ε): within a factor 1/(1 − ε) of the truth. An indefinite operator
/// needs both ends of the spectrum, and a smaller ε.
constexpr double epsilon_psd = 0.45, epsilon_indefinite = 0.15;
/// Steps added when the bound does not fall below the last wanted eigenvalue.
constexpr Index extra_steps = 4;

template <class T>
class BlockKrylov {
 public:
  BlockKrylov(const SymmetricOperator<T>& op, const EigenRequest& request, const Run& run)
      : op_(op),
        request_(request),
        run_(run),
        random_(run.seed, 0x6b72796c6f76ULL),
        n_(op.size()),
        wanted_(std::min(request.count, n_)),
        block_(block_size(request)),
        sign_(request.end == End::largest ? T(1) : T(-1)),
        tolerance_(request.tolerance > 0 ? request.tolerance : default_tolerance()),
        one_sided_(request.positive_semidefinite && request.end == End::largest),
        probe_steps_(
            lanczos_steps(n_, block_, one_sided_ ? epsilon_psd : epsilon_indefinite, request.delta / 4)),
        cancelled_(16 * double(std::numeric_limits<T>::epsilon()) * op.cancellation()),
        floor_(request.tolerance > 0 ? 0 : cancelled_) {
    const Index asked = request.basis > 0 ? request.basis : 2 * wanted_ + 32 * block_;
    capacity_ = std::max({asked, wanted_ + 3 * block_, wanted_ + (probe_steps_ + extra_steps + 2) * block_});
  }

  Spectrum<T> solve(const Block<T>& start) {
    const Index first_block = std::max(block_, Index(start.cols()));
    capacity_ = std::max(capacity_, wanted_ + 3 * first_block);
    if (n_ <= capacity_ + 2 * first_block) return solve_densely();
    begin(start, first_block);
    double target = tolerance_ / 2;
    for (int failures = 0;;) {
      const bool converged = iterate(target);
      compress(wanted_);
      if (!converged) return finish(false);
      const Block<T> residual_directions = basis_.middleCols(size_, frontier_);  // A V = V Θ + these·coupling
      if (probe_finds_more(start.cols() > 0 || may_hide_copies()))
        continue;  // the finds are in the basis: go on
      Spectrum<T> out = finish(true);
      if (out.converged || ++failures > 4) return out;
      target *= 0.2;  // the measured residual was larger than its estimate
      size_ = wanted_;
      frontier_ = residual_directions.cols();
      basis_.middleCols(size_, frontier_) = residual_directions;
    }
  }

  /// The probable bound alone, for eigenpairs that came from elsewhere.
  double bound_missed(const Spectrum<T>& found) {
    wanted_ = found.values.size();
    theta_ = double(sign_) * found.values;
    scale_ = wanted_ > 0 ? theta_.cwiseAbs().maxCoeff() : 0;
    const Index needed = wanted_ + (probe_steps_ + extra_steps + 2) * block_;
    if (n_ < needed + block_) return exact_missed(found);
    basis_.resize(n_, needed);
    projected_ = Block<double>::Zero(needed, needed);
    basis_.leftCols(wanted_) = found.vectors;
    projected_.diagonal().head(wanted_) = theta_;
    size_ = wanted_;
    probe_finds_more(false);
    return double(sign_) * (probable_ + found.residuals.norm());
  }

 private:
  static Index block_size(const EigenRequest& r) {
    if (r.block > 0) return r.block;
    return std::is_same_v<T, float> ? 16 : 8;
  }
  static double default_tolerance() { return std::is_same_v<T, float> ? 1e-5 : 1e-10; }

  [[nodiscard]] BlockView<T> basis(Index count) const { return basis_.leftCols(count); }

  void begin(const Block<T>& start, Index first_block) {
    basis_.resize(n_, capacity_ + first_block);
    projected_ = Block<double>::Zero(basis_.cols(), basis_.cols());
    size_ = 0;
    frontier_ = first_block;
    BlockRef<T> first = basis_.leftCols(frontier_);
    fill_random<T>(first, random_);
    if (start.cols() > 0) first.leftCols(start.cols()) = start;
    orthonormalize<T>(basis(0), first, std::numeric_limits<double>::min(), random_);
  }

  /// One pass: A times the frontier, made orthogonal to the basis, becomes the next frontier.
  void expand() {
    run_.check();
    const Index with_frontier = size_ + frontier_;
    Block<T> w(n_, frontier_);
    op_.apply(basis_.middleCols(size_, frontier_), w, run_);
    if (sign_ < 0) w = -w;
    norm_ = std::max(norm_, double(w.colwise().norm().maxCoeff()));
    const Block<double> coefficients = project_out<T>(basis(with_frontier), w).template cast<double>();
    projected_.block(0, size_, with_frontier, frontier_) = coefficients;
    projected_.block(size_, 0, frontier_, with_frontier) = coefficients.transpose();
    const double negligible = 10 * double(std::numeric_limits<T>::epsilon()) * norm_;
    coupling_ = orthonormalize<T>(basis(with_frontier), w, negligible, random_);
    basis_.middleCols(with_frontier, frontier_) = w;
    size_ = with_frontier;
    ++passes_;
  }

  /// Eigenpairs of QᵀAQ, largest first, and the residual ‖B s_last‖ of each Ritz pair.
  void ritz() {
    Block<double> s = projected_.topLeftCorner(size_, size_);
    Vector<double> theta;
    linalg::syevd(s, theta);
    theta_ = theta.reverse();
    ritz_ = s.rowwise().reverse();
    const Index last = coupling_.cols();
    residual_ = (coupling_ * ritz_.bottomRows(last)).colwise().norm();
    scale_ = std::max(std::abs(theta_[0]), std::abs(theta_[size_ - 1]));
  }

  /// Largest residual of the wanted pairs, relative to the largest eigenvalue; what rounding makes
  /// of a product with A (floor_) counts as nothing.
  [[nodiscard]] double worst_residual() const {
    const double worst = residual_.head(wanted_).maxCoeff();
    return worst <= floor_ || scale_ == 0 ? 0 : worst / scale_;
  }

  /// A block shows at most `block` copies of a repeated eigenvalue. Are there that many equal ones?
  [[nodiscard]] bool may_hide_copies() const {
    for (Index i = 0; i + block_ <= wanted_; ++i)
      if (theta_[i] - theta_[i + block_ - 1] <= 1e-6 * scale_) return true;
    return false;
  }

  /// Keeps the first `keep` Ritz vectors; the frontier stays where the next pass begins.
  void compress(Index keep) {
    Block<T> kept = Block<T>::Zero(n_, keep);
    linalg::add_product<T>(1, basis(size_), ritz_.leftCols(keep).template cast<T>().eval(), kept);
    const Block<T> frontier = basis_.middleCols(size_, frontier_);
    basis_.leftCols(keep) = kept;
    basis_.middleCols(keep, frontier_) = frontier;
    projected_.setZero();
    projected_.diagonal().head(keep) = theta_.head(keep);
    size_ = keep;
  }

  void random_frontier() {
    frontier_ = block_;
    BlockRef<T> fresh = basis_.middleCols(size_, frontier_);
    fill_random<T>(fresh, random_);
    orthonormalize<T>(basis(size_), fresh, std::numeric_limits<double>::min(), random_);
  }

  /// Expands and restarts until the wanted pairs reach the target; false when the passes run out.
  bool iterate(double target) {
    double before = 0;
    Index passes_before = 0, next_check = 0;
    for (;;) {
      const bool full = size_ + 2 * frontier_ > basis_.cols(),
                 over = passes_ >= request_.max_passes && size_ > wanted_;
      if (full || over) {
        ritz();
        if (worst_residual() <= target) return true;
        if (over) return false;
        compress(std::min(wanted_ + (size_ - wanted_) / 2, size_ - frontier_));
      }
      expand();
      if (size_ < wanted_ + block_ || passes_ < next_check) continue;
      ritz();
      const double now = worst_residual();
      run_.report("eigenvectors", std::clamp(std::log(now + 1e-300) / std::log(target), 0.0, 1.0));
      if (now <= target) return true;
      // Check again when the residual's decay so far says that it may be there.
      Index wait = 1;
      if (before > now && passes_ > passes_before) {
        const double rate = std::log(before / now) / double(passes_ - passes_before);
        wait = std::clamp<Index>(static_cast<Index>(0.7 * std::log(now / target) / rate), 1, 6);
      }
      before = now;
      passes_before = passes_;
      next_check = passes_ + wait;
    }
  }

  /// A few steps from a fresh random block, orthogonal to what was found: they give the probable
  /// bound. True when they show an eigenvalue that should have been among the wanted ones. If
  /// thorough, goes on until the largest one left over has converged or is clearly too small.
  bool probe_finds_more(bool thorough) {
    random_frontier();
    const double wanted = wanted_ > 0 ? theta_[wanted_ - 1] : std::numeric_limits<double>::infinity();
    double largest = 0, smallest = 0;
    Index steps = 0;  // of the Krylov space that the bound speaks of; a restart of it adds none
    for (Index step = 1;; ++step) {
      expand();
      run_.report("checking for missed eigenvalues", std::min(1.0, double(step) / double(probe_steps_)));
      if (step < probe_steps_) continue;
      const Index rest = size_ - wanted_;
      Block<double> inner = projected_.block(wanted_, wanted_, rest, rest);
      Vector<double> values;
      linalg::syevd(inner, values);
      if (rest == step * block_) steps = step;
      largest = values[rest - 1];
      smallest = std::min(smallest, values[0]);
      const double residual = (coupling_ * inner.col(rest - 1).tail(coupling_.cols())).norm();
      const bool found = largest > wanted + tolerance_ * scale_, enough = passes_ >= request_.max_passes;
      const bool settled = largest + residual <= wanted || residual <= std::max(tolerance_ * scale_, floor_);
      // A bound below the last wanted value says that these are the largest: worth a few more steps.
      const bool tell_apart =
          step < probe_steps_ + extra_steps && probable_bound(largest, smallest, step) > wanted;
      if (found || enough || (thorough ? settled : !tell_apart)) break;
      if (size_ + 2 * frontier_ > basis_.cols())
        compress_rest(inner.rightCols(rest / 2), values.tail(rest / 2));
    }
    scale_ = std::max({scale_, std::abs(largest), std::abs(smallest)});
    probable_ = probable_bound(largest, smallest, steps);
    ++probes_;
    return largest > wanted + tolerance_ * scale_;
  }

  /// What the extreme Ritz values of `steps` steps say of the eigenvalues left over. Each probe may
  /// fail, and for an indefinite operator at either end: all of them together with probability delta.
  [[nodiscard]] double probable_bound(double largest, double smallest, Index steps) const {
    const double delta = std::ldexp(request_.delta, -static_cast<int>(probes_ + 1)) / (one_sided_ ? 1 : 2);
    const double epsilon = lanczos_epsilon(n_, block_, steps, delta);
    const double rounding = 10 * double(std::numeric_limits<T>::epsilon()) * scale_ + cancelled_;
    if (one_sided_) return std::max(largest, 0.0) / std::max(0.1, 1 - epsilon) + rounding;
    return largest + epsilon * (largest - smallest) / std::max(0.1, 1 - 2 * epsilon) + rounding;
  }

  /// Replaces the basis beyond the wanted vectors by these combinations of it.
  void compress_rest(const Block<double>& combinations, const Vector<double>& values) {
    const Index rest = size_ - wanted_, keep = combinations.cols();
    Block<T> kept = Block<T>::Zero(n_, keep);
    linalg::add_product<T>(1, basis_.middleCols(wanted_, rest), combinations.template cast<T>().eval(), kept);
    const Block<T> frontier = basis_.middleCols(size_, frontier_);
    basis_.middleCols(wanted_, keep) = kept;
    size_ = wanted_ + keep;
    basis_.middleCols(size_, frontier_) = frontier;
    projected_.setZero();
    projected_.diagonal().head(wanted_) = theta_.head(wanted_);
    projected_.diagonal().segment(wanted_, keep) = values;
  }

  /// Where the space left over is small, its largest eigenvalue itself.
  double exact_missed(const Spectrum<T>& found) {
    if (wanted_ >= n_) return 0;
    Block<T> image = written_out();  // P A P
    project_out<T>(found.vectors, image);
    image.transposeInPlace();
    project_out<T>(found.vectors, image);
    Block<double> matrix = (image + image.transpose()).template cast<double>() / 2;
    Vector<double> values;
    linalg::syevd(matrix, values);  // with a zero for each vector projected out
    const double reach = sign_ > 0 ? values[n_ - 1] : values[0];
    const double rounding =
        10 * double(n_) * double(std::numeric_limits<T>::epsilon()) * values.cwiseAbs().maxCoeff();
    return reach + double(sign_) * (rounding + found.residuals.norm());
  }

  /// The wanted pairs are the first columns of the basis.
  Spectrum<T> finish(bool converged) {
    Spectrum<T> out;
    out.vectors = basis_.leftCols(wanted_);
    out.values = double(sign_) * theta_.head(wanted_);
    out.residuals = residual_.head(wanted_);
    out.converged = converged;
    if (request_.certify) {
      out.residuals = residual_norms<T>(op_, out.vectors, out.values, run_);
      passes_ += (wanted_ + block_ - 1) / block_;
      out.converged = converged && out.residuals.maxCoeff() <= std::max(tolerance_ * scale_, 2 * floor_);
    }
    out.passes = passes_;
    set_bounds(out, probable_);
    fix_signs<T>(out.vectors);
    return out;
  }

  void set_bounds(Spectrum<T>& out, double probable) const {
    const double coupling = out.residuals.norm();
    out.missed.rigorous =
        rigorous_missed_bound(op_, out.values, out.residuals, request_.end, request_.positive_semidefinite);
    if (out.converged) {
      const double bound = double(sign_) * (probable + coupling);
      out.missed.probable =
          sign_ > 0 ? std::min(bound, out.missed.rigorous) : std::max(bound, out.missed.rigorous);
      out.missed.delta = request_.delta;
    }
  }

  /// A times the identity, a few columns at a time, so that the operator's own sums stay small.
  Block<T> written_out() {
    constexpr Index at_once = 32;
    Block<T> matrix(n_, n_);
    for (Index c = 0; c < n_; c += at_once) {
      const Index count = std::min(at_once, n_ - c);
      Block<T> columns = Block<T>::Zero(n_, count);
      columns.middleRows(c, count).setIdentity();
      op_.apply(columns, matrix.middleCols(c, count), run_);
    }
    matrix = ((matrix + matrix.transpose()) / 2).eval();
    return matrix;
  }

  /// Small operators, and many wanted pairs, are left to LAPACK.
  Spectrum<T> solve_densely() {
    Block<T> matrix = written_out();
    passes_ = (n_ + block_ - 1) / block_;
    Spectrum<T> all = dense_eigenpairs<T>(std::move(matrix), n_, request_.end, run_);
    Spectrum<T> out;
    out.values = all.values.head(wanted_);
    out.vectors = all.vectors.leftCols(wanted_);
    const Vector<double> residuals = residual_norms<T>(op_, all.vectors, all.values, run_);
    out.residuals = residuals.head(wanted_);
    scale_ = n_ > 0 ? all.values.cwiseAbs().maxCoeff() : 0;
    out.passes = passes_ + 1;
    // All n vectors are orthonormal, so every eigenvalue lies within ‖R‖ of its neighbour in the list.
    const double next = wanted_ < n_ ? all.values[wanted_] : (sign_ > 0 ? -scale_ : scale_);
    out.missed.rigorous = next + double(sign_) * residuals.norm();
    if (request_.positive_semidefinite && sign_ > 0) out.missed.rigorous = std::max(out.missed.rigorous, 0.0);
    out.missed.probable = out.missed.rigorous;
    const double rounding = 16 * std::sqrt(double(n_)) * double(std::numeric_limits<T>::epsilon());
    out.converged =
        n_ == 0 || out.residuals.maxCoeff() <= std::max(std::max(tolerance_, rounding) * scale_, 2 * floor_);
    return out;
  }

  const SymmetricOperator<T>& op_;
  const EigenRequest& request_;
  const Run& run_;
  Random random_;
  Index n_, wanted_, block_, capacity_ = 0;
  T sign_;
  double tolerance_;
  bool one_sided_;  ///< nothing lies below zero, and the upper end is wanted
  Index probe_steps_;
  double cancelled_;  ///< what rounding of the numbers that cancel inside A leaves of a product with it
  double floor_;      ///< residuals below count as nothing, unless a tolerance was asked for
  Index probes_ = 0;

  Block<T> basis_;           ///< the first size_ columns are the basis Q, the next frontier_ the frontier
  Block<double> projected_;  ///< QᵀAQ
  Block<double> coupling_;   ///< A·(last block) = Q(...) + frontier·coupling
  Index size_ = 0, frontier_ = 0, passes_ = 0;
  Vector<double> theta_, residual_;
  Block<double> ritz_;
  double norm_ = 0, scale_ = 0;
  double probable_ = std::numeric_limits<double>::infinity();
};

}  // namespace

template <class T>
Spectrum<T> eigenpairs(const SymmetricOperator<T>& op, const EigenRequest& request, const Run& run,
                       const Block<T>& start) {
  if (request.count < 1)
    throw Error(ErrorCode::usage, fmt::format("{} eigenpairs were asked for", request.count),
                "ask for at least 1");
  if (!(request.delta > 0 && request.delta < 1))
    throw Error(ErrorCode::usage, fmt::format("delta = {} is no probability", request.delta));
  const ThreadScope threads(run);
  Spectrum<T> out = BlockKrylov<T>(op, request, run).solve(start);
  if (!out.converged && !request.allow_partial) {
    const double scale = out.values.size() ? out.values.cwiseAbs().maxCoeff() : 1;
    throw Error(ErrorCode::not_converged,
                fmt::format("the eigenvectors have not converged after {} passes: relative residual {:.1e}",
                            out.passes, scale > 0 ? out.residuals.maxCoeff() / scale : 0),
                "ask for a larger residual or fewer components");
  }
  return out;
}

template <class T>
double probable_missed_bound(const SymmetricOperator<T>& op, const Spectrum<T>& found,
                             const EigenRequest& request, const Run& run) {
  const ThreadScope threads(run);
  return BlockKrylov<T>(op, request, run).bound_missed(found);
}

template double probable_missed_bound(const SymmetricOperator<float>&, const Spectrum<float>&,
                                      const EigenRequest&, const Run&);
template double probable_missed_bound(const SymmetricOperator<double>&, const Spectrum<double>&,
                                      const EigenRequest&, const Run&);
template Spectrum<float> eigenpairs(const SymmetricOperator<float>&, const EigenRequest&, const Run&,
                                    const Block<float>&);
template Spectrum<double> eigenpairs(const SymmetricOperator<double>&, const EigenRequest&, const Run&,
                                     const Block<double>&);

}  // namespace mercer
