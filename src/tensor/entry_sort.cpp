// American flag sort (McIlroy, Bostic, McIlroy 1993) on arrays of indices: the entries are dealt out to
// buckets by a few bits of an index at a time, in place; buckets that fit the cache are sorted by their
// remaining bits as one number.
#include "tensor/entry_sort.hpp"

#include "base/parallel.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace mercer {
namespace {

constexpr int digit_bits = 8;
constexpr Index buckets = Index(1) << digit_bits;
constexpr Index small = 1 << 15;  // entries that are sorted at once: they stay in a core's own cache
constexpr Index tiny = 24;        // entries that are sorted by insertion

/// Entries [first, last) that agree in all bits before the last `bits` ones of index `level`.
struct Range {
  Index first, last;
  std::size_t level;
  int bits;
};

template <class T>
class EntrySort {
 public:
  EntrySort(std::vector<std::vector<std::uint32_t>*> index, const std::vector<Index>& sizes,
            std::vector<T>& values)
      : index_(std::move(index)), values_(values.data()) {
    for (const Index size : sizes)
      widths_.push_back(std::bit_width(static_cast<std::uint64_t>(std::max<Index>(1, size) - 1)));
  }

  /// Ranges still to be sorted, round by round: what a round cuts up is the next one's work.
  void sort(Index count) {
    std::vector<Range> ranges;
    if (count > 1) ranges.push_back({0, count, 0, widths_[0]});
    while (!ranges.empty()) {
      std::vector<std::vector<Range>> parts(ranges.size());
      parallel_for(static_cast<Index>(ranges.size()), {}, [&](Index r) {
        const auto place = static_cast<std::size_t>(r);
        sort_range(ranges[place], parts[place]);
      });
      ranges.clear();
      for (const auto& part : parts) ranges.insert(ranges.end(), part.begin(), part.end());
    }
  }

 private:
  void sort_range(Range range, std::vector<Range>& parts) {
    while (range.bits == 0) {  // all of them agree in this index
      if (++range.level == widths_.size()) return;
      range.bits = widths_[range.level];
    }
    const Index count = range.last - range.first;
    if (count <= tiny)
      insert(range);
    else if (count <= small && remaining_bits(range) <= 64)
      sort_by_key(range);
    else
      deal_out(range, parts);
  }

  [[nodiscard]] int remaining_bits(const Range& range) const {
    int bits = range.bits;
    for (std::size_t l = range.level + 1; l < widths_.size(); ++l) bits += widths_[l];
    return bits;
  }

  [[nodiscard]] std::uint32_t& at(std::size_t level, Index e) const {
    return (*index_[level])[static_cast<std::size_t>(e)];
  }

  void swap_entries(Index a, Index b) {
    for (std::size_t l = 0; l < index_.size(); ++l) std::swap(at(l, a), at(l, b));
    std::swap(values_[a], values_[b]);
  }

  /// Moves the entries to the buckets of the next digit, which follow each other.
  void deal_out(const Range& range, std::vector<Range>& parts) {
    const int bits = std::min(digit_bits, range.bits), rest = range.bits - bits;
    const std::uint32_t* index = index_[range.level]->data();
    const auto digit = [&](Index e) { return (index[e] >> rest) & ((1U << bits) - 1); };
    std::array<Index, buckets + 1> end{}, next{};
    for (Index e = range.first; e < range.last; ++e) ++end[digit(e) + 1];
    end[0] = range.first;
    for (std::size_t b = 0; b < buckets; ++b) {
      next[b] = end[b];  // where bucket b begins
      end[b + 1] += end[b];
    }
    for (std::size_t b = 0; b < buckets; ++b)
      while (next[b] < end[b + 1]) {
        const std::size_t home = digit(next[b]);
        if (home == b)
          ++next[b];
        else
          swap_entries(next[b], next[home]++);
      }
    for (std::size_t b = 0; b < buckets; ++b) {
      const Range part{end[b], end[b + 1], range.level, rest};
      if (part.last - part.first > tiny)
        parts.push_back(part);
      else
        insert(part);
    }
  }

  void insert(const Range& range) {
    const auto before = [&](Index a, Index b) {
      for (std::size_t l = range.level; l < index_.size(); ++l)
        if (at(l, a) != at(l, b)) return at(l, a) < at(l, b);
      return false;
    };
    for (Index e = range.first + 1; e < range.last; ++e)
      for (Index k = e; k > range.first && before(k, k - 1); --k) swap_entries(k, k - 1);
  }

  struct Key {
    std::uint64_t bits;
    std::uint32_t place;
  };

  void sort_by_key(const Range& range) {
    const auto count = static_cast<std::size_t>(range.last - range.first);
    thread_local std::vector<Key> keys;
    keys.resize(count);
    for (std::size_t k = 0; k < count; ++k)
      keys[k] = {key(range, range.first + static_cast<Index>(k)), static_cast<std::uint32_t>(k)};
    std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
      return a.bits != b.bits ? a.bits < b.bits : a.place < b.place;
    });
    for (std::size_t l = range.level; l < index_.size(); ++l)
      rearrange(index_[l]->data() + range.first, keys);
    rearrange(values_ + range.first, keys);
  }

  [[nodiscard]] std::uint64_t key(const Range& range, Index e) const {
    std::uint64_t bits = at(range.level, e) & ((std::uint64_t(1) << range.bits) - 1);
    for (std::size_t l = range.level + 1; l < index_.size(); ++l) bits = bits << widths_[l] | at(l, e);
    return bits;
  }

  template <class V>
  static void rearrange(V* array, const std::vector<Key>& keys) {
    thread_local std::vector<V> sorted;
    sorted.resize(keys.size());
    for (std::size_t k = 0; k < keys.size(); ++k) sorted[k] = array[keys[k].place];
    std::copy(sorted.begin(), sorted.end(), array);
  }

  std::vector<std::vector<std::uint32_t>*> index_;
  T* values_;
  std::vector<int> widths_;  ///< bits of each index
};

}  // namespace

template <class T>
void sort_entries(std::vector<std::vector<std::uint32_t>*> index, const std::vector<Index>& sizes,
                  std::vector<T>& values) {
  EntrySort<T>(std::move(index), sizes, values).sort(static_cast<Index>(values.size()));
}

template void sort_entries(std::vector<std::vector<std::uint32_t>*>, const std::vector<Index>&,
                           std::vector<float>&);
template void sort_entries(std::vector<std::vector<std::uint32_t>*>, const std::vector<Index>&,
                           std::vector<double>&);

}  // namespace mercer
