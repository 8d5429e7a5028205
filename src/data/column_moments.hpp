// Mean and deviation of each column, in double, from rows that come in chunks (Chan, Golub, LeVeque 1979). A
// column is held as x = 2^exponent · value with |value| < 1, so that neither its sum nor its squares leave
// the range of numbers.
#pragma once

#include <mercer/scaling.hpp>

namespace mercer {

class ColumnMoments {
 public:
  explicit ColumnMoments(Index columns);

  /// Refuses sparse rows: scaling would fill in their zeros.
  template <class T>
  void add(const Samples<T>& rows);
  /// Of the rows so far. Throws Error{bad_data} where 1/σ is no number.
  template <class T>
  [[nodiscard]] Scaling<T> scaling(Scale kind) const;

 private:
  Index count_ = 0;
  Eigen::VectorXi exponents_;
  Vector<double> mean_, squares_;  ///< of the values: their mean, and Σ (value − mean)²
};

/// Throws Error{usage}: sparse data cannot be scaled.
template <class T>
void refuse_sparse(const Samples<T>& samples);

}  // namespace mercer
