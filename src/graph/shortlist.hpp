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

/// The largest S that is not above.
template <class S>
[[nodiscard]] S rounded_down(double value) {
  return -rounded_up<S>(-value);
}

/// The `count` nearest. `Judge` knows upper(row, found), at least half the squared distance, exact(row,
/// index), the squared distance, and number(index), what the point is called.
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

  [[nodiscard]] const Judge& judge() const { return judge_; }
  /// What lies above half this squared distance is of no interest to the row.
  [[nodiscard]] S limit(Index row) const { return limit_[static_cast<std::size_t>(row)]; }

  void add(Index row, Found<S> found) {
    if (found.lower > limit(row)) return;
    list(row)[size(row)++] = found;
    if (size(row) == capacity_) shorten(row);
  }

  /// The nearest, in order.
  [[nodiscard]] std::vector<Neighbor> finish(Index row) {
    Found<S>*const all = list(row), *const end = all + size(row);
    std::sort(all, end, [](const Found<S>& a, const Found<S>& b) { return below(a.lower, b.lower); });
    std::vector<Neighbor> nearest;  // a heap
    for (const Found<S>* f = all; f < end; ++f) {
      const bool enough = static_cast<Index>(nearest.size()) == count_;
      if (enough && std::isfinite(f->lower) && double(f->lower) > nearest.front().squared / 2) break;
      if (f + 1 < end) judge_.expect(index_of(f[1]));
      nearest.push_back(exact(row, *f));
      std::push_heap(nearest.begin(), nearest.end());
      if (!enough) continue;
      std::pop_heap(nearest.begin(), nearest.end());
      nearest.pop_back();
    }
    std::sort_heap(nearest.begin(), nearest.end());
    return nearest;
  }

 private:
  [[nodiscard]] Found<S>* list(Index row) { return found_.data() + row * capacity_; }

  // A candidate whose distance has been computed holds the complement of its number, and its lower bound is
  // narrow.
  [[nodiscard]] static bool measured(const Found<S>& f) { return f.index < 0; }
  [[nodiscard]] static Index index_of(const Found<S>& f) { return measured(f) ? ~f.index : f.index; }
  /// What is no number may be anywhere, so it comes first.
  [[nodiscard]] static bool below(S a, S b) { return std::isnan(a) ? !std::isnan(b) : a < b; }
  [[nodiscard]] S upper(Index row, const Found<S>& f) const {
    if (measured(f))
      return f.lower + (f.lower * std::numeric_limits<S>::epsilon() + std::numeric_limits<S>::min());
    const S upper = judge_.upper(row, f);
    return std::isnan(upper) ? std::numeric_limits<S>::infinity() : upper;
  }

  /// Makes room: by the bounds there are, by narrow ones, and where those cannot tell either by the distances
  /// themselves.
  void shorten(Index row) {
    const auto full = [&] { return size(row) > capacity_ - capacity_ / 4; };
    by_bounds(row);
    if (full()) measure(row);
    if (full()) by_distances(row);
  }

  /// The count-th smallest upper bound is above the true distance of the count-th neighbour: whoever's lower
  /// bound is larger still is none.
  void by_bounds(Index row) {
    if (size(row) < count_) return;
    thread_local std::vector<S> uppers;
    uppers.clear();
    for (Index p = 0; p < size(row); ++p) uppers.push_back(upper(row, list(row)[p]));
    std::nth_element(uppers.begin(), uppers.begin() + (count_ - 1), uppers.end());
    lower_limit(row, uppers[static_cast<std::size_t>(count_ - 1)]);
  }

  /// Computes distances, the most promising first, until the others cannot be among the nearest.
  void measure(Index row) {
    thread_local std::vector<S> nearest;  // the count smallest upper bounds of what is measured: a heap
    nearest.clear();
    const auto add = [&](const Found<S>& f) {
      nearest.push_back(upper(row, f));
      std::push_heap(nearest.begin(), nearest.end());
      if (static_cast<Index>(nearest.size()) <= count_) return;
      std::pop_heap(nearest.begin(), nearest.end());
      nearest.pop_back();
    };
    Found<S>*const all = list(row), *const end = all + size(row);
    Found<S>* const rest = std::partition(all, end, measured);
    std::for_each(all, rest, add);
    std::sort(rest, end, [](const Found<S>& a, const Found<S>& b) { return below(a.lower, b.lower); });
    for (Found<S>* f = rest; f < end; ++f) {
      if (static_cast<Index>(nearest.size()) == count_ && f->lower > nearest.front()) break;
      if (f + 1 < end) judge_.expect(f[1].index);
      *f = {rounded_down<S>(judge_.exact(row, f->index) / 2), ~f->index};
      add(*f);
    }
    if (static_cast<Index>(nearest.size()) == count_) lower_limit(row, nearest.front());
  }

  /// Where many are as far away as one another.
  void by_distances(Index row) {
    std::vector<Neighbor> known;
    for (Index p = 0; p < size(row); ++p) known.push_back(exact(row, list(row)[p]));
    std::vector<Neighbor> order = known;
    std::nth_element(order.begin(), order.begin() + (count_ - 1), order.end());
    const Neighbor worst = order[static_cast<std::size_t>(count_ - 1)];
    Found<S>* const all = list(row);
    Index kept = 0;
    for (std::size_t p = 0; p < known.size(); ++p)
      if (!(worst < known[p])) all[kept++] = all[p];
    size(row) = kept;
    lower_limit(row, rounded_up<S>(worst.squared / 2));
  }

  void lower_limit(Index row, S limit) {
    S& mine = limit_[static_cast<std::size_t>(row)];
    mine = std::min(mine, limit);
    Found<S>* const all = list(row);
    size(row) = std::remove_if(all, all + size(row), [&](const Found<S>& f) { return f.lower > mine; }) - all;
  }

  [[nodiscard]] Neighbor exact(Index row, const Found<S>& f) const {
    const Index index = index_of(f);
    return {judge_.exact(row, index), static_cast<std::int32_t>(judge_.number(index))};
  }

  [[nodiscard]] Index& size(Index row) { return size_[static_cast<std::size_t>(row)]; }

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

  [[nodiscard]] const Judge& judge() const { return judge_; }
  [[nodiscard]] S limit(Index) const { return limit_; }

  void add(Index row, Found<S> found) {
    if (found.lower > limit_) return;
    const double squared = judge_.exact(row, found.index);
    if (std::sqrt(squared) > radius_) return;
    if (++total_ > most_) throw too_many_within_radius();
    found_[static_cast<std::size_t>(row)].push_back(
        {squared, static_cast<std::int32_t>(judge_.number(found.index))});
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
