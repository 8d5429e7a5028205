// mercer kernels: what --kernel takes, a line each; and help with what was mistyped there.
#include "kernels.hpp"

#include "command.hpp"
#include "suggest.hpp"
#include "terminal.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace mercer::app {
namespace {

struct Line {
  const char *spec, *formula, *note;
};

/// With the defaults of the parameters; tests/cli/help_test.py compares it with what --kernel knows.
constexpr std::array<Line, 13> lines{{
    {"linear", "x·y", ""},
    {"poly(degree=3, gamma=1, coef0=1)", "(gamma x·y + coef0)^degree", "gamma may be auto"},
    {"rbf(gamma=median)", "exp(−gamma ‖x−y‖²)", "or sigma: gamma = 1/(2 sigma²)"},
    {"laplacian(gamma=median)", "exp(−gamma ‖x−y‖₁)", ""},
    {"sigmoid(gamma=auto, coef0=1)", "tanh(gamma x·y + coef0)", "not always PSD"},
    {"cosine", "x·y / ‖x‖‖y‖", ""},
    {"matern32(length=1)", "(1 + √3 r/length) exp(−√3 r/length)", "r = ‖x−y‖"},
    {"matern52(length=1)", "(1 + √5 r/length + 5r²/(3 length²)) exp(−√5 r/length)", ""},
    {"rq(length=1, alpha=1)", "(1 + r²/(2 alpha length²))^−alpha", ""},
    {"chi2(gamma=1)", "exp(−gamma Σ(x−y)²/(x+y))", "data ≥ 0; gamma auto or median"},
    {"additive_chi2", "−Σ(x−y)²/(x+y)", "data ≥ 0; PSD once centred"},
    {"expr('exp(-sqdist)*(1+dot)^2')", "your own, of dot, sqdist and l1dist", ""},
    {"precomputed", "DATA is the kernel matrix", ""},
}};

std::string name_in(const std::string& spec) { return spec.substr(0, spec.find('(')); }

std::vector<std::string> names() {
  std::vector<std::string> out{"gaussian", "polynomial", "rational_quadratic"};
  for (const Line& line : lines) out.push_back(name_in(line.spec));
  return out;
}

bool parses(const std::string& text) {
  try {
    (void)Kernel::parse(text);
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// name:a=1,b=2 and "name a=1, b=2", as other programs write it, in our way; empty when that is not it.
std::string respelt(const std::string& text) {
  const std::size_t end = text.find_first_of(": ");
  if (end == std::string::npos || end == 0 || text.find('(') != std::string::npos) return "";
  std::string arguments =
      text.substr(text.find_first_not_of(": ", end) == std::string::npos ? text.size()
                                                                         : text.find_first_not_of(": ", end));
  for (char& c : arguments)
    if (c == ':' || c == ';') c = ',';
  const std::string out = fmt::format("{}({})", text.substr(0, end), arguments);
  return parses(out) ? out : "";
}

/// A name in it that no kernel has, if there is one near.
std::string mistyped(const std::string& text) {
  const std::vector<std::string> known = names();
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '\'' || text[i] == '"') return "";  // a formula has names of its own
    if (!std::isalpha(static_cast<unsigned char>(text[i]))) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
      ++end;
    const std::string word = text.substr(i, end - i);
    const std::size_t next = text.find_first_not_of(' ', end);
    const bool parameter = next != std::string::npos && text[next] == '=';
    const std::size_t before = i > 0 ? text.find_last_not_of(' ', i - 1) : std::string::npos;
    const bool value = before != std::string::npos && text[before] == '=';
    if (!parameter && !value && !parses(word == "expr" ? "linear" : word))
      if (std::string name = nearest_name(word, known); !name.empty()) return name;
    i = end;
  }
  return "";
}

}  // namespace

Kernel parse_kernel(const std::string& text) {
  try {
    return Kernel::parse(text);
  } catch (const Error& error) {
    if (const std::string better = respelt(text); !better.empty())
      throw Error(error.code(), error.message(), fmt::format("write it {}", better));
    if (const std::string name = mistyped(text); !name.empty())
      throw Error(error.code(), error.message(),
                  fmt::format("did you mean {}? 'mercer kernels' lists them", name));
    throw;
  }
}

Command add_kernels(CLI::App& program) {
  auto* parser = program.add_subcommand("kernels", "what --kernel takes, with formulas");
  parser->footer("Example: mercer kernels");
  return {parser, [](const Session&) {
            for (const Line& line : lines) {
              // Formulas are wider in bytes than on the screen: they are padded by their characters.
              std::string formula = line.formula;
              const auto shown = static_cast<std::size_t>(
                  std::count_if(formula.begin(), formula.end(), [](char c) { return (c & 0xC0) != 0x80; }));
              if (line.note[0] != '\0') formula.append(shown < 36 ? 36 - shown : 1, ' ').append(line.note);
              print(fmt::format("{:<33} {}\n", line.spec, formula));
            }
            print(
                "\ngamma is a number, auto (1/d) or median (the typical exponent is then 1/2)\n"
                "sums, products and multiples are kernels too: 'poly(degree=2) + 0.1*rbf(gamma=median)'\n");
          }};
}

}  // namespace mercer::app
