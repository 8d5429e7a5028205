// A user's functions: formulas in x1, x2, … (read and evaluated by muParser), or a C++ callback.
#include "kernel/basis_parts.hpp"
#include "kernel/feature_map.hpp"

#include <fmt/format.h>
#include <muParser.h>

#include <algorithm>
#include <cctype>
#include <deque>

namespace mercer {
namespace {

/// "x12" -> 12; 0 when it is not the name of a variable.
Index variable_number(const std::string& word) {
  if (word.size() < 2 || word.size() > 9 || word[0] != 'x' || word[1] == '0') return 0;
  if (!std::all_of(word.begin() + 1, word.end(), [](unsigned char c) { return std::isdigit(c); })) return 0;
  return static_cast<Index>(std::stoll(word.substr(1)));
}

/// The numbers of the variables in a formula.
std::vector<Index> variables_in(const std::string& formula) {
  std::vector<Index> out;
  for (std::size_t i = 0; i < formula.size();) {
    const auto part_of_word = [&](std::size_t at) {
      return at < formula.size() &&
             (std::isalnum(static_cast<unsigned char>(formula[at])) || formula[at] == '_');
    };
    if (!part_of_word(i)) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (part_of_word(end)) ++end;
    if (const Index number = variable_number(formula.substr(i, end - i)); number > 0) out.push_back(number);
    i = end;
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

/// Does it need parentheses before it can be multiplied?
bool is_sum(const std::string& formula) {
  int depth = 0;
  for (std::size_t i = 0; i < formula.size(); ++i) {
    depth += formula[i] == '(' ? 1 : formula[i] == ')' ? -1 : 0;
    if (depth == 0 && (formula[i] == '+' || formula[i] == '-')) return true;
  }
  return false;
}

/// A formula made ready. Not for several threads at once.
class Formula {
 public:
  explicit Formula(const std::string& text) : variables_(variables_in(text)), values_(variables_.size()) {
    try {
      for (std::size_t i = 0; i < variables_.size(); ++i)
        parser_.DefineVar(fmt::format("x{}", variables_[i]), &values_[i]);
      parser_.SetExpr(text);
      parser_.Eval();  // compiles the formula, so that errors come now
    } catch (const mu::Parser::exception_type& e) {
      std::string why = e.GetMsg();  // ends with a position that counts from 0
      why = why.substr(0, why.find(" at position"));
      const int at = std::max(0, int(e.GetPos()));
      throw Error(
          ErrorCode::usage,
          fmt::format("basis function '{}': {} at {}", text, why,
                      at < int(text.size()) ? fmt::format("character {}", at + 1) : std::string("its end")),
          "formulas are made of x1, x2, … (the columns), numbers and functions such as sin, exp, sqrt, abs; "
          "or name a basis: poly, monomials, radial, cosines, fourier");
    }
  }
  [[nodiscard]] Index last_variable() const { return variables_.empty() ? 0 : variables_.back(); }
  double operator()(const double* x) {
    for (std::size_t i = 0; i < variables_.size(); ++i) values_[i] = x[variables_[i] - 1];
    return parser_.Eval();
  }

 private:
  std::vector<Index> variables_;
  std::vector<double> values_;
  mu::Parser parser_;
};

class FormulaFeatures final : public FeatureFamily {
 public:
  FormulaFeatures(const FormulaPart& part, Index d) : formulas_(part.formulas) {
    for (const std::string& text : formulas_)
      if (const Index last = Formula(text).last_variable(); last > d)
        throw Error(ErrorCode::usage,
                    fmt::format("basis function '{}' uses x{}, and the data has {} feature{}", text, last, d,
                                d == 1 ? "" : "s"),
                    fmt::format("the columns are x1 to x{}", d));
  }
  [[nodiscard]] Index count() const override { return static_cast<Index>(formulas_.size()); }
  void evaluate(const MatrixView<double>& x, double* out, Index stride) const override {
    std::deque<Formula> ready;  // muParser's own variables: a set of them for each caller
    for (const std::string& text : formulas_) ready.emplace_back(text);
    for (Index i = 0; i < x.rows(); ++i)
      for (std::size_t j = 0; j < ready.size(); ++j)
        out[i * stride + static_cast<Index>(j)] = ready[j](x.data() + i * x.outerStride());
  }
  [[nodiscard]] std::string name(Index j, std::span<const std::string>) const override {
    const std::string& text = formulas_[static_cast<std::size_t>(j)];
    return is_sum(text) ? "(" + text + ")" : text;
  }
  /// A bare number is the constant function.
  [[nodiscard]] Index degree(Index j) const override {
    const std::string& text = formulas_[static_cast<std::size_t>(j)];
    return text == "1" ? 0 : -1;
  }

 private:
  std::vector<std::string> formulas_;
};

class UserFeatures final : public FeatureFamily {
 public:
  explicit UserFeatures(const UserPart& part) : part_(part) {
    if (!part_.functions)
      throw Error(ErrorCode::usage,
                  fmt::format("the functions of user({}) are known by name only", part_.name),
                  "give them with Basis::from_functions");
  }
  [[nodiscard]] Index count() const override { return static_cast<Index>(part_.names.size()); }
  void evaluate(const MatrixView<double>& x, double* out, Index stride) const override {
    Eigen::Map<Matrix<double>, 0, Eigen::OuterStride<>> phi(out, x.rows(), count(),
                                                            Eigen::OuterStride<>(stride));
    part_.functions(x, phi);
  }
  [[nodiscard]] std::string name(Index j, std::span<const std::string>) const override {
    return part_.names[static_cast<std::size_t>(j)];
  }

 private:
  UserPart part_;
};

}  // namespace

void require_readable(const std::string& formula) { const Formula check(formula); }

std::unique_ptr<FeatureFamily> make_family(const FormulaPart& part, Index d) {
  return std::make_unique<FormulaFeatures>(part, d);
}
std::unique_ptr<FeatureFamily> make_family(const UserPart& part, Index) {
  return std::make_unique<UserFeatures>(part);
}

}  // namespace mercer
