// The number of components by share of variance, by parallel analysis (Horn 1965; here with every column
// shuffled by itself, which keeps the columns and destroys what is between them) and by the knee of the
// spectrum.
#include "model/component_rules.hpp"

#include "base/random.hpp"
#include "model/shares.hpp"

#include <mercer/spectrum.hpp>

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

/// The leading eigenvalues of HKH over n, at least 0, and its trace over n.
struct LeadingSpectrum {
  Vector<double> values;
  double trace = 0;
};

LeadingSpectrum leading(Matrix<double> k, Index count, const Run& run) {
  center_kernel(k);
  const double n = double(k.rows());
  LeadingSpectrum out;
  out.trace = k.trace() / n;
  out.values =
      dense_eigenpairs<double>(Block<double>(k), std::min(count, k.rows()), End::largest, run).values / n;
  out.values = out.values.cwiseMax(0.0).eval();
  return out;
}

Matrix<double> shuffled_columns(Matrix<double> x, std::uint64_t seed, std::uint64_t turn) {
  for (Index j = 0; j < x.cols(); ++j) {
    Random random(seed, (turn + 1) * 1000003 + static_cast<std::uint64_t>(j));
    for (Index i = x.rows() - 1; i > 0; --i)
      std::swap(x(i, j), x(static_cast<Index>(random.below(static_cast<std::uint64_t>(i) + 1)), j));
  }
  return x;
}

}  // namespace

void center_kernel(Matrix<double>& k) {
  const Vector<double> rows = k.rowwise().mean();
  const double all = rows.mean();
  k.colwise() -= rows;
  k.rowwise() -= (rows.array() - all).matrix().transpose();
}

Index knee_of(const Vector<double>& values) {
  const Index n = values.size();
  if (n < 3 || !(values[0] > values[n - 1])) return std::min<Index>(n, 1);
  Index best = 0;
  double depth = 0;
  for (Index i = 0; i < n; ++i) {
    const double along = double(i) / double(n - 1),
                 height = (values[i] - values[n - 1]) / (values[0] - values[n - 1]);
    if (1 - along - height > depth) {
      depth = 1 - along - height;
      best = i;
    }
  }
  return best + 1;
}

ComponentAdvice component_advice(PrimitiveMatrices& matrices, const Kernel& kernel, Index most, double share,
                                 Index permutations, const Run& run) {
  ComponentAdvice out;
  const LeadingSpectrum found = leading(matrices.kernel(kernel), most, run);
  out.eigenvalues = found.values;
  out.by_share = count_for_share(found.values, share, found.trace);
  const Index known = found.values.size();
  if (!out.by_share && known >= matrices.samples().rows())
    out.by_share = known;  // what is missing is rounding

  Matrix<double> shuffled(permutations, found.values.size());
  const Matrix<double> x = matrices.samples().to_dense();
  for (Index p = 0; p < permutations; ++p) {
    run.check();
    const Samples<double> rows = shuffled_columns(x, run.seed, static_cast<std::uint64_t>(p));
    shuffled.row(p) = leading(gram<double>(kernel, rows, run), most, run).values.transpose();
    run.report("parallel analysis", double(p + 1) / double(permutations));
  }
  out.permuted = Vector<double>::Zero(found.values.size());
  for (Index c = 0; permutations > 0 && c < shuffled.cols(); ++c) {
    Vector<double> column = shuffled.col(c);
    std::sort(column.begin(), column.end());
    out.permuted[c] = column[std::min<Index>(permutations - 1,
                                             static_cast<Index>(std::ceil(0.95 * double(permutations))) - 1)];
  }
  const double rounding = 1e-12 * std::max(found.trace, 0.0);
  while (out.by_parallel < found.values.size() &&
         found.values[out.by_parallel] > std::max(out.permuted[out.by_parallel], rounding))
    ++out.by_parallel;
  out.by_knee = knee_of(found.values);
  return out;
}

}  // namespace mercer
