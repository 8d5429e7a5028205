// Kruskal<T>: its small parts.
#include "tensor/kruskal.hpp"

#include "base/at.hpp"
#include "base/linalg.hpp"
#include "base/parallel.hpp"
#include "base/thread_scratch.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mercer {
namespace {

constexpr Index rows_scaled_a_task = 4096;

}  // namespace

template <class T>
Matrix<T> padded_rows(const BlockView<T>& block) {
  Matrix<T> rows = Matrix<T>::Zero(block.rows(), padded(block.cols()));
  rows.leftCols(block.cols()) = block;
  return rows;
}

template <class T>
void set_factor(Kruskal<T>& model, Index mode, const Matrix<double>& scaled) {
  Matrix<T>& factor = model.factor(mode);
  for (Index r = 0; r < model.rank; ++r) {
    const double length = scaled.col(r).stableNorm();
    model.weights[r] = length;
    if (length > 0) factor.col(r) = (scaled.col(r) / length).template cast<T>();
  }
}

template <class T>
Block<double> gram_of_rows(const Matrix<T>& rows, Index rank, const Run& run) {
  const Index tasks = std::max<Index>(1, (rows.rows() + rows_scaled_a_task - 1) / rows_scaled_a_task);
  std::vector<Block<double>> parts(at(tasks));
  parallel_for(tasks, run, [&](Index task) {
    const Index from = task * rows_scaled_a_task, count = std::min(rows_scaled_a_task, rows.rows() - from);
    const Matrix<double> some = rows.block(from, 0, count, rank).template cast<double>();
    Block<double>& part = parts[at(task)];
    part.setZero(rank, rank);
    part.selfadjointView<Eigen::Lower>().rankUpdate(some.transpose());
  });
  for (Index task = 1; task < tasks; ++task) parts[0] += parts[at(task)];
  return parts[0].selfadjointView<Eigen::Lower>();
}

template <class T>
double squared_norm(const Kruskal<T>& model, const Run& run) {
  Block<double> grams = Block<double>::Ones(model.rank, model.rank);
  for (const Matrix<T>& f : model.factors) grams = grams.cwiseProduct(gram_of_rows(f, model.rank, run));
  return model.weights.dot(grams * model.weights);
}

template <class T>
void khatri_rao_rows(const std::vector<const Matrix<T>*>& matrices, Index first, Index count, Index columns,
                     T* out) {
  if (matrices.empty()) {
    std::fill(out, out + count * columns, T(1));
    return;
  }
  std::vector<Index> index(matrices.size());
  Index rest = first;
  for (std::size_t m = 0; m < matrices.size(); ++m) {
    index[m] = rest % matrices[m]->rows();
    rest /= matrices[m]->rows();
  }
  std::vector<T> slow(at(columns));  // the row of all matrices but the first
  while (count > 0) {
    std::fill(slow.begin(), slow.end(), T(1));
    for (std::size_t m = 1; m < matrices.size(); ++m) {
      const T* row = matrices[m]->data() + index[m] * columns;
      for (Index c = 0; c < columns; ++c) slow[at(c)] *= row[c];
    }
    const Index now = std::min(count, matrices[0]->rows() - index[0]);
    const T* fast = matrices[0]->data() + index[0] * columns;
    for (Index i = 0; i < now; ++i, fast += columns, out += columns)
      for (Index c = 0; c < columns; ++c) out[c] = fast[c] * slow[at(c)];
    count -= now;
    index[0] = 0;
    for (std::size_t m = 1; m < matrices.size(); ++m) {
      if (++index[m] < matrices[m]->rows()) break;
      index[m] = 0;
    }
  }
}

