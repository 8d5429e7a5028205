// The sparse Cholesky factor and solves with it, several columns at once.
#include "operator/shift_invert.hpp"

#include "base/parallel.hpp"

#include <cholmod.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace mercer {
namespace {

constexpr Index columns_together = 4;  ///< of a solve; the groups go to the threads
constexpr double serial_flops = 1e11;  ///< up to here a factor is made by one thread, the same for all runs
constexpr double dissect_flops = 2e9;  ///< a factor of fewer is made sooner than a better order is found
constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// CHOLMOD's settings and workspace, silent. One thread uses it at a time.
class Common {
 public:
  Common() {
    cholmod_l_start(&common_);
    common_.print = 0;
    common_.error_handler = nullptr;
    common_.try_catch = 1;
    common_.quick_return_if_not_posdef = 1;
    common_.final_ll = 1;  // LDLᵀ would go on below zero
  }
  ~Common() { cholmod_l_finish(&common_); }
  Common(const Common&) = delete;
  Common& operator=(const Common&) = delete;

  cholmod_common* get() { return &common_; }
  cholmod_common* operator->() { return &common_; }

  /// Throws what went wrong in the last call, unless it is only that a matrix is not positive definite.
  void require_success(const char* what) {
    if (common_.status == CHOLMOD_OUT_OF_MEMORY || common_.status == CHOLMOD_TOO_LARGE)
      throw Error(ErrorCode::no_memory, fmt::format("no memory for the sparse Cholesky {}", what),
                  "solve by iteration, or give fewer points or neighbours");
    if (common_.status < 0)
      throw Error(ErrorCode::internal,
                  fmt::format("the sparse Cholesky {} failed (CHOLMOD {})", what, common_.status));
  }

 private:
  cholmod_common common_;
};

/// The lower triangle of A: rows of a symmetric matrix are its columns. Nothing is copied.
cholmod_sparse lower_triangle_of(const SparseMatrix<double>& a) {
  cholmod_sparse out{};
  out.nrow = out.ncol = static_cast<std::size_t>(a.rows());
  out.nzmax = static_cast<std::size_t>(a.nonZeros());
  out.p = const_cast<std::int64_t*>(a.outerIndexPtr());
  out.i = const_cast<std::int64_t*>(a.innerIndexPtr());
  out.x = const_cast<double*>(a.valuePtr());
  out.stype = -1;
  out.itype = CHOLMOD_LONG;
  out.xtype = CHOLMOD_REAL;
  out.dtype = CHOLMOD_DOUBLE;
  out.sorted = out.packed = 1;
  return out;
}

cholmod_dense columns_of(const double* data, Index rows, Index count, Index stride) {
  cholmod_dense out{};
  out.nrow = static_cast<std::size_t>(rows);
  out.ncol = static_cast<std::size_t>(count);
  out.d = static_cast<std::size_t>(stride);
  out.nzmax = out.d * out.ncol;
  out.x = const_cast<double*>(data);
  out.xtype = CHOLMOD_REAL;
  out.dtype = CHOLMOD_DOUBLE;
  return out;
}

/// LDLᵀ by simple columns: |L||D||L|ᵀ·1 at its largest, and how many of D are negative.
Inertia inertia_of(const cholmod_factor& l) {
  const auto* const begin = static_cast<const std::int64_t*>(l.p);
  const auto* const count = static_cast<const std::int64_t*>(l.nz);
  const auto* const row = static_cast<const std::int64_t*>(l.i);
  const auto* const value = static_cast<const double*>(l.x);
  const auto n = static_cast<Index>(l.n);
  Inertia out;
  Vector<double> product = Vector<double>::Zero(n);
  Vector<double> length = Vector<double>::Ones(n);  // entries in each row of L
  for (Index j = 0; j < n; ++j) {
    const double d = value[begin[j]];  // on the diagonal, first in its column
    if (!(std::abs(d) > 0) || !std::isfinite(d)) {
      out.error = std::numeric_limits<double>::infinity();
      return out;
    }
    out.below += d < 0;
    double sum = 1;
    for (std::int64_t p = begin[j] + 1; p < begin[j] + count[j]; ++p) sum += std::abs(value[p]);
    sum *= std::abs(d);
    product[j] += sum;
    for (std::int64_t p = begin[j] + 1; p < begin[j] + count[j]; ++p) {
      product[row[p]] += std::abs(value[p]) * sum;
      length[row[p]] += 1;
    }
  }
  // γ of Higham, of as many terms as the fullest row has, twice for the products' own rounding.
  out.error = 2 * (length.maxCoeff() + 4) * epsilon * product.maxCoeff();
  if (!std::isfinite(out.error)) out.error = std::numeric_limits<double>::infinity();
  return out;
}

}  // namespace

struct ShiftInvert::Cholmod {
  Common common;
  cholmod_sparse matrix{};
  cholmod_factor* symbolic = nullptr;
  cholmod_factor* factor = nullptr;

  ~Cholmod() {
    cholmod_l_free_factor(&symbolic, common.get());
    cholmod_l_free_factor(&factor, common.get());
  }
};

