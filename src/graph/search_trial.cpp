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
constexpr Index neighbours = 16;  // asked for
constexpr Index most_points = 1 << 18;

/// Numbers of `count` rows of n, spread evenly.
std::vector<Index> spread(Index count, Index n) {
  std::vector<Index> out(static_cast<std::size_t>(count));
  for (Index s = 0; s < count; ++s) out[static_cast<std::size_t>(s)] = s * n / count;
  return out;
}

}  // namespace

template <class T>
SearchTrial<T>::SearchTrial(const Samples<T>& points, const Run& run) : points_(points) {
  const SteadyRun steady(run);
  if (!points.is_sparse()) mean_ = mean_of(points);
  norms_ = squared_norms(points, mean_);
  const Index n = points.rows();
  limits_.resize(std::min<Index>(16, n));
  measure(spread(std::min(n, most_points), n), steady);
}

template <class T>
void SearchTrial<T>::measure(const std::vector<Index>& some, const Run& run) {
  const Index n = points_.rows(), count = static_cast<Index>(some.size());
  Matrix<double> squares(tried(), count);
  const RowDistance<T> distance(points_, points_);
  constexpr Index step = 256;  // points meet all of the tried rows while they are in a cache
  parallel_for((count + step - 1) / step, run, [&](Index part) {
    for (Index s = 0; s < tried(); ++s)
      for (Index j = part * step; j < std::min(count, (part + 1) * step); ++j)
        squares(s, j) = distance(row(s), some[static_cast<std::size_t>(j)]);
  });
  // The neighbours that are among some of the points; the first is the row itself, if it is.
  const Index last = std::min(count - 1, std::max<Index>(1, neighbours * count / n));
  const double slack = DotTiles<float>::slack(longest_row(points_));
  std::vector<double> order;
  Index let_in = 0;
  for (Index s = 0; s < tried(); ++s) {
    order.assign(squares.row(s).begin(), squares.row(s).end());
    std::nth_element(order.begin(), order.begin() + last, order.end());
    limits_[s] = order[static_cast<std::size_t>(last)];
    for (Index j = 0; j < count; ++j)
      let_in +=
          squares(s, j) - slack * (norms_[row(s)] + norms_[some[static_cast<std::size_t>(j)]]) <= limits_[s];
  }
  let_in_ = double(let_in) / double(tried()) * double(n) / double(count);
}

template <class T>
bool SearchTrial<T>::float_suffices() const {
  return norms_.maxCoeff() <= 1e37 &&  // else it would overflow
         let_in_ <= 3 * neighbours + double(points_.rows()) / 128;
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
  const SteadyRun steady(run);
  const Index n = points_.rows(), d = points_.cols();
  const double threads = double(run.thread_count());
  Plan best{double(rows) / double(n) * brute_core_seconds(points_) / threads, {}};
  // Not where finding axes alone takes as long, nor where they or the shadows have no room.
  const double bytes =
      double(n) * double(axes_to_try.back() + 2) * sizeof(float) + double(d) * 3000 * sizeof(double);
  if (points_.is_sparse() || d < 2 * axes_to_try.front() || best.seconds < 0.2 + axes_seconds(d) ||
      !float_suffices() || bytes > 0.25 * double(run.memory_budget()))
    return best;

  ShadowAxes axes(points_, mean_, std::min(d / 2, axes_to_try.back()));
  std::vector<Index> which = spread(std::min<Index>(n, 4096), n);
  for (Index s = 0; s < tried(); ++s) which.push_back(row(s));
  const Matrix<double> z =  // few axes are all
      axes.shadows(points_, which, steady).coarse().dense().template cast<double>();
  std::vector<double> near_on;
  for (const Index m : axes_to_try)
    if (m <= axes.all()) near_on.push_back(near(z, m));

  // There are about twice as many near pairs on the way, while the last neighbours are not known yet.
  const auto looks = [](double pairs, double row_bytes) { return 2 * pairs * look_seconds(row_bytes); };
  Index few = 0, all = 0;
  for (std::size_t a = 0; a < near_on.size(); ++a)
    for (std::size_t b = a + 1; b < near_on.size(); ++b) {
      const Index first = axes_to_try[a], second = axes_to_try[b];
      const double row_seconds = brute_row_seconds(n, double(first + 1)) +
                                 looks(near_on[a], double(second - first) * sizeof(float)) +
                                 looks(near_on[b], double(d) * sizeof(T));
      const double seconds =
          axes_seconds(d) + (shadow_seconds(n, d, second) + double(rows) * row_seconds) / threads;
      if (seconds < best.seconds) best.seconds = seconds, few = first, all = second;
    }
  if (few == 0) return best;
  axes.keep(few, all);
  best.axes = std::move(axes);
  return best;
}

template <class T>
double tried_share(const Samples<T>& points, const Run& run) {
  const double all = brute_core_seconds(points) / double(run.thread_count());
  if (all < 1) return 1;
  require_finite(points);
  return SearchTrial<T>(points, run).plan(points.rows(), run).seconds / all;
}

template double tried_share(const Samples<float>&, const Run&);
template double tried_share(const Samples<double>&, const Run&);
template class SearchTrial<float>;
template class SearchTrial<double>;

}  // namespace mercer
