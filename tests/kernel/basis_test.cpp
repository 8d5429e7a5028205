// Explicit feature maps: the inner products they promise, their names, and their text.
#include <mercer/basis.hpp>

#include "kernel/random_features.hpp"
#include "support.hpp"

#include <rapidcheck/gtest.h>

namespace mercer {
namespace {

std::string message_of(const std::string& text) {
  try {
    (void)Basis::parse(text);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::usage) << text;
    return e.what();
  }
  return "no error";
}

TEST(Basis, InnerProductsOfThePolynomialMapAreThePolynomialKernelForAnyDegreeAndDimension) {
  for (int p = 1; p <= 8; ++p)
    for (Index d : {1, 2, 3, 5, 8})
      for (double c : {0.0, 0.3, 1.0, 2.5})
        for (double gamma : {1.0, 0.4}) {
          if (std::pow(double(d + 1), p) > 5e5) continue;
          const Matrix<double> x = test::random_matrix<double>(6, d, static_cast<std::uint64_t>(p * 10 + d));
          const Matrix<double> phi = Basis::polynomial(p, gamma, c).evaluate(Samples<double>(x));
          for (Index i = 0; i < 6; ++i)
            for (Index j = 0; j < 6; ++j) {
              long double dot = 0, size = 0;
              for (Index k = 0; k < d; ++k) {
                dot += static_cast<long double>(x(i, k)) * x(j, k);
                size += std::abs(static_cast<long double>(x(i, k)) * x(j, k));
              }
              const auto expected = static_cast<double>(std::pow(gamma * dot + c, p));
              const auto scale = static_cast<double>(std::pow(gamma * size + c, p));
              EXPECT_NEAR(phi.row(i).dot(phi.row(j)), expected, 1e-12 * scale) << p << ' ' << d << ' ' << c;
            }
        }
}

TEST(Basis, DegreeTwoIsTheSeedsMapAndNamesItsWeights) {
  const std::vector<std::string> expected{"1", "√2·x1", "√2·x2", "x1²", "√2·x1·x2", "x2²"};
  EXPECT_EQ(Basis::polynomial(2).names(2), expected);
  Matrix<double> x(1, 2);
  x << 3, 5;
  const double r = std::sqrt(2.0);
  Eigen::RowVectorXd phi(6);
  phi << 1, 3 * r, 5 * r, 9, 15 * r, 25;
  EXPECT_LT((Basis::polynomial(2).evaluate(Samples<double>(x)) - phi).norm(), 1e-13);
}

TEST(Basis, NamesCarryMultinomialWeightsAndColumnNames) {
  const auto cubic = Basis::polynomial(3).names(2);
  EXPECT_EQ(cubic[0], "1");
  EXPECT_EQ(cubic[1], "√3·x1");
  EXPECT_EQ(cubic[4], "√6·x1·x2");
  EXPECT_EQ(cubic[7], "√3·x1²·x2");
  EXPECT_EQ(Basis::polynomial(4).names(2, {"age", "height"})[3], "√6·age²");
  EXPECT_EQ(Basis::polynomial(2, 1, 0).names(2), (std::vector<std::string>{"x1²", "√2·x1·x2", "x2²"}));
  EXPECT_EQ(Basis::polynomial(2, 1, 4).names(1), (std::vector<std::string>{"4", "√8·x1", "x1²"}));
  EXPECT_EQ(Basis::monomials(12).names(1).back(), "x1¹²");
  EXPECT_EQ(Basis::cosines(2, 1).names(1), (std::vector<std::string>{"cos(π·x1)", "cos(2π·x1)"}));
  EXPECT_EQ(Basis::parse("x1+x2, x1*x2").names(2), (std::vector<std::string>{"(x1+x2)", "x1*x2"}));
}

TEST(Basis, CountIsHowManyThereAre) {
  for (const char* text : {"poly(degree=3)", "poly(degree=4, coef0=0)", "monomials(degree=2)", "cosines(4)",
                           "radial(centers='0 0 0; 1 1 1')", "x1, x2, x3", "monomials(1) + cosines(2)"}) {
    const Basis basis = Basis::parse(text).resolved(Samples<double>(test::random_matrix<double>(9, 3, 1)));
    EXPECT_EQ(basis.count(3), double(basis.names(3).size())) << text;
  }
  EXPECT_GT(Basis::polynomial(20).count(784), 1e30);
  EXPECT_THROW((void)Basis::polynomial(20).names(784), Error);
}

TEST(Basis, OtherFamiliesAreTheirFormulas) {
  const Matrix<double> x = test::random_matrix<double>(7, 2, 3);
  const auto values = [&](const char* text) { return Basis::parse(text).evaluate(Samples<double>(x)); };
  const Matrix<double> monomials = values("monomials(degree=3)"),
                       bumps = values("radial(centers='0 1; 2 -1', gamma=0.5)"),
                       cosines = values("cosines(count=2, length=3)"), mine = values("x1^2, sin(x1)*x2, 1");
  for (Index i = 0; i < 7; ++i) {
    const double a = x(i, 0), b = x(i, 1);
    EXPECT_NEAR(monomials(i, 7), a * a * b, 1e-14);
    EXPECT_NEAR(bumps(i, 1), std::exp(-0.5 * ((a - 2) * (a - 2) + (b + 1) * (b + 1))), 1e-15);
    EXPECT_NEAR(cosines(i, 3), std::cos(2 * M_PI * b / 3), 1e-14);
    EXPECT_EQ(mine(i, 0), a * a);
    EXPECT_NEAR(mine(i, 1), std::sin(a) * b, 1e-15);
    EXPECT_EQ(mine(i, 2), 1);
  }
}

TEST(Basis, FourierFeaturesStandForTheirKernel) {
  const Samples<double> x = test::random_matrix<double>(20, 3, 4);
  const Basis basis = Basis::fourier(4000, Kernel::rbf(0.3)).resolved(x);
  const Matrix<double> phi = basis.evaluate(x), k = gram(Kernel::rbf(0.3), x);
  EXPECT_LT((phi * phi.transpose() - k).cwiseAbs().maxCoeff(), 0.06);
  EXPECT_LT((phi.rowwise().squaredNorm().array() - 1).abs().maxCoeff(), 1e-12);
}

TEST(Basis, WhatIsDrawnFromTheDataDependsOnTheSeedAlone) {
  const Samples<double> x = test::random_matrix<double>(50, 3, 5);
  for (const char* text : {"radial(count=6)", "fourier(count=8)"}) {
    const auto phi = [&](std::uint64_t seed, int threads) {
      return Basis::parse(text).resolved(x, {.threads = threads, .seed = seed}).evaluate(x);
    };
    EXPECT_EQ(phi(1, 1), phi(1, 2)) << text;
    EXPECT_GT((phi(1, 1) - phi(2, 1)).norm(), 1e-3) << text;
  }
  EXPECT_FALSE(Basis::parse("radial(count=6)").is_resolved());
  EXPECT_THROW((void)Basis::parse("radial(count=6)").evaluate(x), Error);
  for (const char* text : {"radial(count=6)", "fourier(count=8)", "user(mine)"})
    EXPECT_THROW((void)Basis::parse(text).names(2), Error) << text;
  for (const char* text : {"user(a=b)", "user(a b)", "user(a=b=c)", "user('a')", "user(a, b)"})
    EXPECT_THROW((void)Basis::parse(text), Error) << text << ": as a name it would not print as it was read";
  EXPECT_THROW((void)Basis::parse("radial(count=60)").resolved(x), Error);
}

TEST(Basis, SparseRowsAndFloatsHaveTheSameFeatures) {
  const SparseMatrix<double> sparse = test::random_sparse<double>(150, 4, 6);
  const Basis basis =
      (Basis::polynomial(3) + Basis::parse("x1*x4, exp(x2)")).resolved(Samples<double>(sparse));
  EXPECT_EQ(basis.evaluate(Samples<double>(sparse)), basis.evaluate(Samples<double>(Matrix<double>(sparse))));
}

TEST(Basis, AUsersFunctionsAreCalled) {
  const Basis mine =
      Basis::from_functions("mine", {"|x|", "1"}, [](MatrixView<double> x, MatrixRef<double> phi) {
        phi.col(0) = x.rowwise().norm();
        phi.col(1).setOnes();
      });
  const Samples<double> x = test::random_matrix<double>(100, 3, 7);
  const Matrix<double> phi = (Basis::monomials(1) + mine).evaluate(x);
  ASSERT_EQ(phi.cols(), 6);
  EXPECT_LT((phi.col(4) - x.to_dense().rowwise().norm()).norm(), 1e-13);
  EXPECT_EQ(mine.to_string(), "user(mine)");
}

TEST(Basis, KernelIsKnownWhereTheWeightsMakeOne) {
  EXPECT_EQ(Basis::polynomial(3, 0.5, 2).kernel()->to_string(), "poly(degree=3, gamma=0.5, coef0=2)");
  EXPECT_EQ((Basis::polynomial(3) + Basis::polynomial(1)).kernel(),
            Kernel::polynomial(3) + Kernel::polynomial(1));
  EXPECT_FALSE(Basis::monomials(3).kernel());
}

TEST(BasisParse, ReadsWhatItPrints) {
  for (const char* text :
       {"poly(degree=3, gamma=0.25, coef0=1)", "monomials(degree=2)", "radial(count=20, gamma=median)",
        "radial(centers='0 0; 1.5 -1e-07', gamma=0.1)", "cosines(count=3, length=2)",
        "fourier(count=10, kernel='rbf(gamma=0.5)', kind=orthogonal)", "functions('x1^2', 'min(x1,x2)')",
        "poly(degree=2, gamma=1, coef0=1) + cosines(count=1, length=1)"})
    EXPECT_EQ(Basis::parse(text).to_string(), text);
  EXPECT_EQ(Basis::parse("poly").to_string(), "poly(degree=2, gamma=1, coef0=1)");
  EXPECT_EQ(Basis::parse(" poly( 3 ) + monomials").to_string(),
            "poly(degree=3, gamma=1, coef0=1) + monomials(degree=2)");
  EXPECT_EQ(Basis::parse("x1^2, atan2(x1, x2)").to_string(), "functions('x1^2', 'atan2(x1, x2)')");
  EXPECT_EQ(Basis::parse("fourier(6, rbf(gamma=1))").to_string(),
            "fourier(count=6, kernel='rbf(gamma=1)', kind=orthogonal)");
}

TEST(BasisParse, SaysWhatIsWrongWhereAndWhatWouldBeRight) {
  const auto expect = [](const std::string& text, const std::string& part) {
    EXPECT_NE(message_of(text).find(part), std::string::npos) << text << "\n" << message_of(text);
  };
  expect("poly(degre=2)", "poly has no parameter 'degre' at position 6");
  expect("poly(degre=2)", "poly takes degree, gamma, coef0");
  expect("poly(degree=2.5)", "'2.5' is not a whole number at position 6");
  expect("poly(degree=0)", "degree = 0 must be a whole number from 1");
  expect("poly(degree=x)", "'x' is not a number");
  expect("poly(coef0=-1)", "no feature map");
  expect("poly(degree=2", "')' is missing at position 14");
  expect("poly(2, degree=3)", "given twice");
  expect("poly(1,1,1,1)", "too many arguments");
  expect("poly + nonsense(3)", "there is no basis 'nonsense' at position 8");
  expect("poly poly", "'poly' was not expected at position 6");
  expect("monomials(degree=)", "a value is missing");
  expect("radial(centers='0 0; 1')", "centre 2 has 1 coordinates and the first has 2");
  expect("radial(centers='0 a')", "'a' is not a number");
  expect("radial(count=3, centers='0')", "exclude each other");
  expect("radial(gamma=-1)", "must be positive");
  expect("fourier(count=7)", "even number");
  expect("fourier(kernel=linear)", "matern52");
  expect("fourier(kind=magic)", "orthogonal or fourier");
  expect("functions(x1)", "in quotes");
  expect("functions('x1^2'", "')' is missing");
  expect("functions('x1", "closing quote");
  expect("x1^^2", "basis function 'x1^^2'");
  expect("x1^^2", "at character 4");
  expect("x1, , x2", "a function is missing at position 5");
  expect("y1 + 2", "y1");
  expect("y1 + 2", "formulas are made of x1, x2");
  expect("", "a function is missing at position 1");
}

RC_GTEST_PROP(BasisParse, ArbitraryTextIsReadOrRefusedNeverWorse, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(
      rc::gen::element<std::string>("poly", "(", ")", "degree", "=", "2", "-", "+", ",", "'", "x1", "radial",
                                    "centers", ";", "functions", " ", ".", "fourier", "count"));
  std::string text;
  for (const auto& p : pieces) text += p;
  try {
    const Basis basis = Basis::parse(text);
    RC_ASSERT(Basis::parse(basis.to_string()) == basis);
  } catch (const Error& e) {
    RC_ASSERT(e.code() == ErrorCode::usage);
  }
}

TEST(Basis, VariablesThatAreNotThereAndValuesThatAreNotFiniteAreNamed) {
  Matrix<double> x(3, 2);
  x << 1, 1, 2, 2, -1, 3;
  try {
    (void)Basis::parse("x1*x3").evaluate(Samples<double>(x));
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("uses x3, and the data has 2 features"), std::string::npos)
        << e.what();
  }
  try {
    (void)Basis::parse("x2, ln(x1)").evaluate(Samples<double>(x));
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::bad_data);
    EXPECT_NE(std::string(e.what()).find("ln(x1) is"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("row 2"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace mercer
