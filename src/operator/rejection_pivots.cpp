// Drawing pivots by rejection, a block of proposals at a time.
#include "operator/rejection_pivots.hpp"

#include "base/linalg.hpp"
#include "base/parallel.hpp"
#include "base/random.hpp"
#include "base/weighted_draw.hpp"
#include "kernel/tiles.hpp"
#include "operator/pivoted_cholesky.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

/// Rows proposed at once.
constexpr Index fewest_proposed = 64, most_proposed = 512;
constexpr Index solved_at_once = 64, scan_rows = 4096;

template <class T>
Vector<double> kernel_diagonal(const Kernel& kernel, const Samples<T>& samples, const Run& run) {
  const Index n = samples.rows();
  const KernelTiles<T> tiles(kernel, samples);
  Vector<double> out(n);
  parallel_for((n + scan_rows - 1) / scan_rows, run, [&](Index chunk) {
    const Index first = chunk * scan_rows, rows = std::min(scan_rows, n - first);
    Vector<T> values(rows);
    tiles.diagonal(first, rows, values.data());
    out.segment(first, rows) = values.template cast<double>();
  });
  for (Index i = 0; i < n; ++i)
    if (!std::isfinite(out[i]) || out[i] < 0)
      throw Error(ErrorCode::bad_data,
                  fmt::format("kernel {} is {} for row {} and itself", kernel.to_string(), out[i], i),
                  "scale the inputs (--scale standardize) or choose smaller parameters");
  return out;
}

/// The rows taken so far and K_SS = L Lᵀ, in double.
template <class T>
class Taken {
 public:
  Taken(const Kernel& kernel, const Samples<T>& samples, Index rank)
      : kernel_(kernel), samples_(samples), factor_(Block<double>::Zero(rank, rank)) {}

  [[nodiscard]] Index count() const { return static_cast<Index>(rows_.size()); }
  [[nodiscard]] const std::vector<Index>& rows() const { return rows_; }

  /// Goes through the proposals in order; take(i, E_ii) says whether the i-th becomes a pivot.
  template <class Take>
  void consider(const std::vector<Index>& proposed, Take&& take, const Run& run) {
    const auto size = static_cast<Index>(proposed.size()), before = count(), room = factor_.rows() - before;
    const Samples<double> points = samples_.select_rows(proposed).template cast<double>();
    Block<double> e(size, size);  // symmetric
    KernelTiles<double>(kernel_, points).evaluate_diagonal(0, size, e.data());
    Block<double> phi(before, size);  // row-major K(proposed, S) is column-major K(S, proposed)
    if (before > 0) {
      const KernelTiles<double> against(kernel_, points, samples_.select_rows(rows_).template cast<double>());
      const Index parts = (size + solved_at_once - 1) / solved_at_once;
      const auto width = [&](Index part) { return std::min(solved_at_once, size - part * solved_at_once); };
      parallel_for(parts, run, [&](Index part) {
        double* mine = phi.data() + part * solved_at_once * before;
        against.evaluate(part * solved_at_once, width(part), 0, before, mine);
        linalg::solve_lower<double>(linalg::Transpose::no, before, width(part), factor_.data(),
                                    factor_.rows(), mine, before);
      });
      parallel_for(parts, run, [&](Index part) {
        const Index first = part * solved_at_once;
        linalg::gemm<double>(linalg::Transpose::yes, linalg::Transpose::no, size, width(part), before, -1,
                             phi.data(), before, phi.data() + first * before, before, 1,
                             e.data() + first * size, size);
      });
    }
    Block<double> columns(size, std::min(size, room));
    Vector<double> left = e.diagonal();
    std::vector<Index> chosen;
    for (Index i = 0; i < size && static_cast<Index>(chosen.size()) < room; ++i) {
      if (!take(i, left[i])) continue;
      const auto step = static_cast<Index>(chosen.size());
      auto column = columns.col(step);
      column = e.col(i);
      column.noalias() -= columns.leftCols(step) * columns.row(i).head(step).transpose();
      column /= std::sqrt(left[i]);
      left -= column.cwiseAbs2();
      chosen.push_back(i);
    }
    for (const Index i : chosen) {
      const Index row = count(), step = row - before;
      factor_.row(row).head(before) = phi.col(i).transpose();
      factor_.row(row).segment(before, step + 1) = columns.row(i).head(step + 1);
      rows_.push_back(proposed[static_cast<std::size_t>(i)]);
    }
  }

 private:
  const Kernel& kernel_;
  const Samples<T>& samples_;
  std::vector<Index> rows_;
  Block<double> factor_;
};

}  // namespace

template <class T>
std::optional<std::vector<Index>> draw_by_rejection(const Kernel& kernel, const Samples<T>& samples,
                                                    Index rank, Index most_proposals, const Run& caller) {
  const SteadyRun steady(caller);
  const Run& run = steady;
  const Vector<double> diagonal = kernel_diagonal(kernel, samples, run);
  const WeightedDraw draw(diagonal);
  if (!(draw.total() > 0)) return std::nullopt;
  Random random(run.seed, 0x72656a656374ULL);  // a stream of its own
  const double rounding = cholesky_rounding<T>(rank);
  Taken<T> taken(kernel, samples, rank);
  std::vector<Index> proposed;
  for (Index used = 0; taken.count() < rank;) {
    run.check();
    const Index size = std::clamp(16 * (rank - taken.count()), fewest_proposed, most_proposed);
    proposed.resize(static_cast<std::size_t>(size));
    for (Index& row : proposed) row = draw(random.uniform());
    const Index before = taken.count();
    taken.consider(
        proposed,
        [&](Index i, double left) {
          const double whole = diagonal[proposed[static_cast<std::size_t>(i)]];
          return random.uniform() * whole < left && left > rounding * whole;
        },
        run);
    used += size;
    if (taken.count() >= rank) break;
    // The share that is taken only falls.
    const double each = double(size) / double(std::max<Index>(1, taken.count() - before));
    if (each * double(rank - taken.count()) > double(most_proposals - used)) return std::nullopt;
    run.report("landmarks", double(taken.count()) / double(rank));
  }
  return taken.rows();
}

template std::optional<std::vector<Index>> draw_by_rejection(const Kernel&, const Samples<float>&, Index,
                                                             Index, const Run&);
template std::optional<std::vector<Index>> draw_by_rejection(const Kernel&, const Samples<double>&, Index,
                                                             Index, const Run&);

}  // namespace mercer
