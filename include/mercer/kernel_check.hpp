// Mercer's verdict (mission row M7): is this function a kernel? It must be symmetric, and K_ij = k(x_i, x_j)
// positive semidefinite for every data set. Known for good by an exhibited feature map and the closure rules;
// otherwise judged on the data at hand by the smallest eigenvalue, with a witness where it is negative.
//
//     mercer::KernelCheck check = mercer::check_kernel(mercer::Kernel::parse("sigmoid"), samples);
//     if (check.verdict == mercer::Verdict::invalid) use(check.witness);     // cᵀKc < 0
#pragma once

#include <mercer/kernel.hpp>
#include <mercer/matrix.hpp>
#include <mercer/run.hpp>
#include <mercer/samples.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

enum class Verdict {
  valid,        ///< on every data set: its feature map is known
  valid_here,   ///< K is PSD on this data
  conditional,  ///< K is not PSD, but HKH is: no Mercer kernel, yet kernel PCA (centred) is sound
  invalid,      ///< neither is, or k is not symmetric
};
[[nodiscard]] std::string_view name_of(Verdict verdict);  ///< valid, valid-here, conditional, invalid

struct KernelCheck {
  std::string kernel;  ///< resolved
  Index n = 0, d = 0;
  Verdict verdict = Verdict::invalid;
  Definiteness known = Definiteness::unknown;  ///< without data

  bool symmetric = true;
  double asymmetry = 0;  ///< the largest |k(x, y) − k(y, x)| that was seen
  Index asymmetric_row = 0, asymmetric_column = 0;

  /// Of K and of HKH (of their symmetric part where k is not symmetric). An eigenvalue above −tolerance may
  /// be 0, since K's elements are rounded. Found iteratively they are measured vᵀKv, never below the truth.
  double min_eigenvalue = 0, centered_min_eigenvalue = 0;
  double max_eigenvalue = 0, centered_max_eigenvalue = 0;  ///< the largest ones in magnitude
  double tolerance = 0, centered_tolerance = 0;
  bool exact = true;  ///< by LAPACK; false: the ends of the spectrum alone, by a factor or block Krylov
  /// Where not exact: no eigenvalue of K lies below this, but for a chance of delta (by a factor: 0).
  std::optional<double> lower_bound;
  double delta = 0;

  Vector<double> witness;            ///< ‖c‖ = 1, cᵀKc < 0; empty where K is PSD
  double witness_value = 0;          ///< cᵀKc, measured
  std::vector<std::string> reasons;  ///< what is known without data: closure rules, a line each, indented
  std::vector<std::string> advice;   ///< what to do about it

  /// HKH is 0: all points look alike to this kernel, and kernel PCA finds nothing.
  [[nodiscard]] bool sees_nothing() const { return centered_max_eigenvalue <= centered_tolerance; }
  [[nodiscard]] std::string to_json() const;
  [[nodiscard]] std::string to_string() const;
};

/// Throws Error{bad_data} where the kernel is not defined on the data, as a fit would; a kernel that is not
/// symmetric is a verdict, not an error. Throws Error{not_converged} where n² doubles do not fit and products
/// alone do not tell.
template <class T>
[[nodiscard]] KernelCheck check_kernel(const Kernel& kernel, const Samples<T>& samples, const Run& run = {});

}  // namespace mercer
