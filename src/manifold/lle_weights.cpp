// Locally linear embedding: each point as a barycentre of its neighbours. M = (I − W)ᵀ(I − W).
#include "base/parallel.hpp"
#include "manifold/lle_alignment.hpp"
#include "manifold/neighborhood.hpp"

namespace mercer {

template <class T>
LocalFactors lle_weights(const Samples<T>& points, const NeighborLists& lists, double regularization,
                         const Run& run) {
  const Index n = lists.size();
  LocalFactors out(lists, Itself::always, 1);
  parallel_for((n + neighborhoods_together - 1) / neighborhoods_together, run, [&](Index part) {
    Matrix<double> rows;
    for (Index i = part * neighborhoods_together; i < std::min(n, (part + 1) * neighborhoods_together); ++i) {
      neighbor_differences(points, lists.neighbors(i), points, i, rows);
      auto f = out.factor_of(i);
      f.col(0).head(rows.rows()) = barycentric_weights(rows, regularization);
      f(rows.rows(), 0) = -1;
      out.columns[static_cast<std::size_t>(i)] = 1;
    }
  });
  return out;
}

template LocalFactors lle_weights(const Samples<float>&, const NeighborLists&, double, const Run&);
template LocalFactors lle_weights(const Samples<double>&, const NeighborLists&, double, const Run&);

}  // namespace mercer
