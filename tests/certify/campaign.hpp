// Many trials in processes of their own: one that crashes or never ends is a finding like any other.
#pragma once

#include "fit_case.hpp"
#include "outcome.hpp"
#include "tally.hpp"

#include <cstdint>

namespace certify {

struct Campaign {
  std::uint64_t first = 1;
  long fits = 2000;
  int processes = 0;         ///< 0: as many as cores
  std::string only = {};     ///< a tag, or part of one: cases without it are not tried
  std::string without = {};  ///< a tag, or part of one: cases with it are not tried
  bool small = false;        ///< few rows
};

/// A seed whose trial found something.
struct Finding {
  std::uint64_t seed = 0;
  Violation violation;
};

struct CampaignResult {
  Tally tally;
  std::vector<Finding> findings;
};

[[nodiscard]] CampaignResult run_campaign(const Campaign& campaign);

/// try_case in a process of its own, so that a crash is an outcome.
[[nodiscard]] Outcome try_apart(const FitCase& c);

}  // namespace certify
