// The few quantities of a pair of samples that every kernel is an element-wise function of.
#pragma once

namespace mercer {

enum class Primitive : unsigned {
  dot = 1,      ///< x·y
  sqdist = 2,   ///< ‖x − y‖²
  l1dist = 4,   ///< ‖x − y‖₁
  chi2 = 8,     ///< Σ (x_k − y_k)² / (x_k + y_k)
  cosine = 16,  ///< x·y / ‖x‖‖y‖, 0 for a zero vector
};

struct PrimitiveSet {
  unsigned bits = 0;

  PrimitiveSet() = default;
  PrimitiveSet(Primitive p) : bits(static_cast<unsigned>(p)) {}  // NOLINT(google-explicit-constructor)
  [[nodiscard]] bool has(Primitive p) const { return (bits & static_cast<unsigned>(p)) != 0; }
  PrimitiveSet& operator|=(PrimitiveSet other) {
    bits |= other.bits;
    return *this;
  }
};

}  // namespace mercer
