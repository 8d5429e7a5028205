// Where an axis has its ticks and what they say: multiples of 1, 2 or 5 times a power of ten, as
// many decimals as the step needs, a shared power of ten for very large or small numbers.
#pragma once

#include "plot/geometry.hpp"

#include <span>
#include <string>
#include <vector>

namespace mercer::plot {

struct Ticks {
  std::vector<double> at;
  std::vector<std::string> labels;
  std::string factor;  ///< "×10⁻³": what the labels are to be multiplied with; mostly empty
  double step = 0;
};

/// The smallest of 1, 2, 5 · 10^e that is at least x > 0.
[[nodiscard]] double nice_step(double x);
/// At most `most` (>= 2) ticks within the range.
[[nodiscard]] Ticks nice_ticks(const Range& range, int most);

/// Smallest range that holds the values, made wider when they are all (nearly) the same.
/// Throws Error{bad_data} when they are not finite or too large to subtract.
[[nodiscard]] Range range_of(std::span<const double> values);

/// A number for people: `digits` significant ones, a proper minus sign, powers as 2.1×10⁻⁷.
[[nodiscard]] std::string format_number(double value, int digits = 3);
/// 0.342 -> "34.2 %"; as many decimals as make it readable.
[[nodiscard]] std::string format_percent(double share);

}  // namespace mercer::plot
