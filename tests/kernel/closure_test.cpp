// Why a kernel is one, in words.
#include "kernel/closure.hpp"

#include "kernel/catalogue.hpp"
#include "kernel/node.hpp"

#include <gtest/gtest.h>

namespace mercer {
namespace {

TEST(Closure, EveryKernelOfTheCatalogueThatIsOneSaysWhy) {
  for (const LeafKind& kind : catalogue()) {
    const Kernel kernel = Kernel::parse(kind.name);
    const std::string line = closure_in_words(kernel).at(0);
    const bool is_one = line.find(": a kernel: ") != std::string::npos;
    EXPECT_EQ(is_one, kernel.definiteness() == Definiteness::psd) << line;
  }
}

TEST(Closure, RulesAreNamedAndPartsIndented) {
  const auto lines = closure_in_words(Kernel::parse("2*rbf(1)*linear + poly(2)"));
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_NE(lines[0].find("a sum of kernels is one"), std::string::npos);
  EXPECT_EQ(lines[1].substr(0, 3), "  2");
  EXPECT_NE(lines[1].find("a multiple by 2"), std::string::npos);
  EXPECT_NE(lines[2].find("Schur"), std::string::npos);
  EXPECT_EQ(lines[3].substr(0, 9), "      rbf");
  EXPECT_NE(closure_in_words(Kernel::parse("-1*linear"))[0].find("turns every eigenvalue over"),
            std::string::npos);
  EXPECT_NE(closure_in_words(Kernel::parse("additive_chi2 + linear"))[0].find("conditional"),
            std::string::npos);
  EXPECT_NE(closure_in_words(Kernel::parse("additive_chi2*linear"))[0].find("not known"), std::string::npos);
  EXPECT_NE(closure_in_words(Kernel::parse("poly(degree=2, coef0=-1)"))[0].find("coef0 is negative"),
            std::string::npos);
}

TEST(Closure, OtherParametersAreProposedForThePartThatNeedsThem) {
  EXPECT_TRUE(other_parameters(Kernel::parse("rbf(1)*linear")).empty());
  EXPECT_NE(other_parameters(Kernel::parse("linear + sigmoid")).at(0).find("coef0 < 0"), std::string::npos);
  EXPECT_NE(other_parameters(Kernel::parse("linear - rbf(1)")).at(0).find("positive factor"),
            std::string::npos);
  EXPECT_NE(other_parameters(Kernel::parse("expr('sqrt(sqdist)')")).at(0).find("exp(−gamma D)"),
            std::string::npos);
}

}  // namespace
}  // namespace mercer
