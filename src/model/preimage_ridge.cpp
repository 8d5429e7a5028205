// A learned way back for any kernel (Bakır, Weston, Schölkopf 2004; scikit-learn's fit_inverse_transform):
// kernel ridge regression from the scores of the training points to the points, with the model's own kernel
// between scores: A = (K_z + μI)⁻¹X, z ↦ k_z(z)A. Kernels that cannot compare scores (χ² of negative numbers,
// functions of a user's own) are replaced by rbf(gamma=median); so are odd ones (cosine, linear, tanh(x·y)),
// whose maps are odd too and miss the mean of the points, unless ridge and μ are asked for: then the map is
// scikit-learn's. μ may be chosen by leave-one-out, which has a closed form: x_i − x̂_i = (GX)_i / G_ii with G
// = (K_z + μI)⁻¹.
#include "model/preimage.hpp"

#include "base/linalg.hpp"
#include "kernel/node.hpp"
#include "kernel/tiles.hpp"

#include <fmt/format.h>

namespace mercer {
namespace {

bool has_user_part(const Kernel& kernel) {
  bool found = false;
  (void)map_leaves(kernel, [&](const Kernel& part) {
    found = found || std::holds_alternative<UserKernel>(part.node().value);
    return part;
  });
  return found;
}

/// k(−z, z′) = −k(z, z′), seen on some scores.
bool is_odd(const Kernel& kernel, const Matrix<double>& scores) {
  const Matrix<double> some = scores.topRows(std::min<Index>(8, scores.rows())), turned = -some;
  const auto rows = [](const Matrix<double>& m) {
    return Samples<double>::borrow(m.data(), m.rows(), m.cols(), m.cols());
  };
  const Matrix<double> k = gram<double>(kernel, rows(some), rows(some)),
                       other = gram<double>(kernel, rows(turned), rows(some));
  return k.allFinite() && k.norm() > 0 && (k + other).norm() <= 1e-12 * k.norm();
}

Kernel kernel_between_scores(const Kernel& kernel, const Matrix<double>& values, bool free,
                             std::uint64_t seed) {
  const auto scores = Samples<double>::borrow(values.data(), values.rows(), values.cols(), values.cols());
  if (primitives_of(kernel).has(Primitive::chi2) || has_user_part(kernel) || (free && is_odd(kernel, values)))
    return Kernel::rbf(Gamma::median()).resolved(scores, seed);
  return kernel;
}

class Ridge final : public PreimageSolver {
 public:
  Ridge(const Expansion& space, const PreimageOptions& options, const Run& run)
      : space_(space), scores_(space.at_points.rowwise() - space.offset.transpose()) {
    const auto rows = borrowed(scores_, scores_.cols());
    if (scores_.cols() == 0) return;
    const bool free = options.ridge == 0 || options.method == PreimageMethod::automatic;
    kernel_ = kernel_between_scores(space.kernel, scores_, free, run.seed);
    const Matrix<double> k = gram<double>(kernel_, rows, run);
    coefficients_ = options.ridge > 0 ? with_ridge(k, options.ridge) : with_best_ridge(k);
    non_negative_ = primitives_of(space.kernel).has(Primitive::chi2);
  }

  Index solve(const MatrixView<double>& scores, const Matrix<double>&, Matrix<double>& out) const override {
    if (scores_.cols() == 0) {
      out.rowwise() = space_.points.colwise().mean();
      return 0;
    }
    // Fewer scores than the map was learned on: the others are at their mean.
    Matrix<double> full = Matrix<double>::Zero(scores.rows(), scores_.cols());
    full.leftCols(scores.cols()) = scores;
    const KernelTiles<double> tiles(kernel_, borrowed(full, full.cols()), borrowed(scores_, scores_.cols()));
    Matrix<double> k(full.rows(), scores_.rows());
    tiles.evaluate(0, k.rows(), 0, k.cols(), k.data());
    out = product(k, coefficients_);
    if (non_negative_) out = out.cwiseMax(0.0);  // χ² compares histograms
    return 0;
  }

  [[nodiscard]] Matrix<double> ridge_coefficients() const override { return coefficients_; }

 private:
  static Samples<double> borrowed(const Matrix<double>& m, Index stride) {
    return Samples<double>::borrow(m.data(), m.rows(), m.cols(), stride);
  }

  Matrix<double> with_ridge(const Matrix<double>& k, double ridge) const {
    const Index n = k.rows();
    Block<double> factor = k;
    factor.diagonal().array() += ridge;
    if (linalg::cholesky(factor) < n)
      throw Error(ErrorCode::not_psd,
                  fmt::format("kernel {} between scores is not positive definite with a ridge of {}",
                              kernel_.to_string(), ridge),
                  "choose a larger ridge");
    Block<double> x = space_.points;
    linalg::solve_lower<double>(linalg::Transpose::no, n, x.cols(), factor.data(), n, x.data(), n);
    linalg::solve_lower<double>(linalg::Transpose::yes, n, x.cols(), factor.data(), n, x.data(), n);
    return x;
  }

  Matrix<double> with_best_ridge(const Matrix<double>& k) const {
    Block<double> vectors = k;
    Vector<double> values;
    linalg::syevd(vectors, values);
    const Matrix<double> q = vectors, turned = product(Matrix<double>(q.transpose()), space_.points);
    const Matrix<double> squares = q.cwiseAbs2();
    const double size = std::max(values.cwiseAbs().maxCoeff(), std::numeric_limits<double>::min());
    double best_error = std::numeric_limits<double>::infinity();
    Matrix<double> best;
    for (double ridge = 1e-10 * size; ridge < 2 * size; ridge *= 10) {
      const Vector<double> weight = (values.cwiseMax(0.0).array() + ridge).inverse();
      const Matrix<double> dual = product(q, weight.asDiagonal() * turned);
      const Vector<double> diagonal = squares * weight;
      const double error = (diagonal.cwiseInverse().asDiagonal() * dual).squaredNorm();
      if (error < best_error) {
        best_error = error;
        best = dual;
      }
    }
    return best;
  }

  const Expansion& space_;
  Matrix<double> scores_;  ///< of the training points
  Kernel kernel_;
  Matrix<double> coefficients_;  ///< A, n x d
  bool non_negative_ = false;
};

}  // namespace

std::unique_ptr<PreimageSolver> make_ridge(const Expansion& space, const PreimageOptions& options,
                                           const Run& run) {
  return std::make_unique<Ridge>(space, options, run);
}

}  // namespace mercer
