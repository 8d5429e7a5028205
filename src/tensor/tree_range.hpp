// TreeRange: the nodes of a sparse tensor's tree that have some of its entries below them, so that entries
// can be dealt out in equal parts whatever the tree looks like.
#pragma once

#include <mercer/tensor.hpp>

#include "tensor/fibers.hpp"

#include <algorithm>
#include <vector>

namespace mercer {

template <class T>
class TreeRange {
 public:
  /// Part number `part` of `parts` parts.
  TreeRange(const SparseTensor<T>& x, Index part, Index parts)
      : x_(x), levels_(static_cast<std::size_t>(x.order())) {
    Span nodes{x.stored() * part / parts, x.stored() * (part + 1) / parts};
    for (Index level = x.order() - 1;; --level) {
      levels_[static_cast<std::size_t>(level)] = nodes;
      if (level == 0) break;
      const std::vector<Index>& first = x.first_child(level - 1);
      nodes = {std::upper_bound(first.begin(), first.end(), nodes.first) - first.begin() - 1,
               std::lower_bound(first.begin(), first.end(), nodes.last) - first.begin()};
    }
  }

  [[nodiscard]] Span nodes(Index level) const { return levels_[static_cast<std::size_t>(level)]; }
  /// Those of a node's children that belong to the part.
  [[nodiscard]] Span children(Index level, Index node) const {
    const Index* first = x_.first_child(level).data() + node;
    const Span range = nodes(level + 1);
    return {std::max(first[0], range.first), std::min(first[1], range.last)};
  }

 private:
  const SparseTensor<T>& x_;
  std::vector<Span> levels_;
};

}  // namespace mercer
