// The sample mode's update, for samples that come as rows.
#include "tensor/cp_scores.hpp"

#include "base/parallel.hpp"
#include "base/thread_scratch.hpp"
#include "tensor/cp_update.hpp"

#include <algorithm>

namespace mercer {
namespace {

/// The rows as an array, its first mode the samples.
template <class T>
TensorView<T> array_of(const Samples<T>& points, const Shape& sample) {
  const auto rows = points.dense();
  Shape shape{points.rows()}, strides{rows.outerStride()};
  shape.insert(shape.end(), sample.begin(), sample.end());
  strides.resize(shape.size());
  Index stride = 1;
  for (std::size_t m = shape.size() - 1; m > 0; --m) {
    strides[m] = stride;
    stride *= shape[m];
  }
  return TensorView<T>(rows.data(), shape, strides);
}

template <class T>
NormalEquations<T> dense_equations(const Samples<T>& points, const SampleFactors<T>& factors, bool gaps,
                                   const Run& run) {
  const TensorView<T> x = array_of(points, factors.shape());
  std::vector<Matrix<T>> all = factors.others;
  all.insert(all.begin(), Matrix<T>(0, padded(factors.rank)));
  const EntriesPointer<T> entries = unfolded_entries(x);
  if (!gaps || points.dense().allFinite())
    return normal_equations<T>(*dense_mttkrp<T>(entries), nullptr, all, factors.rank, 0, run);
  const auto values = dense_mttkrp<T>(entries_with_gaps<T>(entries, nullptr, Known::values));
  const auto weights = dense_mttkrp<T>(entries_with_gaps<T>(entries, nullptr, Known::weights));
  return normal_equations<T>(*values, weights.get(), all, factors.rank, 0, run);
}

/// Entry by entry: each has its row of B ⊙ C ...
template <class T>
NormalEquations<T> sparse_equations(const Samples<T>& points, const SampleFactors<T>& factors, bool gaps,
                                    const Run& run) {
  constexpr Index rows_a_task = 64;
  const auto x = points.sparse();
  const Index n = points.rows(), rank = factors.rank, pairs = rank * (rank + 1) / 2;
  NormalEquations<T> out;
  out.right.setZero(n, padded(rank));
  if (gaps) {
    out.packed_grams.setZero(n, pairs);
  } else {
    out.gram = Block<double>::Ones(rank, rank);
    for (const Matrix<T>& f : factors.others) out.gram = out.gram.cwiseProduct(gram_of_rows(f, rank, run));
  }
  parallel_for((n + rows_a_task - 1) / rows_a_task, run, [&](Index task) {
    Vector<double> k(rank), right(rank), gram(gaps ? pairs : 0);
    for (Index i = task * rows_a_task; i < std::min(n, (task + 1) * rows_a_task); ++i) {
      right.setZero(), gram.setZero();
      for (auto p = x.outerIndexPtr()[i]; p < x.outerIndexPtr()[i + 1]; ++p) {
        Index rest = x.innerIndexPtr()[p];
        k.setOnes();
        for (std::size_t m = factors.others.size(); m-- > 0;) {
          const Matrix<T>& f = factors.others[m];
          k = k.cwiseProduct(f.row(rest % f.rows()).head(rank).transpose().template cast<double>());
          rest /= f.rows();
        }
        right += double(x.valuePtr()[p]) * k;
        for (Index r = 0, pair = 0; r < rank && gaps; pair += ++r)
          gram.segment(pair, r + 1) += k[r] * k.head(r + 1);
      }
      out.right.row(i).head(rank) = right.transpose().template cast<T>();
      if (gaps) out.packed_grams.row(i) = gram.transpose().template cast<T>();
    }
  });
  return out;
}

}  // namespace

template <class T>
Shape SampleFactors<T>::shape() const {
  Shape out;
  for (const Matrix<T>& f : others) out.push_back(f.rows());
  return out;
}

template <class T>
Matrix<T> scores_of(const Samples<T>& points, const SampleFactors<T>& factors, bool nonnegative, bool gaps,
                    const Run& run) {
  const NormalEquations<T> equations = points.is_sparse() ? sparse_equations(points, factors, gaps, run)
                                                          : dense_equations(points, factors, gaps, run);
  Matrix<double> start;
  if (nonnegative) start.setZero(points.rows(), factors.rank);
  return solve(equations, factors.rank, nonnegative, std::move(start), run).template cast<T>();
}

template <class T>
Matrix<T> samples_of(const MatrixView<T>& scores, const SampleFactors<T>& factors, const Run& run) {
  constexpr Index features_a_task = 512;
  const Index width = padded(factors.rank);
  std::vector<const Matrix<T>*> fastest_first;
  Index features = 1;
  for (const Matrix<T>& f : factors.others) {
    fastest_first.insert(fastest_first.begin(), &f);
    features *= f.rows();
  }
  Matrix<T> z = Matrix<T>::Zero(scores.rows(), width), out(scores.rows(), features);
  z.leftCols(factors.rank) = scores;
  parallel_for((features + features_a_task - 1) / features_a_task, run, [&](Index task) {
    const Index first = task * features_a_task, count = std::min(features_a_task, features - first);
    T* k = thread_scratch<T>(features_a_task * width);
    khatri_rao_rows<T>(fastest_first, first, count, width, k);
    tile_of_model<T>(k, count, z.data(), scores.rows(), width, out.data() + first, features);
  });
  return out;
}

#define MERCER_INSTANTIATE(T)                                                                          \
  template struct SampleFactors<T>;                                                                    \
  template Matrix<T> scores_of<T>(const Samples<T>&, const SampleFactors<T>&, bool, bool, const Run&); \
  template Matrix<T> samples_of<T>(const MatrixView<T>&, const SampleFactors<T>&, const Run&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
