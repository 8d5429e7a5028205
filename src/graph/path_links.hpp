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
};

/// Vertices by tentative distance, each at most once: a heap of four children a node that knows where each
/// is.
class Frontier {
 public:
  explicit Frontier(Index n) : place_(static_cast<std::size_t>(n), nowhere) {}

  [[nodiscard]] bool empty() const { return heap_.empty(); }
  /// Puts a vertex in, or moves it up where that is nearer than it was.
  void lower(std::int32_t vertex, double distance) {
    std::int32_t at = place_[static_cast<std::size_t>(vertex)];
    if (at == nowhere) {
      at = static_cast<std::int32_t>(heap_.size());
      heap_.push_back({});
    } else if (!(distance < heap_[static_cast<std::size_t>(at)].distance)) {
      return;
    }
    while (at > 0) {
      const std::int32_t parent = (at - 1) / 4;
      const Entry above = heap_[static_cast<std::size_t>(parent)];
      if (!(distance < above.distance)) break;
      put(at, above);
      at = parent;
    }
    put(at, {distance, vertex});
  }
  /// Takes the nearest out.
  std::int32_t pop() {
    const std::int32_t top = heap_.front().vertex;
    place_[static_cast<std::size_t>(top)] = nowhere;
    const Entry last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sink(last);
    return top;
  }

 private:
  struct Entry {
    double distance;
    std::int32_t vertex;
  };
  static constexpr std::int32_t nowhere = -1;

  void put(std::int32_t at, Entry entry) {
    heap_[static_cast<std::size_t>(at)] = entry;
    place_[static_cast<std::size_t>(entry.vertex)] = at;
  }
  void sink(Entry entry) {
    const auto size = static_cast<std::int32_t>(heap_.size());
    std::int32_t at = 0;
    while (true) {
      const std::int32_t first = 4 * at + 1, last = std::min(first + 4, size);
      if (first >= size) break;
      std::int32_t least = first;
      for (std::int32_t child = first + 1; child < last; ++child)
        if (heap_[static_cast<std::size_t>(child)].distance < heap_[static_cast<std::size_t>(least)].distance)
          least = child;
      if (!(heap_[static_cast<std::size_t>(least)].distance < entry.distance)) break;
      put(at, heap_[static_cast<std::size_t>(least)]);
      at = least;
    }
    put(at, entry);
  }

  std::vector<Entry> heap_;
  std::vector<std::int32_t> place_;  ///< of each vertex in the heap
};

}  // namespace mercer
