// Basis values: making, joining, printing, and taking from the data what they need of it (M6).
#include <mercer/basis.hpp>

#include "base/parallel.hpp"
#include "kernel/basis_parts.hpp"
#include "kernel/catalogue.hpp"
#include "kernel/feature_map.hpp"
#include "kernel/landmarks.hpp"
#include "kernel/node.hpp"
#include "kernel/primitives.hpp"
#include "kernel/users_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& cure) {
  throw Error(ErrorCode::usage, "basis " + what, cure);
}

Basis single(auto part) { return Basis(std::vector<BasisPart>{BasisPart{std::move(part)}}); }

void require_degree(const char* name, int degree) {
  if (degree < 1 || degree > 1000)
    refuse(fmt::format("{}: degree = {} must be a whole number from 1 to 1000", name, degree),
           fmt::format("{}(degree=2)", name));
}

void require_gamma(const Gamma& gamma) {
  if (gamma.rule == Gamma::Rule::value && !(gamma.value > 0 && std::isfinite(gamma.value)))
    refuse(fmt::format("radial: gamma = {} must be positive", gamma.value), "bumps are exp(−gamma ‖x−c‖²)");
}

std::string print(const Matrix<double>& rows) {
  std::string out;
  for (Index i = 0; i < rows.rows(); ++i) {
    if (i > 0) out += "; ";
    for (Index j = 0; j < rows.cols(); ++j) out += fmt::format("{}{}", j > 0 ? " " : "", rows(i, j));
  }
  return out;
}

std::string print(const BasisPart& part) {
  return std::visit(
      Overloaded{
          [](const MonomialPart& p) {
            return p.weighted ? fmt::format("poly(degree={}, gamma={}, coef0={})", p.degree, p.gamma, p.coef0)
                              : fmt::format("monomials(degree={})", p.degree);
          },
          [](const RadialPart& p) {
            return p.given ? fmt::format("radial(centers='{}', gamma={})", print(*p.centers), print(p.gamma))
                           : fmt::format("radial(count={}, gamma={})", p.count, print(p.gamma));
          },
          [](const CosinePart& p) { return fmt::format("cosines(count={}, length={})", p.count, p.length); },
          [](const FourierPart& p) {
            return fmt::format("fourier(count={}, kernel='{}', kind={})", p.count, p.kernel.to_string(),
                               p.orthogonal ? "orthogonal" : "fourier");
          },
          [](const FormulaPart& p) { return fmt::format("functions('{}')", fmt::join(p.formulas, "', '")); },
          [](const UserPart& p) { return fmt::format("user({})", p.name); },
      },
      part.value);
}

template <class T>
BasisPart resolved_part(const BasisPart& part, const Samples<T>& samples, const Run& run) {
  BasisPart out = part;
  if (auto* p = std::get_if<RadialPart>(&out.value)) {
    const Kernel width = Kernel::rbf(p->gamma).resolved(samples, run.seed);
    p->gamma = std::get<LeafKernel>(width.node().value).parameters.at(0);
    if (!p->centers) {
      if (p->count > samples.rows())
        refuse(fmt::format("radial: {} centres of {} rows", p->count, samples.rows()),
               "centres are rows of the data: ask for no more than there are");
      const auto rows = samples.select_rows(uniform_rows(samples.rows(), p->count, run.seed, 7));
      p->centers = std::make_shared<const Matrix<double>>(rows.to_dense().template cast<double>());
    }
  }
  if (auto* p = std::get_if<FourierPart>(&out.value); p && !p->map) {
    p->kernel = p->kernel.resolved(samples, run.seed);
    const SteadyRun steady(run);
    p->map = std::make_shared<const RandomFeatures<double>>(
        RandomFeatures<double>::draw(p->kernel, samples.cols(), p->count, p->orthogonal, steady)
            .about(distance_shift(samples)));
  }
  return out;
}

}  // namespace

std::string known_bases() {
  return "poly(degree=2, gamma=1, coef0=1), monomials(degree=2), radial(count=20, gamma=median), "
         "radial(centers='0 0; 1 1'), cosines(count=3, length=1), fourier(count=100, kernel='rbf'), "
         "functions('x1^2', 'sin(x2)')";
}

Basis::Basis(std::vector<BasisPart> parts)
    : parts_(std::make_shared<const std::vector<BasisPart>>(std::move(parts))) {}
Basis::Basis() : Basis(polynomial(2)) {}

