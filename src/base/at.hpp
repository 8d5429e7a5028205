// Rows and modes counted by Index, found in a std::vector.
#pragma once

#include <mercer/matrix.hpp>

#include <cstddef>

namespace mercer {

constexpr std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace mercer
