// The reduced program: its quadratic form gathered over the links, then Newton along the central path. The
// basis is scaled by λ^(−½), so that Σₗ qₗqₗᵀ = I and all of Y is of one size.
#include "manifold/mvu_reduced.hpp"

#include <mercer/spectrum.hpp>

#include "base/linalg.hpp"
#include "base/parallel.hpp"
#include "spectral/sparse_bottom.hpp"

namespace mercer {
namespace {

constexpr Index links_at_once = 1024, shares = 8;
constexpr double basis_residual = 1e-8;
constexpr double last_gap = 1e-7;

/// The unknowns are Y_ab, a ≤ b; an off-diagonal one counts twice.
struct Unknowns {
  explicit Unknowns(Index m) : rows(m) {
    for (Index a = 0; a < m; ++a)
      for (Index b = a; b < m; ++b) pairs.emplace_back(a, b);
  }
  [[nodiscard]] Index size() const { return static_cast<Index>(pairs.size()); }
  [[nodiscard]] double times(std::size_t k) const { return pairs[k].first == pairs[k].second ? 1 : 2; }
  [[nodiscard]] Vector<double> gradient(const Block<double>& g) const {
    Vector<double> out(size());
    for (std::size_t k = 0; k < pairs.size(); ++k)
      out[Index(k)] = times(k) * g(pairs[k].first, pairs[k].second);
    return out;
  }
  [[nodiscard]] Block<double> matrix(const Vector<double>& y) const {
    Block<double> out(rows, rows);
    for (std::size_t k = 0; k < pairs.size(); ++k)
      out(pairs[k].first, pairs[k].second) = out(pairs[k].second, pairs[k].first) = y[Index(k)];
    return out;
  }
  Index rows;
  std::vector<std::pair<Index, Index>> pairs;
};

/// ½ yᵀHy − hᵀy + constant = ½ Σₗ ((gₗᵀy − dₗ²)/dₗ)², gₗ = svec(qₗqₗᵀ).
struct Quadratic {
  Block<double> h;  ///< lower triangle
  Vector<double> linear;
  double constant = 0;
};

Quadratic gather(const MvuLinks& links, const Block<double>& q, const Unknowns& unknowns, const Run& run) {
  struct Link {
    Index i, j;
    double squared;
  };
  std::vector<Link> all;
  for (Index i = 0; i < links.size(); ++i)
    for (SparseMatrix<double>::InnerIterator link(links.squared, i); link && link.col() < i; ++link)
      all.push_back({i, link.col(), link.value()});
  const Index p = unknowns.size(), m = q.cols(), count = static_cast<Index>(all.size());
  std::vector<Quadratic> parts(static_cast<std::size_t>(shares));
  const Matrix<double> rows = q;
  parallel_for(shares, run, [&](Index share) {
    Quadratic& part = parts[static_cast<std::size_t>(share)];
    part.h.setZero(p, p);
    part.linear.setZero(p);
    Block<double> g(p, links_at_once);
    Vector<double> target(links_at_once);
    const Index end = count * (share + 1) / shares;
    for (Index first = count * share / shares; first < end; first += links_at_once) {
      run.check();
      const Index some = std::min(links_at_once, end - first);
      for (Index l = 0; l < some; ++l) {
        const Link& link = all[static_cast<std::size_t>(first + l)];
        const Eigen::RowVectorXd d = rows.row(link.i) - rows.row(link.j);
        const double length = std::sqrt(measuring(link.squared));
        double* to = g.col(l).data();
        for (Index a = 0; a < m; ++a) {
          *to++ = d[a] * d[a] / length;
          for (Index b = a + 1; b < m; ++b) *to++ = 2 * d[a] * d[b] / length;
        }
        target[l] = link.squared / length;
      }
      linalg::syrk(linalg::Transpose::no, p, some, 1.0, g.data(), p, 1.0, part.h.data(), p);
      part.linear += g.leftCols(some) * target.head(some);
      part.constant += target.head(some).squaredNorm() / 2;
    }
  });
  Quadratic out = std::move(parts[0]);
  for (std::size_t share = 1; share < parts.size(); ++share) {
    out.h += parts[share].h;
    out.linear += parts[share].linear;
    out.constant += parts[share].constant;
  }
  return out;
}

/// −f(Y) = ½ρ‖·‖² − ⟨B, Y⟩ − μ log det Y, to be minimised.
class Barrier {
 public:
  Barrier(Quadratic quadratic, const Block<double>& b, Unknowns unknowns)
      : quadratic_(std::move(quadratic)), unknowns_(std::move(unknowns)), b_(unknowns_.gradient(b)) {}

