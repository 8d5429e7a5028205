// Features or kernel values, a chunk of points at a time.
#include "operator/feature_pass.hpp"

#include "base/linalg.hpp"
#include "base/parallel.hpp"
#include "operator/probed_size.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace mercer {
namespace {

/// Below this rank kernel values cost more than L⁻¹.
constexpr Index least_rank = 128;
/// Points by which rounding is judged beforehand.
constexpr Index judged_points = 512;
constexpr Index part_columns = 64;

/// X := L⁻¹X
void solve_lower(const Block<double>& factor, Block<double>& x, const Run& run) {
  const Index r = factor.rows(), columns = x.cols();
  parallel_for((columns + part_columns - 1) / part_columns, run, [&](Index part) {
    const Index first = part * part_columns;
    linalg::solve_lower<double>(linalg::Transpose::no, r, std::min(part_columns, columns - first),
                                factor.data(), r, x.data() + first * r, r);
  });
}

/// How much L⁻¹ enlarges the rounding of sums, γ√(C_aa C_bb) in C_ab. With independent errors, G standard
/// normal and A = L⁻¹D, D² = diag C, the change of L⁻¹CL⁻ᵀ is γ AGAᵀ: its norm is 2γ‖A‖‖A‖_F or less. Its
/// trace is γ‖A‖_F² at most, even if the diagonal's errors have one sign.
struct Enlargement {
  double norm, trace;  ///< 2‖A‖‖A‖_F and ‖A‖_F²

  Enlargement(const Block<double>& factor, const Vector<double>& squares) {
    const Index r = factor.rows();
    const Vector<double> d = squares.cwiseMax(0.0).cwiseSqrt();
    const ProbedSize size = probed_size(r, [&](Block<double>& x) {  // X := AᵀAX
      x = d.asDiagonal() * x;
      linalg::solve_lower<double>(linalg::Transpose::no, r, x.cols(), factor.data(), r, x.data(), r);
      linalg::solve_lower<double>(linalg::Transpose::yes, r, x.cols(), factor.data(), r, x.data(), r);
      x = d.asDiagonal() * x;
    });
    trace = size.trace;
    norm = 2 * std::sqrt(size.largest * trace);
  }
};

/// From the moments of k to those of L⁻¹k.
FeatureMoments changed(FeatureMoments m, const Block<double>& factor, double gamma, const Run& run) {
  const Index r = m.rank();
  if (r == 0) return m;
  const Enlargement enlarged(factor, m.scatter.diagonal());
  m.rounding = gamma * enlarged.norm;
  m.trace_rounding = gamma * enlarged.trace;
  linalg::solve_lower<double>(linalg::Transpose::no, r, 1, factor.data(), r, m.mean.data(), r);
  m.scatter = Block<double>(m.scatter.selfadjointView<Eigen::Lower>());
  for (int side = 0; side < 2; ++side) {  // L⁻¹C, and L⁻¹ of what that is transposed
    solve_lower(factor, m.scatter, run);
    m.scatter.transposeInPlace();
  }
  return m;
}

}  // namespace

template <class T>
FeaturePass<T>::FeaturePass(const LandmarkBasis<T>& basis, bool center, PassBy by,
                            std::vector<Index> prefixes)
    : basis_(basis),
      center_(center),
      by_(by),
      prefixes_(std::move(prefixes)),
      prefix_traces_(prefixes_.size(), 0.0) {}

template <class T>
void FeaturePass<T>::add(const Samples<T>& points, const Run& run) {
  const Index r = basis_.rank();
  for (Index first = 0; first < points.rows(); first += feature_rows) {
    const Index count = std::min(feature_rows, points.rows() - first);
    const auto needed = static_cast<std::size_t>(count * r);
    if (values_.size() < needed) values_.resize(needed);
    const std::size_t seen = diagonal_.size();
    diagonal_.resize(seen + static_cast<std::size_t>(count));
    const Samples<T> some = points.middle_rows(first, count);
    if (by_ == PassBy::kernel_values) {
      basis_.kernel_values(some, values_.data(), diagonal_.data() + seen, run);
    } else {
      remaining_.resize(diagonal_.size());
      basis_.evaluate(some, values_.data(), diagonal_.data() + seen, remaining_.data() + seen, run);
      add_prefixes(static_cast<Index>(seen), count);
    }
    if (!sum_) sum_.emplace(center_, mean_of(values_.data(), count, r));
    sum_->add(values_.data(), count, run);
    if (!sum_->is_finite()) throw kernel_overflow(basis_.kernel());
    run.check();
  }
}

template <class T>
void FeaturePass<T>::add_prefixes(Index first, Index count) {
  for (Index i = 0; i < count; ++i)
    for (std::size_t p = 0; p < prefixes_.size(); ++p)
      prefix_traces_[p] += std::max(0.0, diagonal_[static_cast<std::size_t>(first + i)] -
                                             squared_norm(values_.data() + i * basis_.rank(), prefixes_[p]));
}

template <class T>
FeatureMoments FeaturePass<T>::moments(const Run& run) const {
  if (!sum_) return {basis_.rank(), center_};
  FeatureMoments out = sum_->result();
  if (by_ == PassBy::features) return out;
  const double gamma = MomentSum<T>::relative_rounding(out.count, center_);
  return changed(std::move(out), basis_.factor(), gamma, run);
}

template <class T>
PassBy cheaper_pass(const LandmarkBasis<T>& basis, const Samples<T>& some, bool center, Index n,
                    const Run& run) {
  const Index r = basis.rank(), count = std::min(some.rows(), judged_points);
  if (r < least_rank || count == 0) return PassBy::features;
  std::vector<Index> spread;
  for (Index i = 0; i < count; ++i) spread.push_back(i * some.rows() / count);
  Matrix<T> values(count, r);
  Vector<double> diagonal(count);
  basis.kernel_values(some.select_rows(spread), values.data(), diagonal.data(), run);
  Matrix<double> k = values.template cast<double>();
  if (center) k.rowwise() -= k.colwise().mean().eval();
  const Enlargement enlarged(basis.factor(), k.colwise().squaredNorm().transpose());
  const double rounding = MomentSum<T>::relative_rounding(n, center) * enlarged.norm;
  return is_harmless<T>(rounding, diagonal.sum()) ? PassBy::kernel_values : PassBy::features;
}

template <class T>
bool is_harmless(double rounding, double trace) {
  return rounding <= (std::is_same_v<T, float> ? 5e-6 : 1e-11) * trace;
}

double remaining_trace(const FeatureMoments& m, double diagonal_sum) {
  const double represented =
      m.scatter.diagonal().sum() + (m.centered ? double(m.count) * m.mean.squaredNorm() : 0);
  return std::max(0.0, diagonal_sum - represented) + 2 * m.trace_rounding;  // half of it for φ̄
}

template class FeaturePass<float>;
template class FeaturePass<double>;
template PassBy cheaper_pass(const LandmarkBasis<float>&, const Samples<float>&, bool, Index, const Run&);
template PassBy cheaper_pass(const LandmarkBasis<double>&, const Samples<double>&, bool, Index, const Run&);
template bool is_harmless<float>(double, double);
template bool is_harmless<double>(double, double);

}  // namespace mercer
