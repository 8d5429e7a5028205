// Entries are taken in parts that no fibre crosses (of neighbouring root nodes, or where the mode is the root
// itself, of neighbouring indices of the last level), sorted by fibre, and multiplied with each other.
#include "tensor/sparse_gram.hpp"

#include "base/at.hpp"
#include "tensor/lanes.hpp"

#include <algorithm>
#include <vector>

namespace mercer {
namespace {

constexpr Index part_entries = Index{1} << 18;

struct Entry {
  std::uint64_t fiber;
  std::uint32_t index;
  double value;
};

/// A part: root nodes [first, last), entries whose last index is in [low, high).
struct Part {
  Index first, last;
  std::uint32_t low, high;
};

template <class T>
class Collector {
 public:
  Collector(const SparseTensor<T>& x, Index mode) : x_(x), mode_(mode) {}

  std::vector<Entry> operator()(const Part& part) const {
    std::vector<Entry> out;
    out.reserve(at(std::min(x_.stored(), part_entries)));
    collect(0, part.first, part.last, 0, 0, part, out);
    std::stable_sort(out.begin(), out.end(),
                     [](const Entry& a, const Entry& b) { return a.fiber < b.fiber; });
    return out;
  }

 private:
  void collect(Index level, Index first, Index last, std::uint64_t fiber, std::uint32_t row, const Part& part,
               std::vector<Entry>& out) const {
    const auto& index = x_.index(level);
    const bool ours = x_.modes()[at(level)] == mode_;
    const auto size = static_cast<std::uint64_t>(x_.size(x_.modes()[at(level)]));
    const bool leaf = level + 1 == x_.order();
    if (leaf && level > 0)
      first = std::lower_bound(index.begin() + first, index.begin() + last, part.low) - index.begin();
    for (Index node = first; node < last; ++node) {
      const std::uint32_t i = index[at(node)];
      if (leaf && level > 0 && i >= part.high) break;
      const std::uint64_t place = ours ? fiber : fiber * size + i;
      const std::uint32_t mine = ours ? i : row;
      if (leaf)
        out.push_back({place, mine, double(x_.values()[at(node)])});
      else
        collect(level + 1, x_.first_child(level)[at(node)], x_.first_child(level)[at(node) + 1], place, mine,
                part, out);
    }
  }

  const SparseTensor<T>& x_;
  Index mode_;
};

/// Entries below the root nodes before `node`.
template <class T>
Index entries_before(const SparseTensor<T>& x, Index node) {
  for (Index level = 0; level + 1 < x.order(); ++level) node = x.first_child(level)[at(node)];
  return node;
}

template <class T>
std::vector<Part> parts_of(const SparseTensor<T>& x, Index mode) {
  const auto roots = static_cast<Index>(x.index(0).size());
  const auto leaf_size = static_cast<std::uint32_t>(x.size(x.modes().back()));
  std::vector<Part> out;
  if (x.modes()[0] != mode || x.order() == 1) {
    for (Index first = 0, last = 0; first < roots; first = last) {
      const Index begin = entries_before(x, first);
      do ++last;
      while (last < roots && entries_before(x, last + 1) - begin <= part_entries);
      out.push_back({first, last, 0, leaf_size});
    }
    return out;
  }
  const Index count = std::clamp<Index>(x.stored() / part_entries, 1, leaf_size);
  for (Index i = 0; i < count; ++i)
    out.push_back({0, roots, static_cast<std::uint32_t>(leaf_size * i / count),
                   static_cast<std::uint32_t>(leaf_size * (i + 1) / count)});
  return out;
}

/// Within a fibre: g_ij += x_i x_j for i ≥ j.
void add_pairs(const std::vector<Entry>& entries, Block<double>& gram) {
  for (std::size_t first = 0, last = 0; first < entries.size(); first = last) {
    while (last < entries.size() && entries[last].fiber == entries[first].fiber) ++last;
    for (std::size_t a = first; a < last; ++a)
      for (std::size_t b = first; b <= a; ++b)
        gram(std::max(entries[a].index, entries[b].index), std::min(entries[a].index, entries[b].index)) +=
            entries[a].value * entries[b].value;
  }
}

}  // namespace

double sparse_gram_bytes(Index size, Index stored) {
  const double n = double(size), lanes = double(lanes_for(stored / part_entries, size * size));
  return 8 * (lanes + 3) * n * n +
         2 * lanes * double(sizeof(Entry)) * double(std::min(stored, 2 * part_entries));
}

template <class T>
Block<double> sparse_mode_gram(const SparseTensor<T>& x, Index mode, const Run& run) {
  const Index size = x.size(mode);
  const std::vector<Part> parts = parts_of(x, mode);
  const Collector<T> collect(x, mode);
  const auto count = static_cast<Index>(parts.size());
  const Index lanes = lanes_for(count, size * size);
  std::vector<Block<double>> sums(at(lanes), Block<double>::Zero(size, size));
  for_each_piece(count, lanes, run,
                 [&](Index lane, Index part) { add_pairs(collect(parts[at(part)]), sums[at(lane)]); });
  for (Index lane = 1; lane < lanes; ++lane) sums[0] += sums[at(lane)];
  return std::move(sums[0]);
}

template Block<double> sparse_mode_gram(const SparseTensor<float>&, Index, const Run&);
template Block<double> sparse_mode_gram(const SparseTensor<double>&, Index, const Run&);

}  // namespace mercer
