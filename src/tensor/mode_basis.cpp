// The three routes to a mode's basis.
#include "tensor/mode_basis.hpp"

#include "base/linalg.hpp"
#include "base/random.hpp"
#include "spectral/orthonormal.hpp"
#include "tensor/lanes.hpp"

#include <mercer/tensor_algebra.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace mercer {
namespace {

using linalg::Transpose;

/// Numbers of a piece that stays in cache.
constexpr Index fiber_elements = Index{1} << 18;
/// More columns than wanted in the random block, and power steps with it.
constexpr Index oversampling = 10;
constexpr int most_passes = 8;
/// Kept singular values below this share of the largest are beyond a Gram matrix.
constexpr double gram_limit = 1e-7;
/// What eigenvectors and SVDs cost in flops over n³: they run far below the rate of products.
constexpr double eigen_flops = 20, svd_flops = 40;

/// R of the tall matrix that stands in pieces under each other: fill(piece) are its rows.
template <class Fill>
Block<double> stacked_triangle(Index pieces, Index width, const Run& run, const Fill& fill) {
  const Index lanes = lanes_for(pieces, width * width);
  std::vector<Block<double>> triangles(static_cast<std::size_t>(lanes), Block<double>(0, width));
  const auto add = [&](Block<double>& triangle, const Block<double>& rows) {
    Block<double> stacked(triangle.rows() + rows.rows(), width);
    stacked.topRows(triangle.rows()) = triangle;
    stacked.bottomRows(rows.rows()) = rows;
    triangle = stacked.rows() > width ? linalg::qr_triangle<double>(stacked) : std::move(stacked);
  };
  for_each_piece(pieces, lanes, run, [&](Index lane, Index piece) {
    add(triangles[static_cast<std::size_t>(lane)], fill(piece));
  });
  for (std::size_t lane = 1; lane < triangles.size(); ++lane) add(triangles[0], triangles[lane]);
  Block<double> square = Block<double>::Zero(width, width);
  square.topRows(triangles[0].rows()) = triangles[0];
  return square;
}

/// Entries of some fibres as columns, in double.
template <class T>
Block<double> gathered(const T* y, const ModeSplit& split, Span fibers, Span entries) {
  Block<double> out(entries.count(), fibers.count());
  gather_fibers(y, split, fibers, entries, out.data());
  return out;
}

/// The SVD of R is that of Y₍ₙ₎ᵀ (or of Y₍ₙ₎, the tall one) but for Q.
LeftVectors vectors_of_triangle(const Block<double>& triangle, const Truncation& truncation) {
  LeftVectors out;
  Block<double> matrix = triangle.transpose();
  linalg::svd(matrix, out.values);
  const Index rank = rank_to_keep(out.values, truncation);
  out.vectors = matrix.leftCols(rank);
  out.tail = squared_tail(out.values, rank);
  return out;
}

template <class T>
LeftVectors by_triangle(const T* y, const ModeSplit& split, const Truncation& truncation, const Run& run) {
  const Index size = split.size, fibers = split.fibers(), width = std::min(size, fibers);
  const Index length = std::max(3 * width, fiber_elements / width);
  if (size <= fibers) {
    const Pieces pieces{fibers, length};
    LeftVectors out = vectors_of_triangle(
        stacked_triangle(pieces.count(), width, run,
                         [&](Index piece) -> Block<double> {
                           return gathered(y, split, pieces[piece], Span{0, size}).transpose();
                         }),
        truncation);
    fix_signs<double>(out.vectors);
    return out;
  }
  // Y = Q R and R = W S Vᵀ: U = Y V S⁻¹, made orthonormal once more for the small ones' sake.
  const Pieces pieces{size, length};
  const Span all{0, fibers};
  LeftVectors out = vectors_of_triangle(
      stacked_triangle(pieces.count(), width, run,
                       [&](Index piece) { return gathered(y, split, all, pieces[piece]); }),
      truncation);
  Block<double> left(size, out.vectors.cols());
  parallel_for(pieces.count(), run, [&](Index piece) {
    const Block<double> rows = gathered(y, split, all, pieces[piece]);
    linalg::gemm<double>(Transpose::no, Transpose::no, rows.rows(), left.cols(), fibers, 1, rows.data(),
                         rows.rows(), out.vectors.data(), fibers, 0, left.data() + pieces[piece].first, size);
  });
  make_orthonormal(left);
  out.vectors = std::move(left);
  return out;
}

/// Σ over pieces of the fibres of add(fibres as columns, piece, sum), each sum Iₙ x columns.
template <class T, class Add>
Block<double> sum_over_fibers(const T* y, const ModeSplit& split, Index columns, const Run& run,
                              const Add& add) {
  const Pieces pieces{split.fibers(), std::max<Index>(64, fiber_elements / split.size)};
  const Index lanes = lanes_for(pieces.count(), split.size * columns);
  std::vector<Block<double>> sums(static_cast<std::size_t>(lanes), Block<double>::Zero(split.size, columns));
  for_each_piece(pieces.count(), lanes, run, [&](Index lane, Index piece) {
    add(gathered(y, split, pieces[piece], Span{0, split.size}), piece, sums[static_cast<std::size_t>(lane)]);
  });
  for (std::size_t lane = 1; lane < sums.size(); ++lane) sums[0] += sums[lane];
  return std::move(sums[0]);
}

/// sum += op(A) B, all in one thread.
void add_to(Block<double>& sum, const Block<double>& a, Transpose t, const Block<double>& b) {
  const bool turned = t == Transpose::yes;
  linalg::gemm<double>(t, Transpose::no, sum.rows(), b.cols(), turned ? a.rows() : a.cols(), 1, a.data(),
                       a.rows(), b.data(), b.rows(), 1, sum.data(), sum.rows());
}

template <class T>
LeftVectors by_random_range(const T* y, const ModeSplit& split, Index mode, Index rank, double total,
                            const Run& run) {
  const Index columns = std::min({rank + oversampling, split.size, split.fibers()});
  const auto sketch = [&](const Block<double>& fibers, Index piece, Block<double>& sum) {  // Y Ω
    Random random(run.seed, 0x74756b6572ULL + (static_cast<std::uint64_t>(mode) << 40) +
                                static_cast<std::uint64_t>(piece));
    Block<double> gaussian(fibers.cols(), columns);
    fill_random<double>(gaussian, random);
    add_to(sum, fibers, Transpose::no, gaussian);
  };
  Block<double> basis = sum_over_fibers(y, split, columns, run, sketch);
  const auto power = [&](const Block<double>& fibers, Index, Block<double>& sum) {  // Y Yᵀ Q
    Block<double> inner = Block<double>::Zero(fibers.cols(), columns);
    add_to(inner, fibers, Transpose::yes, basis);
    add_to(sum, fibers, Transpose::no, inner);
  };
  // Each pass tells what the block before it had captured: enough, when another adds next to nothing.
  LeftVectors out;
  for (int pass = 0; pass < most_passes; ++pass) {
    (void)linalg::qr<double>(basis);
    Block<double> image = sum_over_fibers(y, split, columns, run, power);
    const Block<double> small = linalg::transposed_times<double>(basis, image);  // QᵀYYᵀQ
    const LeftVectors ritz = vectors_of_gram((small + small.transpose()) / 2, {.rank = rank});
    const double before = out.values.squaredNorm();
    out.values = ritz.values.head(ritz.vectors.cols());
    out.vectors = basis * ritz.vectors;
    const double captured = out.values.squaredNorm();
    out.tail = std::max(0.0, total - captured);
    if (captured - before <= 1e-4 * out.tail + 1e-14 * total) break;
    basis = std::move(image);
  }
  fix_signs<double>(out.vectors);
  return out;
}

}  // namespace

