// Held-out errors: kernel PCA of sub-matrices of K, and the way back by kernel ridge regression between
// scores with rbf(gamma=median) and the ridge of least leave-one-out error: one map for all kernels, so that
// their errors compare the scores and not the maps.
#include "model/held_out.hpp"

#include "base/linalg.hpp"
#include "base/parallel.hpp"

#include <mercer/kernel.hpp>
#include <mercer/spectrum.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {
namespace {

struct FoldScores {
  Matrix<double> train, test;
};

/// K̃ v = θ v on the training block; scores √θ v, and Σ_j α_j k(x, x_j) − offset for the others.
FoldScores scores_of(const Matrix<double>& k_train, const Matrix<double>& k_test, Index components,
                     const Run& run) {
  const Index n = k_train.rows();
  const Vector<double> means = k_train.rowwise().mean();
  Block<double> centred = k_train;
  centred.colwise() -= means;
  centred.rowwise() -= (means.array() - means.mean()).matrix().transpose();
  const double trace = centred.trace();
  Spectrum<double> s =
      dense_eigenpairs<double>(std::move(centred), std::min(components, n), End::largest, run);
  Index kept = 0;
  while (kept < s.values.size() && s.values[kept] > 1e-12 * std::max(trace, 0.0)) ++kept;
  if (kept == 0) return {Matrix<double>::Zero(n, 1), Matrix<double>::Zero(k_test.rows(), 1)};
  const Vector<double> roots = s.values.head(kept).cwiseSqrt();
  Block<double> v = s.vectors.leftCols(kept);
  v.rowwise() -= v.colwise().mean().eval();
  const Block<double> alpha = v * roots.cwiseInverse().asDiagonal();
  Matrix<double> test = k_test * alpha;
  test.rowwise() -= (means.transpose() * alpha).eval();
  return {v * roots.asDiagonal(), std::move(test)};
}

Matrix<double> squared_distances(const Matrix<double>& a, const Matrix<double>& b) {
  Matrix<double> out = -2 * a * b.transpose();
  out.colwise() += a.rowwise().squaredNorm().eval();
  out.rowwise() += b.rowwise().squaredNorm().transpose().eval();
  return out.cwiseMax(0.0);
}

/// rbf(gamma=median) of squared distances, gamma from the first.
double median_gamma(const Matrix<double>& d) {
  std::vector<double> values;
  for (Index i = 0; i < d.rows(); ++i)
    for (Index j = 0; j < i; ++j) values.push_back(d(i, j));
  if (values.empty()) return 1;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle > 0 ? 1 / (2 * *middle) : 1;
}

/// The held-out rows of x as the learned map predicts them from their scores; x about its training mean.
Matrix<double> come_back(const Matrix<double>& train_distances, const Matrix<double>& test_distances,
                         const Matrix<double>& x) {
  const double gamma = median_gamma(train_distances);
  Block<double> q = (-gamma * train_distances).array().exp().matrix();
  Vector<double> values;
  linalg::syevd(q, values);
  const Block<double> turned = q.transpose() * x, squares = q.cwiseAbs2();
  double best = std::numeric_limits<double>::infinity();
  Block<double> dual = Block<double>::Zero(x.rows(), x.cols());
  for (double ridge = 1e-8 * double(x.rows()); ridge < 2 * double(x.rows()); ridge *= 10) {
    const Vector<double> weight = (values.cwiseMax(0.0).array() + ridge).inverse();
    const Block<double> now = q * (weight.asDiagonal() * turned);
    const Vector<double> diagonal = squares * weight;
    const double error = (diagonal.cwiseInverse().asDiagonal() * now).squaredNorm();  // leave-one-out
    if (error < best) {
      best = error;
      dual = now;
    }
  }
  return (-gamma * test_distances).array().exp().matrix() * dual;
}

Index right_neighbours(const Matrix<double>& distances, const std::vector<std::int32_t>& train,
                       const std::vector<std::int32_t>& test) {
  const Index near = std::min<Index>(5, distances.cols());
  Index right = 0;
  std::vector<Index> order(static_cast<std::size_t>(distances.cols()));
  for (Index i = 0; i < distances.rows(); ++i) {
    for (std::size_t j = 0; j < order.size(); ++j) order[j] = static_cast<Index>(j);
    std::partial_sort(order.begin(), order.begin() + near, order.end(), [&](Index a, Index b) {
      return distances(i, a) != distances(i, b) ? distances(i, a) < distances(i, b) : a < b;
    });
    std::int32_t winner = -1;
    Index votes = 0;
    for (Index a = 0; a < near; ++a) {  // the nearest of the most frequent
      const std::int32_t code = train[static_cast<std::size_t>(order[static_cast<std::size_t>(a)])];
      Index same = 0;
      for (Index b = 0; b < near; ++b)
        same += train[static_cast<std::size_t>(order[static_cast<std::size_t>(b)])] == code;
      if (same > votes) {
        votes = same;
        winner = code;
      }
    }
    right += winner == test[static_cast<std::size_t>(i)];
  }
  return right;
}

struct FoldResult {
  double squares = 0, total = 0;
  Index right = 0;
};

}  // namespace

HeldOut held_out_errors(const Matrix<double>& k, const Matrix<double>& x,
                        const std::vector<std::int32_t>& codes, const std::vector<Index>& fold, Index folds,
                        Index components, const Run& run) {
  std::vector<FoldResult> results(static_cast<std::size_t>(folds));
  parallel_for(folds, run, [&](Index f) {
    std::vector<Index> train, test;
    for (std::size_t i = 0; i < fold.size(); ++i)
      (fold[i] == f ? test : train).push_back(static_cast<Index>(i));
    Matrix<double> x_train = x(train, Eigen::all), x_test = x(test, Eigen::all);
    const Vector<double> mean = x_train.colwise().mean().transpose();
    x_train.rowwise() -= mean.transpose();
    x_test.rowwise() -= mean.transpose();
    const FoldScores z = scores_of(k(train, train), k(test, train), components, Run{.threads = 1});
    const Matrix<double> between = squared_distances(z.test, z.train);
    FoldResult& result = results[static_cast<std::size_t>(f)];
    result.squares =
        (x_test - come_back(squared_distances(z.train, z.train), between, x_train)).squaredNorm();
    result.total = x_test.squaredNorm();
    if (codes.empty()) return;
    std::vector<std::int32_t> known, wanted;
    for (const Index i : train) known.push_back(codes[static_cast<std::size_t>(i)]);
    for (const Index i : test) wanted.push_back(codes[static_cast<std::size_t>(i)]);
    result.right = right_neighbours(between, known, wanted);
  });
  HeldOut out;
  double squares = 0, total = 0, mean = 0, variance = 0;
  Index right = 0;
  std::vector<double> shares;
  for (const FoldResult& r : results) {
    squares += r.squares;
    total += r.total;
    right += r.right;
    shares.push_back(r.total > 0 ? r.squares / r.total : 0);
    mean += shares.back() / double(folds);
  }
  for (const double s : shares) variance += (s - mean) * (s - mean) / double(folds);
  out.error = total > 0 ? squares / total : 0;
  out.spread = std::sqrt(variance);
  out.accuracy = double(right) / double(fold.size());
  return out;
}

}  // namespace mercer
