// Shares of the trace: what each eigenvalue holds, and how many of the leading ones hold a share.
#pragma once

#include <mercer/matrix.hpp>

#include <algorithm>
#include <optional>

namespace mercer {

/// Nothing where all of `values` together hold less. The last digits of a sum do not decide.
inline std::optional<Index> count_for_share(const Vector<double>& values, double share, double trace) {
  double sum = 0;
  for (Index i = 0; i < values.size(); ++i)
    if ((sum += values[i]) >= share * trace * (1 - 1e-14)) return i + 1;
  return std::nullopt;
}

/// θ_i/tr. Rounding may let eigenvalues add up to a little more than the trace: they hold all of it then.
inline Vector<double> shares_of(const Vector<double>& values, double trace) {
  const double whole = std::max(trace, values.sum());
  return whole > 0 ? Vector<double>(values / whole) : Vector<double>::Zero(values.size());
}

}  // namespace mercer
