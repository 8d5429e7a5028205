// Sheets and comparisons, compiled once for all maps.
#include "manifold/unrolled.hpp"
#include "decompositions.hpp"

#include "base/random.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mercer::test {

Sheet swiss_roll(Index n, std::uint64_t seed) {
  Random random(seed, 77);
  Sheet out{Matrix<double>(n, 3), Matrix<double>(n, 2)};
  for (Index i = 0; i < n; ++i) {
    const double t = 1.5 * std::numbers::pi * (1 + 2 * random.uniform()), height = 21 * random.uniform();
    out.points.row(i) << t * std::cos(t), height, t * std::sin(t);
    out.flat.row(i) << 0.5 * (t * std::sqrt(1 + t * t) + std::asinh(t)), height;
  }
  return out;
}

Sheet s_curve(Index n, std::uint64_t seed) {
  Random random(seed, 78);
  Sheet out{Matrix<double>(n, 3), Matrix<double>(n, 2)};
  for (Index i = 0; i < n; ++i) {
    const double t = 3 * std::numbers::pi * (random.uniform() - 0.5), height = 2 * random.uniform();
    out.points.row(i) << std::sin(t), height, std::copysign(1.0, t) * (std::cos(t) - 1);
    out.flat.row(i) << t, height;
  }
  return out;
}

double least_r_squared(const Matrix<double>& map, const Matrix<double>& truth) {
  Matrix<double> design(map.rows(), map.cols() + 1);
  design << map, Vector<double>::Ones(map.rows());
  const Matrix<double> left = truth - design * design.colPivHouseholderQr().solve(truth);
  const Matrix<double> about = truth.rowwise() - truth.colwise().mean();
  return 1 - (left.colwise().squaredNorm().array() / about.colwise().squaredNorm().array()).maxCoeff();
}

Matrix<double> laid_upon(const Matrix<double>& map, const Matrix<double>& onto) {
  const Eigen::RowVectorXd from = map.topRows(onto.rows()).colwise().mean(), to = onto.colwise().mean();
  const Matrix<double> a = map.topRows(onto.rows()).rowwise() - from, b = onto.rowwise() - to;
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(a.transpose() * b, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const double scale = svd.singularValues().sum() / a.squaredNorm();
  return (scale * (map.rowwise() - from) * svd.matrixU() * svd.matrixV().transpose()).rowwise() + to;
}

double spacing(const Matrix<double>& map, Index k) {
  double sum = 0;
  for (Index i = 0; i < map.rows(); ++i) {
    std::vector<double> d;
    for (Index j = 0; j < map.rows(); ++j) d.push_back((map.row(i) - map.row(j)).norm());
    std::nth_element(d.begin(), d.begin() + k, d.end());
    sum += d[static_cast<std::size_t>(k)];
  }
  return sum / double(map.rows());
}

}  // namespace mercer::test
