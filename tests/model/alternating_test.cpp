// Alternating least squares: each half step is the regression it claims to be, and the objective never rises.
#include "model/alternating.hpp"
#include "decompositions.hpp"

#include "model/known_entries.hpp"
#include "support.hpp"

namespace mercer {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// Low rank plus noise, a share of it unknown; no row and no column entirely.
Matrix<double> with_gaps(Index n, Index d, Index rank, double noise, double share, std::uint64_t seed) {
  Matrix<double> x =
      test::random_matrix<double>(n, rank, seed) * test::random_matrix<double>(rank, d, seed + 1) +
      noise * test::random_matrix<double>(n, d, seed + 2);
  Random random(seed, 3);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < d; ++j)
      if (random.uniform() < share && j != i % d && i != j % n) x(i, j) = unknown;
  return x;
}

TEST(Alternating, TheObjectiveNeverRises) {
  for (const double share : {0.0, 0.3, 0.7})
    for (const double ridge : {1e-6, 0.5, 5.0})
      for (const bool center : {true, false}) {
        const auto known = known_entries<double>(with_gaps(40, 25, 3, 0.5, share, 1));
        const Factors f =
            alternate(known, spectral_start(known, 4, center, {}),
                      {.center = center, .ridge = ridge, .tolerance = 1e-12, .max_sweeps = 200}, {});
        ASSERT_GE(f.objective.size(), 2u);
        for (std::size_t i = 1; i < f.objective.size(); ++i)
          EXPECT_LE(f.objective[i], f.objective[i - 1] * (1 + 1e-12))
              << share << " " << ridge << " sweep " << i;
      }
}

TEST(Alternating, WithoutGapsTheRidgeShrinksSingularValuesByItself) {
  // min ‖X − PQᵀ‖² + ρ(‖P‖² + ‖Q‖²) = min ‖X − M‖² + 2ρ‖M‖_*: σ becomes max(σ − ρ, 0).
  const Matrix<double> x = test::random_matrix<double>(30, 12, 5);
  const Vector<double> sigma = Eigen::JacobiSVD<Eigen::MatrixXd>(x).singularValues();
  const auto known = known_entries<double>(x);
  for (const double ridge : {0.5, 2.0}) {
    const Factors f =
        alternate(known, spectral_start(known, 12, false, {}),
                  {.center = false, .ridge = ridge, .tolerance = 1e-14, .max_sweeps = 5000}, {});
    for (Index c = 0; c < 12; ++c) EXPECT_NEAR(f.sizes[c], std::max(sigma[c] - ridge, 0.0), 1e-4) << c;
  }
}

TEST(Alternating, RidgeRowsSolveTheirNormalEquations) {
  const Matrix<double> x = with_gaps(9, 300, 3, 1, 0.4, 7), basis = test::random_matrix<double>(300, 5, 8);
  const Vector<double> offset = test::random_matrix<double>(300, 1, 9).col(0),
                       penalty = Vector<double>::LinSpaced(5, 0.1, 2);
  const Matrix<double> found = ridge_rows(known_entries<double>(x), offset, basis, penalty, {});
  for (Index i = 0; i < x.rows(); ++i) {
    Vector<double> gradient = -penalty.cwiseProduct(found.row(i).transpose());
    for (Index j = 0; j < x.cols(); ++j)
      if (!std::isnan(x(i, j)))
        gradient += (x(i, j) - offset[j] - found.row(i).dot(basis.row(j))) * basis.row(j).transpose();
    EXPECT_LE(gradient.norm(), 1e-10 * basis.norm()) << i;
  }
}

TEST(Alternating, ValuesTooLargeToSquareAreRefused) {
  const auto known = known_entries<double>(with_gaps(5, 6, 2, 1, 0.2, 7));
  for (const double size : {1e200, std::numeric_limits<double>::infinity(), unknown}) {
    const Matrix<double> basis = size * Matrix<double>(test::random_matrix<double>(6, 2, 8));
    try {
      (void)ridge_rows(known, Vector<double>::Zero(6), basis, Vector<double>::Zero(2), {});
      ADD_FAILURE() << "no error for " << size;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::bad_data) << size;
    }
  }
}

TEST(Alternating, AnyNumberOfThreadsGivesTheSameBits) {
  const auto known = known_entries<double>(with_gaps(300, 50, 3, 0.5, 0.5, 1));
  const AlternatingOptions options{.ridge = 0.3, .max_sweeps = 20};
  const Factors one = alternate(known, spectral_start(known, 4, true, {}), options, {.threads = 1});
  const Factors two = alternate(known, spectral_start(known, 4, true, {}), options, {.threads = 2});
  EXPECT_EQ(one.rows, two.rows);
  EXPECT_EQ(one.objective, two.objective);
}

TEST(KnownEntries, AreTheStoredOnesOrThoseThatAreNumbers) {
  Matrix<double> x(2, 3);
  x << 1, unknown, 0, unknown, 5, 6;
  const SparseMatrix<double> dense = known_entries<double>(x);
  EXPECT_EQ(dense.nonZeros(), 4);
  SparseMatrix<double> stored(2, 3);
  for (const auto& [i, j] : std::vector<std::pair<Index, Index>>{{0, 0}, {0, 2}, {1, 1}, {1, 2}})
    stored.insert(i, j) = x(i, j);  // the zero is stored, and known
  stored.makeCompressed();
  const SparseMatrix<double> sparse = known_entries<double>(stored);
  EXPECT_EQ(sparse.nonZeros(), 4);
  EXPECT_EQ(Matrix<double>(sparse), Matrix<double>(dense));
}

TEST(KnownEntries, HidingLeavesSomethingInEveryRowAndColumnAndLosesNothing) {
  const SparseMatrix<double> known = known_entries<double>(with_gaps(60, 20, 2, 1, 0.9, 4));
  const auto [rest, hidden] = hide_some(known, 0.5, 1);
  EXPECT_GT(hidden.nonZeros(), 5);
  EXPECT_EQ(rest.nonZeros() + hidden.nonZeros(), known.nonZeros());
  EXPECT_EQ(Matrix<double>(rest) + Matrix<double>(hidden), Matrix<double>(known));
  EXPECT_NO_THROW(require_something_known(rest));
}

}  // namespace
}  // namespace mercer
