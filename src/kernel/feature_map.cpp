// Families of functions side by side.
#include "kernel/feature_map.hpp"

#include "base/parallel.hpp"
#include "kernel/basis_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {
namespace {

/// 2 -> "√2", 4 -> "2", 2.5 -> "1.581": a weight from its square, as people would write it.
std::string weight_text(double weight) {
  const double square = weight * weight, whole = std::round(square), root = std::round(weight);
  if (std::abs(weight - root) < 1e-12 * std::abs(weight)) return fmt::format("{:.15g}", root);
  if (std::abs(square - whole) < 1e-12 * square && whole < 1e6) return fmt::format("√{:.0f}", whole);
  return fmt::format("{:.4g}", weight);
}

}  // namespace

FeatureMap::FeatureMap(const Basis& basis, Index d) : d_(d), starts_{0} {
  if (!basis.is_resolved())
    throw Error(ErrorCode::usage, fmt::format("basis {} takes something from the data", basis.to_string()),
                "call resolved(samples) first");
  const double functions = basis.count(d);
  if (functions > std::numeric_limits<std::int32_t>::max())
    throw Error(ErrorCode::no_memory,
                fmt::format("{} of {} features is {:.3g} functions", basis.to_string(), d, functions),
                "lower the degree; kpca with the kernel poly does without them");
  for (const BasisPart& part : basis.parts()) {
    families_.push_back(std::visit(
        [&](const auto& p) { return std::shared_ptr<const FeatureFamily>(make_family(p, d)); }, part.value));
    starts_.push_back(starts_.back() + families_.back()->count());
  }
  for (Index j = 0; j < d; ++j) variables_.push_back(fmt::format("x{}", j + 1));
}

template <class T>
void FeatureMap::evaluate(const Samples<T>& points, double* out, const Run& run, Index first) const {
  evaluate_with<T>(nullptr, points, out, run, first);
}

template <class T>
void FeatureMap::evaluate_shifted(const InputShift& shift, const Samples<T>& points, double* out,
                                  const Run& run, Index first) const {
  evaluate_with<T>(&shift, points, out, run, first);
}

template <class T>
void FeatureMap::evaluate_with(const InputShift* shift, const Samples<T>& points, double* out, const Run& run,
                               Index first) const {
  constexpr Index part_rows = 64;
  const Index m = count();
  parallel_for((points.rows() + part_rows - 1) / part_rows, run, [&](Index part) {
    const Index i0 = part * part_rows, rows = std::min(part_rows, points.rows() - i0);
    const Matrix<double> x = points.dense_rows(i0, rows).template cast<double>();
    Matrix<double> eta;
    if (shift) eta = (x.rowwise() - shift->center.transpose()) * shift->radius.cwiseInverse().asDiagonal();
    for (std::size_t f = 0; f < families_.size(); ++f)
      families_[f]->evaluate(shift && families_[f]->follows_shift() ? eta : x, out + i0 * m + starts_[f], m);
    const Eigen::Map<const Matrix<double>> phi(out + i0 * m, rows, m);
    if (phi.allFinite()) return;
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < m; ++j)
        if (!std::isfinite(phi(i, j)))
          throw Error(ErrorCode::bad_data,
                      fmt::format("{} is {} at row {}", name(j),
                                  std::isnan(phi(i, j)) ? "not a number" : "infinite", first + i0 + i),
                      "rows count from 0; choose functions that are finite on the data, or --scale it");
  });
}

Block<double> FeatureMap::from_shifted(const InputShift& shift) const {
  Block<double> out = Block<double>::Identity(count(), count());
  for (std::size_t f = 0; f < families_.size(); ++f)
    if (const Index m = families_[f]->count(); families_[f]->follows_shift())
      out.block(starts_[f], starts_[f], m, m) = families_[f]->from_shifted(shift);
  return out;
}

std::pair<const FeatureFamily*, Index> FeatureMap::find(Index j) const {
  const auto above = std::upper_bound(starts_.begin(), starts_.end(), j);
  const auto f = static_cast<std::size_t>(above - starts_.begin() - 1);
  return {families_.at(f).get(), j - starts_[f]};
}

std::string FeatureMap::plain_name(Index j, std::span<const std::string> variables) const {
  const auto [family, k] = find(j);
  return family->name(k, variables.empty() ? std::span<const std::string>(variables_) : variables);
}

std::string FeatureMap::name(Index j, std::span<const std::string> variables) const {
  const std::string weight_of = weight_text(weight(j)), plain = plain_name(j, variables);
  if (weight_of == "1") return plain;
  return plain == "1" ? weight_of : weight_of + "·" + plain;
}

double FeatureMap::weight(Index j) const {
  const auto [family, k] = find(j);
  return family->weight(k);
}

Index FeatureMap::degree(Index j) const {
  const auto [family, k] = find(j);
  return family->degree(k);
}

template void FeatureMap::evaluate(const Samples<float>&, double*, const Run&, Index) const;
template void FeatureMap::evaluate(const Samples<double>&, double*, const Run&, Index) const;
template void FeatureMap::evaluate_shifted(const InputShift&, const Samples<float>&, double*, const Run&,
                                           Index) const;
template void FeatureMap::evaluate_shifted(const InputShift&, const Samples<double>&, double*, const Run&,
                                           Index) const;

}  // namespace mercer
