// Reading a basis from text.
//
//     basis := part ('+' part)*  |  formula (',' formula)*
//     part  := name ['(' [argument (',' argument)*] ')']
//     argument := [parameter '='] (number | word | quoted text)
//
// Text that does not begin with the name of a basis is a list of formulas in x1, x2, …
#include <mercer/basis.hpp>

#include "kernel/basis_parts.hpp"
#include "kernel/users_name.hpp"

#include <fast_float/fast_float.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace mercer {
namespace {

constexpr std::array<std::string_view, 8> names{"poly",    "polynomial", "monomials", "radial",
                                                "cosines", "fourier",    "functions", "user"};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [rest, code] = fast_float::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || rest != text.data() + text.size()) return std::nullopt;
  return value;
}

struct BasisArgument {
  std::string name, text;
  bool quoted = false;
  std::size_t at = 0;
};

class BasisParser {
 public:
  explicit BasisParser(std::string_view text) : text_(text) {}

  Basis parse() {
    skip_spaces();
    std::size_t end = at_;
    while (end < text_.size() && is_word(text_[end])) ++end;
    if (std::find(names.begin(), names.end(), text_.substr(at_, end - at_)) == names.end())
      return list_of_formulas();
    Basis out = part();
    while (accept('+')) out = out + part();
    skip_spaces();
    if (at_ < text_.size()) fail(fmt::format("'{}' was not expected", text_.substr(at_, 12)));
    return out;
  }

 private:
  [[noreturn]] void fail(const std::string& why, std::string hint = {}) const {
    if (hint.empty()) hint = "bases: " + known_bases() + ", or formulas in x1, x2, …";
    throw Error(ErrorCode::usage, fmt::format("basis '{}': {} at position {}", text_, why, at_ + 1), hint);
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
  std::string word() {
    skip_spaces();
    const std::size_t from = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    return std::string(text_.substr(from, at_ - from));
  }

  /// Commas outside of parentheses part the formulas.
  Basis list_of_formulas() {
    std::vector<std::string> formulas;
    std::size_t from = at_;
    int depth = 0;
    for (; at_ <= text_.size(); ++at_) {
      const char c = at_ < text_.size() ? text_[at_] : ',';
      if (c == '(') ++depth;
      if (c == ')') --depth;
      if (at_ < text_.size() && (c != ',' || depth > 0)) continue;
      const std::string_view formula = trimmed(text_.substr(from, at_ - from));
      if (formula.empty()) fail("a function is missing");
      formulas.emplace_back(formula);
      from = at_ + 1;
    }
    return Basis::formulas(std::move(formulas));
  }

  Basis part() {
    skip_spaces();
    const std::size_t from = at_;
    const std::string name = word();
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      at_ = from;
      fail(name.empty() ? "a basis is missing" : fmt::format("there is no basis '{}'", name));
    }
    std::vector<BasisArgument> arguments;
    if (accept('(') && !accept(')')) {
      do arguments.push_back(argument());
      while (accept(','));
      if (!accept(')')) fail("')' is missing");
    }
    if (name == "poly" || name == "polynomial") return polynomial(arguments);
    if (name == "monomials") {
      const auto a = placed(arguments, name, {"degree"});
      return Basis::monomials(static_cast<int>(whole(a[0], 2)));
    }
    if (name == "radial") return radial(arguments);
    if (name == "cosines") {
      const auto a = placed(arguments, name, {"count", "length"});
      return Basis::cosines(whole(a[0], 3), value(a[1], 1));
    }
    if (name == "fourier") return fourier(arguments);
    if (name == "functions") {
      std::vector<std::string> formulas;
      for (const BasisArgument& a : arguments) {
        if (!a.quoted || !a.name.empty())
          fail_at(a, "functions takes formulas in quotes", "functions('x1^2', 'sin(x2)')");
        formulas.push_back(a.text);
      }
      return Basis::formulas(std::move(formulas));
    }
    if (arguments.size() != 1 || arguments[0].quoted || !arguments[0].name.empty() ||
        !is_users_word(arguments[0].text))
      fail("user takes the name of its functions");
    return Basis(std::vector<BasisPart>{BasisPart{UserPart{arguments[0].text, {}, nullptr}}});
  }

  BasisArgument argument() {
    skip_spaces();
    BasisArgument out;
    out.at = at_;
    if (at_ < text_.size() && text_[at_] != '\'' && text_[at_] != '"') {
      const std::size_t from = at_;
      out.name = word();
      if (out.name.empty() || !accept('=')) {
        at_ = from;
        out.name.clear();
      }
      skip_spaces();
    }
    if (at_ < text_.size() && (text_[at_] == '\'' || text_[at_] == '"')) {
      const std::size_t end = text_.find(text_[at_], at_ + 1);
      if (end == std::string_view::npos) fail("the closing quote is missing");
      out.text = std::string(text_.substr(at_ + 1, end - at_ - 1));
      out.quoted = true;
      at_ = end + 1;
      return out;
    }
    const std::size_t from = at_;
    int depth = 0;  // kernel=rbf(gamma=1) may go without quotes
    for (; at_ < text_.size() && (depth > 0 || (text_[at_] != ',' && text_[at_] != ')')); ++at_)
      depth += text_[at_] == '(' ? 1 : text_[at_] == ')' ? -1 : 0;
    out.text = std::string(trimmed(text_.substr(from, at_ - from)));
    if (out.text.empty()) fail("a value is missing");
    return out;
  }

