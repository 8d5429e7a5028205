// PrimitiveMatrices: the kernel tree evaluated on whole matrices.
#include "kernel/primitive_matrices.hpp"

#include "base/parallel.hpp"
#include "kernel/catalogue.hpp"
#include "kernel/node.hpp"
#include "kernel/primitives.hpp"

namespace mercer {

const Matrix<double>& PrimitiveMatrices::primitive(Primitive primitive) {
  const auto known = primitives_.find(primitive);
  if (known != primitives_.end()) return known->second;
  constexpr Index strip = 64;
  const Index n = samples_.rows();
  const RowSet<double> set = make_row_set(
      samples_, primitive, primitive == Primitive::sqdist ? distance_shift(samples_) : Vector<double>());
  Matrix<double> out(n, n);
  parallel_for((n + strip - 1) / strip, run_, [&](Index part) {
    const Index i0 = part * strip;
    primitive_tile(primitive, set, i0, std::min(strip, n - i0), set, 0, n, out.data() + i0 * n);
  });
  out = (0.5 * (out + out.transpose())).eval();
  return primitives_.emplace(primitive, std::move(out)).first->second;
}

void PrimitiveMatrices::fill(const Kernel& kernel, Matrix<double>& out) {
  std::visit(
      Overloaded{
          [&](const LeafKernel& leaf) {
            std::vector<double> parameters;
            for (const Gamma& g : leaf.parameters) parameters.push_back(g.value);
            out = primitive(leaf.kind->primitive);
            leaf.kind->apply_double(out.data(), out.size(), parameters);
          },
          [&](const SumKernel& sum) {
            fill(sum.terms.front(), out);
            for (std::size_t i = 1; i < sum.terms.size(); ++i) out += this->kernel(sum.terms[i]);
          },
          [&](const ProductKernel& p) {
            fill(p.factors.front(), out);
            for (std::size_t i = 1; i < p.factors.size(); ++i)
              out.array() *= this->kernel(p.factors[i]).array();
          },
          [&](const MultipleKernel& m) {
            fill(m.kernel, out);
            out *= m.factor;
          },
          [&](const auto&) { out = gram<double>(kernel, samples_, run_); },  // formulas, functions, K itself
      },
      kernel.node().value);
}

Matrix<double> PrimitiveMatrices::kernel(const Kernel& kernel) {
  Matrix<double> out;
  fill(kernel, out);
  return out;
}

}  // namespace mercer