ShiftInvert::ShiftInvert(const SparseMatrix<double>& a, Vector<double> null_vector, const Run& run)
    : SymmetricOperator<double>(a.rows()),
      cholmod_(std::make_unique<Cholmod>()),
      null_vector_(std::move(null_vector)) {
  run.check();
  Common& common = cholmod_->common;
  cholmod_->matrix = lower_triangle_of(a);
  const auto analyze = [&](int ordering) {
    common->nmethods = 1;
    common->method[0].ordering = ordering;
    cholmod_factor* found = cholmod_l_analyze(&cholmod_->matrix, common.get());
    common.require_success("analysis");
    if (cholmod_->symbolic != nullptr && common->fl >= cost_.flops) {
      cholmod_l_free_factor(&found, common.get());
      return;
    }
    cholmod_l_free_factor(&cholmod_->symbolic, common.get());
    cholmod_->symbolic = found;
    cost_.flops = common->fl;
    cost_.entries = common->lnz;
  };
  analyze(CHOLMOD_AMD);
  if (cost_.flops > dissect_flops) analyze(CHOLMOD_METIS);
  const cholmod_factor& l = *cholmod_->symbolic;
  // By blocks: numbers alone, a few rows' names. By columns: a name for each number.
  cost_.bytes = l.is_super ? double(l.xsize) * 8 + double(l.ssize) * 8 : cost_.entries * 16;
}

ShiftInvert::~ShiftInvert() = default;

bool ShiftInvert::factor(double shift, const Run& run) {
  run.check();
  const ThreadScope threads(run);
  std::optional<SerialScope> serial;
  if (cost_.flops <= serial_flops) serial.emplace();
  Common& common = cholmod_->common;
  cholmod_l_free_factor(&cholmod_->factor, common.get());
  cholmod_->factor = cholmod_l_copy_factor(cholmod_->symbolic, common.get());
  common.require_success("analysis");
  double beta[2] = {shift, 0};
  common->status = CHOLMOD_OK;
  cholmod_l_factorize_p(&cholmod_->matrix, beta, nullptr, 0, cholmod_->factor, common.get());
  common.require_success("factorisation");
  shift_ = shift;
  return common->status == CHOLMOD_OK && cholmod_->factor->minor == cholmod_->factor->n;
}

Inertia ShiftInvert::inertia(double shift, const Run& run) const {
  run.check();
  const SerialScope serial;
  Common own;
  own->supernodal = CHOLMOD_SIMPLICIAL;
  own->final_ll = 0;
  own->nmethods = 1;
  own->method[0].ordering = CHOLMOD_GIVEN;
  own->postorder = 0;
  cholmod_factor* l = cholmod_l_analyze_p(
      &cholmod_->matrix, static_cast<SuiteSparse_long*>(cholmod_->symbolic->Perm), nullptr, 0, own.get());
  own.require_success("analysis");
  double beta[2] = {-shift, 0};
  own->status = CHOLMOD_OK;
  cholmod_l_factorize_p(&cholmod_->matrix, beta, nullptr, 0, l, own.get());
  Inertia out{.below = 0, .error = std::numeric_limits<double>::infinity()};
  const bool whole = own->status >= 0 && l->minor == l->n;
  if (whole) {
    cholmod_l_change_factor(CHOLMOD_REAL, 0, 0, 1, 1, l, own.get());
    out = inertia_of(*l);
  }
  const int status = own->status;
  cholmod_l_free_factor(&l, own.get());
  if (status == CHOLMOD_OUT_OF_MEMORY) out.error = std::numeric_limits<double>::infinity();
  return out;
}

void ShiftInvert::do_apply(const BlockView<double>& v, BlockRef<double> y, const Run& run) const {
  const Index n = size(), count = v.cols();
  if (cholmod_->factor == nullptr) throw Error(ErrorCode::internal, "a solve before the factorisation");
  const Index groups = (count + columns_together - 1) / columns_together;
  parallel_for(groups, run, [&](Index group) {
    const Index c0 = group * columns_together, width = std::min(columns_together, count - c0);
    Block<double> right = v.middleCols(c0, width);
    const auto project = [&](auto&& block) {
      if (null_vector_.size() > 0) block -= null_vector_ * (null_vector_.transpose() * block).eval();
    };
    project(right);
    Common own;
    cholmod_dense b = columns_of(right.data(), n, width, n);
    cholmod_dense *x = nullptr, *work_y = nullptr, *work_e = nullptr;
    cholmod_l_solve2(CHOLMOD_A, cholmod_->factor, &b, nullptr, &x, nullptr, &work_y, &work_e, own.get());
    const bool solved = x != nullptr && own->status == CHOLMOD_OK;
    if (solved) {
      Eigen::Map<Block<double>> found(static_cast<double*>(x->x), n, width);
      project(found);
      y.middleCols(c0, width) = found;
    }
    cholmod_l_free_dense(&x, own.get());
    cholmod_l_free_dense(&work_y, own.get());
    cholmod_l_free_dense(&work_e, own.get());
    if (!solved) own.require_success("solve");
  });
}

}  // namespace mercer
