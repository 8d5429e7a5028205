// The affinities of t-SNE: p_{j|i} ∝ exp(−β_i‖x_i − x_j‖²), each β_i such that the perplexity exp H(p_{·|i})
// is the one asked for; p_ij = (p_{j|i} + p_{i|j}) / 2n. Over the neighbours of each point, or over all
// points.
#pragma once

#include <mercer/matrix.hpp>
#include <mercer/neighbors.hpp>
#include <mercer/run.hpp>
#include <mercer/samples.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace mercer {

/// Neighbours a point: beyond three times the perplexity a Gaussian has nothing left to give.
[[nodiscard]] Index neighbors_for(double perplexity, Index points);

/// p_j ∝ exp(−β d²_j), Σp = 1, of that perplexity; returns β. Where more points than the perplexity tie as
/// nearest, these share alike.
double calibrate(std::span<const double> squared_distances, double perplexity, std::span<double> p);

/// P by rows, sorted; each row is filled up to whole vectors (TsneMap::vector) by links of the point to
/// itself with p = 0.
template <class T>
struct SparseAffinities {
  std::vector<Index> begin;         ///< n + 1
  std::vector<std::int32_t> index;  ///< j
  std::vector<T> value;             ///< p_ij
  Index links = 0;                  ///< without those that fill up

  [[nodiscard]] Index points() const { return static_cast<Index>(begin.size()) - 1; }
  [[nodiscard]] Index pieces() const;  ///< that no link connects
};

template <class T>
[[nodiscard]] SparseAffinities<T> sparse_affinities(const NeighborLists& lists, double perplexity,
                                                    const Run& run);

/// All pairs: n x TsneMap::padded(n), zeros on the diagonal and beyond n.
template <class T>
[[nodiscard]] Matrix<T> dense_affinities(const Samples<T>& points, double perplexity, const Run& run);

/// Σ p log p, the part of KL(P‖Q) that the map does not change.
template <class T>
[[nodiscard]] double negative_entropy(const T* p, Index count, const Run& run);

}  // namespace mercer
