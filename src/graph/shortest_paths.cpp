// Batches of sources that lie near each other, and their paths.
#include "graph/shortest_paths.hpp"

#include "base/parallel.hpp"
#include "graph/path_batch.hpp"

#include <atomic>
#include <memory>
#include <numeric>
#include <optional>

namespace mercer {
namespace {

/// A walk over the vertices by which near ones come soon after each other: from each that is left, in the
/// order of a breadth-first search, the nearest seven (by links) that are left.
std::vector<Index> near_each_other(const SparseMatrix<double>& graph) {
  constexpr std::size_t most_visited = 256;  // how far to look for company
  const Index n = graph.rows();
  using Link = SparseMatrix<double>::InnerIterator;
  std::vector<Index> walk, seen(static_cast<std::size_t>(n), -1);
  walk.reserve(static_cast<std::size_t>(n));
  for (Index root = 0; root < n; ++root) {
    if (seen[static_cast<std::size_t>(root)] == 0) continue;
    seen[static_cast<std::size_t>(root)] = 0;
    walk.push_back(root);
    for (std::size_t at = walk.size() - 1; at < walk.size(); ++at)
      for (Link link(graph, walk[at]); link; ++link)
        if (std::exchange(seen[static_cast<std::size_t>(link.col())], 0) != 0) walk.push_back(link.col());
  }

  std::vector<Index> out, queue;
  std::vector<bool> taken(static_cast<std::size_t>(n), false);
  out.reserve(static_cast<std::size_t>(n));
  for (const Index center : walk) {
    if (taken[static_cast<std::size_t>(center)]) continue;
    const Index mark = center + 1;
    const std::size_t full = out.size() + path_batch;
    queue.assign(1, center);
    seen[static_cast<std::size_t>(center)] = mark;
    for (std::size_t at = 0; at < queue.size() && out.size() < full; ++at) {
      const Index v = queue[at];
      if (!taken[static_cast<std::size_t>(v)]) out.push_back(v);
      taken[static_cast<std::size_t>(v)] = true;
      for (Link link(graph, v); link && queue.size() < most_visited; ++link)
        if (std::exchange(seen[static_cast<std::size_t>(link.col())], mark) != mark)
          queue.push_back(link.col());
    }
  }
  return out;
}

std::vector<std::int32_t> places_of(const std::vector<Index>& order) {
  std::vector<std::int32_t> out(order.size());
  for (std::size_t p = 0; p < order.size(); ++p)
    out[static_cast<std::size_t>(order[p])] = static_cast<std::int32_t>(p);
  return out;
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

PathFinder::PathFinder(const SparseMatrix<double>& graph)
    : order_(near_each_other(graph)), place_(places_of(order_)), links_(graph, order_, place_) {}

double PathFinder::longest_link() const {
  return links_.length.empty() ? 0 : *std::max_element(links_.length.begin(), links_.length.end());
}

template <class Starts>
void PathFinder::run_batches(std::vector<Source> sources, const Starts& starts, const Use& use,
                             const Run& run) const {
  std::stable_sort(sources.begin(), sources.end(),
                   [](const Source& a, const Source& b) { return a.place < b.place; });
  const auto count = static_cast<Index>(sources.size());
  const double width = links_.bucket_width();
  std::vector<std::optional<Frontier>> frontiers(static_cast<std::size_t>(run.thread_count()));
  std::atomic<Index> done{0};
  parallel_for((count + path_batch - 1) / path_batch, run, [&](Index b) {
    const Index first = b * path_batch, members = std::min(path_batch, count - first);
    Index numbers[path_batch];
    std::vector<PathStart> from;
    for (Index l = 0; l < members; ++l) {
      const Source& source = sources[static_cast<std::size_t>(first + l)];
      numbers[l] = source.number;
      starts(source, static_cast<std::int32_t>(l), from);
    }
    std::optional<Frontier>& frontier = frontiers[static_cast<std::size_t>(omp_get_thread_num())];
    if (!frontier) frontier.emplace(size(), width);
    double* const distance = aligned_scratch(size());
    shortest_from_eight(links_, from, distance, *frontier);
    use({first, {numbers, static_cast<std::size_t>(members)}, distance});
    done += members;
    if (omp_get_thread_num() == 0) run.report("shortest paths", double(done.load()) / double(count));
  });
}

void PathFinder::from(std::span<const Index> sources, const Use& use, const Run& run) const {
  std::vector<Source> list;
  for (std::size_t s = 0; s < sources.size(); ++s) {
    if (sources[s] < 0 || sources[s] >= size())
      throw Error(ErrorCode::usage, fmt::format("no paths from point {} of {}", sources[s], size()));
    list.push_back({place_[static_cast<std::size_t>(sources[s])], static_cast<Index>(s)});
  }
  run_batches(
      std::move(list),
      [](const Source& source, std::int32_t lane, std::vector<PathStart>& out) {
        out.push_back({source.place, lane, 0});
      },
      use, run);
}

void PathFinder::from_all(const Use& use, const Run& run) const {
  std::vector<Index> all(order_.size());
  std::iota(all.begin(), all.end(), Index{0});
  from(all, use, run);
}

void PathFinder::from_outside(const NeighborLists& links, const Use& use, const Run& run) const {
  std::vector<Source> list;
  for (Index s = 0; s < links.size(); ++s) {
    if (links.neighbors(s).empty()) throw Error(ErrorCode::internal, "a point without a link to the graph");
    list.push_back({place_[static_cast<std::size_t>(links.neighbors(s)[0])], s});
  }
  run_batches(
      std::move(list),
      [&](const Source& source, std::int32_t lane, std::vector<PathStart>& out) {
        const auto neighbors = links.neighbors(source.number);
        const auto distances = links.distances(source.number);
        for (std::size_t p = 0; p < neighbors.size(); ++p)
          out.push_back({place_[static_cast<std::size_t>(neighbors[p])], lane, distances[p]});
      },
      use, run);
}

template <class T>
void shortest_paths(const SparseMatrix<double>& graph, std::span<const Index> sources, MatrixRef<T> lengths,
                    const Run& run) {
  const Index n = graph.rows(), count = static_cast<Index>(sources.size());
  if (graph.cols() != n || lengths.rows() != count || lengths.cols() != n)
    throw Error(ErrorCode::internal, "shortest_paths: sizes do not fit");
  const PathFinder paths(graph);
  paths.from(
      sources,
      [&](const PathBatch& batch) {
        for (Index l = 0; l < batch.count(); ++l) {
          const Index row = batch.sources[static_cast<std::size_t>(l)];
          for (Index p = 0; p < n; ++p)
            lengths(row, paths.order()[static_cast<std::size_t>(p)]) = static_cast<T>(batch(l, p));
        }
      },
      run);
}

template void shortest_paths(const SparseMatrix<double>&, std::span<const Index>, MatrixRef<float>,
                             const Run&);
template void shortest_paths(const SparseMatrix<double>&, std::span<const Index>, MatrixRef<double>,
                             const Run&);

}  // namespace mercer
