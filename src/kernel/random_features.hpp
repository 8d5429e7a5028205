// Random features of shift-invariant kernels. By Bochner's theorem k(x − y) = k(0) E cos ωᵀ(x − y) for
// frequencies ω drawn from the kernel's spectral density, so with m of them
//
//     z(x) = √(k(0)/m) [cos ω₁ᵀx … cos ω_mᵀx, sin ω₁ᵀx … sin ω_mᵀx],   E z(x)·z(y) = k(x, y)
//
// (Rahimi and Recht 2007). Orthogonal: directions of ω orthonormal within blocks of d, lengths as before,
// which leaves the mean as it is and lowers the variance (Yu et al. 2016, arXiv 1610.09072).
#pragma once

#include <mercer/kernel.hpp>
#include <mercer/run.hpp>
#include <mercer/samples.hpp>

namespace mercer {

/// Throws Error{usage} unless the kernel is made of kernels with a known spectral density by positive
/// multiples, sums and products, and `count` is an even number that has two features for each term.
void require_random_features(const Kernel& kernel, Index count);
/// Is there a part whose frequencies have directions to be made orthogonal? (Not so the Laplacian alone.)
[[nodiscard]] bool has_orthogonal_features(const Kernel& kernel);

template <class T>
class RandomFeatures {
 public:
  RandomFeatures() = default;
  /// Draws `count` features for points of d columns; the kernel must be resolved. The same for any number
  /// of threads: each frequency has a stream of random numbers of its own.
  static RandomFeatures draw(const Kernel& kernel, Index d, Index count, bool orthogonal, const Run& run);
  /// What frequencies(), amplitudes() and origin() of another have given.
  RandomFeatures(Matrix<T> frequencies, Vector<T> amplitudes, Vector<double> origin);

  /// Evaluates x − origin in place of x, which changes no z(x)·z(y) but keeps digits when the points lie
  /// far from 0. Empty: 0.
  [[nodiscard]] RandomFeatures about(Vector<double> origin) const;

  [[nodiscard]] Index dimension() const { return frequencies_.rows(); }        ///< of the points
  [[nodiscard]] Index count() const { return 2 * frequencies_.cols(); }        ///< of the features
  [[nodiscard]] const Matrix<T>& frequencies() const { return frequencies_; }  ///< d x count/2, ω/2π
  [[nodiscard]] const Vector<T>& amplitudes() const { return amplitudes_; }    ///< one a frequency
  [[nodiscard]] const Vector<double>& origin() const { return origin_; }

  /// out (rows x count, row-major) = z of each point. May be called from several threads.
  void evaluate(const Samples<T>& points, T* out) const;
  /// The same on several threads.
  void evaluate(const Samples<T>& points, T* out, const Run& run) const;

 private:
  Matrix<T> frequencies_;  ///< in turns a unit of x: see sincos_turns
  Vector<T> amplitudes_;
  Vector<double> origin_;
};

}  // namespace mercer
