// Random numbers of the generator, a stream of its own, and the data that it draws.
#pragma once

#include "fit_case.hpp"

#include <cmath>
#include <cstdint>

namespace certify {

/// SplitMix64 (Steele, Lea, Flood 2014).
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ULL + 0x2545f4914f6cdd1dULL) {
    (void)bits();
  }
  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  double uniform() { return double(bits() >> 11) * 0x1p-53; }
  std::uint64_t below(std::uint64_t n) { return bits() % n; }
  double between(double low, double high) { return low + (high - low) * uniform(); }
  bool chance(double p) { return uniform() < p; }
  double normal() {
    const double r = std::sqrt(-2 * std::log(1 - uniform()));
    return r * std::cos(6.283185307179586 * uniform());
  }

 private:
  std::uint64_t state_;
};

/// Rows and features of the case: shape, offset, scale, sparse or dense, rounded to its precision.
void draw_data(FitCase& c, Draw& draw, bool small);

}  // namespace certify
