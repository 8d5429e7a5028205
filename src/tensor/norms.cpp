// Inner products and norms: squares added up in double, tile by tile, the tiles' sums in order, so that
// neither the length of the sum nor the number of threads shows.
#include <mercer/tensor_algebra.hpp>

#include "base/parallel.hpp"
#include "tensor/fibers.hpp"
#include "tensor/paired_walk.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace mercer {
namespace {

/// Σ x_i y_i in short sums that are then added up, each of four, so that one addition need not wait for the
/// other.
template <class T>
double dot_of(const T* x, Index x_stride, const T* y, Index y_stride, Index n) {
  constexpr Index length = 256;
  const auto product = [&](Index i) {
    return static_cast<double>(x[i * x_stride]) * static_cast<double>(y[i * y_stride]);
  };
  double total = 0;
  for (Index from = 0; from < n; from += length) {
    const Index to = std::min(n, from + length);
    double sums[4] = {};
    Index i = from;
    for (; i + 4 <= to; i += 4)
      for (Index k = 0; k < 4; ++k) sums[k] += product(i + k);
    for (; i < to; ++i) sums[0] += product(i);
    total += (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
  return total;
}

/// total(tile) of all tiles; each group's sum is made by one thread.
template <class Total>
double sum_over_tiles(const PairedWalk& walk, const Run& run, const Total& total) {
  std::vector<double> sums(static_cast<std::size_t>(walk.groups()));
  parallel_for(walk.groups(), run, [&](Index group) {
    double sum = 0;
    walk.for_each_tile(group, [&](const PairedWalk::Tile& tile) { sum += total(tile); });
    sums[static_cast<std::size_t>(group)] = sum;
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

/// Are the digits of a sum of squares all there? Not where squares were beyond a double's range.
bool in_range(double squares) {
  return squares > 1e-280 && squares < std::numeric_limits<double>::infinity();
}

/// ‖x‖ where the squares leave the range: max |x| · ‖x / max |x|‖. for_each(use) hands out all elements.
template <class ForEach>
double scaled_norm(const ForEach& for_each) {
  double largest = 0;
  for_each([&](double value) { largest = std::isnan(value) ? value : std::max(largest, std::abs(value)); });
  if (largest == 0 || !std::isfinite(largest)) return largest;
  double squares = 0;
  for_each([&](double value) { squares += (value / largest) * (value / largest); });
  return largest * std::sqrt(squares);
}

}  // namespace

template <class T>
double inner(const TensorView<T>& x, const TensorView<T>& y) {
  require_same_shape(x.shape(), y.shape(), "the inner product");
  return sum_over_tiles(
      PairedWalk(x.shape(), x.strides(), y.strides()), {}, [&](const PairedWalk::Tile& tile) {
        double sum = 0;
        for (Index j = 0; j < tile.outer; ++j)
          sum += dot_of(x.data() + tile.first.offset + j * tile.first.outer_stride, tile.first.inner_stride,
                        y.data() + tile.second.offset + j * tile.second.outer_stride,
                        tile.second.inner_stride, tile.inner);
        return sum;
      });
}

template <class T>
double norm(const TensorView<T>& x, const Run& run) {
  const PairedWalk walk(x.shape(), x.strides(), x.strides());
  const auto fiber = [&](const PairedWalk::Tile& tile, Index j) {
    return x.data() + tile.first.offset + j * tile.first.outer_stride;
  };
  const double squares = sum_over_tiles(walk, run, [&](const PairedWalk::Tile& tile) {
    double sum = 0;
    const Index stride = tile.first.inner_stride;
    for (Index j = 0; j < tile.outer; ++j)
      sum += dot_of(fiber(tile, j), stride, fiber(tile, j), stride, tile.inner);
    return sum;
  });
  if (in_range(squares)) return std::sqrt(squares);
  return scaled_norm([&](const auto& use) {
    for (Index group = 0; group < walk.groups(); ++group)
      walk.for_each_tile(group, [&](const PairedWalk::Tile& tile) {
        for (Index j = 0; j < tile.outer; ++j)
          for (Index i = 0; i < tile.inner; ++i)
            use(static_cast<double>(fiber(tile, j)[i * tile.first.inner_stride]));
      });
  });
}

template <class T>
double norm(const SparseTensor<T>& x) {
  if (x.stored() == 0) return 0;
  return norm(TensorView<T>::first_fastest(x.values().data(), {x.stored()}));
}

#define MERCER_INSTANTIATE(T)                                        \
  template double inner(const TensorView<T>&, const TensorView<T>&); \
  template double norm(const TensorView<T>&, const Run&);            \
  template double norm(const SparseTensor<T>&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
