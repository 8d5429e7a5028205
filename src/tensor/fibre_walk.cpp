// The walk, a group of columns at a time, so that sums over a fibre stay in registers.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/fibre_walk.cpp"
// Arrays of vectors, which sizeless types cannot have.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/foreach_target.h>
// (foreach_target must come first)
#include <hwy/highway.h>

#include "tensor/fibre_walk.hpp"

#include <algorithm>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace mercer::fibre_walk::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Tag = hn::CappedTag<T, 8>;  // divides the padding of the rows
template <class T>
using Vec = hn::Vec<Tag<T>>;

/// `count` vectors: a group of columns of one row.
template <class T, std::size_t count>
struct Group {
  Vec<T> v[count];
};

template <class T, std::size_t... I>
HWY_INLINE Group<T, sizeof...(I)> Load(const T* from, std::index_sequence<I...>) {
  const Tag<T> d;
  return {{hn::LoadU(d, from + I * hn::Lanes(d))...}};
}
template <class T, std::size_t... I>
HWY_INLINE void Store(const Group<T, sizeof...(I)>& g, T* to, std::index_sequence<I...>) {
  const Tag<T> d;
  (hn::StoreU(g.v[I], d, to + I * hn::Lanes(d)), ...);
}
template <class T, std::size_t... I>
HWY_INLINE Group<T, sizeof...(I)> Fill(T value, std::index_sequence<I...>) {
  const Vec<T> v = hn::Set(Tag<T>(), value);
  return {{(static_cast<void>(I), v)...}};
}
/// a ∗ b + c
template <class T, std::size_t... I>
HWY_INLINE Group<T, sizeof...(I)> MulAdd(const Group<T, sizeof...(I)>& a, const Group<T, sizeof...(I)>& b,
                                         const Group<T, sizeof...(I)>& c, std::index_sequence<I...>) {
  return {{hn::MulAdd(a.v[I], b.v[I], c.v[I])...}};
}
template <class T, std::size_t... I>
HWY_INLINE Group<T, sizeof...(I)> Mul(const Group<T, sizeof...(I)>& a, const Group<T, sizeof...(I)>& b,
                                      std::index_sequence<I...>) {
  return {{hn::Mul(a.v[I], b.v[I])...}};
}

template <class T, std::size_t count>
class Walk {
 public:
  Walk(const FibreWalk<T>& walk, Index column)
      : w_(walk), column_(column), last_(static_cast<Index>(walk.levels.size()) - 1) {}

  void Run() const { Descend(0, w_.levels[0].begin, w_.levels[0].end, Fill<T>(T(1), numbers)); }

 private:
  using Row = Group<T, count>;
  static constexpr auto numbers = std::make_index_sequence<count>();

  HWY_INLINE Row FactorRow(Index level, Index node) const {
    const auto& l = w_.levels[static_cast<std::size_t>(level)];
    return Load<T>(l.rows + Index(l.index[node]) * w_.columns + column_, numbers);
  }
  HWY_INLINE std::pair<Index, Index> Children(Index level, Index node) const {
    const auto& l = w_.levels[static_cast<std::size_t>(level)];
    const auto& next = w_.levels[static_cast<std::size_t>(level) + 1];
    return {std::max(l.first_child[node], next.begin), std::min(l.first_child[node + 1], next.end)};
  }

  HWY_INLINE T Value(Index entry) const { return w_.values ? w_.values[entry] : T(1); }

  /// Nodes [begin, end) of a level at or above the target; `above`: the product of their ancestors' rows.
  void Descend(Index level, Index begin, Index end, Row above) const {
    if (level == w_.target) {
      if (!w_.all_rows) Narrow(begin, end);
      if (level == last_)
        Scatter(begin, end, above);
      else
        Collect(begin, end, above);
      return;
    }
    for (Index node = begin; node < end; ++node) {
      const auto [from, to] = Children(level, node);
      Descend(level + 1, from, to, Mul<T>(above, FactorRow(level, node), numbers));
    }
  }

  /// Indices ascend among the nodes of one parent.
  void Narrow(Index& begin, Index& end) const {
    const std::uint32_t* index = w_.levels[static_cast<std::size_t>(w_.target)].index;
    begin = std::lower_bound(index + begin, index + end, w_.first_row) - index;
    end = std::lower_bound(index + begin, index + end, w_.last_row) - index;
  }

  HWY_INLINE T* OutRow(std::uint32_t index) const {
    return w_.out + Index(index - w_.first_row) * w_.columns + column_;
  }

  /// The target is the last level: y(index) += value · above.
  HWY_INLINE void Scatter(Index begin, Index end, const Row& above) const {
    const std::uint32_t* index = w_.levels[static_cast<std::size_t>(last_)].index;
    for (Index e = begin; e < end; ++e) {
      T* y = OutRow(index[e]);
      Store<T>(MulAdd<T>(Fill<T>(Value(e), numbers), above, Load<T>(y, numbers), numbers), y, numbers);
    }
  }

  /// y(index) += above ∗ what is below.
  HWY_INLINE void Collect(Index begin, Index end, const Row& above) const {
    const std::uint32_t* index = w_.levels[static_cast<std::size_t>(w_.target)].index;
    for (Index node = begin; node < end; ++node) {
      T* y = OutRow(index[node]);
      Store<T>(MulAdd<T>(above, Below(w_.target, node), Load<T>(y, numbers), numbers), y, numbers);
    }
  }

  /// Σ over the children c of row(c) ∗ Below(c); over entries Σ value · row.
  Row Below(Index level, Index node) const {
    const auto [from, to] = Children(level, node);
    Row sum = Fill<T>(T(0), numbers);
    if (level + 1 < last_) {
      for (Index child = from; child < to; ++child)
        sum = MulAdd<T>(FactorRow(level + 1, child), Below(level + 1, child), sum, numbers);
      return sum;
    }
    const auto& l = w_.levels[static_cast<std::size_t>(last_)];
    const T* rows = l.rows + column_;
    for (Index e = from; e < to; ++e)
      sum = MulAdd<T>(Fill<T>(Value(e), numbers), Load<T>(rows + Index(l.index[e]) * w_.columns, numbers),
                      sum, numbers);
    return sum;
  }

  const FibreWalk<T>& w_;
  Index column_, last_;
};

template <class T>
void RunAll(const FibreWalk<T>& walk) {
  const auto lanes = static_cast<Index>(hn::Lanes(Tag<T>()));
  Index column = 0;
  for (; column + 4 * lanes <= walk.columns; column += 4 * lanes) Walk<T, 4>(walk, column).Run();
  for (; column + 2 * lanes <= walk.columns; column += 2 * lanes) Walk<T, 2>(walk, column).Run();
  for (; column < walk.columns; column += lanes) Walk<T, 1>(walk, column).Run();
}

void RunFloat(const FibreWalk<float>& walk) { RunAll(walk); }
void RunDouble(const FibreWalk<double>& walk) { RunAll(walk); }

}  // namespace mercer::fibre_walk::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mercer {
namespace fibre_walk {
HWY_EXPORT(RunFloat);
HWY_EXPORT(RunDouble);
}  // namespace fibre_walk

template <>
void FibreWalk<float>::run() const {
  using namespace fibre_walk;
  HWY_DYNAMIC_DISPATCH(RunFloat)(*this);
}
template <>
void FibreWalk<double>::run() const {
  using namespace fibre_walk;
  HWY_DYNAMIC_DISPATCH(RunDouble)(*this);
}

}  // namespace mercer
#endif  // HWY_ONCE
