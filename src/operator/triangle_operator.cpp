// Products with a stored triangle.
#include "operator/triangle_operator.hpp"

#include "base/thread_scratch.hpp"

#include <cmath>

namespace mercer {
namespace {

constexpr Index tile_floats = 2 * tile::plane;

}  // namespace

TriangleOperator::TriangleOperator(Index n, double largest)
    : SymmetricOperator<double>(n),
      tile_rows_((n + tile::size - 1) / tile::size),
      scale_(largest > 0 && std::isfinite(largest) ? std::ldexp(1.0, -std::ilogb(largest)) : 1),
      tiles_(static_cast<std::size_t>(Strips(tile_rows_).tiles * tile_floats)) {
  // Of the last row of tiles not all is put.
  const Index last = (tile_rows_ - 1) * tile_rows_ / 2;
  std::fill(tiles_.data() + last * tile_floats, tiles_.data() + (last + tile_rows_) * tile_floats, 0.0F);
}

Index TriangleOperator::reach(Index row) const {
  return std::min(size(), (row / tile::size + 1) * tile::size);
}

double* TriangleOperator::row_scratch() const { return thread_scratch<double>(tile::panel * tile::size); }

void TriangleOperator::put_rows(Index first, Index tile_col, double* values) {
  const Index i = first / tile::size;
  float* const packed = tiles_.data() + (i * (i + 1) / 2 + tile_col) * tile_floats;
  if (!tile::scale(values, tile::panel * tile::size, scale_) ||
      !tile::pack(values, first % tile::size, tile::panel, packed))
    throw Error(ErrorCode::bad_data, "the matrix has entries that are not finite");
}

void TriangleOperator::set_sums(double trace, double squares, Vector<double> rows) {
  trace_ = trace;
  squares_ = squares;
  rows_ = std::move(rows);
}

void TriangleOperator::read(Index tile_row, Index tile_col, float* values) const {
  // Panels of eight rows; in a panel, columns in pairs.
  const float* in = tiles_.data() + (tile_row * (tile_row + 1) / 2 + tile_col) * tile_floats;
  for (Index panel = 0; panel < tile::size; panel += tile::panel)
    for (Index c = 0; c < tile::size; c += 2)
      for (Index r = panel; r < panel + tile::panel; ++r, in += 2) {
        values[r * tile::size + c] = in[0];
        values[r * tile::size + c + 1] = in[1];
      }
}

double TriangleOperator::bytes(Index n, Index block, int threads) {
  const Index tile_rows = (n + tile::size - 1) / tile::size, width = tile::width();
  const Strips strips(tile_rows);
  const double length = double(tile_rows * tile::size * ((block + width - 1) / width * width));
  const double blocks = double(buffers_for(strips.count, static_cast<Index>(length), threads)) + 2;
  return double(strips.tiles) * tile_floats * sizeof(float) + blocks * length * sizeof(double);
}

void TriangleOperator::do_apply(const BlockView<double>& v, BlockRef<double> y, const Run& run) const {
  multiply<double>(v, y, run);
}

void TriangleOperator::do_apply_roughly(const BlockView<double>& v, BlockRef<double> y,
                                        const Run& run) const {
  multiply<float>(v, y, run);
}

template <class S>
void TriangleOperator::multiply(const BlockView<double>& v, BlockRef<double> y, const Run& run) const {
  const Strips strips(tile_rows_);
  const Index b = v.cols(), length = TiledBlock{.n = size(), .vectors = b}.length;
  pass_.apply<S>(v, y, scale_, run, [&](Index strip, const auto& operands) {
    for (Index t = strips.begin(strip); t < strips.begin(strip + 1); ++t) {
      run.check();
      const TileOperands<S> o = operands(position_of(t).row, position_of(t).col);
      with_sums_in<S>(length, o.y_i, o.y_j, [&](S* own, S* other) {
        tile::multiply(tiles_.data() + t * tile_floats, b, o.v_j, own, o.v_i, other);
      });
    }
  });
}

}  // namespace mercer
