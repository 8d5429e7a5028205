// The formulas of the kernels in long double, those of inner products in 113 bits where that matters.
#include "kernel_tree.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace certify {
namespace {

#ifdef __SIZEOF_FLOAT128__
__extension__ using Quad = __float128;
#else
using Quad = long double;  // which has 113 bits where there is no other such type
#endif

/// Sums over the features of a pair of rows; a kernel is a function of them.
struct Pair {
  Real dot = 0, sqdist = 0, l1dist = 0, chi2 = 0, xx = 0, yy = 0;
};

Real power(Real base, int exponent) {
  Real out = 1;
  for (int i = 0; i < exponent; ++i) out *= base;
  return out;
}

Real leaf_value(const KernelTree& k, const Pair& p) {
  const auto& a = k.parameters;
  const auto at = [&](std::size_t i) { return Real(a[i]); };
  if (k.name == "linear") return p.dot;
  if (k.name == "poly") return power(at(1) * p.dot + at(2), int(a[0]));
  if (k.name == "rbf") return std::exp(-at(0) * p.sqdist);
  if (k.name == "laplacian") return std::exp(-at(0) * p.l1dist);
  if (k.name == "sigmoid") return std::tanh(at(0) * p.dot + at(1));
  if (k.name == "cosine") return p.xx > 0 && p.yy > 0 ? p.dot / (std::sqrt(p.xx) * std::sqrt(p.yy)) : Real(0);
  if (k.name == "chi2") return std::exp(-at(0) * p.chi2);
  if (k.name == "additive_chi2") return -p.chi2;
  if (k.name == "rq") return std::pow(1 + p.sqdist / (2 * at(1) * at(0) * at(0)), -at(1));
  const Real r = std::sqrt(p.sqdist) / at(0), s3 = std::sqrt(Real(3)) * r, s5 = std::sqrt(Real(5)) * r;
  if (k.name == "matern32") return (1 + s3) * std::exp(-s3);
  return (1 + s5 + s5 * s5 / 3) * std::exp(-s5);  // matern52
}

Real value(const KernelTree& k, const Pair& p) {
  if (k.kind == KernelTree::Kind::leaf) return leaf_value(k, p);
  if (k.kind == KernelTree::Kind::multiple) return Real(k.factor) * value(k.parts[0], p);
  Real out = value(k.parts[0], p);
  for (std::size_t i = 1; i < k.parts.size(); ++i)
    out = k.kind == KernelTree::Kind::sum ? out + value(k.parts[i], p) : out * value(k.parts[i], p);
  return out;
}

/// Which of the sums are needed.
struct Needs {
  bool sqdist, l1dist, chi2;
  explicit Needs(const KernelTree& k)
      : sqdist(k.has("rbf") || k.has("rq") || k.has("matern32") || k.has("matern52")),
        l1dist(k.has("laplacian")),
        chi2(k.has("chi2") || k.has("additive_chi2")) {}
};

Pair sums(const Needs& needs, const Real* x, const Real* y, Eigen::Index d) {
  Pair p;
  for (Eigen::Index k = 0; k < d; ++k) p.dot += x[k] * y[k];
  if (needs.sqdist)
    for (Eigen::Index k = 0; k < d; ++k) p.sqdist += (x[k] - y[k]) * (x[k] - y[k]);
  if (needs.l1dist)
    for (Eigen::Index k = 0; k < d; ++k) p.l1dist += std::abs(x[k] - y[k]);
  if (needs.chi2)
    for (Eigen::Index k = 0; k < d; ++k)
      if (x[k] + y[k] > 0) p.chi2 += (x[k] - y[k]) * (x[k] - y[k]) / (x[k] + y[k]);
  return p;
}

RealVector norms(const RealMatrix& x) { return x.rowwise().squaredNorm(); }

/// Leaves of inner products in 113 bits, the others in long double.
Quad quad_value(const KernelTree& k, Quad dot, const Pair& p) {
  if (k.kind == KernelTree::Kind::leaf) {
    if (k.name == "linear") return dot;
    if (k.name == "poly") {
      const Quad base = Quad(k.parameters[1]) * dot + Quad(k.parameters[2]);
      Quad out = 1;
      for (int i = 0; i < int(k.parameters[0]); ++i) out *= base;
      return out;
    }
    return leaf_value(k, p);
  }
  if (k.kind == KernelTree::Kind::multiple) return Quad(k.factor) * quad_value(k.parts[0], dot, p);
  Quad out = quad_value(k.parts[0], dot, p);
  for (std::size_t i = 1; i < k.parts.size(); ++i) {
    const Quad next = quad_value(k.parts[i], dot, p);
    out = k.kind == KernelTree::Kind::sum ? out + next : out * next;
  }
  return out;
}

/// Σx_k y_k as if in 113 bits: products of numbers of 53 bits are exact there.
Quad quad_dot(const Real* x, const Real* y, Eigen::Index d) {
  Quad out = 0;
  for (Eigen::Index k = 0; k < d; ++k) out += Quad(x[k]) * Quad(y[k]);
  return out;
}

bool is_far(const RealMatrix& x) {
  const RealVector mean = x.colwise().mean().transpose();
  const Real spread = (x.rowwise() - mean.transpose()).squaredNorm() / Real(x.rows());
  return mean.squaredNorm() > 1e4L * spread;
}

template <class Scalar>
void center(std::vector<Scalar>& k, Eigen::Index n) {
  std::vector<Scalar> means(static_cast<std::size_t>(n), Scalar(0));
  Scalar total = 0;
  for (Eigen::Index i = 0; i < n; ++i) {
    Scalar sum = 0;
    for (Eigen::Index j = 0; j < n; ++j) sum += k[std::size_t(i * n + j)];
    means[std::size_t(i)] = sum / Scalar(Real(n));
    total += means[std::size_t(i)];
  }
  total /= Scalar(Real(n));
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j)
      k[std::size_t(i * n + j)] += total - means[std::size_t(i)] - means[std::size_t(j)];
}

