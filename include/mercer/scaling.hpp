// Scaling of the inputs, remembered by models and applied to new points: (x − shift) · factor.
#pragma once

#include <mercer/samples.hpp>

#include <string_view>

namespace mercer {

enum class Scale { none, center, standardize };

[[nodiscard]] std::string_view name_of(Scale scale);
[[nodiscard]] Scale parse_scale(std::string_view name);

template <class T>
struct Scaling {
  Scale kind = Scale::none;
  Vector<double> shift;   ///< empty when kind is none
  Vector<double> factor;  ///< 1/σ (σ over n; constant columns keep factor 1); empty unless standardize

  static Scaling fit(Scale kind, const Samples<T>& samples);
  [[nodiscard]] Samples<T> apply(const Samples<T>& samples) const;
  [[nodiscard]] Matrix<T> undo(Matrix<T> rows) const;
};

}  // namespace mercer
