// The kernel matrix K as an operator, by tiles of its lower triangle. Stored: the tiles are kept
// (half of n² numbers). Recomputed: nothing is kept and each pass evaluates the tiles again.
// In double there is a rough product too: from the float part of the stored tiles, or from tiles
// evaluated in float. Sums run in an order that does not depend on the number of threads.
#pragma once

#include <mercer/kernel.hpp>
#include <mercer/symmetric_operator.hpp>

#include "base/huge_buffer.hpp"
#include "kernel/tiles.hpp"

#include <mutex>

namespace mercer {

enum class Storage { stored, recomputed };

template <class T>
class GramOperator final : public SymmetricOperator<T> {
 public:
  /// One pass over the tiles: evaluates them all, keeps them if asked, and sums what the centring
  /// and the certificate need. Throws when a value is not finite or K is not symmetric.
  GramOperator(const Kernel& kernel, const Samples<T>& samples, Storage storage, const Run& run = {});

  [[nodiscard]] std::optional<double> trace() const override { return trace_; }
  [[nodiscard]] std::optional<double> frobenius_squared() const override { return frobenius_squared_; }
  [[nodiscard]] bool has_rough_product() const override { return sizeof(T) == sizeof(double); }
  [[nodiscard]] const Vector<double>& row_sums() const { return row_sums_; }  ///< K·1

  /// Bytes that the tiles and the sums of one pass over `block` vectors take.
  [[nodiscard]] static double bytes(Index n, Index block, Storage storage, int threads);

 private:
  void do_apply(const BlockView<T>& v, BlockRef<T> y, const Run& run) const override;
  void do_apply_roughly(const BlockView<T>& v, BlockRef<T> y, const Run& run) const override;
  /// The pass itself, with vectors, sums and recomputed tiles in S.
  template <class S>
  void multiply(const BlockView<T>& v, BlockRef<T> y, const Run& run) const;

  KernelTiles<T> tiles_;
  std::optional<KernelTiles<float>> rough_tiles_;  ///< in double, when recomputed
  Index tile_rows_ = 0;
  double scale_ = 1;          ///< a power of two that brings the values into float's range
  HugeBuffer<float> stored_;  ///< empty when recomputed
  double trace_ = 0, frobenius_squared_ = 0;
  Vector<double> row_sums_;

  /// What a pass works in, kept for the next: fresh memory costs as much as the pass itself.
  mutable std::mutex scratch_mutex_;
  mutable HugeBuffer<T> scratch_;
  mutable std::size_t scratch_size_ = 0;
};

}  // namespace mercer
