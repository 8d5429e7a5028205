// Reading a kernel from text: sums, products and multiples of named kernels.
//
//     kernel := ['-'] term (('+' | '-') term)*
//     term   := factor ('*' factor)*
//     factor := number | '(' kernel ')' | name ['(' [argument (',' argument)*] ')']
//     argument := [parameter '='] (number | 'auto' | 'median') | quoted formula | user kernel's name
#include <mercer/kernel.hpp>

#include "kernel/catalogue.hpp"
#include "kernel/node.hpp"
#include "kernel/users_name.hpp"

#include <fast_float/fast_float.h>
#include <fmt/format.h>

#include <cctype>
#include <optional>

namespace mercer {
namespace {

struct KernelArgument {
  std::string name;  ///< empty when given by position
  std::string text;
  bool quoted = false;
  std::size_t at = 0, value_at = 0;  ///< where the whole and its value begin
};

std::string known_names() {
  std::string out;
  for (const LeafKind& kind : catalogue()) out += fmt::format("{}{}", out.empty() ? "" : ", ", kind.name);
  return out + ", precomputed, expr('...')";
}

class KernelParser {
 public:
  explicit KernelParser(std::string_view text) : text_(text) {}

  Kernel parse() {
    Kernel k = kernel();
    skip_spaces();
    if (at_ != text_.size()) fail(fmt::format("'{}' was not expected", text_.substr(at_, 12)));
    return k;
  }

 private:
  static constexpr int max_depth = 50;

  [[noreturn]] void fail(const std::string& why, std::string hint = {}) const {
    fail_at(at_, why, std::move(hint));
  }
  [[noreturn]] void fail_at(std::size_t at, const std::string& why, std::string hint = {}) const {
    if (hint.empty()) hint = "kernels: " + known_names();
    throw Error(ErrorCode::usage, fmt::format("kernel '{}': {} at position {}", text_, why, at + 1), hint);
  }

  void skip_spaces() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool accept(char c) {
    skip_spaces();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (accept(c)) return;
    skip_spaces();
    fail(at_ < text_.size() ? fmt::format("expected '{}', found '{}'", c, text_[at_])
                            : fmt::format("'{}' is missing", c));
  }
  std::string word() {
    skip_spaces();
    const std::size_t from = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_'))
      ++at_;
    return std::string(text_.substr(from, at_ - from));
  }
  std::optional<double> number() {
    skip_spaces();
    if (at_ >= text_.size()) return std::nullopt;
    const char c = text_[at_];
    if (!std::isdigit(static_cast<unsigned char>(c)) && c != '.' && c != '-') return std::nullopt;
    double value = 0;
    const char* end = text_.data() + text_.size();
    const auto [rest, code] = fast_float::from_chars(text_.data() + at_, end, value);
    if (code != std::errc{}) return std::nullopt;
    at_ = static_cast<std::size_t>(rest - text_.data());
    return value;
  }

  Kernel kernel() {
    if (++depth_ > max_depth) fail("too many parentheses");
    const bool negative = starts_with_minus_of_a_kernel();
    Kernel sum = term();
    if (negative) sum = -1.0 * sum;
    for (;;) {
      if (accept('+'))
        sum = sum + term();
      else if (starts_with_minus_of_a_kernel())
        sum = sum + -1.0 * term();
      else if (accept('-'))
        sum = sum + -1.0 * term();
      else
        break;
    }
    --depth_;
    return sum;
  }

  /// "-rbf(...)": a minus that is not the sign of a number.
  bool starts_with_minus_of_a_kernel() {
    skip_spaces();
    if (at_ + 1 >= text_.size() || text_[at_] != '-') return false;
    if (!std::isalpha(static_cast<unsigned char>(text_[at_ + 1])) && text_[at_ + 1] != '(') return false;
    ++at_;
    return true;
  }

  Kernel term() {
    double scale = 1;
    bool scaled = false;
    std::optional<Kernel> product;
    do {
      if (const auto value = number()) {
        scale *= *value;
        scaled = true;
        continue;
      }
      const Kernel f = factor();
      product = product ? *product * f : f;
    } while (accept('*'));
    if (!product) fail("a number alone is not a kernel", "multiply it: 0.5*rbf(gamma=1)");
    return scaled ? scale * *product : *product;
  }

