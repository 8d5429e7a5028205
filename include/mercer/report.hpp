// Report: what a fit found, how sure it is and what it cost. One type for every spectral method;
// the command line's --json prints exactly to_json().
#pragma once

#include <mercer/embedding.hpp>
#include <mercer/matrix.hpp>
#include <mercer/neighbors.hpp>
#include <mercer/plan.hpp>
#include <mercer/spectrum.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mercer {

/// Low rank: where each eigenvalue of K̃ lies.
struct EigenvalueBounds {
  Vector<double> low, high;      ///< both hold together but for the chance delta
  Vector<double> rigorous_low;   ///< always
  Vector<double> rigorous_high;  ///< always
  double delta = 0;
  double remaining_trace = 0;  ///< tr(K − K̂): what the low rank leaves out
  Index rank = 0;
};

/// Random features: how well they stood for the kernel. There is no bound.
struct FeatureApproximation {
  Index count = 0;  ///< D
  bool orthogonal = true;
  double kernel_rms_error = 0;  ///< of z(x)·z(y) − k(x, y) over random pairs of different training points
  Index pairs = 0;              ///< how many
};

/// PCA on basis functions: what they are, and each direction as a function of the inputs.
struct BasisDescription {
  std::string basis;               ///< as Basis::parse reads it
  Index functions = 0;             ///< m
  std::vector<std::string> names;  ///< of the functions without their weights; none where m is large
  Matrix<double> coefficients;     ///< of these, a row a component: weights undone; none where m is large
  Vector<double> offsets;          ///< score = Σ coefficient · function − offset
  std::vector<std::string> directions;  ///< in words: the score, or from the smallest end the relation = 0
};

/// Discriminants: the classes, how they are told apart and how well.
struct Discrimination {
  std::vector<std::string> classes;
  std::vector<Index> sizes;         ///< training points a class
  double ridge = 0;                 ///< μ
  std::optional<double> threshold;  ///< two classes: where the score passes from one to the other
  Index training_errors = 0;        ///< training points that are predicted wrongly
  /// What cross-validation tried, where it chose the kernel and the ridge.
  struct Trial {
    std::string kernel;
    double ridge = 0, error = 0;  ///< error: share of points predicted wrongly by models without them
    double deviation = 0;         ///< of the error from fold to fold
  };
  Index folds = 0;  ///< 0: nothing was tried
  std::vector<Trial> trials = {};
  Index chosen = 0;  ///< which of the trials
};

/// PCA with gaps: what was known, and how well the rest was guessed where it could be checked.
struct GapEstimate {
  Index known = 0;            ///< entries of the table that are there
  double ridge = 0;           ///< of the fit
  double known_error = 0;     ///< root mean square over the known entries, in the units of the (scaled) data
  Index held_out = 0;         ///< known entries that were hidden from a first fit
  double held_out_error = 0;  ///< root mean square over these; by the same fit; NaN where there are none
  double column_mean_error =
      0;  ///< over the same entries, if each is guessed as its column's mean (or as 0, not centred)
  Index sweeps = 0;  ///< over the table, of the last fit
};

/// Decompositions of N-way arrays: how small, how close.
struct Decomposition {
  std::vector<Index> shape;   ///< of the array
  Index sample_mode = 0;      ///< which mode counts the samples
  std::vector<Index> ranks;   ///< Tucker: one a mode; 2D-SVD: of rows and columns; CP: one number
  Index known = 0;            ///< entries that were given: all, the stored ones, those that are not gaps
  Index kept = 0;             ///< numbers that the model keeps instead
  double relative_error = 0;  ///< ‖X − X̂‖ / ‖X‖, over the known entries
  double explained = 0;       ///< 1 − its square
  std::optional<double> variance_explained;  ///< 2D-SVD with a mean: of the variation about it
  std::optional<double> rms_error;           ///< 2D-SVD: √ of the mean over samples of ‖A_i − Â_i‖²
  std::vector<Vector<double>> mode_values;   ///< Tucker, 2D-SVD: singular values of each mode's unfolding
  Vector<double> weights;                    ///< CP: λ
  std::vector<double> errors;                ///< relative error after each sweep, where there were any
  Index starts = 0;                          ///< CP: how many were tried
  std::optional<double> core_consistency;    ///< CP: in percent; 100: the data has no more structure than R
  std::vector<std::string> warnings;         ///< CP: swamps, components that cancel each other, ...
};

/// Maps of a neighbourhood graph: the graph, and how faithful the map is.
struct EmbeddingReport {
  std::optional<NeighborReport> graph;
  std::optional<EmbeddingQuality> quality;
  Index landmarks = 0;                      ///< Isomap: 0 where all points are
  std::optional<double> residual_variance;  ///< Isomap: 1 − R² of path lengths and distances in the map
  /// Unfolding: relative change of neighbours' squared distances in the map, the largest and the mean.
  std::optional<double> isometry_error, isometry_mean;
  std::optional<double> kl_divergence;  ///< t-SNE: at the end
  std::vector<double> kl_history;       ///< t-SNE: every 50 iterations
};

struct Report {
  std::string method;
  Index n = 0, d = 0;
  Index components = 0;            ///< found
  Index components_requested = 0;  ///< asked for (more than found when the rank is smaller)
  std::string kernel;
  Precision precision = Precision::float64;
  bool centered = true;
  End end = End::largest;                   ///< smallest: eigenvalues ascend, bounds are from below
  Vector<double> gram_eigenvalues;          ///< of K̃, descending
  Vector<double> variances;                 ///< those over n (or n − 1)
  Vector<double> explained_variance_ratio;  ///< over the exact trace
  double trace = 0;                         ///< of K̃, exact (low rank: or an upper bound, and a note)
  Vector<double> residuals;                 ///< ‖K̃v − θv‖₂ for ‖v‖₂ = 1
  MissedBound missed;
  std::optional<EigenvalueBounds> bounds;        ///< of the low-rank route
  std::optional<FeatureApproximation> features;  ///< of random features: nothing above is certified
  std::optional<BasisDescription> basis;         ///< of PCA on basis functions
  std::optional<Discrimination> discrimination;  ///< of discriminants
  /// Most negative eigenvalue of K̃, where the kernel is not known to be PSD.
  std::optional<double> min_eigenvalue;
  /// Σ|λ⁻| / Σ|λ| over the eigenvalues that were computed; exact when all were.
  std::optional<double> negative_share;
  bool converged = true;
  Index passes = 0;        ///< over the matrix, of eight vectors each
  Index rough_passes = 0;  ///< of these with products in float; the others are exact
  Plan plan;
  std::vector<std::pair<std::string, double>> seconds;  ///< stage, in order; "total" last
  std::size_t peak_bytes = 0;                           ///< of the process
  std::vector<std::string> notes;                       ///< what the user should know, in words
  std::optional<EmbeddingReport> embedding;             ///< of maps of a neighbourhood graph
  std::optional<Decomposition> decomposition;           ///< of Tucker, CP and 2D-SVD
  std::optional<GapEstimate> gaps;  ///< of PCA with gaps: eigenvalues and shares are estimates

  [[nodiscard]] std::string to_json() const;
  [[nodiscard]] std::string to_string() const;  ///< a readable summary
};

}  // namespace mercer
