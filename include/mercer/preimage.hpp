// Pre-images (mission row M12): kernel PCA has no direct way back. Scores name a point Pφ of feature space,
// Pφ = Σ_j w_j φ(x_j), which need not be φ of any input; a pre-image is a z with φ(z) near Pφ, and
// ‖φ(z) − Pφ‖² says how near.
//
//     auto model = mercer::KernelPca<double>::fit(clean, {.components = 32});
//     const mercer::Preimage<double> back(model);
//     auto denoised = back.find(model.transform(noisy), noisy);
//     denoised.points, denoised.errors
#pragma once

#include <mercer/kernel_pca.hpp>

#include <memory>
#include <string_view>

namespace mercer {

enum class PreimageMethod {
  automatic,    ///< exact, else the fixed point, else distances, else ridge: the first that the kernel allows
  exact,        ///< linear kernels: Pφ is an input itself, mean included
  fixed_point,  ///< kernels of ‖x−y‖²: ascent to the nearest maximum (Mika et al. 1998), guarded
  distances,    ///< kernels of ‖x−y‖² or x·y: meet the distances to neighbours (Kwok and Tsang 2004)
  ridge,        ///< any kernel: kernel ridge regression from scores to inputs (Bakır et al. 2004)
};
[[nodiscard]] std::string_view name_of(PreimageMethod method);
/// auto, exact, fixed-point, distances, ridge; throws Error{usage}.
[[nodiscard]] PreimageMethod parse_preimage_method(std::string_view name);

struct PreimageOptions {
  PreimageMethod method = PreimageMethod::automatic;
  /// Fixed point: places to begin from; the end with the smallest error is taken. First the input where it is
  /// known, then the training point nearest to Pφ, the distance method's answer, further neighbours.
  Index starts = 3;
  Index iterations = 300;   ///< of the fixed point, at most
  double tolerance = 1e-8;  ///< its last step, relative to the spread of the training points
  /// Fixed point: adds pull·|f′(0)|·‖z − input‖² to what is minimised (Abrahamsen and Hansen 2009): near the
  /// input where feature space does not care. Only where inputs are given.
  double pull = 0;
  Index neighbors = 10;  ///< of the distance method
  /// The ridge, as scikit-learn's alpha; 0: the one with the least leave-one-out error.
  double ridge = 1;
};

template <class T>
struct Preimages {
  Matrix<T> points;
  Vector<double> errors;  ///< ‖φ(z) − Pφ‖² for each
  Index unconverged = 0;  ///< points whose fixed point was still moving, or came to nothing
};

/// The way back from one model; making it costs a pass over the kernel matrix of its points (ridge: n³).
template <class T>
class Preimage {
 public:
  /// Throws Error{usage} where the kernel does not allow the method, or the model keeps no points.
  explicit Preimage(const KernelPca<T>& model, const PreimageOptions& options = {}, const Run& run = {});
  ~Preimage();
  Preimage(Preimage&&) noexcept;
  Preimage& operator=(Preimage&&) noexcept;

  /// The method in use: never automatic.
  [[nodiscard]] PreimageMethod method() const;
  /// Ridge: A of z ↦ k_z(z)A, a row for each of the model's points, in (scaled) features; otherwise empty.
  [[nodiscard]] Matrix<double> ridge_coefficients() const;
  /// Scores with a column a component, or fewer: then the first components alone are meant. `inputs`: what
  /// the scores come from, if known (as given to transform), one row each. Throws Error{bad_data} naming a
  /// row whose scores are too large to come back; `first_row` is the number of the first.
  [[nodiscard]] Preimages<T> find(const MatrixView<T>& scores, const Samples<T>& inputs = {},
                                  const Run& run = {}, Index first_row = 0) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

extern template class Preimage<float>;
extern template class Preimage<double>;

}  // namespace mercer
