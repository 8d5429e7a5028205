// A model file taken apart and put together again by hand, checksum made right: lies that reach what lies
// behind it.
#pragma once

#include <xxhash.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace mercer::fuzz {

using nlohmann::json;

/// Recomputes the checksum, by the one-shot function of the library, so that deeper checks are reached.
inline std::string sealed(std::string bytes) {
  const std::string key = "\"checksum\":\"xxh3:";
  const auto at = bytes.find(key);
  if (at == std::string::npos || at + key.size() + 16 > bytes.size()) return bytes;
  bytes.replace(at + key.size(), 16, 16, '0');
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx",
                static_cast<unsigned long long>(XXH3_64bits(bytes.data(), bytes.size())));
  return bytes.replace(at + key.size(), 16, digits);
}

/// A header and what follows it, as a sealed file.
inline std::string assembled(const json& header, const std::string& data) {
  const std::string text = header.dump(-1, ' ', false, json::error_handler_t::replace);
  const std::uint64_t length = text.size();
  std::string out(8, '\0');
  std::memcpy(out.data(), &length, 8);
  return sealed(out + text + data);
}

/// The layout, as it lies in the file.
struct Parts {
  json header;
  std::string data;

  static Parts of(const std::string& bytes) {
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), 8);
    return {json::parse(bytes.substr(8, length)), bytes.substr(8 + length)};
  }
  [[nodiscard]] std::string bytes() const { return assembled(header, data); }
  /// Elements of a tensor.
  template <class U>
  [[nodiscard]] std::vector<U> tensor(const std::string& name) const {
    const auto offsets = header.at(name).at("data_offsets");
    std::vector<U> out((offsets[1].get<std::size_t>() - offsets[0].get<std::size_t>()) / sizeof(U));
    std::memcpy(out.data(), data.data() + offsets[0].get<std::size_t>(), out.size() * sizeof(U));
    return out;
  }
  template <class U>
  void put(const std::string& name, std::size_t index, U value) {
    std::memcpy(data.data() + header.at(name).at("data_offsets")[0].get<std::size_t>() + index * sizeof(U),
                &value, sizeof(U));
  }
  void change_parameters(const std::function<void(json&)>& change) {
    auto parameters = json::parse(header["__metadata__"]["parameters"].get<std::string>());
    change(parameters);
    header["__metadata__"]["parameters"] = parameters.dump();
  }
};

/// One tensor with its own bytes, which may grow and shrink.
struct LooseTensor {
  std::string name, dtype;
  std::vector<std::int64_t> shape;
  std::string data;

  [[nodiscard]] std::size_t element() const {
    return dtype.ends_with("64") ? 8 : dtype.ends_with("32") ? 4 : 1;
  }
  [[nodiscard]] std::size_t count() const { return data.size() / element(); }
  /// Writes the bits of a number of the tensor's type.
  void put(std::size_t index, double value) {
    const auto as = [&](auto typed) { std::memcpy(data.data() + index * element(), &typed, sizeof typed); };
    if (dtype == "F64") return as(value);
    if (dtype == "F32") return as(static_cast<float>(value));
    const auto whole = value >= 9e18    ? INT64_MAX
                       : value <= -9e18 ? INT64_MIN
                                        : static_cast<std::int64_t>(value == value ? value : 0);
    if (dtype == "I64") return as(whole);
    if (dtype == "I32") return as(static_cast<std::int32_t>(whole));
  }
  /// As many bytes as the shape asks for: zeros are added, or the end is cut off.
  void fill() {
    std::size_t bytes = element();
    for (const std::int64_t side : shape) bytes *= static_cast<std::size_t>(side);
    data.resize(bytes, '\0');
  }
};

/// A model file whose tensors can be changed one by one; where they lie follows.
struct LooseModel {
  json metadata, parameters;
  std::vector<LooseTensor> tensors;

  /// Throws json::exception or std::out_of_range for what is no model file.
  static LooseModel of(const std::string& bytes) {
    if (bytes.size() < 10) throw std::out_of_range("no header");
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), 8);
    if (length > bytes.size() - 8) throw std::out_of_range("no header");
    LooseModel out;
    const json header = json::parse(bytes.substr(8, length));
    out.metadata = header.at("__metadata__");
    out.parameters = json::parse(out.metadata.at("parameters").get<std::string>());
    for (const auto& [name, entry] : header.items()) {
      if (name == "__metadata__") continue;
      const auto from = entry.at("data_offsets").at(0).get<std::size_t>(),
                 to = entry.at("data_offsets").at(1).get<std::size_t>();
      if (from > to || to > bytes.size() - 8 - length) throw std::out_of_range("no such bytes");
      out.tensors.push_back({name, entry.at("dtype").get<std::string>(),
                             entry.at("shape").get<std::vector<std::int64_t>>(),
                             bytes.substr(8 + length + from, to - from)});
    }
    return out;
  }
  [[nodiscard]] std::string bytes() const {
    json header = json::object();
    header["__metadata__"] = metadata;
    header["__metadata__"]["parameters"] = parameters.dump(-1, ' ', false, json::error_handler_t::replace);
    std::string data;
    for (const LooseTensor& tensor : tensors) {
      header[tensor.name] = {{"dtype", tensor.dtype},
                             {"shape", tensor.shape},
                             {"data_offsets", {data.size(), data.size() + tensor.data.size()}}};
      data += tensor.data;
    }
    return assembled(header, data);
  }
};

}  // namespace mercer::fuzz
