// What the low-rank route adds to the command line: its options, and models whose basis is taken further.
#pragma once

#include "fit_options.hpp"

#include <mercer/kernel_pca.hpp>

#include <memory>
#include <string>

namespace mercer::app {

struct LowRankFlags {
  Index rank = 0;
  double tolerance = 0;
  std::string landmarks;  ///< a way to choose them, a file of row numbers, or a model

  void add_to(CLI::App& parser, const std::string& group);
  [[nodiscard]] bool given() const { return rank > 0 || tolerance > 0 || !landmarks.empty(); }
  /// Do the landmarks come from a model?
  [[nodiscard]] bool from_model() const;
  /// lowrank when any of these options was given; throws Error{usage} beside another explicit route.
  [[nodiscard]] Route route(const std::string& name) const;
  [[nodiscard]] LowRank parsed() const;
};

/// A low-rank kernel PCA model; throws Error{usage} for any other: it is a … model, which `purpose`.
template <class T>
[[nodiscard]] std::unique_ptr<Model<T>> load_kernel_pca(const std::string& path, const std::string& purpose);
template <class T>
[[nodiscard]] const KernelPca<T>& as_kernel_pca(const Model<T>& model) {
  return dynamic_cast<const KernelPca<T>&>(model);
}

/// Stands in for KernelPca where a fit goes on with the basis of a model.
struct BasisOptions {
  std::string model;
  Components components = 2;
};
template <class T>
struct OnBasis {
  static Dataset<T> read(const std::string& path, const ReadOptions& read, const BasisOptions& options,
                         const Run& run);
  static KernelPca<T> fit(const Dataset<T>& data, const BasisOptions& options, const Run& run);
  static Plan plan(const Samples<T>& samples, const BasisOptions& options, const Run& run);
};

/// Should the table be fitted in passes over its file, since it does not fit the memory budget?
[[nodiscard]] bool must_stream(const FitFlags& flags, const Run& run);
/// Low rank in passes over the file; the scores are written as the file is read once more.
void fit_in_passes(const FitFlags& flags, const KernelPcaOptions& options, const Session& session);

}  // namespace mercer::app
