// Orthonormal blocks from dependent, vanishing and lopsided ones.
#include "spectral/orthonormal.hpp"
#include "decompositions.hpp"

#include "support.hpp"

namespace mercer {
namespace {

template <class T>
class Orthonormal : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Orthonormal, Types);

TYPED_TEST(Orthonormal, TheFactorGivesTheBlockBackAndTheBasisStaysOrthogonal) {
  using T = TypeParam;
  const double eps = 100 * double(std::numeric_limits<T>::epsilon());
  Random random(1);
  const Block<T> raw = test::random_matrix<T>(60, 10, 2);
  const Block<T> basis = Eigen::HouseholderQR<Block<T>>(raw).householderQ() * Block<T>::Identity(60, 10);
  for (int kind = 0; kind < 4; ++kind) {
    Block<T> w = test::random_matrix<T>(60, 5, 3);
    project_out<T>(basis, w);
    if (kind == 1) w.col(3) = w.col(1);                                        // dependent
    if (kind == 2) w.col(2) *= std::is_same_v<T, float> ? T(1e-5) : T(1e-12);  // lopsided
    if (kind == 3) w.setZero();                                                // vanished
    const Block<T> before = w;
    const double negligible = 1e-2 * eps;
    const Block<double> b = orthonormalize<T>(basis, w, negligible, random);
    const Block<double> q = w.template cast<double>();
    EXPECT_LT((q.transpose() * q - Block<double>::Identity(5, 5)).norm(), eps) << kind;
    EXPECT_LT((basis.template cast<double>().transpose() * q).norm(), eps) << kind;
    EXPECT_LT((q * b - before.template cast<double>()).norm(), eps * (1 + double(before.norm()))) << kind;
  }
}

TEST(Signs, LargestEntryPositiveTiesToTheLowestIndex) {
  Block<double> v(3, 3);
  v << -1, 0.5, -2, 0, -0.5, 1, 0.5, 0.1, 2;
  fix_signs<double>(v);
  EXPECT_EQ(v(0, 0), 1);
  EXPECT_EQ(v(0, 1), 0.5);
  EXPECT_EQ(v(0, 2), 2) << "−2 and 2 tie: the first decides";
}

}  // namespace
}  // namespace mercer
