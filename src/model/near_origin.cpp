// How far is far, and where to move to.
#include "model/near_origin.hpp"

#include "base/csr.hpp"
#include "kernel/node.hpp"
#include "kernel/primitives.hpp"
#include "kernel/translation.hpp"
#include "operator/scatter_operator.hpp"

#include <cmath>
#include <type_traits>
#include <vector>

namespace mercer {

template <class T>
bool moves_to_the_origin(const Samples<T>& samples, const KernelPcaOptions& options) {
  constexpr double far = 1e4;  // squared: four digits lost
  return options.center && options.scale == Scale::none &&
         primitives_of(options.kernel).has(Primitive::dot) && centering_removes_translation(options.kernel) &&
         squared_offset(samples) > far;
}

namespace {

/// In double what rounds here is nothing beside the rounding of products; in float a column that is about as
/// wide as it is far stays where it is.
template <class T>
bool moves_exactly(T value, double shift) {
  if (std::is_same_v<T, double>) return true;
  const double moved = double(value) - shift;
  return double(T(moved)) == moved;
}

}  // namespace

template <class T>
Scaling<T> scaling_for_fit(const Samples<T>& samples, const KernelPcaOptions& options) {
  if (!moves_to_the_origin(samples, options)) return Scaling<T>::fit(options.scale, samples);
  Scaling<T> out = Scaling<T>::fit(Scale::center, samples);
  const auto m = samples.dense();
  out.shift = out.shift.template cast<T>().template cast<double>().eval();
  for (Index i = 0; i < m.rows(); ++i)
    for (Index j = 0; j < m.cols(); ++j)
      if (!moves_exactly(m(i, j), out.shift[j])) out.shift[j] = 0;
  return out;
}

template <class T>
Moved<T> moved_in_full_columns(const Samples<T>& samples) {
  constexpr double far = 16;
  Moved<T> out{samples, Vector<double>::Zero(samples.cols())};
  if (!samples.is_sparse() || samples.rows() == 0) return out;
  const Vector<double> mean = column_means(samples);
  if (double(samples.rows()) * mean.squaredNorm() <= far * total_scatter(samples, mean)) return out;
  const auto s = samples.sparse();
  std::vector<Index> stored(static_cast<std::size_t>(s.cols()), 0);
  const auto entries = s.outerIndexPtr()[s.rows()];
  for (auto p = s.outerIndexPtr()[0]; p < entries; ++p)
    ++stored[static_cast<std::size_t>(s.innerIndexPtr()[p])];
  for (Index j = 0; j < s.cols(); ++j)
    if (stored[static_cast<std::size_t>(j)] == s.rows()) out.shift[j] = double(T(mean[j]));
  for (auto p = s.outerIndexPtr()[0]; p < entries; ++p)
    if (double& shift = out.shift[s.innerIndexPtr()[p]]; !moves_exactly(s.valuePtr()[p], shift)) shift = 0;
  SparseMatrix<T> moved = csr_copy<T>(s.rows(), s.cols(), s.outerIndexPtr(), s.innerIndexPtr(), s.valuePtr());
  for (Index p = 0; p < moved.nonZeros(); ++p)
    moved.valuePtr()[p] = T(double(moved.valuePtr()[p]) - out.shift[moved.innerIndexPtr()[p]]);
  out.points = Samples<T>(std::move(moved));
  return out;
}

#define MERCER_INSTANTIATE(T)                                                      \
  template bool moves_to_the_origin(const Samples<T>&, const KernelPcaOptions&);   \
  template Scaling<T> scaling_for_fit(const Samples<T>&, const KernelPcaOptions&); \
  template Moved<T> moved_in_full_columns(const Samples<T>&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
