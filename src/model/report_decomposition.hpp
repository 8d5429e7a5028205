// The part of a report that speaks of an N-way array: how small, how close (Decomposition in
// mercer/report.hpp), as JSON and in words.
#pragma once

#include "model/report_json.hpp"

#include <mercer/report.hpp>

#include <string>

namespace mercer {

void add_decomposition(Json& report, const Decomposition& d);
/// "5 x 201 x 61 -> 3 components", "400 x 112 x 92 -> cores 20 x 20"
[[nodiscard]] std::string decomposition_title(const Decomposition& d);
[[nodiscard]] std::string decomposition_in_words(const Report& report);

}  // namespace mercer
