// One fit to be tried: the data as they are and every option. It is what the generator draws, what a trial
// runs and what shrinking makes smaller.
#pragma once

#include "kernel_tree.hpp"

#include <mercer/kernel_pca.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace certify {

using mercer::Index;

/// What happens to a low-rank model after its fit.
enum class Chain { none, update, grow, merge, refit };

struct FitCase {
  std::uint64_t seed = 0;
  std::string method =
      "kpca";  ///< kpca, pca, basis-pca, lda, klda, features, missing, isomap, lle, hlle, laplacian

  mercer::Matrix<double> x;           ///< values that the precision holds
  std::vector<std::int32_t> classes;  ///< of discriminants
  bool sparse = false;
  std::string shape = "normal";  ///< what the data look like, in a word
  double offset = 0;             ///< that was added to the data, in units of their spread
  int exponent = 0;              ///< of the power of ten that the data were multiplied by
  std::string width = "-";       ///< of the kernel against the data: useless, narrow, median, wide, ...

  mercer::Precision precision = mercer::Precision::float64;
  KernelTree kernel;
  bool center = true;
  mercer::Scale scale = mercer::Scale::none;
  mercer::Components components = 2;
  mercer::Indefinite indefinite = mercer::Indefinite::error;
  double residual = 0;
  double delta = 1e-6;
  mercer::Route route = mercer::Route::automatic;
  mercer::LowRank lowrank;
  bool streamed = false;
  int threads = 1;
  bool other_threads = false;  ///< fit again with another number of threads and compare the bits
  bool saved = false;          ///< write the model, read it and compare the bits
  Chain chain = Chain::none;
  Index first_rows = 0;  ///< of the data, that are fitted before the others join

  bool unbiased = false;  ///< pca
  std::string basis;      ///< basis-pca
  Index smallest = 0;     ///< basis-pca
  double ridge = 0;       ///< lda, klda, missing
  Index features = 0;     ///< random features
  double gaps = 0;        ///< missing: share of the entries that are not known
  Index neighbors = 0;    ///< maps
  std::string variant;    ///< maps: of the Laplacian, or of LLE
  bool heat = false;      ///< laplacian: links weigh exp(−‖x−y‖²/t)
  double diffusion = -1;  ///< laplacian: the time of a diffusion map; below 0: an eigenmap
  double density = 1;     ///< laplacian: the power of the density that diffusion divides out
};

/// A fit drawn from the seed; `only` restricts the draw to cases with this tag ("route=tiled"), where it is
/// not empty.
[[nodiscard]] FitCase draw_case(std::uint64_t seed, bool small);

/// The options of a case as name=value, by which fits and violations are counted.
[[nodiscard]] std::vector<std::string> tags_of(const FitCase& c);

/// The command line that shows the case, with the data written to `folder`; empty where it needs the program
/// itself.
[[nodiscard]] std::string command_of(const FitCase& c, const std::string& folder);

}  // namespace certify
