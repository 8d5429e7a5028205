// Semidefinite programs with rank-one constraints: maximise ⟨C, X⟩ over X ⪰ 0 with aₗᵀ X aₗ = bₗ for sparse
// aₗ. By DSDP (Benson, Ye, Zhang 2000; Benson, Ye 2008): it walks in the dual, S = Σ wₗ aₗaₗᵀ − C ⪰ 0, where
// the Newton matrix of constraints of rank one is ((aₗᵀS⁻¹aₖ)²), a product and a square an element. SDPA, the
// other solver in Debian, factors primal and dual both and forms that matrix element by element from sparse
// products.
#pragma once

#include <mercer/matrix.hpp>
#include <mercer/run.hpp>

namespace mercer {

struct RankOneProgram {
  Block<double> objective;           ///< C, symmetric
  SparseMatrix<double> constraints;  ///< aₗ, a row each
  Vector<double> values;             ///< bₗ
  double start = 0;                  ///< > 0: wₗ = start makes S positive definite, and is where to begin
  /// |wₗ| is kept below: maximises ⟨C, X⟩ − largest_multiplier Σ |aₗᵀXaₗ − bₗ|. Where the constraints leave X
  /// no interior, multipliers have no bound of their own.
  double largest_multiplier = 1e6;
  double gap = 1e-7;  ///< of primal and dual value, relative, to stop at
};

struct SemidefiniteSolution {
  Block<double> x;
  Vector<double> multipliers;  ///< wₗ
  double value = 0;            ///< ⟨C, X⟩
  double bound = 0;            ///< Σ wₗ bₗ: no X with aₗᵀXaₗ = bₗ exceeds it
  double gap = 0;  ///< of bound and ⟨C, X⟩ − largest_multiplier Σ |aₗᵀXaₗ − bₗ|, relative
  Index iterations = 0;
  bool converged = true;
};

/// Calls run.report("semidefinite program", ·) and can be cancelled at each step of the solver. Throws
/// Error{not_converged} where the solver ends without a solution.
[[nodiscard]] SemidefiniteSolution maximise(const RankOneProgram& program, const Run& run);

/// What the solver holds, for n x n matrices and so many constraints.
[[nodiscard]] double semidefinite_bytes(double n, double constraints);

}  // namespace mercer
