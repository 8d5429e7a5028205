// mmap, with one spare region.
#include "base/pages.hpp"

#include <mercer/error.hpp>

#include <malloc.h>
#include <sys/mman.h>

#include <cstdint>
#include <mutex>
#include <utility>

namespace mercer {
namespace {

struct Spare {
  std::mutex mutex;
  void* memory = nullptr;
  std::size_t bytes = 0;
};

Spare& spare() {
  static Spare one;
  return one;
}

}  // namespace

void* take_pages(std::size_t bytes) {
  {
    Spare& s = spare();
    const std::lock_guard lock(s.mutex);
    if (s.memory && s.bytes == bytes) return std::exchange(s.memory, nullptr);
    if (s.memory) ::munmap(std::exchange(s.memory, nullptr), s.bytes);  // never two at once
  }
  void* memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw Error(ErrorCode::no_memory, "the system gives no more memory");
  ::madvise(memory, bytes, MADV_HUGEPAGE);
  return memory;
}

void ask_for_huge_pages(void* memory, std::size_t bytes) noexcept {
  constexpr std::uintptr_t huge = std::uintptr_t(1) << 21;
  const auto from = (reinterpret_cast<std::uintptr_t>(memory) + huge - 1) / huge * huge;
  const auto to = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / huge * huge;
  if (from < to) ::madvise(reinterpret_cast<void*>(from), to - from, MADV_HUGEPAGE);
}

void return_freed_memory() noexcept { ::malloc_trim(0); }

void give_pages(void* memory, std::size_t bytes) noexcept {
  Spare& s = spare();
  const std::lock_guard lock(s.mutex);
  if (s.memory && s.bytes >= bytes) {
    ::munmap(memory, bytes);
    return;
  }
  if (s.memory) ::munmap(s.memory, s.bytes);
  ::madvise(memory, bytes, MADV_FREE);
  s.memory = memory;
  s.bytes = bytes;
}

}  // namespace mercer
