// Ids do not depend on what was drawn before in the same process.
#include "plot/svg_tidy.hpp"

#include <gtest/gtest.h>

namespace mercer::plot {
namespace {

TEST(TidySvg, NumbersIdsInTheirOrderOfAppearance) {
  EXPECT_EQ(tidy_svg(R"(<svg><g id="surface17"/><image id="image3"/><use xlink:href="#image3"/></svg>)", ""),
            R"(<svg><g id="m0"/><image id="m1"/><use xlink:href="#m1"/></svg>)");
}

TEST(TidySvg, LeavesOtherIdsAndTextAlone) {
  const char* svg = R"x(<svg><clipPath id="clip1"/><g clip-path="url(#clip1)" class="surface9"/></svg>)x";
  EXPECT_EQ(tidy_svg(svg, ""), svg);
}

TEST(TidySvg, PutsTheTitleFirst) {
  EXPECT_EQ(tidy_svg("<?xml?>\n<svg a=\"b\"><g/></svg>", "x > y"),
            "<?xml?>\n<svg a=\"b\">\n<title>x &gt; y</title><g/></svg>");
}

}  // namespace
}  // namespace mercer::plot