  [[noreturn]] void fail_at(const BasisArgument& a, const std::string& why, const std::string& hint = {}) {
    at_ = a.at;
    fail(why, hint);
  }

  /// The arguments in the order of the parameters; null where one is not given.
  std::vector<const BasisArgument*> placed(const std::vector<BasisArgument>& arguments,
                                           const std::string& basis,
                                           const std::vector<std::string>& parameters) {
    std::vector<const BasisArgument*> out(parameters.size(), nullptr);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const BasisArgument& a = arguments[i];
      const auto found = std::find(parameters.begin(), parameters.end(), a.name);
      const std::size_t which = a.name.empty() ? i : static_cast<std::size_t>(found - parameters.begin());
      const std::string takes = fmt::format("{} takes {}", basis, fmt::join(parameters, ", "));
      if (which >= parameters.size())
        fail_at(a,
                a.name.empty() ? fmt::format("too many arguments of {}", basis)
                               : fmt::format("{} has no parameter '{}'", basis, a.name),
                takes);
      if (out[which]) fail_at(a, fmt::format("{} is given twice", parameters[which]), takes);
      out[which] = &a;
    }
    return out;
  }
  double value(const BasisArgument* a, double fallback) {
    if (!a) return fallback;
    const auto v = number(a->text);
    if (!v) fail_at(*a, fmt::format("'{}' is not a number", a->text), "a number is wanted here");
    return *v;
  }
  Index whole(const BasisArgument* a, Index fallback) {
    const double v = value(a, double(fallback));
    if (v != std::floor(v) || std::abs(v) > 1e9)
      fail_at(*a, fmt::format("'{}' is not a whole number", a->text), "a whole number is wanted here");
    return static_cast<Index>(v);
  }
  Gamma gamma(const BasisArgument* a) {
    if (!a || a->text == "median") return Gamma::median();
    if (a->text == "auto") return Gamma::automatic();
    return value(a, 1);
  }

  Basis polynomial(const std::vector<BasisArgument>& arguments) {
    const auto a = placed(arguments, "poly", {"degree", "gamma", "coef0"});
    return Basis::polynomial(static_cast<int>(whole(a[0], 2)), value(a[1], 1), value(a[2], 1));
  }

  Basis radial(const std::vector<BasisArgument>& arguments) {
    const auto a = placed(arguments, "radial", {"count", "gamma", "centers"});
    if (!a[2]) return Basis::radial(whole(a[0], 20), gamma(a[1]));
    if (a[0]) fail_at(*a[0], "count and centers exclude each other", "leave out one of the two");
    return Basis::radial_at(centers(*a[2]), gamma(a[1]));
  }

  /// '0 0; 1 1': centres apart by semicolons, coordinates by spaces.
  Matrix<double> centers(const BasisArgument& a) {
    const std::string hint = "centers='0 0; 1 1' are the points (0, 0) and (1, 1)";
    std::vector<std::vector<double>> rows(1);
    std::size_t at = 0;
    while (at < a.text.size()) {
      if (std::isspace(static_cast<unsigned char>(a.text[at]))) {
        ++at;
      } else if (a.text[at] == ';') {
        rows.emplace_back();
        ++at;
      } else {
        const std::size_t end = std::min(a.text.find_first_of("; \t", at), a.text.size());
        const auto v = number(std::string_view(a.text).substr(at, end - at));
        if (!v) fail_at(a, fmt::format("'{}' is not a number", a.text.substr(at, end - at)), hint);
        rows.back().push_back(*v);
        at = end;
      }
    }
    Matrix<double> out(static_cast<Index>(rows.size()), static_cast<Index>(rows[0].size()));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].size() != rows[0].size() || rows[i].empty())
        fail_at(a,
                fmt::format("centre {} has {} coordinates and the first has {}", i + 1, rows[i].size(),
                            rows[0].size()),
                hint);
      for (std::size_t j = 0; j < rows[i].size(); ++j)
        out(static_cast<Index>(i), static_cast<Index>(j)) = rows[i][j];
    }
    return out;
  }

  Basis fourier(const std::vector<BasisArgument>& arguments) {
    const auto a = placed(arguments, "fourier", {"count", "kernel", "kind"});
    if (a[2] && a[2]->text != "orthogonal" && a[2]->text != "fourier")
      fail_at(*a[2], fmt::format("'{}' is no kind of random features", a[2]->text), "orthogonal or fourier");
    return Basis::fourier(whole(a[0], 100), a[1] ? Kernel::parse(a[1]->text) : Kernel(),
                          !a[2] || a[2]->text == "orthogonal");
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Basis Basis::parse(std::string_view text) { return BasisParser(text).parse(); }

}  // namespace mercer
