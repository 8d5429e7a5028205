// hnswlib's searches and its choice of links, with points that join in batches.
#include "graph/hnsw_neighbors.hpp"

#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "base/random.hpp"
#include "graph/brute_neighbors.hpp"
#include "graph/row_distance.hpp"

// Functions that the header defines for the whole program, under names of our own.
#define cpuid mercer_hnswlib_cpuid
#define xgetbv mercer_hnswlib_xgetbv
#define AVXCapable mercer_hnswlib_avx
#define AVX512Capable mercer_hnswlib_avx512
#include <hnswlib/hnswlib.h>
#undef cpuid
#undef xgetbv
#undef AVXCapable
#undef AVX512Capable

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <set>
#include <tuple>

namespace mercer {
namespace {

constexpr std::size_t links = 16;          // M: at most so many a level, twice as many at the bottom
constexpr std::size_t construction = 100;  // candidates looked at for them
constexpr double wanted_recall = 0.98, least_recall = 0.9;
constexpr Index recall_sample = 256;  // rows it is measured on
constexpr std::size_t most_effort = 1024;

/// Squared distances in float, by the widest instructions there are.
class Space final : public hnswlib::SpaceInterface<float> {
 public:
  explicit Space(Index d) : parameter_{row_distance::in_float(), d} {}
  std::size_t get_data_size() override { return static_cast<std::size_t>(parameter_.d) * sizeof(float); }
  hnswlib::DISTFUNC<float> get_dist_func() override { return &distance; }
  void* get_dist_func_param() override { return &parameter_; }

 private:
  struct Parameter {
    row_distance::InFloat squared;
    Index d;
  };
  static float distance(const void* x, const void* y, const void* parameter) {
    const auto& p = *static_cast<const Parameter*>(parameter);
    return p.squared(static_cast<const float*>(x), static_cast<const float*>(y), p.d);
  }
  Parameter parameter_;
};

using hnswlib::tableint;
using Base = hnswlib::HierarchicalNSW<float>;
using Queue = std::priority_queue<std::pair<float, tableint>, std::vector<std::pair<float, tableint>>,
                                  Base::CompareByFirst>;

/// Rows in float, about their mean and of size 1: neither an offset nor a scale costs digits.
class InFloat {
 public:
  template <class T>
  explicit InFloat(const Samples<T>& points) : mean_(Eigen::RowVectorXd::Zero(points.cols())) {
    const auto chunks = [&](const auto& use) {
      for (Index first = 0; first < points.rows(); first += 1024)
        use(points.dense_rows(first, std::min<Index>(1024, points.rows() - first))
                .template cast<double>()
                .eval());
    };
    chunks([&](const Matrix<double>& rows) { mean_ += rows.colwise().sum() / double(points.rows()); });
    double largest = 0;
    chunks([&](const Matrix<double>& rows) {
      largest = std::max(largest, (rows.rowwise() - mean_).cwiseAbs().maxCoeff());
    });
    if (largest > 0) factor_ = 1 / largest;
  }
  template <class T>
  [[nodiscard]] Matrix<float> operator()(const Samples<T>& points, Index first, Index count) const {
    const Matrix<double> rows = points.dense_rows(first, count).template cast<double>();
    return ((rows.rowwise() - mean_) * factor_).template cast<float>();
  }

