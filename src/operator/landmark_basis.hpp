// The basis of a low-rank model: φ(x) = L⁻¹ k_S(x) for landmarks S and K_SS = L Lᵀ, so that
// φ(x)·φ(y) = k̂(x, y) = k_S(x)ᵀ K_SS⁻¹ k_S(y), the best that the span of the landmarks can do.
#pragma once

#include <mercer/kernel.hpp>

#include "operator/feature_moments.hpp"
#include "operator/triangle_solver.hpp"

#include <vector>

namespace mercer {

/// The Cholesky factor of a growing matrix: `factor` belongs to its leading rows and is kept as it is, `gram`
/// is the whole. Ends before the first row of which no more than the share `least` of its diagonal is new.
[[nodiscard]] Block<double> extended_cholesky(const Block<double>& factor, const Block<double>& gram,
                                              double least);

/// g_p = ‖e_pᵀL⁻¹D‖, D² = diag LLᵀ: how much the rounding of k_S, relative to √(k_ss k(x, x)), is enlarged in
/// the p-th element of φ(x) = L⁻¹k_S(x). At least √k_pp/L_pp; more where dependent landmarks follow each
/// other.
[[nodiscard]] Vector<double> enlargement(const Block<double>& factor, const Run& run);

/// How far rounding moves an eigenvalue of FFᵀ, φ(x)ᵀ the rows of F: an element of k_S is off by
/// of_element·√(k_ss k(x, x)), so ‖δF_p‖ ≈ of_element·g_p √tr K in the p-th column, and F_pF_pᵀ changes by
/// 2‖F_p‖‖δF_p‖. The columns' errors are independent of each other, so their squares add. Given ‖F_p‖² and tr
/// K.
[[nodiscard]] double feature_rounding(double of_element, const Vector<double>& squared_columns,
                                      double diagonal_sum, const Block<double>& factor, const Run& run);
/// The same for rounding of K_SS = LLᵀ, elements by of_element·√(k_ss k_tt): FFᵀ changes by AEAᵀ, A = FL⁻¹D,
/// and independent errors E make that as large as of_element·‖A‖‖A‖_F.
[[nodiscard]] double factor_rounding(double of_element, const FeatureMoments& moments,
                                     const Block<double>& factor);
/// Rounding of an element of k_S, relative as above, in T: what evaluating it loses, and solving with L.
template <class T>
[[nodiscard]] double element_rounding(double of_kernel_values, Index rank);

/// Landmarks that stay independent in double, and the factor of their matrix. Those chosen in float may not.
struct IndependentLandmarks {
  std::vector<Index> kept;  ///< positions among those given, in the order of the factor
  Block<double> factor;
};
/// The first `fixed.rows()` of the landmarks have a factor already. The order is kept where the factor in it
/// enlarges rounding no more than its pivots alone explain. Else they are taken by complete pivoting: then
/// small pivots do not multiply (Higham 2002, section 10.3), and what is left out is dependent on what was
/// taken.
template <class T>
[[nodiscard]] IndependentLandmarks independent_landmarks(const Kernel& kernel, const Samples<T>& landmarks,
                                                         const Block<double>& fixed, const Run& run);

/// ‖v‖², in T a piece at a time: few enough for float's digits.
template <class T>
[[nodiscard]] double squared_norm(const T* values, Index count);

/// What to throw where kernel values of finite points are not finite.
[[nodiscard]] Error kernel_overflow(const Kernel& kernel);

template <class T>
class LandmarkBasis {
 public:
  /// `landmarks` scaled as the model does.
  LandmarkBasis(Kernel kernel, Samples<T> landmarks, Block<double> factor);

  [[nodiscard]] Index rank() const { return factor_.rows(); }
  [[nodiscard]] const Kernel& kernel() const { return kernel_; }
  [[nodiscard]] const Samples<T>& landmarks() const { return landmarks_; }
  [[nodiscard]] const Block<double>& factor() const { return factor_; }

  /// k_S of each point (row-major, rank() columns) and k(x, x).
  void kernel_values(const Samples<T>& points, T* values, double* diagonal, const Run& run) const;
  /// φ of each point (row-major, rank() columns), k(x, x), and what remains of it, k(x, x) − ‖φ(x)‖², at
  /// least 0.
  void evaluate(const Samples<T>& points, T* features, double* diagonal, double* remaining,
                const Run& run) const;

 private:
  /// k_S and k(x, x) of a part of the points at a time, then finish(its first row, rows).
  template <class Finish>
  void by_parts(const Samples<T>& points, T* values, double* diagonal, const Run& run, Finish&& finish) const;

  Kernel kernel_;
  Samples<T> landmarks_;
  Block<double> factor_;
  TriangleSolver<T> solver_;
};

}  // namespace mercer
