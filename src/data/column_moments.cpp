// Moments of a chunk of rows in two passes, then merged with those before.
#include "data/column_moments.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {
namespace {

constexpr int least_exponent = -1022;  // 2^1022 is a number

template <class T>
Eigen::VectorXi exponents_of(const typename Samples<T>::DenseView& m) {
  Vector<double> largest = Vector<double>::Zero(m.cols());
  for (Index i = 0; i < m.rows(); ++i)
    largest = largest.cwiseMax(m.row(i).transpose().template cast<double>().cwiseAbs());
  Eigen::VectorXi out(m.cols());
  for (Index j = 0; j < m.cols(); ++j) {
    (void)std::frexp(largest[j], &out[j]);
    out[j] = largest[j] > 0 ? std::max(out[j], least_exponent) : least_exponent;
  }
  return out;
}

[[noreturn]] void refuse_width(Index column, double sigma) {
  throw Error(ErrorCode::bad_data,
              fmt::format("column {} varies by {:.3g} only, and 1/{:.3g} is beyond the range of numbers",
                          column, sigma, sigma),
              "columns count from 0; choose another unit for it");
}

}  // namespace

template <class T>
void refuse_sparse(const Samples<T>& samples) {
  if (samples.is_sparse())
    throw Error(ErrorCode::usage, "scaling sparse data would fill in its zeros",
                "leave --scale none: PCA and kernel PCA centre by themselves, without filling in");
}

ColumnMoments::ColumnMoments(Index columns)
    : exponents_(Eigen::VectorXi::Constant(columns, least_exponent)),
      mean_(Vector<double>::Zero(columns)),
      squares_(Vector<double>::Zero(columns)) {}

template <class T>
void ColumnMoments::add(const Samples<T>& rows) {
  refuse_sparse(rows);
  if (rows.rows() == 0) return;
  const auto m = rows.dense();
  const Eigen::VectorXi exponents = exponents_of<T>(m).cwiseMax(exponents_);
  Vector<double> powers(m.cols());
  for (Index j = 0; j < m.cols(); ++j) {
    powers[j] = std::ldexp(1.0, -exponents[j]);
    mean_[j] = std::ldexp(mean_[j], exponents_[j] - exponents[j]);
    squares_[j] = std::ldexp(squares_[j], 2 * (exponents_[j] - exponents[j]));
  }
  exponents_ = exponents;
  const auto row = [&](Index i) -> Vector<double> {
    return m.row(i).transpose().template cast<double>().cwiseProduct(powers);
  };
  // About the first row, so that the mean of a constant column is its value to the bit.
  const Vector<double> first = row(0);
  Vector<double> mean = Vector<double>::Zero(m.cols());
  for (Index i = 1; i < m.rows(); ++i) mean += row(i) - first;
  const auto before = double(count_), here = double(m.rows());
  mean = first + mean / here;
  for (Index i = 0; i < m.rows(); ++i) squares_ += (row(i) - mean).cwiseAbs2();
  const Vector<double> apart = mean - mean_;
  squares_ += apart.cwiseAbs2() * (before * here / (before + here));
  mean_ += apart * (here / (before + here));
  count_ += m.rows();
}

template <class T>
Scaling<T> ColumnMoments::scaling(Scale kind) const {
  Scaling<T> out;
  out.kind = kind;
  if (kind == Scale::none) return out;
  const auto n = double(count_);
  out.shift.resize(mean_.size());
  for (Index j = 0; j < mean_.size(); ++j) out.shift[j] = std::ldexp(mean_[j], exponents_[j]);
  if (kind == Scale::center) return out;
  out.factor.resize(mean_.size());
  for (Index j = 0; j < mean_.size(); ++j) {
    const double sigma = std::sqrt(squares_[j] / n);
    // A constant column leaves only the rounding error of its mean: n·ε·|mean| at most.
    const double rounding = n * std::numeric_limits<double>::epsilon() * std::abs(mean_[j]);
    out.factor[j] = sigma > rounding ? std::ldexp(1 / sigma, -exponents_[j]) : 1;
    if (!std::isfinite(out.factor[j])) refuse_width(j, std::ldexp(sigma, exponents_[j]));
  }
  return out;
}

#define MERCER_INSTANTIATE(T)                          \
  template void refuse_sparse(const Samples<T>&);      \
  template void ColumnMoments::add(const Samples<T>&); \
  template Scaling<T> ColumnMoments::scaling(Scale) const;
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
