// What tucker, cp and svd2d take: a stack, ranks, what to write, how to run.
#pragma once

#include "fit_options.hpp"

#include <mercer/tensor.hpp>

#include <string>
#include <vector>

namespace mercer::app {

struct TensorFlags : FitFlags {
  std::string reconstruct;  ///< where X̂ goes
  Index sample_mode = 0;

  /// `sparse`: the method takes sparse arrays too.
  void add_to(CLI::App& parser, const std::function<void(CLI::App&, const std::string& group)>& problem,
              bool sparse = true);
  void add_sample_mode(CLI::App& parser, const std::string& group);
  /// Throws Error{usage} or Error{cannot_create} for what can be known before reading.
  void check() const;
};

/// "10,10,5", or "all" for a mode that is to stay as it is (0 here). Throws Error{usage}.
class Ranks {
 public:
  static Ranks parse(const std::string& text);
  [[nodiscard]] bool given() const { return !ranks_.empty(); }
  /// For modes of these sizes; throws Error{usage} where there are more or fewer.
  [[nodiscard]] Shape of(const Shape& sizes, const std::string& what) const;

 private:
  std::string text_;
  Shape ranks_;
};

/// Throws Error{usage} when the ending names no format of N-way arrays, Error{cannot_create} when the file
/// cannot be made.
void require_tensor_creatable(const std::string& path);
/// By its ending: npy, npz or tns.
[[nodiscard]] bool is_tensor_output(const std::string& path);

}  // namespace mercer::app
