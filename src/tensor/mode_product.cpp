// Mode-n products by BLAS, each block of fibres where it lies.
#include "tensor/mode_product.hpp"

#include "base/at.hpp"
#include "base/linalg.hpp"
#include "base/parallel.hpp"
#include "base/thread_scratch.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace mercer {
namespace {

using linalg::Transpose;

/// Multiplications that one thread takes at a time: enough to hide the call, few enough to share out.
constexpr Index task_work = 2'000'000;
/// Blocks with fewer rows than this are gathered first: BLAS would spend its time on packing A.
constexpr Index short_block = 16;
/// Elements gathered at a time.
constexpr Index gathered_elements = 1 << 16;

/// Pieces of `total` (whole multiples of 64, which suit BLAS) with about task_work multiplications each.
Index piece_length(Index total, Index work_each) {
  const Index wanted = std::max<Index>(64, task_work / std::max<Index>(1, work_each));
  return std::min(total, (wanted + 63) / 64 * 64);
}

Index pieces(Index total, Index length) { return (total + length - 1) / length; }

/// The product with one matrix A (J x I, or its transpose I x J).
template <class T>
struct Product {
  ModeSplit in, out;
  const T* x;
  T* y;
  const T* a;
  Index lda;
  bool transposed;

  /// Columns of one matrix: Y = A X, or y = Xᵀ a.
  void columns(Index first, Index count) const {
    const T* from = x + in.size * first;
    T* to = y + out.size * first;
    if (out.size == 1 && contiguous_row())
      linalg::gemv<T>(Transpose::yes, in.size, count, from, in.size, a, to);
    else
      linalg::gemm<T>(transposed ? Transpose::yes : Transpose::no, Transpose::no, out.size, count, in.size, 1,
                      a, lda, from, in.size, 0, to, out.size);
  }

  /// Some rows of block s: Y_s = X_s Aᵀ.
  void rows(Index s, Index first, Index count) const {
    const T* from = x + in.block() * s + first;
    T* to = y + out.block() * s + first;
    if (out.size == 1 && contiguous_row())
      linalg::gemv<T>(Transpose::no, count, in.size, from, in.fast, a, to);
    else
      linalg::gemm<T>(Transpose::no, transposed ? Transpose::no : Transpose::yes, count, out.size, in.size, 1,
                      from, in.fast, a, lda, 0, to, out.fast);
  }

  /// Some fibres, gathered to be the columns of one matrix.
  void gathered(Span fibers) const {
    T* columns_in = thread_scratch<T>((in.size + out.size) * fibers.count());
    T* columns_out = columns_in + in.size * fibers.count();
    gather_fibers(x, in, fibers, Span{0, in.size}, columns_in);
    linalg::gemm<T>(transposed ? Transpose::yes : Transpose::no, Transpose::no, out.size, fibers.count(),
                    in.size, 1, a, lda, columns_in, in.size, 0, columns_out, out.size);
    scatter_fibers(columns_out, out, fibers, y);
  }

  [[nodiscard]] bool contiguous_row() const { return transposed || lda == 1; }

  void compute(const Run& run) const {
    const Index work = in.size * out.size;  // of one fibre
    const Index fit = gathered_elements / (in.size + out.size);
    const bool by_gathering = (in.fast > 1 && in.fast < short_block && out.size > 1 && fit > 4) ||
                              in.fast > std::numeric_limits<int>::max();
    if (in.fast == 1 || by_gathering) {
      const Index length =
          by_gathering ? std::min(in.fibers(), std::max<Index>(16, fit)) : piece_length(in.fibers(), work);
      parallel_for(pieces(in.fibers(), length), run, [&](Index piece) {
        const Span fibers{piece * length, std::min(in.fibers(), (piece + 1) * length)};
        if (by_gathering)
          gathered(fibers);
        else
          columns(fibers.first, fibers.count());
      });
      return;
    }
    const Index length = piece_length(in.fast, work), cuts = pieces(in.fast, length);
    const Index units = cuts * in.slow, together = std::max<Index>(1, task_work / (length * work));
    parallel_for(pieces(units, together), run, [&](Index task) {
      for (Index unit = task * together; unit < std::min(units, (task + 1) * together); ++unit) {
        const Index first = unit % cuts * length;
        rows(unit / cuts, first, std::min(length, in.fast - first));
      }
    });
  }
};

template <class T>
void require_fit(const Shape& shape, Index mode, const BlockView<T>& a, bool transposed) {
  require_mode(shape, mode);
  const Index size = shape[at(mode)];
  if ((transposed ? a.rows() : a.cols()) != size)
    throw Error(
        ErrorCode::usage,
        fmt::format("{}a {} x {} matrix does not fit mode {} of a {} tensor",
                    transposed ? "the transpose of " : "", a.rows(), a.cols(), mode, to_string(shape)),
        fmt::format("it needs {} {}", size, transposed ? "rows" : "columns"));
  if ((transposed ? a.cols() : a.rows()) == 0)
    throw Error(ErrorCode::usage, fmt::format("the product in mode {} would be empty", mode),
                "the matrix needs at least one row and one column");
}

template <class T>
void require_factors(const Shape& shape, const std::vector<ModeFactor<T>>& factors, bool transposed) {
  std::vector<bool> seen(shape.size());
  for (const ModeFactor<T>& factor : factors) {
    require_fit<T>(shape, factor.mode, factor.matrix, transposed);
    if (seen[at(factor.mode)])
      throw Error(ErrorCode::usage, fmt::format("two factors for mode {}", factor.mode),
                  "multiply them first: (X x A) x B = X x (BA)");
    seen[at(factor.mode)] = true;
  }
}

}  // namespace

