// Dijkstra's algorithm with an indexed heap of four children a node, a source a thread at a time.
#include "graph/shortest_paths.hpp"

#include "base/parallel.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstdint>
#include <limits>
#include <vector>

namespace mercer {
namespace {

/// The graph in half the memory, so that more of it stays in cache.
struct Links {
  std::vector<std::int64_t> begin;
  std::vector<std::int32_t> to;
  std::vector<double> length;

  explicit Links(const SparseMatrix<double>& graph) {
    const Index n = graph.rows();
    begin.push_back(0);
    for (Index i = 0; i < n; ++i) {
      for (SparseMatrix<double>::InnerIterator link(graph, i); link; ++link) {
        if (!(link.value() >= 0))
          throw Error(ErrorCode::bad_data,
                      fmt::format("the link from {} to {} has length {}", i, link.col(), link.value()),
                      "lengths are not negative");
        to.push_back(static_cast<std::int32_t>(link.col()));
        length.push_back(link.value());
      }
      begin.push_back(static_cast<std::int64_t>(to.size()));
    }
  }
  [[nodiscard]] Index size() const { return static_cast<Index>(begin.size()) - 1; }
};

/// Vertices by tentative distance, each at most once.
class Frontier {
 public:
  explicit Frontier(Index n) : place_(static_cast<std::size_t>(n), nowhere) {}

  [[nodiscard]] bool empty() const { return heap_.empty(); }
  /// Puts a vertex in, or moves it up.
  void lower(std::int32_t vertex, double distance) {
    std::int32_t at = place_[static_cast<std::size_t>(vertex)];
    if (at == nowhere) {
      at = static_cast<std::int32_t>(heap_.size());
      heap_.push_back({});
    }
    while (at > 0) {
      const std::int32_t parent = (at - 1) / 4;
      const Entry& above = heap_[static_cast<std::size_t>(parent)];
      if (!(distance < above.distance)) break;
      put(at, above);
      at = parent;
    }
    put(at, {distance, vertex});
  }
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

  void put(std::int32_t at, const Entry& entry) {
    heap_[static_cast<std::size_t>(at)] = entry;
    place_[static_cast<std::size_t>(entry.vertex)] = at;
  }
  void sink(const Entry& entry) {
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

void dijkstra(const Links& links, Index source, std::vector<double>& distance, Frontier& frontier) {
  std::fill(distance.begin(), distance.end(), std::numeric_limits<double>::infinity());
  distance[static_cast<std::size_t>(source)] = 0;
  frontier.lower(static_cast<std::int32_t>(source), 0);
  while (!frontier.empty()) {
    const auto u = static_cast<std::size_t>(frontier.pop());
    for (auto p = static_cast<std::size_t>(links.begin[u]); p < static_cast<std::size_t>(links.begin[u + 1]);
         ++p) {
      const double through = distance[u] + links.length[p];
      double& known = distance[static_cast<std::size_t>(links.to[p])];
      if (!(through < known)) continue;
      known = through;
      frontier.lower(links.to[p], through);
    }
  }
}

}  // namespace

template <class T>
void shortest_paths(const SparseMatrix<double>& graph, std::span<const Index> sources, MatrixRef<T> lengths,
                    const Run& run) {
  const Index n = graph.rows(), count = static_cast<Index>(sources.size());
  if (graph.cols() != n || lengths.rows() != count || lengths.cols() != n)
    throw Error(ErrorCode::internal, "shortest_paths: sizes do not fit");
  for (const Index source : sources)
    if (source < 0 || source >= n)
      throw Error(ErrorCode::usage, fmt::format("no paths from point {} of {}", source, n));
  const Links links(graph);
  std::atomic<Index> done{0};
  constexpr Index batch = 8;
  parallel_for((count + batch - 1) / batch, run, [&](Index part) {
    thread_local std::vector<double> distance;
    distance.resize(static_cast<std::size_t>(n));
    Frontier frontier(n);
    const Index last = std::min(count, (part + 1) * batch);
    for (Index s = part * batch; s < last; ++s) {
      dijkstra(links, sources[static_cast<std::size_t>(s)], distance, frontier);
      for (Index v = 0; v < n; ++v) lengths(s, v) = static_cast<T>(distance[static_cast<std::size_t>(v)]);
      ++done;
    }
    if (omp_get_thread_num() == 0) run.report("shortest paths", double(done.load()) / double(count));
  });
}

template void shortest_paths(const SparseMatrix<double>&, std::span<const Index>, MatrixRef<float>,
                             const Run&);
template void shortest_paths(const SparseMatrix<double>&, std::span<const Index>, MatrixRef<double>,
                             const Run&);

}  // namespace mercer
