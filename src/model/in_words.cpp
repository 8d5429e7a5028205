// Directions of a feature space, read by people.
#include "model/in_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

constexpr std::size_t most_terms = 12;
constexpr double visible = 1e-3, noise = 1e-7;  ///< beside the term that counts for most

double weight_of(const Term& t) { return std::abs(t.coefficient) * t.size; }

double largest_of(const std::vector<Term>& terms) {
  double largest = 0;
  for (const Term& t : terms) largest = std::max(largest, weight_of(t));
  return largest;
}

/// What counts for less than `nothing` is rounding; what counts for less than `little` is not shown.
struct Limits {
  double nothing = 0, little = 0;
};

/// Keeps what will be shown; true when something that is not rounding was left out.
bool leave_out_small(std::vector<Term>& terms, const Limits& limits) {
  std::erase_if(terms, [&](const Term& t) { return !(weight_of(t) > limits.nothing); });
  const std::size_t before = terms.size();
  std::erase_if(terms, [&](const Term& t) { return weight_of(t) < limits.little; });
  if (terms.size() > most_terms) {
    std::stable_sort(terms.begin(), terms.end(),
                     [](const Term& a, const Term& b) { return weight_of(a) > weight_of(b); });
    terms.resize(most_terms);
  }
  return terms.size() < before;
}

std::string text_of(const Term& term, int digits) {
  const std::string size = fmt::format("{:.{}g}", std::abs(term.coefficient), digits);
  if (term.name == "1") return size;
  return size == "1" ? term.name : size + "·" + term.name;
}

/// `digits(term)` of each coefficient.
template <class Digits>
std::string sum_in_words(std::vector<Term> terms, const Limits& limits, const Digits& digits) {
  const bool more = leave_out_small(terms, limits);
  std::stable_sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) {
    if (a.degree != b.degree)
      return (a.degree < 0 ? 1000000 : a.degree) > (b.degree < 0 ? 1000000 : b.degree);
    return a.degree < 0 && std::abs(a.coefficient) > std::abs(b.coefficient);
  });
  std::string out;
  for (const Term& t : terms) {
    const bool negative = t.coefficient < 0;
    if (out.empty())
      out = negative ? "−" : "";
    else
      out += negative ? " − " : " + ";
    out += text_of(t, digits(t));
  }
  if (out.empty()) return "0";
  return more ? out + " + …" : out;
}

}  // namespace

std::string in_words(std::vector<Term> terms, int digits) {
  double largest = 0;  // the constant only moves the sum: however large, it hides no function
  for (const Term& t : terms)
    if (t.name != "1") largest = std::max(largest, weight_of(t));
  return sum_in_words(std::move(terms), {noise * largest, visible * largest},
                      [&](const Term&) { return digits; });
}

std::string relation_in_words(std::vector<Term> terms, double rms, double span) {
  const double largest = largest_of(terms);
  double unit = 0;
  Index degree = -2;
  for (const Term& t : terms) {
    if (weight_of(t) < 0.05 * largest) continue;
    const bool higher = t.degree > degree, bigger = std::abs(t.coefficient) > std::abs(unit) * (1 + 1e-6);
    if (higher || (t.degree == degree && bigger)) {
      unit = t.coefficient;
      degree = t.degree;
    }
  }
  if (unit == 0) return "0 = 0";
  for (Term& t : terms) t.coefficient /= unit;
  rms /= std::abs(unit);
  span /= std::abs(unit);
  const double top = largest_of(terms);
  Limits limits{noise * top, visible * top};
  // To a millionth of what the terms are about the middle of the data, but no finer than the data obeys it.
  const double resolution = span > 0 ? std::max(1e-6 * span, 0.01 * rms) : 0;
  if (span > 0) limits = {resolution, std::max(resolution, std::min(limits.little, rms))};
  const std::string sum = sum_in_words(std::move(terms), limits, [&](const Term& t) {
    if (resolution <= 0) return 6;
    const double digits = std::ceil(std::log10(weight_of(t) / resolution));
    return digits > 6 ? static_cast<int>(std::min(digits, 15.0)) : 6;
  });
  return fmt::format("{} = 0, to within {:.2g} on these samples (root mean square)", sum, rms);
}

}  // namespace mercer
