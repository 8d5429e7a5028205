// Dense arrays for CP: checked once, then read tile by tile; gaps and weights cost no second array.
#include "tensor/array_check.hpp"
#include "tensor/cp_data.hpp"

#include "base/at.hpp"
#include "base/linalg.hpp"
#include "base/parallel.hpp"
#include "base/thread_scratch.hpp"
#include "tensor/fibers.hpp"

#include <mercer/error.hpp>
#include <mercer/tensor_algebra.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mercer {
namespace {

constexpr Index tile_rows = 512, tile_columns = 64;
constexpr Index elements_a_piece = Index(1) << 22;
constexpr double tree_flops = 4e9;

/// work(task, row, rows, column, columns) for the tiles of a matrix; a task has all rows of some columns.
template <class Work>
void for_each_tile(const Unfolding& u, const Run& run, Work&& work) {
  parallel_for((u.columns + tile_columns - 1) / tile_columns, run, [&](Index task) {
    const Index column = task * tile_columns, columns = std::min(tile_columns, u.columns - column);
    for (Index row = 0; row < u.rows; row += tile_rows)
      work(task, row, std::min(tile_rows, u.rows - row), column, columns);
  });
}

struct Survey {
  double squares = 0;
  Index known = 0;
  Index bad_row = -1, bad_column = -1;  ///< the first value that cannot be used
  bool zero = true;                     ///< no value but 0
};

template <class T>
class DenseData final : public CpData<T> {
 public:
  DenseData(const TensorView<T>& x, const TensorView<T>* of_entries, bool missing, const Run& run)
      : x_(x), entries_(unfolded_entries(x)) {
    if (of_entries) {
      require_same_shape(x.shape(), of_entries->shape(), "weights for the entries");
      weights_view_ = *of_entries;
      entry_weights_ = unfolded_entries(*of_entries, entries_->unfolding());
    }
    survey(missing, run);
    gaps_ = entry_weights_ || this->known < x.count();
    if (!gaps_) {
      this->values = dense_mttkrp<T>(entries_);
      return;
    }
    this->values = dense_mttkrp<T>(entries_with_gaps<T>(entries_, entry_weights_, Known::values));
    this->weights = dense_mttkrp<T>(entries_with_gaps<T>(entries_, entry_weights_, Known::weights));
  }

  [[nodiscard]] double squared_residual(const Kruskal<T>& model, const Run& run) const override {
    const Unfolding& u = entries_->unfolding();
    const Index width = padded(model.rank);
    std::vector<const Matrix<T>*> left, right;
    Matrix<T> scaled = model.factor(u.modes[0]);
    scaled.leftCols(model.rank) *= model.weights.template cast<T>().asDiagonal();
    scaled.rightCols(width - model.rank).setZero();
    for (Index m = 0; m < this->order(); ++m)
      (m < u.cut ? left : right).push_back(m == 0 ? &scaled : &model.factor(u.modes[at(m)]));
    std::vector<double> sums(at((u.columns + tile_columns - 1) / tile_columns));
    for_each_tile(u, run, [&](Index task, Index row, Index rows, Index column, Index columns) {
      T* fitted = thread_scratch<T>(rows * columns + (rows + columns) * width);
      T *k_left = fitted + rows * columns, *k_right = k_left + rows * width;
      khatri_rao_rows<T>(left, row, rows, width, k_left);
      khatri_rao_rows<T>(right, column, columns, width, k_right);
      tile_of_model<T>(k_left, rows, k_right, columns, width, fitted, rows);
      sums[at(task)] += squared_difference(row, rows, column, columns, fitted);
    });
    return std::accumulate(sums.begin(), sums.end(), 0.0);
  }

