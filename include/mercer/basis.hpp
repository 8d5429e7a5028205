// Basis: an explicit feature map φ(x) = [φ₁(x) … φ_m(x)] as a plain value that prints, parses and joins
// (mission row M6). It makes a kernel, k(x, y) = φ(x)·φ(y); BasisPca does PCA on it.
//
//     using mercer::Basis;
//     Basis b = Basis::parse("poly(degree=2)");    // φ(x)·φ(y) = (x·y + 1)²
//     b.names(2);                                  // 1, √2·x1, √2·x2, x1², √2·x1·x2, x2²
//     mercer::Matrix<double> phi = b.evaluate(samples);
//     Basis mine = Basis::parse("x1^2, x1*x2, sin(x1)") + Basis::monomials(1);
#pragma once

#include <mercer/kernel.hpp>
#include <mercer/matrix.hpp>
#include <mercer/run.hpp>
#include <mercer/samples.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

struct BasisPart;  // src/kernel/basis_parts.hpp

class Basis {
 public:
  /// Fills phi (rows(x) x number of functions). Must be safe to call from several threads.
  using Functions = std::function<void(MatrixView<double> x, MatrixRef<double> phi)>;

  Basis();  ///< poly(degree=2)

  /// All monomials up to the degree, with the weights that make φ(x)·φ(y) = (γ x·y + c)^p.
  static Basis polynomial(int degree = 2, double gamma = 1, double coef0 = 1);
  /// All monomials up to the degree, as they are.
  static Basis monomials(int degree = 2);
  /// Bumps exp(−γ‖x − c‖²) at the rows of `centers`, or at `count` rows of the data, drawn by the seed.
  static Basis radial_at(Matrix<double> centers, Gamma gamma = Gamma::median());
  static Basis radial(Index count, Gamma gamma = Gamma::median());
  /// cos(jπ x_i/length), j = 1 … count, of every feature: complete on [0, length].
  static Basis cosines(Index count = 3, double length = 1);
  /// Random Fourier features of a kernel (rbf, laplacian, matern32, matern52, rq, sums and products).
  static Basis fourier(Index count = 100, Kernel kernel = {}, bool orthogonal = true);
  /// Formulas in x1, x2, …, such as "x1^2", "sin(x1)*x2".
  static Basis formulas(std::vector<std::string> formulas);
  /// C++ functions. They are saved in model files by `name` only: see LoadOptions::bases.
  static Basis from_functions(std::string name, std::vector<std::string> names, Functions functions);

  /// Parses what to_string() prints and everything the command line's --basis accepts.
  static Basis parse(std::string_view text);
  [[nodiscard]] std::string to_string() const;
  bool operator==(const Basis& other) const { return to_string() == other.to_string(); }

  /// The functions of both, side by side: the kernels add.
  friend Basis operator+(const Basis& a, const Basis& b);

  /// True when nothing more is to be taken from the data: widths, centres, frequencies.
  [[nodiscard]] bool is_resolved() const;
  template <class T>
  [[nodiscard]] Basis resolved(const Samples<T>& samples, const Run& run = {}) const;

  /// m, for points of d features. It may be more than any memory holds.
  [[nodiscard]] double count(Index d) const;
  /// What each function is: √2·x1·x2. `variables` stand for x1, x2, … where given.
  [[nodiscard]] std::vector<std::string> names(Index d, const std::vector<std::string>& variables = {}) const;
  /// Φ, a row a sample; the basis must be resolved.
  template <class T>
  [[nodiscard]] Matrix<double> evaluate(const Samples<T>& samples, const Run& run = {}) const;
  /// φ(x)·φ(y) in closed form, where there is one.
  [[nodiscard]] std::optional<Kernel> kernel() const;

  [[nodiscard]] const std::vector<BasisPart>& parts() const { return *parts_; }
  explicit Basis(std::vector<BasisPart> parts);

 private:
  std::shared_ptr<const std::vector<BasisPart>> parts_;
};

}  // namespace mercer
