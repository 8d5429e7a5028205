// Kernel PCA on K̂ = ΦΦᵀ, Φ the features φ(x) = L⁻¹k_S(x) of landmarks S (Nyström's approximation; Williams
// and Seeger 2001). With the scatter C = Σ(φ−φ̄)(φ−φ̄)ᵀ and C u = θ u: HK̂H has the eigenvalues θ, and the score
// of any x is uᵀ(φ(x) − φ̄) = αᵀk_S(x) − uᵀφ̄ with α = L⁻ᵀu: the form in which KernelPca transforms.
#pragma once

#include <mercer/kernel_pca.hpp>

#include "base/stopwatch.hpp"
#include "model/landmark_state.hpp"
#include "model/model_file.hpp"
#include "model/row_passes.hpp"
#include "operator/feature_pass.hpp"
#include "operator/remainder_sample.hpp"
#include "plan/low_rank_plan.hpp"

namespace mercer {

/// Throws Error{usage} or Error{not_psd} where these options cannot be met on n rows.
void require_low_rank(const KernelPcaOptions& options, Index n);
/// The rank that the options fix; 0 when a tolerance decides.
[[nodiscard]] Index requested_rank(const LowRank& options);

/// A pass over K in double is made up to this many rows, if it is not dear, to measure instead of to bound.
constexpr Index measured_rows = 20000;

template <class T>
class LowRankFit {
 public:
  using Pca = KernelPca<T>;

  static Pca fit(const Samples<T>& samples, const KernelPcaOptions& options, const Problem& problem,
                 const Run& run);
  static Pca fit(RowSource<T>& rows, const KernelPcaOptions& options, const Run& run);
  static Pca update(const Pca& model, RowSource<T>& more, const UpdateOptions& options, const Run& run);
  static Pca refit(const Pca& model, const Samples<T>& samples, const Components& components, const Run& run);
  static Pca merge(const Pca& a, const Pca& b, const Run& run);

  static void write(const Pca& model, ModelWriter& writer);
  static void read(Pca& model, ModelReader<T>& reader);

 private:
  /// Landmarks, scaled, with their rows in the data.
  struct Chosen {
    Samples<T> landmarks;
    std::vector<std::int64_t> rows;
  };
  /// What a pass over points finds on a basis that is there.
  struct Pass {
    FeatureMoments moments;
    double diagonal_sum = 0, element_rounding = 0;
    RemainderGroup group;
    std::vector<double> prefix_traces;
  };
  static Pca fit_in_memory(const Samples<T>& samples, const KernelPcaOptions& options,
                           const LowRankLayout& layout, const Plan& plan, const Run& run);
  static Pca fit_streamed(RowSource<T>& rows, const RowSurvey<T>& survey, const KernelPcaOptions& options,
                          const LowRankLayout& layout, const Plan& plan, const Run& run);
  /// Without the factor: landmarks drawn by rejection, one pass over the points. Nothing where that would
  /// cost more than it saves.
  static std::optional<Pca> fit_by_rejection(const Samples<T>& samples, const KernelPcaOptions& options,
                                             const Plan& plan, const Run& run);
  /// One pass over the points on landmarks that were chosen, and the components.
  static void fit_on(Chosen chosen, RowSource<T>& rows, Index n, const KernelPcaOptions& options, Pca& model,
                     Stopwatch& watch, const Run& run);
  /// Also resolves the model's kernel.
  static Chosen choose_landmarks(RowSource<T>& rows, Index n, const KernelPcaOptions& options,
                                 const LowRankLayout& layout, Pca& model, const Run& run);
  static Pass pass_over(RowSource<T>& rows, Index n, const Scaling<T>& scaling, const LandmarkBasis<T>& basis,
                        bool center, double delta, const std::vector<Index>& prefixes, const Run& run);

  /// The basis of a fitted model; throws Error{usage} for exact ones.
  static LandmarkBasis<T> basis_of(const Pca& model, std::string_view purpose);
  /// A model with everything of `like` but what depends on the points.
  static Pca on_basis_of(const Pca& like, const LandmarkBasis<T>& basis);

  /// Where the scores of the points come from: F itself, or αᵀk_S(x), in which a large α enlarges the
  /// rounding of k_S.
  enum class ScoresBy { factor, transform };
  /// Eigenpairs of the scatter, α, offset, and the report but for plan and times. The directions u.
  static Block<double> solve(Pca& model, LandmarkState state, const Components& components, ScoresBy by,
                             const Run& run);
};

}  // namespace mercer
