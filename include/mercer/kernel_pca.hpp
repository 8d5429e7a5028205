// Kernel PCA (mission rows M3, M4): K̃ = HKH, K̃ v = nλ v, α = v/√(nλ) so that αᵀK̃α = 1; the score
// of x on a component is Σ_j α_j k̃(x_j, x).
//
//     auto model = mercer::KernelPca<double>::fit(samples, {.components = 2,
//                                                           .kernel = mercer::Kernel::rbf(0.5)});
//     auto z = model.transform(new_points);
//
// Beyond what an exact fit can hold: K ≈ K̂ = K_:S K_SS⁻¹ K_S: on a few landmarks S, with bounds on every
// eigenvalue. Such a model takes in more points, and is merged with one fitted on another shard.
//
//     auto big = mercer::KernelPca<float>::fit(samples, {.route = mercer::Route::lowrank,
//                                                        .lowrank = {.rank = 1000}});
//     big.report().bounds->high[0];
//     auto more = big.update(new_points);
#pragma once

#include <mercer/kernel.hpp>
#include <mercer/model.hpp>
#include <mercer/plan.hpp>
#include <mercer/row_source.hpp>
#include <mercer/scaling.hpp>

namespace mercer {

/// What to do when the kernel matrix has negative eigenvalues.
enum class Indefinite {
  error,  ///< refuse
  clip,   ///< keep the positive part
  /// Refuse where one of the components asked for is negative: beyond 1e-5 of the largest and 1e-10 (float:
  /// 5e-3 and 1e-6), which is scikit-learn's rule.
  asked,
};
[[nodiscard]] Indefinite parse_indefinite(std::string_view name);

/// How the low-rank route finds its landmarks.
enum class Landmarks {
  pivoted,  ///< drawn by what the ones before leave of the kernel's diagonal (RPCholesky)
  uniform,  ///< every row equally likely
  kmeans,   ///< near the centres of k-means++ in input space
  given,    ///< the rows named
};
[[nodiscard]] Landmarks parse_landmarks(std::string_view name);

/// Of Route::lowrank. Either a rank or a tolerance; neither: a tolerance of 1e-3, as far as memory goes.
struct LowRank {
  Index rank = 0;
  double tolerance = 0;  ///< share of tr K̃ (uncentred: tr K) that may be left out
  Landmarks landmarks = Landmarks::pivoted;
  std::vector<Index> given = {};  ///< rows, from 0
};

struct KernelPcaOptions {
  Components components = 2;
  Kernel kernel = {};         ///< default rbf(gamma=median)
  bool center = true;         ///< in feature space
  Scale scale = Scale::none;  ///< of the inputs
  Indefinite indefinite = Indefinite::error;
  double residual = 0;  ///< relative to the largest eigenvalue; 0: 1e-10 or 1e-5
  Route route = Route::automatic;
  double delta = 1e-6;
  LowRank lowrank = {};
};

struct UpdateOptions {
  /// Landmarks there may be in all: points that the basis does not represent as well as those it was made
  /// for become further ones. 0: the basis stays as it is.
  Index max_rank = 0;
};

struct LandmarkState;  // src/model/landmark_state.hpp
template <class T>
class LowRankFit;  // src/model/low_rank_fit.hpp

template <class T>
class KernelPca final : public Model<T> {
 public:
  static KernelPca fit(const Samples<T>& samples, const KernelPcaOptions& options = {}, const Run& run = {});
  static KernelPca fit(const Dataset<T>& data, const KernelPcaOptions& options = {}, const Run& run = {});
  /// Low rank, on rows that need not fit in memory; in several passes. The scores of the rows are not
  /// kept: transform them.
  static KernelPca fit(RowSource<T>& rows, const KernelPcaOptions& options = {}, const Run& run = {});

  /// The model of these points and the earlier ones together (low rank only). With the basis as it is, that
  /// is the model which a fit to all of them on this basis would give.
  [[nodiscard]] KernelPca update(const Samples<T>& more, const UpdateOptions& options = {},
                                 const Run& run = {}) const;
  /// The same on rows that need not fit in memory; in several passes.
  [[nodiscard]] KernelPca update(RowSource<T>& more, const UpdateOptions& options = {},
                                 const Run& run = {}) const;
  /// A model of other points on this one's basis, scaling, kernel and centring: a shard to be merged.
  [[nodiscard]] KernelPca refit(const Samples<T>& samples, const Components& components,
                                const Run& run = {}) const;
  [[nodiscard]] KernelPca refit(const Dataset<T>& data, const Components& components,
                                const Run& run = {}) const;
  /// Of two models on one basis, the model of all their points. Throws Error{usage} when the bases differ.
  static KernelPca merge(const KernelPca& a, const KernelPca& b, const Run& run = {});

  /// What fit would do, with the time it should take here (measured briefly, once a process).
  static Plan plan(const Samples<T>& samples, const KernelPcaOptions& options = {}, const Run& run = {});

  [[nodiscard]] Index features() const override {
    return kernel_.is_precomputed() ? alpha_.rows() : points_.cols();
  }
  [[nodiscard]] Matrix<T> scores() const override;
  [[nodiscard]] std::optional<Matrix<T>> training_points() const override;
  [[nodiscard]] const Kernel& kernel() const { return kernel_; }
  [[nodiscard]] const Block<T>& alpha() const { return alpha_; }      ///< a row for each of points()
  [[nodiscard]] const Samples<T>& points() const { return points_; }  ///< scaled: all, or the landmarks
  [[nodiscard]] const Scaling<T>& scaling() const { return scaling_; }
  /// The mean of feature space in terms of points(), φ̄ = Σ_j β_j φ(x_j); zeros when not centred. The point of
  /// feature space that scores z name is Σ_j (αz + β)_j φ(x_j): see <mercer/preimage.hpp> for the way back.
  [[nodiscard]] Vector<double> mean_weights() const;
  /// Low rank: which rows of the training data the landmarks are; empty for exact models.
  [[nodiscard]] std::vector<Index> landmarks() const;

  static std::unique_ptr<Model<T>> read(ModelReader<T>& reader);  ///< used by load_model

 private:
  Matrix<T> do_transform(const Samples<T>& points, const Run& run) const override;
  Matrix<T> do_inverse(const MatrixView<T>& scores, const Run& run) const override;
  void write(ModelWriter& writer) const override;
  friend class LowRankFit<T>;

  Kernel kernel_;
  Samples<T> points_;
  Block<T> alpha_;
  Vector<double> offset_;  ///< Σ_j α_j mean_l k(x_l, x_j): all that centring a new point needs
  Scaling<T> scaling_;
  std::shared_ptr<const LandmarkState> low_rank_;  ///< null for exact models
  Matrix<T> scores_;                               ///< low rank: of the training points, where kept
};

}  // namespace mercer
