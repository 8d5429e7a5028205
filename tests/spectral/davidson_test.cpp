// Davidson on kernel matrices that are evaluated anew: against LAPACK, and never a wrong answer.
#include "spectral/davidson.hpp"

#include "kernel/landmarks.hpp"
#include "operator/centered.hpp"
#include "operator/gram_operator.hpp"
#include "support.hpp"

#include <algorithm>
#include <memory>

namespace mercer {
namespace {

/// Points around a few centres.
Matrix<double> mixture(Index n, Index d, Index clusters, std::uint64_t seed) {
  const Matrix<double> centres = 3 * test::random_matrix<double>(clusters, d, seed + 1000);
  Matrix<double> x = test::random_matrix<double>(n, d, seed);
  for (Index i = 0; i < n; ++i) x.row(i) += centres.row(i % clusters);
  return x;
}

/// Groups of points, each an exact translate of the first and so far away that no kernel value is left.
Matrix<double> translated_copies(Index copies, Index points, std::uint64_t seed) {
  Matrix<double> x(copies * points, 2);
  Random random(seed);
  for (Index i = 0; i < points; ++i) {
    const double a = double(random.below(64)) / 16, b = double(random.below(64)) / 16;  // exact sums
    for (Index c = 0; c < copies; ++c) x.row(c * points + i) << a + 1024 * double(c), b;
  }
  return x;
}

/// A kernel matrix in every form that the test needs.
class Problem {
 public:
  Problem(const Kernel& kernel, Matrix<double> points, bool center)
      : kernel_(kernel), points_(std::move(points)), center_(center) {
    matrix_ = gram<double>(kernel, points_);
    gram_norm_ = matrix_.norm();
    if (center) {
      matrix_.rowwise() -= matrix_.colwise().mean().eval();
      matrix_.colwise() -= matrix_.rowwise().mean().eval();
    }
  }

  [[nodiscard]] const Block<double>& matrix() const { return matrix_; }
  /// What rounding makes of a kernel value, over a whole row.
  [[nodiscard]] double rounding() const { return 1e-14 * gram_norm_; }

  [[nodiscard]] std::optional<Spectrum<double>> solve(Index rank, Index count, std::uint64_t seed = 0) const {
    const mercer::Run run{.seed = seed};
    const GramOperator gram(kernel_, points_, Storage::recomputed, run);
    const CenteredOperator<double> centered(gram);
    const LandmarkApproximation guess(kernel_, points_, rank, center_, run);
    EigenRequest request;
    request.count = count;
    request.positive_semidefinite = true;
    if (center_) return davidson(centered, guess, request, run);
    return davidson(gram, guess, request, run);
  }

