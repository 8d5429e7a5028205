// The kernel matrix K as an operator, by tiles of its lower triangle. Stored: the tiles are kept (half
// of n² numbers). Rounded: they are kept in float, for rough products; exact ones evaluate them anew.
// Recomputed: nothing is kept and each pass evaluates the tiles, in double or, roughly, in float.
// Sums run in an order that does not depend on the number of threads.
#pragma once

#include <mercer/kernel.hpp>
#include <mercer/symmetric_operator.hpp>

#include "base/huge_buffer.hpp"
#include "kernel/tiles.hpp"
#include "operator/tile_pass.hpp"

namespace mercer {

enum class Storage { stored, rounded, recomputed };

class GramOperator final : public SymmetricOperator<double> {
 public:
  /// Evaluates the tiles that are kept. Throws when a value is not finite or K is not symmetric: here, or
  /// in the first exact pass where no exact values are kept.
  GramOperator(const Kernel& kernel, const Samples<double>& samples, Storage storage, const Run& run = {});

  /// Known once K has been evaluated exactly: from the beginning when stored, else after one exact pass.
  [[nodiscard]] std::optional<double> trace() const override;
  [[nodiscard]] std::optional<double> frobenius_squared() const override;
  [[nodiscard]] const Vector<double>* row_sums() const override;  ///< K·1
  /// Makes trace, norm and row sums known, by one exact pass if need be.
  void gather_sums(const Run& run = {}) const;
  [[nodiscard]] bool has_rough_product() const override {
    return storage_ != Storage::recomputed || rough_tiles_;
  }

  /// Bytes that the tiles and the sums of one pass over `block` vectors take.
  [[nodiscard]] static double bytes(Index n, Index block, Storage storage, int threads);

 private:
  /// What the centring and the certificate need, gathered while tiles are evaluated exactly.
  struct Sums {
    double trace = 0, squares = 0;
    Vector<double> rows;
  };
  class SumsInOrder;

  void do_apply(const BlockView<double>& v, BlockRef<double> y, const Run& run) const override;
  void do_apply_roughly(const BlockView<double>& v, BlockRef<double> y, const Run& run) const override;
  [[nodiscard]] double estimate_rough_error(const BlockView<double>& v, const Run& run) const override;
  /// Rows of K V that belong to one row of tiles, as a pass in S gives them.
  template <class S>
  [[nodiscard]] Matrix<double> tile_row_product(Index row, const BlockView<double>& v) const;
  /// The pass itself, with vectors, sums and evaluated tiles in S.
  template <class S>
  void multiply(const BlockView<double>& v, BlockRef<double> y, const Run& run) const;
  /// The product of tile (i, j) with its vectors, both ways or, without y_j, one way.
  template <class S>
  void multiply_tile(Index i, Index j, Index vectors, const TileOperands<S>& operands, SumsInOrder* sums,
                     double* rows) const;
  /// Evaluates tile (i, j), so many rows together, and hands them to use(first row, rows, values): row-major,
  /// scaled, tile::size values in a row and a multiple of tile::panel rows, padded with zeros. Exact values
  /// are added to `sums` and their `rows` if given.
  template <class S, class Use>
  void evaluate(Index i, Index j, Index together, SumsInOrder* sums, double* rows, const Use& use) const;
  [[noreturn]] void report_overflow(Index i, Index j) const;

  Index tile_rows_;
  Storage storage_;
  std::optional<KernelTiles<double>> exact_tiles_;
  std::optional<KernelTiles<float>> rough_tiles_;  ///< none for a precomputed K, which is not copied
  std::string kernel_;
  double scale_ = 1;          ///< a power of two that brings the values into float's range
  bool bounded_ = false;      ///< no value exceeds those on the diagonal: nothing can overflow
  Vector<double> diagonal_;   ///< |k_ii|
  HugeBuffer<float> stored_;  ///< two planes a tile, one when rounded, none when recomputed

  TilePass pass_;
  mutable std::optional<Sums> sums_;
};

/// About the largest |k(x, y)|: near the diagonal, which bounds all values of a positive semidefinite kernel.
/// Of others all are looked at where these are tiny: products of distances with narrow bumps are 0 on the
/// diagonal.
[[nodiscard]] double largest_value(const KernelTiles<double>& tiles, Definiteness definiteness,
                                   const Run& run);

}  // namespace mercer
