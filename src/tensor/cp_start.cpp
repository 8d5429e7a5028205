// HOSVD's and random starts.
#include "tensor/cp_start.hpp"

#include "base/linalg.hpp"
#include "base/random.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

constexpr Index start_oversampling = 8;
constexpr std::uint64_t stream_of_starts = 40, stream_of_sketches = 39;

/// Standard normal numbers, or magnitudes of them.
template <class T>
Matrix<T> random_rows(Index rows, Index columns, bool nonnegative, Random& random) {
  Matrix<T> out = Matrix<T>::Zero(rows, padded(columns));
  for (Index i = 0; i < rows; ++i)
    for (Index c = 0; c < columns; ++c) out(i, c) = T(nonnegative ? random.uniform() : random.normal());
  return out;
}

template <class T>
void scale_columns(Kruskal<T>& model) {
  for (Matrix<T>& f : model.factors)
    for (Index r = 0; r < model.rank; ++r) {
      const double length = double(f.col(r).norm());
      if (length > 0)
        f.col(r) = (f.col(r).template cast<double>() / length).template cast<T>();
      else
        f(0, r) = 1;
    }
}

/// Left singular vectors of y, the largest first; those of rounding are left out.
Block<double> left_singular_vectors(const Block<double>& y, Index count) {
  Block<double> vectors = y.transpose() * y;
  Vector<double> values;
  linalg::syevd(vectors, values);
  const Index all = values.size();
  Index good = 0;
  while (good < std::min(count, all) && values[all - 1 - good] > 1e-12 * values[all - 1]) ++good;
  Block<double> out(y.rows(), good);
  for (Index c = 0; c < good; ++c) out.col(c) = y * vectors.col(all - 1 - c) / std::sqrt(values[all - 1 - c]);
  return out;
}

template <class T>
Block<double> sketched(CpData<T>& data, Index mode, Index rank, const Run& run) {
  const Index width = rank + start_oversampling;
  Random random(run.seed, stream_of_sketches);
  std::vector<Matrix<T>> factors;
  for (const Index size : data.shape()) factors.push_back(random_rows<T>(size, width, false, random));
  Matrix<T> y;
  data.values->product(mode, factors, y, run);
  return left_singular_vectors(y.leftCols(width).template cast<double>(), rank);
}

}  // namespace

template <class T>
Kruskal<T> hosvd_start(CpData<T>& data, Index rank, bool nonnegative, const Run& run) {
  Kruskal<T> out = random_start<T>(data.shape(), rank, nonnegative, 0, run);
  data.all_changed();
  // The same random matrices for each mode, so that what MTTKRP keeps serves them all.
  for (const Index mode : data.values->sweep_order(data.order() - 1)) {
    run.check();
    std::optional<Block<double>> vectors = data.leading(mode, rank, run);
    if (!vectors) vectors = sketched(data, mode, rank, run);
    if (nonnegative) *vectors = vectors->cwiseAbs();
    const Index count = std::min(rank, vectors->cols());
    out.factor(mode).leftCols(count) = vectors->leftCols(count).template cast<T>();
  }
  data.all_changed();
  scale_columns(out);
  return out;
}

template <class T>
Kruskal<T> random_start(const Shape& shape, Index rank, bool nonnegative, Index number, const Run& run) {
  Kruskal<T> out;
  out.rank = rank;
  out.weights = Vector<double>::Ones(rank);
  Random random(run.seed, stream_of_starts + std::uint64_t(number));
  for (const Index size : shape) out.factors.push_back(random_rows<T>(size, rank, nonnegative, random));
  scale_columns(out);
  return out;
}

#define MERCER_INSTANTIATE(T)                                              \
  template Kruskal<T> hosvd_start<T>(CpData<T>&, Index, bool, const Run&); \
  template Kruskal<T> random_start<T>(const Shape&, Index, bool, Index, const Run&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
