// The augmented Lagrangian of unfolding, as a function of the nodes' coordinates X:
//     F(X) = −pull Σ cᵢ‖xᵢ − x̄‖² + Σₗ (wₗ gₗ + ½ρ gₗ²),      gₗ = (‖xᵢ − xⱼ‖² − dₗ²)/dₗ.
// Along a line it is a quartic, whose least place is found exactly. Sums do not depend on the threads.
#pragma once

#include "manifold/mvu_links.hpp"

#include <array>

namespace mercer {

class Tension {
 public:
  Tension(const MvuLinks& links, double pull, double stiffness);

  [[nodiscard]] double stiffness() const { return stiffness_; }
  void stiffen(double factor) { stiffness_ *= factor; }
  /// F and its gradient.
  double gradient(const Matrix<double>& x, Matrix<double>& out, const Run& run) const;
  /// F(X + tP) − F(X) = a₁t + a₂t² + a₃t³ + a₄t⁴; a₀ is not used.
  [[nodiscard]] std::array<double, 5> along(const Matrix<double>& x, const Matrix<double>& p,
                                            const Run& run) const;
  /// wₗ += ρ gₗ.
  void update(const Matrix<double>& x, const Run& run);
  /// Root mean square of (δ − d²)/d².
  [[nodiscard]] double change(const Matrix<double>& x, const Run& run) const;

 private:
  [[nodiscard]] Eigen::RowVectorXd mean(const Matrix<double>& x) const;
  template <class F>
  void each_part(const Run& run, F&& body) const;

  const MvuLinks& links_;
  double pull_, stiffness_;
  std::vector<double> length_;      ///< dₗ of each stored link, twice each
  std::vector<double> multiplier_;  ///< wₗ
};

/// The first t > 0 where a quartic that begins to fall and ends rising is least.
[[nodiscard]] double least_place(const std::array<double, 5>& quartic);

}  // namespace mercer
