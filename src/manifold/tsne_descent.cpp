// Gradient descent as van der Maaten's code does it, the map kept around the origin.
#include "manifold/tsne_descent.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

constexpr Index points_moved_at_once = 4096, iterations_a_report = 50;
constexpr double early_momentum = 0.5, late_momentum = 0.8;
/// No point jumps further along an axis at once: the weights change over lengths of 1.
constexpr double longest_step = 5;

/// What the optimiser remembers of each coordinate.
template <class T>
struct Memory {
  TsneMap<T> gradient, step, gain;

  explicit Memory(const TsneMap<T>& map)
      : gradient(map.points(), map.components()), step(gradient), gain(gradient) {
    for (Index c = 0; c < map.components(); ++c) std::fill_n(gain.axis(c), map.points(), T(1));
  }

  void move(TsneMap<T>& map, T rate, T momentum, Index first, Index last) {
    for (Index c = 0; c < map.components(); ++c) {
      const T* const g = gradient.axis(c);
      T *const y = map.axis(c), *const u = step.axis(c), *const factor = gain.axis(c);
      for (Index i = first; i < last; ++i) {
        factor[i] = u[i] * g[i] < 0 ? factor[i] + T(0.2) : std::max(factor[i] * T(0.8), T(0.01));
        u[i] = std::clamp(momentum * u[i] - rate * factor[i] * g[i], -T(longest_step), T(longest_step));
        y[i] += u[i];
      }
    }
  }
};

template <class T>
void center(TsneMap<T>& map, const Run& run) {
  for (Index c = 0; c < map.components(); ++c) {
    T* axis = map.axis(c);
    const double sum = sum_chunks(map.points(), points_moved_at_once, run, [&](Index first, Index last) {
      double part = 0;
      for (Index i = first; i < last; ++i) part += double(axis[i]);
      return part;
    });
    const T mean = T(sum / double(map.points()));
    for_chunks(map.points(), points_moved_at_once, run, [&](Index first, Index last) {
      for (Index i = first; i < last; ++i) axis[i] -= mean;
    });
  }
}

}  // namespace

template <class T>
TsneCourse descend(TsneForces<T>& forces, const TsneOptions& options, double rate, TsneMap<T>& map,
                   const Run& run) {
  TsneCourse course;
  Memory<T> memory(map);
  std::string stage = "map";
  center(map, run);
  for (Index iteration = 0; iteration < options.iterations; ++iteration) {
    run.check();
    run.report(stage, double(iteration) / double(options.iterations));
    const bool early = iteration < options.exaggerated;
    forces.gradient(map, early ? options.exaggeration : 1, memory.gradient, run);
    for_chunks(map.points(), points_moved_at_once, run, [&](Index first, Index last) {
      memory.move(map, T(rate), T(early ? early_momentum : late_momentum), first, last);
    });
    center(map, run);
    const bool last = iteration + 1 == options.iterations;
    if ((iteration + 1) % iterations_a_report != 0 && !last) continue;
    course.divergence = forces.divergence(map, run);
    if (!std::isfinite(course.divergence))
      throw Error(ErrorCode::not_converged,
                  fmt::format("t-SNE left the numbers after {} iterations", iteration + 1),
                  "lower the learning rate, or scale the data");
    if ((iteration + 1) % iterations_a_report == 0) course.history.push_back(course.divergence);
    stage = fmt::format("map, KL {:.3f}", course.divergence);
    run.report(stage, double(iteration + 1) / double(options.iterations));
  }
  // From the end of the exaggeration on it should fall.
  const auto free = static_cast<std::size_t>(options.exaggerated / iterations_a_report + 1);
  course.fell = course.history.size() <= free || course.divergence < course.history[free - 1];
  return course;
}

template TsneCourse descend(TsneForces<float>&, const TsneOptions&, double, TsneMap<float>&, const Run&);
template TsneCourse descend(TsneForces<double>&, const TsneOptions&, double, TsneMap<double>&, const Run&);

}  // namespace mercer