 private:
  Kernel kernel_;
  Samples<double> points_;
  bool center_;
  Block<double> matrix_;
  double gram_norm_ = 0;
};

/// Everything an answer claims, against all that LAPACK says of the first eigenpairs.
void expect_right(const Problem& problem, const Spectrum<double>& truth, const Spectrum<double>& found,
                  Index count, const std::string& name) {
  const Block<double>& v = found.vectors;
  const double top = truth.values[0], rounding = problem.rounding();
  ASSERT_EQ(found.values.size(), count) << name;
  EXPECT_TRUE(found.converged) << name;
  EXPECT_LE(found.residuals.maxCoeff(), 1e-10 * top + rounding) << name;
  EXPECT_LE((v.transpose() * v - Block<double>::Identity(count, count)).norm(), 1e-11) << name;
  const Vector<double> again =
      (problem.matrix() * v - v * found.values.asDiagonal()).colwise().norm().transpose();
  for (Index i = 0; i < count; ++i) {
    EXPECT_NEAR(found.values[i], truth.values[i], found.residuals[i] + rounding) << name << ", value " << i;
    EXPECT_LE(again[i], 1.001 * found.residuals[i] + rounding) << name << ", residual " << i;
  }
  EXPECT_GE(found.missed.probable, truth.values[count] - rounding) << name;
  EXPECT_GE(found.missed.rigorous, truth.values[count] - rounding) << name;
  EXPECT_LE(found.missed.probable, found.missed.rigorous) << name;
  const double gap = truth.values[count - 1] - truth.values[count];
  if (gap > 1e-4 * top) {
    EXPECT_LE(test::subspace_distance(truth.vectors.leftCols(count), v),
              (2 * found.residuals.norm() + rounding) / gap + 1e-10)
        << name;
  }
}

/// True when there was an answer; it was right.
bool right_or_nothing(const Problem& problem, Index rank, Index count, const std::string& name,
                      std::uint64_t seed = 0) {
  const auto found = problem.solve(rank, count, seed);
  if (!found) return false;
  const Spectrum<double> truth = dense_eigenpairs<double>(problem.matrix(), count + 1);
  expect_right(problem, truth, *found, count, name);
  return true;
}

TEST(Davidson, AgreesWithLapackOnSmoothAndRoughKernels) {
  struct Case {
    const char* kernel;
    Index d, n;
    double useful;  ///< the bound is at most this many λ_{k+1}
  };
  for (const Case& c :
       {Case{"rbf(gamma=0.05)", 4, 2500, 3}, Case{"laplacian(gamma=0.01)", 3, 1000, 20},
        Case{"matern52(length=4)", 3, 1000, 3}, Case{"rbf(gamma=0.1) + 0.1*linear", 3, 1000, 3}})
    for (bool center : {true, false}) {
      if (!center && c.n > 2000) continue;
      const Problem problem(Kernel::parse(c.kernel), mixture(c.n, c.d, 7, 1), center);
      const Spectrum<double> truth = dense_eigenpairs<double>(problem.matrix(), 21);
      for (Index count : {5, 20}) {
        const std::string name = std::string(c.kernel) + ", " + std::to_string(count);
        const auto found = problem.solve(300, count);
        ASSERT_TRUE(found) << name;
        expect_right(problem, truth, *found, count, name);
        EXPECT_LE(found->missed.probable, c.useful * truth.values[count] + 2e-5 * truth.values[0]) << name;
      }
    }
}

TEST(Davidson, TheBoundHoldsWhereTheSpectrumFallsBelowTheGuessesAccuracy) {
  // λ_{k+1} is far below float's rounding of λ₁, and so is everything the landmarks say of it.
  for (double gamma : {1e-3, 1e-2, 0.1})
    for (Index d : {1, 2})
      for (Index count : {2, 6, 12})
        (void)right_or_nothing(Problem(Kernel::rbf(gamma), mixture(600, d, 3, 5), true), 100, count,
                               "gamma " + std::to_string(gamma));
}

TEST(Davidson, APoorGuessGivesTheRightAnswerOrNone) {
  const Matrix<double> x = mixture(700, 6, 5, 2);
  for (double gamma : {0.02, 0.3, 3.0, 1e4})  // in the end K is the identity
    for (Index rank : {7, 20, 60})
      for (bool center : {true, false})
        (void)right_or_nothing(Problem(Kernel::rbf(gamma), x, center), rank, 5,
                               "gamma " + std::to_string(gamma) + ", rank " + std::to_string(rank));
}

TEST(Davidson, DuplicatesAndADominantPoint) {
  Matrix<double> twice = mixture(800, 3, 5, 3);
  twice.bottomRows(400) = twice.topRows(400);
  EXPECT_TRUE(right_or_nothing(Problem(Kernel::rbf(0.05), twice, true), 150, 6, "duplicates"));
  Matrix<double> few = twice;
  for (Index i = 0; i < few.rows(); ++i) few.row(i) = twice.row(i % 12);
  (void)right_or_nothing(Problem(Kernel::rbf(0.05), few, true), 150, 6, "twelve points");
  Matrix<double> dominant = mixture(800, 3, 5, 4);
  dominant.row(123) *= 1e4;
  for (const char* kernel : {"linear", "rbf(gamma=0.1) + linear", "poly(degree=2, gamma=0.1, coef0=1)"})
    for (bool center : {true, false})
      (void)right_or_nothing(Problem(Kernel::parse(kernel), dominant, center), 150, 3, kernel);
}

TEST(Davidson, EveryCopyOfARepeatedEigenvalue) {
  int answers = 0;
  for (Index count : {5, 12, 20})
    for (bool center : {true, false})
      for (std::uint64_t seed : {0, 1, 2})
        answers += right_or_nothing(Problem(Kernel::rbf(0.05), translated_copies(12, 60, seed), center), 130,
                                    count, "twelve copies, count " + std::to_string(count), seed);
  EXPECT_GT(answers, 0);
}

TEST(Davidson, AGroupOfPointsThatTheLandmarksNeverSawIsNotMissed) {
  // Uncentred and far apart: K is block diagonal, and no residual ever points at the block left out.
  const Index n = 1000, rank = 40, hidden = 24;
  const std::uint64_t seed = 5;
  const std::vector<Index> seen = uniform_rows(n, 8 * rank, seed, 0x6c616e64ULL);
  for (bool center : {false, true}) {
    Matrix<double> x(n, 1);
    Index unseen = 0;
    for (Index i = 0; i < n; ++i) {
      const bool in_sample = std::find(seen.begin(), seen.end(), i) != seen.end();
      x(i, 0) = !in_sample && unseen++ < hidden ? -1e4 : 1e3 * double(i % 30);
    }
    ASSERT_GE(unseen, hidden);
    // Thirty groups of about 33 points less the hidden ones; then the hidden group alone is the 31st.
    for (Index count : {5, 28, 31})
      (void)right_or_nothing(Problem(Kernel::rbf(1), x, center), rank, count,
                             "hidden group, count " + std::to_string(count), seed);
    // A larger group than many others.
    for (Index i = 0, left = 200; i < n && left > 0; ++i)
      if (std::find(seen.begin(), seen.end(), i) == seen.end()) x(i, 0) = -1e4, --left;
    for (Index count : {1, 3, 20})
      (void)right_or_nothing(Problem(Kernel::rbf(1), x, center), rank, count,
                             "large hidden group, count " + std::to_string(count), seed);
  }
}

TEST(Davidson, NothingWhenTheGuessHasNoRoomForTheCount) {
  const Problem linear(Kernel::linear(), mixture(600, 4, 3, 6), true);  // of rank 4
  EXPECT_FALSE(linear.solve(100, 4)) << "one more than the rank is needed";
  EXPECT_FALSE(linear.solve(100, 20));
  EXPECT_TRUE(right_or_nothing(linear, 100, 3, "rank four"));
  EXPECT_FALSE(Problem(Kernel::rbf(0.1), mixture(60, 3, 3, 7), true).solve(40, 5)) << "too small a matrix";
}

/// log max ‖E^q ω‖ for b random vectors.
double log_power_norm(const Block<double>& e, Index steps, Index vectors, std::uint64_t seed) {
  Block<double> w = test::random_matrix<double>(e.rows(), vectors, seed);
  double log_norm = 0;
  for (Index q = 0; q < steps; ++q) {
    w = (e * w).eval();
    const double largest = w.colwise().norm().maxCoeff();
    log_norm += std::log(largest);
    w /= largest;
  }
  return log_norm;
}

TEST(PowerNormBound, IsNeverBelowTheNormAndWithinAFactor) {
  const Index n = 60, vectors = 8;
  const double delta = 1e-6;
  Random random(11);
  for (std::uint64_t trial = 0; trial < 2400; ++trial) {
    // Any orthogonal basis is as good as another for normal vectors: diagonal matrices are no special case.
    Vector<double> values(n);
    for (Index i = 0; i < n; ++i) {
      const double u = random.uniform();
      values[i] = trial % 4 == 0   ? u
                  : trial % 4 == 1 ? std::exp(-double(i))
                  : trial % 4 == 2 ? double(i == 0)
                                   : 1;
    }
    values *= std::pow(10.0, 12 * random.uniform() - 6);
    const Index steps = 1 + static_cast<Index>(trial % 7);
    const Block<double> e =
        trial % 100 == 0 ? test::symmetric_with(values, trial) : Block<double>(values.asDiagonal());
    const double bound = power_norm_bound(log_power_norm(e, steps, vectors, trial), steps, vectors, delta);
    const double norm = values.maxCoeff();
    ASSERT_GE(bound, norm * (1 - 1e-12)) << "trial " << trial;
    // ‖ω‖ < 2√n, and the constant 1/t is below 4.6.
    ASSERT_LE(bound, norm * std::pow(2 * std::sqrt(double(n)) * 4.6, 1 / double(steps))) << "trial " << trial;
  }
}

TEST(PowerNormBound, FailsAsOftenAsItMayAndNoMore) {
  // Of rank one the argument is sharp: b vectors fail with probability delta, nearly.
  Block<double> e = Block<double>::Zero(4, 4);
  e(1, 1) = 3;
  for (Index vectors : {1, 2, 3})
    for (double delta : {0.02, 0.1}) {
      const int trials = 4000;
      int failures = 0;
      for (int i = 0; i < trials; ++i)
        failures += power_norm_bound(log_power_norm(e, 2, vectors, std::uint64_t(i)), 2, vectors, delta) < 3;
      const double deviation = std::sqrt(delta * trials);
      EXPECT_LE(failures, delta * trials + 4 * deviation) << vectors << " vectors, " << delta;
      EXPECT_GE(failures, 0.5 * delta * trials - 4 * deviation) << vectors << " vectors, " << delta;
      EXPECT_GT(failures, 0) << "a bound that never fails is no test";
    }
}

}  // namespace
}  // namespace mercer
