// The links of a neighbour graph as a part of a model's file.
#pragma once

#include "model/model_file.hpp"

#include <mercer/neighbors.hpp>

#include <fmt/format.h>

namespace mercer {

/// Parameters neighbors.count and neighbors.radius; tensors links.begin, links.to and links.length.
inline void write_neighbors(ModelWriter& writer, const NeighborOptions& neighbors) {
  writer.set("neighbors.count", neighbors.count);
  writer.set("neighbors.radius", neighbors.radius);
}
template <class T>
[[nodiscard]] NeighborOptions read_neighbors(const ModelReader<T>& reader) {
  NeighborOptions out;
  out.count = reader.count("neighbors.count");
  out.radius = reader.number("neighbors.radius");
  if (!(out.radius > 0) && out.count < 1) reader.damaged("it has no number of neighbours");
  return out;
}

inline void write_links(ModelWriter& writer, const SparseMatrix<double>& links) {
  const Index n = links.rows(), count = links.nonZeros();
  writer.array("links.begin",
               std::vector<std::int64_t>(links.outerIndexPtr(), links.outerIndexPtr() + n + 1));
  writer.array("links.to", std::vector<std::int32_t>(links.innerIndexPtr(), links.innerIndexPtr() + count));
  writer.array("links.length", std::vector<double>(links.valuePtr(), links.valuePtr() + count));
}
/// Of a symmetric graph of n points.
template <class T>
[[nodiscard]] SparseMatrix<double> read_links(const ModelReader<T>& reader, Index n) {
  reader.require_shape("links.begin", {n + 1});
  const auto begin = reader.template array<std::int64_t>("links.begin");
  const auto to = reader.template array<std::int32_t>("links.to");
  const auto length = reader.template array<double>("links.length");
  const auto count = static_cast<std::int64_t>(to.size());
  if (begin.front() != 0 || begin.back() != count || length.size() != to.size())
    reader.damaged("its links do not add up");
  SparseMatrix<double> out(n, n);
  out.reserve(count);
  for (Index i = 0; i < n; ++i) {
    const std::int64_t from = begin[static_cast<std::size_t>(i)],
                       end = begin[static_cast<std::size_t>(i) + 1];
    if (from > end || end > count) reader.damaged("its links do not add up");
    out.startVec(i);
    for (std::int64_t p = from; p < end; ++p) {
      const std::int32_t j = to[static_cast<std::size_t>(p)];
      const double value = length[static_cast<std::size_t>(p)];
      if (j < 0 || j >= n || (p > from && j <= to[static_cast<std::size_t>(p) - 1]) || !(value >= 0))
        reader.damaged(fmt::format("the links of point {} are out of order", i));
      out.insertBack(i, j) = value;
    }
  }
  out.finalize();
  return out;
}

}  // namespace mercer
