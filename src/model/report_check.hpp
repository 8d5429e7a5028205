// What a report must be to make sense: every field against every other, in one place. Reports of model files
// are checked when they are loaded, and before they are written.
#pragma once

#include <mercer/report.hpp>

#include <string>

namespace mercer {

/// What a method's report has beside what all have. What is there and should not be, or should be and is not,
/// is a contradiction.
struct ReportParts {
  enum Has { never, maybe, always };
  Has eigenvalues = never;  ///< one a component; without them no variances, shares and residuals either
  Has bounds = never;
  Has features = never;
  Has gaps = never;
  Has decomposition = never;
  Has embedding = never;
  Has samples = always;  ///< at least one, of at least one feature
  /// Nothing is known of the method: what is there must only fit together.
  static constexpr ReportParts any() { return {maybe, maybe, maybe, maybe, maybe, maybe, maybe}; }
};

/// The first contradiction in words, or an empty text.
[[nodiscard]] std::string contradiction(const Report& report, const ReportParts& parts);

}  // namespace mercer
