// Steps along the line through two sweeps' models.
#include "tensor/line_search.hpp"

#include <algorithm>

namespace mercer {
namespace {

constexpr double longest = 100, shortest = 1.5, growth = 1.5;
constexpr Index longest_pause = 8;

}  // namespace

void LineSearch::succeeded() {
  step_ = std::min(longest, step_ * growth);
  pause_ = 1;
  wait_ = 0;
}

void LineSearch::failed() {
  step_ = std::max(shortest, step_ / 2);
  wait_ = pause_;
  pause_ = std::min(longest_pause, 2 * pause_);
}

template <class T>
Kruskal<T> extrapolate(const Kruskal<T>& before, const Kruskal<T>& now, double step, Index last,
                       bool nonnegative) {
  Kruskal<T> out = now;
  Vector<double> lengths = Vector<double>::Ones(now.rank);
  for (Index mode = 0; mode < static_cast<Index>(now.factors.size()); ++mode) {
    Matrix<double> from = before.factor(mode).leftCols(now.rank).template cast<double>();
    Matrix<double> to = now.factor(mode).leftCols(now.rank).template cast<double>();
    if (mode == last) {
      from *= before.weights.asDiagonal();
      to *= now.weights.asDiagonal();
    }
    to = from + step * (to - from);
    if (nonnegative) to = to.cwiseMax(0).eval();
    set_factor(out, mode, to);
    lengths = lengths.cwiseProduct(out.weights);
  }
  out.weights = lengths;
  return out;
}

template Kruskal<float> extrapolate(const Kruskal<float>&, const Kruskal<float>&, double, Index, bool);
template Kruskal<double> extrapolate(const Kruskal<double>&, const Kruskal<double>&, double, Index, bool);

}  // namespace mercer
