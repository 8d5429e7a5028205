// MTTKRP of a sparse tensor on its tree of fibres. Entries are dealt out in equal parts, each with a copy of
// the result's rows; where such copies would take too much memory, the rows are dealt out instead, and each
// part looks for its own entries. Parts depend on the tensor alone and copies are added up in order: the
// result does not depend on the number of threads.
#include "tensor/mttkrp.hpp"

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "tensor/fibers.hpp"
#include "tensor/fibre_walk.hpp"
#include "tensor/kruskal.hpp"
#include "tensor/tree_range.hpp"

#include <algorithm>

namespace mercer {
namespace {

constexpr Index most_copies = 16, fewest_copies = 4, row_parts = 16;
constexpr double few_bytes = 8e6, share_of_tensor = 0.1;

/// How many parts may have a copy of so many bytes; fewer than fewest_copies: none.
Index copies_that_fit(double bytes, double tensor_bytes) {
  const double room = std::max(few_bytes, share_of_tensor * tensor_bytes);
  return static_cast<Index>(std::min(double(most_copies), room / bytes));
}

template <class T>
class SparseMttkrp final : public Mttkrp<T> {
 public:
  SparseMttkrp(const SparseTensor<T>& x, Known what) : x_(x), what_(what) {}

  [[nodiscard]] const Shape& shape() const override { return x_.shape(); }
  [[nodiscard]] Index kept_rows() const override { return 0; }
  void changed(Index) override {}

  [[nodiscard]] Shape sweep_order(Index last) const override {
    Shape out = first_fastest_modes(x_.order());
    out.erase(out.begin() + last);
    out.push_back(last);
    return out;
  }

  void product(Index mode, const std::vector<Matrix<T>>& factors, Matrix<T>& out, const Run& run) override {
    const Index rows = x_.size(mode), columns = factors[0].cols();
    if (out.rows() != rows || out.cols() != columns) out.resize(rows, columns);
    FibreWalk<T> walk;
    walk.values = what_ == Known::values ? x_.values().data() : nullptr;
    walk.columns = columns;
    for (Index level = 0; level < x_.order(); ++level) {
      const Index m = x_.modes()[at(level)];
      if (m == mode) walk.target = level;
      walk.levels.push_back({x_.index(level).data(),
                             level + 1 < x_.order() ? x_.first_child(level).data() : nullptr,
                             factors[at(m)].data(), 0, static_cast<Index>(x_.index(level).size())});
    }
    const double bytes = double(rows) * double(columns) * sizeof(T);
    const Index copies = copies_that_fit(bytes, double(x_.bytes()));
    if (copies >= fewest_copies)
      by_entries(walk, std::min(copies, std::max<Index>(1, x_.stored() / 1024)), out, run);
    else
      by_rows(walk, out, run);
  }

 private:
  void by_entries(const FibreWalk<T>& whole, Index parts, Matrix<T>& out, const Run& run) const {
    const Index rows = out.rows(), columns = out.cols();
    Matrix<T> copies((parts - 1) * rows, columns);
    parallel_for(parts, run, [&](Index part) {
      FibreWalk<T> walk = whole;
      walk.out = part == 0 ? out.data() : copies.data() + (part - 1) * rows * columns;
      std::fill(walk.out, walk.out + rows * columns, T(0));
      const TreeRange<T> range(x_, part, parts);
      for (Index level = 0; level < x_.order(); ++level) {
        walk.levels[at(level)].begin = range.nodes(level).first;
        walk.levels[at(level)].end = range.nodes(level).last;
      }
      walk.run();
    });
    constexpr Index rows_a_task = 1024;
    parallel_for((rows + rows_a_task - 1) / rows_a_task, run, [&](Index task) {
      const Index from = task * rows_a_task, count = std::min(rows_a_task, rows - from);
      for (Index part = 1; part < parts; ++part)
        out.middleRows(from, count) += copies.middleRows((part - 1) * rows + from, count);
    });
  }

  void by_rows(const FibreWalk<T>& whole, Matrix<T>& out, const Run& run) const {
    const Index rows = out.rows(), columns = out.cols();
    parallel_for(row_parts, run, [&](Index part) {
      const Index first = rows * part / row_parts, last = rows * (part + 1) / row_parts;
      FibreWalk<T> walk = whole;
      walk.all_rows = false;
      walk.first_row = static_cast<std::uint32_t>(first);
      walk.last_row = static_cast<std::uint32_t>(last);
      walk.out = out.data() + first * columns;
      std::fill(walk.out, walk.out + (last - first) * columns, T(0));
      walk.run();
    });
  }

  const SparseTensor<T>& x_;
  Known what_;
};

}  // namespace

template <class T>
std::unique_ptr<Mttkrp<T>> sparse_mttkrp(const SparseTensor<T>& x, Known what) {
  return std::make_unique<SparseMttkrp<T>>(x, what);
}

double sparse_mttkrp_bytes(const Shape& shape, double tensor_bytes, Index columns, std::size_t element) {
  double most = 0;
  for (const Index size : shape) {
    const double bytes = double(size) * double(padded(columns)) * double(element);
    const Index copies = copies_that_fit(bytes, tensor_bytes);
    if (copies >= fewest_copies) most = std::max(most, double(copies - 1) * bytes);
  }
  return most;
}

template std::unique_ptr<Mttkrp<float>> sparse_mttkrp(const SparseTensor<float>&, Known);
template std::unique_ptr<Mttkrp<double>> sparse_mttkrp(const SparseTensor<double>&, Known);

}  // namespace mercer
