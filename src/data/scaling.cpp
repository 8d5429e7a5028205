// Scaling<T>: column means and 1/σ, taken in double by two passes over the rows.
#include <mercer/error.hpp>
#include <mercer/scaling.hpp>

#include <fmt/format.h>

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
  Vector<double> sum = Vector<double>::Zero(m.cols());
  for (Index i = 0; i < m.rows(); ++i) sum += m.row(i).transpose().template cast<double>();
  out.shift = sum / n;
  if (kind == Scale::center) return out;

  Vector<double> squares = Vector<double>::Zero(m.cols());
  for (Index i = 0; i < m.rows(); ++i)
    squares += (m.row(i).transpose().template cast<double>() - out.shift).cwiseAbs2();
  out.factor.resize(m.cols());
  for (Index j = 0; j < m.cols(); ++j) {
    const double sigma = std::sqrt(squares[j] / n);
    // A constant column leaves only the rounding error of its mean: n·ε·|mean| at most.
    const double rounding = n * std::numeric_limits<double>::epsilon() * std::abs(out.shift[j]);
    out.factor[j] = sigma > rounding ? 1 / sigma : 1;
    if (!std::isfinite(out.factor[j])) out.factor[j] = 1;
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
    else
      out.row(i) = centred.cwiseProduct(factor.transpose()).template cast<T>();
  }
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
