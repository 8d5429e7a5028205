// The walk through the tree. Highway compiles the code between the guards once for each instruction set and
// picks the best one at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "manifold/tsne_barnes_hut.cpp"
#include <hwy/foreach_target.h>
// (foreach_target must come first)
#include <hwy/highway.h>

#include "manifold/tsne_barnes_hut.hpp"
#include "manifold/tsne_weight-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mercer::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// What a vector of points has felt so far.
template <class D, int C>
struct Felt {
  using V = hn::Vec<D>;
  V place[C], force[C], weight;

  /// Of `count` points at a distance: 1 + d² as given.
  HWY_INLINE void add(D d, V count, V one_plus, const V (&delta)[C]) {
    const V w = reciprocal(d, one_plus), mass = hn::Mul(count, w);
    weight = hn::Add(weight, mass);
    const V push = hn::Mul(mass, w);
    for (int c = 0; c < C; ++c) force[c] = hn::MulAdd(push, delta[c], force[c]);
  }
};

template <int C, class T>
double walk(const TsneTree<T>& tree, Index first, Index last, T angle2, TsneMap<T>& out) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const TsneMap<T>& points = tree.sorted();
  const auto* cells = tree.cells().data();
  const auto count = static_cast<std::int32_t>(tree.cells().size());
  const V one = hn::Set(d, T(1)), theta2 = hn::Set(d, angle2);
  const V less_than_one = hn::Set(d, T(1) - T(barnes_hut_softening));
  HWY_ALIGN T values[HWY_MAX_BYTES / sizeof(T)];
  double total = 0;
  for (Index i = first; i < last; i += lanes) {
    const Index real = std::min(lanes, last - i);
    Felt<decltype(d), C> felt;
    felt.weight = hn::Zero(d);
    for (int c = 0; c < C; ++c) {  // lanes beyond the last point walk with it
      for (Index l = 0; l < lanes; ++l) values[l] = points.axis(c)[i + std::min(l, real - 1)];
      felt.place[c] = hn::Load(d, values);
      felt.force[c] = hn::Zero(d);
    }
    for (std::int32_t at = 0; at < count;) {
      const auto& cell = cells[at];
      V delta[C];
      for (int c = 0; c < C; ++c) delta[c] = hn::Sub(felt.place[c], hn::Set(d, cell.center[c]));
      const V one_plus = one_plus_square<C>(d, delta);
      const V reach = hn::Mul(theta2, hn::Sub(one_plus, less_than_one));  // θ²(d² + softening)
      if (hn::AllTrue(d, hn::Lt(hn::Set(d, cell.width2), reach))) {
        felt.add(d, hn::Set(d, cell.count), one_plus, delta);
        at = cell.skip;
        continue;
      }
      ++at;
      for (Index j = cell.first; j < cell.last; ++j) {  // empty unless it is a leaf
        for (int c = 0; c < C; ++c) delta[c] = hn::Sub(felt.place[c], hn::Set(d, points.axis(c)[j]));
        felt.add(d, one, one_plus_square<C>(d, delta), delta);
      }
    }
    hn::Store(felt.weight, d, values);
    for (Index l = 0; l < real; ++l) total += double(values[l]);
    for (int c = 0; c < C; ++c) {
      hn::Store(felt.force[c], d, values);
      for (Index l = 0; l < real; ++l) out.axis(c)[tree.order()[static_cast<std::size_t>(i + l)]] = values[l];
    }
  }
  return total;
}

template <class T>
double barnes_hut_of(const TsneTree<T>& tree, Index first, Index last, double angle, TsneMap<T>& force) {
  const T angle2 = T(angle * angle);
  switch (tree.sorted().components()) {
    case 1:
      return walk<1>(tree, first, last, angle2, force);
    case 2:
      return walk<2>(tree, first, last, angle2, force);
    default:
      return walk<3>(tree, first, last, angle2, force);
  }
}

double BarnesHutFloat(const TsneTree<float>& tree, Index first, Index last, double angle,
                      TsneMap<float>& force) {
  return barnes_hut_of(tree, first, last, angle, force);
}
double BarnesHutDouble(const TsneTree<double>& tree, Index first, Index last, double angle,
                       TsneMap<double>& force) {
  return barnes_hut_of(tree, first, last, angle, force);
}

}  // namespace mercer::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mercer {

HWY_EXPORT(BarnesHutFloat);
HWY_EXPORT(BarnesHutDouble);

template <>
double barnes_hut(const TsneTree<float>& tree, Index first, Index last, double angle, TsneMap<float>& force) {
  return HWY_DYNAMIC_DISPATCH(BarnesHutFloat)(tree, first, last, angle, force);
}
template <>
double barnes_hut(const TsneTree<double>& tree, Index first, Index last, double angle,
                  TsneMap<double>& force) {
  return HWY_DYNAMIC_DISPATCH(BarnesHutDouble)(tree, first, last, angle, force);
}

}  // namespace mercer
#endif  // HWY_ONCE
