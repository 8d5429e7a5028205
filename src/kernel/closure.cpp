// Mercer's condition by construction: Schölkopf and Smola 2002, chapter 2 and 13; for tanh, Lin and Lin 2003.
#include "kernel/closure.hpp"

#include "kernel/catalogue.hpp"
#include "kernel/node.hpp"

#include <fmt/format.h>

#include <array>

namespace mercer {
namespace {

struct KnownMap {
  std::string_view name, why;
};

/// Why the kernels of the catalogue that are PSD are so; tests/kernel/closure_test.cpp asks for each.
constexpr std::array<KnownMap, 9> known_maps{{
    {"linear", "φ(x) = x"},
    {"poly", "φ(x) = all monomials up to the degree, with multinomial weights: see basis-pca"},
    {"rbf", "φ(x) = cos ωᵀx, sin ωᵀx over Gaussian frequencies ω (Bochner)"},
    {"laplacian", "φ(x) = cos ωᵀx, sin ωᵀx over Cauchy frequencies ω (Bochner)"},
    {"cosine", "φ(x) = x/‖x‖"},
    {"matern32", "φ(x) = cos ωᵀx, sin ωᵀx over Student-t frequencies ω (Bochner)"},
    {"matern52", "φ(x) = cos ωᵀx, sin ωᵀx over Student-t frequencies ω (Bochner)"},
    {"rq", "a mixture of rbf kernels over their widths, each with its φ"},
    {"chi2", "exp(−γ·) of a conditionally negative distance (Schoenberg)"},
}};

std::string leaf_in_words(const LeafKernel& leaf, Definiteness known) {
  if (known == Definiteness::conditional)
    return "conditional: HKH is always PSD, K itself is not (its diagonal is 0)";
  if (known == Definiteness::psd)
    for (const KnownMap& map : known_maps)
      if (map.name == leaf.kind->name) return fmt::format("a kernel: {}", map.why);
  if (leaf.kind->name == "poly") return "not known to be one: coef0 is negative";
  return "not known to be one: it depends on parameters and data";
}

std::string verdict_of(Definiteness known) {
  if (known == Definiteness::psd) return "a kernel";
  return known == Definiteness::conditional ? "conditional" : "not known to be one";
}

void add_lines(const Kernel& kernel, std::size_t indent, std::vector<std::string>& out) {
  const Definiteness known = kernel.definiteness();
  std::string line = std::string(indent, ' ') + kernel.to_string() + ": ";
  std::vector<Kernel> parts;
  std::visit(
      Overloaded{
          [&](const LeafKernel& leaf) { line += leaf_in_words(leaf, known); },
          [&](const SumKernel& sum) {
            parts = sum.terms;
            line += verdict_of(known);
            if (known == Definiteness::psd) line += ": a sum of kernels is one, φ = [φ₁, φ₂, …]";
            if (known == Definiteness::conditional) line += ": HKH of a sum is the sum of the parts' HKH";
            if (known == Definiteness::unknown) line += ": not every part of the sum is known to be one";
          },
          [&](const ProductKernel& product) {
            parts = product.factors;
            line += verdict_of(known);
            line += known == Definiteness::psd
                        ? ": a product of kernels is one (Schur), φ = φ₁ ⊗ φ₂"
                        : ": a product is one only where every factor is, and HKH says nothing of products";
          },
          [&](const MultipleKernel& multiple) {
            parts = {multiple.kernel};
            line += verdict_of(known);
            if (multiple.factor < 0)
              line += ": a negative multiple turns every eigenvalue over";
            else
              line += fmt::format(": a multiple by {} ≥ 0 is what its kernel is, φ = √{} φ₁", multiple.factor,
                                  multiple.factor);
          },
          [&](const ExpressionKernel&) { line += "not known to be one: a formula is judged by the data"; },
          [&](const UserKernel&) { line += "not known to be one: a function is judged by the data"; },
          [&](const PrecomputedKernel&) { line += "a matrix is judged by itself"; },
      },
      kernel.node().value);
  out.push_back(line);
  for (const Kernel& part : parts) add_lines(part, indent + 2, out);
}

void add_other(const Kernel& kernel, std::vector<std::string>& out) {
  std::visit(
      Overloaded{
          [&](const LeafKernel& leaf) {
            if (kernel.definiteness() != Definiteness::unknown) return;
            if (leaf.kind->name == "sigmoid")
              out.emplace_back(
                  "sigmoid: a small gamma with coef0 < 0 is nearly conditional (like rbf); a large coef0 is "
                  "never right; rbf or poly are kernels for all parameters");
            if (leaf.kind->name == "poly") out.emplace_back("poly: coef0 ≥ 0 makes it a kernel");
          },
          [&](const SumKernel& sum) {
            for (const Kernel& k : sum.terms) add_other(k, out);
          },
          [&](const ProductKernel& product) {
            for (const Kernel& k : product.factors) {
              if (k.definiteness() == Definiteness::conditional)
                out.push_back(
                    fmt::format("{}: use exp of it, which is a kernel, in the product", k.to_string()));
              add_other(k, out);
            }
          },
          [&](const MultipleKernel& multiple) {
            if (multiple.factor < 0)
              out.push_back(fmt::format("{}: a positive factor keeps a kernel a kernel", kernel.to_string()));
            add_other(multiple.kernel, out);
          },
          [&](const ExpressionKernel& e) {
            if (e.needs.has(Primitive::sqdist) || e.needs.has(Primitive::l1dist))
              out.emplace_back(
                  "of a distance D, −D is conditional and exp(−gamma D) a kernel for sqdist, sqrt(sqdist) "
                  "and "
                  "l1dist");
          },
          [](const auto&) {},
      },
      kernel.node().value);
}

}  // namespace

std::vector<std::string> closure_in_words(const Kernel& kernel) {
  std::vector<std::string> out;
  add_lines(kernel, 0, out);
  return out;
}

std::vector<std::string> other_parameters(const Kernel& kernel) {
  std::vector<std::string> out;
  add_other(kernel, out);
  return out;
}

}  // namespace mercer
