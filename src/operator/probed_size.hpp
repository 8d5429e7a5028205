// How large a symmetric positive semidefinite matrix is that is known by its products alone.
#pragma once

#include <mercer/matrix.hpp>

#include "base/random.hpp"

#include <algorithm>

namespace mercer {

struct ProbedSize {
  double largest = 0;  ///< eigenvalue, from below
  double trace = 0;    ///< estimated
};

/// By powers of S on random vectors; apply(X) makes X := SX.
template <class Apply>
[[nodiscard]] ProbedSize probed_size(Index n, Apply&& apply) {
  constexpr Index probes = 8, steps = 12;
  ProbedSize out;
  Block<double> x(n, probes);
  Random random(0, 0x70726f6265ULL);
  for (Index i = 0; i < x.size(); ++i) x.data()[i] = random.normal();
  for (Index step = 0; step < steps; ++step) {
    const Block<double> before = x;
    apply(x);
    if (step == 0) out.trace = std::max(0.0, before.cwiseProduct(x).sum() / double(probes));
    for (Index c = 0; c < probes; ++c) {
      const double length = x.col(c).norm();
      if (step > 0) out.largest = std::max(out.largest, length);
      if (length > 0) x.col(c) /= length;
    }
  }
  return out;
}

}  // namespace mercer
