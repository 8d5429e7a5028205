// The library's version. CMake reads it from here, so it is written once.
#pragma once

#include <string_view>

namespace mercer {

inline constexpr std::string_view version = "0.1.0";

}  // namespace mercer