  [[nodiscard]] Vector<double> core(const std::vector<Block<T>>& matrices, const Kruskal<T>& model,
                                    const Run& run) const override {
    std::vector<ModeFactor<T>> products;
    for (Index m = 0; m < this->order(); ++m) products.push_back({m, matrices[at(m)]});
    if (!gaps_) return mode_products(x_, products, false, run).values().template cast<double>();
    Vector<double> out =
        core_of<T>(model, matrices);  // X̂ where nothing is known, and the residuals elsewhere
    const Index slow = entries_->unfolding().modes.back();
    const Index count = std::clamp<Index>(elements_a_piece / (x_.count() / x_.size(slow)), 1, x_.size(slow));
    for (Index first = 0; first < x_.size(slow); first += count) {
      run.check();
      const Index some = std::min(count, x_.size(slow) - first);
      products[at(slow)].matrix = matrices[at(slow)].middleCols(first, some);
      out += mode_products<T>(residuals(model, slow, first, some, run), products, false, run)
                 .values()
                 .template cast<double>();
    }
    return out;
  }

  [[nodiscard]] std::optional<Block<double>> leading(Index mode, Index count, const Run& run) const override {
    const Index size = x_.size(mode);
    if (gaps_ || double(x_.count()) * double(size) > tree_flops || size > 4096) return std::nullopt;
    Block<double> gram = mode_gram(x_, mode, run), vectors;
    Vector<double> squares;
    linalg::syevr(gram, size - std::min(size, count), size - 1, squares, vectors);
    return vectors.rowwise().reverse();
  }

 private:
  [[nodiscard]] double squared_difference(Index row, Index rows, Index column, Index columns,
                                          const T* fitted) const {
    thread_local std::vector<T> more, more_weights;
    more.resize(at(rows * columns));
    const auto x = entries_->tile(row, rows, column, columns, more.data());
    auto w = x;
    if (entry_weights_) {
      more_weights.resize(at(rows * columns));
      w = entry_weights_->tile(row, rows, column, columns, more_weights.data());
    }
    double sum = 0;
    for (Index j = 0; j < columns; ++j) {
      const T *value = x.data + j * x.stride, *weight = w.data + j * w.stride, *fit = fitted + j * rows;
      if (!gaps_)
        sum += (Eigen::Map<const Vector<T>>(value, rows) - Eigen::Map<const Vector<T>>(fit, rows))
                   .template cast<double>()
                   .squaredNorm();
      else
        for (Index i = 0; i < rows; ++i) {
          const double one = entry_weights_ ? double(weight[i]) : 1,
                       difference = double(value[i]) - double(fit[i]);
          if (one > 0 && !std::isnan(value[i])) sum += one * difference * difference;
        }
    }
    return sum;
  }

  /// x − x̂ where x is known, and 0 elsewhere, for some indices of one mode.
  [[nodiscard]] Tensor<T> residuals(const Kruskal<T>& model, Index mode, Index first, Index count,
                                    const Run& run) const {
    Kruskal<T> part = model;
    part.factor(mode) = model.factor(mode).middleRows(first, count).eval();
    Tensor<T> out = full_tensor(part, run);
    Shape forward = first_fastest_modes(this->order());
    const Unfolding u(out.shape(), forward);
    const EntriesPointer<T> x = unfolded_entries(x_.range(mode, first, count), u);
    const EntriesPointer<T> w =
        weights_view_ ? unfolded_entries(weights_view_->range(mode, first, count), u) : nullptr;
    const EntriesPointer<T> mask = entries_with_gaps<T>(x, w, Known::weights);
    for_each_tile(u, run, [&](Index, Index row, Index rows, Index column, Index columns) {
      T* scratch = thread_scratch<T>(2 * rows * columns);
      const auto value = x->tile(row, rows, column, columns, scratch);
      const auto weight = mask->tile(row, rows, column, columns, scratch + rows * columns);
      for (Index j = 0; j < columns; ++j)
        for (Index i = 0; i < rows; ++i) {
          T& fit = out.data()[(column + j) * u.rows + row + i];
          fit = weight.data[j * weight.stride + i] > 0 ? value.data[j * value.stride + i] - fit : T(0);
        }
    });
    return out;
  }

