// Eigenpairs of the Nyström approximation, and products with them.
#include "operator/landmark_approximation.hpp"

#include "base/linalg.hpp"
#include "base/parallel.hpp"
#include "kernel/landmarks.hpp"
#include "operator/centered.hpp"
#include "operator/feature_pass.hpp"
#include "operator/pivoted_cholesky.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mercer {
namespace {

constexpr Index product_part = 256;
/// Pivots are chosen among this many points for each of them.
constexpr Index points_a_landmark = 8;
/// Directions with less than this share of the largest value do not help.
constexpr double negligible = 1e-6;

}  // namespace

struct LandmarkApproximation::Landmarks {
  Samples<double> points;
  Block<double> weights;
  Vector<double> values;
};

Index LandmarkApproximation::suggested_rank(Index n, double features) {
  return std::clamp<Index>(static_cast<Index>(std::sqrt(0.1 * double(n) * (2 * features + 190))), 64,
                           std::min<Index>(2000, std::max<Index>(64, n / 8)));
}

double LandmarkApproximation::bytes(Index n, double features, Index rank) {
  const double r = double(rank), sample = double(std::min(n, points_a_landmark * rank));
  const double choosing =
      4 * sample * (r + features) + 4 * double(feature_rows) * r + 4 * double(n) * features;
  return choosing + 40 * r * r;
}

LandmarkApproximation::Landmarks LandmarkApproximation::choose(const Kernel& kernel,
                                                               const Samples<double>& samples, Index rank,
                                                               bool center, const Run& run) {
  // All of this only has to be a good guess: in float.
  const Samples<float> all = samples.template cast<float>();
  const std::vector<Index> some =
      uniform_rows(samples.rows(), points_a_landmark * rank, run.seed, 0x6c616e64ULL);
  const Samples<float> sample = all.select_rows(some);
  std::vector<Index> chosen;
  {
    const PivotedCholesky<float> cholesky(kernel, sample, {.max_rank = rank, .tolerance = 1e-6}, run);
    for (const Index p : cholesky.pivots()) chosen.push_back(some[static_cast<std::size_t>(p)]);
  }
  const IndependentLandmarks independent =
      independent_landmarks<float>(kernel, all.select_rows(chosen), Block<double>(0, 0), run);
  std::vector<Index> kept;
  for (const Index i : independent.kept) kept.push_back(chosen[static_cast<std::size_t>(i)]);

  const LandmarkBasis<float> basis(kernel, all.select_rows(kept), independent.factor);
  FeaturePass<float> pass(basis, center, cheaper_pass(basis, all, center, all.rows(), run));
  pass.add(all, run);
  Block<double> vectors = pass.moments(run).scatter;
  Vector<double> ascending;
  linalg::syevd(vectors, ascending);

  // u with σ > 0, largest first; U = H K_nS L⁻ᵀ u / √σ
  const Index r = ascending.size();
  Index useful = 0;
  while (useful < r && ascending[r - 1 - useful] > negligible * ascending[r - 1]) ++useful;
  Landmarks out;
  out.points = samples.select_rows(kept);
  out.values = ascending.tail(useful).reverse();
  out.weights = vectors.rightCols(useful).rowwise().reverse();
  if (useful > 0)
    linalg::solve_lower<double>(linalg::Transpose::yes, r, useful, independent.factor.data(), r,
                                out.weights.data(), r);
  for (Index j = 0; j < useful; ++j) out.weights.col(j) /= std::sqrt(out.values[j]);
  return out;
}

LandmarkApproximation::LandmarkApproximation(const Kernel& kernel, const Samples<double>& samples, Index rank,
                                             bool center, const Run& run)
    : LandmarkApproximation(kernel, samples, choose(kernel, samples, rank, center, run), center) {}

LandmarkApproximation::LandmarkApproximation(const Kernel& kernel, const Samples<double>& samples,
                                             Landmarks landmarks, bool center)
    : tiles_(kernel, samples, landmarks.points),
      weights_(std::move(landmarks.weights)),
      values_(std::move(landmarks.values)),
      center_(center) {}

Block<double> LandmarkApproximation::project(const BlockView<double>& x, const Run& run) const {
  const Index n = size(), r = weights_.rows(), b = x.cols(),
              parts = std::min<Index>(16, (n + product_part - 1) / product_part);
  Vector<double> means = Vector<double>::Zero(b);
  if (center_) means = x.colwise().mean();
  // K_Sn H X, in parts that are added in order
  std::vector<Block<double>> sums(static_cast<std::size_t>(parts), Block<double>::Zero(r, b));
  parallel_for(parts, run, [&](Index part) {
    std::vector<double> tile(static_cast<std::size_t>(product_part * r));
    Block<double> centered(product_part, b);
    Block<double>& sum = sums[static_cast<std::size_t>(part)];
    for (Index i0 = n * part / parts; i0 < n * (part + 1) / parts; i0 += product_part) {
      run.check();
      const Index rows = std::min(product_part, n * (part + 1) / parts - i0);
      tiles_.evaluate(i0, rows, 0, r, tile.data());  // row-major: r x rows in columns
      centered.topRows(rows) = x.middleRows(i0, rows).rowwise() - means.transpose();
      linalg::gemm<double>(linalg::Transpose::no, linalg::Transpose::no, r, b, rows, 1, tile.data(), r,
                           centered.data(), product_part, 1, sum.data(), r);
    }
  });
  for (std::size_t i = 1; i < sums.size(); ++i) sums[0] += sums[i];
  return linalg::transposed_times<double>(weights_, sums[0]);
}

Block<double> LandmarkApproximation::expand(const BlockView<double>& coefficients, const Run& run) const {
  Block<double> out = Block<double>::Zero(size(), coefficients.cols());
  add_expanded(coefficients, out, run);
  return out;
}

void LandmarkApproximation::add_expanded(const BlockView<double>& coefficients, BlockRef<double> out,
                                         const Run& run) const {
  const Index n = size(), r = weights_.rows(), b = coefficients.cols();
  Block<double> weights = Block<double>::Zero(r, b);
  linalg::add_product<double>(1, weights_.leftCols(coefficients.rows()), coefficients, weights);
  parallel_for((n + product_part - 1) / product_part, run, [&](Index part) {
    const Index i0 = part * product_part, rows = std::min(product_part, n - i0);
    std::vector<double> tile(static_cast<std::size_t>(rows * r));
    tiles_.evaluate(i0, rows, 0, r, tile.data());
    linalg::gemm<double>(linalg::Transpose::yes, linalg::Transpose::no, rows, b, r, 1, tile.data(), r,
                         weights.data(), r, 1, out.data() + i0, out.outerStride());
  });
  if (center_) subtract_column_means<double>(out);
}

}  // namespace mercer
