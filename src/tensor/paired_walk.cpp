// Tiles of two arrays of one shape.
#include "tensor/paired_walk.hpp"

#include <algorithm>
#include <cstdlib>

namespace mercer {
namespace {

constexpr Index tile_side = 32;  // a transposed tile is this square: the first cache holds both sides
constexpr Index tile_elements = 1 << 14;   // of a tile that is contiguous in both arrays
constexpr Index group_elements = 1 << 18;  // of what one thread takes at a time

}  // namespace

PairedWalk::PairedWalk(const Shape& shape, const Shape& first, const Shape& second) {
  for (std::size_t m = 0; m < shape.size(); ++m)
    if (shape[m] > 1) dims_.push_back({shape[m], first[m], second[m]});
  std::stable_sort(dims_.begin(), dims_.end(), [](const Dimension& a, const Dimension& b) {
    return std::abs(a.second) < std::abs(b.second);
  });
  std::size_t kept = 0;
  for (std::size_t d = 1; d < dims_.size(); ++d) {
    Dimension& last = dims_[kept];
    const Dimension next = dims_[d];
    if (next.first == last.first * last.size && next.second == last.second * last.size)
      last.size *= next.size;
    else
      dims_[++kept] = next;
  }
  if (!dims_.empty()) dims_.resize(kept + 1);
  while (dims_.size() < 2) dims_.push_back({1, 1, 1});

  const auto faster = [](const Dimension& a, const Dimension& b) {
    return std::abs(a.first) < std::abs(b.first);
  };
  const auto fastest = std::min_element(dims_.begin(), dims_.end(), faster);
  transposed_ = fastest != dims_.begin() && fastest->size > 1;
  if (transposed_) std::rotate(dims_.begin() + 1, fastest, fastest + 1);

  Dimension &inner = dims_[0], &outer = dims_[1];
  const Index elements = transposed_ ? tile_side * tile_side : tile_elements;
  outer.step = transposed_ ? std::min(outer.size, tile_side) : 1;
  inner.step = std::min(inner.size, elements / outer.step);
  outer.step = std::min(outer.size, std::max<Index>(1, elements / inner.step));
  for (Dimension& d : dims_) {
    d.tiles = (d.size + d.step - 1) / d.step;
    tiles_ *= d.tiles;
  }
  group_ = std::max<Index>(1, group_elements / (inner.step * outer.step));
}

std::vector<Index> PairedWalk::position(Index tile) const {
  std::vector<Index> at(dims_.size());
  for (std::size_t d = 0; d < dims_.size(); ++d) {
    at[d] = tile % dims_[d].tiles;
    tile /= dims_[d].tiles;
  }
  return at;
}

PairedWalk::Tile PairedWalk::tile(const std::vector<Index>& at) const {
  const Dimension &inner = dims_[0], &outer = dims_[1];
  Tile out{std::min(inner.step, inner.size - at[0] * inner.step),
           std::min(outer.step, outer.size - at[1] * outer.step),
           {0, inner.first, outer.first},
           {0, inner.second, outer.second}};
  for (std::size_t d = 0; d < dims_.size(); ++d) {
    out.first.offset += at[d] * dims_[d].step * dims_[d].first;
    out.second.offset += at[d] * dims_[d].step * dims_[d].second;
  }
  return out;
}

}  // namespace mercer