  Kernel factor() {
    if (accept('(')) {
      Kernel k = kernel();
      expect(')');
      return k;
    }
    skip_spaces();
    const std::size_t from = at_;
    const std::string name = word();
    if (name.empty())
      fail(at_ < text_.size() ? fmt::format("'{}' was not expected", text_[at_]) : "a kernel is missing");
    std::vector<KernelArgument> arguments;
    if (accept('(') && !accept(')')) {
      do arguments.push_back(argument());
      while (accept(','));
      expect(')');
    }
    if (name == "precomputed") return Kernel::precomputed();
    if (name == "expr") {
      if (arguments.size() != 1 || !arguments[0].quoted)
        fail_at(from, "expr takes one formula in quotes", "expr('exp(-sqdist)*(1+dot)^2')");
      return Kernel::expression(arguments[0].text);
    }
    if (name == "user") {
      if (arguments.size() != 1 || arguments[0].quoted || !arguments[0].name.empty() ||
          !is_users_name(arguments[0].text))
        fail_at(from, "user takes the kernel's name");
      return make_kernel(UserKernel{arguments[0].text, nullptr});
    }
    const LeafKind* kind = find_leaf(name);
    if (!kind) fail_at(from, fmt::format("there is no kernel '{}'", name));
    return leaf(*kind, arguments);
  }

  KernelArgument argument() {
    skip_spaces();
    KernelArgument out;
    out.at = out.value_at = at_;
    if (at_ < text_.size() && (text_[at_] == '\'' || text_[at_] == '"')) {
      const std::size_t end = text_.find(text_[at_], at_ + 1);
      if (end == std::string_view::npos) fail("the closing quote is missing");
      out.text = std::string(text_.substr(at_ + 1, end - at_ - 1));
      out.quoted = true;
      at_ = end + 1;
      return out;
    }
    const std::size_t from = at_;
    const std::string first = word();
    if (!first.empty() && accept('=')) {
      out.name = first;
      skip_spaces();
    } else {
      at_ = from;
    }
    const std::size_t begin = out.value_at = at_;
    while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != ')' && text_[at_] != '(') ++at_;
    std::string_view value = text_.substr(begin, at_ - begin);
    while (!value.empty() && std::isspace(static_cast<unsigned char>(value.back()))) value.remove_suffix(1);
    out.text = std::string(value);
    if (out.text.empty()) fail("a value is missing");
    return out;
  }

  Gamma value_of(const LeafKind& kind, const KernelArgument& a) const {
    if (a.text == "auto") return Gamma::automatic();
    if (a.text == "median") return Gamma::median();
    double value = 0;
    const char* end = a.text.data() + a.text.size();
    const auto [rest, code] = fast_float::from_chars(a.text.data(), end, value);
    if (code != std::errc{} || rest != end)
      fail_at(a.value_at, fmt::format("{}: '{}' is not a number", kind.name, a.text));
    return value;
  }

  Kernel leaf(const LeafKind& kind, const std::vector<KernelArgument>& arguments) const {
    std::vector<Gamma> values;
    std::string names;
    for (const ParameterSpec& spec : kind.parameters) {
      values.push_back(spec.fallback);
      names += fmt::format("{}{}", names.empty() ? "" : ", ", spec.name);
    }
    if (kind.name == "rbf") names += " or sigma";
    std::vector<bool> given(values.size(), false);
    for (std::size_t position = 0; position < arguments.size(); ++position) {
      const KernelArgument& a = arguments[position];
      Gamma value = value_of(kind, a);
      std::string name = a.name;
      if (kind.name == "rbf" && name == "sigma") {  // exp(−‖x−y‖²/2σ²)
        if (value.rule == Gamma::Rule::automatic) fail_at(a.value_at, "sigma cannot be 'auto'");
        if (value.rule == Gamma::Rule::value) {
          if (!(value.value > 0)) fail_at(a.value_at, "sigma must be positive");
          value = 1 / (2 * value.value * value.value);
        }
        name = "gamma";
      }
      std::size_t which = position;
      if (!name.empty()) {
        which = 0;
        while (which < values.size() && kind.parameters[which].name != name) ++which;
      }
      if (which >= values.size())
        fail_at(a.at,
                name.empty() ? fmt::format("too many arguments of {}", kind.name)
                             : fmt::format("{} has no parameter '{}'", kind.name, name),
                names.empty() ? fmt::format("{} takes none", kind.name)
                              : fmt::format("{} takes {}", kind.name, names));
      if (given[which]) fail_at(a.at, fmt::format("{} is given twice", kind.parameters[which].name));
      given[which] = true;
      values[which] = value;
    }
    return make_leaf(kind.name, std::move(values));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Kernel Kernel::parse(std::string_view text) { return KernelParser(text).parse(); }

}  // namespace mercer
