// Φ̃ = Φ − 1μᵀ, Φ_ir = φ_r(x_i), a block of rows at a time (row M6): Φ (n x m) itself is never held. The two
// symmetric problems of PCA on basis functions, Φ̃ᵀΦ̃ (m x m) and Φ̃Φ̃ᵀ (n x n), formed or applied.
#pragma once

#include <mercer/samples.hpp>
#include <mercer/symmetric_operator.hpp>

#include "kernel/feature_map.hpp"
#include "operator/feature_moments.hpp"
#include "operator/scatter_operator.hpp"

#include <optional>

namespace mercer {

/// Results are the same for any number of threads, if `run` is a SteadyRun's.
template <class T>
class FeatureRows {
 public:
  /// The map must outlive this.
  FeatureRows(const FeatureMap& map, Samples<T> points) : map_(map), points_(std::move(points)) {}
  /// Of functions of η, for the families that follow a shift.
  FeatureRows(const FeatureMap& map, Samples<T> points, InputShift shift)
      : map_(map), points_(std::move(points)), shift_(std::move(shift)) {}

  [[nodiscard]] Index rows() const { return points_.rows(); }
  [[nodiscard]] Index features() const { return map_.count(); }
  /// Rows of Φ held at a time, and what two such blocks take.
  [[nodiscard]] static Index block_rows(Index n, double m);
  [[nodiscard]] static double block_bytes(Index n, double m) { return 16 * m * double(block_rows(n, m)); }

  [[nodiscard]] Vector<double> mean(const Run& run) const;
  /// Root mean square of each function.
  [[nodiscard]] Vector<double> sizes(const Run& run) const;
  /// Count, mean and Φ̃ᵀΦ̃ in one pass.
  [[nodiscard]] FeatureMoments moments(bool center, const Run& run) const;
  /// Σ‖φ(x_i) − μ‖²
  [[nodiscard]] double total(const Vector<double>& mean, const Run& run) const;
  /// Φ̃ V: n x b from m x b.
  [[nodiscard]] Block<double> times(const Vector<double>& mean, const BlockView<double>& v,
                                    const Run& run) const;
  /// Φ̃ᵀ W: m x b from n x b.
  [[nodiscard]] Block<double> transposed_times(const Vector<double>& mean, const BlockView<double>& w,
                                               const Run& run) const;
  /// R of Φ̃ = QR, upper triangular (Demmel et al. 2012, TSQR): it has Φ̃'s own digits, of which the products
  /// in Φ̃ᵀΦ̃ keep half.
  [[nodiscard]] Block<double> triangle(const Vector<double>& mean, const Run& run) const;
  /// Φ̃Φ̃ᵀ, both triangles.
  [[nodiscard]] Block<double> gram(const Vector<double>& mean, const Run& run) const;

 private:
  /// Rows [first, first + count) of Φ̃ into `out`.
  void evaluate(const Vector<double>& mean, Index first, Index count, double* out, const Run& run) const;
  /// visit(first row, number of rows, values), one block after the other.
  template <class Visit>
  void for_each_block(const Vector<double>& mean, const Run& run, const Visit& visit) const;

  const FeatureMap& map_;
  Samples<T> points_;
  std::optional<InputShift> shift_;
};

/// Φ̃ᵀΦ̃ or Φ̃Φ̃ᵀ applied: every product evaluates the functions anew.
template <class T>
class FeatureRowsOperator final : public SymmetricOperator<double> {
 public:
  FeatureRowsOperator(const FeatureRows<T>& rows, Vector<double> mean, Side side, const Run& run);

  [[nodiscard]] std::optional<double> trace() const override { return trace_; }

 private:
  void do_apply(const BlockView<double>& v, BlockRef<double> y, const Run& run) const override;

  const FeatureRows<T>& rows_;
  Vector<double> mean_;
  Side side_;
  double trace_;
};

}  // namespace mercer
