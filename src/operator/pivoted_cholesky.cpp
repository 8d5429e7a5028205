// Randomly pivoted Cholesky: propose, reject, and one BLAS-3 update a block.
#include "operator/pivoted_cholesky.hpp"

#include "base/linalg.hpp"
#include "base/parallel.hpp"
#include "base/random.hpp"
#include "base/thread_scratch.hpp"
#include "base/weighted_draw.hpp"
#include "operator/gram_rounding.hpp"
#include "operator/triangle_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {
namespace {

/// Rows that one thread updates at a time: a tile of them stays in its cache.
constexpr Index column_rows = 512;
/// Pivots proposed at once. Rejected ones cost next to nothing, and a wide block makes a fast product.
constexpr Index smallest_block = 16, largest_block = 256;

}  // namespace

template <class T>
double cholesky_rounding(Index rank) {
  return 8 * double(std::numeric_limits<T>::epsilon()) * std::sqrt(double(rank) + 16);
}

template <class T>
double PivotedCholesky<T>::bytes(Index n, Index rank) {
  return double(n) * (double(rank) * sizeof(T) + 5 * sizeof(double));
}

template <class T>
PivotedCholesky<T>::PivotedCholesky(const Kernel& kernel, const Samples<T>& samples,
                                    const PivotRequest& request, const Run& caller)
    : tiles_(kernel, samples), max_rank_(request.max_rank), diagonal_(samples.rows()) {
  const SteadyRun steady(caller);
  const Run& run = steady;
  const Index n = size(), chunks = (n + column_rows - 1) / column_rows;
  parallel_for(chunks, run, [&](Index chunk) {
    const Index i0 = chunk * column_rows, rows = std::min(column_rows, n - i0);
    Vector<T> values(rows);
    tiles_.diagonal(i0, rows, values.data());
    diagonal_.segment(i0, rows) = values.template cast<double>();
  });
  for (Index i = 0; i < n; ++i)
    if (!std::isfinite(diagonal_[i]) || diagonal_[i] < 0)
      throw Error(ErrorCode::bad_data,
                  fmt::format("kernel {} is {} for row {} and itself", kernel.to_string(), diagonal_[i], i),
                  "scale the inputs (--scale standardize) or choose smaller parameters");
  remaining_ = diagonal_;
  element_rounding_ = gram_rounding<T>(kernel, samples).relative;
  take_given(request, run);
  if (request.draw) draw_pivots(request, run);
}

/// Below this share of its diagonal element nothing but rounding is left of a pivot.
template <class T>
double PivotedCholesky<T>::rounding(Index rank) const {
  return cholesky_rounding<T>(rank) + element_rounding_;
}

template <class T>
void PivotedCholesky<T>::take_given(const PivotRequest& request, const Run& run) {
  const auto& given = request.first;
  const bool known = request.factor.size() > 0;
  for (std::size_t next = 0; next < given.size() && rank() < request.max_rank; next += largest_block) {
    const Index room = request.max_rank - rank();
    std::size_t count = std::min<std::size_t>(largest_block, given.size() - next);
    if (known) count = std::min(count, static_cast<std::size_t>(room));
    const auto begin = given.begin() + static_cast<std::ptrdiff_t>(next);
    std::vector<Index> rows(begin, begin + static_cast<std::ptrdiff_t>(count));
    if (known) {
      const Index first = rank(), size = static_cast<Index>(count);
      append({std::move(rows), request.factor.block(first, first, size, size),
              request.factor.block(first, 0, size, first).template cast<T>()},
             run);
    } else {
      append(take_in_order(examine(std::move(rows)), room), run);
    }
    run.report("factor", double(next + count) / double(given.size()));
    run.check();
  }
}

