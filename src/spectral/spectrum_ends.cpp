// Three ways to the smallest eigenvalue, by what fits in memory.
#include "spectral/spectrum_ends.hpp"

#include <mercer/error.hpp>
#include <mercer/spectrum.hpp>

#include "base/linalg.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

/// To which the ends are found by products, beside the largest eigenvalue.
constexpr double found_to = 1e-9;
constexpr double chance = 1e-6;
/// The shift grows by this until Cholesky's factor exists.
constexpr double end_growth = 16;

/// (LLᵀ)⁻¹
class FactorInverse final : public SymmetricOperator<double> {
 public:
  explicit FactorInverse(const Block<double>& factor)
      : SymmetricOperator<double>(factor.rows()), factor_(factor) {}

 private:
  void do_apply(const BlockView<double>& v, BlockRef<double> y, const Run&) const override {
    y = v;
    for (const auto side : {linalg::Transpose::no, linalg::Transpose::yes})
      linalg::solve_lower<double>(side, size(), y.cols(), factor_.data(), size(), y.data(), y.outerStride());
  }
  const Block<double>& factor_;
};

EigenRequest one_pair(double tolerance) {
  EigenRequest request;
  request.count = 1;
  request.tolerance = tolerance;
  request.allow_partial = true;  // what is said of the pair is measured afterwards
  request.certify = false;
  return request;
}

}  // namespace

double largest_magnitude(const SymmetricOperator<double>& op, const Run& run) {
  EigenRequest request = one_pair(1e-4);
  request.max_passes = 100;
  double largest = 0;
  for (const End end : {End::largest, End::smallest}) {
    request.end = end;
    largest = std::max(largest, std::abs(eigenpairs<double>(op, request, run).values[0]));
  }
  return largest;
}

SpectrumEnds ends_by_lapack(const Block<double>& matrix, const Run& run) {
  const Spectrum<double> top = dense_eigenpairs<double>(matrix, 1, End::largest, run);
  const Spectrum<double> bottom = dense_eigenpairs<double>(matrix, 1, End::smallest, run);
  SpectrumEnds out;
  out.smallest = bottom.values[0];
  out.vector = bottom.vectors.col(0);
  out.largest = std::max(std::abs(top.values[0]), std::abs(out.smallest));
  out.lower_bound = out.smallest;
  return out;
}

SpectrumEnds ends_by_factor(const Block<double>& matrix, double largest, double tolerance, const Run& run) {
  SpectrumEnds out;
  out.largest = largest;
  double shift = std::max(tolerance, std::numeric_limits<double>::min());
  Block<double> factor;
  for (;; shift *= end_growth) {
    run.check();
    factor = matrix;
    factor.diagonal().array() += shift;
    if (linalg::cholesky(factor) == matrix.rows()) break;
  }
  const Spectrum<double> found = eigenpairs<double>(FactorInverse(factor), one_pair(1e-8), run);
  out.vector = found.vectors.col(0).normalized();
  out.smallest = out.vector.dot(matrix * out.vector);
  out.lower_bound = std::min(-shift, out.smallest);
  return out;
}

SpectrumEnds ends_by_products(const SymmetricOperator<double>& op, bool positive_semidefinite,
                              const Run& run) {
  EigenRequest request = one_pair(found_to);
  request.max_passes = 300;
  request.positive_semidefinite = positive_semidefinite;
  const Spectrum<double> top = eigenpairs<double>(op, request, run);
  request.end = End::smallest;
  request.count = 2;
  request.certify = true;
  request.delta = chance;
  const Spectrum<double> bottom = eigenpairs<double>(op, request, run);
  SpectrumEnds out;
  out.vector = bottom.vectors.col(0).normalized();
  Block<double> image(op.size(), 1);  // an exact product: below 0 it proves, converged or not
  op.apply(Block<double>(out.vector), image, run);
  out.smallest = out.vector.dot(image.col(0));
  out.largest = std::max(std::abs(top.values[0]), std::abs(out.smallest));
  const double missed = std::max(bottom.missed.probable, bottom.missed.rigorous);
  if (bottom.converged && std::isfinite(missed)) {
    const double residual = (image.col(0) - out.smallest * out.vector).norm();
    out.lower_bound = std::min(missed, out.smallest - residual);
    out.delta = chance;
  }
  return out;
}

}  // namespace mercer
