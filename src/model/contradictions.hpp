// A report whose own numbers contradict each other is never handed out: something in Mercer is wrong, and a
// certificate that is wrong once is worse than none.
#pragma once

#include <mercer/report.hpp>

namespace mercer {

/// Throws Error{internal} where eigenvalues, shares, residuals, bounds or the trace cannot all be true.
/// `size` is that of the numbers that were summed, tr K: contradictions of about 1e-12 of it are rounding.
/// Every fit that finds eigenvalues ends with it.
void refuse_contradictions(const Report& report, double size);

}  // namespace mercer
