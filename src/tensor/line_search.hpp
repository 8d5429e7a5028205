// Line search: beyond the last two sweeps' models along the line through them, which shortens the long
// valleys of alternating least squares (Harshman 1970; Bro 1998). A step counts only if the error falls; then
// it is longer the next time.
#pragma once

#include "tensor/kruskal.hpp"

namespace mercer {

class LineSearch {
 public:
  /// Shall a step be tried after this sweep?
  [[nodiscard]] bool due() { return --wait_ < 0; }
  void succeeded();
  void failed();
  [[nodiscard]] double step() const { return step_; }

 private:
  double step_ = 2;
  Index wait_ = 2, pause_ = 1;
};

/// before + step·(now − before) in every factor, λ with the last mode's; what must not be negative is cut
/// off.
template <class T>
[[nodiscard]] Kruskal<T> extrapolate(const Kruskal<T>& before, const Kruskal<T>& now, double step, Index last,
                                     bool nonnegative);

}  // namespace mercer
