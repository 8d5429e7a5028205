// Mercer's verdict (mission row M7) on a catalogue of known kernels and known non-kernels.
#include <mercer/kernel_check.hpp>
#include <mercer/spectrum.hpp>

#include "decompositions.hpp"
#include "support.hpp"

#include <nlohmann/json.hpp>

namespace mercer {
namespace {

Matrix<double> points() { return test::random_matrix<double>(60, 3, 1); }

template <class T>
class Check : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Check, Types);

TYPED_TEST(Check, VerdictsOfTheCatalogueAreRight) {
  using T = TypeParam;
  const struct {
    const char* kernel;
    Verdict verdict;
    bool positive;  // the data must be
  } cases[] = {
      {"linear", Verdict::valid, false},
      {"poly(degree=3, coef0=1)", Verdict::valid, false},
      {"poly(degree=2, coef0=0)", Verdict::valid, false},
      {"rbf(gamma=0.5)", Verdict::valid, false},
      {"rbf(gamma=median)", Verdict::valid, false},
      {"laplacian", Verdict::valid, false},
      {"cosine", Verdict::valid, false},
      {"matern32", Verdict::valid, false},
      {"matern52", Verdict::valid, false},
      {"rq", Verdict::valid, false},
      {"chi2", Verdict::valid, true},
      {"rbf(1)*linear + 2*poly(2)", Verdict::valid, false},
      {"expr('exp(-sqdist)')", Verdict::valid_here, false},
      {"expr('exp(-l1dist)*(1+dot)^2')", Verdict::valid_here, false},
      {"expr('exp(dot)')", Verdict::valid_here, false},
      {"2*rbf(1) - 1*rbf(1)", Verdict::valid_here, false},
      {"-1*additive_chi2 + -1*additive_chi2", Verdict::invalid, true},
      {"additive_chi2", Verdict::conditional, true},
      {"additive_chi2 + rbf(1)", Verdict::conditional, true},
      {"expr('-sqdist')", Verdict::conditional, false},
      {"expr('-sqrt(sqdist)')", Verdict::conditional, false},
      {"expr('-l1dist')", Verdict::conditional, false},
      {"expr('-ln(1+sqdist)')", Verdict::conditional, false},
      {"expr('-1-sqdist')", Verdict::conditional, false},
      {"expr('sqdist')", Verdict::invalid, false},  // distances themselves
      {"expr('sqrt(sqdist)')", Verdict::invalid, false},
      {"expr('l1dist')", Verdict::invalid, false},
      {"-linear", Verdict::invalid, false},
      {"-1*rbf(gamma=0.5)", Verdict::invalid, false},
      {"linear - 3*rbf(1)", Verdict::invalid, false},
      {"sigmoid(gamma=1, coef0=1)", Verdict::invalid, false},
      {"sigmoid(gamma=0.5, coef0=3)", Verdict::invalid, false},
      {"poly(degree=2, coef0=-2)", Verdict::invalid, false},
      {"expr('exp(sqdist/10)')", Verdict::invalid, false},
      {"expr('cos(dot)')", Verdict::invalid, false},
  };
  for (const auto& c : cases) {
    const Matrix<T> x = (c.positive ? Matrix<double>(points().cwiseAbs()) : points()).template cast<T>();
    const KernelCheck check = check_kernel(Kernel::parse(c.kernel), Samples<T>(x));
    EXPECT_EQ(name_of(check.verdict), name_of(c.verdict)) << c.kernel << "\n" << check.to_string();
    EXPECT_TRUE(check.symmetric) << c.kernel;
    EXPECT_FALSE(check.reasons.empty());
    EXPECT_EQ(check.advice.empty(), c.verdict == Verdict::valid) << c.kernel;
  }
}

TEST(KernelCheck, EigenvaluesAndWitnessAreThoseOfTheMatrix) {
  const Samples<double> x = points();
  for (const char* text : {"sigmoid(gamma=1, coef0=1)", "expr('sqrt(sqdist)')", "expr('-sqdist')"}) {
    const KernelCheck check = check_kernel(Kernel::parse(text), x);
    const Matrix<double> k = gram(Kernel::parse(text), x);
    const Matrix<double> h = Matrix<double>::Identity(60, 60).array() - 1.0 / 60;
    const Vector<double> plain = Eigen::SelfAdjointEigenSolver<Matrix<double>>(k).eigenvalues(),
                         centred = Eigen::SelfAdjointEigenSolver<Matrix<double>>(h * k * h).eigenvalues();
    const double size = plain.cwiseAbs().maxCoeff();
    EXPECT_NEAR(check.min_eigenvalue, plain[0], 1e-12 * size);
    EXPECT_NEAR(check.centered_min_eigenvalue, centred[0], 1e-12 * size);
    EXPECT_NEAR(check.max_eigenvalue, size, 1e-12 * size);
    ASSERT_EQ(check.witness.size(), 60);
    EXPECT_NEAR(check.witness.norm(), 1, 1e-12);
    EXPECT_LT(check.witness.dot(k * check.witness), 0);
    EXPECT_NEAR(check.witness_value, check.witness.dot(k * check.witness), 1e-12 * size);
  }
}

TEST(KernelCheck, TheToleranceFollowsFromSizeAndRounding) {
  const KernelCheck few =
      check_kernel(Kernel::linear(), Samples<double>(test::random_matrix<double>(20, 2, 2)));
  const KernelCheck many =
      check_kernel(Kernel::linear(), Samples<double>(test::random_matrix<double>(320, 2, 2)));
  EXPECT_NEAR(few.tolerance, 4 * std::sqrt(20.0) * 0x1p-52 * few.max_eigenvalue, 1e-25);
  EXPECT_NEAR(many.tolerance, 4 * std::sqrt(320.0) * 0x1p-52 * many.max_eigenvalue, 1e-25);
  EXPECT_GE(few.min_eigenvalue, -few.tolerance);
  EXPECT_GE(many.min_eigenvalue, -many.tolerance);
}

TEST(KernelCheck, LargeDataIsJudgedFromTheEndsOfTheSpectrumAlone) {
  const Samples<double> x = test::random_matrix<double>(1510, 3, 3), small = x.middle_rows(0, 100);
  const struct {
    const char* kernel;
    Verdict verdict;
  } cases[] = {{"expr('exp(-sqdist)')", Verdict::valid_here},
               {"rbf(gamma=0.2)", Verdict::valid},
               {"expr('exp(-sqdist)-0.001*exp(-4*sqdist)')", Verdict::invalid},
               {"expr('-sqrt(sqdist)')", Verdict::conditional},
               {"sigmoid(gamma=1, coef0=1)", Verdict::invalid}};
  for (const auto& c : cases) {
    const Kernel kernel = Kernel::parse(c.kernel);
    const KernelCheck check = check_kernel(kernel, x);
    EXPECT_EQ(name_of(check.verdict), name_of(c.verdict)) << check.to_string();
    EXPECT_FALSE(check.exact);
    EXPECT_TRUE(check_kernel(kernel, small).exact);
    const Block<double> k = gram(kernel, x);
    const double smallest = dense_eigenpairs<double>(k, 1, End::smallest).values[0];
    EXPECT_NEAR(check.min_eigenvalue, smallest, check.tolerance + 1e-6 * std::abs(smallest)) << c.kernel;
    EXPECT_LE(check.centered_min_eigenvalue, check.centered_tolerance) << "HKH 1 = 0";
    EXPECT_GE(smallest, *check.lower_bound - check.tolerance);
    if (check.witness.size() > 0) {
      EXPECT_LT(check.witness_value, 0);
      EXPECT_NEAR(check.witness_value, check.witness.dot(k * check.witness), 1e-9 * check.max_eigenvalue);
    }
  }
}

TEST(KernelCheck, ProductsAloneSayWhenTheyCannotTell) {
  const Samples<double> x = test::random_matrix<double>(1510, 3, 3);
  mercer::Run run;
  run.memory = 50'000'000;  // the matrix itself would take 18 MB, a factor 55
  EXPECT_EQ(check_kernel(Kernel::parse("sigmoid(gamma=1, coef0=1)"), x, run).verdict, Verdict::invalid);
  try {
    const auto verdict =
        check_kernel(Kernel::parse("expr('exp(-sqdist)-1e-5*exp(-4*sqdist)')"), x, run).verdict;
    EXPECT_EQ(verdict, Verdict::invalid);  // found after all
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::not_converged) << e.what();
  }
}

