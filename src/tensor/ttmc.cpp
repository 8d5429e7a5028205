// The walk: prefixes of Kronecker products on the way down, sums of suffixes on the way up, and their product
// where they meet, at the nodes of the mode that is left out. Threads share out the rows of the result:
// within a node the children's indices ascend, so each finds its own.
#include "tensor/ttmc.hpp"

#include "base/at.hpp"
#include "base/parallel.hpp"

#include <algorithm>

namespace mercer {
namespace {

using Rows = Eigen::Map<Vector<double>>;
using ConstRows = Eigen::Map<const Vector<double>>;

/// out (a x b, b fastest) += a ⊗ b
void add_outer(const double* a, Index a_size, const double* b, Index b_size, double* out) {
  const ConstRows right(b, b_size);
  for (Index i = 0; i < a_size; ++i) Rows(out + i * b_size, b_size) += a[i] * right;
}

/// The tree with one factor a level, row by row.
template <class T>
class Walk {
 public:
  Walk(const SparseTensor<T>& x, Index mode, const std::vector<Block<double>>& factors)
      : x_(x), last_(x.order() - 1) {
    Index above = 1;
    for (Index level = 0; level <= last_; ++level) {
      const Index m = x.modes()[at(level)];
      if (m == mode) target_ = level;
      factors_.push_back(factors[at(m)]);
      ranks_.push_back(m == mode ? 1 : factors[at(m)].cols());
      above_.push_back(above *= ranks_.back());
    }
    below_.assign(at(last_) + 2, 1);  // below_[l]: numbers of a suffix that begins at level l
    for (Index level = last_; level >= 0; --level)
      below_[at(level)] = below_[at(level) + 1] * ranks_[at(level)];
  }

  [[nodiscard]] Index target() const { return target_; }
  [[nodiscard]] Index columns() const { return below_[0]; }
  /// Stride of a level's index in a row of the result.
  [[nodiscard]] Index stride(Index level) const { return below_[at(level) + 1]; }

  /// Adds what the nodes with indices [low, high) of the target level contribute.
  void add_rows(std::uint32_t low, std::uint32_t high, double* out) const {
    Scratch scratch;
    for (Index level = 0; level <= last_; ++level) {
      scratch.prefix.emplace_back(at(above_[at(level)]));
      scratch.suffix.emplace_back(at(below_[at(level)]));
    }
    descend(0, 0, static_cast<Index>(x_.index(0).size()), low, high, out, scratch);
  }

 private:
  struct Scratch {
    std::vector<std::vector<double>> prefix, suffix;  ///< of each level
  };

  [[nodiscard]] const double* factor(Index level, Index node) const {
    return factors_[at(level)].row(x_.index(level)[at(node)]).data();
  }

  /// The nodes [first, last) of a level, which are the children of one node.
  void descend(Index level, Index first, Index last, std::uint32_t low, std::uint32_t high, double* out,
               Scratch& scratch) const {
    if (level == target_) return meet(first, last, low, high, out, scratch);
    for (Index node = first; node < last; ++node) {
      const Index begin = x_.first_child(level)[at(node)], end = x_.first_child(level)[at(node) + 1];
      if (level + 1 == target_ && !any_in(begin, end, low, high)) continue;
      std::vector<double>& prefix = scratch.prefix[at(level)];
      const double* row = factor(level, node);
      if (level == 0) {
        std::copy_n(row, prefix.size(), prefix.data());
      } else {
        std::fill(prefix.begin(), prefix.end(), 0.0);
        add_outer(scratch.prefix[at(level) - 1].data(), above_[at(level) - 1], row, ranks_[at(level)],
                  prefix.data());
      }
      descend(level + 1, begin, end, low, high, out, scratch);
    }
  }

  [[nodiscard]] bool any_in(Index begin, Index end, std::uint32_t low, std::uint32_t high) const {
    const auto& index = x_.index(target_);
    const auto found = std::lower_bound(index.begin() + begin, index.begin() + end, low);
    return found != index.begin() + end && *found < high;
  }

