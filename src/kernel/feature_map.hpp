// FeatureMap: a basis made ready for points of d features. Families of functions stand side by side; each
// evaluates a block of rows at a time, in double whatever the points are in: powers leave float's range soon.
#pragma once

#include <mercer/basis.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace mercer {

/// η_j = (x_j − center_j)/radius_j.
struct InputShift {
  Vector<double> center, radius;
};

/// Functions of one kind.
class FeatureFamily {
 public:
  virtual ~FeatureFamily() = default;

  [[nodiscard]] virtual Index count() const = 0;
  /// Values of all functions at each row of x; `stride` numbers from one row of `out` to the next. May be
  /// called from several threads.
  virtual void evaluate(const MatrixView<double>& x, double* out, Index stride) const = 0;
  /// The j-th function without its weight, in words.
  [[nodiscard]] virtual std::string name(Index j, std::span<const std::string> variables) const = 0;
  [[nodiscard]] virtual double weight(Index) const { return 1; }
  /// Of a monomial; −1 for anything else.
  [[nodiscard]] virtual Index degree(Index) const { return -1; }
  /// True where the functions of η span the same space as the functions of x, as all monomials up to a
  /// degree.
  [[nodiscard]] virtual bool follows_shift() const { return false; }
  /// Then N: Σ e_j φ_j(η) = Σ (Ne)_j φ_j(x). No element of it is a difference.
  [[nodiscard]] virtual Block<double> from_shifted(const InputShift&) const {
    return Block<double>::Identity(count(), count());
  }
};

struct MonomialPart;
struct RadialPart;
struct CosinePart;
struct FourierPart;
struct FormulaPart;
struct UserPart;
[[nodiscard]] std::unique_ptr<FeatureFamily> make_family(const MonomialPart& part, Index d);
[[nodiscard]] std::unique_ptr<FeatureFamily> make_family(const RadialPart& part, Index d);
[[nodiscard]] std::unique_ptr<FeatureFamily> make_family(const CosinePart& part, Index d);
[[nodiscard]] std::unique_ptr<FeatureFamily> make_family(const FourierPart& part, Index d);
[[nodiscard]] std::unique_ptr<FeatureFamily> make_family(const FormulaPart& part, Index d);
[[nodiscard]] std::unique_ptr<FeatureFamily> make_family(const UserPart& part, Index d);
/// C(d + p, p), or C(d + p − 1, p) where only the highest degree has a weight.
[[nodiscard]] double monomial_count(const MonomialPart& part, Index d);
/// Throws Error{usage} for a formula that cannot be read.
void require_readable(const std::string& formula);

class FeatureMap {
 public:
  /// The basis must be resolved.
  FeatureMap(const Basis& basis, Index d);

  [[nodiscard]] Index dimension() const { return d_; }
  [[nodiscard]] Index count() const { return starts_.back(); }
  /// out (rows x count, row-major) = φ of each point, on several threads. Throws Error{bad_data} naming row
  /// and function where a value is not finite; rows are counted from `first`.
  template <class T>
  void evaluate(const Samples<T>& points, double* out, const Run& run, Index first = 0) const;
  /// The same with functions of η in place of functions of x, for the families that follow a shift.
  template <class T>
  void evaluate_shifted(const InputShift& shift, const Samples<T>& points, double* out, const Run& run,
                        Index first = 0) const;
  /// N as FeatureFamily has it, of all families.
  [[nodiscard]] Block<double> from_shifted(const InputShift& shift) const;

  /// √2·x1·x2; variables empty: x1, x2, …
  [[nodiscard]] std::string name(Index j, std::span<const std::string> variables = {}) const;
  /// x1·x2 and √2: what is left of the name without its weight, and the weight.
  [[nodiscard]] std::string plain_name(Index j, std::span<const std::string> variables = {}) const;
  [[nodiscard]] double weight(Index j) const;
  [[nodiscard]] Index degree(Index j) const;

 private:
  [[nodiscard]] std::pair<const FeatureFamily*, Index> find(Index j) const;
  template <class T>
  void evaluate_with(const InputShift* shift, const Samples<T>& points, double* out, const Run& run,
                     Index first) const;

  Index d_;
  std::vector<std::shared_ptr<const FeatureFamily>> families_;
  std::vector<Index> starts_;
  std::vector<std::string> variables_;  ///< x1, x2, …
};

}  // namespace mercer