TEST(KernelCheck, AFunctionThatIsNotSymmetricIsNoKernelAndSaysWhere) {
  const Kernel lopsided = Kernel::from_pairs(
      "lopsided",
      [](std::span<const double> a, std::span<const double> b) { return a[0] * b[0] + 0.1 * a[1]; });
  const KernelCheck check = check_kernel(lopsided, Samples<double>(points()));
  EXPECT_EQ(check.verdict, Verdict::invalid);
  EXPECT_FALSE(check.symmetric);
  EXPECT_GT(check.asymmetry, 0.01);
  EXPECT_NE(check.asymmetric_row, check.asymmetric_column);
  EXPECT_NE(check.to_string().find("symmetric  no"), std::string::npos);
  EXPECT_NE(check.advice.at(0).find("symmetrise"), std::string::npos);
}

TEST(KernelCheck, AMatrixIsJudgedByItself) {
  Matrix<double> k(3, 3);
  k << 2, 1, 0, 1, 2, 1, 0, 1, 2;
  EXPECT_EQ(check_kernel(Kernel::precomputed(), Samples<double>(k)).verdict, Verdict::valid_here);
  k(0, 2) = k(2, 0) = 3;
  EXPECT_EQ(check_kernel(Kernel::precomputed(), Samples<double>(k)).verdict, Verdict::invalid);
  k(2, 0) = 0;
  const KernelCheck check = check_kernel(Kernel::precomputed(), Samples<double>(k));
  EXPECT_EQ(check.verdict, Verdict::invalid);
  EXPECT_FALSE(check.symmetric);
  EXPECT_EQ(check.asymmetry, 3);
  EXPECT_THROW((void)check_kernel(Kernel::precomputed(), Samples<double>(Matrix<double>(2, 3).setOnes())),
               Error);
}

