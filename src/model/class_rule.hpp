// From scores to classes: what a discriminant learns of the projected classes, and its two rules.
#pragma once

#include <mercer/dataset.hpp>
#include <mercer/discriminant.hpp>
#include <mercer/error.hpp>

#include <optional>

namespace mercer {

/// The label of the samples; throws Error{usage} where there is none.
template <class T>
[[nodiscard]] const Label& classes_of(const Dataset<T>& data) {
  if (!data.label)
    throw Error(ErrorCode::usage, "a discriminant needs the classes of its samples",
                "name their column with --label");
  return *data.label;
}

/// Throws Error{bad_data} unless every sample has a class, there are two classes or more, and two samples or
/// more in each. The sizes of the classes.
[[nodiscard]] std::vector<Index> require_classes(const Label& label, Index samples);

/// Rows of each class, in order.
[[nodiscard]] std::vector<std::vector<Index>> rows_by_class(const Label& label);

struct ClassRule {
  Block<double> centroids;  ///< c x k
  /// Two classes and one score: the point where N₁ and N₂ Gaussians of the pooled variance are equally high,
  /// (z̄₁ + z̄₂)/2 − s² ln(N₁/N₂)/(z̄₁ − z̄₂). What Fisher's discriminant is with the classes' sizes as prior.
  std::optional<double> threshold;

  static ClassRule learn(const Matrix<double>& scores, const std::vector<std::int32_t>& codes, Index classes);
  [[nodiscard]] std::vector<std::int32_t> classify(const Matrix<double>& scores, Decision decision) const;
};

}  // namespace mercer
