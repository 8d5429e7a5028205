// KernelProfile: f, f′ and f⁻¹ of kernels that look at their points through one number.
#include "kernel/profile.hpp"

#include "kernel/catalogue.hpp"
#include "kernel/elementwise.hpp"
#include "kernel/node.hpp"

#include <cmath>
#include <limits>

namespace mercer {
namespace {

using Values = KernelProfile::Values;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// What a kernel's leaves have in common.
struct Survey {
  bool fits = true;
  std::optional<Primitive> primitive;
  bool linear = true;        ///< linear leaves alone
  double floor = -infinity;  ///< of even powers
  int leaves = 0;

  void leaf(const LeafKernel& leaf) {
    ++leaves;
    const auto name = leaf.kind->name;
    const bool radial = name == "rbf" || name == "matern32" || name == "matern52" || name == "rq";
    if ((!radial && name != "linear" && name != "poly") || (primitive && *primitive != leaf.kind->primitive))
      fits = false;
    primitive = leaf.kind->primitive;
    linear = linear && name == "linear";
    if (name == "poly" && static_cast<int>(leaf.parameters[0].value) % 2 == 0)
      floor = std::max(floor, -leaf.parameters[2].value / leaf.parameters[1].value);
  }

  void visit(const Kernel& kernel) {
    std::visit(Overloaded{
                   [&](const LeafKernel& l) { leaf(l); },
                   [&](const SumKernel& s) {
                     for (const Kernel& k : s.terms) visit(k);
                   },
                   [&](const ProductKernel& p) {
                     for (const Kernel& k : p.factors) visit(k);
                     fits =
                         fits && primitive == Primitive::sqdist;  // of dot products it need not be monotone
                   },
                   [&](const MultipleKernel& m) {
                     fits = fits && m.factor > 0;
                     visit(m.kernel);
                   },
                   [&](const auto&) { fits = false; },
               },
               kernel.node().value);
  }
};

void evaluate_leaf(const LeafKernel& leaf, const Values& t, Values& value, Values& slope) {
  const auto name = leaf.kind->name;
  const auto p = [&](std::size_t i) { return leaf.parameters[i].value; };
  if (name == "linear") {
    value = t;
    slope = Values::Ones(t.size());
  } else if (name == "poly") {
    const Values base = p(1) * t + p(2);
    const Values lower =
        base.unaryExpr([power = static_cast<int>(p(0)) - 1](double b) { return std::pow(b, power); });
    value = lower * base;
    slope = p(0) * p(1) * lower;
  } else if (name == "rbf") {
    value = t;
    elementwise::exp_scaled<double>(value.data(), value.size(), -p(0));
    slope = -p(0) * value;
  } else if (name == "matern32") {
    const Values r = (3 * t).sqrt() / p(0), e = (-r).exp();
    value = (1 + r) * e;
    slope = -1.5 / (p(0) * p(0)) * e;
  } else if (name == "matern52") {
    const Values r = (5 * t).sqrt() / p(0), e = (-r).exp();
    value = (1 + r + r.square() / 3) * e;
    slope = -5 / (6 * p(0) * p(0)) * (1 + r) * e;
  } else {  // rq
    const Values base = 1 + t / (2 * p(1) * p(0) * p(0));
    value = base.pow(-p(1));
    slope = -0.5 / (p(0) * p(0)) * value / base;
  }
}

void evaluate_at(const Kernel& kernel, const Values& t, Values& value, Values& slope) {
  std::visit(Overloaded{
                 [&](const LeafKernel& leaf) { evaluate_leaf(leaf, t, value, slope); },
                 [&](const SumKernel& s) {
                   evaluate_at(s.terms.front(), t, value, slope);
                   Values v, d;
                   for (std::size_t i = 1; i < s.terms.size(); ++i) {
                     evaluate_at(s.terms[i], t, v, d);
                     value += v;
                     slope += d;
                   }
                 },
                 [&](const ProductKernel& p) {
                   evaluate_at(p.factors.front(), t, value, slope);
                   Values v, d;
                   for (std::size_t i = 1; i < p.factors.size(); ++i) {
                     evaluate_at(p.factors[i], t, v, d);
                     slope = slope * v + value * d;
                     value *= v;
                   }
                 },
                 [&](const MultipleKernel& m) {
                   evaluate_at(m.kernel, t, value, slope);
                   value *= m.factor;
                   slope *= m.factor;
                 },
                 [](const auto&) {},
             },
             kernel.node().value);
}

}  // namespace

std::optional<KernelProfile> KernelProfile::of(const Kernel& kernel) {
  if (!kernel.is_resolved()) return std::nullopt;
  Survey survey;
  survey.visit(kernel);
  if (!survey.fits || !survey.primitive) return std::nullopt;
  KernelProfile out(kernel, *survey.primitive);
  out.linear_ = survey.linear && out.primitive_ == Primitive::dot;
  out.floor_ = out.of_distance() ? 0 : survey.floor;
  out.even_ = !out.of_distance() && survey.leaves == 1 && std::isfinite(survey.floor);
  return out;
}

void KernelProfile::evaluate(const Values& at, Values& value, Values& slope) const {
  evaluate_at(kernel_, at, value, slope);
}

double KernelProfile::operator()(double at) const {
  Values value, slope;
  evaluate_at(kernel_, Values::Constant(1, at), value, slope);
  return value[0];
}

double KernelProfile::inverse(double wanted) const {
  const double sign = of_distance() ? -1 : 1;  // sign·f grows
  const auto short_of = [&](double t) { return sign * (*this)(t) < sign * wanted; };
  double low = floor_, high = 1;
  if (of_distance()) wanted = std::max(wanted, 1e-12 * (*this)(0));  // f never reaches 0
  if (std::isinf(low)) {
    low = -1;
    while (!short_of(low) && low > -1e100) low *= 2;
  }
  if (!short_of(low)) return low;
  high = std::max(1.0, low + 1);
  while (short_of(high) && high < 1e100) high = low + 2 * (high - low);
  for (int i = 0; i < 200 && high - low > 4e-16 * std::max(std::abs(low), std::abs(high)); ++i) {
    const double middle = low + (high - low) / 2;
    (short_of(middle) ? low : high) = middle;
  }
  return low + (high - low) / 2;
}

}  // namespace mercer