 private:
  Eigen::RowVectorXd mean_;
  double factor_ = 1;
};

/// hnswlib's graph; it lets us at its parts.
class Graph : public Base {
 public:
  template <class T>
  Graph(Space& space, const Samples<T>& points, const InFloat& in_float, const Run& run)
      : Base(&space, static_cast<std::size_t>(points.rows()), links, construction), n_(points.rows()) {
    std::memset(data_level0_memory_, 0, static_cast<std::size_t>(n_) * size_data_per_element_);
    std::fill(linkLists_, linkLists_ + n_, nullptr);
    for (Index i = 0; i < n_; ++i) {
      const double u = Random(run.seed, static_cast<std::uint64_t>(i) + 1).uniform();
      const int level = static_cast<int>(-std::log(u) * mult_);
      if (level > 0) {
        // (hnswlib reads one entry beyond a full list, to fetch it ahead)
        linkLists_[i] = static_cast<char*>(
            std::calloc(size_links_per_element_ * static_cast<std::size_t>(level) + sizeof(tableint), 1));
        if (!linkLists_[i]) throw std::bad_alloc();
      }
      element_levels_[static_cast<std::size_t>(i)] = level;
      ++cur_element_count;  // so many the destructor cleans up
    }
    constexpr Index chunk = 256;
    parallel_for((n_ + chunk - 1) / chunk, run, [&](Index part) {
      const Index first = part * chunk, count = std::min(chunk, n_ - first);
      const Matrix<float> rows = in_float(points, first, count);
      for (Index r = 0; r < count; ++r) {
        const auto id = static_cast<tableint>(first + r);
        setExternalLabel(id, static_cast<hnswlib::labeltype>(id));
        std::memcpy(getDataByInternalId(id), rows.row(r).data(), data_size_);
      }
    });
    insert_all(run);
  }

  /// The nearest point of the graph that going downhill leads to, from the top to just above `level`.
  [[nodiscard]] tableint descend(const void* x, int level) const {
    tableint here = enterpoint_node_;
    float distance = fstdistfunc_(x, getDataByInternalId(here), dist_func_param_);
    for (int l = maxlevel_; l > level; --l)
      for (bool moved = true; moved;) {
        moved = false;
        linklistsizeint* const list = get_linklist(here, l);
        const auto* const ids = reinterpret_cast<const tableint*>(list + 1);
        const std::size_t size = getListCount(list);
        for (std::size_t p = 0; p < size; ++p) {
          const float d = fstdistfunc_(x, getDataByInternalId(ids[p]), dist_func_param_);
          if (d < distance) distance = d, here = ids[p], moved = true;
        }
      }
    return here;
  }

  /// The `most` points nearest to x that a search of this effort finds, from `start` on.
  [[nodiscard]] std::vector<std::int32_t> near(const void* x, tableint start, std::size_t most,
                                               std::size_t effort) const {
    auto queue = searchBaseLayerST<false>(start, x, effort);
    std::vector<std::int32_t> out;
    while (queue.size() > most) queue.pop();
    for (; !queue.empty(); queue.pop()) out.push_back(static_cast<std::int32_t>(queue.top().second));
    return out;
  }

 private:
  using linklistsizeint = hnswlib::linklistsizeint;

  struct Link {
    tableint to;
    int level;
    tableint from;
    bool operator<(const Link& o) const {
      return std::tie(to, level, from) < std::tie(o.to, o.level, o.from);
    }
  };

  void insert_all(const Run& run) {
    enterpoint_node_ = 0;
    maxlevel_ = element_levels_[0];
    for (Index first = 1; first < n_;) {
      const Index count = std::min({n_ - first, std::max<Index>(1, first / 50), Index{4096}});
      insert(first, count, run);
      first += count;
      run.report("neighbour index", double(first) / double(n_));
    }
  }

  /// Points [first, first + count): each finds its links in the graph as it is, then the others link back.
  void insert(Index first, Index count, const Run& run) {
    parallel_for(count, run, [&](Index p) { choose_links(static_cast<tableint>(first + p)); });
    std::vector<Link> back;
    for (auto id = static_cast<tableint>(first); id < static_cast<tableint>(first + count); ++id)
      for (int level = 0; level <= std::min(maxlevel_, element_levels_[id]); ++level) {
        linklistsizeint* const list = get_linklist_at_level(id, level);
        const auto* const ids = reinterpret_cast<const tableint*>(list + 1);
        for (std::size_t p = 0; p < getListCount(list); ++p) back.push_back({ids[p], level, id});
      }
    std::sort(back.begin(), back.end());
    std::vector<std::size_t> groups;  // of links to the same list
    for (std::size_t p = 0; p < back.size(); ++p)
      if (p == 0 || back[p].to != back[p - 1].to || back[p].level != back[p - 1].level) groups.push_back(p);
    groups.push_back(back.size());
    parallel_for(static_cast<Index>(groups.size()) - 1, run, [&](Index g) {
      const auto at = static_cast<std::size_t>(g);
      link_back(std::span(back).subspan(groups[at], groups[at + 1] - groups[at]));
    });
    for (auto id = static_cast<tableint>(first); id < static_cast<tableint>(first + count); ++id)
      if (element_levels_[id] > maxlevel_) {
        maxlevel_ = element_levels_[id];
        enterpoint_node_ = id;
      }
  }

