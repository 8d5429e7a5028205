// Calibration: the machine's rates, measured once and kept in a file of the user's cache for a month.
// A cache that cannot be read or written is as good as none: nothing fails for it.
#pragma once

#include "plan/machine_rates.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>

namespace mercer {

class Calibration {
 public:
  using Measure = std::function<MachineRates(const Run&)>;

  /// An empty path: nothing is kept beyond this object's life.
  explicit Calibration(std::filesystem::path file, Measure measure = measure_rates);

  /// What was measured before on this CPU with so many threads; never measures.
  [[nodiscard]] std::optional<MachineRates> known(const Run& run);
  /// The same, or else measures and keeps it.
  [[nodiscard]] MachineRates rates(const Run& run);

 private:
  std::filesystem::path file_;
  Measure measure_;
  std::mutex mutex_;
  std::map<int, MachineRates> by_threads_;
};

/// $XDG_CACHE_HOME/mercer/calibration.json, or ~/.cache/mercer/calibration.json; empty where there is no
/// such folder to be had, or MERCER_CACHE is "off".
[[nodiscard]] std::filesystem::path calibration_file();

/// The one of this process.
[[nodiscard]] Calibration& machine_calibration();

}  // namespace mercer
