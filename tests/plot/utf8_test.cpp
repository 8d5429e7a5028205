// Any bytes become text that can be drawn.
#include "plot/utf8.hpp"

#include <gtest/gtest.h>

namespace mercer::plot {
namespace {

TEST(Printable, LeavesValidTextAlone) { EXPECT_EQ(printable("λ₁ = 3 µm, 数据 🎈"), "λ₁ = 3 µm, 数据 🎈"); }

TEST(Printable, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(printable("caf\xe9"), "caf\uFFFD");
  EXPECT_EQ(printable("\xc0\xaf"), "\uFFFD\uFFFD");            // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD");  // surrogate
  EXPECT_EQ(printable("\xe2\x82"), "\uFFFD\uFFFD");            // cut off
}

TEST(Printable, TurnsControlCharactersIntoSpaces) { EXPECT_EQ(printable("a\tb\nc\x7f"), "a b c "); }

TEST(LastCharacter, FindsTheBeginningOfASequence) {
  EXPECT_EQ(last_character("ab"), 1U);
  EXPECT_EQ(last_character("a₁"), 1U);
  EXPECT_EQ(last_character("é"), 0U);
}

}  // namespace
}  // namespace mercer::plot
