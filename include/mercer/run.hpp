// How a piece of work is carried out, not what it computes: threads, seed, memory budget, progress
// and cancellation. Passed through every fit; a default-constructed Run is always fine.
#pragma once

#include <mercer/error.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string_view>

namespace mercer {

/// Called now and then with the stage's name and the share of it that is done (0 to 1).
/// Always called from the thread that started the work.
using ProgressCallback = std::function<void(std::string_view stage, double fraction)>;

struct Run {
  int threads = 0;         ///< 0: as many as OpenMP offers
  std::uint64_t seed = 0;  ///< of every random choice
  std::size_t memory = 0;  ///< budget in bytes; 0: half of the machine's memory
  ProgressCallback progress = {};
  std::stop_token stop = {};  ///< request_stop() makes the work throw Error{cancelled}

  [[nodiscard]] int thread_count() const;
  [[nodiscard]] std::size_t memory_budget() const;

  void report(std::string_view stage, double fraction) const {
    if (progress) progress(stage, fraction);
  }
  void check() const {
    if (stop.stop_requested()) throw Error(ErrorCode::cancelled, "interrupted");
  }
};

/// "400M", "4G", "1.5GB", "123456" -> bytes, in powers of 1000; throws Error{usage}.
[[nodiscard]] std::size_t parse_bytes(std::string_view text);
/// Largest resident size of this process so far, in bytes.
[[nodiscard]] std::size_t peak_memory();

}  // namespace mercer
