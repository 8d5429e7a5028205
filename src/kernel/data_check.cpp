// Whether a kernel can be evaluated on data at all, in numbers of a type T: asked before any work.
#include "base/number_limits.hpp"
#include "kernel/catalogue.hpp"
#include "kernel/node.hpp"
#include "kernel/tiles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {
namespace {

template <class T>
void require_symmetric(const Samples<T>& k) {
  if (k.rows() != k.cols())
    throw Error(ErrorCode::bad_data,
                fmt::format("a precomputed kernel matrix must be square, not {} x {}", k.rows(), k.cols()));
  const Samples<T> whole = k.is_sparse() ? Samples<T>(k.to_dense()) : k;
  const auto m = whole.dense();
  const T largest = m.size() ? m.cwiseAbs().maxCoeff() : T(0);
  const T tolerance = std::is_same_v<T, float> ? T(1e-5) : T(1e-10);
  for (Index i = 0; i < m.rows(); ++i)
    for (Index j = 0; j < i; ++j)
      if (std::abs(m(i, j) - m(j, i)) > tolerance * largest)
        throw Error(
            ErrorCode::bad_data,
            fmt::format("the precomputed kernel matrix is not symmetric: K[{},{}] = {} but K[{},{}] = {}", i,
                        j, m(i, j), j, i, m(j, i)),
            "a kernel has k(x, y) = k(y, x); (K + Kᵀ)/2 is symmetric");
}

template <class T>
void require_non_negative(const Samples<T>& samples, const Kernel& kernel) {
  const auto fail = [&](Index row, Index col, T value) {
    throw Error(ErrorCode::bad_data,
                fmt::format("kernel {} needs values >= 0, but row {}, column {} is {}", kernel.to_string(),
                            row, col, value),
                "chi² kernels compare histograms; rows and columns count from 0");
  };
  if (!samples.is_sparse()) {
    const auto m = samples.dense();
    for (Index i = 0; i < m.rows(); ++i)
      for (Index j = 0; j < m.cols(); ++j)
        if (m(i, j) < 0) fail(i, j, m(i, j));
    return;
  }
  const auto s = samples.sparse();
  for (Index i = 0; i < s.rows(); ++i)
    for (auto p = s.outerIndexPtr()[i]; p < s.outerIndexPtr()[i + 1]; ++p)
      if (s.valuePtr()[p] < 0) fail(i, s.innerIndexPtr()[p], s.valuePtr()[p]);
}

/// The largest |x| of each row.
template <class T>
Vector<double> largest_entries(const Samples<T>& samples) {
  Vector<double> out = Vector<double>::Zero(samples.rows());
  if (!samples.is_sparse()) {
    const auto m = samples.dense();
    for (Index i = 0; m.cols() > 0 && i < m.rows(); ++i) out[i] = double(m.row(i).cwiseAbs().maxCoeff());
    return out;
  }
  const auto s = samples.sparse();
  for (Index i = 0; i < s.rows(); ++i)
    for (auto p = s.outerIndexPtr()[i]; p < s.outerIndexPtr()[i + 1]; ++p)
      out[i] = std::max(out[i], std::abs(double(s.valuePtr()[p])));
  return out;
}

/// Σx_k² that overflows leaves inf − inf of ‖x−y‖², and tanh(∞) of a sigmoid. For the cosine x·x must not
/// underflow either.
template <class T>
void require_products(const Samples<T>& samples, const Kernel& kernel, bool cosine) {
  const double terms = double(std::max<Index>(1, samples.longest_row()));
  const double least = cosine ? std::sqrt(least_with_all_digits<T>) : 0,
               most = std::sqrt(double(std::numeric_limits<T>::max()) / (8 * terms));
  const Vector<double> largest = largest_entries(samples);
  for (Index row = 0; row < largest.size(); ++row) {
    if (largest[row] == 0 || (largest[row] >= least && largest[row] <= most)) continue;
    throw Error(
        ErrorCode::bad_data,
        fmt::format("kernel {} multiplies the numbers of row {} (up to {:.3g}), and their products {}",
                    kernel.to_string(), row, largest[row], largest[row] < least ? "underflow" : "overflow"),
        cosine ? "rows count from 0; multiply the data by a constant: the cosine does not change"
               : fmt::format("rows count from 0; {}scale the inputs (--scale standardize)",
                             cure_by_precision<T>));
  }
}

/// f(s·p) of a primitive p, a sum of d products: underflow moves p by as much as d·min·ε, and f then by s
/// times that, which must be nothing beside ε.
template <class T>
void require_parameters(const LeafKernel& leaf, const std::vector<double>& parameters, Index terms) {
  const auto words = [&] { return make_leaf(leaf.kind->name, leaf.parameters).to_string(); };
  for (const double p : parameters)
    if (!(std::abs(p) <= double(std::numeric_limits<T>::max())))
      throw Error(ErrorCode::bad_data,
                  fmt::format("kernel {} has a parameter too large for single precision", words()),
                  "use --precision double, or smaller parameters");
  const double s = leaf.kind->steepness(parameters);
  if (s * double(std::max<Index>(1, terms)) * double(std::numeric_limits<T>::min()) <= 1) return;
  throw Error(ErrorCode::bad_data,
              fmt::format("kernel {} looks at numbers so small that their products underflow", words()),
              fmt::format("{}multiply the data by a constant", cure_by_precision<T>));
}

}  // namespace

template <class T>
void Kernel::check_data(const Samples<T>& samples) const {
  if (is_precomputed()) require_symmetric(samples);
  const PrimitiveSet needs = primitives_of(*this);
  if (needs.has(Primitive::chi2)) require_non_negative(samples, *this);
  const bool cosine = needs.has(Primitive::cosine);
  if (cosine || needs.has(Primitive::sqdist) || needs.has(Primitive::dot))
    require_products(samples, *this, cosine);
  const Index terms = samples.longest_row();
  (void)map_leaves(*this, [&](const Kernel& part) {
    const auto* leaf = std::get_if<LeafKernel>(&part.node().value);
    if (leaf == nullptr || !part.is_resolved()) return part;  // what is chosen by the data fits it
    std::vector<double> parameters;
    for (const Gamma& g : leaf->parameters) parameters.push_back(g.value);
    require_parameters<T>(*leaf, parameters, terms);
    return part;
  });
}

template void Kernel::check_data(const Samples<float>&) const;
template void Kernel::check_data(const Samples<double>&) const;

}  // namespace mercer
