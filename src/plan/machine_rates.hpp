// MachineRates: how fast this machine does the few things that a fit's time is made of.
#pragma once

#include <mercer/run.hpp>

namespace mercer {

struct MachineRates {
  double gemm_double = 0;    ///< flops a second
  double gemm_float = 0;     ///< flops a second
  double kernel_double = 0;  ///< elements exp(−γ‖x−y‖²) a second, their inner products aside
  double kernel_float = 0;   ///< the same in float
  double read_bytes = 0;     ///< a second, from memory beyond the caches
  double fresh_bytes = 0;    ///< a second, of memory that is touched for the first time

  [[nodiscard]] bool plausible() const;
  /// The same with memory no faster and no slower than so many processors can make it.
  [[nodiscard]] MachineRates within_reason(double processors) const;
  bool operator==(const MachineRates&) const = default;
};

/// A tenth of a second or so of arithmetic on run.threads threads.
[[nodiscard]] MachineRates measure_rates(const Run& run);

}  // namespace mercer