template <class Scalar>
RealMatrix to_real(const std::vector<Scalar>& k, Eigen::Index n) {
  RealMatrix out(n, n);
  for (Eigen::Index i = 0; i < n * n; ++i) out.data()[i] = Real(k[std::size_t(i)]);
  return out;
}

template <class Scalar, class Value>
RealMatrix gram_of(const KernelTree& kernel, const RealMatrix& x, bool centered, RealMatrix* raw,
                   const Value& value_of) {
  const Eigen::Index n = x.rows(), d = x.cols();
  const Needs needs(kernel);
  const RealVector squares = norms(x);
  std::vector<Scalar> k(std::size_t(n * n));
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j <= i; ++j) {
      const Real *a = x.data() + i * d, *b = x.data() + j * d;
      Pair p = sums(needs, a, b, d);
      p.xx = squares[i], p.yy = squares[j];
      k[std::size_t(i * n + j)] = k[std::size_t(j * n + i)] = value_of(p, a, b);
    }
  if (raw) *raw = to_real(k, n);
  if (centered) center(k, n);
  return to_real(k, n);
}

template <class F>
RealMatrix for_pairs(const KernelTree& kernel, const RealMatrix& x, const RealMatrix& y, const F& f) {
  const Needs needs(kernel);
  const RealVector xx = norms(x), yy = norms(y);
  RealMatrix out(x.rows(), y.rows());
  for (Eigen::Index i = 0; i < x.rows(); ++i)
    for (Eigen::Index j = 0; j < y.rows(); ++j) {
      Pair p = sums(needs, x.data() + i * x.cols(), y.data() + j * y.cols(), x.cols());
      p.xx = xx[i], p.yy = yy[j];
      out(i, j) = f(p, i, j);
    }
  return out;
}

}  // namespace

std::string number(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string KernelTree::to_string() const {
  if (kind == Kind::multiple) {
    const bool brackets = parts[0].kind == Kind::sum;
    return number(factor) + "*" + (brackets ? "(" : "") + parts[0].to_string() + (brackets ? ")" : "");
  }
  std::string out;
  if (kind != Kind::leaf) {
    for (const KernelTree& part : parts) {
      const bool brackets = kind == Kind::product && part.kind == Kind::sum;
      if (!out.empty()) out += kind == Kind::sum ? " + " : "*";
      out += (brackets ? "(" : "") + part.to_string() + (brackets ? ")" : "");
    }
    return out;
  }
  const std::vector<std::string> none, gamma{"gamma"}, length{"length"}, poly{"degree", "gamma", "coef0"},
      sigmoid{"gamma", "coef0"}, rq{"length", "alpha"};
  const auto& names = name == "poly"                                                    ? poly
                      : name == "sigmoid"                                               ? sigmoid
                      : name == "rq"                                                    ? rq
                      : name == "matern32" || name == "matern52"                        ? length
                      : name == "linear" || name == "cosine" || name == "additive_chi2" ? none
                                                                                        : gamma;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool left = !width.empty() && names[i] == "gamma";
    out += (i ? ", " : "") + names[i] + "=" + (left ? width : number(parameters[i]));
  }
  return name + "(" + out + ")";
}

