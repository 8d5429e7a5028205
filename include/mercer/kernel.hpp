// Kernel: k(x, y) as a plain value that prints, parses, adds and multiplies (mission rows M5, M7).
//
//     using mercer::Kernel;
//     Kernel k = Kernel::rbf(0.5) + 0.1 * Kernel::linear();
//     k.to_string();                                   // "rbf(gamma=0.5) + 0.1*linear()"
//     Kernel same = Kernel::parse(k.to_string());      // same == k
//
// A kernel is evaluated by tiles (a block of rows against a block of rows), never pair by pair:
// see gram() below, and KernelTiles in src/kernel/tiles.hpp.
#pragma once

#include <mercer/matrix.hpp>
#include <mercer/run.hpp>
#include <mercer/samples.hpp>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace mercer {

struct KernelNode;  // src/kernel/node.hpp

/// A length scale given as gamma: a number, or a rule that needs the data.
struct Gamma {
  enum class Rule { value, automatic, median };
  Rule rule = Rule::median;
  double value = 0;

  Gamma(double v) : rule(Rule::value), value(v) {}             // NOLINT(google-explicit-constructor)
  static Gamma automatic() { return Gamma(Rule::automatic); }  ///< 1 / d
  /// Makes the typical exponent ½: 1/(2·median‖x−y‖²) for squared distances, 1/(2·median) of the
  /// distance itself for the Laplacian and chi² kernels.
  static Gamma median() { return Gamma(Rule::median); }
  bool operator==(const Gamma&) const = default;

 private:
  explicit Gamma(Rule r) : rule(r) {}
};

/// What is known about a kernel without looking at data.
enum class Definiteness {
  psd,          ///< every Gram matrix is positive semidefinite
  conditional,  ///< HKH is positive semidefinite for every data set, K itself need not be
  unknown,      ///< must be checked on the data
};

class Kernel {
 public:
  /// Fills K (rows(X) x rows(Y)) with k(x_i, y_j). Must be symmetric in its arguments and safe to
  /// call from several threads.
  using TileFunction = std::function<void(MatrixView<double> X, MatrixView<double> Y, MatrixRef<double> K)>;
  using PairFunction = std::function<double(std::span<const double> x, std::span<const double> y)>;

  Kernel();  ///< rbf(gamma=median)

  static Kernel linear();                                                       ///< x·y
  static Kernel polynomial(int degree = 3, Gamma gamma = 1, double coef0 = 1);  ///< (γ x·y + c)^p
  static Kernel rbf(Gamma gamma);                                               ///< exp(−γ‖x−y‖²)
  static Kernel rbf_sigma(double sigma);                 ///< exp(−‖x−y‖²/2σ²)
  static Kernel laplacian(Gamma gamma);                  ///< exp(−γ‖x−y‖₁)
  static Kernel sigmoid(Gamma gamma, double coef0 = 1);  ///< tanh(γ x·y + c)
  static Kernel cosine();                                ///< x·y / ‖x‖‖y‖
  static Kernel matern32(double length);                 ///< (1 + √3r/ℓ)exp(−√3r/ℓ)
  static Kernel matern52(double length);                 ///< (1 + √5r/ℓ + 5r²/3ℓ²)exp(−√5r/ℓ)
  static Kernel rational_quadratic(double length, double alpha = 1);  ///< (1 + r²/2αℓ²)^−α
  static Kernel chi2(Gamma gamma);                                    ///< exp(−γ Σ(x−y)²/(x+y))
  static Kernel additive_chi2();                                      ///< −Σ(x−y)²/(x+y)
  static Kernel precomputed();                                        ///< the samples are K's rows
  /// A formula in dot, sqdist and l1dist, such as "exp(-sqdist)*(1+dot)^2".
  static Kernel expression(std::string formula);
  /// A C++ function. It is saved in model files by name only: see LoadOptions::kernels.
  static Kernel from_tiles(std::string name, TileFunction function);
  static Kernel from_pairs(std::string name, PairFunction function);

  /// Parses what to_string() prints and everything the command line's --kernel accepts.
  static Kernel parse(std::string_view text);
  [[nodiscard]] std::string to_string() const;
  bool operator==(const Kernel& other) const { return to_string() == other.to_string(); }

  friend Kernel operator+(const Kernel& a, const Kernel& b);
  friend Kernel operator*(const Kernel& a, const Kernel& b);
  friend Kernel operator*(double factor, const Kernel& k);

  [[nodiscard]] Definiteness definiteness() const;
  [[nodiscard]] bool is_precomputed() const;
  /// True when every gamma is a number.
  [[nodiscard]] bool is_resolved() const;
  /// The same kernel with gamma=auto and gamma=median replaced by numbers taken from the data.
  template <class T>
  [[nodiscard]] Kernel resolved(const Samples<T>& samples, std::uint64_t seed = 0) const;
  /// Throws Error{bad_data} where the kernel is not defined on this data (chi² of a negative
  /// number, a precomputed matrix that is not square or not symmetric).
  template <class T>
  void check_data(const Samples<T>& samples) const;

  [[nodiscard]] const KernelNode& node() const { return *node_; }
  explicit Kernel(std::shared_ptr<const KernelNode> node) : node_(std::move(node)) {}

 private:
  std::shared_ptr<const KernelNode> node_;
};

/// The matrix K_ij = k(x_i, y_j); the kernel must be resolved.
template <class T>
[[nodiscard]] Matrix<T> gram(const Kernel& kernel, const Samples<T>& x, const Samples<T>& y,
                             const Run& run = {});
template <class T>
[[nodiscard]] Matrix<T> gram(const Kernel& kernel, const Samples<T>& x, const Run& run = {});

}  // namespace mercer
