// Is it a kernel? Symmetry on the data, the smallest eigenvalues of K and HKH, what is known without data,
// and the verdict. cᵀKc < 0 for the eigenvector c of a negative eigenvalue: Mercer's condition disproved.
#include <mercer/kernel_check.hpp>

#include "base/linalg.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "kernel/closure.hpp"
#include "kernel/landmarks.hpp"
#include "kernel/tiles.hpp"
#include "model/spectral_fit.hpp"
#include "operator/centered.hpp"
#include "operator/gram_operator.hpp"
#include "spectral/spectrum_ends.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
/// Up to here LAPACK looks at K as a whole; beyond, a factor or block Krylov at its ends.
constexpr Index dense_rows = 1500;
/// Rows on which k(x, y) and k(y, x) are compared.
constexpr Index symmetry_rows = 256;
/// What |k(x, y) − k(y, x)| may be, beside the largest |k|: rounding.
constexpr double asymmetry_allowed = 1e-10;

void compare(const Matrix<double>& a, const Matrix<double>& b, const std::vector<Index>& rows,
             KernelCheck& out) {
  if (!a.allFinite() || !b.allFinite()) return;  // said by whatever uses these values
  Index i = 0, j = 0;
  const double worst = (a - b.transpose()).cwiseAbs().maxCoeff(&i, &j);
  if (worst <= out.asymmetry) return;
  out.asymmetry = worst;
  out.asymmetric_row = rows[static_cast<std::size_t>(i)];
  out.asymmetric_column = rows[static_cast<std::size_t>(j)];
  const double largest = a.cwiseAbs().maxCoeff();
  out.symmetric = worst <= asymmetry_allowed * largest;
}

/// On all rows where there are few, on a sample of them otherwise. A matrix is compared as a whole.
void look_at_symmetry(const Kernel& kernel, const Samples<double>& points, const Run& run, KernelCheck& out) {
  const Index n = points.rows();
  std::vector<Index> rows = uniform_rows(n, kernel.is_precomputed() ? n : symmetry_rows, run.seed, 11);
  if (kernel.is_precomputed()) {
    const Matrix<double> k = points.to_dense();
    compare(k, k, rows, out);
    return;
  }
  const Samples<double> some = points.select_rows(rows);
  const KernelTiles<double> tiles(kernel, some, some);
  const Index count = some.rows();
  Matrix<double> k(count, count);
  tiles.evaluate(0, count, 0, count, k.data());
  compare(k, k, rows, out);
}

/// A becomes H A H.
void center(Block<double>& a) {
  const Vector<double> rows = a.rowwise().mean();
  const double all = rows.mean();
  a.colwise() -= rows;
  a.rowwise() -= rows.transpose();
  a.array() += all;
}

/// A matrix that somebody else owns.
class DenseView final : public SymmetricOperator<double> {
 public:
  explicit DenseView(const Block<double>& matrix)
      : SymmetricOperator<double>(matrix.rows()), matrix_(matrix) {}

 private:
  void do_apply(const BlockView<double>& v, BlockRef<double> y, const Run&) const override {
    y = linalg::transposed_times<double>(matrix_, v);
  }
  const Block<double>& matrix_;
};

/// K as it is made, K or HKH, and a factor.
double factor_bytes(Index n) { return 3 * 8 * double(n) * double(n); }

/// The rounding of n x n elements, seen in an eigenvalue. Stored tiles have 48 bits.
double rounding(Index n, double size, bool exact) {
  return 4 * std::sqrt(double(n)) * (exact ? epsilon : 0x1p-48) * size;
}

/// `packed`: of stored tiles.
void keep(const SpectrumEnds& plain, const SpectrumEnds& centred, Index n, bool packed, KernelCheck& out) {
  out.min_eigenvalue = plain.smallest;
  out.centered_min_eigenvalue = centred.smallest;
  out.max_eigenvalue = plain.largest;
  out.centered_max_eigenvalue = centred.largest;
  out.tolerance = rounding(n, plain.largest, !packed);
  out.centered_tolerance = out.tolerance;  // what is subtracted to centre K is as large as K
  if (!out.exact) out.lower_bound = plain.lower_bound;
  out.delta = plain.delta;
  // A kernel that is one by construction has no witness but rounding.
  if (out.known != Definiteness::psd && out.min_eigenvalue < -out.tolerance) out.witness = plain.vector;
  // Nothing below zero was found: was it looked at closely enough to say that there is nothing?
  const auto unsure = [](const SpectrumEnds& ends, double tolerance) {
    return ends.smallest >= -tolerance && !ends.lower_bound;
  };
  if (out.known == Definiteness::psd) return;
  if (unsure(plain, out.tolerance) ||
      (out.known != Definiteness::conditional && unsure(centred, out.tolerance)))
    throw Error(
        ErrorCode::not_converged,
        "no negative eigenvalue was found, but the iteration did not get far enough to say that there "
        "is none",
        fmt::format("raise --memory to {} for a factor of the matrix, or check the kernel on fewer rows",
                    format_bytes(factor_bytes(n))));
}

/// K and HKH in memory, one after the other.
void look_at_matrix(Block<double> k, const Run& run, KernelCheck& out) {
  const Index n = k.rows();
  const auto ends = [&](const Block<double>& a) {
    if (out.exact) return ends_by_lapack(a, run);
    const double largest = largest_magnitude(DenseView(a), run);
    return ends_by_factor(a, largest, rounding(n, largest, true), run);
  };
  const SpectrumEnds plain = ends(k);
  const double value = plain.vector.dot(k * plain.vector);
  center(k);
  keep(plain, ends(k), n, false, out);
  if (out.witness.size() > 0) out.witness_value = value;
}