template <class T>
void bring_into_normal_form(Kruskal<T>& model, Index sample_mode) {
  std::vector<Index> order(at(model.rank));
  std::iota(order.begin(), order.end(), Index(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return model.weights[a] > model.weights[b]; });
  Kruskal<T> sorted = model;
  for (Index r = 0; r < model.rank; ++r) {
    sorted.weights[r] = model.weights[order[at(r)]];
    for (std::size_t m = 0; m < model.factors.size(); ++m)
      sorted.factors[m].col(r) = model.factors[m].col(order[at(r)]);
    for (Index mode = 0; mode < static_cast<Index>(model.factors.size()); ++mode) {
      if (mode == sample_mode) continue;
      Index largest = 0;
      sorted.factor(mode).col(r).cwiseAbs().maxCoeff(&largest);
      if (sorted.factor(mode)(largest, r) >= 0) continue;
      sorted.factor(mode).col(r) *= T(-1);
      sorted.factor(sample_mode).col(r) *= T(-1);
    }
  }
  model = std::move(sorted);
}

template <class T>
void tile_of_model(const T* k_left, Index rows, const T* k_right, Index columns, Index width, T* out,
                   Index stride) {
  linalg::gemm<T>(linalg::Transpose::yes, linalg::Transpose::no, rows, columns, width, 1, k_left, width,
                  k_right, width, 0, out, stride);
}

template <class T>
Vector<double> core_of(const Kruskal<T>& model, const std::vector<Block<T>>& matrices) {
  std::vector<Block<double>> projected;
  Index entries = 1;
  for (std::size_t m = 0; m < matrices.size(); ++m) {
    projected.emplace_back(matrices[m].template cast<double>() *
                           model.factors[m].leftCols(model.rank).template cast<double>());
    entries *= projected[m].rows();
  }
  Vector<double> out = Vector<double>::Zero(entries);
  for (Index r = 0; r < model.rank; ++r) {
    Vector<double> term = Vector<double>::Constant(1, model.weights[r]);
    for (const Block<double>& p : projected) {
      const Block<double> grown = term * p.col(r).transpose();  // the later mode is the slower one
      term = grown.reshaped();
    }
    out += term;
  }
  return out;
}

template <class T>
Tensor<T> full_tensor(const Kruskal<T>& model, const Run& run) {
  Shape shape;
  for (const Matrix<T>& f : model.factors) shape.push_back(f.rows());
  Tensor<T> out(shape);
  const Index width = padded(model.rank), left = shape[0], right = out.count() / left;
  constexpr Index tile_rows = 512, tile_columns = 64;
  std::vector<const Matrix<T>*> others;
  for (std::size_t m = 1; m < model.factors.size(); ++m) others.push_back(&model.factors[m]);
  Matrix<T> scaled = model.factors[0];
  scaled.leftCols(model.rank) *= model.weights.template cast<T>().asDiagonal();
  scaled.rightCols(width - model.rank).setZero();
  parallel_for((right + tile_columns - 1) / tile_columns, run, [&](Index task) {
    const Index from = task * tile_columns, count = std::min(tile_columns, right - from);
    T* k = thread_scratch<T>(tile_columns * width);
    khatri_rao_rows<T>(others, from, count, width, k);
    for (Index row = 0; row < left; row += tile_rows)
      tile_of_model<T>(scaled.data() + row * width, std::min(tile_rows, left - row), k, count, width,
                       out.data() + from * left + row, left);
  });
  return out;
}

#define MERCER_INSTANTIATE(T)                                                                      \
  template Matrix<T> padded_rows<T>(const BlockView<T>&);                                          \
  template void set_factor<T>(Kruskal<T>&, Index, const Matrix<double>&);                          \
  template Block<double> gram_of_rows<T>(const Matrix<T>&, Index, const Run&);                     \
  template double squared_norm<T>(const Kruskal<T>&, const Run&);                                  \
  template void khatri_rao_rows<T>(const std::vector<const Matrix<T>*>&, Index, Index, Index, T*); \
  template void bring_into_normal_form<T>(Kruskal<T>&, Index);                                     \
  template void tile_of_model<T>(const T*, Index, const T*, Index, Index, T*, Index);              \
  template Vector<double> core_of<T>(const Kruskal<T>&, const std::vector<Block<T>>&);             \
  template Tensor<T> full_tensor<T>(const Kruskal<T>&, const Run&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
