// Hessian locally linear embedding (Donoho, Grimes 2003): on the tangent space of each neighbourhood a
// quadratic is fitted to a function; what measures its second derivatives annihilates constant and linear
// functions.
#include "base/parallel.hpp"
#include "manifold/lle_alignment.hpp"
#include "manifold/neighborhood.hpp"

#include <Eigen/QR>

#include <cmath>

namespace mercer {

template <class T>
LocalFactors hessian_weights(const Samples<T>& points, const NeighborLists& lists, Index components,
                             double tolerance, bool remainder, const Run& run) {
  const Index n = lists.size(), m = components, second = m * (m + 1) / 2;
  LocalFactors out(lists, Itself::if_nobodys_neighbor, remainder ? 0 : second);
  parallel_for((n + neighborhoods_together - 1) / neighborhoods_together, run, [&](Index part) {
    Matrix<double> rows;
    LocalSpectrum spectrum;
    for (Index i = part * neighborhoods_together; i < std::min(n, (part + 1) * neighborhoods_together); ++i) {
      neighbor_differences(points, out.members_of(i), points, i, rows);
      rows.rowwise() -= rows.colwise().mean().eval();
      local_spectrum(rows, spectrum);
      const Index count = rows.rows();
      const auto u = spectrum.vectors.leftCols(m);  // tangent coordinates
      Block<double> terms(count, 1 + m + second);   // 1, uₐ, uₐu_b
      terms.col(0).setOnes();
      terms.middleCols(1, m) = u;
      Index c = 1 + m;
      for (Index a = 0; a < m; ++a)
        for (Index b = a; b < m; ++b) terms.col(c++) = u.col(a).cwiseProduct(u.col(b));
      const Eigen::HouseholderQR<Eigen::Ref<Block<double>>> qr(terms);
      const Index columns = remainder ? count - 1 - m : second;
      Block<double> q = Block<double>::Identity(count, 1 + m + columns);
      q.applyOnTheLeft(qr.householderQ());
      auto f = out.factor_of(i);
      f.leftCols(columns) = q.rightCols(columns);
      for (Index b = 0; b < columns; ++b) {
        const double sum = f.col(b).sum();
        if (std::abs(sum) >= tolerance) f.col(b) /= sum;
      }
      out.columns[static_cast<std::size_t>(i)] = columns;
    }
  });
  return out;
}

template LocalFactors hessian_weights(const Samples<float>&, const NeighborLists&, Index, double, bool,
                                      const Run&);
template LocalFactors hessian_weights(const Samples<double>&, const NeighborLists&, Index, double, bool,
                                      const Run&);

}  // namespace mercer
