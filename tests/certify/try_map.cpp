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

RealMatrix laplacian(const RealMatrix& links, bool normalized, RealVector& degrees) {
  RealMatrix w = (links.array() >= 0).cast<Real>();
  w.diagonal().setZero();
  degrees = w.rowwise().sum();
  RealMatrix l = -w;
  l.diagonal() += degrees;
  if (!normalized) return l;
  const RealVector root = degrees.cwiseSqrt().cwiseInverse();
  return root.asDiagonal() * l * root.asDiagonal();
}

/// (I − W)ᵀ(I − W) with barycentric weights, regularised by a thousandth of the local trace.
RealMatrix lle_matrix(const RealMatrix& x, const NeighborGraph& graph) {
  const Index n = graph.size();
  RealMatrix i_minus_w = RealMatrix::Identity(n, n);
  for (Index i = 0; i < n; ++i) {
    const auto list = graph.lists().neighbors(i);
    const auto k = Index(list.size());
    RealMatrix z(k, x.cols());
    for (Index a = 0; a < k; ++a) z.row(a) = x.row(list[std::size_t(a)]) - x.row(i);
    Columns gram = z * z.transpose();
    const Real trace = gram.trace();
    gram.diagonal().array() += trace > 0 ? 1e-3L * trace : 1e-3L;
    RealVector w = gram.llt().solve(RealVector::Ones(k));
    w /= w.sum();
    for (Index a = 0; a < k; ++a) i_minus_w(i, list[std::size_t(a)]) -= w[a];
  }
  return i_minus_w.transpose() * i_minus_w;
}

/// Of Hessian LLE with all that is not linear: the projections away from constants and the tangent space,
/// summed over the neighbourhoods. `gap`: between what is tangent and what is not, the smallest of all,
/// relative.
RealMatrix hessian_matrix(const RealMatrix& x, const NeighborGraph& graph, Index tangent, Real& gap) {
  const Index n = graph.size();
  std::vector<bool> is_neighbor(std::size_t(n), false);
  for (Index i = 0; i < n; ++i)
    for (const auto j : graph.lists().neighbors(i)) is_neighbor[std::size_t(j)] = true;
  RealMatrix m = RealMatrix::Zero(n, n);
  gap = 1;
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
    gap = values[k - 1] > 0 ? std::min(gap, (values[k - tangent] - values[k - tangent - 1]) / values[k - 1])
                            : Real(0);
    const Columns rest = Columns::Identity(k, k) - u * u.transpose() - Columns::Constant(k, k, 1 / Real(k));
    for (Index a = 0; a < k; ++a)
      for (Index b = 0; b < k; ++b) m(members[std::size_t(a)], members[std::size_t(b)]) += rest(a, b);
  }
  return m;
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

template <class Model, class T>
void check_map(const FitCase& c, Outcome& out, const Model& model, const Truth& truth,
               const RealVector& weights, Real further, mercer::Matrix<T> map, bool scaled) {
  out.scale = std::max(truth.largest(), Real(1e-300L));
  SpectrumClaims claims;
  claims.delta = 1e-6;
  claims.further = further;
  claims.clipped = scaled;
  check_spectrum(out, model.report(), truth, claims);
  const RealMatrix v = weights.cwiseSqrt().asDiagonal() * widened<T>(map);
  const Real unit = std::numeric_limits<T>::epsilon();
  for (Index j = 0; j < v.cols() && j < model.report().components; ++j) {
    const Real length = v.col(j).norm(), value = model.report().gram_eigenvalues[j];
    if (!out.holds("scores are finite and not all zero", length > 0 && std::isfinite(length))) continue;
    out.within("residuals are as recomputed from the map",
               (truth.matrix * v.col(j) - value * v.col(j)).norm() / length,
               model.report().residuals[j] + rounding_of(truth) + further + 4 * unit * truth.largest(),
               "component " + std::to_string(j + 1));
  }
  if (c.saved) check_saved<T>(out, model, samples_of<T>(c, new_points(c)));
}

template <class T>
void try_in(const FitCase& c, Outcome& out) {
  const Samples<T> samples = samples_of<T>(c, c.x);
  const mercer::NeighborOptions near{.count = c.neighbors, .disconnected = mercer::Disconnected::bridge};
  const mercer::Run run = run_of(c, c.threads);
  const NeighborGraph graph = NeighborGraph::build<T>(samples, near, run);
  const RealMatrix x = scaled_rows<T>(out, c.x, c.x, mercer::Scale::none, nullptr);
  const RealMatrix links = links_of(graph);
  const Index n = x.rows();
  if (c.method == "isomap") {
    const auto model =
        mercer::Isomap<T>::fit(samples, graph, {.components = c.components.count, .neighbors = near}, run);
    check_map<mercer::Isomap<T>, T>(c, out, model, eigenvalues_of(path_kernel(links)), RealVector::Ones(n), 0,
                                    model.scores(), true);
  } else if (c.method == "laplacian") {
    mercer::LaplacianOptions o;
    o.components = c.components.count, o.neighbors = near, o.laplacian = mercer::parse_laplacian(c.variant);
    const auto model = mercer::LaplacianEigenmaps<T>::fit(samples, graph, o, run);
    RealVector degrees;
    const bool normalized = o.laplacian != mercer::Laplacian::unnormalized;
    RealMatrix l = laplacian(links, normalized, degrees);
    const RealVector weights = normalized ? degrees : RealVector(RealVector::Ones(n));
    check_map<mercer::LaplacianEigenmaps<T>, T>(
        c, out, model, bottom_truth(std::move(l), weights.cwiseSqrt()), weights, 0, model.scores(), false);
  } else if (c.method == "hlle") {
    const mercer::LleOptions o{
        .components = c.components.count, .variant = mercer::LleVariant::hessian, .neighbors = near};
    const auto model = mercer::Lle<T>::fit(samples, graph, o, run);
    Real gap = 1;
    Truth truth = bottom_truth(hessian_matrix(x, graph, c.components.count, gap), RealVector::Ones(n));
    const Real further =
        64 * Real(std::numeric_limits<T>::epsilon()) * truth.largest() / gap;  // of the tangent spaces
    if (gap > 1e-6L)
      check_map<mercer::Lle<T>, T>(c, out, model, truth, RealVector::Ones(n), further, model.scores(), false);
  } else {
    const auto model =
        mercer::Lle<T>::fit(samples, graph, {.components = c.components.count, .neighbors = near}, run);
    Truth truth = bottom_truth(lle_matrix(x, graph), RealVector::Ones(n));
    const Real further =
        1000 * Real(0x1p-52L) * truth.largest();  // weights are as good as their regularisation lets them be
    check_map<mercer::Lle<T>, T>(c, out, model, truth, RealVector::Ones(n), further, model.scores(), false);
  }
  check_neighbors(out, graph, x, std::numeric_limits<T>::epsilon());
}

}  // namespace

void try_map(const FitCase& c, Outcome& out) {
  mercer::with_precision(c.precision, [&]<class T>() { try_in<T>(c, out); });
}

}  // namespace certify
