// Nearest names: what somebody who mistyped one probably meant.
#pragma once

#include <string>
#include <vector>

namespace mercer::app {

/// The name that is fewest slips away (a letter too many, too few, wrong, or two in the wrong order), or that
/// begins like the word; empty when none is near.
[[nodiscard]] std::string nearest_name(const std::string& word, const std::vector<std::string>& names);

/// ": did you mean NAME?", or nothing.
[[nodiscard]] std::string did_you_mean(const std::string& word, const std::vector<std::string>& names);

}  // namespace mercer::app
