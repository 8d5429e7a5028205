// A symmetric matrix of numbers that came from elsewhere, kept as tiles of its lower triangle: half of n²
// numbers of 48 bits, multiplied as the tiles of a kernel are (see tile_product.hpp).
#pragma once

#include <mercer/symmetric_operator.hpp>

#include "base/huge_buffer.hpp"
#include "operator/tile_pass.hpp"

#include <algorithm>
#include <array>

namespace mercer {

class TriangleOperator final : public SymmetricOperator<double> {
 public:
  /// Room for the values, to be filled by put(). `largest`: about their size, so that they fit float's range.
  TriangleOperator(Index n, double largest);

  /// Columns beyond which a row's values are not asked for: to the end of the tile on the diagonal.
  [[nodiscard]] Index reach(Index row) const;
  /// Rows first … first + 7 (first a multiple of eight), value(r, c) for row first + r and column c.
  /// Different rows may be put from several threads. Throws Error{bad_data} where a value is not finite.
  template <class Value>
  void put(Index first, const Value& value);
  /// What the certificate is made of, when all is there.
  void set_sums(double trace, double squares, Vector<double> rows);

  /// A tile's values as far as float tells, row-major, tile::size a row; zero beyond the matrix.
  void read(Index tile_row, Index tile_col, float* values) const;
  [[nodiscard]] Index tile_rows() const { return tile_rows_; }
  [[nodiscard]] double scale() const { return scale_; }  ///< of the values that read() gives

  [[nodiscard]] std::optional<double> trace() const override { return trace_; }
  [[nodiscard]] std::optional<double> frobenius_squared() const override { return squares_; }
  [[nodiscard]] const Vector<double>* row_sums() const override { return rows_.size() ? &rows_ : nullptr; }
  [[nodiscard]] bool has_rough_product() const override { return true; }

  /// Bytes that the tiles and the sums of one pass over `block` vectors take.
  [[nodiscard]] static double bytes(Index n, Index block, int threads);

 private:
  void do_apply(const BlockView<double>& v, BlockRef<double> y, const Run& run) const override;
  void do_apply_roughly(const BlockView<double>& v, BlockRef<double> y, const Run& run) const override;
  template <class S>
  void multiply(const BlockView<double>& v, BlockRef<double> y, const Run& run) const;
  void put_rows(Index first, Index tile_col, double* values);
  [[nodiscard]] double* row_scratch() const;

  Index tile_rows_;
  double scale_;
  HugeBuffer<float> tiles_;
  std::optional<double> trace_, squares_;
  Vector<double> rows_;
  TilePass pass_;
};

template <class Column>
void TriangleOperator::put(Index first, const Column& column) {
  constexpr Index rows = tile::panel, width = tile::size;
  double* const values = row_scratch();
  for (Index tile = 0; tile * width < reach(first); ++tile) {
    const Index begin = tile * width, count = std::min(width, size() - begin);
    if (count < width || first + rows > size()) std::fill(values, values + rows * width, 0.0);
    for (Index c = 0; c < count; ++c) {
      std::array<double, rows> eight;
      column(begin + c, eight.data());
      for (Index r = 0; r < rows; ++r) values[r * width + c] = eight[static_cast<std::size_t>(r)];
    }
    for (Index r = size() - first; r < rows; ++r)
      std::fill(values + r * width, values + (r + 1) * width, 0.0);
    put_rows(first, tile, values);
  }
}

}  // namespace mercer
