// Rayleigh-Ritz on [V Y W], where A V is exact and W are residuals.
#include "spectral/refine.hpp"

#include "base/linalg.hpp"
#include "spectral/orthonormal.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace mercer {
namespace {

/// c += a b
template <class T>
void add(const BlockView<T>& a, const Block<double>& b, Block<T>& c) {
  linalg::add_product<T>(1, a, b.cast<T>().eval(), c);
}

template <class T>
Block<T> product(const BlockView<T>& a, const Block<double>& b) {
  Block<T> c = Block<T>::Zero(a.rows(), b.cols());
  add<T>(a, b, c);
  return c;
}

template <class T>
Block<double> transposed(const BlockView<T>& a, const BlockView<T>& b) {
  return linalg::transposed_times<T>(a, b).template cast<double>();
}

template <class T>
Block<T> columns_of(const Block<T>& block, const std::vector<Index>& which) {
  Block<T> out(block.rows(), static_cast<Index>(which.size()));
  for (Index c = 0; c < out.cols(); ++c) out.col(c) = block.col(which[static_cast<std::size_t>(c)]);
  return out;
}

}  // namespace

template <class T>
Refined<T> refine(const SymmetricOperator<T>& op, T sign, RoughRitz<T> rough, double target, Random& random,
                  const Run& run) {
  const Index n = op.size(), k = rough.wanted, m = rough.values.size();
  Block<T>& basis = rough.basis;
  const Index most = std::min(basis.cols(), m + refine_rounds * k);
  const auto passes = [](Index columns) { return (columns + 7) / 8; };
  Refined<T> out;

  // Y is never written down: Y c = Q (S_Y c).
  const BlockView<T> q = basis.leftCols(m);
  const Block<double> to_y = rough.rotation.rightCols(m - k);
  const Block<T> v = product<T>(q, rough.rotation.leftCols(k));
  Block<T> exact(n, k);  // G = A V
  op.apply(v, exact, run);
  if (sign < 0) exact = -exact;
  out.passes += passes(k);

  Block<double> projected = Block<double>::Zero(most, most);
  projected.diagonal().head(m) = rough.values;
  const Block<double> first = rough.rotation.transpose() * transposed<T>(q, exact);  // [V Y]ᵀAV
  projected.topLeftCorner(m, k) = first;
  projected.topLeftCorner(k, m) = first.transpose();
  projected.topLeftCorner(k, k) = (first.topRows(k) + first.topRows(k).transpose()) / 2;

  Block<T> images(n, most - m);  // A W, roughly
  for (Index size = k;;) {       // V alone at first: it may be good enough
    run.check();
    Block<double> s = projected.topLeftCorner(size, size);
    Vector<double> theta;
    Block<double> top;
    linalg::syevr(s, size - k, size - 1, theta, top);
    const Block<double> wanted = top.rowwise().reverse();
    out.values = theta.reverse();
    // V' = V s_V + Y s_Y + W s_W;  A V' = G s_V + (Y Θ + F C_Y) s_Y + (A W) s_W;  R = A V' − V' Θ'
    out.vectors = product<T>(v, wanted.topRows(k));
    Block<T> residual = product<T>(exact, wanted.topRows(k));
    if (size > k) {
      const Block<double> of_y = wanted.middleRows(k, m - k);
      add<T>(q, to_y * of_y, out.vectors);
      add<T>(q, to_y * (rough.values.tail(m - k).asDiagonal() * of_y), residual);
      add<T>(rough.frontier, rough.coupling.rightCols(m - k) * of_y, residual);
    }
    if (size > m) {
      add<T>(basis.middleCols(m, size - m), wanted.bottomRows(size - m), out.vectors);
      add<T>(images.leftCols(size - m), wanted.bottomRows(size - m), residual);
    }
    residual -= out.vectors * out.values.template cast<T>().asDiagonal();
    out.residuals = residual.template cast<double>().colwise().norm();

    // The residuals that are too large join the basis.
    std::vector<Index> open;
    for (Index c = 0; c < k; ++c)
      if (out.residuals[c] > 0.7 * target) open.push_back(c);
    const bool done = out.residuals.maxCoeff() <= target;
    // What multiplies V is exact; the error of the other images counts with their share.
    Vector<double> allowance = Vector<double>::Zero(k);
    if (size > k)
      allowance =
          4 * std::sqrt(double(size - k)) * rough.error * wanted.bottomRows(size - k).colwise().norm();
    out.measured = allowance.maxCoeff() <= 0.05 * target;
    out.residuals += allowance;
    if (done || std::max(size, m) + static_cast<Index>(open.size()) > most) {
      open.resize(static_cast<std::size_t>(std::min<Index>(k, 8)));  // of the last: they converge last
      for (std::size_t c = 0; c < open.size(); ++c) open[c] = k - 1 - static_cast<Index>(c);
      out.directions = columns_of<T>(residual, open);
      orthonormalize<T>(out.vectors, out.directions, std::numeric_limits<double>::min(), random);
      return out;
    }
    Block<T> w = columns_of<T>(residual, open);
    const Index more = w.cols();
    size = std::max(size, m);  // from here on with all that the rough space holds
    orthonormalize<T>(basis.leftCols(size), w, std::numeric_limits<double>::min(), random);
    basis.middleCols(size, more) = w;
    BlockRef<T> image = images.middleCols(size - m, more);
    op.apply_roughly(w, image, run);
    if (sign < 0) image = -image;
    out.passes += passes(more);
    Block<double> column(size + more, more);  // [V Y W]ᵀ A w
    column.topRows(k) = transposed<T>(exact, w);
    column.middleRows(k, m - k) =
        rough.coupling.rightCols(m - k).transpose() * transposed<T>(rough.frontier, w);
    if (size > m) column.middleRows(m, size - m) = transposed<T>(images.leftCols(size - m), w);
    const Block<double> corner = transposed<T>(w, image);
    column.bottomRows(more) = (corner + corner.transpose()) / 2;
    projected.block(0, size, size + more, more) = column;
    projected.block(size, 0, more, size + more) = column.transpose();
    size += more;
  }
}

