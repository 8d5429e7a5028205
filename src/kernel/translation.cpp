// Translation, by the kernel's tree.
#include "kernel/translation.hpp"

#include "kernel/catalogue.hpp"
#include "kernel/node.hpp"

#include <algorithm>

namespace mercer {
namespace {

/// k(x + a, y + a) = k(x, y), for functions of these.
bool of_differences(PrimitiveSet needs) {
  return !needs.has(Primitive::dot) && !needs.has(Primitive::chi2) && !needs.has(Primitive::cosine);
}

bool is_translation_invariant(const Kernel& kernel) {
  const auto all = [](const std::vector<Kernel>& parts) {
    return std::all_of(parts.begin(), parts.end(), is_translation_invariant);
  };
  return std::visit(Overloaded{
                        [](const LeafKernel& leaf) { return of_differences(leaf.kind->primitive); },
                        [](const ExpressionKernel& e) { return of_differences(e.needs); },
                        [&](const SumKernel& s) { return all(s.terms); },
                        [&](const ProductKernel& p) { return all(p.factors); },
                        [](const MultipleKernel& m) { return is_translation_invariant(m.kernel); },
                        [](const auto&) { return false; },
                    },
                    kernel.node().value);
}

}  // namespace

bool centering_removes_translation(const Kernel& kernel) {
  if (is_translation_invariant(kernel) || kernel == Kernel::linear()) return true;
  return std::visit(Overloaded{
                        [](const SumKernel& s) {
                          return std::all_of(s.terms.begin(), s.terms.end(), centering_removes_translation);
                        },
                        [](const MultipleKernel& m) { return centering_removes_translation(m.kernel); },
                        [](const auto&) { return false; },
                    },
                    kernel.node().value);
}

}  // namespace mercer