  void choose_links(tableint id) {
    const char* const x = getDataByInternalId(id);
    const int level = element_levels_[id];
    tableint here = descend(x, level);
    for (int l = std::min(level, maxlevel_); l >= 0; --l) {
      Queue found = searchBaseLayer(here, x, l);
      getNeighborsByHeuristic2(found, M_);
      here = write_links(get_linklist_at_level(id, l), found);
    }
  }

  void link_back(std::span<const Link> incoming) {
    const tableint to = incoming.front().to;
    const int level = incoming.front().level;
    linklistsizeint* const list = get_linklist_at_level(to, level);
    auto* const ids = reinterpret_cast<tableint*>(list + 1);
    const std::size_t size = getListCount(list), most = level > 0 ? maxM_ : maxM0_;
    if (size + incoming.size() <= most) {
      for (std::size_t p = 0; p < incoming.size(); ++p) ids[size + p] = incoming[p].from;
      setListCount(list, static_cast<unsigned short>(size + incoming.size()));
      return;
    }
    Queue all;
    const auto add = [&](tableint id) {
      all.emplace(fstdistfunc_(getDataByInternalId(id), getDataByInternalId(to), dist_func_param_), id);
    };
    for (std::size_t p = 0; p < size; ++p) add(ids[p]);
    for (const Link& link : incoming) add(link.from);
    getNeighborsByHeuristic2(all, most);
    write_links(list, all);
  }

  /// Empties the queue into a list; the nearest comes last and is returned.
  tableint write_links(linklistsizeint* list, Queue& queue) {
    auto* const ids = reinterpret_cast<tableint*>(list + 1);
    setListCount(list, static_cast<unsigned short>(queue.size()));
    tableint last = 0;
    for (std::size_t p = 0; !queue.empty(); queue.pop()) ids[p++] = last = queue.top().second;
    return last;
  }

  Index n_;
};

}  // namespace

template <class T>
struct HnswNeighbors<T>::World {
  Samples<T> points;
  InFloat in_float;
  mutable Space space;  // the interface asks for more than it needs
  Graph graph;

  World(Samples<T> p, const Run& run)
      : points(std::move(p)), in_float(points), space(points.cols()), graph(space, points, in_float, run) {}

