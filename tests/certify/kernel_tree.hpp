// A kernel as a tree of named leaves, sums, products and multiples, evaluated from its formula in long
// double. Written anew from the documentation's table: what is on trial must not judge itself.
#pragma once

#include <Eigen/Core>

#include <string>
#include <vector>

namespace certify {

using Real = long double;
using RealMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using RealVector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

struct KernelTree {
  enum class Kind { leaf, sum, product, multiple };
  Kind kind = Kind::leaf;
  std::string name = "rbf";
  std::vector<double> parameters = {1};  ///< of a leaf, in the order of the catalogue
  std::string width = {};                ///< "median" or "auto" where gamma is left to the data
  double factor = 1;                     ///< of a multiple
  std::vector<KernelTree> parts = {};

  [[nodiscard]] std::string to_string() const;
  /// Names of the leaves, in order.
  void leaves(std::vector<std::string>& out) const;
  [[nodiscard]] bool has(const std::string& leaf) const;
  [[nodiscard]] bool has_width_of_data() const;
  /// What the kernel promises without looking at data: true where every Gram matrix is positive semidefinite.
  [[nodiscard]] bool is_psd() const;
  /// The same tree with the numbers that a fitted model prints in place of median and auto.
  [[nodiscard]] KernelTree resolved_as(const std::string& printed) const;
};

/// The shortest text that reads as this number.
[[nodiscard]] std::string number(double value);

/// k(x_i, y_j) for all rows.
[[nodiscard]] RealMatrix evaluate(const KernelTree& kernel, const RealMatrix& x, const RealMatrix& y);
/// How large rounding to relative 1 makes k(x_i, y_j), to first order: |k| and what its argument adds.
[[nodiscard]] RealMatrix sensitivity(const KernelTree& kernel, const RealMatrix& x, const RealMatrix& y);
/// HKH (or K) on the rows of x. Kernels of inner products are summed and centred in 113 bits where the rows
/// lie far from the origin, since their values are then much larger than what is left of them.
[[nodiscard]] RealMatrix centered_gram(const KernelTree& kernel, const RealMatrix& x, bool center,
                                       RealMatrix* raw);

}  // namespace certify
