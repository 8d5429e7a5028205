// How faithful an embedding is, on one scale for every method (Venna and Kaski 2001; Lee and Verleysen 2009).
//
//     auto quality = mercer::embedding_quality<double>(samples, model.scores(), {.neighbors = 12});
#pragma once

#include <mercer/matrix.hpp>
#include <mercer/run.hpp>
#include <mercer/samples.hpp>

#include <optional>

namespace mercer {

struct EmbeddingQuality {
  Index neighbors = 0;         ///< k
  double trustworthiness = 0;  ///< 1: no point is near in the map that is not near in the data
  double continuity = 0;       ///< 1: no point near in the data is torn away in the map
  double preservation = 0;     ///< share of the k nearest neighbours that stay such
  double stress = 0;           ///< √(Σ(d − s·δ)²/Σd²) at the best s, over pairs; Kruskal's stress-1
  Index measured = 0;          ///< points it was measured on (a sample where there are many)
};

struct QualityOptions {
  Index neighbors = 12;
  Index most_points = 2000;  ///< of these ranks are computed among all points; drawn by run.seed beyond
};

template <class T>
[[nodiscard]] EmbeddingQuality embedding_quality(const Samples<T>& data, const MatrixView<T>& map,
                                                 const QualityOptions& options = {}, const Run& run = {});

}  // namespace mercer
