// MTTKRP of a dense tensor by a dimension tree (Phan, Tichavský, Cichocki 2013; Kaya and Robert 2019). The
// root is the tensor; a node with the modes S holds Σ over all other indices of x times the rows of their
// factors, a row of R numbers for each index in S; leaves are the products that are asked for. The root's two
// children are matrix products with a Khatri-Rao product whose rows are made in cache, a tile at a time; the
// others are sums over their parent's rows. A node stays valid until a factor outside of it changes, so that
// a sweep over all modes reads the tensor twice and every other node once or twice.
//
// Results do not depend on the number of threads: the tasks' sizes depend on the shape alone, and where
// several tasks add to one row, each has its own copy and the copies are added up in order.
#include "tensor/mttkrp.hpp"

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "base/thread_scratch.hpp"
#include "tensor/fibers.hpp"
#include "tensor/kruskal.hpp"
#include "tensor/tile_rows.hpp"

#include <algorithm>

namespace mercer {
namespace {

constexpr Index cached_elements = 32768;  ///< 256 KB of doubles stay in the second cache
constexpr Index enough_tasks = 32;

Index ceil_div(Index a, Index b) { return (a + b - 1) / b; }

/// Modes [from, to) in the order of the strides.
struct Node {
  Index from, to, parent;
  Index children[2] = {-1, -1};
  [[nodiscard]] bool leaf() const { return to - from == 1; }
  [[nodiscard]] bool holds(Index place) const { return from <= place && place < to; }
};

Index rows_of(const Shape& shape, const Shape& modes, Index from, Index to) {
  Index out = 1;
  for (Index m = from; m < to; ++m) out *= shape[at(modes[at(m)])];
  return out;
}

void add_children(std::vector<Node>& nodes, Index parent, Index cut, const Shape& shape, const Shape& modes) {
  const Index from = nodes[at(parent)].from, to = nodes[at(parent)].to;
  const Index ends[3] = {from, cut, to};
  for (const int child : {0, 1}) {
    if (ends[child] == ends[child + 1]) continue;  // order 1
    const auto number = static_cast<Index>(nodes.size());
    nodes[at(parent)].children[child] = number;
    nodes.push_back({ends[child], ends[child + 1], parent});
    if (nodes.back().leaf()) continue;
    const Shape part(modes.begin() + ends[child], modes.begin() + ends[child + 1]);
    add_children(nodes, number, ends[child] + best_cut(shape, part), shape, modes);
  }
}

std::vector<Node> tree_of(const Shape& shape, const Shape& modes, Index cut) {
  std::vector<Node> nodes{{0, static_cast<Index>(modes.size()), -1}};
  add_children(nodes, 0, cut, shape, modes);
  return nodes;
}

Index kept_by(const std::vector<Node>& nodes, const Shape& shape, const Shape& modes) {
  Index rows = 0;
  for (std::size_t n = 1; n < nodes.size(); ++n)
    if (!nodes[n].leaf()) rows += rows_of(shape, modes, nodes[n].from, nodes[n].to);
  return rows;
}

/// A product's rows in chunks; what they are sums of in tiles; and, where the chunks are few, the tiles in
/// parts with a copy of the rows each.
struct Tasks {
  Index rows, depth, chunk, tile, parts;

  Tasks(Index rows_, Index depth_, Index chunk_, Index tile_)
      : rows(rows_), depth(depth_), chunk(std::min(chunk_, rows_)), tile(std::min(tile_, depth_)) {
    parts = std::min(ceil_div(enough_tasks, ceil_div(rows, chunk)), ceil_div(depth, tile));
  }

