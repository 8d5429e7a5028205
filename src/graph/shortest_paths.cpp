// Dijkstra's algorithm from many sources: those that lie near each other eight at a time, others one by one.
#include "graph/shortest_paths.hpp"

#include "base/parallel.hpp"
#include "graph/path_batch.hpp"

#include <array>
#include <atomic>
#include <limits>

namespace mercer {
namespace {

void dijkstra(const PathLinks& links, Index source, std::vector<double>& distance, Frontier& frontier) {
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

/// Sources (by their places in the list) in groups of at most eight that lie near each other.
std::vector<std::vector<Index>> neighborhoods(const PathLinks& links, std::span<const Index> sources) {
  constexpr std::size_t most_visited = 512;  // how far to look for company
  const auto n = static_cast<std::size_t>(links.size());
  std::vector<Index> first(n, -1), next(sources.size(), -1);  // the sources at a vertex that wait for a group
  for (std::size_t s = sources.size(); s-- > 0;) {
    Index& waiting = first[static_cast<std::size_t>(sources[s])];
    next[s] = waiting;
    waiting = static_cast<Index>(s);
  }
  std::vector<Index> seen(n, -1);
  std::vector<std::int32_t> queue;
  std::vector<std::vector<Index>> groups;
  for (std::size_t start = 0; start < sources.size();) {
    const auto center = static_cast<std::size_t>(sources[start]);
    if (first[center] < 0) {  // all that were here have found a group
      ++start;
      continue;
    }
    std::vector<Index>& group = groups.emplace_back();
    const auto mark = static_cast<Index>(groups.size());
    queue.assign(1, static_cast<std::int32_t>(center));
    seen[center] = mark;
    for (std::size_t at = 0; at < queue.size() && static_cast<Index>(group.size()) < path_batch; ++at) {
      const auto v = static_cast<std::size_t>(queue[at]);
      for (; first[v] >= 0 && static_cast<Index>(group.size()) < path_batch;
           first[v] = next[static_cast<std::size_t>(first[v])])
        group.push_back(first[v]);
      for (auto p = links.begin[v]; p < links.begin[v + 1] && queue.size() < most_visited; ++p) {
        const std::int32_t w = links.to[static_cast<std::size_t>(p)];
        if (seen[static_cast<std::size_t>(w)] == mark) continue;
        seen[static_cast<std::size_t>(w)] = mark;
        queue.push_back(w);
      }
    }
  }
  return groups;
}

/// Room for n times eight distances, eight to a cache line.
double* aligned_scratch(Index n) {
  thread_local std::vector<double> memory;
  memory.resize(static_cast<std::size_t>((n + 1) * path_batch));
  void* at = memory.data();
  std::size_t space = memory.size() * sizeof(double);
  return static_cast<double*>(
      std::align(64, static_cast<std::size_t>(n * path_batch) * sizeof(double), at, space));
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
  const PathLinks links(graph);
  const std::vector<std::vector<Index>> groups = neighborhoods(links, sources);
  std::atomic<Index> done{0};
  parallel_for(static_cast<Index>(groups.size()), run, [&](Index g) {
    const std::vector<Index>& group = groups[static_cast<std::size_t>(g)];
    Frontier frontier(n);
    const auto source_of = [&](std::size_t member) {
      return static_cast<std::int32_t>(sources[static_cast<std::size_t>(group[member])]);
    };
    if (static_cast<Index>(group.size()) > path_batch / 2) {
      std::array<std::int32_t, path_batch> from{};
      for (std::size_t l = 0; l < from.size(); ++l) from[l] = source_of(l < group.size() ? l : 0);
      double* const distance = aligned_scratch(n);
      shortest_from_eight(links, from.data(), distance, frontier);
      for (std::size_t l = 0; l < group.size(); ++l)
        for (Index v = 0; v < n; ++v)
          lengths(group[l], v) = static_cast<T>(distance[v * path_batch + static_cast<Index>(l)]);
    } else {
      thread_local std::vector<double> distance;
      distance.resize(static_cast<std::size_t>(n));
      for (std::size_t l = 0; l < group.size(); ++l) {
        dijkstra(links, source_of(l), distance, frontier);
        for (Index v = 0; v < n; ++v)
          lengths(group[l], v) = static_cast<T>(distance[static_cast<std::size_t>(v)]);
      }
    }
    done += static_cast<Index>(group.size());
    if (omp_get_thread_num() == 0) run.report("shortest paths", double(done.load()) / double(count));
  });
}

template void shortest_paths(const SparseMatrix<double>&, std::span<const Index>, MatrixRef<float>,
                             const Run&);
template void shortest_paths(const SparseMatrix<double>&, std::span<const Index>, MatrixRef<double>,
                             const Run&);

}  // namespace mercer
