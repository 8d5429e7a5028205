// What the commands that come back from feature space share: how, and how good that was.
#pragma once

#include "fit_options.hpp"

#include <mercer/preimage.hpp>

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace mercer::app {

struct PreimageFlags {
  std::string method = "auto", ridge = "1";
  Index neighbors = 10, starts = 3;
  double pull = 0;

  void add_to(CLI::App& parser, const std::string& group);
  [[nodiscard]] PreimageOptions parsed() const;
  /// Throws Error{usage} when any of these options was given to a method that has no use for them.
  static void refuse_for(const CLI::App& parser, const std::string& method,
                         const std::string& why = "whose inverse is exact");
};

/// The errors of pre-images found so far, over all chunks.
struct PreimageErrors {
  std::string preimage = "exact";
  std::vector<double> errors = {};
  Index unconverged = 0;

  template <class T>
  void add(const Preimages<T>& found) {
    errors.insert(errors.end(), found.errors.begin(), found.errors.end());
    unconverged += found.unconverged;
  }
  [[nodiscard]] double mean() const;
  /// All Pφ are inputs: PCA's, and those of linear kernels. The cosine's best answers need not be.
  [[nodiscard]] bool is_exact() const { return errors.empty() || (preimage == "exact" && mean() == 0); }
  /// preimage, errors, mean_error, max_error, unconverged.
  void put_into(nlohmann::ordered_json& json) const;
  /// "pre-images by fixed-point: mean error 0.012, largest 0.3 in row 17"
  [[nodiscard]] std::string in_words() const;
};

}  // namespace mercer::app
