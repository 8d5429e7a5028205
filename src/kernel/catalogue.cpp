// The catalogue of named kernels: formula, parameters, what is known of each without data (M5, M7).
#include "kernel/catalogue.hpp"

#include "kernel/elementwise.hpp"

#include <array>

namespace mercer {
namespace {

using Parameters = std::span<const double>;

Definiteness always_psd(Parameters) { return Definiteness::psd; }
Definiteness never_known(Parameters) { return Definiteness::unknown; }
/// (γ x·y + c)^p expands into products of Gram matrices with positive coefficients if c ≥ 0.
Definiteness polynomial_definiteness(Parameters p) {
  return p[2] >= 0 ? Definiteness::psd : Definiteness::unknown;
}
/// −Σ(x−y)²/(x+y) is conditionally positive definite (mission row M7).
Definiteness conditionally_psd(Parameters) { return Definiteness::conditional; }

double never_steep(Parameters) { return 0; }
double gamma_of(Parameters p) { return p[0]; }
double polynomial_steepness(Parameters p) { return p[1]; }
double matern_steepness(Parameters p) { return 5 / (p[0] * p[0]); }
double rational_quadratic_steepness(Parameters p) { return 1 / (2 * p[1] * p[0] * p[0]); }

template <class T>
void identity(T*, Index, Parameters) {}
template <class T>
void polynomial(T* x, Index n, Parameters p) {
  elementwise::power_affine<T>(x, n, T(p[1]), T(p[2]), static_cast<int>(p[0]));
}
template <class T>
void exponential(T* x, Index n, Parameters p) {
  elementwise::exp_scaled<T>(x, n, T(-p[0]));
}
template <class T>
void sigmoid(T* x, Index n, Parameters p) {
  elementwise::tanh_affine<T>(x, n, T(p[0]), T(p[1]));
}
template <class T>
void matern32(T* x, Index n, Parameters p) {
  elementwise::matern32<T>(x, n, T(1 / p[0]));
}
template <class T>
void matern52(T* x, Index n, Parameters p) {
  elementwise::matern52<T>(x, n, T(1 / p[0]));
}
template <class T>
void rational_quadratic(T* x, Index n, Parameters p) {
  elementwise::rational_quadratic<T>(x, n, T(1 / (2 * p[1] * p[0] * p[0])), T(p[1]));
}
template <class T>
void negated(T* x, Index n, Parameters) {
  elementwise::scale<T>(x, n, T(-1));
}

#define MERCER_BOTH(f) f<double>, f<float>

const std::vector<LeafKind>& table() {
  const ParameterSpec length{"length", 1.0, Domain::positive};
  static const std::vector<LeafKind> kinds{
      {"linear", "x·y", Primitive::dot, {}, always_psd, never_steep, MERCER_BOTH(identity)},
      {"poly",
       "(gamma x·y + coef0)^degree",
       Primitive::dot,
       {{"degree", 3.0, Domain::positive_integer}, {"gamma", 1.0, Domain::positive, true}, {"coef0", 1.0}},
       polynomial_definiteness,
       polynomial_steepness,
       MERCER_BOTH(polynomial)},
      {"rbf",
       "exp(−gamma ‖x−y‖²)",
       Primitive::sqdist,
       {{"gamma", Gamma::median(), Domain::positive, true, true}},
       always_psd,
       gamma_of,
       MERCER_BOTH(exponential)},
      {"laplacian",
       "exp(−gamma ‖x−y‖₁)",
       Primitive::l1dist,
       {{"gamma", Gamma::median(), Domain::positive, true, true}},
       always_psd,
       never_steep,
       MERCER_BOTH(exponential)},
      {"sigmoid",
       "tanh(gamma x·y + coef0)",
       Primitive::dot,
       {{"gamma", Gamma::automatic(), Domain::positive, true}, {"coef0", 1.0}},
       never_known,
       gamma_of,
       MERCER_BOTH(sigmoid)},
      {"cosine", "x·y / ‖x‖‖y‖", Primitive::cosine, {}, always_psd, never_steep, MERCER_BOTH(identity)},
      {"matern32",
       "(1 + √3 r/length) exp(−√3 r/length)",
       Primitive::sqdist,
       {length},
       always_psd,
       matern_steepness,
       MERCER_BOTH(matern32)},
      {"matern52",
       "(1 + √5 r/length + 5r²/3length²) exp(−√5 r/length)",
       Primitive::sqdist,
       {length},
       always_psd,
       matern_steepness,
       MERCER_BOTH(matern52)},
      {"rq",
       "(1 + r²/(2 alpha length²))^−alpha",
       Primitive::sqdist,
       {length, {"alpha", 1.0, Domain::positive}},
       always_psd,
       rational_quadratic_steepness,
       MERCER_BOTH(rational_quadratic)},
      {"chi2",
       "exp(−gamma Σ(x−y)²/(x+y))",
       Primitive::chi2,
       {{"gamma", 1.0, Domain::positive, true, true}},
       always_psd,
       gamma_of,
       MERCER_BOTH(exponential)},
      {"additive_chi2",
       "−Σ(x−y)²/(x+y)",
       Primitive::chi2,
       {},
       conditionally_psd,
       never_steep,
       MERCER_BOTH(negated)},
  };
  return kinds;
}

#undef MERCER_BOTH

}  // namespace

std::span<const LeafKind> catalogue() { return table(); }

const LeafKind* find_leaf(std::string_view name) {
  if (name == "gaussian") name = "rbf";
  if (name == "polynomial") name = "poly";
  if (name == "rational_quadratic") name = "rq";
  for (const LeafKind& kind : table())
    if (kind.name == name) return &kind;
  return nullptr;
}

}  // namespace mercer
