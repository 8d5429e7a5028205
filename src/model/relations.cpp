// min ‖Φ̃u‖/‖u‖ without Φ̃ᵀΦ̃, whose rounding hides what is small, and without Φ̃ itself, whose columns are
// nearly parallel far from the origin. Functions of η = (x − c)/r span the same space where they are all
// monomials up to a degree: φ(x)ᵀu = ψ(η)ᵀe with u = Ne. So Ψ̃ = QR is factored, and ‖Re‖/‖Ne‖ made least:
// with R = WΣVᵀ and y = ΣVᵀe the wanted u are the leading left singular vectors of NVΣ⁻¹, which Jacobi's
// rotations find to their own size. Singular values of R below its rounding are raised to it: a change of R
// no larger than that rounding.
#include "model/relations.hpp"

#include "base/linalg.hpp"
#include "operator/feature_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace mercer {
namespace {

constexpr double rounding_unit = std::numeric_limits<double>::epsilon();

/// The middle of each column and half of its width: of the data's own size wherever it lies.
template <class T>
InputShift middle_of(const Samples<T>& points) {
  constexpr Index rows_at_once = 4096;
  const Index d = points.cols();
  Vector<double> low = Vector<double>::Constant(d, std::numeric_limits<double>::infinity()), high = -low;
  for (Index i = 0; i < points.rows(); i += rows_at_once) {
    const Matrix<T> x = points.dense_rows(i, std::min(rows_at_once, points.rows() - i));
    low = low.cwiseMin(x.colwise().minCoeff().transpose().template cast<double>());
    high = high.cwiseMax(x.colwise().maxCoeff().transpose().template cast<double>());
  }
  InputShift out{low / 2 + high / 2, high / 2 - low / 2};
  for (Index j = 0; j < d; ++j) {
    const double size = std::abs(out.center[j]);
    if (out.radius[j] <= 4 * rounding_unit * size) out.radius[j] = size > 0 ? size : 1;  // a constant column
  }
  return out;
}

/// The problem in the functions that vary: ‖Re‖/‖Ne‖, R's columns of length 1.
struct Pair {
  std::vector<Index> varying;
  Block<double> r, n;
  Vector<double> lengths;  ///< of the columns of R before
  double rounding = 0;     ///< ‖R − exact R‖
};

Pair pair_of(const FeatureMap& map, const Block<double>& r, const Block<double>& n, bool centered,
             Index samples) {
  Pair out;
  for (Index j = 0; j < map.count(); ++j)
    if (!centered || map.degree(j) != 0) out.varying.push_back(j);  // once centred 1 = 1 says nothing
  const auto m = static_cast<Index>(out.varying.size());
  Block<double> columns = r(Eigen::all, out.varying);
  out.r = linalg::qr_triangle<double>(columns);
  out.n = n(out.varying, out.varying);
  out.lengths = out.r.colwise().stableNorm().transpose();
  for (Index j = 0; j < m; ++j)
    if (!(out.lengths[j] > 0)) out.lengths[j] = 1;
  out.r *= out.lengths.cwiseInverse().asDiagonal();
  out.n *= out.lengths.cwiseInverse().asDiagonal();
  // A column of a Householder factor is off by a small multiple of mε of its length, and factors were merged.
  const double merged = std::sqrt(double(samples) / 64);
  out.rounding = (32 + 8 * double(m) + merged) * rounding_unit * std::sqrt(double(m));
  return out;
}

/// e, as columns, by ascending ‖Re‖/‖Ne‖; ‖Ne‖ = 1.
Block<double> solve_pair(const Pair& p) {
  Block<double> v = p.r.transpose();
  Vector<double> sigma;
  linalg::svd(v, sigma);
  if (sigma.size() == 0) return {};
  const double least = sigma[0] > 0 ? rounding_unit * sigma[0] : 1;  // if nothing varies, any e will do
  const Block<double> to_e = v * sigma.cwiseMax(least).cwiseInverse().asDiagonal();
  Block<double> z = p.n * to_e, y;
  Vector<double> values;
  linalg::graded_svd(z, values, y);
  Block<double> e = to_e * y;
  // Orthonormal Ne: what cancels in the last ones is put right by the first. Where nearly all of one cancels,
  // again and again, only rounding is left of it and of those after it.
  constexpr double off = 1e-3;
  Block<double> u = p.n * e;
  for (Index i = 0; i < e.cols(); ++i) {
    bool settled = false;
    for (int pass = 0; pass < 5 && !settled; ++pass) {
      const double size = u.col(i).stableNorm();
      if (!(size > 0)) break;
      if (pass >= 2)  // twice is enough, unless it is never enough
        settled = std::abs(size - 1) <= off && (u.leftCols(i).transpose() * u.col(i)).norm() <= off;
      u.col(i) /= size;
      e.col(i) /= size;
      settled = settled || i == 0;
      if (settled) break;
      const Vector<double> along = u.leftCols(i).transpose() * u.col(i);
      e.col(i) -= e.leftCols(i) * along;
      u.col(i) = p.n * e.col(i);
    }
    if (!settled) return e.leftCols(i);
  }
  return e;
}

/// No eigenvalue but the first `count` is less: on the span of the other e, of which none of length ‖Ne‖ = 1
/// has a smaller ‖Re‖ than (1 − ω)/(1 + τ) lets it have, since with D = diag ‖Re_i‖ both D⁻¹EᵀRᵀRED⁻¹ = I + Ω
/// and EᵀNᵀNE = I + T (Ostrowski). Rounding of R and of Ne is part of ω and τ.
double least_other(const Pair& p, const Block<double>& e, Index count) {
  const Index from = std::min(count, e.cols() - 1), rest = e.cols() - from;
  const Block<double> others = e.rightCols(rest), u = p.n * others, image = p.r * others;
  const Vector<double> sizes = image.colwise().norm().transpose(),
                       lengths = others.colwise().norm().transpose();
  if (!(sizes.minCoeff() > 0)) return 0;
  const Block<double> turned = image * sizes.cwiseInverse().asDiagonal();
  const Block<double> one = Block<double>::Identity(rest, rest);
  const double of_r = p.rounding * lengths.cwiseQuotient(sizes).norm();
  const double of_n = 8 * double(e.rows()) * rounding_unit * (p.n.cwiseAbs() * others.cwiseAbs()).norm();
  const double omega = (turned.transpose() * turned - one).norm() + of_r * (2 + of_r);
  const double tau = (u.transpose() * u - one).norm() + of_n * (2 + of_n);
  const double least = sizes.minCoeff() * sizes.minCoeff();
  return omega < 1 ? least * (1 - omega) / (1 + tau) : 0;
}

}  // namespace

