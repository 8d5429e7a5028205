// The shadow of a point: z = (P(x − μ), ‖(I − PᵀP)(x − μ)‖), its places on some principal axes and the length
// of what is left. Shadows are never farther apart than their points,
//
//     ‖z − w‖² = ‖P(x − y)‖² + (rx − ry)² ≤ ‖x − y‖² ≤ ‖P(x − y)‖² + (rx + ry)²,
//
// so a search may look at shadows first: on a few axes, through BLAS, all of them; on more axes those that
// were near; and at the points themselves where the shadows are near still.
#pragma once

#include "graph/row_distance.hpp"
#include "graph/search_cost.hpp"

#include <mercer/run.hpp>
#include <mercer/samples.hpp>

#include <vector>

namespace mercer {

/// Shadows of some points: those on few axes, what is left of them, those on the further axes, what is left
/// then. What is left is rounded up, so that the bounds hold.
struct Shadows {
  Samples<float> rows;
  Index few = 0;

  /// The shadows on few axes, as points of their own.
  [[nodiscard]] Samples<float> coarse() const;
  /// Whether float holds their squared lengths.
  [[nodiscard]] bool in_range() const;
};

/// Principal axes to throw shadows on.
class ShadowAxes {
 public:
  /// At most `most`, by some of the points, which must be dense: any orthonormal axes do, better ones tell
  /// more points apart.
  template <class T>
  ShadowAxes(const Samples<T>& points, Vector<double> mean, Index most);

  [[nodiscard]] Index few() const { return few_; }
  [[nodiscard]] Index all() const { return axes_.cols(); }
  /// The first of the axes: `few` to begin with, `all` for a second look.
  void keep(Index few, Index all);
  /// Of the rows named, in that order, or of all as they come.
  template <class T>
  [[nodiscard]] Shadows shadows(const Samples<T>& rows, const std::vector<Index>& order,
                                const Run& run) const;
  /// Points in an order in which those that come one after another lie near each other: cut in half along the
  /// axis on which they are spread most, again and again, into parts of at most `part`.
  template <class T>
  [[nodiscard]] std::vector<Index> order(const Samples<T>& points, Index part, const Run& run) const;

 private:
  Vector<double> mean_;
  Block<double> axes_;  ///< orthonormal columns
  Index few_;
};

/// The second look at pairs.
class SecondLook {
 public:
  SecondLook() = default;  ///< none
  SecondLook(const Shadows& left, const Shadows& right);

  explicit operator bool() const { return left_ != nullptr; }
  /// What one takes, of a core.
  [[nodiscard]] double seconds() const { return look_seconds(double(further_) * sizeof(float)); }
  /// From a lower bound of ½‖x − y‖² on few axes one on all of them: what was left then is taken off again,
  /// and the further axes and what is left after them are added.
  [[nodiscard]] float lower(Index i, Index j, float on_few) const {
    const float *const x = left_ + i * stride_, *const y = right_ + j * stride_;
    const float left = x[0] - y[0];
    return on_few + 0.5F * ((1 - error_) * sum_(x + 1, y + 1, further_) - left * left);
  }
  /// How much larger ½‖x − y‖² may be: the rests may point in opposite directions, (rx + ry)² = (rx − ry)² +
  /// 4 rx ry. `halves`: ½‖x‖² + ½‖y‖².
  [[nodiscard]] float width(Index i, Index j, float halves) const {
    return 2 * left_[i * stride_ + further_] * right_[j * stride_ + further_] + 4 * error_ * halves;
  }

 private:
  const float *left_ = nullptr, *right_ = nullptr;  ///< what is left after few axes, and the further ones
  Index stride_ = 0, further_ = 0;
  float error_ = 0;  ///< of a sum over the further axes, relative
  row_distance::InFloat sum_ = nullptr;
};

}  // namespace mercer
