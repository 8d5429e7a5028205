// What is done with the values of a tile before any product: their sums, their range, and how a tile
// that is kept is packed.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "operator/tile_values.cpp"
#include <hwy/foreach_target.h>
// (foreach_target must come first)
#include <hwy/highway.h>

#include "operator/tile_product.hpp"

#include <algorithm>
#include <array>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace mercer::tile::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

bool SplitDouble(const double* in, Index n, float* high, float* low) {
  float check = 0;
  for (Index j = 0; j < n; ++j) {
    const volatile float rounded = static_cast<float>(in[j]);  // see below
    high[j] = rounded;
    low[j] = static_cast<float>(in[j] - double(rounded));
    check += 0.0F * rounded;
  }
  return check == 0;
}
double RowSums(const double* in, Index n, double* by_column, double* sum) {
  double squares = 0;
  for (Index j = 0; j < n; ++j) {
    *sum += in[j];
    squares += in[j] * in[j];
    by_column[j] += in[j];
  }
  return squares;
}
template <class T>
bool Scale(const T* in, Index n, T scale, T* out) {
  T check = 0;
  for (Index j = 0; j < n; ++j) {
    out[j] = scale * in[j];
    check += T(0) * out[j];
  }
  return check == 0;
}
#else

using D = hn::ScalableTag<double>;
using VD = hn::Vec<D>;

/// high = the values rounded to float, low = what that left, for whole registers of them. False when one is
/// not finite in float. (By hand: GCC 12 miscompiles the plain loop when it vectorises it.)
bool SplitDouble(const double* in, Index n, float* high, float* low) {
  const D d;
  const hn::Rebind<float, D> half;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const VD zero = hn::Zero(d);
  VD check = zero;  // 0 · x is 0 unless x is infinite or no number
  for (Index j = 0; j < n; j += lanes) {
    const VD value = hn::LoadU(d, in + j);
    const auto rounded = hn::DemoteTo(half, value);
    const VD widened = hn::PromoteTo(d, rounded);
    check = hn::MulAdd(widened, zero, check);
    hn::StoreU(rounded, half, high + j);
    hn::StoreU(hn::DemoteTo(half, hn::Sub(value, widened)), half, low + j);
  }
  return hn::AllTrue(d, hn::Eq(check, zero));
}

/// out = scale·in, which may be the same array. False when a value is not finite.
template <class T>
bool Scale(const T* in, Index n, T scale, T* out) {
  const hn::ScalableTag<T> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const auto factor = hn::Set(d, scale), zero = hn::Zero(d);
  auto check = zero;
  Index j = 0;
  for (; j + lanes <= n; j += lanes) {
    const auto value = hn::Mul(factor, hn::LoadU(d, in + j));
    check = hn::MulAdd(value, zero, check);
    hn::StoreU(value, d, out + j);
  }
  bool finite = hn::AllTrue(d, hn::Eq(check, zero));
  for (; j < n; ++j) {
    out[j] = scale * in[j];
    finite &= T(0) * out[j] == 0;
  }
  return finite;
}

/// One row of a tile: its sum, added to *sum, and Σ k²; the row is added to by_column.
double RowSums(const double* HWY_RESTRICT in, Index n, double* HWY_RESTRICT by_column, double* sum) {
  const D d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  VD s0 = hn::Zero(d), s1 = s0, q0 = s0, q1 = s0;
  Index j = 0;
  for (; j + 2 * lanes <= n; j += 2 * lanes) {
    const VD a = hn::LoadU(d, in + j), b = hn::LoadU(d, in + j + lanes);
    s0 = hn::Add(s0, a), s1 = hn::Add(s1, b);
    q0 = hn::MulAdd(a, a, q0), q1 = hn::MulAdd(b, b, q1);
    hn::StoreU(hn::Add(hn::LoadU(d, by_column + j), a), d, by_column + j);
    hn::StoreU(hn::Add(hn::LoadU(d, by_column + j + lanes), b), d, by_column + j + lanes);
  }
  double total = hn::GetLane(hn::SumOfLanes(d, hn::Add(s0, s1)));
  double squares = hn::GetLane(hn::SumOfLanes(d, hn::Add(q0, q1)));
  for (; j < n; ++j) {
    total += in[j];
    squares += in[j] * in[j];
    by_column[j] += in[j];
  }
  *sum += total;
  return squares;
}

#endif  // HWY_TARGET == HWY_SCALAR

bool ScaleFloat(const float* in, Index n, float scale, float* out) { return Scale(in, n, scale, out); }
bool ScaleDouble(const double* in, Index n, double scale, double* out) { return Scale(in, n, scale, out); }

}  // namespace mercer::tile::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mercer::tile {

HWY_EXPORT(RowSums);
HWY_EXPORT(ScaleDouble);
HWY_EXPORT(ScaleFloat);
HWY_EXPORT(SplitDouble);

bool scale(float* values, Index n, float factor) {
  return HWY_DYNAMIC_DISPATCH(ScaleFloat)(values, n, factor, values);
}
bool scale(double* values, Index n, double factor) {
  return HWY_DYNAMIC_DISPATCH(ScaleDouble)(values, n, factor, values);
}

double add_sums(const double* tile, Index rows, Index cols, double* by_row, double* by_column) {
  double squares = 0;
  for (Index i = 0; i < rows; ++i)
    squares += HWY_DYNAMIC_DISPATCH(RowSums)(tile + i * cols, cols, by_column, by_row + i);
  return squares;
}

namespace {

/// A panel's rows, `size` floats each, to pairs of columns: 64 bits at a time.
void interleave(const float* rows, float* out) {
  for (Index j = 0; j < size / 2; ++j)
    for (Index r = 0; r < panel; ++r)
      std::memcpy(out + (j * panel + r) * 2, rows + r * size + 2 * j, 2 * sizeof(float));
}

bool split(const double* in, Index n, float* high, float* low) {
  return HWY_DYNAMIC_DISPATCH(SplitDouble)(in, n, high, low);
}
bool split(const float* in, Index n, float* high, float*) {
  std::copy(in, in + n, high);
  return true;
}

}  // namespace

template <class T>
bool pack(const T* rows, Index first, Index count, float* packed) {
  bool finite = true;
  constexpr Index planes = floats<T> / plane;
  std::array<float, static_cast<std::size_t>(2 * panel * size)> parts;  // rows of the panel, high and low
  for (Index row = 0; row < count; row += panel) {
    for (Index r = 0; r < panel; ++r)
      finite &=
          split(rows + (row + r) * size, size, parts.data() + r * size, parts.data() + (panel + r) * size);
    for (Index p = 0; p < planes; ++p)
      interleave(parts.data() + p * panel * size, packed + p * plane + (first + row) * size);
  }
  return finite;
}

template bool pack(const float*, Index, Index, float*);
template bool pack(const double*, Index, Index, float*);

}  // namespace mercer::tile
#endif  // HWY_ONCE
