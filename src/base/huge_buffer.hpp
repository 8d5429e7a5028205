// HugeBuffer<T>: a large uninitialised array on huge pages.
#pragma once

#include "base/pages.hpp"

#include <utility>

namespace mercer {

template <class T>
class HugeBuffer {
 public:
  HugeBuffer() = default;
  explicit HugeBuffer(std::size_t count) : bytes_(count * sizeof(T)) {
    if (count > 0) data_ = static_cast<T*>(take_pages(bytes_));
  }
  ~HugeBuffer() {
    if (data_) give_pages(data_, bytes_);
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
