// Bumps, cosines and random Fourier features.
#include "kernel/basis_parts.hpp"
#include "kernel/feature_map.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace mercer {
namespace {

/// exp(−γ‖x − c_j‖²)
class RadialFeatures final : public FeatureFamily {
 public:
  RadialFeatures(const RadialPart& part, Index d) : centers_(part.centers), gamma_(part.gamma.value) {
    if (centers_->cols() != d)
      throw Error(ErrorCode::usage,
                  fmt::format("the centres of radial have {} coordinates, and the data has {} features",
                              centers_->cols(), d));
  }
  [[nodiscard]] Index count() const override { return centers_->rows(); }
  void evaluate(const MatrixView<double>& x, double* out, Index stride) const override {
    for (Index i = 0; i < x.rows(); ++i)
      for (Index j = 0; j < count(); ++j)
        out[i * stride + j] = std::exp(-gamma_ * (x.row(i) - centers_->row(j)).squaredNorm());
  }
  [[nodiscard]] std::string name(Index j, std::span<const std::string>) const override {
    return fmt::format("bump{}", j + 1);
  }

 private:
  std::shared_ptr<const Matrix<double>> centers_;
  double gamma_;
};

/// cos(jπ x_i/length)
class CosineFeatures final : public FeatureFamily {
 public:
  CosineFeatures(const CosinePart& part, Index d) : part_(part), d_(d) {}
  [[nodiscard]] Index count() const override { return part_.count * d_; }
  void evaluate(const MatrixView<double>& x, double* out, Index stride) const override {
    for (Index i = 0; i < x.rows(); ++i)
      for (Index v = 0; v < d_; ++v)
        for (Index j = 0; j < part_.count; ++j)
          out[i * stride + v * part_.count + j] =
              std::cos(double(j + 1) * std::numbers::pi * (x(i, v) / part_.length));
  }
  [[nodiscard]] std::string name(Index j, std::span<const std::string> variables) const override {
    const Index times = j % part_.count + 1;
    std::string out = fmt::format("cos({}π·{}", times == 1 ? "" : fmt::format("{}", times),
                                  variables[static_cast<std::size_t>(j / part_.count)]);
    return part_.length == 1 ? out + ")" : out + fmt::format("/{:.4g})", part_.length);
  }

 private:
  CosinePart part_;
  Index d_;
};

class FourierFeatures final : public FeatureFamily {
 public:
  FourierFeatures(const FourierPart& part, Index d) : map_(part.map) {
    if (map_->dimension() != d)
      throw Error(ErrorCode::usage,
                  fmt::format("the frequencies of fourier are of {} dimensions, and the data has {} features",
                              map_->dimension(), d));
  }
  [[nodiscard]] Index count() const override { return map_->count(); }
  void evaluate(const MatrixView<double>& x, double* out, Index stride) const override {
    Matrix<double> z(x.rows(), count());
    map_->evaluate(Samples<double>::borrow(x.data(), x.rows(), x.cols(), x.outerStride()), z.data());
    for (Index i = 0; i < x.rows(); ++i) Eigen::Map<Eigen::RowVectorXd>(out + i * stride, count()) = z.row(i);
  }
  [[nodiscard]] std::string name(Index j, std::span<const std::string>) const override {
    const Index half = count() / 2;
    return fmt::format("{}(w{}·x)", j < half ? "cos" : "sin", j % half + 1);
  }
  [[nodiscard]] double weight(Index j) const override { return map_->amplitudes()[j % (count() / 2)]; }

 private:
  std::shared_ptr<const RandomFeatures<double>> map_;
};

}  // namespace

std::unique_ptr<FeatureFamily> make_family(const RadialPart& part, Index d) {
  return std::make_unique<RadialFeatures>(part, d);
}
std::unique_ptr<FeatureFamily> make_family(const CosinePart& part, Index d) {
  return std::make_unique<CosineFeatures>(part, d);
}
std::unique_ptr<FeatureFamily> make_family(const FourierPart& part, Index d) {
  return std::make_unique<FourierFeatures>(part, d);
}

}  // namespace mercer
