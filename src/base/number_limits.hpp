// Where the digits of a number type end, and what to say there.
#pragma once

#include <limits>
#include <type_traits>

namespace mercer {

/// Numbers not below this are so far from underflow that what is lost there is nothing beside their rounding.
template <class T>
inline constexpr double least_with_all_digits = double(std::numeric_limits<T>::min()) /
                                                double(std::numeric_limits<T>::epsilon());

/// How a hint begins where more digits would help.
template <class T>
inline constexpr const char* cure_by_precision =
    std::is_same_v<T, float> ? "use --precision double, or " : "";

}  // namespace mercer
