// What cairo's SVG lacks: ids that are the same each time (cairo numbers surfaces through the whole
// process) and a <title> for screen readers and search.
#pragma once

#include <string>
#include <string_view>

namespace mercer::plot {

[[nodiscard]] std::string tidy_svg(std::string_view svg, std::string_view title);

}  // namespace mercer::plot