Basis Basis::polynomial(int degree, double gamma, double coef0) {
  require_degree("poly", degree);
  if (!(gamma > 0 && std::isfinite(gamma)))
    refuse(fmt::format("poly: gamma = {} must be positive", gamma), "φ(x)·φ(y) = (gamma x·y + coef0)^degree");
  if (!(coef0 >= 0 && std::isfinite(coef0)))
    refuse(fmt::format("poly: coef0 = {} must be 0 or more", coef0),
           "with a negative coef0 (gamma x·y + coef0)^degree is no inner product: it has no feature map");
  return single(MonomialPart{degree, true, gamma, coef0});
}
Basis Basis::monomials(int degree) {
  require_degree("monomials", degree);
  return single(MonomialPart{degree, false, 1, 1});
}
Basis Basis::radial_at(Matrix<double> centers, Gamma gamma) {
  require_gamma(gamma);
  if (centers.size() == 0 || !centers.allFinite())
    refuse("radial: there must be a centre, of finite numbers", "radial(centers='0 0; 1 1')");
  const Index count = centers.rows();
  return single(RadialPart{count, gamma, true, std::make_shared<const Matrix<double>>(std::move(centers))});
}
Basis Basis::radial(Index count, Gamma gamma) {
  require_gamma(gamma);
  if (count < 1) refuse(fmt::format("radial: count = {} must be at least 1", count), "radial(count=20)");
  return single(RadialPart{count, gamma, false, nullptr});
}
Basis Basis::cosines(Index count, double length) {
  if (count < 1) refuse(fmt::format("cosines: count = {} must be at least 1", count), "cosines(count=3)");
  if (!(length > 0 && std::isfinite(length)))
    refuse(fmt::format("cosines: length = {} must be positive", length), "cosines are cos(jπ x/length)");
  return single(CosinePart{count, length});
}
Basis Basis::fourier(Index count, Kernel kernel, bool orthogonal) {
  require_random_features(kernel, count);
  return single(FourierPart{count, std::move(kernel), orthogonal, nullptr});
}
Basis Basis::formulas(std::vector<std::string> formulas) {
  if (formulas.empty()) refuse("functions: there are none", "functions('x1^2', 'sin(x2)')");
  for (const std::string& text : formulas) {
    if (text.find_first_of("'\"\n") != std::string::npos)
      refuse(fmt::format("function {} holds a quote or a line break", text), "leave it out");
    require_readable(text);
  }
  return single(FormulaPart{std::move(formulas)});
}
Basis Basis::from_functions(std::string name, std::vector<std::string> names, Functions functions) {
  if (!is_users_word(name))
    refuse(fmt::format("'{}' is no name for functions", name), "use letters, digits and _");
  if (names.empty() || !functions)
    refuse(fmt::format("user({}) has no functions", name), "give their names and a callback");
  return single(UserPart{std::move(name), std::move(names), std::move(functions)});
}

std::string Basis::to_string() const {
  std::string out;
  for (const BasisPart& part : *parts_) out += (out.empty() ? "" : " + ") + print(part);
  return out;
}

Basis operator+(const Basis& a, const Basis& b) {
  std::vector<BasisPart> parts = a.parts();
  parts.insert(parts.end(), b.parts().begin(), b.parts().end());
  return Basis(std::move(parts));
}

bool Basis::is_resolved() const {
  return std::all_of(parts_->begin(), parts_->end(), [](const BasisPart& part) {
    if (const auto* p = std::get_if<RadialPart>(&part.value))
      return p->centers && p->gamma.rule == Gamma::Rule::value;
    if (const auto* p = std::get_if<FourierPart>(&part.value)) return p->map != nullptr;
    return true;
  });
}

template <class T>
Basis Basis::resolved(const Samples<T>& samples, const Run& run) const {
  std::vector<BasisPart> parts;
  for (const BasisPart& part : *parts_) parts.push_back(resolved_part(part, samples, run));
  return Basis(std::move(parts));
}

double Basis::count(Index d) const {
  double sum = 0;
  for (const BasisPart& part : *parts_)
    sum += std::visit(Overloaded{
                          [&](const MonomialPart& p) { return monomial_count(p, d); },
                          [&](const RadialPart& p) { return double(p.count); },
                          [&](const CosinePart& p) { return double(p.count) * double(d); },
                          [&](const FourierPart& p) { return double(p.count); },
                          [&](const FormulaPart& p) { return double(p.formulas.size()); },
                          [&](const UserPart& p) { return double(p.names.size()); },
                      },
                      part.value);
  return sum;
}

std::vector<std::string> Basis::names(Index d, const std::vector<std::string>& variables) const {
  if (!variables.empty() && static_cast<Index>(variables.size()) != d)
    throw Error(ErrorCode::usage, fmt::format("{} names for {} features", variables.size(), d));
  const FeatureMap map(*this, d);
  std::vector<std::string> out;
  for (Index j = 0; j < map.count(); ++j) out.push_back(map.name(j, variables));
  return out;
}

template <class T>
Matrix<double> Basis::evaluate(const Samples<T>& samples, const Run& run) const {
  const FeatureMap map(*this, samples.cols());
  Matrix<double> out(samples.rows(), map.count());
  map.evaluate(samples, out.data(), run);
  return out;
}

std::optional<Kernel> Basis::kernel() const {
  std::optional<Kernel> sum;
  for (const BasisPart& part : *parts_) {
    const auto* p = std::get_if<MonomialPart>(&part.value);
    if (!p || !p->weighted) return std::nullopt;
    const Kernel k = Kernel::polynomial(p->degree, p->gamma, p->coef0);
    sum = sum ? *sum + k : k;
  }
  return sum;
}

#define MERCER_INSTANTIATE(T)                                          \
  template Basis Basis::resolved(const Samples<T>&, const Run&) const; \
  template Matrix<double> Basis::evaluate(const Samples<T>&, const Run&) const;
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
