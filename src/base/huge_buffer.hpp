// HugeBuffer<T>: a large uninitialised array on huge pages where the system grants them. Touching
// fresh memory is a visible part of a fit's time, and huge pages make it about ten times cheaper.
#pragma once

#include <mercer/error.hpp>

#include <sys/mman.h>

#include <cstddef>
#include <utility>

namespace mercer {

template <class T>
class HugeBuffer {
 public:
  HugeBuffer() = default;
  explicit HugeBuffer(std::size_t count) : bytes_(count * sizeof(T)) {
    if (count == 0) return;
    void* memory =
        ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw Error(ErrorCode::no_memory, "the system gives no more memory");
    ::madvise(memory, bytes_, MADV_HUGEPAGE);
    data_ = static_cast<T*>(memory);
  }
  ~HugeBuffer() {
    if (data_) ::munmap(data_, bytes_);
  }
  HugeBuffer(HugeBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}
  HugeBuffer& operator=(HugeBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  [[nodiscard]] T* data() { return data_; }
  [[nodiscard]] const T* data() const { return data_; }

 private:
  T* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace mercer
