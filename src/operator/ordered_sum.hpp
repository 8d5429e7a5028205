// OrderedSum: partial sums that threads finish in any order, added up in one fixed order, so that the
// result does not depend on the number of threads. Only a few partial sums exist at a time.
#pragma once

#include <mercer/matrix.hpp>
#include <mercer/run.hpp>

#include "base/parallel.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <vector>

namespace mercer {

template <class T>
class OrderedSum {
 public:
  /// Parts 0 .. parts − 1 are added to `total` in this order; `buffers` of `length` values each are
  /// what the threads write them into.
  OrderedSum(T* total, Index parts, std::vector<T*> buffers)
      : total_(total), pending_(static_cast<std::size_t>(parts)), free_(std::move(buffers)) {}

  /// A buffer for part `order`. The last one is kept for the part that is next in turn, unless that part has
  /// one: without it the others could never be added.
  [[nodiscard]] T* borrow(Index order, const Run& run) {
    std::unique_lock lock(mutex_);
    while (free_.empty() || (free_.size() == 1 && order != next_ && !begun(next_))) {
      if (abandoned_) throw AbandonedWork();
      changed_.wait_for(lock, std::chrono::milliseconds(20));
      run.check();
    }
    T* buffer = free_.back();
    free_.pop_back();
    pending_[static_cast<std::size_t>(order)].begun = true;
    return buffer;
  }

  /// The first `used` values of the buffer are part `order`; the rest of it is zero.
  void give(Index order, T* buffer, Index used) {
    std::unique_lock lock(mutex_);
    pending_[static_cast<std::size_t>(order)] = {buffer, used, true};
    if (adding_) return;  // that thread will see it
    adding_ = true;
    while (next_ < static_cast<Index>(pending_.size()) && pending_[static_cast<std::size_t>(next_)].buffer) {
      const Part part = pending_[static_cast<std::size_t>(next_)];
      lock.unlock();
      for (Index i = 0; i < part.used; ++i) total_[i] += part.buffer[i];
      lock.lock();
      ++next_;
      free_.push_back(part.buffer);
      changed_.notify_all();
    }
    adding_ = false;
  }

  /// A part will never come: nobody shall wait for it.
  void abandon() {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
    changed_.notify_all();
  }

 private:
  struct Part {
    T* buffer = nullptr;
    Index used = 0;
    bool begun = false;
  };
  [[nodiscard]] bool begun(Index order) const {
    return order < static_cast<Index>(pending_.size()) && pending_[static_cast<std::size_t>(order)].begun;
  }
  T* total_;
  std::vector<Part> pending_;
  std::vector<T*> free_;
  Index next_ = 0;
  bool adding_ = false, abandoned_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace mercer
