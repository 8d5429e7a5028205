// The ways in which a target uses its input. In a campaign each input goes one of them, by what is in it: so
// many more inputs are tried, and what another way would have shown, the next mutation shows. Where kept
// files are replayed each goes all ways.
#pragma once

#include <xxhash.h>

#include <cstdint>
#include <string_view>

namespace mercer::fuzz {

class Ways {
 public:
  /// Set by who replays.
  static inline bool all = false;

  Ways(std::string_view bytes, unsigned count) : draw_(XXH3_64bits(bytes.data(), bytes.size()) % count) {}
  [[nodiscard]] bool at(unsigned way) const { return all || draw_ == way; }
  /// Any of those from `first` on, up to `end`.
  [[nodiscard]] bool within(unsigned first, unsigned end) const {
    return all || (draw_ >= first && draw_ < end);
  }

 private:
  std::uint64_t draw_;
};

}  // namespace mercer::fuzz
