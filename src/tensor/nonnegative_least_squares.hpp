// min ½ xᵀGx − bᵀx over x ≥ 0 for a positive semidefinite G of few rows: the rows of a factor that must not
// be negative. Block principal pivoting (Portugal, Júdice, Vicente 1994; Kim and Park 2011), which begins
// with the signs of the last solution and so needs a solve or two a row.
#pragma once

#include <mercer/matrix.hpp>

#include <vector>

namespace mercer {

class NonnegativeLeastSquares {
 public:
  explicit NonnegativeLeastSquares(Index size);
  /// x: where to begin, not negative; then the solution. Never worse than where it began.
  void solve(const Block<double>& g, const Vector<double>& b, Vector<double>& x);

 private:
  bool pivot(const Block<double>& g, const Vector<double>& b, Vector<double>& x);
  /// x and y = Gx − b for the present set of positive entries; false where G is singular on it.
  bool solve_on_set(const Block<double>& g, const Vector<double>& b, Vector<double>& x);
  static void descend(const Block<double>& g, const Vector<double>& b, Vector<double>& x);

  std::vector<char> positive_;
  Vector<double> y_, some_;
  Block<double> part_;
};

}  // namespace mercer
