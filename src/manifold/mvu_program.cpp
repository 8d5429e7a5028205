// The program without its centring constraint: that would leave K no interior and the dual no bounded
// optimum. A node lies at the origin instead, and the variance Σ cᵢ‖xᵢ‖² − ‖Σ cᵢxᵢ‖²/N, whatever the origin,
// is the objective: C = diag(c) − ccᵀ/N.
#include "manifold/mvu_program.hpp"

#include <mercer/spectrum.hpp>

#include "spectral/semidefinite.hpp"

namespace mercer {
namespace {

/// Multipliers of about 1 hold a sheet that can be unrolled. Where points are few for their curvature the
/// graph is rigid, and lengths kept to the last digit would hold it as it is with multipliers of any size: a
/// link that would need more than this gives way, by as little as that takes (ten-thousandths in the mean).
constexpr double gives_way = 1000;

/// λ₂ of the Laplacian over the largest weight: with multipliers w = 1, Σ w aaᵀ = L ⪰ λ₂ H ⪰ pull · C.
double pull_of(const MvuLinks& links) {
  const Block<double> laplacian = links.laplacian().toDense();
  return dense_eigenpairs<double>(laplacian, 2, End::smallest, Run{.threads = 1}).values[1] /
         links.weight.maxCoeff();
}

}  // namespace

MvuSolution unfold(const MvuLinks& links, const Run& run) {
  const Index n = links.size(), grounded = n - 1;
  const Vector<double>& c = links.weight;
  const double points = c.sum(), pull = pull_of(links);

  RankOneProgram program;
  const Vector<double> head = c.head(grounded);
  program.objective = -pull / points * head * head.transpose();
  program.objective.diagonal() += pull * head;
  program.constraints.resize(links.count(), grounded);
  program.values.resize(links.count());
  Index l = 0;
  for (Index i = 0; i < n; ++i)
    for (SparseMatrix<double>::InnerIterator link(links.squared, i); link && link.col() < i; ++link, ++l) {
      program.constraints.startVec(l);
      program.constraints.insertBack(l, link.col()) = -1;
      if (i < grounded) program.constraints.insertBack(l, i) = 1;
      program.values[l] = link.value();
    }
  program.constraints.finalize();
  program.start = 2;  // twice what L ⪰ pull · C needs
  program.largest_multiplier = gives_way;
  const SemidefiniteSolution solved = maximise(program, run);

  MvuSolution out;
  Block<double> k = Block<double>::Zero(n, n);
  k.topLeftCorner(grounded, grounded) = links.unit * solved.x;
  const Vector<double> mean = k * c / points;  // of each row's inner products
  const double both = c.dot(mean) / points;
  k.colwise() -= mean;
  k.rowwise() -= mean.transpose();
  k.array() += both;
  out.gram = std::move(k);
  out.excess = (solved.value - solved.bound) / solved.bound;
  out.iterations = solved.iterations;
  out.converged = solved.converged;
  return out;
}

}  // namespace mercer
