// FibreWalk: one pass over a part of a sparse tensor's tree for one mode's MTTKRP, compiled for each
// instruction set (Smith and Karypis 2015: one tree for all modes).
//
// For the mode at level t of the tree, a node's contribution to the row of its index is
//     (∗ rows of its ancestors) ∗ (Σ over the entries below it of value · ∗ rows of what lies between),
// so that each product of rows is made once for all entries that share it.
#pragma once

#include <mercer/matrix.hpp>

#include <cstdint>
#include <vector>

namespace mercer {

template <class T>
struct FibreWalk {
  struct Level {
    const std::uint32_t* index;
    const Index* first_child;  ///< none at the last level
    const T* rows;             ///< of the factor, `columns` numbers each
    Index begin, end;          ///< nodes that belong to this part
  };
  std::vector<Level> levels;
  const T* values = nullptr;  ///< null: ones
  Index target = 0;           ///< level of the mode whose product is made
  Index columns = 0;          ///< a multiple of 8
  /// Only nodes of the target level with an index in [first_row, last_row).
  std::uint32_t first_row = 0, last_row = 0;
  bool all_rows = true;
  T* out = nullptr;  ///< added to: row first_row is at its beginning

  void run() const;
};

template <>
void FibreWalk<float>::run() const;
template <>
void FibreWalk<double>::run() const;

}  // namespace mercer
