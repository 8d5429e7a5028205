// Evaluating a kernel on a tile: primitives first, each once, then the tree of sums and products.
#include "kernel/tiles.hpp"

#include "kernel/catalogue.hpp"
#include "kernel/elementwise.hpp"
#include "kernel/expression.hpp"
#include "kernel/node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace mercer {
namespace {

/// One tile being evaluated: which rows, and the primitives computed so far.
template <class T>
class TileJob {
 public:
  TileJob(const RowSet<T>& x, Index i0, Index rows, const RowSet<T>& y, Index j0, Index cols)
      : x_(x), y_(y), i0_(i0), j0_(j0), rows_(rows), cols_(cols) {}

  void evaluate(const Kernel& kernel, T* out) {
    std::visit([&](const auto& node) { fill(kernel, node, out); }, kernel.node().value);
  }
  /// A lone leaf may compute its primitive straight into the result.
  void only_leaf() { only_leaf_ = true; }
  /// Primitives as they would be with so many times their rounding added.
  void add_rounding(T times) { rounding_times_ = times; }

 private:
  [[nodiscard]] Index size() const { return rows_ * cols_; }

  const T* primitive(Primitive p) {
    auto& tile = primitives_[p];
    if (tile.empty()) {
      tile.resize(static_cast<std::size_t>(size()));
      primitive_tile(p, x_, i0_, rows_, y_, j0_, cols_, tile.data());
      if (rounding_times_ != 0) {
        std::vector<T> rounding(tile.size());
        primitive_rounding(p, x_, i0_, rows_, y_, j0_, cols_, tile.data(), rounding.data());
        for (std::size_t i = 0; i < tile.size(); ++i) tile[i] += rounding_times_ * rounding[i];
      }
    }
    return tile.data();
  }

  void fill(const Kernel&, const LeafKernel& leaf, T* out) {
    if (only_leaf_) {
      primitive_tile(leaf.kind->primitive, x_, i0_, rows_, y_, j0_, cols_, out);
    } else {
      const T* p = primitive(leaf.kind->primitive);
      std::copy(p, p + size(), out);
    }
    std::array<double, 4> values{};
    for (std::size_t i = 0; i < leaf.parameters.size(); ++i) values[i] = leaf.parameters[i].value;
    if constexpr (std::is_same_v<T, double>)
      leaf.kind->apply_double(out, size(), values);
    else
      leaf.kind->apply_float(out, size(), values);
  }

  void fill(const Kernel& kernel, const ExpressionKernel& e, T* out) {
    const auto as_double = [&](Primitive p) -> std::vector<double> {
      if (!e.needs.has(p)) return {};
      const T* tile = primitive(p);
      return {tile, tile + size()};
    };
    const auto dot = as_double(Primitive::dot), sqdist = as_double(Primitive::sqdist),
               l1 = as_double(Primitive::l1dist);
    std::vector<double> result(static_cast<std::size_t>(size()));
    FormulaEvaluator formula(e.formula);
    formula.evaluate(dot.empty() ? nullptr : dot.data(), sqdist.empty() ? nullptr : sqdist.data(),
                     l1.empty() ? nullptr : l1.data(), result.data(), size());
    require_finite_values(kernel, result.data());
    std::transform(result.begin(), result.end(), out, [](double v) { return T(v); });
  }

  void fill(const Kernel& kernel, const UserKernel& user, T* out) {
    if (!user.tiles)
      throw Error(ErrorCode::usage,
                  fmt::format("the function behind kernel user({}) is not known here", user.name),
                  "give it in LoadOptions::kernels");
    const Matrix<double> a = x_.rows.dense_rows(i0_, rows_).template cast<double>();
    const Matrix<double> b = y_.rows.dense_rows(j0_, cols_).template cast<double>();
    Matrix<double> k = Matrix<double>::Zero(rows_, cols_);
    user.tiles(a, b, k);
    require_finite_values(kernel, k.data());
    std::transform(k.data(), k.data() + size(), out, [](double v) { return T(v); });
  }

  void fill(const Kernel&, const PrecomputedKernel&, T* out) {
    Eigen::Map<Matrix<T>> tile(out, rows_, cols_);
    if (x_.rows.is_sparse())
      tile = x_.rows.dense_rows(i0_, rows_).middleCols(j0_, cols_);
    else
      tile = x_.rows.dense().block(i0_, j0_, rows_, cols_);
  }

  void fill(const Kernel&, const SumKernel& sum, T* out) { combine(sum.terms, out, elementwise::add<T>); }
  void fill(const Kernel&, const ProductKernel& product, T* out) {
    combine(product.factors, out, elementwise::multiply<T>);
  }

