// Scaling<T>: how it is called, applied and undone. It is taken from the moments of the columns.
#include <mercer/error.hpp>
#include <mercer/scaling.hpp>

#include "data/column_moments.hpp"

#include <fmt/format.h>

#include <cmath>

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
  if (kind == Scale::none) return {};
  if (samples.rows() == 0) throw Error(ErrorCode::bad_data, "no samples to take the scaling from");
  ColumnMoments moments(samples.cols());
  moments.add(samples);
  return moments.scaling<T>(kind);
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
