// Choosing gamma from the data: auto is 1/d, median makes the typical exponent one half.
#include "base/number_limits.hpp"
#include "base/random.hpp"
#include "kernel/catalogue.hpp"
#include "kernel/node.hpp"
#include "kernel/primitives.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace mercer {
namespace {

/// Median over all pairs of at most this many rows; more would not move it visibly.
constexpr Index median_rows = 1000;

template <class T>
Samples<T> sample_rows(const Samples<T>& samples, std::uint64_t seed) {
  if (samples.rows() <= median_rows) return samples;
  Random random(seed, 0x6d656469616eULL);  // a stream of its own
  std::vector<Index> order(static_cast<std::size_t>(samples.rows()));
  std::iota(order.begin(), order.end(), Index(0));
  for (std::size_t i = 0; i < median_rows; ++i)
    std::swap(order[i], order[i + random.below(order.size() - i)]);
  order.resize(median_rows);
  std::sort(order.begin(), order.end());
  return samples.select_rows(order);
}

/// Median of the primitive over pairs of different rows; over the nonzero ones when it would be 0.
template <class T>
double median_of(Primitive primitive, const Samples<T>& samples, std::uint64_t seed) {
  const Samples<T> rows = sample_rows(samples, seed);
  const Index n = rows.rows();
  const RowSet<T> set =
      make_row_set(rows, primitive, primitive == Primitive::sqdist ? distance_shift(rows) : Vector<double>());
  Matrix<T> tile(n, n);
  primitive_tile(primitive, set, 0, n, set, 0, n, tile.data());
  std::vector<double> values;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < i; ++j) values.push_back(double(tile(i, j)));
  const auto median = [](std::vector<double>& v) {
    const auto middle = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
    std::nth_element(v.begin(), middle, v.end());
    return *middle;
  };
  if (values.empty()) return 0;
  if (const double m = median(values); m > 0) return m;
  values.erase(std::remove_if(values.begin(), values.end(), [](double v) { return !(v > 0); }), values.end());
  return values.empty() ? 0 : median(values);
}

/// Do all rows equal the first?
template <class T>
bool all_equal(const Samples<T>& samples) {
  if (samples.rows() == 0) return true;
  const Matrix<T> first = samples.dense_rows(0, 1);
  for (Index i = 1; i < samples.rows(); ++i)
    if (samples.dense_rows(i, 1) != first) return false;
  return true;
}

/// Distances between points that differ are not below this, or have lost their digits; squares lose theirs
/// sooner.
template <class T>
double least_distance(Primitive primitive) {
  if (primitive == Primitive::sqdist) return least_with_all_digits<T>;
  return primitive == Primitive::l1dist ? double(std::numeric_limits<T>::min()) : 0;
}

}  // namespace

template <class T>
Kernel Kernel::resolved(const Samples<T>& samples, std::uint64_t seed) const {
  return map_leaves(*this, [&](const Kernel& part) {
    const auto* leaf = std::get_if<LeafKernel>(&part.node().value);
    if (!leaf || part.is_resolved()) return part;
    std::vector<Gamma> parameters = leaf->parameters;
    for (Gamma& g : parameters) {
      if (g.rule == Gamma::Rule::automatic) g = 1.0 / double(std::max<Index>(1, samples.cols()));
      if (g.rule == Gamma::Rule::median) {
        const double typical = median_of(leaf->kind->primitive, samples, seed);
        if (!std::isfinite(typical))
          throw Error(ErrorCode::bad_data, "the points lie so far apart that their distances overflow",
                      "scale the inputs (--scale standardize)");
        const double least = least_distance<T>(leaf->kind->primitive);
        if (typical < least && !all_equal(sample_rows(samples, seed)))
          throw Error(ErrorCode::bad_data, "the points lie so near each other that their distances underflow",
                      "scale the inputs (--scale standardize)");
        g = typical > 0 ? 1 / (2 * typical) : 1.0;  // all points equal: any width will do
      }
    }
    return make_leaf(leaf->kind->name, std::move(parameters));
  });
}

template Kernel Kernel::resolved(const Samples<float>&, std::uint64_t) const;
template Kernel Kernel::resolved(const Samples<double>&, std::uint64_t) const;

}  // namespace mercer
