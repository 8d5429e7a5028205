// Kernel matrices of the same points under many kernels: distances and dot products are computed once, each
// kernel is an element-wise function of them. What a sweep of widths needs.
#pragma once

#include <mercer/kernel.hpp>

#include "kernel/primitive.hpp"

#include <map>

namespace mercer {

class PrimitiveMatrices {
 public:
  PrimitiveMatrices(Samples<double> samples, const Run& run) : samples_(std::move(samples)), run_(run) {}

  /// K of all points; a primitive is computed when a kernel first needs it.
  [[nodiscard]] Matrix<double> kernel(const Kernel& kernel);
  [[nodiscard]] const Samples<double>& samples() const { return samples_; }
  [[nodiscard]] std::size_t computed() const { return primitives_.size(); }

 private:
  const Matrix<double>& primitive(Primitive primitive);
  void fill(const Kernel& kernel, Matrix<double>& out);

  Samples<double> samples_;
  const Run& run_;
  std::map<Primitive, Matrix<double>> primitives_;
};

}  // namespace mercer
