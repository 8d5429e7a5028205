// What all trials share: data in the form asked for, scaling, new points, files.
#include "trial.hpp"

#include <unistd.h>

#include <filesystem>

namespace certify {
namespace {

using mercer::ErrorCode;
using mercer::Index;
using mercer::Matrix;
using mercer::Samples;

void note_refusal(Outcome& out, const mercer::Error& error) {
  out.refused = error.code();
  out.refusal = error.what();
  const ErrorCode code = error.code();
  out.holds("errors have a sensible code",
            code == ErrorCode::usage || code == ErrorCode::not_converged || code == ErrorCode::no_memory ||
                code == ErrorCode::not_psd || code == ErrorCode::bad_data,
            out.refusal);
}

std::string scratch_file() {
  const std::filesystem::path memory = "/dev/shm";
  std::error_code none;
  const auto folder =
      std::filesystem::is_directory(memory, none) ? memory : std::filesystem::temp_directory_path();
  return (folder / ("mercer-certify-" + std::to_string(::getpid()) + ".mercer")).string();
}

/// Equal bits, so that NaN equals NaN and 0 is not −0.
template <class A>
bool same_bits(const A& a, const A& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::equal(reinterpret_cast<const char*>(a.data()),
                    reinterpret_cast<const char*>(a.data() + a.size()),
                    reinterpret_cast<const char*>(b.data()));
}

bool same_report(const mercer::Report& a, const mercer::Report& b) {
  bool same = a.components == b.components && a.n == b.n && a.d == b.d && a.kernel == b.kernel &&
              a.trace == b.trace && same_bits(a.gram_eigenvalues, b.gram_eigenvalues) &&
              same_bits(a.residuals, b.residuals) &&
              same_bits(a.explained_variance_ratio, b.explained_variance_ratio) &&
              a.missed.rigorous == b.missed.rigorous && a.missed.probable == b.missed.probable &&
              a.notes == b.notes && a.bounds.has_value() == b.bounds.has_value();
  if (same && a.bounds)
    same = same_bits(a.bounds->low, b.bounds->low) && same_bits(a.bounds->high, b.bounds->high) &&
           same_bits(a.bounds->rigorous_low, b.bounds->rigorous_low) &&
           same_bits(a.bounds->rigorous_high, b.bounds->rigorous_high);
  return same;
}

}  // namespace

Outcome try_case(const FitCase& c) {
  Outcome out;
  try {
    if (c.method == "kpca")
      try_kernel_pca(c, out);
    else if (c.method == "lda" || c.method == "klda")
      try_discriminant(c, out);
    else if (c.method == "isomap" || c.method == "lle" || c.method == "hlle" || c.method == "laplacian")
      try_map(c, out);
    else
      try_pca(c, out);
  } catch (const mercer::Error& error) {
    note_refusal(out, error);
  } catch (const std::exception& error) {
    out.holds("errors are mercer::Error", false, error.what());
  }
  return out;
}

mercer::Run run_of(const FitCase& c, int threads) {
  return {.threads = threads, .seed = c.seed % 1000, .memory = 2000000000};
}

template <class T>
Samples<T> samples_of(const FitCase& c, const Matrix<double>& rows) {
  const Matrix<T> cast = rows.template cast<T>();
  if (!c.sparse) return Matrix<T>(cast);
  mercer::SparseMatrix<T> sparse = cast.sparseView();
  sparse.makeCompressed();
  return sparse;
}

Matrix<double> new_points(const FitCase& c) {
  const Index n = c.x.rows(), d = c.x.cols(), count = std::min<Index>(n, 6);
  Matrix<double> out(count, d);
  for (Index i = 0; i < count; ++i) {
    const Index a = (i * 7 + Index(c.seed % 13)) % n, b = (i * 5 + 1) % n;
    const double share = i == 0 ? 0 : 0.25 * double(i);  // the first is a row itself
    out.row(i) = (1 - share) * c.x.row(a) + share * c.x.row(b);
  }
  if (c.kernel.has("chi2") || c.kernel.has("additive_chi2")) out = out.cwiseAbs().eval();
  if (c.precision == mercer::Precision::float32) out = out.cast<float>().cast<double>().eval();
  return out;
}

template <class T>
RealMatrix scaled_rows(Outcome& out, const Matrix<double>& rows, const Matrix<double>& fitted,
                       mercer::Scale kind, const mercer::Scaling<T>* remembered) {
  RealMatrix x = rows.cast<T>().template cast<Real>();
  if (kind == mercer::Scale::none) return x;
  const auto own = mercer::Scaling<T>::fit(kind, Samples<T>(Matrix<T>(fitted.cast<T>())));
  if (!remembered) remembered = &own;
  const RealMatrix whole = fitted.cast<T>().template cast<Real>();
  const auto n = Real(whole.rows());
  const RealVector first = whole.row(0).transpose();
  const RealVector mean = first + (whole.rowwise() - first.transpose()).colwise().mean().transpose();
  const RealVector sigma =
      ((whole.rowwise() - mean.transpose()).colwise().squaredNorm() / n).cwiseSqrt().transpose();
  for (Index j = 0; j < x.cols(); ++j) {
    Real shift = mean[j], factor = 1;
    if (kind == mercer::Scale::standardize && sigma[j] > n * 0x1p-52L * std::abs(mean[j]))
      factor = 1 / sigma[j];
    {
      const Real unit = n * 0x1p-52L, large = whole.col(j).cwiseAbs().maxCoeff();
      out.within("scaling remembers the mean", std::abs(Real(remembered->shift[j]) - shift), unit * large);
      shift = remembered->shift[j];
      if (kind == mercer::Scale::standardize) {
        if (factor != 1 && sigma[j] > 1e3L * n * 0x1p-52L * std::abs(mean[j]))
          out.within(
              "scaling remembers the deviation", std::abs(Real(remembered->factor[j]) * sigma[j] - 1),
              unit * (1 + large * large / sigma[j] / sigma[j] * 0x1p-52L * n) + unit * large / sigma[j]);
        factor = remembered->factor[j];
      }
    }
    for (Index i = 0; i < x.rows(); ++i)
      x(i, j) = Real(T((double(x(i, j)) - double(shift)) * double(factor)));  // as models round them
  }
  return x;
}

template <class T>
void check_same(Outcome& out, const std::string& claim, const mercer::Model<T>& a, const mercer::Model<T>& b,
                const Samples<T>& points) {
  out.holds(claim + ": the report", same_report(a.report(), b.report()));
  if (a.components() != b.components() || a.components() == 0) return;
  out.holds(claim + ": new points",
            same_bits(a.transform(points, {.threads = 1}), b.transform(points, {.threads = 1})));
  try {
    const Matrix<T> scores = a.scores();
    out.holds(claim + ": the scores", same_bits(scores, b.scores()));
  } catch (const mercer::Error&) {  // a model fitted in passes keeps none
  }
}

template <class T>
void check_saved(Outcome& out, const mercer::Model<T>& model, const Samples<T>& points) {
  const std::string path = scratch_file();
  model.save(path);
  const auto again = mercer::load_model<T>(path);
  std::filesystem::remove(path);
  check_same<T>(out, "a model that was saved and loaded is the same", model, *again, points);
}

#define CERTIFY_INSTANTIATE(T)                                                                             \
  template Samples<T> samples_of(const FitCase&, const Matrix<double>&);                                   \
  template RealMatrix scaled_rows(Outcome&, const Matrix<double>&, const Matrix<double>&, mercer::Scale,   \
                                  const mercer::Scaling<T>*);                                              \
  template void check_same(Outcome&, const std::string&, const mercer::Model<T>&, const mercer::Model<T>&, \
                           const Samples<T>&);                                                             \
  template void check_saved(Outcome&, const mercer::Model<T>&, const Samples<T>&);
CERTIFY_INSTANTIATE(float)
CERTIFY_INSTANTIATE(double)
#undef CERTIFY_INSTANTIATE

}  // namespace certify
