// How many of the leading eigenvalues hold a share of the trace.
#pragma once

#include <mercer/matrix.hpp>

#include <optional>

namespace mercer {

/// Nothing where all of `values` together hold less. The last digits of a sum do not decide.
inline std::optional<Index> count_for_share(const Vector<double>& values, double share, double trace) {
  double sum = 0;
  for (Index i = 0; i < values.size(); ++i)
    if ((sum += values[i]) >= share * trace * (1 - 1e-14)) return i + 1;
  return std::nullopt;
}

}  // namespace mercer