void KernelTree::leaves(std::vector<std::string>& out) const {
  if (kind == Kind::leaf) out.push_back(name);
  for (const KernelTree& part : parts) part.leaves(out);
}

bool KernelTree::has(const std::string& leaf) const {
  std::vector<std::string> all;
  leaves(all);
  return std::find(all.begin(), all.end(), leaf) != all.end();
}

bool KernelTree::has_width_of_data() const {
  if (!width.empty()) return true;
  return std::any_of(parts.begin(), parts.end(), [](const KernelTree& p) { return p.has_width_of_data(); });
}

bool KernelTree::is_psd() const {
  if (kind == Kind::multiple) return factor >= 0 && parts[0].is_psd();
  if (kind != Kind::leaf)
    return std::all_of(parts.begin(), parts.end(), [](const KernelTree& p) { return p.is_psd(); });
  if (name == "poly") return parameters[2] >= 0;
  return name != "sigmoid" && name != "additive_chi2";
}

KernelTree KernelTree::resolved_as(const std::string& printed) const {
  std::size_t at = 0;
  const auto fill = [&](const auto& self, KernelTree& k) -> void {
    if (k.kind == Kind::leaf) {
      at = printed.find(k.name + "(", at);
      if (at == std::string::npos) return;
      if (!k.width.empty()) {
        const std::size_t gamma = printed.find("gamma=", at);
        if (gamma != std::string::npos)
          k.parameters[k.name == "poly" ? 1 : 0] = std::strtod(printed.c_str() + gamma + 6, nullptr);
        k.width.clear();
      }
      at += k.name.size();
    }
    for (KernelTree& part : k.parts) self(self, part);
  };
  KernelTree out = *this;
  fill(fill, out);
  return out;
}

RealMatrix evaluate(const KernelTree& kernel, const RealMatrix& x, const RealMatrix& y) {
  return for_pairs(kernel, x, y, [&](const Pair& p, auto, auto) { return value(kernel, p); });
}

RealMatrix sensitivity(const KernelTree& kernel, const RealMatrix& x, const RealMatrix& y) {
  const RealVector middle = y.colwise().mean().transpose();
  const RealVector from_x = norms(x.rowwise() - middle.transpose()),
                   from_y = norms(y.rowwise() - middle.transpose());
  const RealVector sum_x = x.cwiseAbs().rowwise().sum(), sum_y = y.cwiseAbs().rowwise().sum();
  const Real step = 0x1p-30L;
  return for_pairs(kernel, x, y, [&](const Pair& p, Eigen::Index i, Eigen::Index j) {
    Pair moved = p;
    moved.dot += step * std::sqrt(p.xx) * std::sqrt(p.yy);
    moved.sqdist += step * (from_x[i] + from_y[j]);
    moved.l1dist += step * (sum_x[i] + sum_y[j]);
    moved.chi2 += step * (sum_x[i] + sum_y[j]);
    const Real here = value(kernel, p);
    return std::abs(here) + std::abs(value(kernel, moved) - here) / step;
  });
}

RealMatrix centered_gram(const KernelTree& kernel, const RealMatrix& x, bool center, RealMatrix* raw) {
  const bool products = kernel.has("linear") || kernel.has("poly");
  if (products && is_far(x))
    return gram_of<Quad>(kernel, x, center, raw, [&](const Pair& p, const Real* a, const Real* b) {
      return quad_value(kernel, quad_dot(a, b, x.cols()), p);
    });
  return gram_of<Real>(kernel, x, center, raw,
                       [&](const Pair& p, const Real*, const Real*) { return value(kernel, p); });
}

}  // namespace certify
