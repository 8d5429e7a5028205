// Drawing frequencies from spectral densities, and evaluating features by GEMM and vectorised sin and cos.
#include "kernel/random_features.hpp"

#include "base/linalg.hpp"
#include "base/parallel.hpp"
#include "base/random.hpp"
#include "kernel/catalogue.hpp"
#include "kernel/node.hpp"
#include "kernel/sincos.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

namespace mercer {
namespace {

using Parameters = std::span<const double>;
constexpr std::uint64_t frequency_stream = 0x6f6d656761ULL << 20, direction_stream = 0x68616172ULL << 20;

/// Gamma(shape, 1) by Marsaglia and Tsang 2000; below 1 by Γ(a) = Γ(a + 1) U^{1/a}.
double gamma_variate(Random& random, double shape) {
  if (shape < 1) return gamma_variate(random, shape + 1) * std::pow(random.uniform(), 1 / shape);
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = random.normal(), root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    if (std::log(random.uniform()) < x * x / 2 + d * (1 - v + std::log(v))) return d * v;
  }
}

/// Student's t is a normal variable over √(χ²/ν).
double student_scale(Random& random, int degrees) {
  double chi_squared = 0;
  for (int i = 0; i < degrees; ++i) {
    const double g = random.normal();
    chi_squared += g * g;
  }
  return std::sqrt(degrees / chi_squared);
}

/// The isotropic kernels are mixtures of Gaussians: ω = s·g with g standard normal and s drawn anew each
/// time. The Laplacian is not: its ω has independent Cauchy coordinates.
struct SpectralDensity {
  std::string_view name;
  double (*scale)(Random& random, Parameters p);  ///< draws s; null: Cauchy with scale p[0]
};
constexpr std::array<SpectralDensity, 5> densities{{
    {"rbf", [](Random&, Parameters p) { return std::sqrt(2 * p[0]); }},
    {"laplacian", nullptr},
    {"matern32", [](Random& random, Parameters p) { return student_scale(random, 3) / p[0]; }},
    {"matern52", [](Random& random, Parameters p) { return student_scale(random, 5) / p[0]; }},
    // (1 + r²/2αℓ²)^−α = E exp(−τr²/2), τ ~ Gamma(α, 1)/αℓ²
    {"rq", [](Random& random, Parameters p) { return std::sqrt(gamma_variate(random, p[1]) / p[1]) / p[0]; }},
}};

struct Factor {
  const SpectralDensity* density;
  std::vector<double> parameters;
};
/// weight · Π κ_i, each κ_i(0) = 1. A product of kernels adds their frequencies.
struct Term {
  double weight = 1;
  std::vector<Factor> factors;
};

[[noreturn]] void refuse(const Kernel& part) {
  throw Error(ErrorCode::usage, fmt::format("there are no random features for {}", part.to_string()),
              "rbf, laplacian, matern32, matern52 and rq have them, and so have their positive multiples, "
              "sums and products");
}

std::vector<Term> product_of(const std::vector<Term>& a, const std::vector<Term>& b) {
  constexpr std::size_t too_many = 4096;
  if (a.size() * b.size() > too_many)
    throw Error(ErrorCode::usage, "the kernel is a product of too many sums for random features",
                "multiply it out to a few terms");
  std::vector<Term> out;
  for (const Term& left : a)
    for (const Term& right : b) {
      Term both{left.weight * right.weight, left.factors};
      both.factors.insert(both.factors.end(), right.factors.begin(), right.factors.end());
      out.push_back(std::move(both));
    }
  return out;
}

/// The kernel multiplied out.
std::vector<Term> terms_of(const Kernel& kernel) {
  return std::visit(Overloaded{
                        [&](const LeafKernel& leaf) -> std::vector<Term> {
                          const auto* found =
                              std::find_if(densities.begin(), densities.end(),
                                           [&](const auto& s) { return s.name == leaf.kind->name; });
                          if (found == densities.end()) refuse(kernel);
                          Factor factor{found, {}};
                          for (const Gamma& p : leaf.parameters) factor.parameters.push_back(p.value);
                          return {Term{1, {std::move(factor)}}};
                        },
                        [&](const SumKernel& sum) {
                          std::vector<Term> out;
                          for (const Kernel& part : sum.terms)
                            for (Term& term : terms_of(part)) out.push_back(std::move(term));
                          return out;
                        },
                        [&](const ProductKernel& product) {
                          std::vector<Term> out{Term{}};
                          for (const Kernel& part : product.factors) out = product_of(out, terms_of(part));
                          return out;
                        },
                        [&](const MultipleKernel& multiple) {
                          if (!(multiple.factor > 0)) refuse(kernel);
                          std::vector<Term> out = terms_of(multiple.kernel);
                          for (Term& term : out) term.weight *= multiple.factor;
                          return out;
                        },
                        [&](const auto&) -> std::vector<Term> { refuse(kernel); },
                    },
                    kernel.node().value);
}

/// Frequencies for each term: one at least, the rest in proportion to the weights, since the variance
/// Σ w²/m is then smallest.
std::vector<Index> shares_of(const std::vector<Term>& terms, Index total) {
  double left = 0;
  for (const Term& term : terms) left += term.weight;
  Index rest = total - static_cast<Index>(terms.size());
  std::vector<Index> out;
  for (const Term& term : terms) {
    const double share = std::clamp(term.weight / left, 0.0, 1.0);
    const Index more = &term == &terms.back() ? rest : std::llround(double(rest) * share);
    out.push_back(1 + more);
    rest -= more;
    left -= term.weight;
  }
  return out;
}

/// One ω, written to a row: s·g with s² = Σ s_i² (a sum of normals is normal), and the Cauchy part (a sum
/// of Cauchy variables is one). `direction`: replaces that of g.
void draw_frequency(const Term& term, Random random, const double* direction, double* omega, Index d) {
  double scale_squared = 0, cauchy = 0;
  for (const Factor& factor : term.factors) {
    if (!factor.density->scale) {
      cauchy += factor.parameters[0];
    } else {
      const double s = factor.density->scale(random, factor.parameters);
      scale_squared += s * s;
    }
  }
  Eigen::Map<Vector<double>> w(omega, d);
  w.setZero();
  if (scale_squared > 0) {
    for (Index j = 0; j < d; ++j) w[j] = random.normal();
    if (direction) w = w.norm() * Eigen::Map<const Vector<double>>(direction, d);
    w *= std::sqrt(scale_squared);
  }
  if (cauchy > 0)
    for (Index j = 0; j < d; ++j) w[j] += cauchy * std::tan(std::numbers::pi * (random.uniform() - 0.5));
}

/// `count` ≤ d orthonormal columns, each direction equally likely (Q of a Gaussian matrix).
Block<double> random_directions(Index d, Index count, Random random) {
  Block<double> out(d, count);
  for (Index c = 0; c < count; ++c)
    for (Index j = 0; j < d; ++j) out(j, c) = random.normal();
  (void)linalg::qr<double>(out);
  return out;
}

}  // namespace

