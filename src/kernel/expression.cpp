// Formula kernels through muParser.
#include "kernel/expression.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>
#include <muParser.h>

namespace mercer {
namespace {

constexpr const char* usable =
    "write it with dot, sqdist, l1dist, numbers and functions such as exp, sqrt, abs";

[[noreturn]] void fail(const std::string& formula, const mu::Parser::exception_type& e) {
  throw Error(ErrorCode::usage, fmt::format("kernel expr('{}'): {}", formula, e.GetMsg()), usable);
}

}  // namespace

struct FormulaEvaluator::Impl {
  mu::Parser parser;
  double dot = 0, sqdist = 0, l1dist = 0;
};

FormulaEvaluator::FormulaEvaluator(const std::string& formula) : impl_(std::make_unique<Impl>()) {
  if (formula.find_first_of("'\n") != std::string::npos)
    throw Error(ErrorCode::usage, fmt::format("kernel expr: {} cannot hold a quote or a line break", formula),
                usable);
  try {
    impl_->parser.DefineVar("dot", &impl_->dot);
    impl_->parser.DefineVar("sqdist", &impl_->sqdist);
    impl_->parser.DefineVar("l1dist", &impl_->l1dist);
    impl_->parser.SetExpr(formula);
    impl_->parser.Eval();  // compiles the formula, so that errors come now
  } catch (const mu::Parser::exception_type& e) {
    fail(formula, e);
  }
}

FormulaEvaluator::~FormulaEvaluator() = default;
FormulaEvaluator::FormulaEvaluator(FormulaEvaluator&&) noexcept = default;

void FormulaEvaluator::evaluate(const double* dot, const double* sqdist, const double* l1dist, double* out,
                                Index n) {
  try {
    for (Index i = 0; i < n; ++i) {
      if (dot) impl_->dot = dot[i];
      if (sqdist) impl_->sqdist = sqdist[i];
      if (l1dist) impl_->l1dist = l1dist[i];
      out[i] = impl_->parser.Eval();
    }
  } catch (const mu::Parser::exception_type& e) {
    fail(impl_->parser.GetExpr(), e);
  }
}

PrimitiveSet primitives_of_formula(const std::string& formula) {
  FormulaEvaluator check(formula);  // throws what is wrong with it
  mu::Parser parser;
  double unused = 0;
  parser.DefineVar("dot", &unused);
  parser.DefineVar("sqdist", &unused);
  parser.DefineVar("l1dist", &unused);
  parser.SetExpr(formula);
  PrimitiveSet needs;
  for (const auto& [name, pointer] : parser.GetUsedVar()) {
    if (name == "dot") needs |= Primitive::dot;
    if (name == "sqdist") needs |= Primitive::sqdist;
    if (name == "l1dist") needs |= Primitive::l1dist;
  }
  return needs;
}

}  // namespace mercer
