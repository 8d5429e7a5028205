// Ticks are k·step for whole k, so that rounding never adds up and zero is exactly zero.
#include "plot/ticks.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace mercer::plot {
namespace {

std::string with_minus(std::string text) {
  const auto dash = text.find('-');
  if (dash != std::string::npos) text.replace(dash, 1, "−");
  return text;
}

std::string superscript(int exponent) {
  static constexpr const char* digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out = exponent < 0 ? "⁻" : "";
  for (const char c : std::to_string(std::abs(exponent))) out += digits[c - '0'];
  return out;
}

int exponent_of(double x) { return static_cast<int>(std::floor(std::log10(x) + 1e-9)); }

}  // namespace

double nice_step(double x) {
  const double power = std::pow(10.0, exponent_of(x));
  for (const double m : {1.0, 2.0, 5.0})
    if (m * power >= x * (1 - 1e-9)) return m * power;
  return 10 * power;
}

Ticks nice_ticks(const Range& range, int most) {
  Ticks ticks;
  double step = nice_step(range.span() / (std::max(2, most) + 1));
  long long first = 0, last = 0;
  for (;; step = nice_step(step * 1.5)) {
    first = std::llround(std::ceil(range.low / step - 1e-9));
    last = std::llround(std::floor(range.high / step + 1e-9));
    if (last - first + 1 <= std::max(2, most)) break;
  }
  ticks.step = step;
  const double largest = std::max(std::abs(range.low), std::abs(range.high));
  const int magnitude = exponent_of(largest);
  const int shift = magnitude >= 5 || magnitude < -3 ? magnitude : 0;
  if (shift) ticks.factor = "×10" + superscript(shift);
  const int decimals = std::clamp(shift - exponent_of(step), 0, 15);
  for (long long k = first; k <= last; ++k) {
    const double value = static_cast<double>(k) * step;
    ticks.at.push_back(value);
    ticks.labels.push_back(
        with_minus(fmt::format("{:.{}f}", k == 0 ? 0.0 : value / std::pow(10.0, shift), decimals)));
  }
  return ticks;
}

Range range_of(std::span<const double> values) {
  if (values.empty()) return {-1, 1};
  Range r{values.front(), values.front()};
  for (const double v : values) {
    if (!std::isfinite(v)) throw Error(ErrorCode::bad_data, "a value to be drawn is not a finite number");
    r = {std::min(r.low, v), std::max(r.high, v)};
  }
  const double largest = std::max(std::abs(r.low), std::abs(r.high));
  if (largest > 1e150)
    throw Error(ErrorCode::bad_data, fmt::format("{} is too large to be drawn", largest), "scale the data");
  // Differences that are rounding noise are drawn as what they are: one value.
  if (largest < 1e-150) return {-1, 1};
  if (r.span() <= 1e-12 * largest) return {r.middle() - largest / 2, r.middle() + largest / 2};
  return r;
}

std::string format_number(double value, int digits) {
  if (value == 0) return "0";
  if (!std::isfinite(value)) return with_minus(fmt::format("{}", value));
  // Rounded first, so that 9.996 becomes 10.0 and not "10.00".
  const std::string scientific = fmt::format("{:.{}e}", value, digits - 1);
  const std::size_t split = scientific.find('e');
  const char* const end = scientific.data() + scientific.size();
  int e = 0;
  std::from_chars(scientific.data() + split + (scientific[split + 1] == '+' ? 2 : 1), end, e);
  if (e < -4 || e > 5) return with_minus(scientific.substr(0, split)) + "×10" + superscript(e);
  double rounded = 0;
  std::from_chars(scientific.data(), end, rounded);
  std::string text = fmt::format("{:.{}f}", rounded, std::max(0, digits - 1 - e));
  if (text.find('.') != std::string::npos) {
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
  }
  return with_minus(text);
}

std::string format_percent(double share) {
  const double percent = 100 * share, size = std::abs(percent);
  if (size != 0 && size < 0.01) return (percent < 0 ? "> −" : "< ") + std::string("0.01\u00A0%");
  // 99.97 % must not be shown as 100 %.
  const int decimals = size >= 99.95 && size < 100 - 1e-9 ? 2
                       : size >= 99.95 || size == 0       ? 0
                       : size >= 1                        ? 1
                                                          : 2;
  std::string text = fmt::format("{:.{}f}", std::min(percent, percent < 100 ? 99.99 : percent), decimals);
  return with_minus(text) + "\u00A0%";
}

}  // namespace mercer::plot
