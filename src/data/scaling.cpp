// Scaling<T>: column means and 1/σ, taken in double by passes over the rows. Each column is brought near 1 by
// a power of two first, so that neither its sum nor its squares leave the range of numbers.
#include <mercer/error.hpp>
#include <mercer/scaling.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {

std::string_view name_of(Scale scale) {
  switch (scale) {
    case Scale::none:
      return "none";
    case Scale::center:
      return "center";
    case Scale::standardize:
      return "standardize";
  }
  return "none";
}

Scale parse_scale(std::string_view name) {
  for (const Scale scale : {Scale::none, Scale::center, Scale::standardize})
    if (name == name_of(scale)) return scale;
  throw Error(ErrorCode::usage, fmt::format("unknown scaling '{}'", name), "none, center or standardize");
}

namespace {

template <class T>
void refuse_sparse(const Samples<T>& samples) {
  if (samples.is_sparse())
    throw Error(ErrorCode::usage, "scaling sparse data would fill in its zeros",
                "leave --scale none: PCA and kernel PCA centre by themselves, without filling in");
}

/// A column as x = 2^exponent · value, |value| < 1.
template <class T>
Eigen::VectorXi exponents_of(const MatrixView<T>& m) {
  Vector<double> largest = Vector<double>::Zero(m.cols());
  for (Index i = 0; i < m.rows(); ++i)
    largest = largest.cwiseMax(m.row(i).transpose().template cast<double>().cwiseAbs());
  Eigen::VectorXi out(m.cols());
  for (Index j = 0; j < m.cols(); ++j) {
    (void)std::frexp(largest[j], &out[j]);
    out[j] = std::max(out[j], -1022);  // 2^1022 is a number
  }
  return out;
}

[[noreturn]] void refuse_width(Index column, double sigma) {
  throw Error(ErrorCode::bad_data,
              fmt::format("column {} varies by {:.3g} only, and 1/{:.3g} is beyond the range of numbers",
                          column, sigma, sigma),
              "columns count from 0; choose another unit for it");
}

template <class T>
void require_finite_result(const Matrix<T>& scaled) {
  if (scaled.allFinite()) return;
  for (Index i = 0; i < scaled.rows(); ++i)
    for (Index j = 0; j < scaled.cols(); ++j)
      if (!std::isfinite(double(scaled(i, j))))
        throw Error(
            ErrorCode::bad_data,
            fmt::format("row {}, column {} cannot be scaled: the result is {}", i, j, scaled(i, j)),
            "rows and columns count from 0; a value so far from the others is beyond the range of numbers");
}

}  // namespace

template <class T>
Scaling<T> Scaling<T>::fit(Scale kind, const Samples<T>& samples) {
  Scaling out;
  out.kind = kind;
  if (kind == Scale::none) return out;
  refuse_sparse(samples);
  if (samples.rows() == 0) throw Error(ErrorCode::bad_data, "no samples to take the scaling from");
  const auto m = samples.dense();
  const auto n = static_cast<double>(m.rows());
  const Eigen::VectorXi exponents = exponents_of<T>(m);
  Vector<double> powers(m.cols());
  for (Index j = 0; j < m.cols(); ++j) powers[j] = std::ldexp(1.0, -exponents[j]);
  const auto row = [&](Index i) -> Vector<double> {
    return m.row(i).transpose().template cast<double>().cwiseProduct(powers);
  };
  Vector<double> mean = Vector<double>::Zero(m.cols());
  for (Index i = 0; i < m.rows(); ++i) mean += row(i);
  mean /= n;
  out.shift.resize(m.cols());
  for (Index j = 0; j < m.cols(); ++j) out.shift[j] = std::ldexp(mean[j], exponents[j]);
  if (kind == Scale::center) return out;

  Vector<double> squares = Vector<double>::Zero(m.cols());
  for (Index i = 0; i < m.rows(); ++i) squares += (row(i) - mean).cwiseAbs2();
  out.factor.resize(m.cols());
  for (Index j = 0; j < m.cols(); ++j) {
    const double sigma = std::sqrt(squares[j] / n);
    // A constant column leaves only the rounding error of its mean: n·ε·|mean| at most.
    const double rounding = n * std::numeric_limits<double>::epsilon() * std::abs(mean[j]);
    out.factor[j] = sigma > rounding ? std::ldexp(1 / sigma, -exponents[j]) : 1;
    if (!std::isfinite(out.factor[j])) refuse_width(j, std::ldexp(sigma, exponents[j]));
  }
  return out;
}

template <class T>
Samples<T> Scaling<T>::apply(const Samples<T>& samples) const {
  if (kind == Scale::none) return samples;
  refuse_sparse(samples);
  if (samples.cols() != shift.size())
    throw Error(ErrorCode::bad_data, fmt::format("{} features, expected {}", samples.cols(), shift.size()));
  const auto m = samples.dense();
  Matrix<T> out(m.rows(), m.cols());
  for (Index i = 0; i < m.rows(); ++i) {
    const auto centred = m.row(i).template cast<double>() - shift.transpose();
    if (kind == Scale::center)
      out.row(i) = centred.template cast<T>();
    else if (centred.allFinite())
      out.row(i) = centred.cwiseProduct(factor.transpose()).template cast<T>();
    else  // the difference alone leaves the range of numbers
      out.row(i) = (m.row(i).template cast<double>() / 2 - shift.transpose() / 2)
                       .cwiseProduct(2 * factor.transpose())
                       .template cast<T>();
  }
  require_finite_result(out);
  return out;
}

template <class T>
Matrix<T> Scaling<T>::undo(Matrix<T> rows) const {
  if (kind == Scale::none) return rows;
  if (rows.cols() != shift.size())
    throw Error(ErrorCode::bad_data, fmt::format("{} features, expected {}", rows.cols(), shift.size()));
  for (Index i = 0; i < rows.rows(); ++i)
    for (Index j = 0; j < rows.cols(); ++j) {
      const double x = static_cast<double>(rows(i, j)) / (kind == Scale::standardize ? factor[j] : 1.0);
      rows(i, j) = static_cast<T>(x + shift[j]);
    }
  return rows;
}

template struct Scaling<float>;
template struct Scaling<double>;

}  // namespace mercer
