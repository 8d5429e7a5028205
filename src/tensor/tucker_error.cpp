// Pieces of X̂ are made, subtracted and forgotten.
#include "tensor/tucker_error.hpp"

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "tensor/fibers.hpp"
#include "tensor/mode_product.hpp"
#include "tensor/paired_walk.hpp"
#include "tensor/reorder.hpp"

#include <algorithm>
#include <numeric>

namespace mercer {
namespace {

constexpr Index error_elements = Index{1} << 18;

/// The mode to cut along: the slowest one, unless its slices are too large.
template <class T>
Index mode_to_cut(const TensorView<T>& x) {
  const Shape modes = modes_by_stride(x);
  for (auto mode = modes.rbegin(); mode != modes.rend(); ++mode)
    if (x.size(*mode) > 1 && x.count() / x.size(*mode) <= error_elements) return *mode;
  return static_cast<Index>(std::max_element(x.shape().begin(), x.shape().end()) - x.shape().begin());
}

/// ‖X − Y‖² of two arrays with strides of their own.
template <class T>
double squared_distance(const TensorView<T>& x, const TensorView<double>& y) {
  const PairedWalk walk(x.shape(), x.strides(), y.strides());
  double sum = 0;
  for (Index group = 0; group < walk.groups(); ++group)
    walk.for_each_tile(group, [&](const PairedWalk::Tile& tile) {
      double part = 0;
      for (Index j = 0; j < tile.outer; ++j) {
        const T* a = x.data() + tile.first.offset + j * tile.first.outer_stride;
        const double* b = y.data() + tile.second.offset + j * tile.second.outer_stride;
        for (Index i = 0; i < tile.inner; ++i) {
          const double d = double(a[i * tile.first.inner_stride]) - b[i * tile.second.inner_stride];
          part += d * d;
        }
      }
      sum += part;
    });
  return sum;
}

}  // namespace

template <class T>
double squared_residual(const TensorView<T>& x, const Tensor<T>& core, const std::vector<Block<T>>& factors,
                        const Run& run) {
  const Index cut = mode_to_cut(x), size = x.size(cut);
  const Index step = std::clamp<Index>(error_elements / std::max<Index>(1, x.count() / size), 1, size);
  const Index pieces = (size + step - 1) / step;
  // The core's modes follow each other as x's do, and so will those of the pieces.
  const Vector<double> values = core.values().template cast<double>();
  PackedTensor<double> ordered(core.shape(), modes_by_stride(x));
  copy_in_order(TensorView<double>::first_fastest(values.data(), core.shape()), ordered.modes(),
                ordered.data(), run);
  std::vector<Block<double>> wide;
  for (const Block<T>& factor : factors) wide.push_back(factor.template cast<double>());

  std::vector<double> sums(at(pieces));
  parallel_for(pieces, run, [&](Index piece) {
    const Index first = piece * step, count = std::min(step, size - first);
    std::vector<ModeFactor<double>> mine;
    for (Index mode = 0; mode < x.order(); ++mode)
      if (wide[at(mode)].size() > 0)
        mine.push_back(
            {mode, mode == cut ? Block<double>(wide[at(mode)].middleRows(first, count)) : wide[at(mode)]});
    const TensorView<double> from =
        wide[at(cut)].size() > 0 ? ordered.view() : ordered.view().range(cut, first, count);
    const PackedTensor<double> made = packed_mode_products<double>(from, mine, false, Run{.threads = 1});
    sums[at(piece)] = squared_distance<T>(x.range(cut, first, count), made.view());
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

template double squared_residual(const TensorView<float>&, const Tensor<float>&,
                                 const std::vector<Block<float>>&, const Run&);
template double squared_residual(const TensorView<double>&, const Tensor<double>&,
                                 const std::vector<Block<double>>&, const Run&);

}  // namespace mercer
