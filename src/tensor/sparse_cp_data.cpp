// Sparse tensors for CP: never made dense. Entries that are not stored are zero, or not known.
#include "tensor/array_check.hpp"
#include "tensor/cp_data.hpp"

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "tensor/tree_range.hpp"

#include <mercer/error.hpp>
#include <mercer/tensor_algebra.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mercer {
namespace {

constexpr Index parts = 16;
constexpr double most_core_entries = 1e7;  ///< of all parts' copies together

/// x̂ at the stored entries: use(entry, x̂).
template <class T, class Use>
class FittedEntries {
 public:
  FittedEntries(const SparseTensor<T>& x, const Kruskal<T>& model, const TreeRange<T>& range, Use use)
      : x_(x), model_(model), range_(range), use_(use), above_(at(x.order()), model.weights) {}

  void run() { descend(0, range_.nodes(0)); }

 private:
  void descend(Index level, Span nodes) {
    const Matrix<T>& factor = model_.factor(x_.modes()[at(level)]);
    const std::vector<std::uint32_t>& index = x_.index(level);
    const Vector<double>& above = above_[at(level)];
    for (Index node = nodes.first; node < nodes.last; ++node) {
      const auto row = factor.row(Index(index[at(node)])).head(model_.rank).template cast<double>();
      if (level + 1 == x_.order()) {
        use_(node, row.dot(above));
        continue;
      }
      above_[at(level + 1)] = above.cwiseProduct(row.transpose());
      descend(level + 1, range_.children(level, node));
    }
  }

  const SparseTensor<T>& x_;
  const Kruskal<T>& model_;
  const TreeRange<T>& range_;
  Use use_;
  std::vector<Vector<double>> above_;  ///< a level: λ ∗ the rows of the ancestors
};

/// X ×₁ P₁ ×₂ P₂ ... on the tree: a node at level l stands for the product of the modes below it,
/// B = Σ over its children c of P(:, index of c) ⊗ B(c). The deepest mode's index moves fastest.
template <class T>
class TreeCore {
 public:
  TreeCore(const SparseTensor<T>& x, const std::vector<T>& values, const std::vector<Block<T>>& matrices,
           const TreeRange<T>& range)
      : x_(x), values_(values), matrices_(matrices), range_(range), below_(at(x.order())) {
    Index size = 1;
    for (Index level = x.order() - 1; level >= 0; --level) {
      below_[at(level)].resize(size);
      size *= matrices[at(x.modes()[at(level)])].rows();
    }
  }

  /// Adds to `out`.
  void run(Vector<double>& out) { add(0, range_.nodes(0), out); }

 private:
  void add(Index level, Span nodes, Vector<double>& out) {
    const Block<T>& p = matrices_[at(x_.modes()[at(level)])];
    Vector<double>& below = below_[at(level)];
    for (Index node = nodes.first; node < nodes.last; ++node) {
      if (level + 1 == x_.order()) {
        below[0] = double(values_[at(node)]);
      } else {
        below.setZero();
        add(level + 1, range_.children(level, node), below);
      }
      const auto column = p.col(Index(x_.index(level)[at(node)]));
      for (Index r = 0; r < p.rows(); ++r)
        out.segment(r * below.size(), below.size()) += double(column[r]) * below;
    }
  }

  const SparseTensor<T>& x_;
  const std::vector<T>& values_;
  const std::vector<Block<T>>& matrices_;
  const TreeRange<T>& range_;
  std::vector<Vector<double>> below_;
};

template <class T>
class SparseData final : public CpData<T> {
 public:
  SparseData(const SparseTensor<T>& x, bool missing) : x_(x), missing_(missing) {
    bool zero = true;
    for (Index e = 0; e < x.stored(); ++e) {
      const auto value = double(x.values()[at(e)]);
      if (!std::isfinite(value)) refuse(e);
      this->squared_norm += value * value;
      zero = zero && value == 0;
    }
    require_range<T>(std::sqrt(this->squared_norm), zero);
    this->known = x.stored();
    if (missing && x.stored() == 0)
      throw Error(ErrorCode::bad_data,
                  fmt::format("no entry of the {} array is known", to_string(x.shape())));
    this->values = sparse_mttkrp(x);
    if (missing) this->weights = sparse_mttkrp(x, Known::weights);
  }

