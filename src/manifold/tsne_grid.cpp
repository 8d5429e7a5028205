// Cubic splines to and from the grid. Highway compiles the code between the guards once for each
// instruction set and picks the best one at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "manifold/tsne_grid.cpp"
#include <hwy/foreach_target.h>
// (foreach_target must come first)
#include <hwy/highway.h>

#include "manifold/tsne_grid.hpp"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace mercer::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// The cubic B-splines of the nodes −1, 0, 1, 2 at t in [0, 1], and the number of the first node.
template <class T>
struct Stencil {
  Index first;
  HWY_ALIGN T weights[4];

  HWY_INLINE Stencil(T place, Index nodes) {
    const Index cell = std::clamp<Index>(static_cast<Index>(place), 1, nodes - 3);
    const T t = place - T(cell), rest = 1 - t;
    first = cell - 1;
    weights[0] = rest * rest * rest * T(1.0 / 6);
    weights[1] = T(2.0 / 3) - t * t * (1 - t * T(0.5));
    weights[2] = T(2.0 / 3) - rest * rest * (1 - rest * T(0.5));
    weights[3] = t * t * t * T(1.0 / 6);
  }
};

template <class T>
void spread(const Grid<T>& grid, const TsneMap<T>& map, Index first, Index last, T* charges) {
  const hn::CappedTag<T, 4> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const T scale = 1 / grid.spacing;
  const bool flat = grid.components == 2;
  for (Index i = first; i < last; ++i) {
    const Stencil<T> x((map.axis(0)[i] - grid.origin[0]) * scale, grid.cols);
    if (!flat) {
      for (Index a = 0; a < 4; ++a) charges[x.first + a] += x.weights[a];
      continue;
    }
    const Stencil<T> y((map.axis(1)[i] - grid.origin[1]) * scale, grid.rows);
    for (Index b = 0; b < 4; ++b) {
      T* row = charges + (y.first + b) * grid.cols + x.first;
      const auto along = hn::Set(d, y.weights[b]);
      for (Index a = 0; a < 4; a += lanes)
        hn::StoreU(hn::MulAdd(along, hn::Load(d, x.weights + a), hn::LoadU(d, row + a)), d, row + a);
    }
  }
}

template <class T>
void read(const Grid<T>& grid, const T* fields, const TsneMap<T>& map, Index first, Index last, T* weight,
          TsneMap<T>& force) {
  const hn::CappedTag<T, 4> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const T scale = 1 / grid.spacing;
  const bool flat = grid.components == 2;
  HWY_ALIGN T sums[4];
  for (Index i = first; i < last; ++i) {
    const Stencil<T> x((map.axis(0)[i] - grid.origin[0]) * scale, grid.cols);
    if (!flat) {
      for (Index f = 0; f < 2; ++f) {
        sums[f] = 0;
        for (Index a = 0; a < 4; ++a) sums[f] += x.weights[a] * fields[(x.first + a) * fields_a_node + f];
      }
      weight[i] = sums[0];
      force.axis(0)[i] = sums[1];
      continue;
    }
    const Stencil<T> y((map.axis(1)[i] - grid.origin[1]) * scale, grid.rows);
    for (Index f = 0; f < 4; f += lanes) {
      auto sum = hn::Zero(d);
      for (Index b = 0; b < 4; ++b) {
        const T* node = fields + ((y.first + b) * grid.cols + x.first) * fields_a_node + f;
        auto row = hn::Mul(hn::Set(d, x.weights[0]), hn::LoadU(d, node));
        for (Index a = 1; a < 4; ++a)
          row = hn::MulAdd(hn::Set(d, x.weights[a]), hn::LoadU(d, node + a * fields_a_node), row);
        sum = hn::MulAdd(hn::Set(d, y.weights[b]), row, sum);
      }
      hn::Store(sum, d, sums + f);
    }
    weight[i] = sums[0];
    force.axis(0)[i] = sums[1];
    force.axis(1)[i] = sums[2];
  }
}

void SpreadFloat(const Grid<float>& g, const TsneMap<float>& map, Index first, Index last, float* charges) {
  spread(g, map, first, last, charges);
}
void SpreadDouble(const Grid<double>& g, const TsneMap<double>& map, Index first, Index last,
                  double* charges) {
  spread(g, map, first, last, charges);
}
void ReadFloat(const Grid<float>& g, const float* fields, const TsneMap<float>& map, Index first, Index last,
               float* weight, TsneMap<float>& force) {
  read(g, fields, map, first, last, weight, force);
}
void ReadDouble(const Grid<double>& g, const double* fields, const TsneMap<double>& map, Index first,
                Index last, double* weight, TsneMap<double>& force) {
  read(g, fields, map, first, last, weight, force);
}

}  // namespace mercer::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mercer {

HWY_EXPORT(SpreadFloat);
HWY_EXPORT(SpreadDouble);
HWY_EXPORT(ReadFloat);
HWY_EXPORT(ReadDouble);

template <>
void spread_points(const Grid<float>& g, const TsneMap<float>& map, Index first, Index last, float* charges) {
  HWY_DYNAMIC_DISPATCH(SpreadFloat)(g, map, first, last, charges);
}
template <>
void spread_points(const Grid<double>& g, const TsneMap<double>& map, Index first, Index last,
                   double* charges) {
  HWY_DYNAMIC_DISPATCH(SpreadDouble)(g, map, first, last, charges);
}
template <>
void read_fields(const Grid<float>& g, const float* fields, const TsneMap<float>& map, Index first,
                 Index last, float* weight, TsneMap<float>& force) {
  HWY_DYNAMIC_DISPATCH(ReadFloat)(g, fields, map, first, last, weight, force);
}
template <>
void read_fields(const Grid<double>& g, const double* fields, const TsneMap<double>& map, Index first,
                 Index last, double* weight, TsneMap<double>& force) {
  HWY_DYNAMIC_DISPATCH(ReadDouble)(g, fields, map, first, last, weight, force);
}

}  // namespace mercer
#endif  // HWY_ONCE
