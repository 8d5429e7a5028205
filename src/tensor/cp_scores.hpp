// Scores of samples in a CP model, and the samples that have given scores. A sample's scores are the
// least-squares coefficients of the arrays b_r ∘ c_r ...; as rows, samples have their last index fastest.
#pragma once

#include <mercer/run.hpp>
#include <mercer/samples.hpp>
#include <mercer/tensor.hpp>

#include "tensor/kruskal.hpp"

#include <vector>

namespace mercer {

/// others: padded rows of the factors of all modes but that of the samples, in their order.
template <class T>
struct SampleFactors {
  Index rank = 0;
  std::vector<Matrix<T>> others;
  [[nodiscard]] Shape shape() const;  ///< of a sample
};

/// gaps: NaN, and what a sparse row does not store, is not known; a row without any known entry has scores 0.
template <class T>
[[nodiscard]] Matrix<T> scores_of(const Samples<T>& points, const SampleFactors<T>& factors, bool nonnegative,
                                  bool gaps, const Run& run);

template <class T>
[[nodiscard]] Matrix<T> samples_of(const MatrixView<T>& scores, const SampleFactors<T>& factors,
                                   const Run& run);

}  // namespace mercer
