// Kernel values: making, combining, printing, and what the closure rules say of them (M5, M7).
#include <mercer/kernel.hpp>

#include "kernel/catalogue.hpp"
#include "kernel/expression.hpp"
#include "kernel/node.hpp"
#include "kernel/users_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

void check_parameter(const LeafKind& kind, const ParameterSpec& spec, const Gamma& value) {
  const auto fail = [&](const std::string& why) {
    throw Error(ErrorCode::usage, fmt::format("kernel {}: {} {}", kind.name, spec.name, why),
                fmt::format("{} is {}", kind.name, kind.formula));
  };
  if (value.rule == Gamma::Rule::automatic && !spec.takes_auto) fail("cannot be 'auto' here");
  if (value.rule == Gamma::Rule::median && !spec.takes_median) fail("cannot be 'median' here");
  if (value.rule != Gamma::Rule::value) return;
  if (!std::isfinite(value.value)) fail(fmt::format("= {} is not a finite number", value.value));
  if (spec.domain != Domain::any && !(value.value > 0))
    fail(fmt::format("= {} must be positive", value.value));
  if (spec.domain == Domain::positive_integer &&
      (value.value != std::floor(value.value) || value.value > 1000))
    fail(fmt::format("= {} must be a whole number from 1 to 1000", value.value));
}

bool is_sum(const Kernel& k) { return std::holds_alternative<SumKernel>(k.node().value); }

std::string factor_text(const Kernel& k) {
  return is_sum(k) ? fmt::format("({})", k.to_string()) : k.to_string();
}

}  // namespace

std::string print(const Gamma& g) {
  if (g.rule == Gamma::Rule::automatic) return "auto";
  if (g.rule == Gamma::Rule::median) return "median";
  return fmt::format("{}", g.value);
}

Kernel make_leaf(std::string_view name, std::vector<Gamma> parameters) {
  const LeafKind* kind = find_leaf(name);
  for (std::size_t i = 0; i < parameters.size(); ++i)
    check_parameter(*kind, kind->parameters[i], parameters[i]);
  return make_kernel(LeafKernel{kind, std::move(parameters)});
}

Kernel::Kernel() : Kernel(rbf(Gamma::median())) {}
Kernel Kernel::linear() { return make_leaf("linear", {}); }
Kernel Kernel::polynomial(int degree, Gamma gamma, double coef0) {
  return make_leaf("poly", {double(degree), gamma, coef0});
}
Kernel Kernel::rbf(Gamma gamma) { return make_leaf("rbf", {gamma}); }
Kernel Kernel::rbf_sigma(double sigma) {
  if (!(sigma > 0))
    throw Error(ErrorCode::usage, fmt::format("kernel rbf: sigma = {} must be positive", sigma));
  return rbf(1 / (2 * sigma * sigma));
}
Kernel Kernel::laplacian(Gamma gamma) { return make_leaf("laplacian", {gamma}); }
Kernel Kernel::sigmoid(Gamma gamma, double coef0) { return make_leaf("sigmoid", {gamma, coef0}); }
Kernel Kernel::cosine() { return make_leaf("cosine", {}); }
Kernel Kernel::matern32(double length) { return make_leaf("matern32", {length}); }
Kernel Kernel::matern52(double length) { return make_leaf("matern52", {length}); }
Kernel Kernel::rational_quadratic(double length, double alpha) { return make_leaf("rq", {length, alpha}); }
Kernel Kernel::chi2(Gamma gamma) { return make_leaf("chi2", {gamma}); }
Kernel Kernel::additive_chi2() { return make_leaf("additive_chi2", {}); }
Kernel Kernel::precomputed() { return make_kernel(PrecomputedKernel{}); }
Kernel Kernel::expression(std::string formula) {
  const PrimitiveSet needs = primitives_of_formula(formula);
  return make_kernel(ExpressionKernel{std::move(formula), needs});
}
Kernel Kernel::from_tiles(std::string name, TileFunction function) {
  if (!is_users_name(name))
    throw Error(ErrorCode::usage, fmt::format("'{}' is no name for a kernel", name),
                "use letters, digits and _");
  return make_kernel(UserKernel{std::move(name), std::move(function)});
}
Kernel Kernel::from_pairs(std::string name, PairFunction function) {
  return from_tiles(std::move(name), [f = std::move(function)](MatrixView<double> x, MatrixView<double> y,
                                                               MatrixRef<double> k) {
    const auto d = static_cast<std::size_t>(x.cols());
    for (Index i = 0; i < x.rows(); ++i)
      for (Index j = 0; j < y.rows(); ++j)
        k(i, j) = f({x.data() + i * x.outerStride(), d}, {y.data() + j * y.outerStride(), d});
  });
}

/// A precomputed matrix has no rows of samples for another kernel to look at.
void require_no_precomputed(const Kernel& a, const Kernel& b) {
  if (a.is_precomputed() || b.is_precomputed())
    throw Error(ErrorCode::usage, "a precomputed kernel cannot be added to or multiplied by another",
                "combine the matrices beforehand");
}

// Sums and products are flattened and factors pulled to the front, so that equal kernels print alike.

Kernel operator+(const Kernel& a, const Kernel& b) {
  require_no_precomputed(a, b);
  std::vector<Kernel> terms;
  for (const Kernel* k : {&a, &b}) {
    if (const auto* sum = std::get_if<SumKernel>(&k->node().value))
      terms.insert(terms.end(), sum->terms.begin(), sum->terms.end());
    else
      terms.push_back(*k);
  }
  return make_kernel(SumKernel{std::move(terms)});
}