void look_at_spectrum(const Kernel& kernel, const Samples<double>& points, const Run& run, KernelCheck& out) {
  const Index n = points.rows();
  const auto budget = double(run.memory_budget());
  if (!out.symmetric && factor_bytes(n) > budget)
    throw Error(ErrorCode::no_memory,
                fmt::format("the kernel is not symmetric, and its symmetric part needs {} to look at",
                            format_bytes(factor_bytes(n))),
                "check it on fewer rows, or raise --memory");
  out.exact = n <= dense_rows && factor_bytes(n) <= budget;
  if (factor_bytes(n) <= budget) {
    Block<double> k;
    if (kernel.is_precomputed())
      k = points.to_dense();
    else
      k = out.symmetric ? gram(kernel, points, run) : gram(kernel, points, points, run);
    if (!k.allFinite()) require_finite(Samples<double>(Matrix<double>(k)), "the kernel matrix");
    if (!out.symmetric) k = ((k + k.transpose()) / 2).eval();
    look_at_matrix(std::move(k), run, out);
    return;
  }
  const auto needs = [&](Storage storage) {
    return GramOperator::bytes(n, 8, storage, run.thread_count()) + 8.0 * 200 * double(n);
  };
  const bool stored = needs(Storage::stored) <= budget;
  if (!stored && needs(Storage::recomputed) > budget)
    throw Error(ErrorCode::no_memory,
                fmt::format("the ends of the spectrum need {} but the memory budget is {}",
                            format_bytes(needs(Storage::recomputed)), format_bytes(budget)),
                "raise --memory, or check the kernel on fewer rows");
  const GramOperator op(kernel, points, stored ? Storage::stored : Storage::recomputed, run);
  op.gather_sums(run);
  const SpectrumEnds plain = ends_by_products(op, out.known == Definiteness::psd, run);
  const SpectrumEnds centred =
      ends_by_products(CenteredOperator<double>(op), out.known != Definiteness::unknown, run);
  keep(plain, centred, n, true, out);
  if (out.witness.size() == 0) return;
  Block<double> image(n, 1);
  op.apply(Block<double>(out.witness), image, run);
  out.witness_value = out.witness.dot(image.col(0));
}

Verdict judge(const KernelCheck& c) {
  if (!c.symmetric) return Verdict::invalid;
  if (c.known == Definiteness::psd) return Verdict::valid;
  if (c.min_eigenvalue >= -c.tolerance) return Verdict::valid_here;
  if (c.known == Definiteness::conditional || c.centered_min_eigenvalue >= -c.centered_tolerance)
    return Verdict::conditional;
  return Verdict::invalid;
}

std::vector<std::string> advice_for(const KernelCheck& c, const Kernel& kernel) {
  std::vector<std::string> out;
  if (!c.symmetric) {
    out.emplace_back("symmetrise: (k(x, y) + k(y, x))/2, or find the mistake in k");
    return out;
  }
  if (c.sees_nothing()) {  // whatever the verdict: HKH = 0 is positive semidefinite, and of no use
    out.emplace_back(
        "choose another kernel, or scale the inputs: HKH is 0 on this data, all points look alike to this "
        "one (it "
        "is constant, too wide or saturated), and kernel PCA finds no component");
    return out;
  }
  if (c.verdict == Verdict::valid_here)
    out.emplace_back("use it on this data; another data set may give another verdict");
  if (c.verdict == Verdict::conditional)
    out.emplace_back("kernel PCA is sound as it is, since it centres (keep --center yes)");
  if (c.verdict == Verdict::conditional || c.verdict == Verdict::invalid) {
    out.push_back(fmt::format(
        "shift: add {:.4g} to the diagonal of K; the eigenvectors stay, every eigenvalue grows by that",
        -c.min_eigenvalue));
    if (c.verdict == Verdict::invalid) {
      out.emplace_back(
          "clip: kpca --indefinite clip keeps the positive eigenvalues, the nearest PSD matrix to K");
      out.emplace_back(
          "flip: replace each eigenvalue of K by its magnitude and give the result as --kernel precomputed");
    }
  }
  if (c.verdict == Verdict::invalid)
    for (std::string& other : other_parameters(kernel)) out.push_back(std::move(other));
  return out;
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::valid:
      return "valid";
    case Verdict::valid_here:
      return "valid-here";
    case Verdict::conditional:
      return "conditional";
    default:
      return "invalid";
  }
}

template <class T>
KernelCheck check_kernel(const Kernel& kernel, const Samples<T>& samples, const Run& run) {
  require_samples(samples);
  const ThreadScope threads(run);
  if (kernel.is_precomputed() && samples.rows() != samples.cols())
    throw Error(ErrorCode::bad_data, fmt::format("a precomputed kernel matrix must be square, not {} x {}",
                                                 samples.rows(), samples.cols()));
  if (!kernel.is_precomputed()) kernel.check_data(samples);
  const Kernel resolved = kernel.resolved(samples, run.seed);
  const Samples<double> points = samples.template cast<double>();
  KernelCheck out;
  out.kernel = resolved.to_string();
  out.n = samples.rows();
  out.d = samples.cols();
  out.known = resolved.definiteness();
  look_at_symmetry(resolved, points, run, out);
  look_at_spectrum(resolved, points, run, out);
  out.verdict = judge(out);
  out.reasons = closure_in_words(resolved);
  out.advice = advice_for(out, resolved);
  return out;
}

template KernelCheck check_kernel(const Kernel&, const Samples<float>&, const Run&);
template KernelCheck check_kernel(const Kernel&, const Samples<double>&, const Run&);

}  // namespace mercer