  [[nodiscard]] const Unknowns& unknowns() const { return unknowns_; }
  /// Without the barrier.
  [[nodiscard]] double smooth(const Vector<double>& y) const {
    return first_stiffness * (0.5 * y.dot(form(y)) - quadratic_.linear.dot(y) + quadratic_.constant) -
           b_.dot(y);
  }
  /// One step of Newton with backtracking; returns its decrement λ², in units of μ.
  double step(Vector<double>& y, double mu) const {
    Block<double> root = unknowns_.matrix(y);
    if (linalg::cholesky(root) < root.rows()) throw Error(ErrorCode::internal, "a path left its cone");
    Block<double> inverse = Block<double>::Identity(root.rows(), root.rows());
    linalg::solve_lower(linalg::Transpose::no, root.rows(), root.rows(), root.data(), root.rows(),
                        inverse.data(), root.rows());
    linalg::solve_lower(linalg::Transpose::yes, root.rows(), root.rows(), root.data(), root.rows(),
                        inverse.data(), root.rows());
    const Vector<double> gradient =
        first_stiffness * (form(y) - quadratic_.linear) - b_ - mu * unknowns_.gradient(inverse);
    Block<double> hessian = first_stiffness * quadratic_.h;
    add_barrier(inverse, mu, hessian);
    hessian.diagonal() *= 1 + 1e-14;
    const Index p = unknowns_.size();
    if (linalg::cholesky(hessian) < p) throw Error(ErrorCode::internal, "a barrier lost its curvature");
    Vector<double> move = -gradient;
    linalg::solve_lower(linalg::Transpose::no, p, 1, hessian.data(), p, move.data(), p);
    const double decrement = move.squaredNorm();
    linalg::solve_lower(linalg::Transpose::yes, p, 1, hessian.data(), p, move.data(), p);
    const double now = smooth(y) - mu * log_det(root);
    for (double length = 1; length > 1e-8; length /= 2) {
      const Vector<double> next = y + length * move;
      Block<double> trial = unknowns_.matrix(next);
      if (linalg::cholesky(trial) < trial.rows()) continue;
      if (smooth(next) - mu * log_det(trial) > now - 0.1 * length * decrement) continue;
      y = next;
      return decrement / mu;
    }
    return 0;  // rounding: there is no lower place on the line
  }

 private:
  [[nodiscard]] Vector<double> form(const Vector<double>& y) const {
    return quadratic_.h.selfadjointView<Eigen::Lower>() * y;
  }
  static double log_det(const Block<double>& root) { return 2 * root.diagonal().array().log().sum(); }
  /// tr(P E_ab P E_cd) for P = Y⁻¹.
  void add_barrier(const Block<double>& p, double mu, Block<double>& hessian) const {
    const auto& pairs = unknowns_.pairs;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const Index c = pairs[k].first, d = pairs[k].second;
      for (std::size_t r = k; r < pairs.size(); ++r) {
        const Index a = pairs[r].first, b = pairs[r].second;
        hessian(Index(r), Index(k)) +=
            mu * unknowns_.times(r) * unknowns_.times(k) / 2 * (p(a, c) * p(b, d) + p(a, d) * p(b, c));
      }
    }
  }

  Quadratic quadratic_;
  Unknowns unknowns_;
  Vector<double> b_;
};

Block<double> scaled(const MvuBasis& basis) {
  return basis.vectors * basis.values.cwiseSqrt().cwiseInverse().asDiagonal();
}

}  // namespace

MvuBasis mvu_basis(const MvuLinks& links, Index count, const Run& run) {
  const SparseMatrix<double> laplacian = links.laplacian();
  BottomRequest request;
  request.count = count;
  request.tolerance = basis_residual;
  BottomPairs found = bottom_eigenpairs(laplacian, Vector<double>::Ones(links.size()), request, run);
  MvuBasis out;
  out.vectors = std::move(found.spectrum.vectors);
  out.values = std::move(found.spectrum.values);
  if (!(out.values[0] > 0))
    throw Error(ErrorCode::bad_data, "the graph falls into pieces", "more neighbours, or bridge the pieces");
  out.pull = out.values[0] / links.weight.maxCoeff();
  return out;
}

ReducedSolution solve_reduced(const MvuLinks& links, const MvuBasis& basis, const Run& run) {
  const Index m = basis.values.size();
  const Block<double> q = scaled(basis);
  const Vector<double>& c = links.weight;
  const Vector<double> mean = q.transpose() * c;
  Block<double> b = q.transpose() * c.asDiagonal() * q;
  b = basis.pull * (b - mean * mean.transpose() / c.sum());
  run.report("reduced program", 0);
  const Barrier barrier(gather(links, q, Unknowns(m), run), b, Unknowns(m));

  // Σₗ qₗᵀYqₗ = tr Y, which is Σ d² at the start.
  const double size = links.squared.sum() / 2;
  Block<double> start = Block<double>::Identity(m, m) * (size / double(m));
  Vector<double> y(barrier.unknowns().size());
  for (std::size_t k = 0; k < barrier.unknowns().pairs.size(); ++k)
    y[Index(k)] = start(barrier.unknowns().pairs[k].first, barrier.unknowns().pairs[k].second);
  const double first = std::max(std::abs(barrier.smooth(y)), size) / double(m);
  ReducedSolution out;
  double mu = first;
  while (true) {
    for (int inner = 0; inner < 50; ++inner) {
      run.check();
      ++out.steps;
      if (barrier.step(y, mu) < 0.01) break;
    }
    out.gap = double(m) * mu / std::max(std::abs(barrier.smooth(y)), size);
    run.report("reduced program", std::clamp(std::log(mu / first) / std::log(last_gap), 0.0, 1.0));
    if (out.gap < last_gap) break;
    mu /= 5;
  }
  out.y = barrier.unknowns().matrix(y);
  return out;
}

Matrix<double> coordinates(const MvuBasis& basis, const Block<double>& y, Index rank) {
  const Spectrum<double> s = dense_eigenpairs<double>(y, y.rows(), End::largest, Run{.threads = 1});
  Block<double> factor = s.vectors.leftCols(rank);
  // Axes of K rather than of Y: the eigenvectors of Y^½ QᵀQ Y^½ would turn them; the refinement does not
  // care.
  for (Index k = 0; k < rank; ++k) factor.col(k) *= std::sqrt(std::max(0.0, s.values[k]));
  return scaled(basis) * factor;
}

}  // namespace mercer
