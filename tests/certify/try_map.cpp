// Maps of a neighbourhood graph on trial: neighbours by their distances, then the spectrum of the matrix that
// the graph defines, made anew in long double.
#include "trial.hpp"

#include <mercer/isomap.hpp>
#include <mercer/laplacian.hpp>
#include <mercer/lle.hpp>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include <cmath>

namespace certify {
namespace {

using mercer::Index;
using mercer::Matrix;
using mercer::NeighborGraph;
using mercer::Samples;
using Columns = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

/// Each list holds the nearest points: none that is not in it is nearer than the furthest that is.
void check_neighbors(Outcome& out, const NeighborGraph& graph, const RealMatrix& x, Real unit) {
  if (graph.size() != x.rows()) return;
  const Real reach = x.rowwise().norm().maxCoeff();
  for (Index i = 0; i < graph.size(); ++i) {
    const auto list = graph.lists().neighbors(i);
    const auto count = std::min<std::size_t>(list.size(), std::size_t(graph.options().count));
    std::vector<Real> all;
    for (Index j = 0; j < x.rows(); ++j)
      if (j != i) all.push_back((x.row(i) - x.row(j)).norm());
    std::sort(all.begin(), all.end());
    for (std::size_t p = 0; p < count; ++p) {
      const Real own = (x.row(i) - x.row(list[p])).norm();
      const Real slack = 64 * unit * (own + unit * reach) + unit * reach * Real(4);
      out.within("neighbours are the nearest points", std::abs(own - all[p]), slack);
      out.within("distances to neighbours are right", std::abs(own - Real(graph.lists().distances(i)[p])),
                 slack);
    }
  }
}

RealMatrix links_of(const NeighborGraph& graph) {
  const auto sparse = graph.symmetric();
  RealMatrix out = RealMatrix::Constant(graph.size(), graph.size(), -1);  // −1: no link
  for (Index i = 0; i < sparse.outerSize(); ++i)
    for (mercer::SparseMatrix<double>::InnerIterator e(sparse, i); e; ++e) out(e.row(), e.col()) = e.value();
  return out;
}

/// Floyd and Warshall, then −½HD²H.
RealMatrix path_kernel(const RealMatrix& links) {
  const Index n = links.rows();
  RealMatrix d = links;
  for (Index i = 0; i < n * n; ++i)
    if (d.data()[i] < 0) d.data()[i] = std::numeric_limits<Real>::infinity();
  d.diagonal().setZero();
  for (Index k = 0; k < n; ++k)
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) d(i, j) = std::min(d(i, j), d(i, k) + d(k, j));
  RealMatrix s = -0.5L * d.cwiseProduct(d);
  const RealVector means = s.rowwise().mean();
  const Real whole = means.mean();
  s.colwise() -= means;
  s.rowwise() -= means.transpose();
  s.array() += whole;
  return s;
}

/// D − W or I − D^−½WD^−½. Links weigh 1, or exp(−length²/t), t the mean square of the lengths, but no less
/// than 1e-9; a diffusion map divides by the density to a power first.
RealMatrix laplacian(const RealMatrix& links, const FitCase& c, RealVector& degrees) {
  const auto linked = links.array() >= 0;
  RealMatrix w = linked.cast<Real>();
  w.diagonal().setZero();
  if (c.heat) {
    const RealMatrix squares = w.cwiseProduct(links.cwiseAbs2());
    const Real mean = w.sum() > 0 ? squares.sum() / w.sum() : 0, heat = mean > 0 ? mean : 1;
    w = w.cwiseProduct((-squares.array() / heat).exp().max(1e-9L).matrix());
  }
  degrees = w.rowwise().sum();
  if (c.diffusion >= 0 && c.density > 0) {
    const RealVector share = degrees.array().pow(-Real(c.density));
    w = (share.asDiagonal() * w * share.asDiagonal()).eval();
    degrees = w.rowwise().sum();
  }
  RealMatrix l = -w;
  l.diagonal() += degrees;
  if (c.variant == "unnormalized") return l;
  const RealVector root = degrees.cwiseSqrt().cwiseInverse();
  return root.asDiagonal() * l * root.asDiagonal();
}

/// The neighbours of a point as seen from it, one a row.
RealMatrix differences(const RealMatrix& x, const NeighborGraph& graph, Index i) {
  const auto list = graph.lists().neighbors(i);
  RealMatrix z(Index(list.size()), x.cols());
  for (Index a = 0; a < z.rows(); ++a) z.row(a) = x.row(list[std::size_t(a)]) - x.row(i);
  return z;
}

/// Barycentric weights, regularised by a thousandth of the local trace.
RealVector barycentric(const RealMatrix& z) {
  Columns gram = z * z.transpose();
  const Real trace = gram.trace();
  gram.diagonal().array() += trace > 0 ? 1e-3L * trace : 1e-3L;
  const RealVector w = gram.llt().solve(RealVector::Ones(z.rows()));
  return w / w.sum();
}

/// (I − W)ᵀ(I − W)
RealMatrix lle_matrix(const RealMatrix& x, const NeighborGraph& graph) {
  const Index n = graph.size();
  RealMatrix i_minus_w = RealMatrix::Identity(n, n);
  for (Index i = 0; i < n; ++i) {
    const auto list = graph.lists().neighbors(i);
    const RealVector w = barycentric(differences(x, graph, i));
    for (Index a = 0; a < w.size(); ++a) i_minus_w(i, list[std::size_t(a)]) -= w[a];
  }
  return i_minus_w.transpose() * i_minus_w;
}

/// A matrix of neighbourhoods, and how far the choices in it are from others: below 1e-6 rounding may make
/// them.
struct LocalMatrix {
  RealMatrix matrix;
  Real gap = 1;
};

/// Of modified LLE. With P the projection on the s flattest directions of a neighbourhood, p = P1,
/// α = ‖p‖/√s and w the barycentric weights, its s columns of weights W are any with
/// WWᵀ = P + (1/α − 1)(pwᵀ + wpᵀ) + (1 − α)²s wwᵀ and W1 = p/α + (1 − α)s w.
LocalMatrix modified_matrix(const RealMatrix& x, const NeighborGraph& graph, Index components) {
  const Index n = graph.size();
  std::vector<Eigen::SelfAdjointEigenSolver<Columns>> local;
  std::vector<Real> shares;  // of the small eigenvalues beside the large ones
  for (Index i = 0; i < n; ++i) {
    const RealMatrix z = differences(x, graph, i);
    local.emplace_back(Columns(z * z.transpose()));
    const RealVector values = local.back().eigenvalues().reverse();
    const Real large = values.head(components).sum();
    shares.push_back(large > 0 ? values.tail(values.size() - components).sum() / large : 0);
  }
  std::vector<Real> sorted = shares;
  std::sort(sorted.begin(), sorted.end());
  const auto half = std::size_t(n / 2);
  const Real eta = n % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  LocalMatrix out{RealMatrix::Zero(n, n)};
  for (Index i = 0; i < n; ++i) {
    const auto list = graph.lists().neighbors(i);
    const RealVector values = local[std::size_t(i)].eigenvalues().reverse();
    const Index k = values.size(), rank = std::min(k, x.cols());
    if (!(values[0] > 0)) out.gap = 0;  // the neighbours are one point: any directions are flat
    Index s = k - rank;
    for (Index large = 1; large < rank; ++large) {
      const Real ratio = values.head(rank).sum() / values.head(large).sum() - 1;
      s += ratio < eta;
      out.gap = std::min(out.gap, std::abs(ratio - eta) / (1 + eta));
    }
    s = std::max<Index>(1, s);
    if (s < k) out.gap = std::min(out.gap, (values[k - s - 1] - values[k - s]) / values[0]);
    const Columns v = local[std::size_t(i)].eigenvectors().leftCols(s);
    const RealVector p = v * v.colwise().sum().transpose(), w = barycentric(differences(x, graph, i));
    const Real alpha = p.norm() / std::sqrt(Real(s)), rest = 1 - alpha;
    out.gap = std::min(out.gap, alpha * alpha);
    const RealVector sums = p / alpha + rest * Real(s) * w;
    const Columns block = v * v.transpose() + (1 / alpha - 1) * (p * w.transpose() + w * p.transpose()) +
                          rest * rest * Real(s) * w * w.transpose();
    for (Index a = 0; a < k; ++a) {
      const auto row = list[std::size_t(a)];
      for (Index b = 0; b < k; ++b) out.matrix(row, list[std::size_t(b)]) += block(a, b);
      out.matrix(row, i) -= sums[a];
      out.matrix(i, row) -= sums[a];
    }
    out.matrix(i, i) += Real(s);
  }
  return out;
}

/// Of Hessian LLE with all that is not linear: the projections away from constants and the tangent space,
/// summed over the neighbourhoods. The gap is that between what is tangent and what is not.
LocalMatrix hessian_matrix(const RealMatrix& x, const NeighborGraph& graph, Index tangent) {
  const Index n = graph.size();
  std::vector<bool> is_neighbor(std::size_t(n), false);
  for (Index i = 0; i < n; ++i)
    for (const auto j : graph.lists().neighbors(i)) is_neighbor[std::size_t(j)] = true;
  LocalMatrix out{RealMatrix::Zero(n, n)};
  for (Index i = 0; i < n; ++i) {
    std::vector<Index> members(graph.lists().neighbors(i).begin(), graph.lists().neighbors(i).end());
    if (!is_neighbor[std::size_t(i)]) members.push_back(i);
    const auto k = Index(members.size());
    RealMatrix z(k, x.cols());
    for (Index a = 0; a < k; ++a) z.row(a) = x.row(members[std::size_t(a)]);
    z = centered_columns(std::move(z), true);
    const Eigen::SelfAdjointEigenSolver<Columns> solver(Columns(z * z.transpose()));
    const auto& values = solver.eigenvalues();
    const Columns u = solver.eigenvectors().rightCols(tangent);
    const Real next = values[k - 1] > 0 ? (values[k - tangent] - values[k - tangent - 1]) / values[k - 1] : 0;
    out.gap = std::min(out.gap, next);
    const Columns rest = Columns::Identity(k, k) - u * u.transpose() - Columns::Constant(k, k, 1 / Real(k));
    for (Index a = 0; a < k; ++a)
      for (Index b = 0; b < k; ++b)
        out.matrix(members[std::size_t(a)], members[std::size_t(b)]) += rest(a, b);
  }
  return out;
}

/// The smallest end beyond the null vector, which is sent to the other end.
Truth bottom_truth(RealMatrix m, RealVector null) {
  null /= null.norm();
  const Real trace = m.trace(), far = 2 * m.cwiseAbs().rowwise().sum().maxCoeff();
  m += far * null * null.transpose();
  Truth truth = eigenvalues_of(std::move(m));
  truth.trace = truth.raw_trace = trace;
  return truth;
}

/// The top of the walk I − L in place of the bottom of L, the null vector of L again at the far end.
Truth walk_truth(const RealMatrix& l, RealVector null) {
  null /= null.norm();
  const Index n = l.rows();
  RealMatrix m = RealMatrix::Identity(n, n) - l;
  const Real trace = m.trace(), far = 2 * m.cwiseAbs().rowwise().sum().maxCoeff();
  m -= far * null * null.transpose();
  Truth truth = eigenvalues_of(std::move(m));
  truth.trace = truth.raw_trace = trace;
  return truth;
}

/// The map y of a model as vectors: W^½y, W the weights of the points.
template <class T>
void check_map(const FitCase& c, Outcome& out, const mercer::ManifoldModel<T>& model, const Truth& truth,
               const RealVector& weights, Real further) {
  out.scale = std::max(truth.largest(), Real(1e-300L));
  SpectrumClaims claims;
  claims.delta = 1e-6;
  claims.further = further;
  claims.clipped = c.method == "isomap";
  claims.shares = c.diffusion < 0;
  check_spectrum(out, model.report(), truth, claims);
  const RealMatrix v = weights.cwiseSqrt().asDiagonal() * widened<T>(model.scores());
  const Real unit = std::numeric_limits<T>::epsilon();
  for (Index j = 0; j < v.cols() && j < model.report().components; ++j) {
    const Real length = v.col(j).norm(), value = model.report().gram_eigenvalues[j];
    if (c.diffusion > 0 && std::abs(value) < 1e-6) continue;  // λᵗ takes it out of the map
    if (!out.holds("scores are finite and not all zero", length > 0 && std::isfinite(length))) continue;
    out.within("residuals are as recomputed from the map",
               (truth.matrix * v.col(j) - value * v.col(j)).norm() / length,
               model.report().residuals[j] + rounding_of(truth) + further + 4 * unit * truth.largest(),
               "component " + std::to_string(j + 1));
  }
  if (c.saved) check_saved<T>(out, model, samples_of<T>(c, new_points(c)));
}

/// What all maps of one case share.
template <class T>
struct Neighborhoods {
  Samples<T> samples;
  mercer::NeighborOptions options;
  mercer::Run run;
  NeighborGraph graph;
  RealMatrix x;
};

template <class T>
void try_isomap(const FitCase& c, Outcome& out, const Neighborhoods<T>& near) {
  const auto model = mercer::Isomap<T>::fit(
      near.samples, near.graph, {.components = c.components.count, .neighbors = near.options}, near.run);
  check_map<T>(c, out, model, eigenvalues_of(path_kernel(links_of(near.graph))),
               RealVector::Ones(near.x.rows()), 0);
}

template <class T>
void try_laplacian(const FitCase& c, Outcome& out, const Neighborhoods<T>& near) {
  mercer::LaplacianOptions o;
  o.components = c.components.count, o.neighbors = near.options;
  o.laplacian = mercer::parse_laplacian(c.variant);
  if (c.heat) o.weights = mercer::GraphWeights::heat;
  if (c.diffusion >= 0) o.diffusion = true, o.diffusion_time = c.diffusion, o.density_power = c.density;
  const auto model = mercer::LaplacianEigenmaps<T>::fit(near.samples, near.graph, o, near.run);
  RealVector degrees;
  RealMatrix l = laplacian(links_of(near.graph), c, degrees);
  const RealVector weights =
      c.variant == "unnormalized" ? RealVector(RealVector::Ones(near.x.rows())) : degrees;
  const RealVector null = weights.cwiseSqrt();
  check_map<T>(c, out, model, c.diffusion >= 0 ? walk_truth(l, null) : bottom_truth(std::move(l), null),
               weights, 0);
}

template <class T>
void try_lle(const FitCase& c, Outcome& out, const Neighborhoods<T>& near) {
  const bool hessian = c.method == "hlle", modified = c.variant == "modified";
  const mercer::LleOptions o{.components = c.components.count,
                             .variant = hessian    ? mercer::LleVariant::hessian
                                        : modified ? mercer::LleVariant::modified
                                                   : mercer::LleVariant::standard,
                             .neighbors = near.options};
  const auto model = mercer::Lle<T>::fit(near.samples, near.graph, o, near.run);
  LocalMatrix local = hessian    ? hessian_matrix(near.x, near.graph, o.components)
                      : modified ? modified_matrix(near.x, near.graph, o.components)
                                 : LocalMatrix{lle_matrix(near.x, near.graph)};
  if (!(local.gap > 1e-6L)) return;
  const RealVector ones = RealVector::Ones(near.x.rows());
  const Truth truth = bottom_truth(std::move(local.matrix), ones);
  // Tangent spaces are as good as their gap lets them be, weights as their regularisation.
  const Real unit = hessian ? Real(std::numeric_limits<T>::epsilon()) : Real(0x1p-52L);
  const Real further = (hessian || modified ? 64 * unit / local.gap : 0) + (hessian ? 0 : 1000 * unit);
  check_map<T>(c, out, model, truth, ones, further * truth.largest());
}

template <class T>
void try_in(const FitCase& c, Outcome& out) {
  Neighborhoods<T> near{.samples = samples_of<T>(c, c.x),
                        .options = {.count = c.neighbors, .disconnected = mercer::Disconnected::bridge},
                        .run = run_of(c, c.threads),
                        .graph = {},
                        .x = scaled_rows<T>(out, c.x, c.x, mercer::Scale::none, nullptr)};
  near.graph = NeighborGraph::build<T>(near.samples, near.options, near.run);
  if (c.method == "isomap")
    try_isomap(c, out, near);
  else if (c.method == "laplacian")
    try_laplacian(c, out, near);
  else
    try_lle(c, out, near);
  check_neighbors(out, near.graph, near.x, std::numeric_limits<T>::epsilon());
}

}  // namespace

void try_map(const FitCase& c, Outcome& out) {
  mercer::with_precision(c.precision, [&]<class T>() { try_in<T>(c, out); });
}

}  // namespace certify
