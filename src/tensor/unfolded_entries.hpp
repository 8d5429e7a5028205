// UnfoldedEntries<T>: a dense tensor as a matrix, read tile by tile. Its modes in the order of their strides
// are cut in two parts of similar size; the first part's indices are the rows, the other's the columns. A
// packed tensor is that matrix where it lies; gaps, weights and odd strides are dealt with in the copy of a
// tile, so that no second tensor is ever made for them.
#pragma once

#include <mercer/tensor.hpp>

#include <memory>

namespace mercer {

/// Which modes count the rows, which the columns.
struct Unfolding {
  Shape shape, modes;  ///< modes: the fastest first
  Index cut = 1;       ///< how many of them count the rows
  Index rows = 1, columns = 1;

  /// Cut so that the larger side is as small as can be, and then the number of rows.
  Unfolding(Shape shape_of_tensor, Shape modes_by_stride);
  /// Of entry (row, column).
  [[nodiscard]] Shape index(Index row, Index column) const;
};
[[nodiscard]] Index best_cut(const Shape& shape, const Shape& modes);

template <class T>
class UnfoldedEntries {
 public:
  struct Tile {
    const T* data;  ///< column-major
    Index stride;   ///< from column to column
  };

  explicit UnfoldedEntries(Unfolding unfolding) : unfolding_(std::move(unfolding)) {}
  virtual ~UnfoldedEntries() = default;

  [[nodiscard]] const Unfolding& unfolding() const { return unfolding_; }
  /// `scratch` has room for rows x columns and is used where the tile must be written down.
  [[nodiscard]] virtual Tile tile(Index row, Index rows, Index column, Index columns, T* scratch) const = 0;

 private:
  Unfolding unfolding_;
};

template <class T>
using EntriesPointer = std::shared_ptr<const UnfoldedEntries<T>>;

/// The entries as they are; the second form for another tensor of the same shape.
template <class T>
[[nodiscard]] EntriesPointer<T> unfolded_entries(const TensorView<T>& x);
template <class T>
[[nodiscard]] EntriesPointer<T> unfolded_entries(const TensorView<T>& x, const Unfolding& unfolding);

/// What is known of an array with gaps: the weights w (null: ones), 0 where x is NaN; or the values w ∗ x, 0
/// where w is.
enum class Known { values, weights };
template <class T>
[[nodiscard]] EntriesPointer<T> entries_with_gaps(EntriesPointer<T> x, EntriesPointer<T> weights, Known what);

}  // namespace mercer
