// Random tensors in the layouts that views can have, and plain loops over their elements to compare with.
#pragma once

#include <mercer/tensor.hpp>

#include "base/random.hpp"
#include "support.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace mercer::test {

/// use(index) for every index, the first one fastest.
template <class Use>
void for_each_index(const Shape& shape, const Use& use) {
  Shape index(shape.size(), 0);
  const Index count = element_count(shape);
  for (Index e = 0; e < count; ++e) {
    use(index);
    for (std::size_t m = 0; m < shape.size() && ++index[m] == shape[m]; ++m) index[m] = 0;
  }
}

template <class T>
Block<T> random_block(Index rows, Index cols, std::uint64_t seed) {
  return random_matrix<T>(rows, cols, seed);
}

/// Packed memory of random numbers; modes: the fastest first.
template <class T>
TensorView<T> random_view(const Shape& shape, const Shape& modes, std::uint64_t seed) {
  Random random(seed, 7);
  const auto memory = std::make_shared<std::vector<T>>(static_cast<std::size_t>(element_count(shape)));
  for (T& value : *memory) value = T(random.normal());
  Shape strides(shape.size());
  Index stride = 1;
  for (const Index mode : modes) {
    strides[static_cast<std::size_t>(mode)] = stride;
    stride *= shape[static_cast<std::size_t>(mode)];
  }
  return TensorView<T>(memory->data(), shape, strides, memory);
}

template <class T>
Tensor<T> random_tensor(const Shape& shape, std::uint64_t seed) {
  Shape modes(shape.size());
  std::iota(modes.begin(), modes.end(), Index(0));
  return Tensor<T>(random_view<T>(shape, modes, seed));
}

template <class T>
struct Laid {
  std::string name;
  TensorView<T> view;
};

/// A random tensor of this shape in memory whose first, last or other mode is fastest, as a part of a larger
/// one, and as a slice of one with a mode more: only the first three are packed (for more than one mode).
template <class T>
std::vector<Laid<T>> layouts(const Shape& shape, std::uint64_t seed) {
  const auto order = static_cast<Index>(shape.size());
  Shape first(shape.size());
  std::iota(first.begin(), first.end(), Index(0));
  Shape last = first, middle = first;
  std::reverse(last.begin(), last.end());
  std::rotate(middle.begin(), middle.begin() + order / 2, middle.end());
  if (order > 2) std::swap(middle[0], middle[1]);
  std::vector<Laid<T>> out{{"first fastest", random_view<T>(shape, first, seed)},
                           {"last fastest", random_view<T>(shape, last, seed + 1)},
                           {"other fastest", random_view<T>(shape, middle, seed + 2)}};
  Shape larger = shape;
  for (Index& size : larger) size += 2;
  TensorView<T> part = random_view<T>(larger, last, seed + 3);
  for (Index m = 0; m < order; ++m) part = part.range(m, 1, shape[static_cast<std::size_t>(m)]);
  out.push_back({"part", part});
  Shape more = shape, modes(shape.size() + 1);
  more.insert(more.begin() + order / 2, 3);
  std::iota(modes.begin(), modes.end(), Index(0));
  std::rotate(modes.begin(), modes.begin() + order / 2, modes.end());  // the cut mode fastest
  out.push_back({"slice", random_view<T>(more, modes, seed + 4).slice(order / 2, 2)});
  return out;
}

/// Shapes of order 1 to 5, with and without modes of size 1.
inline std::vector<Shape> some_shapes() {
  return {{1},       {7},          {4, 6},       {1, 5},          {3, 4, 5},       {5, 1, 3},
          {1, 1, 6}, {2, 3, 4, 5}, {4, 1, 3, 1}, {2, 3, 2, 4, 3}, {3, 1, 2, 5, 2}, {2, 2, 2, 2, 2}};
}

/// Largest difference between two tensors' elements.
template <class T>
double difference(const TensorView<T>& x, const TensorView<T>& y) {
  if (x.shape() != y.shape()) return std::numeric_limits<double>::infinity();
  double largest = 0;
  for_each_index(x.shape(), [&](const Shape& i) {
    const double apart = std::abs(double(x(i)) - double(y(i)));
    if (!(apart <= largest)) largest = apart;
  });
  return largest;
}

/// Relative to numbers of size one.
template <class T>
constexpr double rounding = 200 * double(std::numeric_limits<T>::epsilon());

/// x_ijk = 1 + i + 2j + 4k: the lecture notes' example.
template <class T>
Tensor<T> seed_tensor() {
  Tensor<T> x({2, 2, 2});
  for_each_index(x.shape(), [&](const Shape& i) { x(i) = T(1 + i[0] + 2 * i[1] + 4 * i[2]); });
  return x;
}

}  // namespace mercer::test
