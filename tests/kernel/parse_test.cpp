// Kernels as text: what is printed is read back, and mistakes are explained.
#include <mercer/kernel.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace mercer {
namespace {

std::string message_of(const std::string& text) {
  try {
    (void)Kernel::parse(text);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::usage) << text;
    return e.what();
  }
  return "no error";
}

TEST(KernelParse, ReadsEveryKernelOfTheCatalogueWithItsDefaults) {
  EXPECT_EQ(Kernel::parse("linear").to_string(), "linear()");
  EXPECT_EQ(Kernel::parse("poly").to_string(), "poly(degree=3, gamma=1, coef0=1)");
  EXPECT_EQ(Kernel::parse("rbf").to_string(), "rbf(gamma=median)");
  EXPECT_EQ(Kernel::parse("laplacian(gamma=auto)").to_string(), "laplacian(gamma=auto)");
  EXPECT_EQ(Kernel::parse("sigmoid").to_string(), "sigmoid(gamma=auto, coef0=1)");
  EXPECT_EQ(Kernel::parse("cosine()").to_string(), "cosine()");
  EXPECT_EQ(Kernel::parse("matern32").to_string(), "matern32(length=1)");
  EXPECT_EQ(Kernel::parse("matern52(2)").to_string(), "matern52(length=2)");
  EXPECT_EQ(Kernel::parse("rq(length=2, alpha=0.5)").to_string(), "rq(length=2, alpha=0.5)");
  EXPECT_EQ(Kernel::parse("chi2").to_string(), "chi2(gamma=1)");
  EXPECT_EQ(Kernel::parse("additive_chi2").to_string(), "additive_chi2()");
  EXPECT_EQ(Kernel::parse("precomputed").to_string(), "precomputed()");
  EXPECT_EQ(Kernel::parse("expr('exp(-sqdist)*(1+dot)^2')").to_string(), "expr('exp(-sqdist)*(1+dot)^2')");
}

TEST(KernelParse, SigmaIsGammaInOtherWords) {
  EXPECT_EQ(Kernel::parse("rbf(sigma=1)"), Kernel::parse("rbf(gamma=0.5)"));
}

TEST(KernelParse, KnowsTheUsualOtherNames) {
  EXPECT_EQ(Kernel::parse("gaussian(gamma=2)"), Kernel::rbf(2));
  EXPECT_EQ(Kernel::parse("polynomial(degree=2)"), Kernel::polynomial(2));
}

TEST(KernelParse, ReadsSumsProductsMultiplesAndParentheses) {
  EXPECT_EQ(Kernel::parse("poly(degree=3, coef0=1) + 0.1*linear()").to_string(),
            "poly(degree=3, gamma=1, coef0=1) + 0.1*linear()");
  EXPECT_EQ(Kernel::parse("2 * 3*rbf(1)").to_string(), "6*rbf(gamma=1)");
  EXPECT_EQ(Kernel::parse("(linear+rbf(1))*cosine").to_string(), "(linear() + rbf(gamma=1))*cosine()");
  EXPECT_EQ(Kernel::parse("linear - 0.5*cosine").to_string(), "linear() + -0.5*cosine()");
  EXPECT_EQ(Kernel::parse("-linear").to_string(), "-1*linear()");
  EXPECT_EQ(Kernel::parse("rbf(1)*2*linear").to_string(), "2*rbf(gamma=1)*linear()");
}

TEST(KernelParse, PointsAtTheArgumentThatIsWrong) {
  const auto expect_place = [](const std::string& text, std::size_t place) {
    EXPECT_NE(message_of(text).find(" at position " + std::to_string(place)), std::string::npos)
        << message_of(text);
  };
  expect_place("rbf(gama=1)", 5);
  expect_place("poly(degree=2) + rbf(gama=3)", 22);
  expect_place("rbf(gamma=abc)", 11);
  expect_place("rbf(gamma = abc)", 13);
  expect_place("rbf(sigma=-2)", 11);
  expect_place("rbf(1, 2)", 8);
  expect_place("rbf(gamma=1, gamma=2)", 14);
  expect_place("2 * user('a b')", 5);
  expect_place("linear +  rfb", 11);
}