  void survey(bool missing, const Run& run) {
    const Unfolding& u = entries_->unfolding();
    std::vector<Survey> found(at((u.columns + tile_columns - 1) / tile_columns));
    for_each_tile(u, run, [&](Index task, Index row, Index rows, Index column, Index columns) {
      T* scratch = thread_scratch<T>(2 * rows * columns);
      const auto x = entries_->tile(row, rows, column, columns, scratch);
      auto w = x;
      if (entry_weights_) w = entry_weights_->tile(row, rows, column, columns, scratch + rows * columns);
      for (Index j = 0; j < columns; ++j)
        survey_column(x.data + j * x.stride, w.data + j * w.stride, rows, row, column + j, missing,
                      found[at(task)]);
    });
    bool zero = true;
    for (const Survey& part : found) {
      if (part.bad_row >= 0) refuse(u.index(part.bad_row, part.bad_column));
      this->squared_norm += part.squares;
      this->known += part.known;
      zero = zero && part.zero;
    }
    if (this->known == 0)
      throw Error(ErrorCode::bad_data, fmt::format("no entry of the {} array is known", to_string(u.shape)));
    require_range<T>(std::sqrt(this->squared_norm), zero);
  }

  void survey_column(const T* x, const T* w, Index rows, Index row, Index column, bool missing,
                     Survey& out) const {
    if (!entry_weights_) {
      const double squares = Eigen::Map<const Vector<T>>(x, rows).template cast<double>().squaredNorm();
      if (std::isfinite(squares)) {
        out.squares += squares;
        out.known += rows;
        out.zero = out.zero && (squares == 0 && (Eigen::Map<const Vector<T>>(x, rows).array() == 0).all());
        return;
      }
    }
    for (Index i = 0; i < rows; ++i) {
      const double weight = entry_weights_ ? double(w[i]) : 1, value = double(x[i]);
      const bool gap = std::isnan(value) && missing;
      if (!(weight >= 0) || !std::isfinite(weight) || (weight > 0 && !std::isfinite(value) && !gap)) {
        if (out.bad_row < 0) out.bad_row = row + i, out.bad_column = column;
        return;
      }
      if (gap || weight == 0) continue;
      out.squares += weight * value * value;
      out.known += 1;
      out.zero = out.zero && value == 0;
    }
  }

  [[noreturn]] void refuse(const Shape& index) const {
    const double value = double(x_(index));
    const std::string place = fmt::format("({})", fmt::join(index, ", "));
    if (std::isnan(value) && !entry_weights_)
      throw Error(ErrorCode::bad_data, fmt::format("the entry at {} is not a number", place),
                  "indices count from 0; if NaN stands for what is not known, say so: --missing fit");
    if (!entry_weights_ || !weight_is_good(index))
      throw Error(ErrorCode::bad_data,
                  entry_weights_
                      ? fmt::format("the weight at {} is {}", place, double((*weights_view_)(index)))
                      : fmt::format("the entry at {} is {}", place, value),
                  entry_weights_ ? "weights are finite and not negative; indices count from 0"
                                 : "indices count from 0; every value must be a finite number");
    throw Error(ErrorCode::bad_data,
                fmt::format("the entry at {} is {}, and its weight is not 0", place, value),
                "indices count from 0; a weight of 0 says that an entry does not matter");
  }
  [[nodiscard]] bool weight_is_good(const Shape& index) const {
    const double w = double((*weights_view_)(index));
    return w >= 0 && std::isfinite(w);
  }

  TensorView<T> x_;
  std::optional<TensorView<T>> weights_view_;
  EntriesPointer<T> entries_, entry_weights_;
  bool gaps_ = false;
};

}  // namespace

template <class T>
std::unique_ptr<CpData<T>> dense_cp_data(const TensorView<T>& x, const TensorView<T>* weights, bool missing,
                                         const Run& run) {
  return std::make_unique<DenseData<T>>(x, weights, missing, run);
}

template std::unique_ptr<CpData<float>> dense_cp_data(const TensorView<float>&, const TensorView<float>*,
                                                      bool, const Run&);
template std::unique_ptr<CpData<double>> dense_cp_data(const TensorView<double>&, const TensorView<double>*,
                                                       bool, const Run&);

}  // namespace mercer