  /// The nearest of row i among those that a search of this effort finds; fewer where it finds fewer.
  std::vector<Neighbor> find(const Samples<T>& rows, const RowDistance<T>& distance, Index i, Index itself,
                             Index count, std::size_t effort) const {
    const Matrix<float> x = in_float(rows, i, 1);
    const auto start = itself >= 0 ? static_cast<tableint>(itself) : graph.descend(x.data(), 0);
    const auto more = static_cast<std::size_t>(count + count / 4 + 8);  // distances in float are rounded
    std::vector<Neighbor> out;
    for (const std::int32_t j : graph.near(x.data(), start, more, effort))
      if (j != itself) out.push_back({distance(i, j), j});
    std::sort(out.begin(), out.end());
    out.resize(std::min(out.size(), static_cast<std::size_t>(count)));
    return out;
  }
};

template <class T>
double HnswNeighbors<T>::bytes(Index n, Index d) {
  return double(n) * (double(d) * sizeof(float) + 2.2 * double(links) * sizeof(tableint) + 150);
}

template <class T>
HnswNeighbors<T>::HnswNeighbors(Samples<T> points, const Run& run) {
  const double needed = bytes(points.rows(), points.cols());
  if (needed > double(run.memory_budget()))
    throw Error(ErrorCode::no_memory,
                fmt::format("an index of {} points of {} features takes {}, the budget is {}", points.rows(),
                            points.cols(), format_bytes(needed), format_bytes(double(run.memory_budget()))),
                "search by brute force, which needs little memory, or give more");
  world_ = std::make_unique<const World>(std::move(points), run);
}
template <class T>
HnswNeighbors<T>::~HnswNeighbors() = default;

template <class T>
NeighborLists HnswNeighbors<T>::nearest(const Samples<T>& rows, Index count, bool among,
                                        const Run& run) const {
  const SteadyRun steady(run);
  const Samples<T> mine = rows.in_the_form_of(world_->points);
  const RowDistance<T> distance(mine, world_->points);
  const Index n = mine.rows(), sample = std::min(recall_sample, n);

  // The truth about some of the rows, spread evenly.
  std::vector<Index> some;
  std::vector<Excluded> excluded;
  for (Index s = 0; s < sample; ++s) {
    some.push_back(s * n / sample);
    if (among) excluded.push_back({some.back(), some.back() + 1});
  }
  const NeighborLists truth = BruteNeighbors<T>(world_->points, steady, static_cast<Index>(some.size()))
                                  .nearest(mine.select_rows(some), count, excluded, steady);
  std::size_t effort = static_cast<std::size_t>(std::max<Index>(count + count / 2, count + 32));
  double recall = 0;
  while (true) {
    std::vector<Index> right(some.size(), 0);
    parallel_for(sample, steady, [&](Index s) {
      const Index i = some[static_cast<std::size_t>(s)];
      const double farthest = truth.distances(s)[static_cast<std::size_t>(count - 1)];
      for (const Neighbor& found : world_->find(mine, distance, i, among ? i : -1, count, effort))
        right[static_cast<std::size_t>(s)] += std::sqrt(found.squared) <= farthest;
    });
    Index all = 0;
    for (const Index r : right) all += r;
    recall = double(all) / double(sample * count);
    if (recall >= wanted_recall || effort >= std::max(most_effort, 2 * static_cast<std::size_t>(count)))
      break;
    effort *= 2;
  }
  if (recall < least_recall) {  // points that no such graph tells apart
    excluded.clear();
    for (Index i = 0; among && i < n; ++i) excluded.push_back({i, i + 1});
    return BruteNeighbors<T>(world_->points, steady, mine.rows()).nearest(mine, count, excluded, steady);
  }

  NeighborLists out = lists_of(n, count);
  out.recall = recall;
  constexpr Index chunk = 64;
  std::atomic<Index> done{0};
  std::vector<std::vector<Index>> short_rows(static_cast<std::size_t>((n + chunk - 1) / chunk));
  parallel_for((n + chunk - 1) / chunk, steady, [&](Index part) {
    for (Index i = part * chunk; i < std::min(n, (part + 1) * chunk); ++i) {
      const std::vector<Neighbor> found = world_->find(mine, distance, i, among ? i : -1, count, effort);
      if (static_cast<Index>(found.size()) == count)
        set_row(out, i, found);
      else
        short_rows[static_cast<std::size_t>(part)].push_back(i);
      ++done;
    }
    if (omp_get_thread_num() == 0) run.report("neighbours", double(done.load()) / double(n));
  });

  // A search may end in a corner with too few points (many duplicates): those rows are searched exactly.
  some.clear(), excluded.clear();
  for (const auto& part : short_rows) some.insert(some.end(), part.begin(), part.end());
  if (some.empty()) return out;
  if (among)
    for (const Index i : some) excluded.push_back({i, i + 1});
  const NeighborLists exact = BruteNeighbors<T>(world_->points, steady, static_cast<Index>(some.size()))
                                  .nearest(mine.select_rows(some), count, excluded, steady);
  for (std::size_t s = 0; s < some.size(); ++s) {
    const auto row = static_cast<Index>(s);
    std::copy(exact.neighbors(row).begin(), exact.neighbors(row).end(), out.index.begin() + some[s] * count);
    std::copy(exact.distances(row).begin(), exact.distances(row).end(),
              out.distance.begin() + some[s] * count);
  }
  return out;
}

template class HnswNeighbors<float>;
template class HnswNeighbors<double>;

}  // namespace mercer
