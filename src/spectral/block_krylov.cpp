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

template <class T>
class BlockKrylov {
 public:
  BlockKrylov(const SymmetricOperator<T>& op, const EigenRequest& request, const Run& run)
      : op_(op), request_(request), run_(run), random_(run.seed, 0x6b72796c6f76ULL), n_(op.size()),
        wanted_(std::min(request.count, n_)), block_(block_size(request)), sign_(request.end == End::largest ? T(1) : T(-1)),
        tolerance_(request.tolerance > 0 ? request.tolerance : default_tolerance()),
        probe_steps_(lanczos_steps(n_, block_, request.positive_semidefinite && request.end == End::largest ? epsilon_psd : epsilon_indefinite, request.delta)) {
    const Index asked = request.basis > 0 ? request.basis : 2 * wanted_ + 32 * block_;
    capacity_ = std::max({asked, wanted_ + 3 * block_, wanted_ + (probe_steps_ + 2) * block_});
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
      if (probe_finds_more()) continue;  // the found vectors are in the basis: go on from here
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
    const Index needed = wanted_ + (probe_steps_ + 2) * block_;
    if (n_ < needed + block_) return exact_missed(found);
    basis_.resize(n_, needed);
    projected_ = Block<double>::Zero(needed, needed);
    basis_.leftCols(wanted_) = found.vectors;
    projected_.diagonal().head(wanted_) = theta_;
    size_ = wanted_;
    probe_finds_more();
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

  /// Largest residual of the wanted pairs, relative to the largest eigenvalue.
  [[nodiscard]] double worst_residual() const {
    if (scale_ == 0) return 0;
    return residual_.head(wanted_).maxCoeff() / scale_;
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
      if (size_ + 2 * frontier_ > basis_.cols()) {
        ritz();
        if (worst_residual() <= target) return true;
        compress(std::min(wanted_ + (size_ - wanted_) / 2, size_ - frontier_));
      }
      if (passes_ >= request_.max_passes && size_ > wanted_) {
        ritz();
        return worst_residual() <= target;
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
  /// bound. True when they show an eigenvalue that should have been among the wanted ones.
  bool probe_finds_more() {
    random_frontier();
    for (Index step = 0; step < probe_steps_; ++step) {
      expand();
      run_.report("checking for missed eigenvalues", double(step + 1) / double(probe_steps_));
    }
    const Index rest = size_ - wanted_;
    Block<double> inner = projected_.block(wanted_, wanted_, rest, rest);
    Vector<double> values;
    linalg::syevd(inner, values);
    const double largest = values[rest - 1], smallest = values[0];
    scale_ = std::max({scale_, std::abs(largest), std::abs(smallest)});
    const double rounding = 10 * double(std::numeric_limits<T>::epsilon()) * scale_;
    const double epsilon = lanczos_epsilon(n_, block_, probe_steps_, request_.delta);
    if (request_.positive_semidefinite && sign_ > 0) probable_ = std::max(largest, 0.0) / (1 - epsilon) + rounding;
    else probable_ = largest + epsilon * (largest - smallest) / (1 - 2 * epsilon) + rounding;
    return wanted_ > 0 && largest > theta_[wanted_ - 1] + tolerance_ * scale_;
  }

  /// Where the space left over is small, its largest eigenvalue itself.
  double exact_missed(const Spectrum<T>& found) {
    if (wanted_ >= n_) return 0;
    Block<T> rest = Block<T>::Identity(n_, n_);
    project_out<T>(found.vectors, rest);
    Block<T> image(n_, n_);
    op_.apply(rest, image, run_);
    project_out<T>(found.vectors, image);
    Block<double> matrix = (image + image.transpose()).template cast<double>() / 2;
    Vector<double> values;
    linalg::syevd(matrix, values);  // with a zero for each vector projected out
    const double reach = sign_ > 0 ? values[n_ - 1] : values[0];
    const double rounding = 10 * double(n_) * double(std::numeric_limits<T>::epsilon()) * values.cwiseAbs().maxCoeff();
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
      out.converged = converged && (scale_ == 0 || out.residuals.maxCoeff() <= tolerance_ * scale_);
    }
    out.passes = passes_;
    set_bounds(out, probable_);
    fix_signs<T>(out.vectors);
    return out;
  }

  void set_bounds(Spectrum<T>& out, double probable) const {
    const double coupling = out.residuals.norm();
    const double rounding = 10 * double(std::numeric_limits<T>::epsilon()) * scale_ * std::sqrt(double(n_));
    out.missed.rigorous = rigorous_missed_bound(op_.trace(), op_.frobenius_squared(), n_, out.values, out.residuals, request_.end,
                                                request_.positive_semidefinite, rounding);
    if (out.converged) {
      const double bound = double(sign_) * (probable + coupling);
      out.missed.probable = sign_ > 0 ? std::min(bound, out.missed.rigorous) : std::max(bound, out.missed.rigorous);
      out.missed.delta = request_.delta;
    }
  }

  /// Small operators are written out: A times the identity.
  Spectrum<T> solve_densely() {
    const Block<T> identity = Block<T>::Identity(n_, n_);
    Block<T> matrix(n_, n_);
    op_.apply(identity, matrix, run_);
    matrix = ((matrix + matrix.transpose()) / 2).eval();
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
    out.converged = n_ == 0 || out.residuals.maxCoeff() <= std::max(tolerance_, 100 * double(n_) * double(std::numeric_limits<T>::epsilon())) * scale_;
    return out;
  }

  const SymmetricOperator<T>& op_;
  const EigenRequest& request_;
  const Run& run_;
  Random random_;
  Index n_, wanted_, block_, capacity_ = 0;
  T sign_;
  double tolerance_;
  Index probe_steps_;

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
Spectrum<T> eigenpairs(const SymmetricOperator<T>& op, const EigenRequest& request, const Run& run, const Block<T>& start) {
  if (request.count < 1) throw Error(ErrorCode::usage, fmt::format("{} eigenpairs were asked for", request.count), "ask for at least 1");
  if (!(request.delta > 0 && request.delta < 1)) throw Error(ErrorCode::usage, fmt::format("delta = {} is no probability", request.delta));
  const ThreadScope threads(run);
  Spectrum<T> out = BlockKrylov<T>(op, request, run).solve(start);
  if (!out.converged && !request.allow_partial) {
    const double scale = out.values.size() ? out.values.cwiseAbs().maxCoeff() : 1;
    throw Error(ErrorCode::not_converged,
                fmt::format("the eigenvectors have not converged after {} passes: relative residual {:.1e}", out.passes,
                            scale > 0 ? out.residuals.maxCoeff() / scale : 0),
                "ask for a larger residual or fewer components");
  }
  return out;
}

template <class T>
double probable_missed_bound(const SymmetricOperator<T>& op, const Spectrum<T>& found, const EigenRequest& request, const Run& run) {
  const ThreadScope threads(run);
  return BlockKrylov<T>(op, request, run).bound_missed(found);
}

template double probable_missed_bound(const SymmetricOperator<float>&, const Spectrum<float>&, const EigenRequest&, const Run&);
template double probable_missed_bound(const SymmetricOperator<double>&, const Spectrum<double>&, const EigenRequest&, const Run&);
template Spectrum<float> eigenpairs(const SymmetricOperator<float>&, const EigenRequest&, const Run&, const Block<float>&);
template Spectrum<double> eigenpairs(const SymmetricOperator<double>&, const EigenRequest&, const Run&, const Block<double>&);

}  // namespace mercer
