// What Dijkstra's algorithm walks on: the links of a graph in little memory, and vertices by distance.
#pragma once

#include <mercer/error.hpp>
#include <mercer/matrix.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace mercer {

struct PathLinks {
  std::vector<std::int64_t> begin;
  std::vector<std::int32_t> to;
  std::vector<double> length;

  /// Vertex order[p] of the graph becomes number p.
  PathLinks(const SparseMatrix<double>& graph, const std::vector<Index>& order,
            const std::vector<std::int32_t>& place) {
    begin.push_back(0);
    to.reserve(static_cast<std::size_t>(graph.nonZeros()));
    length.reserve(static_cast<std::size_t>(graph.nonZeros()));
    for (const Index i : order) {
      for (SparseMatrix<double>::InnerIterator link(graph, i); link; ++link) {
        if (!(link.value() >= 0))
          throw Error(ErrorCode::bad_data,
                      fmt::format("the link from {} to {} has length {}", i, link.col(), link.value()),
                      "lengths are not negative");
        to.push_back(place[static_cast<std::size_t>(link.col())]);
        length.push_back(link.value());
      }
      begin.push_back(static_cast<std::int64_t>(to.size()));
    }
  }
  [[nodiscard]] Index size() const { return static_cast<Index>(begin.size()) - 1; }
  /// Of the buckets of a Frontier: a fraction of the links' mean length.
  [[nodiscard]] double bucket_width() const {
    double sum = 0;
    for (const double one : length) sum += one;
    return length.empty() ? 1 : sum / double(length.size()) / 6;
  }
};

/// Vertices by tentative distance, each at most once, in buckets of some width (Dial 1969; Δ-stepping): those
/// of a bucket come in any order. What takes them must go on until nothing changes, and then the order is a
/// matter of speed alone.
class Frontier {
 public:
  Frontier(Index n, double width)
      : per_width_(width > 0 ? 1 / width : 1), due_(static_cast<std::size_t>(n), never), ring_(buckets) {}

  [[nodiscard]] bool empty() const { return count_ == 0; }
  /// Begins at distance 0; nothing is in it.
  void restart() {
    for (auto& bucket : ring_) bucket.clear();
    later_.clear();
    now_ = 0;
    at_ = 0;
  }
  /// Puts a vertex in, or moves it up where that is nearer than it was.
  void lower(std::int32_t vertex, double distance) {
    const std::int32_t bucket =
        std::max(now_, static_cast<std::int32_t>(std::min(distance * per_width_, last)));
    std::int32_t& due = due_[static_cast<std::size_t>(vertex)];
    if (due == never)
      ++count_;
    else if (due <= bucket)
      return;
    due = bucket;
    put(vertex, bucket);
  }
  /// Takes one of the nearest out. There must be one.
  std::int32_t pop() {
    for (std::int32_t idle = 0;; ++idle) {
      std::vector<std::int32_t>& bucket = ring_[static_cast<std::size_t>(now_ % buckets)];
      while (at_ < bucket.size()) {
        const std::int32_t vertex = bucket[at_++];
        std::int32_t& due = due_[static_cast<std::size_t>(vertex)];
        if (due != now_) continue;  // it has moved up since, and is gone
        due = never;
        --count_;
        return vertex;
      }
      bucket.clear();
      at_ = 0;
      ++now_;
      if (later_.empty()) continue;
      if (idle >= buckets) now_ = next_later_;  // all round, and nothing: they are all far
      if (now_ + buckets <= next_later_) continue;
      bring_nearer();
      idle = -1;  // the ring has some again
    }
  }

 private:
  struct Later {
    std::int32_t vertex, bucket;
  };
  static constexpr std::int32_t never = -1, buckets = 1024;
  static constexpr double last = 1 << 30;

  void put(std::int32_t vertex, std::int32_t bucket) {
    if (bucket < now_ + buckets) {
      ring_[static_cast<std::size_t>(bucket % buckets)].push_back(vertex);
      return;
    }
    next_later_ = later_.empty() ? bucket : std::min(next_later_, bucket);
    later_.push_back({vertex, bucket});
  }
  void bring_nearer() {
    std::vector<Later> all;
    all.swap(later_);
    for (const Later& one : all)
      if (due_[static_cast<std::size_t>(one.vertex)] == one.bucket) put(one.vertex, one.bucket);
  }

  double per_width_;
  std::vector<std::int32_t> due_;                ///< bucket of each vertex
  std::vector<std::vector<std::int32_t>> ring_;  ///< those of the next buckets; also vertices that have moved
  std::vector<Later> later_;                     ///< beyond the ring
  std::int32_t next_later_ = 0, now_ = 0;
  std::size_t at_ = 0;  ///< in the bucket of now
  Index count_ = 0;
};

}  // namespace mercer
