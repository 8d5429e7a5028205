// Links with duplicates made one, and how well they are kept.
#include "manifold/mvu_links.hpp"

#include "graph/components.hpp"

namespace mercer {
namespace {

/// distance(i, j): the squared length of a link after the unfolding, in the data's units.
template <class F>
Isometry changes(const MvuLinks& links, F&& distance) {
  Isometry out;
  for (Index i = 0; i < links.size(); ++i)
    for (SparseMatrix<double>::InnerIterator link(links.squared, i); link; ++link) {
      if (link.col() >= i) break;
      const double now = distance(i, link.col()) / links.unit;
      const double change = std::abs(now - link.value()) / measuring(link.value());
      out.largest = std::max(out.largest, change);
      out.mean += change / double(links.count());
    }
  return out;
}

}  // namespace

SparseMatrix<double> MvuLinks::laplacian() const {
  SparseMatrix<double> out = squared;
  std::vector<Eigen::Triplet<double, std::int64_t>> entries;
  entries.reserve(static_cast<std::size_t>(squared.nonZeros() + size()));
  for (Index i = 0; i < size(); ++i) {
    Index degree = 0;
    for (SparseMatrix<double>::InnerIterator link(squared, i); link; ++link, ++degree)
      entries.emplace_back(i, link.col(), -1);
    entries.emplace_back(i, i, double(degree));
  }
  out.setFromTriplets(entries.begin(), entries.end());
  return out;
}

MvuLinks mvu_links(const NeighborGraph& graph) {
  const SparseMatrix<double> lengths = graph.symmetric();
  const Index n = lengths.rows();
  UnionFind same(n);
  for (Index i = 0; i < n; ++i)
    for (SparseMatrix<double>::InnerIterator link(lengths, i); link; ++link)
      if (link.value() == 0) same.join(i, link.col());

  MvuLinks out;
  out.node.assign(static_cast<std::size_t>(n), -1);
  Index nodes = 0;
  for (Index i = 0; i < n; ++i) {  // the smallest number leads: it has been seen
    const Index leader = same.find(i);
    out.node[static_cast<std::size_t>(i)] =
        leader == i ? nodes++ : out.node[static_cast<std::size_t>(leader)];
  }
  out.weight.setZero(nodes);
  std::vector<Eigen::Triplet<double, std::int64_t>> entries;
  for (Index i = 0; i < n; ++i) {
    const Index a = out.node[static_cast<std::size_t>(i)];
    out.weight[a] += 1;
    for (SparseMatrix<double>::InnerIterator link(lengths, i); link; ++link) {
      const Index b = out.node[static_cast<std::size_t>(link.col())];
      if (a != b) entries.emplace_back(a, b, link.value() * link.value());
    }
  }
  out.squared.resize(nodes, nodes);
  // Links between the same two nodes have one length, but for rounding: the shortest, seen from both sides.
  out.squared.setFromTriplets(entries.begin(), entries.end(),
                              [](double a, double b) { return std::min(a, b); });
  out.unit = out.squared.sum() / double(std::max<Index>(1, out.squared.nonZeros()));
  out.squared /= out.unit;
  return out;
}

Isometry isometry(const MvuLinks& links, const Matrix<double>& map) {
  return changes(links, [&](Index i, Index j) { return (map.row(i) - map.row(j)).squaredNorm(); });
}

Isometry isometry(const MvuLinks& links, const Block<double>& gram) {
  return changes(links, [&](Index i, Index j) { return gram(i, i) - 2 * gram(i, j) + gram(j, j); });
}

}  // namespace mercer