template <class T>
Relations find_relations(const FeatureMap& map, const Samples<T>& points, const Vector<double>& mean,
                         const Vector<double>& sizes, Index count, const Run& run) {
  const bool centered = mean.size() > 0;
  const InputShift shift = middle_of(points);
  const Block<double> back = map.from_shifted(shift);
  if (!back.allFinite())
    throw Error(
        ErrorCode::bad_data,
        fmt::format(
            "the inputs vary by {:.3g} at least and lie at {:.3g} at most: powers of their ratio, or of "
            "one of them, leave the range of numbers",
            shift.radius.minCoeff(), shift.center.cwiseAbs().maxCoeff()),
        "scale the inputs (--scale standardize)");
  const FeatureRows<T> rows(map, points), shifted(map, points, shift);
  const Vector<double> shifted_mean = centered ? shifted.mean(run) : Vector<double>();
  const Pair pair = pair_of(map, shifted.triangle(shifted_mean, run), back, centered, points.rows());
  run.report("eigenvectors", 0);
  const Block<double> all = solve_pair(pair);
  Relations out;
  const auto functions = static_cast<Index>(pair.varying.size());
  out.hidden = std::max<Index>(0, std::min(count, functions) - all.cols());
  out.lost = functions - all.cols();
  count = std::min(count, all.cols());
  Spectrum<double>& s = out.solved.spectrum;
  s.values.resize(count);
  s.residuals.resize(count);
  s.vectors = Block<double>::Zero(map.count(), count);
  out.spans.resize(count);
  out.solved.trace = rows.total(mean, run);
  s.passes = 1;
  if (all.cols() == 0) return out;
  // Of directions that are lost nothing is known, and no eigenvalue of ΦᵀΦ is less than 0.
  s.missed.rigorous = s.missed.probable = out.lost > 0 ? 0 : least_other(pair, all, count);

  Block<double> e = Block<double>::Zero(map.count(), count);
  e(pair.varying, Eigen::all) = pair.lengths.cwiseInverse().asDiagonal() * all.leftCols(count);
  const Block<double> values = shifted.times(shifted_mean, e, run);  // Φ̃u, with digits of its own
  const Vector<double> squares = values.colwise().squaredNorm().transpose();
  std::vector<Index> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), Index(0));
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return squares[a] < squares[b]; });
  const Block<double> images = rows.transposed_times(mean, values, run);       // Φ̃ᵀΦ̃u
  const double n = double(points.rows()), norm = sizes.norm() * std::sqrt(n);  // ‖Φ‖
  for (Index i = 0; i < count; ++i) {
    const Index at = order[static_cast<std::size_t>(i)];
    const Block<double> own = all.col(at), u = pair.n * own;
    s.vectors(pair.varying, i) = u.col(0);
    s.values[i] = squares[at];
    Vector<double> image = images.col(at)(pair.varying);
    image -= squares[at] * u.col(0);
    // What rounding makes of Φ̃u: of u itself, of the functions and of their sums.
    const double of_u = 8 * rounding_unit * std::sqrt(n) *
                        sizes(pair.varying).dot((pair.n.cwiseAbs() * own.cwiseAbs()).col(0));
    const double of_values = of_u + pair.rounding * own.norm() + 64 * rounding_unit * std::sqrt(squares[at]);
    s.residuals[i] = image.norm() + norm * of_values;
    out.spans[i] = own.cwiseAbs().maxCoeff() / std::sqrt(n);
  }
  run.report("eigenvectors", 1);
  return out;
}

template Relations find_relations(const FeatureMap&, const Samples<float>&, const Vector<double>&,
                                  const Vector<double>&, Index, const Run&);
template Relations find_relations(const FeatureMap&, const Samples<double>&, const Vector<double>&,
                                  const Vector<double>&, Index, const Run&);

}  // namespace mercer