  void meet(Index first, Index last, std::uint32_t low, std::uint32_t high, double* out,
            Scratch& scratch) const {
    const auto& index = x_.index(target_);
    Index node = std::lower_bound(index.begin() + first, index.begin() + last, low) - index.begin();
    static constexpr double one = 1;
    const double* prefix = target_ == 0 ? &one : scratch.prefix[at(target_) - 1].data();
    const Index size = target_ == 0 ? 1 : above_[at(target_) - 1];
    for (; node < last && index[at(node)] < high; ++node) {
      double* row = out + Index(index[at(node)]) * columns();
      if (target_ == last_) {
        Rows(row, size) += double(x_.values()[at(node)]) * ConstRows(prefix, size);
        continue;
      }
      const double* suffix = sum_below(target_, node, scratch);
      add_outer(prefix, size, suffix, below_[at(target_) + 1], row);
    }
  }

  /// Σ over the entries below a node of value · (⊗ of the rows of the levels below).
  const double* sum_below(Index level, Index node, Scratch& scratch) const {
    const Index next = level + 1;
    std::vector<double>& sum = scratch.suffix[at(next)];
    std::fill(sum.begin(), sum.end(), 0.0);
    const Index begin = x_.first_child(level)[at(node)], end = x_.first_child(level)[at(node) + 1];
    for (Index child = begin; child < end; ++child) {
      if (next == last_) {
        const Index rank = ranks_[at(next)];
        Rows(sum.data(), rank) += double(x_.values()[at(child)]) * ConstRows(factor(next, child), rank);
      } else {
        const double* suffix = sum_below(next, child, scratch);
        add_outer(factor(next, child), ranks_[at(next)], suffix, below_[at(next) + 1], sum.data());
      }
    }
    return sum.data();
  }

  const SparseTensor<T>& x_;
  Index last_, target_ = 0;
  std::vector<Matrix<double>> factors_;
  std::vector<Index> ranks_, above_, below_;  ///< the target's rank counts as 1
};

/// Bounds of bands of a level's indices with about as many nodes each.
std::vector<std::uint32_t> bands_of(const std::vector<std::uint32_t>& index, Index size, Index count) {
  std::vector<Index> nodes(at(size) + 1, 0);
  for (const std::uint32_t i : index) ++nodes[i];
  std::vector<std::uint32_t> bounds{0};
  Index seen = 0;
  for (Index i = 0; i < size; ++i) {
    seen += nodes[at(i)];
    const Index wanted = static_cast<Index>(index.size()) * static_cast<Index>(bounds.size()) / count;
    if (seen >= wanted && i + 1 < size && static_cast<Index>(bounds.size()) < count)
      bounds.push_back(static_cast<std::uint32_t>(i + 1));
  }
  bounds.push_back(static_cast<std::uint32_t>(size));
  return bounds;
}

}  // namespace

template <class T>
ProjectedModes project_other_modes(const SparseTensor<T>& x, Index mode,
                                   const std::vector<Block<double>>& factors, const Run& run) {
  const Walk<T> walk(x, mode, factors);
  Shape shape, strides(x.shape().size());
  for (Index m = 0; m < x.order(); ++m) shape.push_back(m == mode ? x.size(m) : factors[at(m)].cols());
  for (Index level = 0; level < x.order(); ++level) {
    const Index m = x.modes()[at(level)];
    strides[at(m)] = m == mode ? walk.columns() : walk.stride(level);
  }
  ProjectedModes out(shape, strides, element_count(shape));
  if (x.stored() == 0) return out;
  const Index wanted = run.thread_count() == 1 ? 1 : 2 * run.thread_count();
  const auto bounds = bands_of(x.index(walk.target()), x.size(mode), wanted);
  parallel_for(static_cast<Index>(bounds.size()) - 1, run,
               [&](Index band) { walk.add_rows(bounds[at(band)], bounds[at(band) + 1], out.data()); });
  return out;
}

template ProjectedModes project_other_modes(const SparseTensor<float>&, Index,
                                            const std::vector<Block<double>>&, const Run&);
template ProjectedModes project_other_modes(const SparseTensor<double>&, Index,
                                            const std::vector<Block<double>>&, const Run&);

}  // namespace mercer
