// The three kinds of forces. Sums go over fixed chunks of points in order.
#include "manifold/tsne_forces.hpp"

#include "manifold/tsne_barnes_hut.hpp"
#include "manifold/tsne_field.hpp"
#include "manifold/tsne_pairs.hpp"

#include <array>
#include <cmath>
#include <optional>

namespace mercer {
namespace {

constexpr Index points_pulled_at_once = 1024;

template <class T>
class ExactForces final : public TsneForces<T> {
 public:
  ExactForces(Matrix<T> p, const Run& run)
      : p_(std::move(p)), negative_entropy_(negative_entropy(p_.data(), p_.size(), run)) {}

  void gradient(const TsneMap<T>& map, double exaggeration, TsneMap<T>& out, const Run& run) override {
    const double normalizer = walk(map, true, run);
    for (Index c = 0; c < map.components(); ++c)
      for (Index i = 0; i < map.points(); ++i) {
        const PairSums& s = sums_[static_cast<std::size_t>(i)];
        out.axis(c)[i] = T(exaggeration * s.attraction[c] - s.repulsion[c] / normalizer);
      }
  }

  double divergence(const TsneMap<T>& map, const Run& run) override {
    const double normalizer = walk(map, false, run);
    const double cross = sum_chunks(map.points(), chunk(map), run, [&](Index first, Index last) {
      double sum = 0;
      for (Index i = first; i < last; ++i)
        sum += pair_divergence(map, place(map, i).data(), p_.row(i).data());
      return sum;
    });
    return negative_entropy_ + cross + std::log(normalizer);
  }

 private:
  static Index chunk(const TsneMap<T>& map) { return std::max<Index>(1, 65536 / map.points()); }
  static std::array<T, 3> place(const TsneMap<T>& map, Index i) {
    std::array<T, 3> y{};
    for (Index c = 0; c < map.components(); ++c) y[static_cast<std::size_t>(c)] = map.axis(c)[i];
    return y;
  }

  /// Every point's sums; returns Z.
  double walk(const TsneMap<T>& map, bool attract, const Run& run) {
    sums_.resize(static_cast<std::size_t>(map.points()));
    return sum_chunks(map.points(), chunk(map), run, [&](Index first, Index last) {
      double weight = 0;
      for (Index i = first; i < last; ++i) {
        PairSums& s = sums_[static_cast<std::size_t>(i)];
        s = pair_sums<T>(map, place(map, i).data(), attract ? p_.row(i).data() : nullptr);
        weight += s.weight - 1;
      }
      return weight;
    });
  }

  Matrix<T> p_;
  double negative_entropy_;
  std::vector<PairSums> sums_;
};

/// Attraction along the links of P; repulsion is up to the kind.
template <class T>
class LinkedForces : public TsneForces<T> {
 public:
  LinkedForces(SparseAffinities<T> p, Index components, const Run& run)
      : p_(std::move(p)),
        negative_entropy_(negative_entropy(p_.value.data(), static_cast<Index>(p_.value.size()), run)),
        repulsion_(p_.points(), components) {}

  void gradient(const TsneMap<T>& map, double exaggeration, TsneMap<T>& out, const Run& run) override {
    const T share = T(1 / repel(map, repulsion_, run)), pull = T(exaggeration);
    paired_places(map, pairs_);
    for_chunks(map.points(), points_pulled_at_once, run, [&](Index first, Index last) {
      link_attraction<T>(map, p_, pairs_, first, last, out);
      for (Index c = 0; c < map.components(); ++c)
        for (Index i = first; i < last; ++i)
          out.axis(c)[i] = pull * out.axis(c)[i] - share * repulsion_.axis(c)[i];
    });
  }

  double divergence(const TsneMap<T>& map, const Run& run) override {
    const double normalizer = repel(map, repulsion_, run);
    const double cross = sum_chunks(map.points(), points_pulled_at_once, run, [&](Index first, Index last) {
      return link_divergence(map, p_, first, last);
    });
    return negative_entropy_ + cross + std::log(normalizer);
  }

