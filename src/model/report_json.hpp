// What reports in JSON are made of: numbers that may not be finite, lists of them, and how they are laid out.
#pragma once

#include <mercer/matrix.hpp>

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace mercer {

using Json = nlohmann::ordered_json;

/// JSON has no NaN and no infinity: null.
[[nodiscard]] Json json_number(double value);
[[nodiscard]] Json json_number(const std::optional<double>& value);
/// Bytes and flops are whole numbers kept in doubles because they may be large.
[[nodiscard]] Json json_whole(double value);
[[nodiscard]] Json json_numbers(const Vector<double>& values);

/// Indented by two, but a list of numbers stays on one line: a thousand eigenvalues, not lines.
[[nodiscard]] std::string json_text(const Json& value);

}  // namespace mercer
