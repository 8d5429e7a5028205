// Bad values are looked for only where the norm gives them away.
#include "tensor/array_check.hpp"

#include "tensor/fibers.hpp"

#include <mercer/error.hpp>
#include <mercer/tensor_algebra.hpp>

#include <fmt/format.h>

#include <cmath>
#include <string>

namespace mercer {
namespace {

[[noreturn]] void refuse_value(const Shape& index, double value) {
  throw Error(ErrorCode::bad_data,
              fmt::format("entry ({}) of the array is {}", fmt::join(index, ", "), value),
              "indices count from 0; every value must be a finite number");
}

/// The first entry that is not finite, the last index moving fastest.
template <class T>
void find_bad_value(const TensorView<T>& x) {
  Shape index(x.shape().size(), 0);
  for (Index i = 0; i < x.count(); ++i) {
    if (const T value = x(index); !std::isfinite(value)) refuse_value(index, double(value));
    for (std::size_t m = index.size(); m-- > 0 && ++index[m] == x.shape()[m];) index[m] = 0;
  }
}

}  // namespace

template <class T>
void require_range(double norm, bool zero) {
  const bool narrow = sizeof(T) == sizeof(float);
  if (zero || (norm > (narrow ? 1e-30 : 1e-140) && norm < (narrow ? 1e37 : 1e140))) return;
  throw Error(ErrorCode::bad_data,
              fmt::format("the values are too {} for {}: the array's norm is {:.3g}",
                          norm > 1 ? "large" : "small", name_of(precision_of<T>), norm),
              norm > 1 ? "divide them by a number" : "multiply them by a number");
}

template <class T>
double checked_norm(const TensorView<T>& x, const Run& run) {
  const double length = norm(x, run);
  if (!std::isfinite(length)) find_bad_value(x);
  require_range<T>(length, length == 0);
  return length;
}

template <class T>
double checked_norm(const SparseTensor<T>& x) {
  const double length = norm(x);
  if (!std::isfinite(length))
    x.for_each([](const Shape& index, T value) {
      if (!std::isfinite(value)) refuse_value(index, double(value));
    });
  require_range<T>(length, length == 0);
  return length;
}

#define MERCER_INSTANTIATE(T)                                     \
  template void require_range<T>(double, bool);                   \
  template double checked_norm(const TensorView<T>&, const Run&); \
  template double checked_norm(const SparseTensor<T>&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
