// X₍ₙ₎X₍ₙ₎ᵀ in double, by rank-k updates with pieces of the tensor where they lie.
#include "base/linalg.hpp"
#include "base/parallel.hpp"
#include "base/thread_scratch.hpp"
#include "operator/ordered_sum.hpp"
#include "tensor/fibers.hpp"

#include <mercer/tensor_algebra.hpp>

#include <algorithm>
#include <limits>
#include <vector>

namespace mercer {
namespace {

using linalg::Transpose;

/// Modes larger than this are cut into tiles, whose blocks of the result the threads share; below it, they
/// share the fibres, and add up results of their own.
constexpr Index one_tile = 1024;
constexpr Index gram_tile = 512;
/// Fibres gathered at a time, and taken at a time where they lie.
constexpr Index fibers_gathered = 512, fibers_direct = 4096;
/// Blocks with fewer rows than this are gathered: BLAS works best on long sums.
constexpr Index fewest_rows = 64;

/// The fibres of one mode, some at a time, as a matrix that BLAS can take.
template <class T>
struct Fibers {
  const T* x;
  ModeSplit split;

  /// Entries [first, last) of `count` fibres: Iₙ x count, or its transpose.
  struct Piece {
    const double* data;
    Index leading;
    Transpose transpose;
    Index count;
    /// The rows from `row` of the matrix.
    [[nodiscard]] const double* row(Index i) const {
      return transpose == Transpose::no ? data + i : data + i * leading;
    }
  };

  /// How many fibres the piece at fibre c (and before `last`) has, and whether it can be read where it lies.
  [[nodiscard]] bool lies_ready(Index c, Index last, Index& count) const {
    count = std::min(fibers_gathered, last - c);
    if constexpr (std::is_same_v<T, double>) {
      if (split.fast == 1) {
        count = std::min(fibers_direct, last - c);
        return true;
      }
      const Index run = std::min({split.fast - c % split.fast, last - c, fibers_direct});
      if (run >= fewest_rows && split.fast <= std::numeric_limits<int>::max()) {
        count = run;
        return true;
      }
    }
    return false;
  }

  /// The piece at fibre c where it lies.
  [[nodiscard]] Piece in_place(Index c, Index count) const {
    if constexpr (std::is_same_v<T, double>) {
      if (split.fast == 1) return {x + c * split.size, split.size, Transpose::no, count};
      return {x + c % split.fast + c / split.fast * split.block(), split.fast, Transpose::yes, count};
    }
    return {};
  }

  /// Calls use(rows, columns) for pieces of the fibres [span): the entries `a` and `b` of each.
  template <class Use>
  void for_each_piece(Span span, Span a, Span b, const Use& use) const {
    for (Index c = span.first, count = 0; c < span.last; c += count) {
      if (lies_ready(c, span.last, count)) {
        const Piece all = in_place(c, count);
        use(Piece{all.row(a.first), all.leading, all.transpose, count},
            Piece{all.row(b.first), all.leading, all.transpose, count});
        continue;
      }
      const bool same = a.first == b.first;
      double* first = thread_scratch<double>((a.count() + (same ? 0 : b.count())) * count);
      double* second = same ? first : first + a.count() * count;
      gather_fibers(x, split, Span{c, c + count}, a, first);
      if (!same) gather_fibers(x, split, Span{c, c + count}, b, second);
      use(Piece{first, a.count(), Transpose::no, count}, Piece{second, b.count(), Transpose::no, count});
    }
  }

  /// out (lower triangle) += Σ over these fibres of x xᵀ, of the entries `a`.
  void add_square(Span span, Span a, double* out, Index leading) const {
    for_each_piece(span, a, a, [&](const Piece& p, const Piece&) {
      linalg::syrk<double>(p.transpose, a.count(), p.count, 1, p.data, p.leading, 1, out, leading);
    });
  }

  /// out += Σ over these fibres of x_a x_bᵀ.
  void add_rectangle(Span span, Span a, Span b, double* out, Index leading) const {
    for_each_piece(span, a, b, [&](const Piece& p, const Piece& q) {
      const Transpose other = q.transpose == Transpose::no ? Transpose::yes : Transpose::no;
      linalg::gemm<double>(p.transpose, other, a.count(), b.count(), p.count, 1, p.data, p.leading, q.data,
                           q.leading, 1, out, leading);
    });
  }
};

/// Parts of the fibres, each summed by one thread; the sums are added in order.
template <class T>
void sum_over_parts(const Fibers<T>& fibers, Block<double>& out, const Run& run) {
  const Index size = fibers.split.size, total = fibers.split.fibers();
  const Index parts = std::clamp<Index>(total / 1024, 1, 64);
  const Index buffers = std::min<Index>(parts, run.thread_count() + 1);
  Block<double> sums(size * size, buffers);
  std::vector<double*> columns;
  for (Index b = 0; b < buffers; ++b) columns.push_back(sums.col(b).data());
  OrderedSum<double> sum(out.data(), parts, columns);
  parallel_for(parts, run, [&](Index part) {
    try {
      double* mine = sum.borrow(part, run);
      std::fill_n(mine, size * size, 0.0);
      fibers.add_square({total * part / parts, total * (part + 1) / parts}, {0, size}, mine, size);
      sum.give(part, mine, size * size);
    } catch (...) {
      sum.abandon();
      throw;
    }
  });
}

/// Tiles of the lower triangle, each over all fibres.
template <class T>
void fill_tiles(const Fibers<T>& fibers, Block<double>& out, const Run& run) {
  const Index size = fibers.split.size, tiles = (size + gram_tile - 1) / gram_tile;
  const Span all{0, fibers.split.fibers()};
  std::vector<std::pair<Index, Index>> pairs;
  for (Index i = 0; i < tiles; ++i)
    for (Index j = 0; j <= i; ++j) pairs.emplace_back(i, j);
  parallel_for(static_cast<Index>(pairs.size()), run, [&](Index pair) {
    const auto place = pairs[static_cast<std::size_t>(pair)];
    const Span rows{place.first * gram_tile, std::min(size, (place.first + 1) * gram_tile)};
    const Span cols{place.second * gram_tile, std::min(size, (place.second + 1) * gram_tile)};
    double* corner = out.data() + rows.first + cols.first * size;
    if (place.first == place.second)
      fibers.add_square(all, rows, corner, size);
    else
      fibers.add_rectangle(all, rows, cols, corner, size);
  });
}

}  // namespace

template <class T>
Block<double> mode_gram(const TensorView<T>& x, Index mode, const Run& run) {
  require_mode(x.shape(), mode);
  const SteadyRun steady(run);
  const TensorView<T> packed = packed_copy_if_needed(x, steady);
  const Fibers<T> fibers{packed.data(), split(packed, mode)};
  const Index size = fibers.split.size;
  Block<double> out = Block<double>::Zero(size, size);
  if (size <= one_tile)
    sum_over_parts<T>(fibers, out, steady);
  else
    fill_tiles<T>(fibers, out, steady);
  out.triangularView<Eigen::StrictlyUpper>() = out.transpose();
  return out;
}

template Block<double> mode_gram(const TensorView<float>&, Index, const Run&);
template Block<double> mode_gram(const TensorView<double>&, Index, const Run&);

}  // namespace mercer
