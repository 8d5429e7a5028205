// nanoflann's tree with our distances, and sets of results that order equal distances by number.
#include "graph/kdtree_neighbors.hpp"

#include "base/parallel.hpp"
#include "graph/row_distance.hpp"

#include <nanoflann.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {
namespace {

template <class T>
struct PointCloud {
  const T* data;
  Index rows, cols, stride;

  [[nodiscard]] std::size_t kdtree_get_point_count() const { return static_cast<std::size_t>(rows); }
  [[nodiscard]] T kdtree_get_pt(std::size_t i, std::size_t k) const {
    return data[static_cast<Index>(i) * stride + static_cast<Index>(k)];
  }
  template <class Box>
  bool kdtree_get_bbox(Box&) const {
    return false;
  }
};

template <class T>
struct Metric {
  using ElementType = T;
  using DistanceType = double;
  const PointCloud<T>& cloud;

  explicit Metric(const PointCloud<T>& points) : cloud(points) {}
  [[nodiscard]] double evalMetric(const T* x, std::uint32_t i, std::size_t) const {
    return squared_distance(x, cloud.data + Index(i) * cloud.stride, cloud.cols);
  }
  template <class U, class V>
  [[nodiscard]] double accum_dist(U a, V b, std::size_t) const {
    const double e = double(a) - double(b);
    return e * e;
  }
};

/// A little above: nanoflann asks for what is strictly nearer than the worst, and equals count too.
double just_above(double x) { return std::nextafter(x, std::numeric_limits<double>::infinity()); }

/// The nearest so far, the farthest of them on top of a heap.
class Nearest {
 public:
  Nearest(Index count, Index itself) : count_(static_cast<std::size_t>(count)), itself_(itself) {}

  bool addPoint(double squared, std::uint32_t i) {
    const Neighbor found{squared, static_cast<std::int32_t>(i)};
    if (static_cast<Index>(i) == itself_) return true;
    if (heap_.size() == count_) {
      if (!(found < heap_.front())) return true;
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.back() = found;
    } else {
      heap_.push_back(found);
    }
    std::push_heap(heap_.begin(), heap_.end());
    return true;
  }
  [[nodiscard]] bool full() const { return heap_.size() == count_; }
  [[nodiscard]] double worstDist() const {
    return full() ? just_above(heap_.front().squared) : std::numeric_limits<double>::infinity();
  }
  std::vector<Neighbor>& sorted() {
    std::sort_heap(heap_.begin(), heap_.end());
    return heap_;
  }

 private:
  std::size_t count_;
  Index itself_;
  std::vector<Neighbor> heap_;
};

class Within {
 public:
  Within(double radius, Index itself) : radius_(radius), itself_(itself) {}

  bool addPoint(double squared, std::uint32_t i) {
    if (static_cast<Index>(i) != itself_ && std::sqrt(squared) <= radius_)
      found_.push_back({squared, static_cast<std::int32_t>(i)});
    return true;
  }
  [[nodiscard]] bool full() const { return true; }
  [[nodiscard]] double worstDist() const { return radius_ * radius_ * (1 + 1e-12); }
  std::vector<Neighbor>& sorted() {
    std::sort(found_.begin(), found_.end());
    return found_;
  }

 private:
  double radius_;
  Index itself_;
  std::vector<Neighbor> found_;
};

constexpr Index chunk = 64;  // rows to a thread at a time

}  // namespace

template <class T>
struct KdTreeNeighbors<T>::Tree {
  using Index_ = nanoflann::KDTreeSingleIndexAdaptor<Metric<T>, PointCloud<T>, -1, std::uint32_t>;

  Samples<T> points;
  PointCloud<T> cloud;
  Index_ index;

  explicit Tree(Samples<T> p)
      : points(std::move(p)),
        cloud{points.dense().data(), points.rows(), points.cols(), points.dense().outerStride()},
        index(static_cast<int>(points.cols()), cloud, nanoflann::KDTreeSingleIndexAdaptorParams(16)) {}

  template <class Found>
  std::vector<Neighbor> find(const T* row, Found found) const {
    // Distances to the cells are sums that were rounded: they may be too large by a little.
    index.findNeighbors(found, row, nanoflann::SearchParams(0, -1e-6F));
    return std::move(found.sorted());
  }
};

template <class T>
KdTreeNeighbors<T>::KdTreeNeighbors(Samples<T> points)
    : tree_(std::make_unique<const Tree>(std::move(points))) {}
template <class T>
KdTreeNeighbors<T>::~KdTreeNeighbors() = default;

template <class T>
NeighborLists KdTreeNeighbors<T>::nearest(const Samples<T>& rows, Index count, bool among,
                                          const Run& run) const {
  NeighborLists out = lists_of(rows.rows(), count);
  const auto x = rows.dense();
  parallel_for((x.rows() + chunk - 1) / chunk, run, [&](Index part) {
    for (Index i = part * chunk; i < std::min(x.rows(), (part + 1) * chunk); ++i)
      set_row(out, i, tree_->find(x.data() + i * x.outerStride(), Nearest(count, among ? i : -1)));
  });
  return out;
}

template <class T>
NeighborLists KdTreeNeighbors<T>::within(const Samples<T>& rows, double radius, bool among,
                                         const Run& run) const {
  std::vector<std::vector<Neighbor>> out(static_cast<std::size_t>(rows.rows()));
  const auto x = rows.dense();
  const auto most = static_cast<Index>(0.5 * double(run.memory_budget()) / (2 * sizeof(Neighbor)));
  std::atomic<Index> total{0};
  parallel_for((x.rows() + chunk - 1) / chunk, run, [&](Index part) {
    for (Index i = part * chunk; i < std::min(x.rows(), (part + 1) * chunk); ++i) {
      auto& row = out[static_cast<std::size_t>(i)];
      row = tree_->find(x.data() + i * x.outerStride(), Within(radius, among ? i : -1));
      if ((total += static_cast<Index>(row.size())) > most) throw too_many_within_radius();
    }
  });
  return join(std::move(out));
}

template class KdTreeNeighbors<float>;
template class KdTreeNeighbors<double>;

}  // namespace mercer