Kernel operator*(const Kernel& a, const Kernel& b) {
  require_no_precomputed(a, b);
  if (const auto* m = std::get_if<MultipleKernel>(&a.node().value)) return m->factor * (m->kernel * b);
  if (const auto* m = std::get_if<MultipleKernel>(&b.node().value)) return m->factor * (a * m->kernel);
  std::vector<Kernel> factors;
  for (const Kernel* k : {&a, &b}) {
    if (const auto* p = std::get_if<ProductKernel>(&k->node().value))
      factors.insert(factors.end(), p->factors.begin(), p->factors.end());
    else
      factors.push_back(*k);
  }
  return make_kernel(ProductKernel{std::move(factors)});
}

Kernel operator*(double factor, const Kernel& k) {
  require_no_precomputed(k, k);
  if (!std::isfinite(factor))
    throw Error(ErrorCode::usage, fmt::format("a kernel cannot be multiplied by {}", factor));
  if (const auto* m = std::get_if<MultipleKernel>(&k.node().value)) return (factor * m->factor) * m->kernel;
  return make_kernel(MultipleKernel{factor, k});
}

std::string Kernel::to_string() const {
  return std::visit(
      Overloaded{
          [](const LeafKernel& leaf) {
            std::string out = fmt::format("{}(", leaf.kind->name);
            for (std::size_t i = 0; i < leaf.parameters.size(); ++i)
              out += fmt::format("{}{}={}", i ? ", " : "", leaf.kind->parameters[i].name,
                                 print(leaf.parameters[i]));
            return out + ")";
          },
          [](const ExpressionKernel& e) { return fmt::format("expr('{}')", e.formula); },
          [](const UserKernel& u) { return fmt::format("user({})", u.name); },
          [](const PrecomputedKernel&) { return std::string("precomputed()"); },
          [](const SumKernel& s) {
            std::vector<std::string> texts;
            for (const Kernel& k : s.terms) texts.push_back(k.to_string());
            return fmt::format("{}", fmt::join(texts, " + "));
          },
          [](const ProductKernel& p) {
            std::vector<std::string> texts;
            for (const Kernel& k : p.factors) texts.push_back(factor_text(k));
            return fmt::format("{}", fmt::join(texts, "*"));
          },
          [](const MultipleKernel& m) { return fmt::format("{}*{}", m.factor, factor_text(m.kernel)); },
      },
      node_->value);
}

Definiteness Kernel::definiteness() const {
  return std::visit(Overloaded{
                        [](const LeafKernel& leaf) {
                          std::vector<double> values;
                          for (const Gamma& g : leaf.parameters)
                            values.push_back(g.rule == Gamma::Rule::value ? g.value : 1);
                          return leaf.kind->definiteness(values);
                        },
                        [](const SumKernel& s) {  // sums keep both properties
                          Definiteness all = Definiteness::psd;
                          for (const Kernel& k : s.terms) all = std::max(all, k.definiteness());
                          return all;
                        },
                        [](const ProductKernel& p) {  // Schur: products keep PSD, nothing else
                          for (const Kernel& k : p.factors)
                            if (k.definiteness() != Definiteness::psd) return Definiteness::unknown;
                          return Definiteness::psd;
                        },
                        [](const MultipleKernel& m) {
                          return m.factor >= 0 ? m.kernel.definiteness() : Definiteness::unknown;
                        },
                        [](const auto&) { return Definiteness::unknown; },
                    },
                    node_->value);
}

bool Kernel::is_precomputed() const { return std::holds_alternative<PrecomputedKernel>(node_->value); }

bool Kernel::is_resolved() const {
  const auto all = [](const std::vector<Kernel>& parts) {
    return std::all_of(parts.begin(), parts.end(), [](const Kernel& k) { return k.is_resolved(); });
  };
  return std::visit(Overloaded{
                        [](const LeafKernel& leaf) {
                          return std::all_of(leaf.parameters.begin(), leaf.parameters.end(),
                                             [](const Gamma& g) { return g.rule == Gamma::Rule::value; });
                        },
                        [&](const SumKernel& s) { return all(s.terms); },
                        [&](const ProductKernel& p) { return all(p.factors); },
                        [](const MultipleKernel& m) { return m.kernel.is_resolved(); },
                        [](const auto&) { return true; },
                    },
                    node_->value);
}

Kernel map_leaves(const Kernel& kernel, const std::function<Kernel(const Kernel&)>& f) {
  return std::visit(Overloaded{
                        [&](const SumKernel& s) {
                          Kernel out = map_leaves(s.terms.front(), f);
                          for (std::size_t i = 1; i < s.terms.size(); ++i)
                            out = out + map_leaves(s.terms[i], f);
                          return out;
                        },
                        [&](const ProductKernel& p) {
                          Kernel out = map_leaves(p.factors.front(), f);
                          for (std::size_t i = 1; i < p.factors.size(); ++i)
                            out = out * map_leaves(p.factors[i], f);
                          return out;
                        },
                        [&](const MultipleKernel& m) { return m.factor * map_leaves(m.kernel, f); },
                        [&](const auto&) { return f(kernel); },
                    },
                    kernel.node().value);
}

Kernel with_user_kernels(const Kernel& kernel, const std::function<Kernel(const std::string&)>& replace) {
  return map_leaves(kernel, [&](const Kernel& leaf) {
    if (const auto* user = std::get_if<UserKernel>(&leaf.node().value)) return replace(user->name);
    return leaf;
  });
}

}  // namespace mercer
