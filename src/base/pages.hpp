// Large regions of memory on huge pages where the system grants them. Touching fresh memory is a
// visible part of a fit's time (up to a second per GB on a virtual machine): huge pages make it
// cheaper, and the last region given back is kept at hand for a fit of the same size, marked so that
// the system takes it whenever it needs memory.
#pragma once

#include <cstddef>

namespace mercer {

/// Uninitialised; throws Error{no_memory}.
[[nodiscard]] void* take_pages(std::size_t bytes);
void give_pages(void* memory, std::size_t bytes) noexcept;

/// Asks for huge pages under memory that comes from elsewhere and has not been touched yet.
void ask_for_huge_pages(void* memory, std::size_t bytes) noexcept;

/// Hands what was freed but is still held by the allocator back to the system: between a stage that made
/// many temporaries and one that needs the memory for something else.
void return_freed_memory() noexcept;

}  // namespace mercer