template <class T>
Refined<T> exact_ritz(const SymmetricOperator<T>& op, T sign, const BlockView<T>& vectors, double target,
                      Index fewest, Index most, Random& random, const Run& run) {
  const Index k = vectors.cols();
  Block<T> image(op.size(), k);
  op.apply(vectors, image, run);
  if (sign < 0) image = -image;
  Block<double> s = transposed<T>(vectors, image);
  s = ((s + s.transpose()) / 2).eval();
  Vector<double> theta;
  linalg::syevd(s, theta);
  const Block<double> rotation = s.rowwise().reverse();
  Refined<T> out;
  out.passes = (k + 7) / 8;
  out.values = theta.reverse();
  out.vectors = product<T>(vectors, rotation);
  Block<T> residual = product<T>(image, rotation);
  residual -= out.vectors * out.values.template cast<T>().asDiagonal();
  out.residuals = residual.template cast<double>().colwise().norm();
  out.measured = true;

  std::vector<Index> order(static_cast<std::size_t>(k));
  std::iota(order.begin(), order.end(), Index(0));
  std::sort(order.begin(), order.end(),
            [&](Index a, Index b) { return out.residuals[a] > out.residuals[b]; });
  const Index open = (out.residuals.array() > target / 4).count();
  order.resize(static_cast<std::size_t>(std::min(k, std::clamp(open, fewest, std::max(fewest, most)))));
  out.directions = columns_of<T>(residual, order);
  orthonormalize<T>(out.vectors, out.directions, std::numeric_limits<double>::min(), random);
  return out;
}

template Refined<float> exact_ritz(const SymmetricOperator<float>&, float, const BlockView<float>&, double,
                                   Index, Index, Random&, const Run&);
template Refined<double> exact_ritz(const SymmetricOperator<double>&, double, const BlockView<double>&,
                                    double, Index, Index, Random&, const Run&);
template Refined<float> refine(const SymmetricOperator<float>&, float, RoughRitz<float>, double, Random&,
                               const Run&);
template Refined<double> refine(const SymmetricOperator<double>&, double, RoughRitz<double>, double, Random&,
                                const Run&);

}  // namespace mercer
