// Scratch memory that a thread keeps from one call to the next.
#pragma once

#include <mercer/matrix.hpp>

#include <vector>

namespace mercer {

/// Room for `count` values, the thread's own and kept until it ends; the next call for the same use may
/// overwrite them.
template <class T, class Use = void>
[[nodiscard]] T* thread_scratch(Index count) {
  thread_local std::vector<T> buffer;
  if (static_cast<Index>(buffer.size()) < count) buffer.resize(static_cast<std::size_t>(count));
  return buffer.data();
}

}  // namespace mercer
