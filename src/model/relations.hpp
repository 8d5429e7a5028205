// Relations that data obeys (mission row M8): the u of length 1 with the least ‖Φ̃u‖, in the coordinates of
// the functions as they are, however far from the origin the data lies.
#pragma once

#include "kernel/feature_map.hpp"
#include "model/spectral_fit.hpp"

namespace mercer {

struct Relations {
  Solved<double> solved;  ///< of Φ̃ᵀΦ̃, ascending: values, vectors, residuals and bound
  /// How large the terms of each relation are about the middle of the data: what its digits are for.
  Vector<double> spans;
  Index hidden = 0;  ///< asked for, and nothing but rounding
  Index lost = 0;    ///< of all directions those of which nothing but rounding is left
};

/// `mean` is that of φ, and empty where nothing is centred; then constant functions count like others.
/// `sizes` are the root mean squares of φ.
template <class T>
[[nodiscard]] Relations find_relations(const FeatureMap& map, const Samples<T>& points,
                                       const Vector<double>& mean, const Vector<double>& sizes, Index count,
                                       const Run& run);

}  // namespace mercer
