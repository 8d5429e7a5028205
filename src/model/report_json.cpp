// Numbers, lists and layout of a report in JSON.
#include "model/report_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace mercer {

namespace {

std::string leaf(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

void print(const Json& value, std::size_t indent, std::string& out) {
  const bool listed = value.is_array() && !std::all_of(value.begin(), value.end(), [](const Json& item) {
                        return item.is_number() || item.is_null();
                      });
  if (value.is_array() && !listed) {
    std::vector<std::string> items;
    std::transform(value.begin(), value.end(), std::back_inserter(items), leaf);
    out += fmt::format("[{}]", fmt::join(items, ", "));
    return;
  }
  if (!listed && (!value.is_object() || value.empty())) {
    out += leaf(value);
    return;
  }
  out += listed ? "[" : "{";
  const char* separator = "\n";
  for (const auto& [key, item] : value.items()) {
    out.append(separator).append(indent + 2, ' ');
    if (!listed) out.append(leaf(key)).append(": ");
    print(item, indent + 2, out);
    separator = ",\n";
  }
  out.append("\n").append(indent, ' ').append(listed ? "]" : "}");
}

}  // namespace

Json json_number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
Json json_number(const std::optional<double>& value) { return value ? json_number(*value) : Json(nullptr); }

Json json_whole(double value) {
  if (!(std::abs(value) < 0x1p63)) return json_number(value);
  return static_cast<std::int64_t>(std::llround(value));
}

Json json_numbers(const Vector<double>& values) {
  Json out = Json::array();
  for (const double value : values) out.push_back(json_number(value));
  return out;
}

std::string json_text(const Json& value) {
  std::string out;
  print(value, 0, out);
  return out;
}

}  // namespace mercer