template <class T>
void PivotedCholesky<T>::draw_pivots(const PivotRequest& request, const Run& run) {
  Random random(run.seed, 0x7069766f74ULL);  // a stream of its own
  const auto uniform = [&] { return random.uniform(); };
  const double trace = diagonal_.sum();
  while (true) {
    run.check();
    const double left = remaining_.sum();
    const double wanted = request.tolerance * (request.centered ? represented_trace(true) : trace);
    if (request.tolerance > 0 && left <= wanted) {
      stop_ = PivotStop::tolerance;
      return;
    }
    const Index room = request.max_rank - rank();
    if (room <= 0) return;
    const WeightedDraw draw(
        (remaining_.array() > rounding(rank()) * diagonal_.array()).select(remaining_, 0.0));
    if (!(draw.total() > 0)) {
      stop_ = PivotStop::numerical_rank;
      return;
    }
    const Index count = std::min(std::clamp(rank(), smallest_block, largest_block), 2 * room + 8);
    std::vector<Index> rows(static_cast<std::size_t>(count));
    for (Index& row : rows) row = draw(uniform());
    const Accepted block = reject_some(examine(std::move(rows)), room, uniform);
    if (block.rows.empty()) {  // the first is taken unless nothing but rounding is left of it
      stop_ = PivotStop::numerical_rank;
      return;
    }
    append(block, run);
    const double by_rank = double(rank()) / double(request.max_rank);
    const double by_trace =
        wanted > 0 ? std::log(std::max(remaining_.sum() / wanted * request.tolerance, request.tolerance)) /
                         std::log(request.tolerance)
                   : 0;
    run.report("factor", std::clamp(std::max(by_rank, by_trace), 0.0, 1.0));
  }
}

/// E(rows, rows) = K(rows, rows) − F(rows, :) F(rows, :)ᵀ, in double.
template <class T>
auto PivotedCholesky<T>::examine(std::vector<Index> rows) const -> Candidates {
  const auto count = static_cast<Index>(rows.size());
  Matrix<T> k(count, count);
  tiles_.among(rows).evaluate_diagonal(0, count, k.data());
  Block<double> e = k.template cast<double>();
  if (rank() > 0) {
    Matrix<T> f(count, rank());
    for (Index i = 0; i < count; ++i) copy_rows(rows[static_cast<std::size_t>(i)], 1, f.data() + i * rank());
    const Block<double> ft = f.template cast<double>().transpose();
    e -= linalg::transposed_times<double>(ft, ft);
  }
  return {std::move(rows), std::move(e)};
}

/// Cholesky of the candidates in order, leaving out those that accept(i, E_ii as it was, E_ii now) refuses.
template <class T>
template <class Accept>
auto PivotedCholesky<T>::eliminate(const Candidates& block, Index room, Accept&& accept) const -> Accepted {
  const auto count = static_cast<Index>(block.rows.size());
  const double least = rounding(rank() + count);
  Block<double> columns(count, std::min(count, room));  // of the candidates' factor, for those taken
  Vector<double> left = block.remainder.diagonal();
  std::vector<Index> taken;
  for (Index i = 0; i < count && static_cast<Index>(taken.size()) < room; ++i) {
    const Index row = block.rows[static_cast<std::size_t>(i)];
    if (!(left[i] > least * diagonal_[row]) || !accept(block.remainder(i, i), left[i])) continue;
    const auto step = static_cast<Index>(taken.size());
    auto column = columns.col(step);
    column = block.remainder.col(i);
    column.noalias() -= columns.leftCols(step) * columns.row(i).head(step).transpose();
    column /= std::sqrt(left[i]);
    left -= column.cwiseAbs2();
    taken.push_back(i);
  }
  Accepted out;
  const auto rank_of_block = static_cast<Index>(taken.size());
  out.factor = Block<double>::Zero(rank_of_block, rank_of_block);
  for (Index i = 0; i < rank_of_block; ++i) {
    const Index from = taken[static_cast<std::size_t>(i)];
    out.rows.push_back(block.rows[static_cast<std::size_t>(from)]);
    out.factor.row(i).head(i + 1) = columns.row(from).head(i + 1);
  }
  return out;
}

template <class T>
auto PivotedCholesky<T>::take_in_order(const Candidates& block, Index room) const -> Accepted {
  return eliminate(block, room, [](double, double) { return true; });
}

/// A candidate whose remainder has shrunk from d to d′ since it was drawn stays with probability d′/d:
/// so it is as if each had been drawn after those before it were eliminated.
template <class T>
template <class Uniform>
auto PivotedCholesky<T>::reject_some(const Candidates& block, Index room, Uniform&& uniform) const
    -> Accepted {
  return eliminate(block, room, [&](double before, double now) { return uniform() * before < now; });
}

