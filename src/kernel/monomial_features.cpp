// All monomials x^α = Πx_i^α_i with |α| ≤ p. With α₀ = p − |α| the multinomial theorem says
//
//     (γ x·y + c)^p = Σ_α p!/(α₀! α₁! … α_d!) c^α₀ γ^|α| x^α y^α,
//
// so the weight of x^α is the root of its coefficient (seed 004 stops at p = 2). Each monomial is an earlier
// one times one variable: one product a function.
#include "kernel/basis_parts.hpp"
#include "kernel/feature_map.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace mercer {
namespace {

std::string raised(const std::string& variable, Index power) {
  static constexpr std::array<const char*, 10> digits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out = variable;
  if (power > 1)
    for (const char digit : fmt::format("{}", power)) out += digits.at(static_cast<std::size_t>(digit - '0'));
  return out;
}

class MonomialFeatures final : public FeatureFamily {
 public:
  MonomialFeatures(const MonomialPart& part, Index d) {
    const int p = part.degree;
    std::vector<double> coefficient{1};  // p!/(α₀! α₁! …): times α₀ over the new α_i from parent to child
    std::vector<std::int32_t> repeats{0};
    products_.push_back({-1, -1});
    degrees_.push_back(0);
    std::size_t from = 0;
    for (int degree = 1; degree <= p; ++degree) {
      const std::size_t to = products_.size();
      if (degree == p && part.weighted && part.coef0 == 0) first_ = static_cast<Index>(to);
      for (std::size_t parent = from; parent < to; ++parent)
        for (auto v = std::max<std::int32_t>(0, products_[parent].variable); v < d; ++v) {
          const std::int32_t repeat = v == products_[parent].variable ? repeats[parent] + 1 : 1;
          coefficient.push_back(coefficient[parent] * (p - degree + 1) / repeat);
          repeats.push_back(repeat);
          products_.push_back({static_cast<std::int32_t>(parent), v});
          degrees_.push_back(static_cast<std::int16_t>(degree));
        }
      from = to;
    }
    if (!part.weighted) return;
    weights_.resize(static_cast<Index>(products_.size()));
    for (std::size_t j = 0; j < products_.size(); ++j) {
      const int degree = degrees_[j];
      const double square = coefficient[j] * std::pow(part.gamma, degree) * std::pow(part.coef0, p - degree);
      if (!std::isfinite(square))
        throw Error(ErrorCode::usage, fmt::format("the weights of degree {} are too large for a number", p),
                    "lower the degree");
      weights_[static_cast<Index>(j)] = std::sqrt(square);
    }
  }

  [[nodiscard]] Index count() const override { return all() - first_; }

  void evaluate(const MatrixView<double>& x, double* out, Index stride) const override {
    std::vector<double> scratch(first_ > 0 ? products_.size() : 0);
    for (Index i = 0; i < x.rows(); ++i) {
      double* values = first_ > 0 ? scratch.data() : out + i * stride;
      values[0] = 1;
      for (std::size_t j = 1; j < products_.size(); ++j)
        values[j] = values[products_[j].parent] * x(i, products_[j].variable);
      Eigen::Map<Vector<double>> phi(out + i * stride, count());
      if (first_ > 0) phi = Eigen::Map<const Vector<double>>(values + first_, count());
      if (weights_.size() > 0) phi.array() *= weights_.tail(count()).array();
    }
  }

  [[nodiscard]] std::string name(Index j, std::span<const std::string> variables) const override {
    std::string out;
    auto at = static_cast<std::int32_t>(first_ + j);
    while (at > 0) {  // the last variable first
      const std::int32_t v = products_[static_cast<std::size_t>(at)].variable;
      Index power = 0;
      for (; at > 0 && products_[static_cast<std::size_t>(at)].variable == v; ++power)
        at = products_[static_cast<std::size_t>(at)].parent;
      const std::string factor = raised(variables[static_cast<std::size_t>(v)], power);
      out = out.empty() ? factor : factor + "·" + out;
    }
    return out.empty() ? "1" : out;
  }
  [[nodiscard]] double weight(Index j) const override {
    return weights_.size() > 0 ? weights_[first_ + j] : 1;
  }
  [[nodiscard]] Index degree(Index j) const override {
    return degrees_[static_cast<std::size_t>(first_ + j)];
  }
  [[nodiscard]] bool follows_shift() const override { return first_ == 0; }

  /// (x − c)^β = (x − c)^parent · (x_v − c_v); its coefficients are products: Π C(β_i, γ_i)(−c_i)^(β_i−γ_i).
  [[nodiscard]] Block<double> from_shifted(const InputShift& shift) const override {
    const Index m = all();
    Block<double> out = Block<double>::Zero(m, m);
    out(0, 0) = 1;
    const std::vector<std::int32_t> times = products_with_variables(shift.center.size());
    for (Index j = 1; j < m; ++j) {
      const Product& p = products_[static_cast<std::size_t>(j)];
      const double radius = shift.radius[p.variable], down = -shift.center[p.variable] / radius;
      for (Index i = 0; i < j; ++i) {
        const double coefficient = out(i, p.parent);
        if (coefficient == 0) continue;
        out(i, j) += down * coefficient;
        out(times[static_cast<std::size_t>(i * shift.center.size() + p.variable)], j) += coefficient / radius;
      }
    }
    if (weights_.size() > 0)
      out = (weights_.cwiseInverse().asDiagonal() * out * weights_.asDiagonal()).eval();
    return out;
  }

 private:
  struct Product {
    std::int32_t parent, variable;
  };
  /// x^α·x_v by their places, for all α but those of the highest degree.
  [[nodiscard]] std::vector<std::int32_t> products_with_variables(Index d) const {
    std::vector<std::int32_t> times(products_.size() * static_cast<std::size_t>(d), -1);
    const auto at = [&](std::int32_t j, Index v) -> std::int32_t& {
      return times[static_cast<std::size_t>(j * d + v)];
    };
    for (std::size_t j = 1; j < products_.size(); ++j)  // variables of a product stand in their order
      at(products_[j].parent, products_[j].variable) = static_cast<std::int32_t>(j);
    for (std::size_t j = 1; j < products_.size(); ++j) {
      if (degrees_[j] == degrees_.back()) break;
      for (std::int32_t v = 0; v < products_[j].variable; ++v)
        at(static_cast<std::int32_t>(j), v) = at(at(products_[j].parent, v), products_[j].variable);
    }
    return times;
  }
  [[nodiscard]] Index all() const { return static_cast<Index>(products_.size()); }

  std::vector<Product> products_;  ///< by degree; the first is 1
  std::vector<std::int16_t> degrees_;
  Vector<double> weights_;  ///< empty: all 1
  Index first_ = 0;         ///< those before have no weight and are steps on the way only
};

}  // namespace

double monomial_count(const MonomialPart& part, Index d) {
  const bool highest_only = part.weighted && part.coef0 == 0;
  double count = 1;  // C(d + p, p), or C(d − 1 + p, p)
  for (int i = 1; i <= part.degree; ++i)
    count = count * (double(d) - (highest_only ? 1 : 0) + double(i)) / double(i);
  return std::round(count);
}

std::unique_ptr<FeatureFamily> make_family(const MonomialPart& part, Index d) {
  return std::make_unique<MonomialFeatures>(part, d);
}

}  // namespace mercer
