// Products with a stored triangle.
#include "operator/triangle_operator.hpp"

#include "base/thread_scratch.hpp"
#include "operator/tile_pass.hpp"

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
  const Index n = size(), b = v.cols(), w = tile::width(), groups = (b + w - 1) / w;
  const Index group = tile::size * w, tile_length = groups * group, length = tile_rows_ * tile_length;
  const Strips strips(tile_rows_);

  const std::lock_guard one_at_a_time(scratch_mutex_);
  const Index buffers = buffers_for(strips.count, length, run.thread_count());
  const auto needed = static_cast<std::size_t>((buffers + 2) * length);
  if (scratch_size_ < needed) {
    scratch_size_ = 0;
    scratch_ = HugeBuffer<double>();  // the old one first
    scratch_ = HugeBuffer<double>(needed);
    scratch_size_ = needed;
  }
  S* const packed = reinterpret_cast<S*>(scratch_.data());
  double* const total = scratch_.data() + length;
  std::vector<double*> parts;
  for (Index i = 0; i < buffers; ++i) parts.push_back(total + (i + 1) * length);

  // The vectors by tiles of rows, each tile's groups of w vectors one after the other, padded with zeros.
  parallel_for(tile_rows_, run, [&](Index t) {
    S* out = packed + t * tile_length;
    const Index i0 = t * tile::size, rows = std::min(tile::size, n - i0);
    std::fill(out, out + tile_length, S(0));
    std::fill(total + t * tile_length, total + (t + 1) * tile_length, 0.0);
    for (Index c = 0; c < b; ++c)
      for (Index i = 0; i < rows; ++i) out[c / w * group + tile::place<S>(i, c % w, w)] = S(v(i0 + i, c));
  });

  OrderedSum<double> sums(total, strips.count, std::move(parts));
  parallel_for(strips.count, run, [&](Index strip) {
    try {
      const Index used = strips.rows(strip) * tile_length;
      double* const mine = sums.borrow(strip, run);
      std::fill(mine, mine + used, 0.0);
      for (Index t = strips.begin(strip); t < strips.begin(strip + 1); ++t) {
        run.check();
        const TilePosition at = position_of(t);
        const Index at_i = at.row * tile_length, at_j = at.col * tile_length;
        with_sums_in<S>(tile_length, mine + at_i, at.row == at.col ? nullptr : mine + at_j,
                        [&](S* own, S* other) {
                          tile::multiply(tiles_.data() + t * tile_floats, b, packed + at_j, own,
                                         packed + at_i, other);
                        });
      }
      sums.give(strip, mine, used);
    } catch (...) {
      sums.abandon();
      throw;
    }
  });

  parallel_for(tile_rows_, run, [&](Index t) {
    const double* in = total + t * tile_length;
    const Index i0 = t * tile::size, rows = std::min(tile::size, n - i0);
    for (Index c = 0; c < b; ++c)
      for (Index i = 0; i < rows; ++i)
        y(i0 + i, c) = in[c / w * group + tile::place<S>(i, c % w, w)] / scale_;
  });
}

}  // namespace mercer
