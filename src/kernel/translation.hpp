// Does moving all points by the same vector change a kernel matrix?
#pragma once

#include <mercer/kernel.hpp>

namespace mercer {

/// HKH stays the same when all points are moved: functions of differences, and the linear kernel, whose K
/// changes by a1ᵀ + 1aᵀ, which H removes. Then rounding is the only difference, and near the origin there is
/// less of it.
[[nodiscard]] bool centering_removes_translation(const Kernel& kernel);

}  // namespace mercer