TEST(KernelCheck, WhatAFitWouldRefuseIsRefusedHere) {
  EXPECT_THROW((void)check_kernel(Kernel::chi2(1), Samples<double>(points())), Error);
  EXPECT_THROW((void)check_kernel(Kernel::linear(), Samples<double>(Matrix<double>(0, 2))), Error);
  EXPECT_THROW((void)check_kernel(Kernel::expression("1/(dot-dot)"), Samples<double>(points())), Error);
}

TEST(KernelCheck, OnePointIsEnoughToTell) {
  const Samples<double> one = test::random_matrix<double>(1, 2, 1);
  EXPECT_EQ(check_kernel(Kernel::linear(), one).verdict, Verdict::valid);
  EXPECT_EQ(check_kernel(Kernel::parse("-1*linear"), one).verdict, Verdict::conditional);  // H = 0: HKH = 0
}

TEST(KernelCheck, AKernelThatSeesNoDifferenceIsNeverRecommended) {
  const auto check = [](const std::string& kernel, Index n) {
    return check_kernel(Kernel::parse(kernel), Samples<double>(test::random_matrix<double>(n, 3, 1)),
                        {.memory = 0});
  };
  for (const char* kernel : {"expr('1')", "-3*poly(degree=1, gamma=1e-30, coef0=1)", "expr('0*dot')",
                             "rbf(gamma=1e-30)", "-1*rbf(gamma=1e-30)", "sigmoid(gamma=1e-3, coef0=90)"})
    for (const Index n : {2, 60, 1600}) {
      const KernelCheck c = check(kernel, n);
      EXPECT_TRUE(c.sees_nothing()) << kernel << n;
      ASSERT_EQ(c.advice.size(), 1U) << kernel << n;
      EXPECT_NE(c.advice[0].find("choose another kernel"), std::string::npos) << kernel;
      EXPECT_EQ(c.to_string().find("sound"), std::string::npos) << kernel;
    }
  for (const char* kernel : {"rbf(gamma=0.5)", "expr('-sqdist')", "rbf(gamma=1e4)", "linear"})
    EXPECT_FALSE(check(kernel, 60).sees_nothing()) << kernel;
}

TEST(KernelCheck, JsonHoldsTheVerdictAndTheWitness) {
  const auto json = nlohmann::json::parse(
      check_kernel(Kernel::parse("-1*rbf(gamma=1)"), Samples<double>(points())).to_json());
  EXPECT_EQ(json["verdict"], "invalid");
  EXPECT_EQ(json["kernel"], "-1*rbf(gamma=1)");
  EXPECT_LT(json["min_eigenvalue"].get<double>(), -1);
  EXPECT_EQ(json["witness"]["rows"].size(), 5u);
  EXPECT_EQ(json["witness"]["vector"].size(), 60u);
  EXPECT_LT(json["witness"]["value"].get<double>(), 0);
  const auto valid = nlohmann::json::parse(check_kernel(Kernel::rbf(1), Samples<double>(points())).to_json());
  EXPECT_EQ(valid["verdict"], "valid");
  EXPECT_TRUE(valid["witness"].is_null());
}

}  // namespace
}  // namespace mercer
