// A kernel as a function of one number: k(x, y) = f(‖x−y‖²) or f(x·y), with its slope and its inverse. What
// pre-images need: the fixed point weighs by f′, the distance method goes from k back to distances.
#pragma once

#include <mercer/kernel.hpp>

#include "kernel/primitive.hpp"

#include <optional>

namespace mercer {

class KernelProfile {
 public:
  using Values = Eigen::Array<double, Eigen::Dynamic, 1>;

  /// Of ‖x−y‖²: rbf, matern32, matern52, rq, their positive multiples, sums and products; f falls from f(0)
  /// to 0. Of x·y: linear, poly, their positive multiples and sums; f grows from floor() on. Else nothing.
  static std::optional<KernelProfile> of(const Kernel& kernel);

  [[nodiscard]] Primitive primitive() const { return primitive_; }
  [[nodiscard]] bool of_distance() const { return primitive_ == Primitive::sqdist; }
  /// c·(x·y): feature space is the input space itself.
  [[nodiscard]] bool is_linear() const { return linear_; }
  /// f and f′ at many places.
  void evaluate(const Values& at, Values& value, Values& slope) const;
  [[nodiscard]] double operator()(double at) const;
  /// Where f has this value. Values that f does not take give the nearest place where it comes close.
  [[nodiscard]] double inverse(double value) const;
  /// The same on the side of floor() where `near` lies: an even power has every value twice.
  [[nodiscard]] double inverse(double value, double near) const {
    const double at = inverse(value);
    return even_ && near < floor_ ? 2 * floor_ - at : at;
  }
  /// The least argument that inverse() gives: 0 for distances; for even powers where their base is 0.
  [[nodiscard]] double floor() const { return floor_; }

 private:
  KernelProfile(Kernel kernel, Primitive primitive) : kernel_(std::move(kernel)), primitive_(primitive) {}

  Kernel kernel_;
  Primitive primitive_;
  bool linear_ = false;
  bool even_ = false;  ///< f(floor + t) = f(floor − t)
  double floor_ = 0;
};

}  // namespace mercer
