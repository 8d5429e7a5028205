// Block principal pivoting, and coordinate descent where it gives up.
#include "tensor/nonnegative_least_squares.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

constexpr int trials = 3;  ///< exchanges of all wrong entries that may fail before one at a time is tried
constexpr double rounding = 1e-14;

double objective(const Block<double>& g, const Vector<double>& b, const Vector<double>& x) {
  return 0.5 * x.dot(g * x) - b.dot(x);
}

}  // namespace

NonnegativeLeastSquares::NonnegativeLeastSquares(Index size)
    : positive_(static_cast<std::size_t>(size)), y_(size), some_(size), part_(size, size) {}

void NonnegativeLeastSquares::solve(const Block<double>& g, const Vector<double>& b, Vector<double>& x) {
  const Vector<double> before = x;
  if (pivot(g, b, x)) {
    x = x.cwiseMax(0);
    if (objective(g, b, x) <= objective(g, b, before)) return;
  }
  x = before;
  descend(g, b, x);
}

bool NonnegativeLeastSquares::pivot(const Block<double>& g, const Vector<double>& b, Vector<double>& x) {
  const Index n = b.size();
  for (Index i = 0; i < n; ++i) positive_[static_cast<std::size_t>(i)] = x[i] > 0;
  const double small_y = rounding * std::max(b.cwiseAbs().maxCoeff(), 1e-300);
  Index fewest = n + 1;
  int left = trials;
  for (Index round = 0; round < 20 + 5 * n; ++round) {
    if (!solve_on_set(g, b, x)) return false;
    const double small_x = rounding * x.cwiseAbs().maxCoeff();
    Index wrong = 0, last = -1;
    const auto is_wrong = [&](Index i) {
      return positive_[static_cast<std::size_t>(i)] ? x[i] < -small_x : y_[i] < -small_y;
    };
    for (Index i = 0; i < n; ++i)
      if (is_wrong(i)) ++wrong, last = i;
    if (wrong == 0) return true;
    const bool fewer = wrong < fewest, all = fewer || left > 0;
    if (fewer)
      fewest = wrong, left = trials;
    else if (left > 0)
      --left;
    for (Index i = 0; i < n; ++i)
      if (is_wrong(i) && (all || i == last)) positive_[static_cast<std::size_t>(i)] ^= 1;
  }
  return false;
}

bool NonnegativeLeastSquares::solve_on_set(const Block<double>& g, const Vector<double>& b,
                                           Vector<double>& x) {
  const Index n = b.size();
  Index k = 0;
  std::vector<Index> which;
  for (Index i = 0; i < n; ++i)
    if (positive_[static_cast<std::size_t>(i)]) which.push_back(i), ++k;
  x.setZero();
  if (k > 0) {
    for (Index j = 0; j < k; ++j) {
      some_[j] = b[which[static_cast<std::size_t>(j)]];
      for (Index i = 0; i < k; ++i)
        part_(i, j) = g(which[static_cast<std::size_t>(i)], which[static_cast<std::size_t>(j)]);
    }
    const Eigen::LLT<Block<double>> factor(part_.topLeftCorner(k, k));
    if (factor.info() != Eigen::Success) return false;
    const Vector<double> solved = factor.solve(some_.head(k));
    if (!solved.allFinite()) return false;
    for (Index j = 0; j < k; ++j) x[which[static_cast<std::size_t>(j)]] = solved[j];
  }
  y_.noalias() = g * x - b;
  for (const Index i : which) y_[i] = 0;
  return true;
}

/// One entry after the other to where the objective is smallest.
void NonnegativeLeastSquares::descend(const Block<double>& g, const Vector<double>& b, Vector<double>& x) {
  for (int round = 0; round < 200; ++round) {
    double moved = 0;
    for (Index i = 0; i < x.size(); ++i) {
      if (!(g(i, i) > 0)) continue;
      const double to = std::max(0.0, x[i] + (b[i] - g.col(i).dot(x)) / g(i, i));
      moved = std::max(moved, std::abs(to - x[i]));
      x[i] = to;
    }
    if (moved <= 1e-13 * x.cwiseAbs().maxCoeff()) return;
  }
}

}  // namespace mercer