  /// work(first row, rows, first of depth, end of depth, y) adds to y, which is zero at first.
  template <class T, class Work>
  void run(Index columns, Matrix<T>& out, const Run& run, Work&& work) const {
    const Index chunks = ceil_div(rows, chunk), tiles = ceil_div(depth, tile);
    if (out.rows() != rows || out.cols() != columns) out.resize(rows, columns);
    Matrix<T> copies((parts - 1) * rows, columns);
    parallel_for(chunks * parts, run, [&](Index task) {
      const Index part = task % parts, first = task / parts * chunk, count = std::min(chunk, rows - first);
      T* y = (part == 0 ? out.data() : copies.data() + (part - 1) * rows * columns) + first * columns;
      std::fill(y, y + count * columns, T(0));
      work(first, count, tiles * part / parts * tile, std::min(depth, tiles * (part + 1) / parts * tile), y);
    });
    for (Index part = 1; part < parts; ++part) out += copies.middleRows((part - 1) * rows, rows);
  }
};

template <class T>
class DenseMttkrp final : public Mttkrp<T> {
 public:
  explicit DenseMttkrp(EntriesPointer<T> entries)
      : entries_(std::move(entries)),
        unfolding_(entries_->unfolding()),
        nodes_(tree_of(unfolding_.shape, unfolding_.modes, unfolding_.cut)),
        kept_(nodes_.size()),
        valid_(nodes_.size()) {}

  [[nodiscard]] const Shape& shape() const override { return unfolding_.shape; }
  [[nodiscard]] Index kept_rows() const override { return kept_by(nodes_, shape(), unfolding_.modes); }

  void changed(Index mode) override {
    const Index place = place_of(mode);
    for (std::size_t n = 0; n < nodes_.size(); ++n)
      if (!nodes_[n].holds(place)) valid_[n] = false;
  }

  [[nodiscard]] Shape sweep_order(Index last) const override {
    Shape out;
    visit(0, place_of(last), out);
    return out;
  }

  void product(Index mode, const std::vector<Matrix<T>>& factors, Matrix<T>& out, const Run& run) override {
    Index leaf = 0;
    while (!nodes_[at(leaf)].leaf() || leaf == 0) {  // the root of a tensor of order 1 has its leaf below
      const Node& node = nodes_[at(leaf)];
      leaf = node.children[1] >= 0 && nodes_[at(node.children[1])].holds(place_of(mode)) ? node.children[1]
                                                                                         : node.children[0];
    }
    compute(leaf, factors, out, run);
  }

 private:
  using Factors = std::vector<const Matrix<T>*>;

  [[nodiscard]] Index place_of(Index mode) const {
    const Shape& modes = unfolding_.modes;
    return std::find(modes.begin(), modes.end(), mode) - modes.begin();
  }

  void visit(Index number, Index last, Shape& out) const {
    const Node& node = nodes_[at(number)];
    if (node.children[0] < 0) {
      out.push_back(unfolding_.modes[at(node.from)]);
      return;
    }
    const bool swapped = nodes_[at(node.children[0])].holds(last);
    for (const int child : {swapped ? 1 : 0, swapped ? 0 : 1})
      if (node.children[child] >= 0) visit(node.children[child], last, out);
  }

  [[nodiscard]] Factors factors_of(Index from, Index to, const std::vector<Matrix<T>>& factors) const {
    Factors out;
    for (Index m = from; m < to; ++m) out.push_back(&factors[at(unfolding_.modes[at(m)])]);
    return out;
  }

  const Matrix<T>& rows(Index number, const std::vector<Matrix<T>>& factors, const Run& run) {
    Matrix<T>& kept = kept_[at(number)];
    if (!valid_[at(number)] || kept.cols() != factors[0].cols()) compute(number, factors, kept, run);
    valid_[at(number)] = true;
    return kept;
  }

  void compute(Index number, const std::vector<Matrix<T>>& factors, Matrix<T>& out, const Run& run) {
    const Node node = nodes_[at(number)], parent = nodes_[at(node.parent)];
    const bool fast = node.from == parent.from;  // the part of the parent that moves fastest
    const Factors others =
        fast ? factors_of(node.to, parent.to, factors) : factors_of(parent.from, node.from, factors);
    if (node.parent == 0)
      from_entries(fast, others, factors[0].cols(), out, run);
    else
      from_rows(rows(node.parent, factors, run), fast, others, out, run);
  }

