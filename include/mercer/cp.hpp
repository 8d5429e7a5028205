// CP, or Kruskal's form (mission row M15): X ≈ Σ_r λ_r a_r ∘ b_r ∘ c_r ..., by alternating least squares.
// λ descending, columns of unit length, the largest entry of each column positive (the sample mode's sign
// makes up for it).
//
//     auto model = mercer::Cp<double>::fit(fluorescence, {.rank = 3, .nonnegative = true});
//     model.weights(); model.factors()[1]; model.report().decomposition->core_consistency;
//
// Scores of a sample: the least-squares coefficients (not negative if asked for) of b_r ∘ c_r ...; those of
// the training samples are diag(λ) times the sample mode's factor. A model that was fitted with gaps takes
// samples with gaps.
//
// Components that cancel each other, swamps and whatever else makes a CP model doubtful is said in
// report().decomposition->warnings. Indices of which no entry is known keep rows of zeros, and a note says
// so.
#pragma once

#include <mercer/tensor_model.hpp>

#include <string_view>

namespace mercer {

template <class T>
class CpData;  // src/tensor/cp_data.hpp

enum class CpStart { automatic, random, hosvd };
/// "auto", "random" or "hosvd".
[[nodiscard]] CpStart parse_cp_start(std::string_view name);

struct CpOptions {
  Index rank = 1;
  bool nonnegative = false;
  /// The best counts. 0: HOSVD's, and random ones where it is in doubt or they cost next to nothing.
  Index starts = 0;
  CpStart start = CpStart::automatic;
  Index iterations = 1000;  ///< sweeps at most, each start
  double tolerance = 1e-8;  ///< stops when a sweep changes the relative error by less
  bool line_search = true;
  bool missing = false;          ///< NaN entries (sparse: those not stored) are unknown, not zero
  bool core_consistency = true;  ///< compute the diagnostic
  Index sample_mode = 0;
  bool allow_partial = false;  ///< not converged is a note, not an error
};

template <class T>
class Cp final : public TensorModel<T> {
 public:
  static Cp fit(const TensorView<T>& x, const CpOptions& options = {}, const Run& run = {});
  static Cp fit(const SparseTensor<T>& x, const CpOptions& options = {}, const Run& run = {});
  /// Minimises Σ w (x − x̂)²; weights are not negative, and 0 where x does not matter. Of new samples every
  /// entry that is there counts alike.
  static Cp fit(const TensorView<T>& x, const TensorView<T>& weights, const CpOptions& options,
                const Run& run = {});
  static Plan plan(const Shape& shape, Index stored, const CpOptions& options = {}, const Run& run = {});

  [[nodiscard]] Index rank() const { return weights_.size(); }
  [[nodiscard]] const Vector<double>& weights() const { return weights_; }  ///< λ
  [[nodiscard]] std::vector<Block<T>> factors() const override { return factors_; }
  [[nodiscard]] Tensor<T> reconstruction(const Run& run = {}) const override;
  [[nodiscard]] Matrix<T> scores() const override;
  [[nodiscard]] bool takes_gaps() const override { return gaps_; }

  static std::unique_ptr<Model<T>> read(ModelReader<T>& reader);  ///< used by load_model

 private:
  static Cp fit_to(CpData<T>& data, Plan plan, const CpOptions& options, const Run& run);
  Matrix<T> do_transform(const Samples<T>& points, const Run& run) const override;
  Matrix<T> do_inverse(const MatrixView<T>& scores, const Run& run) const override;
  void write(ModelWriter& writer) const override;

  Vector<double> weights_;
  std::vector<Block<T>> factors_;
  bool nonnegative_ = false, gaps_ = false;
};

}  // namespace mercer
