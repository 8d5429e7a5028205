// Label columns: names and indices to a column, texts and numbers to classes. When every value is a
// number, 1 and 1.0 are one class and the classes are in numeric order.
#include "data/label.hpp"

#include "data/number.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <unordered_map>

namespace mercer {

namespace {

std::string list_columns(const std::vector<std::string>& names, Index count) {
  if (names.empty()) return fmt::format("the file has no header; its columns are 0 to {}", count - 1);
  constexpr std::size_t shown = 20;
  const auto first = names.begin();
  const auto last = first + static_cast<std::ptrdiff_t>(std::min(shown, names.size()));
  return fmt::format("columns: {}{}", fmt::join(first, last, ", "), names.size() > shown ? ", ..." : "");
}

/// The values as numbers, or empty when one of them is not a (finite) number.
std::vector<double> as_numbers(const RawLabel& raw, const std::vector<Index>& rows) {
  std::vector<double> out;
  out.reserve(rows.size());
  for (const Index row : rows) {
    const auto i = static_cast<std::size_t>(row);
    double value = 0;
    if (raw.texts.empty())
      value = raw.numbers[i];
    else if (parse_number(raw.texts[i], value) != NumberKind::finite)
      return {};
    out.push_back(value);
  }
  return out;
}

template <class Key, class Name>
void number_classes(const std::vector<Key>& values, Label& label, Name&& name) {
  std::unordered_map<Key, std::int32_t> seen;
  for (const Key& v : values) seen.emplace(v, 0);
  std::vector<Key> order;
  order.reserve(seen.size());
  for (const auto& [key, code] : seen) order.push_back(key);
  std::sort(order.begin(), order.end());
  for (const Key& key : order) {
    seen[key] = static_cast<std::int32_t>(label.names.size());
    label.names.push_back(name(key));
  }
  label.codes.reserve(values.size());
  for (const Key& v : values) label.codes.push_back(seen[v]);
}

}  // namespace

Index find_label(const std::string& label, const std::vector<std::string>& names, Index count,
                 const std::string& where) {
  if (const auto found = std::find(names.begin(), names.end(), label); found != names.end())
    return found - names.begin();
  Index index = 0;
  const char* end = label.data() + label.size();
  const auto parsed = std::from_chars(label.data(), end, index);
  const bool is_index = parsed.ec == std::errc{} && parsed.ptr == end;
  if (is_index && index >= -count && index < count) return index < 0 ? index + count : index;
  if (is_index && names.empty())
    throw Error(ErrorCode::usage, fmt::format("{}: no label column {}", where, label),
                list_columns(names, count));
  throw Error(ErrorCode::usage, fmt::format("{}: no label column '{}'", where, label),
              list_columns(names, count));
}

Label make_label(const RawLabel& raw, const std::vector<Index>& rows) {
  Label label;
  label.column = raw.column;
  label.values = as_numbers(raw, rows);
  if (!rows.empty() && label.values.empty()) {
    std::vector<std::string_view> values;
    values.reserve(rows.size());
    for (const Index row : rows) values.push_back(raw.texts[static_cast<std::size_t>(row)]);
    number_classes(values, label, [](std::string_view v) { return std::string(v); });
    return label;
  }
  for (double& v : label.values) v += 0.0;  // −0 and 0 are one class
  number_classes(label.values, label, [](double v) { return fmt::format("{}", v); });
  return label;
}

Label make_label(std::string column, const std::vector<std::string>& values) {
  RawLabel raw;
  raw.column = std::move(column);
  raw.texts.assign(values.begin(), values.end());
  std::vector<Index> rows(values.size());
  std::iota(rows.begin(), rows.end(), Index(0));
  return make_label(raw, rows);
}

}  // namespace mercer
