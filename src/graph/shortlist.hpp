// What a search by tiles keeps of each row until the end: a few candidates with bounds of their distances, of
// which the nearest are certainly some; or all within a radius. Distances themselves are computed for those
// alone, so that the outcome is exact and does not depend on the order in which tiles come.
#pragma once

#include "graph/neighbor.hpp"
#include "graph/tile_scan.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

namespace mercer {

/// The smallest S that is not below.
template <class S>
[[nodiscard]] S rounded_up(double value) {
  const S near = static_cast<S>(value);
  return double(near) < value ? std::nextafter(near, std::numeric_limits<S>::infinity()) : near;
}

/// The `count` nearest. `Judge` knows upper(row, found), at least half the squared distance, and
/// exact(row, index), the squared distance.
template <class S, class Judge>
class Shortlists {
 public:
  Shortlists(Index rows, Index count, const Judge& judge)
      : count_(count),
        capacity_(room(count)),
        judge_(judge),
        limit_(static_cast<std::size_t>(rows), std::numeric_limits<S>::infinity()),
        size_(static_cast<std::size_t>(rows), 0),
        found_(static_cast<std::size_t>(rows * capacity_)) {}

  [[nodiscard]] static Index room(Index count) { return count + count / 2 + 48; }
  [[nodiscard]] static double bytes(Index rows, Index count) {
    return double(rows) * double(room(count) * Index(sizeof(Found<S>)) + 16);
  }

  /// What lies above half this squared distance is of no interest to the row.
  [[nodiscard]] S limit(Index row) const { return limit_[static_cast<std::size_t>(row)]; }

  void add(Index row, Found<S> found) {
    if (found.lower > limit(row)) return;
    auto& size = size_[static_cast<std::size_t>(row)];
    list(row)[size++] = found;
    if (size == capacity_) shorten(row);
  }

  /// The nearest, in order.
  [[nodiscard]] std::vector<Neighbor> finish(Index row) {
    shorten(row);
    std::vector<Neighbor> nearest = exact(row);
    std::sort(nearest.begin(), nearest.end());
    nearest.resize(std::min(nearest.size(), static_cast<std::size_t>(count_)));
    return nearest;
  }

 private:
  [[nodiscard]] Found<S>* list(Index row) { return found_.data() + row * capacity_; }

  /// The count-th smallest upper bound is above the true distance of the count-th neighbour: whoever's lower
  /// bound is larger still is none.
  void shorten(Index row) {
    auto& size = size_[static_cast<std::size_t>(row)];
    if (size < count_) return;
    thread_local std::vector<S> uppers;
    uppers.clear();
    for (Index p = 0; p < size; ++p) {
      const S upper = judge_.upper(row, list(row)[p]);
      uppers.push_back(std::isnan(upper) ? std::numeric_limits<S>::infinity() : upper);
    }
    std::nth_element(uppers.begin(), uppers.begin() + (count_ - 1), uppers.end());
    lower_limit(row, uppers[static_cast<std::size_t>(count_ - 1)]);
    if (size > capacity_ - capacity_ / 4) settle(row);
  }

  /// Where the bounds are too wide to tell (points much nearer to each other than to the origin).
  void settle(Index row) {
    const std::vector<Neighbor> known = exact(row);
    std::vector<Neighbor> order = known;
    std::nth_element(order.begin(), order.begin() + (count_ - 1), order.end());
    const Neighbor worst = order[static_cast<std::size_t>(count_ - 1)];
    Found<S>* const all = list(row);
    Index kept = 0;
    for (std::size_t p = 0; p < known.size(); ++p)
      if (!(worst < known[p])) all[kept++] = all[p];
    size_[static_cast<std::size_t>(row)] = kept;
    lower_limit(row, rounded_up<S>(worst.squared / 2));
  }

  void lower_limit(Index row, S limit) {
    S& mine = limit_[static_cast<std::size_t>(row)];
    mine = std::min(mine, limit);
    auto& size = size_[static_cast<std::size_t>(row)];
    Found<S>* const all = list(row);
    size = std::remove_if(all, all + size, [&](const Found<S>& f) { return f.lower > mine; }) - all;
  }

  [[nodiscard]] std::vector<Neighbor> exact(Index row) {
    std::vector<Neighbor> out;
    const Index size = size_[static_cast<std::size_t>(row)];
    for (Index p = 0; p < size; ++p) {
      const std::int32_t index = list(row)[p].index;
      out.push_back({judge_.exact(row, index), index});
    }
    return out;
  }

  Index count_, capacity_;
  const Judge& judge_;
  std::vector<S> limit_;
  std::vector<Index> size_;
  std::vector<Found<S>> found_;
};

/// All within a radius; as many as fit `bytes`.
template <class S, class Judge>
class WithinLists {
 public:
  WithinLists(Index rows, double radius, double bytes, const Judge& judge)
      : radius_(radius),
        limit_(rounded_up<S>(0.5 * radius * radius * (1 + 1e-12))),
        most_(static_cast<Index>(bytes / (2 * sizeof(Neighbor)))),
        judge_(judge),
        found_(static_cast<std::size_t>(rows)) {}

  [[nodiscard]] S limit(Index) const { return limit_; }

  void add(Index row, Found<S> found) {
    const double squared = judge_.exact(row, found.index);
    if (std::sqrt(squared) > radius_) return;
    if (++total_ > most_) throw too_many_within_radius();
    found_[static_cast<std::size_t>(row)].push_back({squared, found.index});
  }

  [[nodiscard]] std::vector<Neighbor> finish(Index row) {
    auto out = std::move(found_[static_cast<std::size_t>(row)]);
    std::sort(out.begin(), out.end());
    return out;
  }

 private:
  double radius_;
  S limit_;
  Index most_;
  const Judge& judge_;
  std::vector<std::vector<Neighbor>> found_;
  std::atomic<Index> total_{0};
};

}  // namespace mercer
