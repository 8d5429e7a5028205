// Random numbers that depend on (seed, stream, position) alone: counter-based, so that samples are
// the same on every machine and do not depend on the number of threads.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace mercer {

class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0)
      : key_(mix(mix(seed) ^ (stream * 0xd1342543de82ef95ULL))) {}

  std::uint64_t bits() { return mix(key_ + 0x9e3779b97f4a7c15ULL * ++counter_); }
  /// Uniform in (0, 1).
  double uniform() { return (static_cast<double>(bits() >> 11) + 0.5) * 0x1p-53; }
  /// Uniform in {0, ..., n - 1}; the bias of the modulo is below n/2⁶⁴.
  std::uint64_t below(std::uint64_t n) { return bits() % n; }
  /// Standard normal, by Box and Muller.
  double normal() {
    const double r = std::sqrt(-2 * std::log(uniform()));
    return r * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  /// SplitMix64's finaliser (Steele, Lea, Flood 2014).
  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  std::uint64_t key_;
  std::uint64_t counter_ = 0;
};

}  // namespace mercer