void require_random_features(const Kernel& kernel, Index count) {
  const auto terms = static_cast<Index>(terms_of(kernel).size());
  if (count < 2 * terms || count % 2 != 0)
    throw Error(ErrorCode::usage, fmt::format("{} random features for kernel {}", count, kernel.to_string()),
                fmt::format("they come in pairs of cosine and sine: an even number, at least {}", 2 * terms));
}

bool has_orthogonal_features(const Kernel& kernel) {
  const std::vector<Term> terms = terms_of(kernel);
  return std::any_of(terms.begin(), terms.end(), [](const Term& term) {
    return std::any_of(term.factors.begin(), term.factors.end(),
                       [](const Factor& f) { return f.density->scale != nullptr; });
  });
}

template <class T>
RandomFeatures<T>::RandomFeatures(Matrix<T> frequencies, Vector<T> amplitudes, Vector<double> origin)
    : frequencies_(std::move(frequencies)), amplitudes_(std::move(amplitudes)), origin_(std::move(origin)) {}

template <class T>
RandomFeatures<T> RandomFeatures<T>::about(Vector<double> origin) const {
  RandomFeatures out = *this;
  out.origin_ = std::move(origin);
  return out;
}

template <class T>
RandomFeatures<T> RandomFeatures<T>::draw(const Kernel& kernel, Index d, Index count, bool orthogonal,
                                          const Run& run) {
  require_random_features(kernel, count);
  if (!kernel.is_resolved())
    throw Error(ErrorCode::internal, "kernel " + kernel.to_string() + " is not resolved");
  const std::vector<Term> terms = terms_of(kernel);
  const std::vector<Index> shares = shares_of(terms, count / 2);
  struct Work {  // at most d frequencies of one term
    const Term* term;
    Index first, size;
  };
  std::vector<Work> blocks;
  Vector<T> amplitudes(count / 2);
  Index first = 0;
  for (std::size_t t = 0; t < terms.size(); ++t) {
    amplitudes.segment(first, shares[t]).setConstant(T(std::sqrt(terms[t].weight / double(shares[t]))));
    for (const Index end = first + shares[t]; first < end;) {
      blocks.push_back({&terms[t], first, std::min(d, end - first)});
      first += blocks.back().size;
    }
  }
  Matrix<T> frequencies(d, count / 2);
  parallel_for(static_cast<Index>(blocks.size()), run, [&](Index b) {
    const Work& work = blocks[static_cast<std::size_t>(b)];
    Block<double> directions;
    if (orthogonal)
      directions = random_directions(
          d, work.size, Random(run.seed, direction_stream + static_cast<std::uint64_t>(work.first)));
    Vector<double> omega(d);
    for (Index i = 0; i < work.size; ++i) {
      const Index j = work.first + i;
      draw_frequency(*work.term, Random(run.seed, frequency_stream + static_cast<std::uint64_t>(j)),
                     orthogonal ? directions.col(i).data() : nullptr, omega.data(), d);
      frequencies.col(j) = (omega / (2 * std::numbers::pi)).template cast<T>();
    }
  });
  return RandomFeatures(std::move(frequencies), std::move(amplitudes), {});
}

