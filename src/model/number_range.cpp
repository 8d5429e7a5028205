// The largest |x − μ| of all entries, and whether its square is a normal number with all digits.
#include "model/number_range.hpp"

#include <mercer/error.hpp>

#include "base/number_limits.hpp"

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
  const double least = std::sqrt(least_with_all_digits<Arithmetic>);
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

template <class T>
void require_kernel_in_range(const Kernel& kernel, double size, Index n) {
  // Squares of sums over the matrix are multiplied with what is left out: far from the end of the range.
  const double most =
      std::min(1e120, 1e-2 * std::sqrt(std::numeric_limits<double>::max()) / double(std::max<Index>(1, n)));
  const std::string cure =
      kernel.is_precomputed()
          ? "divide the matrix by a large number"
          : "multiply the kernel by a small number, or scale the inputs (--scale standardize)";
  const std::string enlarge =
      std::string("multiply the ") + (kernel.is_precomputed() ? "matrix" : "kernel") + " by a large number";
  const auto refuse = [&](const std::string& why, const std::string& what_to_do) {
    throw Error(
        ErrorCode::bad_data,
        fmt::format("kernel {} is as large as {:.3g} on this data, {}", kernel.to_string(), size, why),
        what_to_do);
  };
  if (!(std::abs(size) < most)) refuse("and squares of such numbers overflow", cure);
  if (std::is_same_v<T, float> && !(std::abs(size) < 1e-2 * double(std::numeric_limits<T>::max())))
    refuse("too much for single precision", cure_by_precision<T> + cure);
  if (size == 0) return;
  if (std::is_same_v<T, float> && std::abs(size) < least_with_all_digits<T>)
    refuse("too little for single precision", cure_by_precision<T> + enlarge);
  if (std::abs(size) < std::sqrt(least_with_all_digits<double>))
    refuse("and squares of such numbers underflow", enlarge);
}

void require_kernel_above_zero(const Kernel& kernel, double size, bool all_zero) {
  if (size != 0 || all_zero || kernel.is_precomputed() || kernel.definiteness() != Definiteness::psd) return;
  throw Error(ErrorCode::bad_data,
              fmt::format("kernel {} is 0 for all points, though they are not: its values underflow",
                          kernel.to_string()),
              "multiply the data, or the kernel, by a large number");
}

template void require_kernel_in_range<float>(const Kernel&, double, Index);
template void require_kernel_in_range<double>(const Kernel&, double, Index);

#define MERCER_INSTANTIATE(A, T) \
  template void require_squares_in_range<A, T>(const Samples<T>&, const Vector<double>&);
MERCER_INSTANTIATE(float, float)
MERCER_INSTANTIATE(double, float)
MERCER_INSTANTIATE(double, double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
