// L-BFGS (Liu, Nocedal 1989) on the augmented Lagrangian, with exact steps along its lines. The Laplacian's
// bottom is where the problem is badly conditioned, and its eigenvectors are known: they precondition it.
#include "manifold/mvu_refine.hpp"

#include "manifold/mvu_tension.hpp"

#include <deque>

namespace mercer {
namespace {

constexpr std::size_t remembered = 12;
constexpr Index most_rounds = 12, most_descents = 400;
constexpr double enough = 1e-5;  ///< predicted fall of F that ends a round, relative to the variance's part
constexpr double exact_enough = 1e-3;  ///< root mean square change of squared lengths that ends it all

/// (L + shift)⁻¹ on the basis, 1/beyond on the rest, over 4ρ: about the inverse of the stretching's Hessian.
class Preconditioner {
 public:
  explicit Preconditioner(const MvuBasis& basis) : basis_(basis), beyond_(2 * basis.values.maxCoeff()) {
    gain_ = basis.values.cwiseInverse().array() - 1 / beyond_;
  }
  [[nodiscard]] Matrix<double> apply(const Matrix<double>& g) const {
    const Block<double> part = gain_.asDiagonal() * (basis_.vectors.transpose() * g);
    return g / beyond_ + basis_.vectors * part;
  }

 private:
  const MvuBasis& basis_;
  double beyond_;
  Vector<double> gain_;
};

double inner(const Matrix<double>& a, const Matrix<double>& b) { return a.cwiseProduct(b).sum(); }

struct Pair {
  Matrix<double> step, change;
  double curvature;
};

/// The two-loop recursion.
Matrix<double> descent(const Matrix<double>& gradient, const std::deque<Pair>& pairs,
                       const Preconditioner& preconditioner) {
  Matrix<double> q = gradient;
  std::vector<double> alpha(pairs.size());
  for (std::size_t k = pairs.size(); k-- > 0;) {
    alpha[k] = inner(pairs[k].step, q) / pairs[k].curvature;
    q -= alpha[k] * pairs[k].change;
  }
  Matrix<double> r = preconditioner.apply(q);
  if (!pairs.empty()) {
    const Pair& last = pairs.back();
    r *= last.curvature / inner(last.change, preconditioner.apply(last.change));
  }
  for (std::size_t k = 0; k < pairs.size(); ++k)
    r += (alpha[k] - inner(pairs[k].change, r) / pairs[k].curvature) * pairs[k].step;
  return -r;
}

/// Goes down F until little more is to be had; returns the steps taken.
Index minimise(const Tension& tension, const Preconditioner& preconditioner, double scale, Matrix<double>& x,
               const Run& run) {
  std::deque<Pair> pairs;
  Matrix<double> gradient, next;
  tension.gradient(x, gradient, run);
  for (Index step = 0; step < most_descents; ++step) {
    run.check();
    Matrix<double> p = descent(gradient, pairs, preconditioner);
    if (inner(p, gradient) >= 0) {
      pairs.clear();
      p = -preconditioner.apply(gradient);
    }
    const auto quartic = tension.along(x, p, run);
    const double t = least_place(quartic);
    const double fall = -t * (quartic[1] + t * (quartic[2] + t * (quartic[3] + t * quartic[4])));
    p *= t;
    x += p;
    tension.gradient(x, next, run);
    Pair pair{std::move(p), next - gradient, 0};
    pair.curvature = inner(pair.step, pair.change);
    gradient.swap(next);
    if (pair.curvature > 0) pairs.push_back(std::move(pair));
    if (pairs.size() > remembered) pairs.pop_front();
    if (!(fall > 1e-3 * enough * scale)) return step + 1;
  }
  return most_descents;
}

}  // namespace

RefinedMap refine(const MvuLinks& links, const MvuBasis& basis, Matrix<double>& map, const Run& run) {
  const Preconditioner preconditioner(basis);
  Tension tension(links, basis.pull, first_stiffness);
  const Vector<double>& c = links.weight;
  const auto center = [&] {
    const Eigen::RowVectorXd mean = c.transpose() * map / c.sum();
    map.rowwise() -= mean;
  };
  center();
  RefinedMap out;
  out.change = tension.change(map, run);
  while (out.rounds < most_rounds) {
    run.report("refinement", double(out.rounds++) / double(most_rounds));
    const double scale = basis.pull * c.dot(map.rowwise().squaredNorm());
    const Index steps = minimise(tension, preconditioner, scale, map, run);
    out.steps += steps;
    const double before = out.change;
    out.change = tension.change(map, run);
    out.converged = out.change < exact_enough || steps < most_descents;
    if (out.change < exact_enough) break;
    tension.update(map, run);
    if (out.change > before / 4) tension.stiffen(2);
  }
  run.report("refinement", 1);
  center();
  return out;
}

}  // namespace mercer
