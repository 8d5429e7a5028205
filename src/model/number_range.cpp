// The largest |x − μ| of all entries, and whether its square is a normal number with all digits.
#include "model/number_range.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace mercer {
namespace {

template <class T>
double largest_difference(const Samples<T>& points, const Vector<double>& mean) {
  double largest = 0;
  if (!points.is_sparse()) {
    const auto m = points.dense();
    for (Index i = 0; i < m.rows(); ++i)
      largest =
          std::max(largest, (m.row(i).template cast<double>() - mean.transpose()).cwiseAbs().maxCoeff());
    return largest;
  }
  const auto s = points.sparse();  // zeros differ by the mean
  for (Index j = 0; j < mean.size(); ++j) largest = std::max(largest, std::abs(mean[j]));
  for (Index i = 0; i < s.rows(); ++i)
    for (auto p = s.outerIndexPtr()[i]; p < s.outerIndexPtr()[i + 1]; ++p)
      largest = std::max(largest, std::abs(double(s.valuePtr()[p]) - mean[s.innerIndexPtr()[p]]));
  return largest;
}

}  // namespace

template <class Arithmetic, class T>
void require_squares_in_range(const Samples<T>& points, const Vector<double>& mean) {
  using Limits = std::numeric_limits<Arithmetic>;
  if (points.rows() == 0 || points.cols() == 0) return;
  const double largest = largest_difference(points, mean);
  const double count = double(points.rows()) * double(points.cols());
  const double least = std::sqrt(double(Limits::min()) / double(Limits::epsilon()));
  if (largest > 0 && largest < least)
    throw Error(
        ErrorCode::bad_data,
        fmt::format("the data varies by {:.3g} at most, and squares of such numbers underflow", largest),
        "scale the data first (--scale standardize)");
  // Squares of the matrix of these squares are summed as well, in double.
  const double most = std::min(std::sqrt(double(Limits::max()) / count),
                               std::pow(std::numeric_limits<double>::max(), 0.25) / std::sqrt(count));
  if (!(largest < most))
    throw Error(ErrorCode::bad_data,
                fmt::format("the data varies by {:.3g}: numbers so large that sums of their squares overflow",
                            largest),
                "scale the data first (--scale standardize)");
}

void require_kernel_in_range(const Kernel& kernel, double size, Index n) {
  if (std::abs(size) < 1e-2 * std::sqrt(std::numeric_limits<double>::max()) / double(std::max<Index>(1, n)))
    return;
  throw Error(
      ErrorCode::bad_data,
      fmt::format("kernel {} is as large as {:.3g} on this data, and squares of such numbers overflow",
                  kernel.to_string(), size),
      kernel.is_precomputed() ? "divide the matrix by a constant"
                              : "scale the inputs (--scale standardize) or choose smaller parameters");
}

#define MERCER_INSTANTIATE(A, T) \
  template void require_squares_in_range<A, T>(const Samples<T>&, const Vector<double>&);
MERCER_INSTANTIATE(float, float)
MERCER_INSTANTIATE(double, float)
MERCER_INSTANTIATE(double, double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
