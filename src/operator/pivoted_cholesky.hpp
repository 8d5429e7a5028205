// K ≈ F Fᵀ by Cholesky with randomly chosen pivots, in blocks with rejection: each pivot is drawn with
// probability proportional to what remains on the diagonal of E = K − F Fᵀ ⪰ 0 (RPCholesky: Chen,
// Epperly, Tropp, Webber, arXiv 2207.06503, Algorithm 2.1; a block at a time: arXiv 2410.03969,
// Algorithm 2.2, which draws from the very same distribution). n·r kernel values, n·r² flops.
#pragma once

#include <mercer/kernel.hpp>

#include "base/huge_buffer.hpp"
#include "kernel/tiles.hpp"

#include <vector>

namespace mercer {

struct PivotRequest {
  Index max_rank = 0;
  double tolerance = 0;  ///< stop once tr E ≤ tolerance · tr K, or · tr HFFᵀH ≤ tr HKH when centred
  bool centered = false;
  std::vector<Index> first = {};  ///< pivots taken before any is drawn, in this order
  Block<double> factor = {};  ///< L of the first pivots' K = L Lᵀ, where it is known: then none is skipped
  bool draw = true;           ///< then go on with random ones
};

enum class PivotStop { rank, tolerance, numerical_rank };

template <class T>
class PivotedCholesky {
 public:
  PivotedCholesky(const Kernel& kernel, const Samples<T>& samples, const PivotRequest& request,
                  const Run& run = {});

  [[nodiscard]] Index size() const { return tiles_.rows(); }
  [[nodiscard]] Index rank() const { return static_cast<Index>(pivots_.size()); }
  /// Rows of K that were used. A pivot in whose place only rounding was left is skipped.
  [[nodiscard]] const std::vector<Index>& pivots() const { return pivots_; }
  [[nodiscard]] PivotStop stop() const { return stop_; }

  [[nodiscard]] const Vector<double>& diagonal() const { return diagonal_; }    ///< of K
  [[nodiscard]] const Vector<double>& remaining() const { return remaining_; }  ///< of E, at least 0
  /// Rounding of K as it is evaluated in T, relative to √(k_ii k_jj).
  [[nodiscard]] double element_rounding() const { return element_rounding_; }
  /// E_ij = k(x_i, x_j) − F_i·F_j, to cholesky_rounding of √(k_ii k_jj).
  [[nodiscard]] double remainder(Index i, Index j) const;
  /// tr FFᵀ, or tr HFFᵀH.
  [[nodiscard]] double represented_trace(bool centered) const;
  /// Rows [first, first + count) of F, row-major.
  void copy_rows(Index first, Index count, T* out) const;

  /// F is kept in panels of this many columns, so that memory follows the rank that is reached.
  static constexpr Index panel_width = 256;
  [[nodiscard]] static double bytes(Index n, Index rank);  ///< at its largest

 private:
  struct Panel {
    HugeBuffer<T> values;  ///< n x stride, row-major
    Index stride;
    [[nodiscard]] T* row(Index i) { return values.data() + i * stride; }
    [[nodiscard]] const T* row(Index i) const { return values.data() + i * stride; }
  };
  [[nodiscard]] const Panel& panel_of(Index column) const {
    return panels_[static_cast<std::size_t>(column / panel_width)];
  }
  /// A block of pivots on probation: which rows, and E between them.
  struct Candidates {
    std::vector<Index> rows;
    Block<double> remainder;
  };
  struct Accepted {
    std::vector<Index> rows;
    Block<double> factor;    ///< L_bb, with E(rows, rows) = L_bb L_bbᵀ
    Matrix<T> earlier = {};  ///< F(rows, :) of the columns so far; empty: as F has them
  };
  [[nodiscard]] Candidates examine(std::vector<Index> rows) const;
  [[nodiscard]] Accepted take_in_order(const Candidates& block, Index room) const;
  template <class Uniform>
  [[nodiscard]] Accepted reject_some(const Candidates& block, Index room, Uniform&& uniform) const;
  template <class Accept>
  [[nodiscard]] Accepted eliminate(const Candidates& block, Index room, Accept&& accept) const;
  void append(const Accepted& block, const Run& run);
  [[nodiscard]] double rounding(Index rank) const;
  void take_given(const PivotRequest& request, const Run& run);
  void draw_pivots(const PivotRequest& request, const Run& run);

  KernelTiles<T> tiles_;
  Index max_rank_;
  std::vector<Panel> panels_;
  std::vector<Index> pivots_;
  Vector<double> diagonal_, remaining_;
  double mean_part_ = 0;  ///< 1ᵀFFᵀ1/n
  double element_rounding_ = 0;
  PivotStop stop_ = PivotStop::rank;
};

/// What rounding may leave of a diagonal element of K after `rank` steps, relative to the element: the
/// backward error of Cholesky is elementwise, √(k_ii k_jj) times this.
template <class T>
[[nodiscard]] double cholesky_rounding(Index rank);

}  // namespace mercer
