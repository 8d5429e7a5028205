// The same points mapped by several methods, timed and measured on one scale.
//
//     auto roll = mercer::generate("swiss-roll", 2000);
//     for (const auto& map : mercer::compare<double>(roll, {.methods = {"pca", "isomap", "tsne"}}))
//       map.title, map.seconds, map.quality->trustworthiness, map.points;
#pragma once

#include <mercer/dataset.hpp>
#include <mercer/embedding.hpp>
#include <mercer/error.hpp>
#include <mercer/kernel.hpp>
#include <mercer/neighbors.hpp>
#include <mercer/scaling.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

struct CompareOptions {
  /// Of compared_methods(); empty: all.
  std::vector<std::string> methods = {};
  Index components = 2;
  NeighborOptions neighbors = {};  ///< of the graphs; as many neighbours count for the quality
  Kernel kernel = {};              ///< kpca's; default rbf(gamma=median)
  double perplexity = 0;           ///< t-SNE's; 0: 30, or less where there are few points
  Scale scale = Scale::none;
};

/// What one method made of the points; or why it could not.
template <class T>
struct MethodMap {
  std::string method, title;  ///< "hlle", "Hessian LLE"
  Matrix<T> points = {};
  std::vector<Index> rows = {};  ///< of the data, where some were left out; empty: all
  double seconds = 0;            ///< of the fit
  std::optional<EmbeddingQuality> quality = {};
  std::optional<Error> failure = {};
};

/// pca, kpca, isomap, lle, mlle, hlle, laplacian, diffusion, mvu, tsne.
[[nodiscard]] std::vector<std::string> compared_methods();
/// "hlle" -> "Hessian LLE"; throws Error{usage} for a method that is not among them.
[[nodiscard]] std::string title_of_method(std::string_view method);

/// A method that fails says so in its place, and the others go on. Throws for data that no method can use,
/// for unknown methods, and when asked to stop.
template <class T>
[[nodiscard]] std::vector<MethodMap<T>> compare(const Dataset<T>& data, const CompareOptions& options = {},
                                                const Run& run = {});

}  // namespace mercer