  /// Y = X (⊙ others), or Xᵀ (⊙ others), for the tensor as a matrix.
  void from_entries(bool keep_rows, const Factors& others, Index columns, Matrix<T>& out, const Run& run) {
    const Index kept = keep_rows ? unfolding_.rows : unfolding_.columns;
    const Index depth = keep_rows ? unfolding_.columns : unfolding_.rows;
    const Index widest = std::clamp<Index>(cached_elements / columns, 48, 512);
    // Whichever index moves fastest in memory gets the long side of the tile.
    const Index chunk =
        keep_rows ? widest : std::clamp<Index>(cached_elements / std::min(depth, widest), 48, 512);
    const Index tile =
        keep_rows ? std::clamp<Index>(cached_elements / std::max(std::min(kept, chunk), columns), 64, 2048)
                  : widest;
    const Tasks tasks(kept, depth, chunk, tile);
    tasks.run(columns, out, run, [&](Index first, Index count, Index begin, Index end, T* y) {
      T* k = thread_scratch<T>(tasks.tile * (columns + tasks.chunk));
      T* scratch = k + tasks.tile * columns;
      for (Index q = begin; q < end; q += tasks.tile) {
        const Index some = std::min(tasks.tile, end - q);
        khatri_rao_rows<T>(others, q, some, columns, k);
        const auto x = keep_rows ? entries_->tile(first, count, q, some, scratch)
                                 : entries_->tile(q, some, first, count, scratch);
        if (keep_rows)
          tile_rows::multiply<T>(x.data, count, some, x.stride, k, y, columns);
        else
          tile_rows::multiply_transposed<T>(x.data, count, some, x.stride, k, y, columns);
      }
    });
  }

  /// y(i,:) = Σ_j x(i,j,:) ∗ (⊙ others)(j,:), where i or j moves fastest among the rows of x.
  static void from_rows(const Matrix<T>& x, bool keep_fast, const Factors& others, Matrix<T>& out,
                        const Run& run) {
    Index depth = 1;
    for (const Matrix<T>* f : others) depth *= f->rows();
    const Index columns = x.cols(), kept = x.rows() / depth;
    const Index widest = std::clamp<Index>(cached_elements / columns, 48, 512);
    const Tasks tasks(kept, depth, keep_fast ? widest : std::clamp<Index>(cached_elements / depth, 1, 512),
                      widest);
    tasks.run(columns, out, run, [&](Index first, Index count, Index begin, Index end, T* y) {
      T* k = thread_scratch<T>(tasks.tile * columns);
      for (Index q = begin; q < end; q += tasks.tile) {
        const Index some = std::min(tasks.tile, end - q);
        khatri_rao_rows<T>(others, q, some, columns, k);
        if (keep_fast)
          for (Index j = 0; j < some; ++j)
            tile_rows::add_scaled<T>(x.data() + ((q + j) * kept + first) * columns, count, k + j * columns, y,
                                     columns);
        else
          for (Index i = 0; i < count; ++i)
            tile_rows::add_products<T>(x.data() + ((first + i) * depth + q) * columns, k, some,
                                       y + i * columns, columns);
      }
    });
  }

  EntriesPointer<T> entries_;
  const Unfolding& unfolding_;
  std::vector<Node> nodes_;  ///< the root first
  std::vector<Matrix<T>> kept_;
  std::vector<char> valid_;
};

}  // namespace

template <class T>
std::unique_ptr<Mttkrp<T>> dense_mttkrp(EntriesPointer<T> entries) {
  return std::make_unique<DenseMttkrp<T>>(std::move(entries));
}

Index dense_mttkrp_kept_rows(const Shape& shape, const Shape& modes) {
  return kept_by(tree_of(shape, modes, best_cut(shape, modes)), shape, modes);
}

template std::unique_ptr<Mttkrp<float>> dense_mttkrp(EntriesPointer<float>);
template std::unique_ptr<Mttkrp<double>> dense_mttkrp(EntriesPointer<double>);

}  // namespace mercer