  [[nodiscard]] double squared_residual(const Kruskal<T>& model, const Run& run) const override {
    std::vector<double> sums(at(parts)), of_model(at(parts));
    fitted(model, run, [&](Index part, Index entry, double fit) {
      const double difference = double(x_.values()[at(entry)]) - fit;
      sums[at(part)] += difference * difference;
      of_model[at(part)] += fit * fit;
    });
    const double stored = std::accumulate(sums.begin(), sums.end(), 0.0);
    if (missing_ || x_.stored() == element_count(x_.shape())) return stored;
    // Where x is zero the model leaves what it has in all, less what it has where x is stored.
    return stored +
           std::max(0.0, squared_norm(model, run) - std::accumulate(of_model.begin(), of_model.end(), 0.0));
  }

  [[nodiscard]] Vector<double> core(const std::vector<Block<T>>& matrices, const Kruskal<T>& model,
                                    const Run& run) const override {
    std::vector<T> residuals;
    if (missing_) {  // X̂ where nothing is known
      residuals = x_.values();
      fitted(model, run, [&](Index, Index entry, double fit) { residuals[at(entry)] -= T(fit); });
    }
    Index count = 1;
    for (const Block<T>& p : matrices) count *= p.rows();
    const auto copies = static_cast<Index>(std::clamp(most_core_entries / double(count), 1.0, double(parts)));
    std::vector<Vector<double>> sums(at(copies), Vector<double>::Zero(count));
    parallel_for(copies, run, [&](Index part) {
      const TreeRange<T> range(x_, part, copies);
      TreeCore<T>(x_, missing_ ? residuals : x_.values(), matrices, range).run(sums[at(part)]);
    });
    for (Index part = 1; part < copies; ++part) sums[0] += sums[at(part)];
    Vector<double> out = first_fastest(sums[0], matrices);
    if (missing_)
      out += core_of<T>(model, matrices);  // X̂ where nothing is known, and the residuals elsewhere
    return out;
  }

  [[nodiscard]] std::optional<Block<double>> leading(Index, Index, const Run&) const override {
    return std::nullopt;
  }

 private:
  /// use(part, entry, x̂)
  template <class Use>
  void fitted(const Kruskal<T>& model, const Run& run, Use&& use) const {
    parallel_for(parts, run, [&](Index part) {
      const TreeRange<T> range(x_, part, parts);
      const auto here = [&](Index entry, double fit) { use(part, entry, fit); };
      FittedEntries<T, decltype(here)>(x_, model, range, here).run();
    });
  }

  /// From the tree's order of modes, its last one fastest.
  [[nodiscard]] Vector<double> first_fastest(const Vector<double>& in,
                                             const std::vector<Block<T>>& matrices) const {
    Shape strides(at(x_.order())), shape;
    Index size = 1;
    for (Index level = x_.order() - 1; level >= 0; --level) {
      strides[at(x_.modes()[at(level)])] = size;
      size *= matrices[at(x_.modes()[at(level)])].rows();
    }
    for (const Block<T>& p : matrices) shape.push_back(p.rows());
    return Tensor<double>(TensorView<double>(in.data(), shape, strides)).values();
  }

  [[noreturn]] void refuse(Index entry) const {
    Shape place(at(x_.order()));
    Index node = entry;
    for (Index level = x_.order() - 1; level >= 0; --level) {
      place[at(x_.modes()[at(level)])] = Index(x_.index(level)[at(node)]);
      if (level == 0) break;
      const std::vector<Index>& first = x_.first_child(level - 1);
      node = std::upper_bound(first.begin(), first.end(), node) - first.begin() - 1;
    }
    throw Error(
        ErrorCode::bad_data,
        fmt::format("the entry at ({}) is {}", fmt::join(place, ", "), double(x_.values()[at(entry)])),
        "indices count from 0; every value must be a finite number, and what is not known is not "
        "stored");
  }

  const SparseTensor<T>& x_;
  bool missing_;
};

}  // namespace

template <class T>
std::unique_ptr<CpData<T>> sparse_cp_data(const SparseTensor<T>& x, bool missing, const Run&) {
  return std::make_unique<SparseData<T>>(x, missing);
}

template std::unique_ptr<CpData<float>> sparse_cp_data(const SparseTensor<float>&, bool, const Run&);
template std::unique_ptr<CpData<double>> sparse_cp_data(const SparseTensor<double>&, bool, const Run&);

}  // namespace mercer
