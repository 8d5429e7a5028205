// Parameters of a model file: numbers kept although JSON has no infinity, and objects read back with every
// member checked.
#pragma once

#include "model/safetensors.hpp"

#include <mercer/matrix.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mercer {

/// A number that is not finite becomes "inf", "-inf" or "nan".
[[nodiscard]] inline nlohmann::json keep_number(double value) {
  if (std::isfinite(value)) return value;
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

/// A JSON object of the file whose members must be there and of their kind.
class Fields {
 public:
  Fields(const safetensors::File& file, const nlohmann::json& object, std::string prefix = {})
      : file_(file), object_(object), prefix_(std::move(prefix)) {}

  [[nodiscard]] bool has(const std::string& key) const { return object_.contains(key); }
  [[nodiscard]] const nlohmann::json& get(const std::string& key) const {
    const auto found = object_.find(key);
    if (found == object_.end()) file_.damaged(fmt::format("parameter '{}{}' is missing", prefix_, key));
    return *found;
  }
  [[nodiscard]] Fields object(const std::string& key) const {
    require(get(key).is_object(), key, "an object");
    return {file_, get(key), prefix_ + key + "."};
  }
  [[nodiscard]] double number(const std::string& key) const { return as_number(get(key), key); }
  [[nodiscard]] Index count(const std::string& key) const { return as_count(get(key), key); }
  [[nodiscard]] std::vector<Index> counts(const std::string& key) const {
    require(get(key).is_array(), key, "a list of counts");
    std::vector<Index> out;
    for (const auto& item : get(key)) out.push_back(as_count(item, key));
    return out;
  }
  /// A list of lists of `width` numbers.
  [[nodiscard]] std::vector<std::vector<double>> rows(const std::string& key, std::size_t width) const {
    require(get(key).is_array(), key, "a list");
    std::vector<std::vector<double>> out;
    for (const auto& row : get(key)) {
      require(row.is_array() && row.size() == width, key, fmt::format("a list of {} numbers each", width));
      for (out.emplace_back(); const auto& item : row) out.back().push_back(as_number(item, key));
    }
    return out;
  }
  [[nodiscard]] std::vector<double> numbers(const std::string& key) const {
    require(get(key).is_array(), key, "a list of numbers");
    std::vector<double> out;
    for (const auto& item : get(key)) out.push_back(as_number(item, key));
    return out;
  }
  [[nodiscard]] bool flag(const std::string& key) const {
    require(get(key).is_boolean(), key, "true or false");
    return get(key).get<bool>();
  }
  [[nodiscard]] std::string text(const std::string& key) const {
    require(get(key).is_string(), key, "a string");
    return get(key).get<std::string>();
  }
  [[nodiscard]] std::vector<std::string> texts(const std::string& key) const {
    const auto& list = get(key);
    const bool good =
        list.is_array() && std::all_of(list.begin(), list.end(), [](const auto& v) { return v.is_string(); });
    require(good, key, "a list of strings");
    return list.template get<std::vector<std::string>>();
  }
  /// Throws Error{bad_data} that names the parameter.
  void require(bool condition, const std::string& key, std::string_view kind) const {
    if (!condition) file_.damaged(fmt::format("parameter '{}{}' is not {}", prefix_, key, kind));
  }
  [[nodiscard]] std::vector<std::pair<std::string, double>> named_numbers(const std::string& key) const {
    require(get(key).is_array(), key, "a list");
    std::vector<std::pair<std::string, double>> out;
    for (const auto& item : get(key)) {
      require(item.is_array() && item.size() == 2 && item[0].is_string(), key, "a list of names and numbers");
      out.emplace_back(item[0].get<std::string>(), as_number(item[1], key));
    }
    return out;
  }

 private:
  Index as_count(const nlohmann::json& value, const std::string& key) const {
    require(value.is_number_unsigned() || (value.is_number_integer() && value.get<std::int64_t>() >= 0), key,
            "a count");
    require(value.get<std::uint64_t>() <= std::uint64_t{std::numeric_limits<Index>::max()}, key, "a count");
    return value.get<Index>();
  }
  double as_number(const nlohmann::json& value, const std::string& key) const {
    if (value.is_number()) return value.get<double>();
    if (value == "inf") return std::numeric_limits<double>::infinity();
    if (value == "-inf") return -std::numeric_limits<double>::infinity();
    require(value == "nan", key, "a number");
    return std::numeric_limits<double>::quiet_NaN();
  }

  const safetensors::File& file_;
  const nlohmann::json& object_;
  std::string prefix_;
};

}  // namespace mercer
