// Block Krylov against LAPACK on spectra of every awkward kind.
#include <mercer/spectrum.hpp>

#include "operator/dense_operator.hpp"
#include "support.hpp"

#include <rapidcheck/gtest.h>

namespace mercer {
namespace {

template <class T>
DenseOperator<T> operator_of(const Block<double>& a) {
  return DenseOperator<T>(a.cast<T>());
}

/// A basis small enough that restarts happen and the operator is not simply written out.
EigenRequest small_request(Index count, End end = End::largest) {
  EigenRequest r;
  r.count = count;
  r.end = end;
  r.block = 2;
  r.basis = 24;
  return r;
}

struct Case {
  std::string name;
  Vector<double> eigenvalues;
};

std::vector<Case> spectra(Index n) {
  std::vector<Case> out;
  Vector<double> v(n);
  for (Index i = 0; i < n; ++i) v[i] = 1.0 / double((i + 1) * (i + 1));
  out.push_back({"decaying", v});
  for (Index i = 0; i < n; ++i) v[i] = 1 + double(n - i) / double(n);
  out.push_back({"evenly spaced bulk", v});
  for (Index i = 0; i < n; ++i) v[i] = i < 5 ? 10 : (i < 9 ? 7 : 1.0 / double(i));
  out.push_back({"repeated 5 and 4 times", v});
  for (Index i = 0; i < n; ++i) v[i] = i < 3 ? 5 - double(i) : 0;
  out.push_back({"rank three", v});
  for (Index i = 0; i < n; ++i) v[i] = i % 2 ? -1.0 / double(i + 1) : 1.0 / double(i + 1);
  out.push_back({"indefinite", v});
  out.push_back({"identity", Vector<double>::Ones(n)});
  out.push_back({"zero", Vector<double>::Zero(n)});
  for (Index i = 0; i < n; ++i) v[i] = std::exp(-double(i));
  out.push_back({"exponential decay", v});
  for (Index i = 0; i < n; ++i) v[i] = i == 0 ? 1e6 : 1 + 1e-3 * double(i);
  out.push_back({"one dominant", v});
  return out;
}

template <class T>
class BlockKrylov : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(BlockKrylov, Types);

TYPED_TEST(BlockKrylov, AgreesWithLapackAtBothEndsOfEverySpectrum) {
  using T = TypeParam;
  const Index n = 120;
  std::uint64_t seed = 0;
  for (const Case& c : spectra(n)) {
    const Block<double> a = test::symmetric_with(c.eigenvalues, ++seed);
    const DenseOperator<T> op = operator_of<T>(a);
    const double scale = c.eigenvalues.cwiseAbs().maxCoeff();
    for (End end : {End::largest, End::smallest})
      for (Index count : {1, 3, 7, 10}) {
        EigenRequest request = small_request(count, end);
        request.max_passes = 5000;
        const Spectrum<T> s = eigenpairs<T>(op, request, {.seed = seed});
        const Spectrum<double> truth = dense_eigenpairs<double>(op.matrix().template cast<double>(), n, end);
        ASSERT_EQ(s.values.size(), count);
        ASSERT_LE((s.values - truth.values.head(count)).cwiseAbs().maxCoeff(),
                  test::tolerance<T>(1e-9, 1e-4) * scale)
            << c.name << ", count " << count << (end == End::largest ? ", largest" : ", smallest")
            << "\nfound " << s.values.transpose() << "\ntruth " << truth.values.head(count).transpose();
        const Block<double> v = s.vectors.template cast<double>();
        EXPECT_LT((v.transpose() * v - Block<double>::Identity(count, count)).norm(),
                  test::tolerance<T>(1e-12, 1e-4))
            << c.name;
        EXPECT_LE(s.residuals.maxCoeff(), test::tolerance<T>(1e-10, 1e-5) * scale) << c.name;
      }
  }
}

TYPED_TEST(BlockKrylov, FindsEveryCopyOfAnEigenvalueRepeatedMoreOftenThanTheBlockIsWide) {
  using T = TypeParam;
  for (Index multiplicity : {3, 6, 11}) {
    Vector<double> v = Vector<double>::LinSpaced(150, 1, 0);
    v.head(multiplicity).setConstant(4);
    EigenRequest request = small_request(multiplicity + 1);
    const Spectrum<T> s = eigenpairs<T>(operator_of<T>(test::symmetric_with(v, 5)), request);
    for (Index i = 0; i < multiplicity; ++i)
      EXPECT_NEAR(s.values[i], 4, test::tolerance<T>(1e-9, 1e-4)) << i << " of " << multiplicity;
    EXPECT_LT(s.values[multiplicity], 1.001);
  }
}

TYPED_TEST(BlockKrylov, FindsEveryCopyAlsoWhenTheNextEigenvalueIsClose) {
  using T = TypeParam;
  for (double next : {0.99, 0.999})
    for (Index multiplicity : {12, 20}) {
      Vector<double> v = Vector<double>::LinSpaced(600, next, 0);
      v.head(multiplicity).setConstant(1);
      EigenRequest request;  // the default block, narrower than the multiplicity
      request.count = multiplicity - 1;
      request.block = 8;
      request.basis = 120;
      request.positive_semidefinite = true;
      request.tolerance = test::tolerance<T>(1e-10, 1e-5);
      const Spectrum<T> s = eigenpairs<T>(operator_of<T>(v.asDiagonal()), request);
      EXPECT_LT((s.values.array() - 1).abs().maxCoeff(), 1e-4)
          << multiplicity << " copies of 1, then " << next;
    }
}

TYPED_TEST(BlockKrylov, FindsAPlantedEigenvalueThatTheStartVectorCannotSee) {
  using T = TypeParam;
  const Index n = 200;
  Vector<double> d = Vector<double>::LinSpaced(n, 1, 0);
  d[137] = 9;  // diagonal: e_137 is its eigenvector
  Block<T> start = test::random_matrix<T>(n, 2, 3);
  start.row(137).setZero();  // and the whole Krylov space of this start is orthogonal to it
  const Spectrum<T> s = eigenpairs<T>(operator_of<T>(d.asDiagonal()), small_request(2), {}, start);
  EXPECT_NEAR(s.values[0], 9, test::tolerance<T>(1e-9, 1e-4));
  EXPECT_NEAR(std::abs(s.vectors(137, 0)), 1, 1e-4);
}

TYPED_TEST(BlockKrylov, HandlesTheSmallestSizes) {
  using T = TypeParam;
  for (Index n : {1, 2, 3}) {
    const Vector<double> v = Vector<double>::LinSpaced(n, 3, 1);
    const Spectrum<T> s = eigenpairs<T>(operator_of<T>(test::symmetric_with(v, 1)), {.count = 5});
    ASSERT_EQ(s.values.size(), n);
    EXPECT_LT((s.values - v).norm(), test::tolerance<T>(1e-12, 1e-5));
  }
}

TYPED_TEST(BlockKrylov, SignsFollowTheLargestEntry) {
  using T = TypeParam;
  const Spectrum<T> s =
      eigenpairs<T>(operator_of<T>(test::symmetric_with(spectra(120)[0].eigenvalues, 8)), small_request(6));
  for (Index c = 0; c < 6; ++c) {
    Index at = 0;
    s.vectors.col(c).cwiseAbs().maxCoeff(&at);
    EXPECT_GT(s.vectors(at, c), 0);
  }
}

TEST(BlockKrylovLimits, SayWhenThePassesRunOut) {
  const Block<double> a = test::symmetric_with(Vector<double>::LinSpaced(300, 2, 1), 4);
  EigenRequest request = small_request(8);
  request.max_passes = 6;
  try {
    (void)eigenpairs<double>(operator_of<double>(a), request);
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::not_converged);
    EXPECT_NE(std::string(e.what()).find("relative residual"), std::string::npos);
  }
  request.allow_partial = true;
  const Spectrum<double> partial = eigenpairs<double>(operator_of<double>(a), request);
  EXPECT_FALSE(partial.converged);
  EXPECT_EQ(partial.values.size(), 8);
}

TEST(BlockKrylovLimits, NeverClaimConvergenceAtARestart) {
  const Block<double> a = Vector<double>::LinSpaced(400, 1, 0).asDiagonal();
  for (Index passes = 6; passes < 40; ++passes) {
    EigenRequest request = small_request(4);
    request.max_passes = passes;
    request.allow_partial = true;
    request.certify = false;
    const Spectrum<double> s = eigenpairs<double>(operator_of<double>(a), request);
    if (s.converged) {
      EXPECT_NEAR(s.values[0], 1, 1e-8) << passes;
    } else {
      EXPECT_GT(s.residuals.maxCoeff(), 0) << passes;
    }
  }
}

TEST(BlockKrylovLimits, RefuseRequestsWithoutMeaning) {
  const DenseOperator<double> op(Block<double>::Identity(5, 5));
  EXPECT_THROW((void)eigenpairs<double>(op, {.count = 0}), Error);
  EXPECT_THROW((void)eigenpairs<double>(op, {.delta = 0}), Error);
}

RC_GTEST_PROP(BlockKrylovProperty, AgreesWithLapackOnRandomSpectra, ()) {
  const Index n = *rc::gen::inRange(60, 140);
  const Index block = *rc::gen::inRange(1, 5), count = *rc::gen::inRange(1, 9);
  const auto seed = static_cast<std::uint64_t>(*rc::gen::inRange(0, 1000000));
  Random random(seed);
  Vector<double> v(n);
  for (Index i = 0; i < n; ++i)
    v[i] = random.below(3) == 0 ? double(random.below(4)) : random.normal();  // many repeats
  const Block<double> a = test::symmetric_with(v, seed);
  EigenRequest request;
  request.count = count;
  request.block = block;
  request.basis = count + 8 * block;
  request.max_passes = 20000;
  std::sort(v.begin(), v.end(), std::greater<>());
  const Spectrum<double> s = eigenpairs<double>(operator_of<double>(a), request, {.seed = seed});
  RC_ASSERT((s.values - v.head(count)).cwiseAbs().maxCoeff() < 1e-9 * v.cwiseAbs().maxCoeff());
}

}  // namespace
}  // namespace mercer
