// What a Kernel is made of: leaves from the catalogue, formulas, user functions, and the ways to
// combine them. A node is immutable and shared.
#pragma once

#include <mercer/kernel.hpp>

#include "kernel/primitive.hpp"

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mercer {

struct LeafKind;  // kernel/catalogue.hpp

/// A kernel of the catalogue with its parameters (numbers, or rules that need the data).
struct LeafKernel {
  const LeafKind* kind;
  std::vector<Gamma> parameters;
};
struct ExpressionKernel {
  std::string formula;
  PrimitiveSet needs;
};
struct UserKernel {
  std::string name;
  Kernel::TileFunction tiles;  ///< empty when only the name is known (parsed from a model file)
};
struct PrecomputedKernel {};
struct SumKernel {
  std::vector<Kernel> terms;
};
struct ProductKernel {
  std::vector<Kernel> factors;
};
struct MultipleKernel {
  double factor;
  Kernel kernel;
};

struct KernelNode {
  std::variant<LeafKernel, ExpressionKernel, UserKernel, PrecomputedKernel, SumKernel, ProductKernel,
               MultipleKernel>
      value;
};

/// std::visit with one lambda a case.
template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

/// As it is written in a kernel's or basis' text.
[[nodiscard]] std::string print(const Gamma& g);

[[nodiscard]] Kernel make_leaf(std::string_view name, std::vector<Gamma> parameters);
[[nodiscard]] Kernel make_kernel(auto value) {
  return Kernel(std::make_shared<const KernelNode>(KernelNode{std::move(value)}));
}

/// The same sum of products with each part that is not a combination replaced by f(part).
[[nodiscard]] Kernel map_leaves(const Kernel& kernel, const std::function<Kernel(const Kernel&)>& f);
/// The kernel with every user kernel replaced by `replace(name)`.
[[nodiscard]] Kernel with_user_kernels(const Kernel& kernel,
                                       const std::function<Kernel(const std::string&)>& replace);

}  // namespace mercer
