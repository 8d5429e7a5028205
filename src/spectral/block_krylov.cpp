// Eigenpairs at one end of a symmetric operator by block Krylov iteration with full
// reorthogonalisation and thick restart (Stewart's Krylov-Schur 2001, symmetric block form).
//
// The random block the iteration began with also gives the probable bound on what may have been
// missed (see certificate.hpp): with what was found projected out, the space still holds the Krylov
// space of the rest. It sees at most `block` copies of a repeated eigenvalue, though. Where that many
// have been found, or the start was not random, the iteration goes on from a fresh random block
// orthogonal to the wanted pairs: if something larger turns up, it joins and the loop repeats; if
// not, those steps have given the bound.
//
// A rough product of the operator, if any, serves down to its error; exact ones then refine (see refine.hpp).
#include <mercer/spectrum.hpp>

#include "base/linalg.hpp"
#include "base/pages.hpp"
#include "base/parallel.hpp"
#include "spectral/certificate.hpp"
#include "spectral/orthonormal.hpp"
#include "spectral/refine.hpp"
#include "spectral/written_out.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

/// The probable bound is θ/(1 − ε): within a factor 1/(1 − ε) of the truth. An indefinite operator
/// needs both ends of the spectrum, and a smaller ε.
constexpr double epsilon_psd = 0.45, epsilon_indefinite = 0.15;
constexpr Index extra_steps = 4;  ///< added when the bound does not fall below the last wanted eigenvalue

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
        probe_steps_(lanczos_steps(n_, block_, one_sided_ ? epsilon_psd : epsilon_indefinite,
                                   request.delta / 4 / double(wanted_ + 1))) {
    const Index asked = request.basis > 0 ? request.basis : 2 * wanted_ + 32 * block_;
    const Index refining =
        op.has_rough_product() && request.basis == 0 ? (refine_rounds + 1) * wanted_ + 2 * block_ : 0;
    capacity_ = std::max(
        {asked, refining, wanted_ + 3 * block_, wanted_ + (probe_steps_ + extra_steps + 2) * block_});
  }

  Spectrum<T> solve(const Block<T>& start) {
    const Index first_block = std::max(block_, Index(start.cols()));
    capacity_ = std::max(capacity_, wanted_ + 3 * first_block);
    if (n_ <= capacity_ + 2 * first_block) return written_out_eigenpairs<T>(op_, request_, tolerance_, run_);
    begin(start, first_block);
    double target = tolerance_ / 2;
    for (int failures = 0;;) {
      const bool converged = iterate(target);
      if (rough_ && std::abs(theta_[wanted_ - 1]) < 1e3 * rough_error_) {
        // Values near the noise of rough products cannot be told from it: once more, with exact ones.
        exact_only_ = true;
        random_steps_ = 0;
        begin(start, first_block);
        continue;
      }
      if (converged && random_steps_ > 0) {
        const double own =
            probable_bound(size_ > wanted_ ? theta_[wanted_] : 0, smallest_, random_steps_, own_delta());
        // Only the space that began at random bounds anything; one built again from the wanted pairs may
        // raise the bound, never lower it.
        probable_ = std::isfinite(probable_) ? std::max(probable_, own) : own;
      }
      const bool refined = converged && rough_;
      if (refined) refine_wanted(target);
      compress(wanted_);
      if (!converged) {
        if (rough_) measure_wanted(target * scale_);  // values of rough products prove nothing
        return finish(false);
      }
      if (refined && residual_.maxCoeff() > std::max(tolerance_ * scale_, 2 * floor())) continue;
      if (random_steps_ == 0 || may_hide_copies()) {
        if (probe_finds_more(true)) continue;  // the finds are in the basis: go on
      }
      Spectrum<T> out = finish(true);
      if (out.converged || ++failures > 4) return out;
      target *= 0.2;  // the measured residual was larger than its estimate
      measure_wanted(target * scale_);
      compress(wanted_);
    }
  }

  /// What residuals are relative to: the largest |eigenvalue| seen.
  [[nodiscard]] double scale() const { return scale_; }
  /// The probable bound alone, for eigenpairs that came from elsewhere.
  double bound_missed(const Spectrum<T>& found) {
    wanted_ = found.values.size();
    theta_ = double(sign_) * found.values;
    scale_ = wanted_ > 0 ? theta_.cwiseAbs().maxCoeff() : 0;
    const Index needed = wanted_ + (probe_steps_ + extra_steps + 2) * block_;
    if (n_ < needed + block_) return exact_missed<T>(op_, found, request_.end, run_);
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

  /// Error of the image of a column of the basis: what a restart kept is a combination of all before.
  [[nodiscard]] double rough_column_error() const {
    return rough_error_ * (restarted_ ? std::sqrt(double(rough_columns_)) : 1);
  }
  /// What rounding of the numbers that cancel inside A leaves of a product with it.
  [[nodiscard]] double cancelled() const {
    return 16 * double(std::numeric_limits<T>::epsilon()) * op_.cancellation();
  }
  /// Residuals below count as nothing, unless a tolerance was asked for.
  [[nodiscard]] double floor() const { return request_.tolerance > 0 && request_.strict ? 0 : cancelled(); }

  [[nodiscard]] BlockView<T> basis(Index count) const { return basis_.leftCols(count); }

  void begin(const Block<T>& start, Index first_block) {
    basis_.resize(n_, capacity_ + first_block);
    ask_for_huge_pages(basis_.data(), static_cast<std::size_t>(basis_.size()) * sizeof(T));
    projected_ = Block<double>::Zero(basis_.cols(), basis_.cols());
    size_ = 0;
    frontier_ = first_block;
    BlockRef<T> first = basis_.leftCols(frontier_);
    fill_random<T>(first, random_);
    if (start.cols() > 0) first.leftCols(start.cols()) = start;
    orthonormalize<T>(basis(0), first, std::numeric_limits<double>::min(), random_);
    counting_ = start.cols() == 0;
    rough_ = op_.has_rough_product() && start.cols() == 0 && !exact_only_;
  }

  /// One pass: A times the frontier, made orthogonal to the basis, becomes the next frontier.
  void expand() {
    run_.check();
    measured_ = false;
    const Index with_frontier = size_ + frontier_;
    Block<T>& w = image_;
    w.resize(n_, frontier_);
    multiply(basis_.middleCols(size_, frontier_), w);
    norm_ = std::max(norm_, double(w.colwise().norm().maxCoeff()));
    Block<double> coefficients(with_frontier, frontier_);
    if (rough_) {
      // What joins the frontier to the basis is known from the passes before, and better than from this
      // one: the last block alone, unless there was a restart.
      const Index joined = counting_ ? std::min(size_, Index(coupling_.cols())) : size_;
      if (size_ > 0) {
        coefficients.topRows(size_) = link_.transpose();
        linalg::add_product<T>(-1, basis_.middleCols(size_ - joined, joined),
                               link_.rightCols(joined).transpose().template cast<T>().eval(), w);
      }
      coefficients.bottomRows(frontier_) =
          project_out<T>(basis_.middleCols(size_, frontier_), w).template cast<double>();
    } else {
      coefficients = project_out<T>(basis(with_frontier), w).template cast<double>();
    }
    projected_.block(0, size_, with_frontier, frontier_) = coefficients;
    projected_.block(size_, 0, frontier_, with_frontier) = coefficients.transpose();
    const double negligible = 10 * double(std::numeric_limits<T>::epsilon()) * norm_;
    coupling_ = orthonormalize<T>(basis(with_frontier), w, negligible, random_);
    basis_.middleCols(with_frontier, frontier_) = w;
    link_ = Block<double>::Zero(coupling_.rows(), with_frontier);
    link_.rightCols(coupling_.cols()) = coupling_;
    size_ = with_frontier;
    ++passes_;
    if (counting_) ++random_steps_;
  }

  /// w = ± A v, roughly while that is enough. Where the error is a visible part of the product (rounding
  /// in a nearly constant kernel) it never is.
  void multiply(const BlockView<T>& v, BlockRef<T> w) {
    rough_columns_ += rough_ ? v.cols() : 0;
    if (rough_)
      op_.apply_roughly(v, w, run_);
    else
      op_.apply(v, w, run_);
    if (rough_ && rough_error_ == 0) {
      rough_error_ = std::max(std::numeric_limits<double>::min(), op_.rough_error(v, run_));
      if (rough_error_ > 1e-4 * double(w.colwise().norm().minCoeff())) {
        rough_ = false;
        op_.apply(v, w, run_);
      }
    }
    if (sign_ < 0) w = -w;
  }

  /// The wanted pairs of a space built with rough products, made exact. What follows is exact.
  void refine_wanted(double target) {
    const Index keep = std::max(wanted_ + block_, basis_.cols() - refine_rounds * wanted_);
    if (keep < size_) {
      compress(keep);
      theta_.conservativeResize(keep);
      ritz_ = Block<double>::Identity(keep, keep);
    }
    RoughRitz<T> found{basis_,        ritz_,   theta_.head(size_),  basis_.middleCols(size_, frontier_),
                       link_ * ritz_, wanted_, rough_column_error()};
    // (the target leaves room for an estimate's error; these residuals are measured)
    const Refined<T> refined = refine<T>(op_, sign_, std::move(found), 1.9 * target * scale_, random_, run_);
    rough_ = false;
    take(refined);
    if (!measured_) measure_wanted(target * scale_);
  }

  /// Rayleigh-Ritz on the wanted vectors by exact products alone: what rough ones left in their values would
  /// stay in QᵀAQ for good.
  void measure_wanted(double target) {
    const Index room = std::max(block_, (basis_.cols() - wanted_) / 3);
    take(exact_ritz<T>(op_, sign_, basis_.leftCols(wanted_), target, std::min(wanted_, block_), room, random_,
                       run_));
  }

  void take(const Refined<T>& refined) {
    passes_ += refined.passes;
    theta_ = refined.values;
    residual_ = refined.residuals;
    measured_ = refined.measured;
    frontier_ = refined.directions.cols();
    basis_.leftCols(wanted_) = refined.vectors;
    basis_.middleCols(wanted_, frontier_) = refined.directions;
    size_ = wanted_;
    ritz_ = Block<double>::Identity(wanted_, wanted_);
    link_ = Block<double>::Zero(frontier_, wanted_);  // nothing is known of it
  }

  /// Eigenpairs of QᵀAQ, largest first, and the residual ‖B s_last‖ of each Ritz pair. All of them, or
  /// where the other end does not matter the wanted ones and one more.
  void ritz(bool all) {
    Block<double> s = projected_.topLeftCorner(size_, size_);
    Vector<double> theta;
    if (all || !one_sided_ || 2 * wanted_ + 2 > size_) {
      linalg::syevd(s, theta);
    } else {
      Block<double> top;
      linalg::syevr(s, size_ - wanted_ - 1, size_ - 1, theta, top);
      s = std::move(top);
    }
    theta_ = theta.reverse();
    ritz_ = s.rowwise().reverse();
    const Index last = coupling_.cols();
    residual_ = (coupling_ * ritz_.bottomRows(last)).colwise().norm();
    scale_ = std::max(std::abs(theta_[0]), std::abs(theta_[theta_.size() - 1]));
    smallest_ = std::min(smallest_, theta_[theta_.size() - 1]);  // a restart drops the lower end
  }

  /// Largest residual of the wanted pairs, relative to the largest eigenvalue; what rounding makes
  /// of a product with A (floor()), or its roughness, counts as nothing.
  [[nodiscard]] double worst_residual() const {
    const double worst = residual_.head(wanted_).maxCoeff();
    return worst <= std::max(floor(), rough_ ? rough_error_ : 0) || scale_ == 0 ? 0 : worst / scale_;
  }

  /// A block shows at most `block` copies of a repeated eigenvalue. Are there that many equal ones?
  [[nodiscard]] bool may_hide_copies() const {
    const double equal = std::max(1e-6, 10 * tolerance_) * scale_;
    for (Index i = 0; i + block_ <= wanted_; ++i)
      if (theta_[i] - theta_[i + block_ - 1] <= equal) return true;
    return false;
  }

  /// Keeps the first `keep` Ritz vectors; the frontier stays where the next pass begins.
  void compress(Index keep) {
    counting_ = false;
    Block<T> kept = Block<T>::Zero(n_, keep);
    linalg::add_product<T>(1, basis(size_), ritz_.leftCols(keep).template cast<T>().eval(), kept);
    const Block<T> frontier = basis_.middleCols(size_, frontier_);
    basis_.leftCols(keep) = kept;
    basis_.middleCols(keep, frontier_) = frontier;
    projected_.setZero();
    projected_.diagonal().head(keep) = theta_.head(keep);
    link_ = (link_ * ritz_.leftCols(keep)).eval();
    size_ = keep;
  }

  /// Expands and restarts until the wanted pairs reach the target; false when the passes run out.
  bool iterate(double target) {
    double before = 0;
    Index passes_before = 0, next_check = 0;
    for (;;) {
      const bool full = size_ + 2 * frontier_ > basis_.cols(),
                 over = passes_ >= request_.max_passes && size_ > wanted_;
      if (full || over) {
        ritz(true);
        if (worst_residual() <= target) return true;
        if (over) return false;
        compress(std::min(wanted_ + (size_ - wanted_) / 2, size_ - frontier_));
        restarted_ = true;
      }
      expand();
      if (size_ < wanted_ + block_ || passes_ < next_check) continue;
      ritz(false);
      const double now = worst_residual();
      run_.report("eigenvectors", std::clamp(std::log(now + 1e-300) / std::log(target), 0.0, 1.0));
      if (now <= target && (!counting_ || random_steps_ >= probe_steps_)) {
        ritz(true);
        return true;
      }
      // Check again when the residual's decay so far says that it may be there.
      Index wait = 1;
      if (now > target && before > now && passes_ > passes_before) {
        const double rate = std::log(before / now) / double(passes_ - passes_before);
        const double aim = std::max(target, rough_ ? rough_error_ / scale_ : 0);
        wait = std::clamp<Index>(static_cast<Index>(0.7 * std::log(now / aim) / rate), 1, 6);
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
    rough_ = false;  // nothing is known of what joins the frontier to the basis
    frontier_ = block_;
    BlockRef<T> fresh = basis_.middleCols(size_, frontier_);
    fill_random<T>(fresh, random_);
    orthonormalize<T>(basis(size_), fresh, std::numeric_limits<double>::min(), random_);
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
      const bool settled = largest + residual <= wanted || residual <= std::max(tolerance_ * scale_, floor());
      // A bound below the last wanted value says that these are the largest: worth a few more steps.
      const bool tell_apart = step < probe_steps_ + extra_steps &&
                              probable_bound(largest, smallest, step, probe_delta()) > wanted;
      if (found || enough || (thorough ? settled : !tell_apart)) break;
      if (size_ + 2 * frontier_ > basis_.cols())
        compress_rest(inner.rightCols(rest / 2), values.tail(rest / 2));
    }
    scale_ = std::max({scale_, std::abs(largest), std::abs(smallest)});
    probable_ = probable_bound(largest, smallest, steps, probe_delta());
    ++probes_;
    return largest > wanted + tolerance_ * scale_;
  }

  /// How often each bound may fail, so that all of them together fail with probability delta. The
  /// largest eigenvalue left over by the iteration itself is one of the first wanted + 1: it must not
  /// fail for any of these.
  [[nodiscard]] double own_delta() const { return request_.delta / 2 / double(wanted_ + 1); }
  [[nodiscard]] double probe_delta() const {
    return std::ldexp(request_.delta, -static_cast<int>(probes_ + 2));
  }

  /// What the extreme Ritz values of `steps` steps from random vectors say of the eigenvalues left over.
  /// Rough products change QᵀAQ, and so its eigenvalues, by at most the errors of all columns together.
  [[nodiscard]] double probable_bound(double largest, double smallest, Index steps, double delta) const {
    const double rounding = 10 * double(std::numeric_limits<T>::epsilon()) * scale_ + cancelled();
    return lanczos_bound(largest, smallest, n_, block_, steps, delta, one_sided_) + rounding +
           (rough_ ? 2 * std::sqrt(double(size_)) * rough_column_error() : 0);
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

  /// The wanted pairs are the first columns of the basis.
  Spectrum<T> finish(bool converged) {
    Spectrum<T> out;
    out.vectors = basis_.leftCols(wanted_);
    out.values = double(sign_) * theta_.head(wanted_);
    out.residuals = residual_.head(wanted_);
    out.converged = converged;
    if (request_.certify && !measured_) {
      out.residuals = residual_norms<T>(op_, out.vectors, out.values, run_);
      passes_ += (wanted_ + block_ - 1) / block_;
    }
    if (request_.certify)
      out.converged &= out.residuals.maxCoeff() <= std::max(tolerance_ * scale_, 2 * floor());
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

  const SymmetricOperator<T>& op_;
  const EigenRequest& request_;
  const Run& run_;
  Random random_;
  Index n_, wanted_, block_, capacity_ = 0;
  T sign_;
  double tolerance_;
  bool one_sided_;  ///< nothing lies below zero, and the upper end is wanted
  Index probe_steps_;
  Index probes_ = 0;
  bool counting_ = false;   ///< the basis is the whole Krylov space of the random start
  Index random_steps_ = 0;  ///< steps of that space; 0: the start was not random

  Block<T> image_;           ///< A·frontier, while it is made orthogonal to the basis
  Block<T> basis_;           ///< the first size_ columns are the basis Q, the next frontier_ the frontier
  Block<double> projected_;  ///< QᵀAQ
  Block<double> coupling_;   ///< A·(last block) = Q(...) + frontier·coupling
  Block<double> link_;       ///< frontierᵀ A Q
  Index size_ = 0, frontier_ = 0, passes_ = 0;
  Vector<double> theta_, residual_;
  Block<double> ritz_;
  double norm_ = 0, scale_ = 0;  ///< the largest ‖A q‖ of all, and the largest |Ritz value|
  double rough_error_ = 0;       ///< of the rough product of a unit vector; 0: not measured yet
  bool rough_ = false;           ///< products are rough for now
  bool exact_only_ = false,
       restarted_ = false;   ///< the latter: the basis holds what combines columns now gone
  Index rough_columns_ = 0;  ///< multiplied so far
  double smallest_ = 0;      ///< the smallest Ritz value so far
  bool measured_ = false;    ///< residual_ is not an estimate: it follows from exact products
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
  BlockKrylov<T> solver(op, request, run);
  Spectrum<T> out = solver.solve(start);
  if (!out.converged && !request.allow_partial) {
    const double scale = std::max(solver.scale(), out.values.size() ? out.values.cwiseAbs().maxCoeff() : 0);
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
