// What a trial found: the claims that were compared with the truth, those that did not hold, and how tight
// they were.
#pragma once

#include <mercer/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace certify {

using Real = long double;

struct Violation {
  std::string claim;
  std::string text;
  double severity = 0;  ///< what is beyond the allowance, over the largest eigenvalue
};

struct Outcome {
  std::vector<Violation> violations;
  std::map<std::string, long> checked;                    ///< claims, how often compared
  std::vector<std::pair<std::string, double>> tightness;  ///< bound over true error
  std::vector<std::pair<double, bool>> probable;          ///< δ, and whether the bound held
  std::optional<mercer::ErrorCode> refused;
  std::string refusal;
  Real scale = 1;  ///< what errors are compared with: the largest eigenvalue

  /// error ≤ allowed, or the claim does not hold.
  bool within(const std::string& claim, Real error, Real allowed, const std::string& where = {}) {
    ++checked[claim];
    if (error <= allowed) return true;
    char text[200];
    std::snprintf(text, sizeof text, "%s: off by %.6Lg where %.6Lg is allowed", where.c_str(), error,
                  allowed);
    violations.push_back({claim, text, double((error - std::min(allowed, error)) / scale)});
    return false;
  }
  bool holds(const std::string& claim, bool held, const std::string& where = {}) {
    ++checked[claim];
    if (!held) violations.push_back({claim, where, 1});
    return held;
  }
  /// The bound against the error, which counts as no less than `unit`, the rounding of the number itself.
  void tight(const std::string& what, Real bound, Real error, Real unit) {
    if (bound > 0 && unit > 0 && std::isfinite(bound))
      tightness.emplace_back(what, double(bound / std::max(error, unit)));
  }
};

}  // namespace certify
