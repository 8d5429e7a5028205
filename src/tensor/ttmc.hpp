// X ×(m ≠ n) Uₘᵀ of a sparse array, mode n left out ("TTMc"): walks the tree of fibres, so that what entries
// share of their Kronecker products is computed once. Nothing is made dense but the result.
#pragma once

#include <mercer/run.hpp>
#include <mercer/tensor.hpp>

#include <vector>

namespace mercer {

/// The result as an array: size Iₙ in mode n, Rₘ in the others; in double.
class ProjectedModes {
 public:
  ProjectedModes(Shape shape, Shape strides, Index count)
      : shape_(std::move(shape)), strides_(std::move(strides)), values_(Vector<double>::Zero(count)) {}
  [[nodiscard]] double* data() { return values_.data(); }
  [[nodiscard]] TensorView<double> view() const { return {values_.data(), shape_, strides_}; }

 private:
  Shape shape_, strides_;
  Vector<double> values_;
};

/// Each row of the result is summed by one thread in the order of the tree.
template <class T>
[[nodiscard]] ProjectedModes project_other_modes(const SparseTensor<T>& x, Index mode,
                                                 const std::vector<Block<double>>& factors, const Run& run);

}  // namespace mercer