std::vector<std::size_t> cheapest_order(const std::vector<SizeChange>& factors) {
  // A product costs (elements)·J and changes their number by J/I. Of two neighbours in a chain, 1 goes first
  // if J₁ + (J₁/I₁) J₂ < J₂ + (J₂/I₂) J₁, which is 1/J₁ − 1/I₁ > 1/J₂ − 1/I₂: so the best order is a sorted
  // one.
  std::vector<std::size_t> order(factors.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  const auto gain = [&](std::size_t f) {
    return 1 / static_cast<double>(factors[f].after) - 1 / static_cast<double>(factors[f].before);
  };
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return gain(a) > gain(b); });
  return order;
}

template <class T>
PackedTensor<T> packed_mode_product(const TensorView<T>& x, Index mode, const BlockView<T>& a,
                                    bool transposed, const Run& run) {
  require_fit<T>(x.shape(), mode, a, transposed);
  const SteadyRun steady(run);
  const TensorView<T> packed = packed_copy_if_needed(x, steady);
  Shape shape = x.shape();
  shape[at(mode)] = transposed ? a.cols() : a.rows();
  PackedTensor<T> y(shape, modes_by_stride(packed));
  Product<T>{split(packed, mode), y.split(mode), packed.data(), y.data(), a.data(),
             a.outerStride(),     transposed}
      .compute(steady);
  return y;
}

template <class T>
PackedTensor<T> packed_mode_products(const TensorView<T>& x, const std::vector<ModeFactor<T>>& factors,
                                     bool transposed, const Run& run) {
  require_factors(x.shape(), factors, transposed);
  std::vector<SizeChange> changes;
  for (const ModeFactor<T>& factor : factors)
    changes.push_back({x.size(factor.mode), transposed ? factor.matrix.cols() : factor.matrix.rows()});
  PackedTensor<T> y;
  for (const std::size_t f : cheapest_order(changes))
    y = packed_mode_product<T>(y.order() == 0 ? x : y.view(), factors[f].mode, factors[f].matrix, transposed,
                               run);
  return y;
}

template <class T>
Tensor<T> mode_product(const TensorView<T>& x, Index mode, const BlockView<T>& a, bool transposed,
                       const Run& run) {
  return packed_mode_product(x, mode, a, transposed, run).to_tensor(run);
}

template <class T>
Tensor<T> mode_vector_product(const TensorView<T>& x, Index mode, const Vector<T>& v, const Run& run) {
  require_mode(x.shape(), mode);
  if (v.size() != x.size(mode))
    throw Error(ErrorCode::usage,
                fmt::format("a vector of {} does not fit mode {} of a {} tensor", v.size(), mode,
                            to_string(x.shape())),
                fmt::format("it needs {} entries", x.size(mode)));
  Tensor<T> y = packed_mode_product<T>(x, mode, v, true, run).to_tensor(run);  // size 1 in that mode
  if (x.order() == 1) return y;
  Shape shape = y.shape();
  shape.erase(shape.begin() + mode);
  return Tensor<T>(std::move(shape), std::move(y.values()));
}

template <class T>
Tensor<T> mode_products(const TensorView<T>& x, const std::vector<ModeFactor<T>>& factors, bool transposed,
                        const Run& run) {
  if (factors.empty()) return Tensor<T>(x);
  return packed_mode_products(x, factors, transposed, run).to_tensor(run);
}

#define MERCER_INSTANTIATE(T)                                                                            \
  template PackedTensor<T> packed_mode_product(const TensorView<T>&, Index, const BlockView<T>&, bool,   \
                                               const Run&);                                              \
  template PackedTensor<T> packed_mode_products(const TensorView<T>&, const std::vector<ModeFactor<T>>&, \
                                                bool, const Run&);                                       \
  template Tensor<T> mode_product(const TensorView<T>&, Index, const BlockView<T>&, bool, const Run&);   \
  template Tensor<T> mode_vector_product(const TensorView<T>&, Index, const Vector<T>&, const Run&);     \
  template Tensor<T> mode_products(const TensorView<T>&, const std::vector<ModeFactor<T>>&, bool, const Run&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