/// F_new = (K(:, S) − F F(S, :)ᵀ) L_bb⁻ᵀ, and the diagonal of E. Everything is held transposed: a chunk
/// of rows, row-major, is a column-major matrix with a row of F in each column.
template <class T>
void PivotedCholesky<T>::append(const Accepted& block, const Run& run) {
  const Index n = size(), before = rank(), width = static_cast<Index>(block.rows.size());
  if (width == 0) return;
  const KernelTiles<T> columns = tiles_.columns(block.rows);
  Matrix<T> pivot_rows = block.earlier;
  if (pivot_rows.size() == 0) {
    pivot_rows.resize(width, std::max<Index>(1, before));
    for (Index i = 0; i < width && before > 0; ++i)
      copy_rows(block.rows[static_cast<std::size_t>(i)], 1, pivot_rows.data() + i * before);
  }
  const TriangleSolver<T> solver(block.factor);
  while (static_cast<Index>(panels_.size()) * panel_width < before + width) {
    const Index stride = std::min(panel_width, max_rank_ - static_cast<Index>(panels_.size()) * panel_width);
    panels_.push_back({HugeBuffer<T>(static_cast<std::size_t>(n * stride)), stride});
  }

  const Index chunks = (n + column_rows - 1) / column_rows;
  Block<double> sums(width, chunks);  // of the columns of F, a chunk at a time
  parallel_for(chunks, run, [&](Index chunk) {
    const Index i0 = chunk * column_rows, rows = std::min(column_rows, n - i0);
    T* tile = thread_scratch<T>(column_rows * width);
    columns.evaluate(i0, rows, 0, width, tile);
    for (Index first = 0; first < before; first += panel_width) {
      const Index cols = std::min(panel_width, before - first);
      const Panel& panel = panel_of(first);
      linalg::gemm<T>(linalg::Transpose::yes, linalg::Transpose::no, width, rows, cols, -1,
                      pivot_rows.data() + first, before, panel.row(i0), panel.stride, 1, tile, width);
    }
    solver.solve(tile, rows);
    const Eigen::Map<const Matrix<T>> f(tile, rows, width);
    sums.col(chunk) = f.template cast<double>().colwise().sum().transpose();
    for (Index first = before; first < before + width;) {
      const Index column = first % panel_width,
                  count = std::min(panel_width - column, before + width - first);
      Panel& panel = panels_[static_cast<std::size_t>(first / panel_width)];
      for (Index i = 0; i < rows; ++i)
        std::copy_n(tile + i * width + (first - before), count, panel.row(i0 + i) + column);
      first += count;
    }
    for (Index i = 0; i < rows; ++i) {
      const double taken = f.row(i).template cast<double>().squaredNorm();
      if (!std::isfinite(taken))
        throw Error(ErrorCode::bad_data, fmt::format("the kernel overflows in row {}", i0 + i),
                    "scale the inputs (--scale standardize) or choose smaller parameters");
      remaining_[i0 + i] = std::max(0.0, remaining_[i0 + i] - taken);
    }
  });
  mean_part_ += sums.rowwise().sum().squaredNorm() / double(n);
  for (const Index row : block.rows) remaining_[row] = 0;
  pivots_.insert(pivots_.end(), block.rows.begin(), block.rows.end());
}

template <class T>
double PivotedCholesky<T>::represented_trace(bool centered) const {
  return std::max(0.0, diagonal_.sum() - remaining_.sum() - (centered ? mean_part_ : 0));
}

template <class T>
void PivotedCholesky<T>::copy_rows(Index first, Index count, T* out) const {
  for (Index column = 0; column < rank(); column += panel_width) {
    const Index cols = std::min(panel_width, rank() - column);
    const Panel& panel = panel_of(column);
    for (Index i = 0; i < count; ++i) std::copy_n(panel.row(first + i), cols, out + i * rank() + column);
  }
}

template <class T>
double PivotedCholesky<T>::remainder(Index i, Index j) const {
  T value = 0;
  tiles_.evaluate(i, 1, j, 1, &value);
  double product = 0;
  for (Index column = 0; column < rank(); column += panel_width) {
    const Index cols = std::min(panel_width, rank() - column);
    const Panel& panel = panel_of(column);
    product += double(linalg::dot<T>(cols, panel.row(i), panel.row(j)));
  }
  return double(value) - product;
}

template double cholesky_rounding<float>(Index);
template double cholesky_rounding<double>(Index);
template class PivotedCholesky<float>;
template class PivotedCholesky<double>;

}  // namespace mercer