TEST(KernelParse, SaysWhatIsWrongAndWhere) {
  EXPECT_NE(message_of("rfb(gamma=1)").find("no kernel 'rfb' at position 1"), std::string::npos);
  EXPECT_NE(message_of("rfb(gamma=1)").find("rbf"), std::string::npos) << "the known kernels are listed";
  EXPECT_NE(message_of("rbf(gama=1)").find("rbf takes gamma or sigma"), std::string::npos);
  EXPECT_NE(message_of("rbf(gamma=x)").find("'x' is not a number"), std::string::npos);
  EXPECT_NE(message_of("rbf(gamma=-1)").find("must be positive"), std::string::npos);
  EXPECT_NE(message_of("poly(degree=2.5)").find("whole number"), std::string::npos);
  EXPECT_NE(message_of("poly(gamma=median)").find("cannot be 'median'"), std::string::npos);
  EXPECT_NE(message_of("rbf(gamma=1").find("')' is missing"), std::string::npos);
  EXPECT_NE(message_of("rbf(1, 2)").find("too many arguments"), std::string::npos);
  EXPECT_NE(message_of("rbf(gamma=1, gamma=2)").find("twice"), std::string::npos);
  EXPECT_NE(message_of("").find("missing"), std::string::npos);
  EXPECT_NE(message_of("2").find("alone"), std::string::npos);
  EXPECT_NE(message_of("linear linear").find("not expected"), std::string::npos);
  EXPECT_NE(message_of("expr('foo+1')").find("foo"), std::string::npos);
  EXPECT_NE(message_of("expr('dot+')").find("expr('dot+')"), std::string::npos);
  EXPECT_NE(message_of("precomputed + linear").find("precomputed"), std::string::npos);
  EXPECT_NE(message_of(std::string(5000, '(')).find("parentheses"), std::string::npos);
}

Kernel arbitrary_kernel(int depth) {
  const auto positive = [] {
    return double(*rc::gen::inRange(1, 1000000)) / double(*rc::gen::inRange(1, 1000000));
  };
  switch (*rc::gen::inRange(0, depth > 0 ? 14 : 11)) {
    case 0:
      return Kernel::linear();
    case 1:
      return Kernel::polynomial(*rc::gen::inRange(1, 9), positive(), positive() - 1);
    case 2:
      return Kernel::rbf(positive());
    case 3:
      return Kernel::rbf(*rc::gen::element(Gamma::automatic(), Gamma::median()));
    case 4:
      return Kernel::laplacian(positive());
    case 5:
      return Kernel::sigmoid(positive(), -positive());
    case 6:
      return Kernel::matern32(positive());
    case 7:
      return Kernel::rational_quadratic(positive(), positive());
    case 8:
      return Kernel::chi2(positive());
    case 9:
      return Kernel::expression("exp(-sqdist)+dot");
    case 10:
      return Kernel::cosine();
    case 11:
      return arbitrary_kernel(depth - 1) + arbitrary_kernel(depth - 1);
    case 12:
      return arbitrary_kernel(depth - 1) * arbitrary_kernel(depth - 1);
    default:
      return (positive() - 1) * arbitrary_kernel(depth - 1);
  }
}

TEST(KernelParse, TakesOnlyAWordForTheNameOfAUsersKernel) {
  EXPECT_EQ(Kernel::parse("user(mine)").to_string(), "user(mine)");
  for (const char* text : {"user(a=b)", "user(a=b=c)", "user('a')", "user(a, b)"})
    EXPECT_NE(message_of(text).find("the kernel's name"), std::string::npos) << text;
}

RC_GTEST_PROP(KernelParse, ReadingWhatWasPrintedGivesTheSameKernel, ()) {
  const Kernel k = arbitrary_kernel(3);
  RC_ASSERT(Kernel::parse(k.to_string()).to_string() == k.to_string());
  RC_ASSERT(Kernel::parse(k.to_string()).definiteness() == k.definiteness());
}

RC_GTEST_PROP(KernelParse, ArbitraryTextIsReadOrRefusedNeverWorse, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(
      rc::gen::element<std::string>("rbf", "(", ")", "gamma", "=", "1", "-", "+", "*", ",", "'", "expr",
                                    "linear", " ", "e", ".", "median"));
  std::string text;
  for (const auto& p : pieces) text += p;
  try {
    (void)Kernel::parse(text);
  } catch (const Error& e) {
    RC_ASSERT(e.code() == ErrorCode::usage);
  }
}

TEST(KernelDefiniteness, FollowsTheClosureRules) {
  EXPECT_EQ(Kernel::parse("rbf(1)*linear + 2*poly(2)").definiteness(), Definiteness::psd);
  EXPECT_EQ(Kernel::parse("poly(degree=2, coef0=-1)").definiteness(), Definiteness::unknown);
  EXPECT_EQ(Kernel::parse("-1*linear").definiteness(), Definiteness::unknown);
  EXPECT_EQ(Kernel::parse("sigmoid").definiteness(), Definiteness::unknown);
  EXPECT_EQ(Kernel::parse("additive_chi2").definiteness(), Definiteness::conditional);
  EXPECT_EQ(Kernel::parse("additive_chi2 + rbf(1)").definiteness(), Definiteness::conditional);
  EXPECT_EQ(Kernel::parse("additive_chi2*rbf(1)").definiteness(), Definiteness::unknown);
  EXPECT_EQ(Kernel::parse("expr('dot')").definiteness(), Definiteness::unknown);
}

}  // namespace
}  // namespace mercer
