// The distance-constraint method (Kwok and Tsang 2004), without iterations. Pφ has known distances to the
// nearest φ(x_i) in feature space; the kernel's inverse turns them into input distances d_i, and z is the
// point that meets them: with the neighbours about their mean, C = X_near − x̄, 2C(z − x̄) = h − h̄, h_i =
// ‖c_i‖² − d_i², solved by least squares within the neighbours' span. Kernels of x·y give x_i·z instead, and
// d_i² up to ‖z‖², which h − h̄ does not see; an even power does not tell the sign of its base, which is taken
// to be that of the nearest neighbour.
#include "model/preimage.hpp"

#include "base/linalg.hpp"

#include <cmath>

namespace mercer {
namespace {

class Distances final : public PreimageSolver {
 public:
  Distances(const Expansion& space, const PreimageOptions& options)
      : space_(space), neighbors_(options.neighbors), start_((*space.profile)(0)) {}

  Index solve(const MatrixView<double>& scores, const Matrix<double>&, Matrix<double>& out) const override {
    const Matrix<double> inner = space_.inner(scores);
    const Vector<double> norms = space_.norms(scores);
    const auto near = nearest_in_feature_space(space_, inner, neighbors_);
    for (Index i = 0; i < scores.rows(); ++i) {
      const Vector<Index> rows = near.row(i).transpose();
      out.row(i) = meet(rows, inner.row(i)(rows).transpose(), norms[i]).transpose();
    }
    return 0;
  }

 private:
  /// `inner`: Pφ·φ(x_i) for the neighbours; `norm`: ‖Pφ‖².
  Vector<double> meet(const Vector<Index>& rows, const Vector<double>& inner, double norm) const {
    const Index q = rows.size();
    Matrix<double> c = space_.points(rows, Eigen::all);
    const Vector<double> lengths = c.rowwise().squaredNorm(), mean = c.colwise().mean().transpose(),
                         with_nearest = c * c.row(0).transpose();
    c.rowwise() -= mean.transpose();
    Vector<double> h(q);
    for (Index i = 0; i < q; ++i) {
      if (space_.profile->of_distance()) {  // ‖φ(z) − φ(x_i)‖² = 2f(0) − 2f(d²)
        const double far = norm - 2 * inner[i] + space_.diagonal[rows[i]];
        h[i] = c.row(i).squaredNorm() - space_.profile->inverse(start_ - far / 2);
      } else {
        h[i] = c.row(i).squaredNorm() - lengths[i] + 2 * space_.profile->inverse(inner[i], with_nearest[i]);
      }
    }
    h.array() -= h.mean();
    // z − x̄ = ½ Cᵀ(CCᵀ)⁺(h − h̄): q is small, d may not be.
    Block<double> gram = c * c.transpose();
    Vector<double> values;
    linalg::syevd(gram, values);
    const double least = 1e-12 * std::max(values[q - 1], 0.0);
    const Vector<double> along = gram.transpose() * h;
    Vector<double> inverted = Vector<double>::Zero(q);
    for (Index i = 0; i < q; ++i)
      if (values[i] > least) inverted[i] = along[i] / values[i];
    return mean + 0.5 * c.transpose() * (gram * inverted);
  }

  const Expansion& space_;
  Index neighbors_;
  double start_;  ///< f(0)
};

}  // namespace

std::unique_ptr<PreimageSolver> make_distances(const Expansion& space, const PreimageOptions& options) {
  return std::make_unique<Distances>(space, options);
}

}  // namespace mercer
