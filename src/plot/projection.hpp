// The view of a 3-D box: seen from the front right and a little from above, in a mild perspective.
#pragma once

#include "plot/geometry.hpp"

#include <array>

namespace mercer::plot {

using Space = std::array<double, 3>;  ///< a position in the cube [0, 1]³

class Projection {
 public:
  /// Scales and moves the view so that the cube fills `area`.
  explicit Projection(const Rect& area);

  [[nodiscard]] Point at(const Space& p) const;
  /// 0 at the nearest corner of the cube, 1 at the farthest.
  [[nodiscard]] double depth(const Space& p) const;

 private:
  struct Seen {
    double x, y, away;
  };
  [[nodiscard]] static Seen see(const Space& p);
  double scale_ = 1;
  Point shift_;
  double nearest_ = 0, farthest_ = 1;
};

}  // namespace mercer::plot
