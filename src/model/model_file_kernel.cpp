// The kernel of a model file. A kernel made from a C++ function is saved by name, user(name), and
// may stand in a sum or a product: 0.5*user(mine) + (linear() + user(other))*rbf(gamma=1).
#include "model/model_file.hpp"

#include <mercer/error.hpp>

#include <fast_float/fast_float.h>
#include <fmt/format.h>

#include <optional>
#include <string_view>

namespace mercer {

namespace {

constexpr int max_nesting = 64;

/// The pieces between separators that stand outside brackets and quotes.
std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> pieces;
  std::size_t begin = 0;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\'') quoted = !quoted;
    if (quoted) continue;
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (depth != 0 || !text.substr(i).starts_with(separator)) continue;
    pieces.push_back(text.substr(begin, i - begin));
    i += separator.size() - 1;
    begin = i + 1;
  }
  pieces.push_back(text.substr(begin));
  return pieces;
}

std::optional<double> as_number(std::string_view text) {
  double value = 0;
  const auto [rest, code] = fast_float::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || rest != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

/// Takes apart what Kernel::to_string prints, as far as needed to reach each user(name).
class UserKernels {
 public:
  struct NotSupplied {
    std::string name;
  };

  explicit UserKernels(const std::map<std::string, Kernel>& known) : known_(known) {}

  [[nodiscard]] Kernel sum(std::string_view text, int depth = 0) const {
    if (depth > max_nesting) throw Error(ErrorCode::bad_data, "nested too deeply");
    std::optional<Kernel> total;
    for (const auto part : split(text, " + ")) {
      const Kernel term = product(trimmed(part), depth);
      total = total ? *total + term : term;
    }
    return *total;
  }

 private:
  [[nodiscard]] Kernel product(std::string_view text, int depth) const {
    double factor = 1;
    std::optional<Kernel> total;
    for (const auto part : split(text, "*")) {
      if (const auto number = as_number(trimmed(part))) {
        factor *= *number;
        continue;
      }
      const Kernel one = single(trimmed(part), depth);
      total = total ? *total * one : one;
    }
    if (!total) throw Error(ErrorCode::bad_data, fmt::format("'{}' is not a kernel", text));
    return factor == 1 ? *total : factor * *total;
  }

  [[nodiscard]] Kernel single(std::string_view text, int depth) const {
    if (text.starts_with('(') && text.ends_with(')')) return sum(text.substr(1, text.size() - 2), depth + 1);
    if (!text.starts_with("user(") || !text.ends_with(')')) return Kernel::parse(text);
    const std::string name(text.substr(5, text.size() - 6));
    const auto found = known_.find(name);
    if (found == known_.end()) throw NotSupplied{name};
    return found->second;
  }

  const std::map<std::string, Kernel>& known_;
};

}  // namespace

template <class T>
Kernel ModelReader<T>::kernel(const std::string& text) const {
  try {
    if (text.find("user(") == std::string::npos) return Kernel::parse(text);
    return UserKernels(options_.kernels).sum(text);
  } catch (const UserKernels::NotSupplied& missing) {
    throw Error(ErrorCode::usage,
                fmt::format("{} needs your kernel '{}', which is saved by name only", path(), missing.name),
                fmt::format("load it from C++ with LoadOptions::kernels[\"{}\"] = the kernel", missing.name));
  } catch (const Error& error) {
    damaged(fmt::format("its kernel '{}' cannot be read: {}", text, error.message()));
  }
}

template Kernel ModelReader<float>::kernel(const std::string&) const;
template Kernel ModelReader<double>::kernel(const std::string&) const;

}  // namespace mercer