std::string_view name_of(BasisRoute route) {
  switch (route) {
    case BasisRoute::gram:
      return "gram";
    case BasisRoute::triangle:
      return "triangle";
    default:
      return "randomized";
  }
}

double basis_flops(const BasisProblem& p, BasisRoute route) {
  const double size = double(p.size), fibers = double(p.fibers), width = std::min(size, fibers);
  const double columns = std::min(width, double(p.rank + oversampling));
  switch (route) {
    case BasisRoute::gram:
      return size * size * fibers + eigen_flops * size * size * size;
    case BasisRoute::triangle:
      return 3 * width * size * fibers + svd_flops * width * width * width;
    default:  // four passes, three of them there and back; a Gaussian number costs like a few dozen flops
      return 14 * columns * size * fibers + 40 * columns * fibers + 8 * size * columns * columns;
  }
}

double basis_bytes(const BasisProblem& p, BasisRoute route) {
  const double size = double(p.size);
  const Index width = std::min(p.size, p.fibers);
  const double pieces = 8 * 4 * double(std::min(p.size * p.fibers, 4 * fiber_elements));
  if (route == BasisRoute::gram) return 8 * 8 * size * size;  // the threads' sums, LAPACK's workspace
  if (route == BasisRoute::triangle)
    return pieces + 8 * (8 + double(lanes_for(p.fibers, width * width))) * double(width) * double(width);
  return pieces + 8 * size * double(p.rank + oversampling) * (4 + double(lanes_for(p.fibers, p.size)));
}

BasisRoute choose_basis_route(const BasisProblem& p) {
  const BasisRoute exact = p.precise || p.size > p.fibers ? BasisRoute::triangle : BasisRoute::gram;
  constexpr double much = 3, worth_it = 5e9;  // what is random must pay
  if (p.rank > 0 && basis_flops(p, exact) > worth_it && !p.precise &&
      p.rank + oversampling < std::min(p.size, p.fibers) / 2 &&
      much * basis_flops(p, BasisRoute::randomized) < basis_flops(p, exact))
    return BasisRoute::randomized;
  return exact;
}

template <class T>
LeftVectors mode_basis(const TensorView<T>& y, Index mode, const Truncation& truncation, BasisRoute& route,
                       const Run& run) {
  const ModeSplit split = mercer::split(y, mode);
  if (route == BasisRoute::randomized) {
    const double length = norm(y, run);
    return by_random_range(y.data(), split, mode, truncation.rank, length * length, run);
  }
  if (route == BasisRoute::gram) {
    LeftVectors out = vectors_of_gram(mode_gram(y, mode, run), truncation);
    const Index rank = out.vectors.cols();
    const bool lost =
        std::is_same_v<T, double> && rank < split.size && out.values[rank - 1] < gram_limit * out.values[0];
    if (!lost) return out;
    route = BasisRoute::triangle;
  }
  return by_triangle(y.data(), split, truncation, run);
}

#define MERCER_INSTANTIATE(T) \
  template LeftVectors mode_basis(const TensorView<T>&, Index, const Truncation&, BasisRoute&, const Run&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
