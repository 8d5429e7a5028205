// Each new point descends on its own divergence
//   C(y) = Σ_j p_j log(1 + ‖y − y_j‖²) + log Σ_j w_j,   ½∇C = Σ_j p_j w_j (y − y_j) − Σ_j w_j² (y − y_j) /
//   Σ_j w_j,
// from the best of a few places. log is concave: with weights p_j w_j the first sum lies below a parabola
// that touches it, whose minimum is one step −½∇C / Σ p_j w_j away; the step is halved until C falls.
#include "manifold/tsne_place.hpp"

#include "manifold/tsne_affinities.hpp"
#include "manifold/tsne_field.hpp"
#include "manifold/tsne_pairs.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <memory>

namespace mercer {
namespace {

constexpr Index summed_most = 4096;  ///< points of the map whose repulsion is summed one by one
constexpr Index field_nodes = 2048, places_tried = 10, points_placed_at_once = 32;
constexpr int most_moves = 200, most_halvings = 20;
constexpr double still = 1e-4;  ///< a step this short is the last: the weights change over lengths of 1

using Place = std::array<double, 3>;

/// Σ_j w_j and Σ_j w_j²(y − y_j) over the map: from a grid where there are many points and the place is
/// inside.
template <class T>
class Surroundings {
 public:
  Surroundings(const TsneMap<T>& map, const Run& run) : map_(map) {
    if (map.points() <= summed_most || map.components() > 2) return;
    field_ = std::make_unique<TsneField<T>>(map.components(), field_nodes);
    if (!field_->compute(map, run)) field_.reset();
  }

  PairSums at(const Place& place) const {
    T y[3];
    for (std::size_t c = 0; c < 3; ++c) y[c] = T(place[c]);
    if (!field_ || !field_->grid().contains(y)) return pair_sums<T>(map_, y, nullptr);
    TsneMap<T> one(1, map_.components()), force(1, map_.components());
    for (Index c = 0; c < map_.components(); ++c) one.axis(c)[0] = y[c];
    T weight = 0;
    read_fields(field_->grid(), field_->values(), one, 0, 1, &weight, force);
    PairSums out;
    out.weight = double(weight);
    for (Index c = 0; c < map_.components(); ++c) out.repulsion[c] = double(force.axis(c)[0]);
    return out;
  }

 private:
  const TsneMap<T>& map_;
  std::unique_ptr<TsneField<T>> field_;
};

/// One new point: its neighbours' places and affinities.
template <class T>
class Newcomer {
 public:
  Newcomer(const TsneMap<T>& map, const Surroundings<T>& surroundings) : map_(map), around_(surroundings) {}

  void meet(std::span<const std::int32_t> neighbors, std::span<const double> distances, double perplexity) {
    const std::size_t count = neighbors.size();
    squared_.resize(count);
    p_.resize(count);
    places_.assign(count, Place{});
    for (std::size_t j = 0; j < count; ++j) {
      squared_[j] = distances[j] * distances[j];
      for (Index c = 0; c < map_.components(); ++c)
        places_[j][static_cast<std::size_t>(c)] = double(map_.axis(c)[neighbors[j]]);
    }
    calibrate(squared_, perplexity, p_);
  }

  /// The best of the neighbours' weighted mean and the nearest neighbours' places; of equals the first.
  [[nodiscard]] Place start() const {
    Place best{};
    for (std::size_t j = 0; j < p_.size(); ++j)
      for (std::size_t c = 0; c < 3; ++c) best[c] += p_[j] * places_[j][c];
    double least = look(best).divergence;
    for (std::size_t j = 0; j < std::min<std::size_t>(p_.size(), places_tried); ++j) {
      const double divergence = look(places_[j]).divergence;
      if (divergence >= least) continue;
      least = divergence;
      best = places_[j];
    }
    return best;
  }

  [[nodiscard]] Place descend(Place y) const {
    View view = look(y);
    for (int step = 0; step < most_moves; ++step) {
      double factor = 1 / view.curvature, moved = 0;
      Place next{};
      View there;
      for (int halving = 0;; ++halving) {
        moved = 0;
        for (std::size_t c = 0; c < 3; ++c) {
          next[c] = y[c] - factor * view.half_gradient[c];
          moved = std::max(moved, std::abs(next[c] - y[c]));
        }
        there = look(next);
        if (there.divergence < view.divergence) break;
        if (halving == most_halvings || moved < still) return y;
        factor /= 2;
      }
      y = next;
      view = there;
      if (moved < still) break;
    }
    return y;
  }

 private:
  struct View {
    double divergence = 0, curvature = 0;  ///< C, but for what y does not change; Σ p_j w_j
    Place half_gradient{};
  };

  [[nodiscard]] View look(const Place& y) const {
    View out;
    for (std::size_t j = 0; j < p_.size(); ++j) {
      Place delta{};
      double one_plus = 1;
      for (std::size_t c = 0; c < 3; ++c) {
        delta[c] = y[c] - places_[j][c];
        one_plus += delta[c] * delta[c];
      }
      out.divergence += p_[j] * std::log(one_plus);
      const double pull = p_[j] / one_plus;
      out.curvature += pull;
      for (std::size_t c = 0; c < 3; ++c) out.half_gradient[c] += pull * delta[c];
    }
    const PairSums sums = around_.at(y);
    out.divergence += std::log(sums.weight);
    for (std::size_t c = 0; c < 3; ++c) out.half_gradient[c] -= sums.repulsion[c] / sums.weight;
    return out;
  }

  const TsneMap<T>& map_;
  const Surroundings<T>& around_;
  std::vector<double> squared_, p_;
  std::vector<Place> places_;
};

}  // namespace

template <class T>
Matrix<T> place_points(const NeighborLists& lists, const TsneMap<T>& map, double perplexity, const Run& run) {
  Matrix<T> out(lists.size(), map.components());
  const Surroundings<T> surroundings(map, run);
  for_chunks(lists.size(), points_placed_at_once, run, [&](Index first, Index last) {
    Newcomer<T> newcomer(map, surroundings);
    for (Index i = first; i < last; ++i) {
      if (lists.distances(i)[0] == 0) {  // it is in the map already
        for (Index c = 0; c < map.components(); ++c) out(i, c) = map.axis(c)[lists.neighbors(i)[0]];
        continue;
      }
      newcomer.meet(lists.neighbors(i), lists.distances(i), perplexity);
      const Place place = newcomer.descend(newcomer.start());
      for (Index c = 0; c < map.components(); ++c) out(i, c) = T(place[static_cast<std::size_t>(c)]);
    }
  });
  return out;
}

template Matrix<float> place_points(const NeighborLists&, const TsneMap<float>&, double, const Run&);
template Matrix<double> place_points(const NeighborLists&, const TsneMap<double>&, double, const Run&);

}  // namespace mercer
