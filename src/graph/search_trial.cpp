// A few of the points against all of them.
#include "graph/search_trial.hpp"

#include "base/parallel.hpp"
#include "graph/dot_tiles.hpp"
#include "graph/row_distance.hpp"
#include "graph/search_cost.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace mercer {
namespace {

constexpr std::array<Index, 10> axes_to_try{8, 12, 16, 24, 32, 48, 64, 96, 128, 192};

}  // namespace

template <class T>
SearchTrial<T>::SearchTrial(const Samples<T>& points, const Run& run) : points_(points) {
  if (!points.is_sparse()) mean_ = mean_of(points);
  norms_ = squared_norms(points, mean_);
  const Index n = points.rows();
  count_ = std::min<Index>(16, n - 1);
  squares_.resize(std::min<Index>(16, n), n);
  const RowDistance<T> distance(points, points);
  constexpr Index step = 256;  // points meet all of the tried rows while they are in a cache
  parallel_for((n + step - 1) / step, run, [&](Index part) {
    for (Index s = 0; s < tried(); ++s)
      for (Index j = part * step; j < std::min(n, (part + 1) * step); ++j)
        squares_(s, j) = distance(row(s), j);
  });
  limits_.resize(tried());
  std::vector<double> order;
  for (Index s = 0; s < tried(); ++s) {
    order.assign(squares_.row(s).begin(), squares_.row(s).end());
    std::nth_element(order.begin(), order.begin() + count_, order.end());  // the first is the row itself
    limits_[s] = order[static_cast<std::size_t>(count_)];
  }
}

template <class T>
bool SearchTrial<T>::float_suffices() const {
  if (norms_.maxCoeff() > 1e37) return false;  // would overflow
  const Index n = points_.rows();
  const double slack = DotTiles<float>::slack(longest_row(points_));
  Index let_in = 0;
  for (Index s = 0; s < tried(); ++s)
    for (Index j = 0; j < n; ++j)
      let_in += squares_(s, j) - slack * (norms_[row(s)] + norms_[j]) <= limits_[s];
  return let_in <= tried() * (2 * count_ + 16 + n / 128);
}

template <class T>
double SearchTrial<T>::near(const Matrix<double>& shadows, Index axes) const {
  const Index some = shadows.rows() - tried();
  const auto along = shadows.leftCols(axes);
  const Vector<double> left = shadows.rightCols(shadows.cols() - axes).rowwise().norm();
  Index near = 0;
  for (Index s = 0; s < tried(); ++s)
    for (Index j = 0; j < some; ++j) {
      const double rest = left[some + s] - left[j];
      near += (along.row(some + s) - along.row(j)).squaredNorm() + rest * rest <= limits_[s];
    }
  return double(near) / double(tried()) * double(points_.rows()) / double(some);
}

template <class T>
auto SearchTrial<T>::plan(Index rows, const Run& run) const -> Plan {
  const Index n = points_.rows(), d = points_.cols();
  const double share = double(rows) / double(n);
  Plan best{share * brute_core_seconds(points_), {}};
  // Not where the trial alone would take as long, nor where the shadows have no room.
  const double most_bytes = double(n) * double(axes_to_try.back() + 2) * sizeof(float);
  if (points_.is_sparse() || d < 2 * axes_to_try.front() || best.core_seconds < 0.5 || !float_suffices() ||
      most_bytes > 0.25 * double(run.memory_budget()))
    return best;

  ShadowAxes axes(points_, mean_, std::min(d / 2, axes_to_try.back()));
  std::vector<Index> which;
  const Index some = std::min<Index>(n, 4096);
  for (Index s = 0; s < some; ++s) which.push_back(s * n / some);
  for (Index s = 0; s < tried(); ++s) which.push_back(row(s));
  const Shadows shadows = axes.shadows(points_, which, run);  // with what is left twice: few axes are all
  const Matrix<double> z = shadows.coarse().dense().template cast<double>();
  std::vector<double> near_on;
  for (const Index m : axes_to_try)
    if (m <= axes.all()) near_on.push_back(near(z, m));

  Index few = 0, all = 0;
  const double bytes = sizeof(T);
  for (std::size_t a = 0; a < near_on.size(); ++a)
    for (std::size_t b = a + 1; b < near_on.size(); ++b) {
      const Index first = axes_to_try[a], second = axes_to_try[b];
      const double row_seconds = brute_row_seconds(n, double(first + 1)) +
                                 look_seconds(near_on[a], double(second - first) * sizeof(float)) +
                                 look_seconds(near_on[b], double(d) * bytes);
      const double seconds = shadow_seconds(n, d, second) + double(rows) * row_seconds;
      if (seconds < best.core_seconds) best.core_seconds = seconds, few = first, all = second;
    }
  if (few == 0) return best;
  axes.keep(few, all);
  best.axes = std::move(axes);
  return best;
}

template class SearchTrial<float>;
template class SearchTrial<double>;

}  // namespace mercer