template <class T>
void RandomFeatures<T>::evaluate(const Samples<T>& points, T* out) const {
  const Index d = dimension(), m = frequencies_.cols(), rows = points.rows();
  if (points.is_sparse() && origin_.size() == 0) {
    const auto x = points.sparse();
    for (Index i = 0; i < rows; ++i) {
      Eigen::Map<Vector<T>> turns(out + i * 2 * m, m);
      turns.setZero();
      for (auto p = x.outerIndexPtr()[i]; p < x.outerIndexPtr()[i + 1]; ++p)
        turns += x.valuePtr()[p] * frequencies_.row(x.innerIndexPtr()[p]).transpose();
    }
  } else {
    Matrix<T> moved;
    const T* x = nullptr;
    Index stride = d;
    if (origin_.size() > 0 || points.is_sparse()) {
      moved = points.to_dense();
      if (origin_.size() > 0)
        moved = (moved.template cast<double>().rowwise() - origin_.transpose()).template cast<T>();
      x = moved.data();
    } else {
      x = points.dense().data();
      stride = points.dense().outerStride();
    }
    // Row-major X Ω is column-major Ωᵀ Xᵀ.
    linalg::gemm<T>(linalg::Transpose::no, linalg::Transpose::no, m, rows, d, 1, frequencies_.data(), m, x,
                    std::max(stride, d), 0, out, 2 * m);
  }
  for (Index i = 0; i < rows; ++i) {
    T* z = out + i * 2 * m;
    elementwise::sincos_turns<T>(z, amplitudes_.data(), z, z + m, m);
  }
}

template <class T>
void RandomFeatures<T>::evaluate(const Samples<T>& points, T* out, const Run& run) const {
  constexpr Index part = 128;
  parallel_for((points.rows() + part - 1) / part, run, [&](Index p) {
    const Index first = p * part;
    evaluate(points.middle_rows(first, std::min(part, points.rows() - first)), out + first * count());
  });
}

template class RandomFeatures<float>;
template class RandomFeatures<double>;

}  // namespace mercer