  void combine(const std::vector<Kernel>& parts, T* out, void (*join)(T*, const T*, Index)) {
    evaluate(parts.front(), out);
    std::vector<T> next(static_cast<std::size_t>(size()));
    for (std::size_t i = 1; i < parts.size(); ++i) {
      evaluate(parts[i], next.data());
      join(out, next.data(), size());
    }
  }

  void fill(const Kernel&, const MultipleKernel& m, T* out) {
    evaluate(m.kernel, out);
    elementwise::scale<T>(out, size(), T(m.factor));
  }

  void require_finite_values(const Kernel& kernel, const double* values) const {
    if (rounding_times_ != 0) return;  // moved arguments may leave a formula's domain
    for (Index p = 0; p < size(); ++p)
      if (!std::isfinite(values[p]))
        throw Error(ErrorCode::bad_data,
                    fmt::format("kernel {} is {} for rows {} and {}", kernel.to_string(), values[p],
                                i0_ + p / cols_, j0_ + p % cols_),
                    "a kernel must be a finite number for every pair");
  }

  const RowSet<T>&x_, &y_;
  Index i0_, j0_, rows_, cols_;
  bool only_leaf_ = false;
  T rounding_times_ = 0;
  std::map<Primitive, std::vector<T>> primitives_;
};

template <class T>
RowSet<T> pick(const RowSet<T>& set, const std::vector<Index>& which) {
  const auto some_of = [&](const Vector<T>& all) {
    Vector<T> some(all.size() > 0 ? static_cast<Index>(which.size()) : 0);
    for (Index i = 0; i < some.size(); ++i) some[i] = all[which[static_cast<std::size_t>(i)]];
    return some;
  };
  const Samples<T> rows = set.rows.select_rows(which);
  return {rows, set.norms.size() > 0 ? set.shifted.select_rows(which) : rows, some_of(set.norms),
          some_of(set.lengths)};
}

/// Kernels of the catalogue and formulas are symmetric but for rounding; functions and matrices of users may
/// not be.
bool may_be_lopsided(const Kernel& kernel) {
  const auto any = [](const std::vector<Kernel>& parts) {
    return std::any_of(parts.begin(), parts.end(), may_be_lopsided);
  };
  return std::visit(Overloaded{
                        [](const UserKernel&) { return true; },
                        [](const PrecomputedKernel&) { return true; },
                        [&](const SumKernel& s) { return any(s.terms); },
                        [&](const ProductKernel& p) { return any(p.factors); },
                        [](const MultipleKernel& m) { return may_be_lopsided(m.kernel); },
                        [](const auto&) { return false; },
                    },
                    kernel.node().value);
}

}  // namespace

PrimitiveSet primitives_of(const Kernel& kernel) {
  PrimitiveSet needs;
  const auto collect = [&](const std::vector<Kernel>& parts) {
    for (const Kernel& k : parts) needs |= primitives_of(k);
  };
  std::visit(Overloaded{
                 [&](const LeafKernel& leaf) { needs = leaf.kind->primitive; },
                 [&](const ExpressionKernel& e) { needs = e.needs; },
                 [&](const SumKernel& s) { collect(s.terms); },
                 [&](const ProductKernel& p) { collect(p.factors); },
                 [&](const MultipleKernel& m) { needs = primitives_of(m.kernel); },
                 [](const auto&) {},
             },
             kernel.node().value);
  return needs;
}

template <class T>
Matrix<double> value_rounding(const Kernel& kernel, const Samples<T>& x, const Samples<T>& y) {
  constexpr T times = 16;  // so that the difference is more than the rounding of the kernel's own formula
  constexpr Index columns = 512;
  constexpr double own = 8 * double(std::numeric_limits<T>::epsilon());
  PrimitiveSet needs = primitives_of(kernel);
  const Vector<double> shift = needs.has(Primitive::sqdist) ? distance_shift(y) : Vector<double>();
  needs |= Primitive::cosine;  // for the lengths of rows
  const RowSet<T> right = make_row_set(y, needs, shift),
                  left = make_row_set(x.in_the_form_of(y), needs, shift);
  const Index rows = x.rows(), all = kernel.is_precomputed() ? x.cols() : y.rows();
  Matrix<double> out(rows, all);
  for (Index j0 = 0; j0 < all; j0 += columns) {
    const Index cols = std::min(columns, all - j0);
    Matrix<T> value(rows, cols);
    TileJob<T>(left, 0, rows, right, j0, cols).evaluate(kernel, value.data());
    const Matrix<double> k = value.template cast<double>();
    const auto change = [&](T by) {
      Matrix<T> moved(rows, cols);
      TileJob<T> job(left, 0, rows, right, j0, cols);
      job.add_rounding(by);
      job.evaluate(kernel, moved.data());
      return Matrix<double>((moved.template cast<double>() - k).cwiseAbs() / double(times));
    };
    Matrix<double> found = change(times);
    if (!found.allFinite()) {  // at the edge of the kernel's domain: the other way, if there is one
      const Matrix<double> back = change(-times);
      found = found.array().isFinite().select(found, back.array().isFinite().select(back, 0.0));
    }
    out.middleCols(j0, cols) = found + own * k.cwiseAbs();
  }
  return out;
}