 private:
  /// force_i = Σ_j w²(y_i − y_j); returns Z.
  virtual double repel(const TsneMap<T>& map, TsneMap<T>& force, const Run& run) = 0;

  SparseAffinities<T> p_;
  double negative_entropy_;
  TsneMap<T> repulsion_;
  std::vector<std::uint64_t> pairs_;
};

/// Repulsion by a tree, which is made when it is first asked.
template <class T>
class TreeRepulsion {
 public:
  explicit TreeRepulsion(double angle) : angle_(angle) {}

  double repel(const TsneMap<T>& map, TsneMap<T>& force, const Run& run) {
    if (!tree_) tree_.emplace(map.points(), map.components());
    tree_->build(map, run);
    constexpr Index walkers = 8 * TsneMap<T>::vector;
    const double weight = sum_chunks(map.points(), walkers, run, [&](Index first, Index last) {
      return barnes_hut(*tree_, first, last, angle_, force);
    });
    return weight - double(map.points());
  }

 private:
  double angle_;
  std::optional<TsneTree<T>> tree_;
};

template <class T>
class BarnesHutForces final : public LinkedForces<T> {
 public:
  BarnesHutForces(SparseAffinities<T> p, Index components, double angle, const Run& run)
      : LinkedForces<T>(std::move(p), components, run), tree_(angle) {}

 private:
  double repel(const TsneMap<T>& map, TsneMap<T>& force, const Run& run) override {
    return tree_.repel(map, force, run);
  }

  TreeRepulsion<T> tree_;
};

template <class T>
class InterpolationForces final : public LinkedForces<T> {
 public:
  InterpolationForces(SparseAffinities<T> p, Index components, Index most_nodes, const Run& run)
      : LinkedForces<T>(std::move(p), components, run), field_(components, most_nodes) {}

  [[nodiscard]] std::string note() const override {
    return outgrown_ ? "the map outgrew the grid of the interpolation, and Barnes-Hut took over" : "";
  }

 private:
  double repel(const TsneMap<T>& map, TsneMap<T>& force, const Run& run) override {
    if (!field_.compute(map, run)) {
      outgrown_ = true;
      return tree_.repel(map, force, run);
    }
    weight_.resize(static_cast<std::size_t>(map.points()));
    const double weight = sum_chunks(map.points(), points_pulled_at_once, run, [&](Index first, Index last) {
      read_fields(field_.grid(), field_.values(), map, first, last, weight_.data(), force);
      double sum = 0;
      for (Index i = first; i < last; ++i) sum += double(weight_[static_cast<std::size_t>(i)]);
      return sum;
    });
    return weight - double(map.points());
  }

  static constexpr double angle = 0.5;
  TsneField<T> field_;
  std::vector<T> weight_;
  TreeRepulsion<T> tree_{angle};
  bool outgrown_ = false;
};

}  // namespace

template <class T>
std::unique_ptr<TsneForces<T>> exact_forces(Matrix<T> p, const Run& run) {
  return std::make_unique<ExactForces<T>>(std::move(p), run);
}

template <class T>
std::unique_ptr<TsneForces<T>> barnes_hut_forces(SparseAffinities<T> p, Index components, double angle,
                                                 const Run& run) {
  return std::make_unique<BarnesHutForces<T>>(std::move(p), components, angle, run);
}

template <class T>
std::unique_ptr<TsneForces<T>> interpolation_forces(SparseAffinities<T> p, Index components, Index most_nodes,
                                                    const Run& run) {
  return std::make_unique<InterpolationForces<T>>(std::move(p), components, most_nodes, run);
}

#define MERCER_INSTANTIATE(T)                                                                                \
  template std::unique_ptr<TsneForces<T>> exact_forces(Matrix<T>, const Run&);                               \
  template std::unique_ptr<TsneForces<T>> barnes_hut_forces(SparseAffinities<T>, Index, double, const Run&); \
  template std::unique_ptr<TsneForces<T>> interpolation_forces(SparseAffinities<T>, Index, Index, const Run&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
