// Eigenvectors of small Gram matrices as singular vectors.
#include "tensor/leading_vectors.hpp"

#include "base/linalg.hpp"
#include "base/parallel.hpp"
#include "spectral/orthonormal.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

/// Beyond this size a few eigenvectors are cheaper than all.
constexpr Index large_gram = 1000;

/// λ descending and their square roots; rounding makes zeros negative.
Vector<double> singular_values(const Vector<double>& ascending) {
  return ascending.reverse().cwiseMax(0.0).cwiseSqrt();
}

/// The leading eigenvectors of a symmetric matrix, descending; values: of all, or of these.
void leading_eigenvectors(Block<double>& matrix, const Truncation& truncation, LeftVectors& out) {
  const Index n = matrix.rows();
  Vector<double> values;
  if (truncation.rank > 0 && n >= large_gram && truncation.rank < n / 4) {
    Block<double> vectors;
    linalg::syevr(matrix, n - truncation.rank, n - 1, values, vectors);
    out.vectors = vectors.rowwise().reverse();
    out.values = singular_values(values);
    return;
  }
  linalg::syevd(matrix, values);
  out.values = singular_values(values);
  out.vectors = matrix.rightCols(rank_to_keep(out.values, truncation)).rowwise().reverse();
}

}  // namespace

Index rank_to_keep(const Vector<double>& values, const Truncation& truncation) {
  if (truncation.rank > 0) return std::min(truncation.rank, values.size());
  double tail = 0;
  Index kept = values.size();
  while (kept > 1) {
    tail += values[kept - 1] * values[kept - 1];
    if (tail > truncation.budget) break;
    --kept;
  }
  return std::max<Index>(kept, 1);
}

double squared_tail(const Vector<double>& values, Index kept) {
  double tail = 0;
  for (Index i = values.size(); i-- > kept;) tail += values[i] * values[i];
  return tail;
}

LeftVectors vectors_of_gram(Block<double> gram, const Truncation& truncation) {
  const double total = gram.trace();
  const Index size = gram.rows();
  LeftVectors out;
  leading_eigenvectors(gram, truncation, out);
  out.tail = out.values.size() == size ? squared_tail(out.values, out.vectors.cols())
                                       : std::max(0.0, total - out.values.squaredNorm());
  fix_signs<double>(out.vectors);
  return out;
}

LeftVectors leading_left_vectors(const BlockView<double>& a, Index rank, const Run& run) {
  const ThreadScope threads(run);  // the products' partition does not depend on it
  if (a.rows() <= a.cols()) {
    const Block<double> rows = a.transpose();
    Block<double> gram = linalg::transposed_times<double>(rows, rows);
    const ThreadScope one(Run{.threads = 1});
    return vectors_of_gram(std::move(gram), {.rank = rank});
  }
  LeftVectors out = vectors_of_gram(linalg::transposed_times<double>(a, a), {.rank = rank});
  Block<double> left = Block<double>::Zero(a.rows(), out.vectors.cols());
  linalg::add_product<double>(1, a, out.vectors, left);
  make_orthonormal(left);
  out.vectors = std::move(left);
  return out;
}

void make_orthonormal(Block<double>& columns) {
  (void)linalg::qr<double>(columns);
  fix_signs<double>(columns);
}

}  // namespace mercer