template <class T>
KernelTiles<T>::KernelTiles(Kernel kernel, const Samples<T>& x) : kernel_(std::move(kernel)), same_(true) {
  if (!kernel_.is_resolved())
    throw Error(ErrorCode::internal, "kernel " + kernel_.to_string() + " is not resolved");
  const PrimitiveSet needs = primitives_of(kernel_);
  right_ = make_row_set(x, needs, needs.has(Primitive::sqdist) ? distance_shift(x) : Vector<double>());
}

template <class T>
KernelTiles<T>::KernelTiles(Kernel kernel, const Samples<T>& x, const Samples<T>& y)
    : kernel_(std::move(kernel)), same_(false) {
  if (!kernel_.is_resolved())
    throw Error(ErrorCode::internal, "kernel " + kernel_.to_string() + " is not resolved");
  if (!kernel_.is_precomputed() && x.cols() != y.cols())
    throw Error(ErrorCode::bad_data,
                fmt::format("kernel {} between rows of {} and of {} columns", kernel_.to_string(), x.cols(),
                            y.cols()),
                "both need the same features");
  const PrimitiveSet needs = primitives_of(kernel_);
  const Vector<double> shift = needs.has(Primitive::sqdist) ? distance_shift(y) : Vector<double>();
  right_ = make_row_set(y, needs, shift);
  left_ = make_row_set(x.in_the_form_of(y), needs, shift);
}

template <class T>
void KernelTiles<T>::evaluate(Index i0, Index rows, Index j0, Index cols, T* out) const {
  TileJob<T> job(left(), i0, rows, right_, j0, cols);
  if (std::holds_alternative<LeafKernel>(kernel_.node().value)) job.only_leaf();
  job.evaluate(kernel_, out);
}

template <class T>
void KernelTiles<T>::evaluate_diagonal(Index i0, Index rows, T* out) const {
  evaluate(i0, rows, i0, rows, out);
  Eigen::Map<Matrix<T>> k(out, rows, rows);
  if (!may_be_lopsided(kernel_)) {
    k.template triangularView<Eigen::StrictlyUpper>() = k.transpose();
    return;
  }
  const T allowed = k.cwiseAbs().maxCoeff() * (std::is_same_v<T, float> ? T(1e-4) : T(1e-9));
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < i; ++j) {
      if (std::abs(k(i, j) - k(j, i)) > allowed)
        throw Error(ErrorCode::bad_data,
                    fmt::format("kernel {} is not symmetric: k(x{}, x{}) = {} but k(x{}, x{}) = {}",
                                kernel_.to_string(), i0 + i, i0 + j, k(i, j), i0 + j, i0 + i, k(j, i)),
                    "a kernel has k(x, y) = k(y, x)");
      k(j, i) = k(i, j);
    }
}

template <class T>
void KernelTiles<T>::diagonal(Index i0, Index rows, T* out) const {
  constexpr Index side = 16;  // small squares: the work off the diagonal costs less than a call a row
  T square[side * side];
  for (Index i = 0; i < rows; i += side) {
    const Index count = std::min(side, rows - i);
    evaluate(i0 + i, count, i0 + i, count, square);
    for (Index j = 0; j < count; ++j) out[i + j] = square[j * count + j];
  }
}

template <class T>
KernelTiles<T> KernelTiles<T>::columns(const std::vector<Index>& which) const {
  return {kernel_, false, left(), pick(right_, which)};
}

template <class T>
KernelTiles<T> KernelTiles<T>::among(const std::vector<Index>& which) const {
  return {kernel_, true, {}, pick(right_, which)};
}

template Matrix<double> value_rounding(const Kernel&, const Samples<float>&, const Samples<float>&);
template Matrix<double> value_rounding(const Kernel&, const Samples<double>&, const Samples<double>&);
template class KernelTiles<float>;
template class KernelTiles<double>;

}  // namespace mercer
