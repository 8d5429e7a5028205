// One trial mapping, then all buffers at once; OpenBLAS keeps them for the process.
#include "base/blas_buffers.hpp"

#include "base/memory.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <mutex>
#include <vector>

// As OpenBLAS calls them itself (memory.c).
extern "C" {
void* blas_memory_alloc(int);
void blas_memory_free(void*);
}

namespace mercer {

namespace {

constexpr std::size_t blas_buffer_bytes = std::size_t{128} << 20, thread_stack_bytes = std::size_t{8} << 20;
constexpr std::size_t bytes_for_all_else = std::size_t{16} << 20;

bool address_space_is_limited() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

bool can_be_mapped(std::size_t bytes) {
  void* trial =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (trial == MAP_FAILED) return false;
  ::munmap(trial, bytes);
  return true;
}

}  // namespace

void require_blas_buffers(int threads) {
  static const bool limited = address_space_is_limited();
  if (!limited) return;
  static std::mutex mutex;
  static int there = 0;
  const std::scoped_lock lock(mutex);
  if (threads <= there) return;
  const auto missing = static_cast<std::size_t>(threads - there);
  const std::size_t bytes = missing * (blas_buffer_bytes + thread_stack_bytes) + bytes_for_all_else;
  if (!can_be_mapped(bytes))
    throw Error(ErrorCode::no_memory,
                fmt::format("the address space is limited (ulimit -v) and has no {} for {} thread{}",
                            format_bytes(static_cast<double>(bytes)), threads, threads == 1 ? "" : "s"),
                threads == 1 ? "raise the limit" : "raise the limit, or use --threads 1");
  std::vector<void*> buffers;
  buffers.reserve(static_cast<std::size_t>(threads));
  for (int i = 0; i < threads; ++i) buffers.push_back(blas_memory_alloc(0));
  for (void* one : buffers) blas_memory_free(one);
  there = threads;
}

}  // namespace mercer
