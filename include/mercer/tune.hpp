// Choosing a kernel, its width and the number of components.
//
//     auto data = mercer::read_dataset<double>("wine.csv", {.label = "class"});
//     auto tuned = mercer::tune(data, {.kernels = {mercer::Kernel::rbf(mercer::Gamma::median())}});
//     tuned.trials.front().kernel, tuned.components
//
// Kernels are ranked by what can be compared across them: the input-space error of pre-images,
// cross-validated (the variance of a feature space cannot: a wider kernel always explains more); with classes
// by how many of the held-out points their neighbours in the scores get right, or by the alignment of the
// kernel with the classes.
#pragma once

#include <mercer/dataset.hpp>
#include <mercer/kernel.hpp>
#include <mercer/matrix.hpp>
#include <mercer/run.hpp>
#include <mercer/scaling.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

enum class TuneBy {
  automatic,  ///< accuracy where there are classes, else error
  error,
  accuracy,
  alignment,
};
[[nodiscard]] TuneBy parse_tune_by(std::string_view name);
[[nodiscard]] std::string_view name_of(TuneBy by);

struct TuneOptions {
  /// Widths left to a rule (gamma=median, auto; length=1, the default) are swept from there; numbers stay as
  /// given. Empty: rbf, laplacian, matern52, polynomials of degree 2 and linear.
  std::vector<Kernel> kernels = {};
  Index components = 0;  ///< 0: as many as parallel analysis finds; at most as many as there are
  Scale scale = Scale::none;
  TuneBy by = TuneBy::automatic;
  Index folds = 5;
  Index rows = 600;         ///< at most so many, drawn at random; a note says so
  Index permutations = 20;  ///< of parallel analysis
  double share = 0.9;       ///< of the variance, for the first rule for k
};

struct Trial {
  Kernel kernel;
  std::size_t family = 0;  ///< of options.kernels
  double width = 1;        ///< gamma over that of the rule; 1 where nothing was swept
  double error = 0;        ///< ‖x − x̂‖² of held-out points over ‖x − x̄‖²
  double spread = 0;       ///< its standard deviation over the folds
  std::optional<double> accuracy = {}, alignment = {};
};

/// How many components, by three rules, for the best kernel.
struct ComponentAdvice {
  /// As few as reach the share; nothing where all that were computed (eigenvalues) do not.
  std::optional<Index> by_share = {};
  Index by_parallel = 0;  ///< eigenvalues above the 95 % quantile of those of data with shuffled columns
  Index by_knee = 0;      ///< furthest below the line from the first to the last eigenvalue
  Vector<double> eigenvalues, permuted;  ///< the leading ones, and that quantile; over n
};

struct Tuning {
  std::vector<Trial> trials;  ///< best first
  TuneBy by = TuneBy::error;
  Index components = 0;  ///< the advice
  Index swept_with = 0;  ///< components during the sweep
  Index rows = 0, folds = 0;
  ComponentAdvice advice;
  std::vector<std::string> notes;
};

[[nodiscard]] Tuning tune(const Dataset<double>& data, const TuneOptions& options = {}, const Run& run = {});

}  // namespace mercer
