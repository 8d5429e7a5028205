// B's rows are put side by side, two registers of them, so that one value of A meets them all at once; six
// rows of A and these make twelve sums that stay in registers.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/dot_block.cpp"
#include <hwy/foreach_target.h>
// (foreach_target must come first)
#include <hwy/highway.h>

#include "kernel/dot_block.hpp"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace mercer::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr Index height = 6;  // rows of A at a time

/// `count` rows of B, transposed, filled up with zeros to `width` rows.
template <class T>
HWY_INLINE void PackPanel(const T* b, Index stride, Index count, Index width, Index length,
                          T* HWY_RESTRICT out) {
  for (Index c = 0; c < width; ++c) {
    if (c < count)
      for (Index k = 0; k < length; ++k) out[k * width + c] = b[c * stride + k];
    else
      for (Index k = 0; k < length; ++k) out[k * width + c] = T(0);
  }
}

/// out (six rows, `stride` apart) = the inner products of six rows of A with a panel of B.
template <class T>
HWY_INLINE void SixRows(const T* HWY_RESTRICT a, const Index* HWY_RESTRICT row, const T* HWY_RESTRICT panel,
                        Index length, T* HWY_RESTRICT out, Index stride) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const Index w = static_cast<Index>(hn::Lanes(d));
  const T *const a0 = a + row[0], *const a1 = a + row[1], *const a2 = a + row[2], *const a3 = a + row[3],
                 *const a4 = a + row[4], *const a5 = a + row[5];
  V s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0;
  V t0 = s0, t1 = s0, t2 = s0, t3 = s0, t4 = s0, t5 = s0;
  for (Index k = 0; k < length; ++k, panel += 2 * w) {
    const V p = hn::LoadU(d, panel), q = hn::LoadU(d, panel + w);
    V x = hn::Set(d, a0[k]);
    s0 = hn::MulAdd(x, p, s0), t0 = hn::MulAdd(x, q, t0);
    x = hn::Set(d, a1[k]);
    s1 = hn::MulAdd(x, p, s1), t1 = hn::MulAdd(x, q, t1);
    x = hn::Set(d, a2[k]);
    s2 = hn::MulAdd(x, p, s2), t2 = hn::MulAdd(x, q, t2);
    x = hn::Set(d, a3[k]);
    s3 = hn::MulAdd(x, p, s3), t3 = hn::MulAdd(x, q, t3);
    x = hn::Set(d, a4[k]);
    s4 = hn::MulAdd(x, p, s4), t4 = hn::MulAdd(x, q, t4);
    x = hn::Set(d, a5[k]);
    s5 = hn::MulAdd(x, p, s5), t5 = hn::MulAdd(x, q, t5);
  }
  const auto put = [&](Index r, V s, V t) {
    T* HWY_RESTRICT to = out + r * stride;
    hn::StoreU(s, d, to);
    hn::StoreU(t, d, to + w);
  };
  put(0, s0, t0), put(1, s1, t1), put(2, s2, t2), put(3, s3, t3), put(4, s4, t4), put(5, s5, t5);
}

template <class T>
HWY_INLINE void Block(const T* a, Index stride_a, Index rows, const T* b, Index stride_b, Index cols,
                      Index length, T* out) {
  const Index width = 2 * static_cast<Index>(hn::Lanes(hn::ScalableTag<T>()));
  constexpr Index widest = 2 * HWY_MAX_BYTES / sizeof(T);
  HWY_ALIGN T panel[dot_block_length * widest];
  HWY_ALIGN T edge[height * widest];
  for (Index j = 0; j < cols; j += width) {
    const Index across = std::min(width, cols - j);
    PackPanel(b + j * stride_b, stride_b, across, width, length, panel);
    for (Index i = 0; i < rows; i += height) {
      const Index down = std::min(height, rows - i);
      Index row[height];
      for (Index r = 0; r < height; ++r) row[r] = (i + std::min(r, down - 1)) * stride_a;
      T* const to = out + i * cols + j;
      if (down == height && across == width) {
        SixRows(a, row, panel, length, to, cols);
        continue;
      }
      SixRows(a, row, panel, length, edge, width);  // at the edge: by way of a whole block
      for (Index r = 0; r < down; ++r) std::copy_n(edge + r * width, across, to + r * cols);
    }
  }
}

void BlockDouble(const double* a, Index stride_a, Index rows, const double* b, Index stride_b, Index cols,
                 Index length, double* out) {
  Block(a, stride_a, rows, b, stride_b, cols, length, out);
}
void BlockFloat(const float* a, Index stride_a, Index rows, const float* b, Index stride_b, Index cols,
                Index length, float* out) {
  Block(a, stride_a, rows, b, stride_b, cols, length, out);
}

}  // namespace mercer::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mercer {

HWY_EXPORT(BlockDouble);
HWY_EXPORT(BlockFloat);

void dot_block(const double* a, Index stride_a, Index rows, const double* b, Index stride_b, Index cols,
               Index length, double* out) {
  HWY_DYNAMIC_DISPATCH(BlockDouble)(a, stride_a, rows, b, stride_b, cols, length, out);
}
void dot_block(const float* a, Index stride_a, Index rows, const float* b, Index stride_b, Index cols,
               Index length, float* out) {
  HWY_DYNAMIC_DISPATCH(BlockFloat)(a, stride_a, rows, b, stride_b, cols, length, out);
}

}  // namespace mercer
#endif  // HWY_ONCE
