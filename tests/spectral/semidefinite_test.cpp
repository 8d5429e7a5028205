// Semidefinite programs with rank-one constraints, against optima that are known.
#include "spectral/semidefinite.hpp"

#include <mercer/spectrum.hpp>

#include "expect_error.hpp"
#include "support.hpp"

#include <stop_token>

namespace mercer {
namespace {

using mercer::test::error_of;

/// X_ii = 1.
RankOneProgram unit_diagonal(Block<double> objective) {
  const Index n = objective.rows();
  RankOneProgram out;
  out.objective = std::move(objective);
  out.constraints.resize(n, n);
  out.constraints.setIdentity();
  out.values.setOnes(n);
  return out;
}

TEST(Semidefinite, AlignsAllThatAttract) {
  // ⟨aaᵀ, X⟩ ≤ (Σ a)² for X_ii = 1, with equality at X = 11ᵀ.
  const Vector<double> a = Vector<double>::LinSpaced(6, 1, 2);
  const SemidefiniteSolution found = maximise(unit_diagonal(a * a.transpose()), {});
  EXPECT_TRUE(found.converged);
  EXPECT_NEAR(found.value, a.sum() * a.sum(), 1e-5 * found.value);
  EXPECT_NEAR(found.x.minCoeff(), 1, 1e-4);
}

TEST(Semidefinite, PutsThreeThatRepelAtAnglesOf120Degrees) {
  // The relaxation of the cut of a triangle: −Σ X_ij is largest where X_ij = −½.
  const Block<double> repel = Block<double>::Identity(3, 3) - Block<double>::Ones(3, 3);
  const SemidefiniteSolution found = maximise(unit_diagonal(repel), {});
  EXPECT_NEAR(found.value, 3, 1e-5);
  EXPECT_NEAR(found.x(0, 1), -0.5, 1e-4);
  EXPECT_NEAR(found.x(2, 1), -0.5, 1e-4);
}

TEST(Semidefinite, BoundsItsValueByTheDual) {
  const Block<double> c = test::symmetric_with((Vector<double>(7) << 3, 2, 1, 0.5, -1, -2, -3).finished(), 5);
  const SemidefiniteSolution found = maximise(unit_diagonal(c), {});
  // S = Σ wₗ aₗaₗᵀ − C ⪰ 0 makes Σ wₗ bₗ a bound on every feasible value.
  Block<double> s = -c;
  s.diagonal() += found.multipliers;
  EXPECT_GT(dense_eigenpairs<double>(s, 1, End::smallest).values[0], -1e-8);
  EXPECT_NEAR(found.bound, found.value, 1e-5 * found.bound);
  EXPECT_GT(dense_eigenpairs<double>(found.x, 1, End::smallest).values[0], -1e-8);
  for (Index i = 0; i < 7; ++i) EXPECT_NEAR(found.x(i, i), 1, 1e-6);
}

TEST(Semidefinite, SaysThatThereIsNoBound) {
  RankOneProgram program = unit_diagonal(Block<double>::Identity(3, 3));
  program.constraints.conservativeResize(2, 3);  // nothing holds X_33
  program.values.conservativeResize(2);
  EXPECT_EQ(error_of([&] { (void)maximise(program, {}); }).code(), ErrorCode::not_converged);
}

TEST(Semidefinite, StopsWhenAskedTo) {
  std::stop_source source;
  mercer::Run run;
  run.stop = source.get_token();
  Index reports = 0;
  run.progress = [&](std::string_view stage, double fraction) {
    EXPECT_EQ(stage, "semidefinite program");
    EXPECT_GE(fraction, 0);
    EXPECT_LE(fraction, 1);
    if (++reports == 3) source.request_stop();
  };
  const Vector<double> a = Vector<double>::LinSpaced(20, 1, 2);
  const RankOneProgram program = unit_diagonal(a * a.transpose());
  EXPECT_EQ(error_of([&] { (void)maximise(program, run); }).code(), ErrorCode::cancelled);
  EXPECT_EQ(reports, 3);
}

}  // namespace
}  // namespace mercer
