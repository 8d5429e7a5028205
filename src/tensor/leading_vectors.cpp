// Eigenvectors of small Gram matrices as singular vectors.
#include "tensor/leading_vectors.hpp"

#include "base/linalg.hpp"
#include "spectral/orthonormal.hpp"
#include "tensor/lanes.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mercer {
namespace {

using linalg::Transpose;

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
  const bool wide = a.rows() <= a.cols();
  const Index size = std::min(a.rows(), a.cols());
  const Pieces pieces{std::max(a.rows(), a.cols()), std::max<Index>(256, (Index{1} << 18) / size)};
  const Index lanes = lanes_for(pieces.count(), size * size);
  std::vector<Block<double>> grams(static_cast<std::size_t>(lanes), Block<double>::Zero(size, size));
  for_each_piece(pieces.count(), lanes, run, [&](Index lane, Index piece) {
    const Span span = pieces[piece];
    linalg::syrk<double>(wide ? Transpose::no : Transpose::yes, size, span.count(), 1,
                         a.data() + span.first * (wide ? a.outerStride() : 1), a.outerStride(), 1,
                         grams[static_cast<std::size_t>(lane)].data(), size);
  });
  for (std::size_t lane = 1; lane < grams.size(); ++lane) grams[0] += grams[lane];
  LeftVectors out = vectors_of_gram(std::move(grams[0]), {.rank = rank});
  if (wide) return out;
  Block<double> left(a.rows(), out.vectors.cols());  // U = A V S⁻¹
  parallel_for(pieces.count(), run, [&](Index piece) {
    const Span span = pieces[piece];
    linalg::gemm<double>(Transpose::no, Transpose::no, span.count(), left.cols(), size, 1,
                         a.data() + span.first, a.outerStride(), out.vectors.data(), size, 0,
                         left.data() + span.first, left.rows());
  });
  make_orthonormal(left);
  out.vectors = std::move(left);
  return out;
}

void make_orthonormal(Block<double>& columns) {
  (void)linalg::qr<double>(columns);
  fix_signs<double>(columns);
}

}  // namespace mercer
