// Stopwatch: seconds a stage, in the order in which they ran.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace mercer {

class Stopwatch {
 public:
  /// Ends the stage that began with the last call (or with the stopwatch) and names it.
  void lap(std::string stage) {
    const auto now = Clock::now();
    laps_.emplace_back(std::move(stage), std::chrono::duration<double>(now - last_).count());
    last_ = now;
  }
  /// The laps so far and "total" as the last entry.
  [[nodiscard]] std::vector<std::pair<std::string, double>> laps_and_total() const {
    auto out = laps_;
    out.emplace_back("total", std::chrono::duration<double>(Clock::now() - start_).count());
    return out;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now(), last_ = start_;
  std::vector<std::pair<std::string, double>> laps_;
};

}  // namespace mercer
