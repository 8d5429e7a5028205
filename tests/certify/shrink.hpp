// A failing case made small: fewer rows and features, a simpler kernel, fewer options, as long as it fails
// alike.
#pragma once

#include "fit_case.hpp"
#include "outcome.hpp"

namespace certify {

/// `violation`: what did not hold, and must not hold for the smaller case either, to about the same extent.
[[nodiscard]] FitCase shrink(FitCase c, const Violation& violation);

}  // namespace certify
