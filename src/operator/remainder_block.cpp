// The block between drawn rows: tiles of its lower half, mirrored; powers by products with a few vectors.
#include "operator/remainder_block.hpp"

#include "base/linalg.hpp"
#include "base/parallel.hpp"
#include "base/random.hpp"
#include "kernel/tiles.hpp"
#include "operator/triangle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {
namespace {

constexpr Index part_side = 256;
constexpr Index fewest_rows = 1024, most_rows = 6144;

}  // namespace

Index remainder_block_rows(Index n, Index rank, double bytes_allowed, double element_bytes) {
  // A quarter of √(n r): the block's m²r flops stay a small part of the fit's n r².
  const double wanted = std::sqrt(double(n) * double(rank)) / 4;
  const auto rows = static_cast<Index>(std::min(std::clamp(wanted, double(fewest_rows), double(most_rows)),
                                                std::sqrt(bytes_allowed / element_bytes)));
  return rows < fewest_rows || rows > n / 8 ? 0 : rows;
}

template <class T>
RemainderBlock<T>::RemainderBlock(const LandmarkBasis<T>& basis, const Samples<T>& points,
                                  const Vector<double>& weights, const Run& run)
    : m_(points.rows()), values_(static_cast<std::size_t>(m_ * m_)) {
  const Index r = basis.rank();
  std::vector<T> features(static_cast<std::size_t>(m_ * r));
  Vector<double> unused(m_);
  basis.evaluate(points, features.data(), unused.data(), unused.data(), run);
  const Vector<T> scale = (weights * double(m_)).cwiseSqrt().cwiseInverse().template cast<T>();
  const KernelTiles<T> tiles(basis.kernel(), points);
  const Index side = (m_ + part_side - 1) / part_side;
  parallel_for(side * (side + 1) / 2, run, [&](Index t) {
    const auto [row, col] = position_of(t);
    const Index i0 = row * part_side, j0 = col * part_side;
    const Index height = std::min(part_side, m_ - i0), width = std::min(part_side, m_ - j0);
    Matrix<T> e(height, width);
    tiles.evaluate(i0, height, j0, width, e.data());
    // Row-major E = K − Φ_I Φ_Jᵀ is column-major Eᵀ.
    linalg::gemm<T>(linalg::Transpose::yes, linalg::Transpose::no, width, height, r, -1,
                    features.data() + j0 * r, std::max<Index>(1, r), features.data() + i0 * r,
                    std::max<Index>(1, r), 1, e.data(), width);
    e = scale.segment(i0, height).asDiagonal() * e * scale.segment(j0, width).asDiagonal();
    Eigen::Map<Matrix<T>> all(values_.data(), m_, m_);
    all.block(i0, j0, height, width) = e;
    all.block(j0, i0, width, height) = e.transpose();
  });
}

template <class T>
double RemainderBlock<T>::log_power_norm(Index steps, Index vectors, const Run& run) const {
  Random random(run.seed, 0x626c6f636bULL);
  Matrix<T> v(m_, vectors), next(m_, vectors);
  for (Index i = 0; i < v.size(); ++i) v.data()[i] = T(random.normal());
  Vector<double> logs = Vector<double>::Zero(vectors);
  const auto normalise = [&](Matrix<T>& block) {
    const Vector<double> norms = block.template cast<double>().colwise().norm();
    logs += norms.array().max(std::numeric_limits<double>::min()).log().matrix();
    for (Index c = 0; c < vectors; ++c)
      if (norms[c] > 0) block.col(c) /= T(norms[c]);
  };
  normalise(v);
  for (Index step = 0; step < steps; ++step) {
    run.check();
    parallel_for((m_ + part_side - 1) / part_side, run, [&](Index part) {
      const Index i0 = part * part_side, rows = std::min(part_side, m_ - i0);
      // Row-major Y = M V is column-major Yᵀ = Vᵀ Mᵀ.
      linalg::gemm<T>(linalg::Transpose::no, linalg::Transpose::no, vectors, rows, m_, 1, v.data(), vectors,
                      values_.data() + i0 * m_, m_, 0, next.data() + i0 * vectors, vectors);
    });
    normalise(next);
    std::swap(v, next);
  }
  // Products round: a share of √m ε of the norm a step, with room to spare.
  const double rounding = 64 * std::sqrt(double(m_)) * double(std::numeric_limits<T>::epsilon());
  return logs.maxCoeff() + double(steps) * rounding;
}

template class RemainderBlock<float>;
template class RemainderBlock<double>;

}  // namespace mercer
