// BLAS and LAPACK of OpenBLAS behind typed overloads.
#include "base/linalg.hpp"

#include "base/parallel.hpp"

#include <mercer/error.hpp>

#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <vector>

extern "C" {
void dsyevd_(const char*, const char*, const int*, double*, const int*, double*, double*, const int*, int*,
             const int*, int*);
void dsyevr_(const char*, const char*, const char*, const int*, double*, const int*, const double*,
             const double*, const int*, const int*, const double*, int*, double*, double*, const int*, int*,
             double*, const int*, int*, const int*, int*);
void dsygvd_(const int*, const char*, const char*, const int*, double*, const int*, double*, const int*,
             double*, double*, const int*, int*, const int*, int*);
void dgeqrf_(const int*, const int*, double*, const int*, double*, double*, const int*, int*);
void sgeqrf_(const int*, const int*, float*, const int*, float*, float*, const int*, int*);
void dorgqr_(const int*, const int*, const int*, double*, const int*, const double*, double*, const int*,
             int*);
void sorgqr_(const int*, const int*, const int*, float*, const int*, const float*, float*, const int*, int*);
void dgesdd_(const char*, const int*, const int*, double*, const int*, double*, double*, const int*, double*,
             const int*, double*, const int*, int*, int*);
void dgejsv_(const char*, const char*, const char*, const char*, const char*, const char*, const int*,
             const int*, double*, const int*, double*, double*, const int*, double*, const int*, double*,
             const int*, int*, int*);
void dpotrf_(const char*, const int*, double*, const int*, int*);
void dpstrf_(const char*, const int*, double*, const int*, int*, int*, const double*, double*, int*);
void dsytrf_(const char*, const int*, double*, const int*, int*, double*, const int*, int*);
}

namespace mercer::linalg {
namespace {

/// LAPACK counts in 32 bits: a larger matrix must be refused, not wrapped around.
int narrow(Index value) {
  if (value > 2147483647)
    throw Error(ErrorCode::no_memory, fmt::format("a dimension of {} is beyond LAPACK", value));
  return static_cast<int>(value);
}

CBLAS_TRANSPOSE flag(Transpose t) { return t == Transpose::yes ? CblasTrans : CblasNoTrans; }

void require_success(int info, const char* routine) {
  if (info != 0)
    throw Error(ErrorCode::internal, fmt::format("LAPACK's {} failed with info = {}", routine, info));
}

/// OpenBLAS's own threads wait for each other by spinning, which costs whole time slices on a busy
/// machine; for small problems one thread is as fast.
struct OneThread : ThreadScope {
  OneThread() : ThreadScope(Run{.threads = 1}) {}
};

/// Tall products are cut into this many chunks of rows, each for one thread: a number that depends on
/// the sizes alone, so that sums do not depend on the number of threads.
Index row_chunks(Index rows, Index a_cols, Index b_cols) {
  const double work = double(rows) * double(a_cols) * double(b_cols);
  return work < 5e5 ? 1 : std::clamp<Index>(rows / 512, 1, 16);
}

/// f(chunk, from, rows) for each chunk. A single one is for one thread too: BLAS would split it by their
/// number.
template <class F>
void for_row_chunks(Index rows, Index chunks, const F& f) {
  std::optional<OneThread> alone;
  if (chunks == 1) alone.emplace();
  parallel_for(chunks, {}, [&](Index chunk) {
    const Index from = rows * chunk / chunks;
    f(chunk, from, rows * (chunk + 1) / chunks - from);
  });
}

/// Debian's serial OpenBLAS has no locks around its buffers: then one call at a time.
std::unique_lock<std::mutex> turn() {
  static std::mutex mutex;
  static const bool needed = openblas_get_parallel() == 0;
  return needed ? std::unique_lock(mutex) : std::unique_lock<std::mutex>();
}

template <class T, class Double, class Float>
constexpr auto choose(Double d, Float f) {
  if constexpr (std::is_same_v<T, double>)
    return d;
  else
    return f;
}

}  // namespace

template <class T>
void gemm(Transpose ta, Transpose tb, Index m, Index n, Index k, T alpha, const T* a, Index lda, const T* b,
          Index ldb, T beta, T* c, Index ldc) {
  if (m == 0 || n == 0) return;
  const auto mine = turn();
  choose<T>(cblas_dgemm, cblas_sgemm)(CblasColMajor, flag(ta), flag(tb), narrow(m), narrow(n), narrow(k),
                                      alpha, a, narrow(lda), b, narrow(ldb), beta, c, narrow(ldc));
}

template <class T>
void syrk(Transpose ta, Index n, Index k, T alpha, const T* a, Index lda, T beta, T* c, Index ldc) {
  // Panels of columns, each for one thread: BLAS would split C by the number of threads, for other bits.
  constexpr Index width = 128;
  const bool transposed = ta == Transpose::yes;
  const auto rows_from = [&](Index row) { return a + (transposed ? row * lda : row); };  // of op(A)
  parallel_for((n + width - 1) / width, {}, [&](Index panel) {
    const Index j = panel * width, cols = std::min(width, n - j), below = j + cols;
    {
      const auto mine = turn();
      choose<T>(cblas_dsyrk, cblas_ssyrk)(CblasColMajor, CblasLower, flag(ta), narrow(cols), narrow(k), alpha,
                                          rows_from(j), narrow(lda), beta, c + j * (ldc + 1), narrow(ldc));
    }
    gemm<T>(ta, transposed ? Transpose::no : Transpose::yes, n - below, cols, k, alpha, rows_from(below), lda,
            rows_from(j), lda, beta, c + j * ldc + below, ldc);
  });
}

template <class T>
void gemv(Transpose ta, Index m, Index n, const T* a, Index lda, const T* x, T* y) {
  const auto mine = turn();
  choose<T>(cblas_dgemv, cblas_sgemv)(CblasColMajor, flag(ta), narrow(m), narrow(n), T(1), a, narrow(lda), x,
                                      1, T(0), y, 1);
}

template <class T>
T dot(Index n, const T* x, const T* y) {
  return choose<T>(cblas_ddot, cblas_sdot)(narrow(n), x, 1, y, 1);
}

template <class T>
void solve_lower(Transpose tl, Index m, Index n, const T* l, Index ldl, T* x, Index ldx) {
  if (m == 0 || n == 0) return;
  const auto mine = turn();
  choose<T>(cblas_dtrsm, cblas_strsm)(CblasColMajor, CblasLeft, CblasLower, flag(tl), CblasNonUnit, narrow(m),
                                      narrow(n), T(1), l, narrow(ldl), x, narrow(ldx));
}

namespace {

/// LAPACK goes on with what is no number, and to no end that one could name.
void require_finite(const Block<double>& matrix) {
  if (!matrix.allFinite())
    throw Error(ErrorCode::bad_data, "numbers so large that their products overflow", "scale the data first");
}

}  // namespace

void syevd(Block<double>& matrix, Vector<double>& values) {
  std::optional<OneThread> alone;
  if (matrix.rows() < 500) alone.emplace();
  require_finite(matrix);
  const auto mine = turn();
  const int n = narrow(matrix.rows());
  values.resize(n);
  if (n == 0) return;
  int info = 0, iwork_size = -1, work_size = -1;
  double work_query = 0;
  int iwork_query = 0;
  dsyevd_("V", "L", &n, matrix.data(), &n, values.data(), &work_query, &work_size, &iwork_query, &iwork_size,
          &info);
  require_success(info, "syevd");
  work_size = std::max(static_cast<int>(work_query), narrow(1 + 6 * Index(n) + 2 * Index(n) * n));
  iwork_size = std::max(iwork_query, 3 + 5 * n);
  std::vector<double> work(static_cast<std::size_t>(work_size));
  std::vector<int> iwork(static_cast<std::size_t>(iwork_size));
  dsyevd_("V", "L", &n, matrix.data(), &n, values.data(), work.data(), &work_size, iwork.data(), &iwork_size,
          &info);
  require_success(info, "syevd");
}

void syevr(Block<double>& matrix, Index first, Index last, Vector<double>& values, Block<double>& vectors) {
  // LAPACK finds some of the values by dstebz, which reads outside its arrays on some highly degenerate
  // matrices; where all of them are cheap they are computed instead.
  if (matrix.rows() < 1000) {
    Vector<double> every;
    syevd(matrix, every);
    values = every.segment(first, last - first + 1);
    vectors = matrix.middleCols(first, last - first + 1);
    return;
  }
  require_finite(matrix);
  const auto mine = turn();
  const int n = narrow(matrix.rows());
  const int il = narrow(first + 1), iu = narrow(last + 1), wanted = iu - il + 1;
  Vector<double> all(n);
  vectors.resize(n, wanted);
  std::vector<int> support(2 * static_cast<std::size_t>(std::max(1, wanted)));
  int found = 0, info = 0, work_size = -1, iwork_size = -1, iwork_query = 0;
  double work_query = 0;
  const double unused = 0, tolerance = 0;
  dsyevr_("V", "I", "L", &n, matrix.data(), &n, &unused, &unused, &il, &iu, &tolerance, &found, all.data(),
          vectors.data(), &n, support.data(), &work_query, &work_size, &iwork_query, &iwork_size, &info);
  require_success(info, "syevr");
  work_size = std::max(static_cast<int>(work_query), 26 * n);
  iwork_size = std::max(iwork_query, 10 * n);
  std::vector<double> work(static_cast<std::size_t>(work_size));
  std::vector<int> iwork(static_cast<std::size_t>(iwork_size));
  dsyevr_("V", "I", "L", &n, matrix.data(), &n, &unused, &unused, &il, &iu, &tolerance, &found, all.data(),
          vectors.data(), &n, support.data(), work.data(), &work_size, iwork.data(), &iwork_size, &info);
  require_success(info, "syevr");
  values = all.head(wanted);
}

void sygvd(Block<double>& a, Block<double>& b, Vector<double>& values) {
  const OneThread alone;
  const auto mine = turn();
  const int n = narrow(a.rows()), kind = 1;
  values.resize(n);
  if (n == 0) return;
  if (n > max_syevd)
    throw Error(ErrorCode::no_memory, fmt::format("a matrix of {} rows is beyond LAPACK", a.rows()));
  int info = 0;
  const int work_size = 1 + 6 * n + 2 * n * n, iwork_size = 3 + 5 * n;
  std::vector<double> work(static_cast<std::size_t>(work_size));
  std::vector<int> iwork(static_cast<std::size_t>(iwork_size));
  dsygvd_(&kind, "V", "L", &n, a.data(), &n, b.data(), &n, values.data(), work.data(), &work_size,
          iwork.data(), &iwork_size, &info);
  require_success(info, "sygvd");
}

namespace {

/// Householder's reflectors below the diagonal of w and in tau, R on and above it.
template <class T>
void reflect(BlockRef<T> w, Vector<T>& tau, std::vector<T>& work) {
  const int n = narrow(w.rows()), b = narrow(w.cols()), stride = narrow(w.outerStride());
  tau.resize(b);
  work.resize(static_cast<std::size_t>(std::max(1, b)) * 64);
  const int work_size = static_cast<int>(work.size());
  int info = 0;
  const auto mine = turn();
  choose<T>(dgeqrf_, sgeqrf_)(&n, &b, w.data(), &stride, tau.data(), work.data(), &work_size, &info);
  require_success(info, "geqrf");
}

}  // namespace

template <class T>
Block<T> qr_triangle(BlockRef<T> w) {
  const OneThread alone;
  Vector<T> tau;
  std::vector<T> work;
  reflect<T>(w, tau, work);
  return w.topRows(w.cols()).template triangularView<Eigen::Upper>();
}

template <class T>
Block<T> qr(BlockRef<T> w) {
  const OneThread alone;
  Vector<T> tau;
  std::vector<T> work;
  reflect<T>(w, tau, work);
  const int n = narrow(w.rows()), b = narrow(w.cols()), stride = narrow(w.outerStride());
  const int work_size = static_cast<int>(work.size());
  int info = 0;
  Block<T> r = w.topRows(b).template triangularView<Eigen::Upper>();
  const auto mine = turn();
  choose<T>(dorgqr_, sorgqr_)(&n, &b, &b, w.data(), &stride, tau.data(), work.data(), &work_size, &info);
  require_success(info, "orgqr");
  return r;
}

void svd(Block<double>& matrix, Vector<double>& values) {
  std::optional<OneThread> alone;
  if (matrix.rows() < 500) alone.emplace();
  const auto mine = turn();
  const int n = narrow(matrix.rows());
  values.resize(n);
  if (n == 0) return;
  if (n > max_syevd)  // the workspace is counted in 32 bits
    throw Error(ErrorCode::no_memory, fmt::format("a matrix of {} rows is beyond LAPACK", matrix.rows()));
  Block<double> right(n, n);
  int info = 0, work_size = -1;
  double query = 0;
  std::vector<int> iwork(8 * static_cast<std::size_t>(n));
  const auto call = [&](double* work) {
    dgesdd_("O", &n, &n, matrix.data(), &n, values.data(), nullptr, &n, right.data(), &n, work, &work_size,
            iwork.data(), &info);
    require_success(info, "gesdd");
  };
  call(&query);
  work_size = static_cast<int>(query);
  std::vector<double> work(static_cast<std::size_t>(work_size));
  call(work.data());
}

void graded_svd(Block<double>& matrix, Vector<double>& values, Block<double>& right) {
  const OneThread alone;
  require_finite(matrix);
  const auto mine = turn();
  const int n = narrow(matrix.rows());
  values.resize(n);
  right.resize(n, n);
  if (n == 0) return;
  if (n > max_syevd)  // the workspace is counted in 32 bits
    throw Error(ErrorCode::no_memory, fmt::format("a matrix of {} rows is beyond LAPACK", matrix.rows()));
  const int work_size = std::max(2 * n * n + 6 * n, 7), one = 1;
  double unused = 0;
  int info = 0;
  std::vector<double> work(static_cast<std::size_t>(work_size));
  std::vector<int> iwork(4 * static_cast<std::size_t>(n) + 3);
  dgejsv_("F", "N", "V", "N", "N", "N", &n, &n, matrix.data(), &n, values.data(), &unused, &one, right.data(),
          &n, work.data(), &work_size, iwork.data(), &info);
  require_success(info, "gejsv");
  values *= work[0] / work[1];
}

Index cholesky(Block<double>& matrix) {
  const OneThread alone;
  const auto mine = turn();
  const int n = narrow(matrix.rows());
  if (n == 0) return 0;
  int info = 0;
  dpotrf_("L", &n, matrix.data(), &n, &info);
  if (info < 0) require_success(info, "potrf");
  matrix.triangularView<Eigen::StrictlyUpper>().setZero();
  return info > 0 ? info - 1 : n;
}

PivotOrder pivoted_cholesky(Block<double>& matrix, double least) {
  PivotOrder out;
  const OneThread alone;
  const auto mine = turn();
  const int n = narrow(matrix.rows());
  if (n == 0) return out;
  if (!(matrix.diagonal().maxCoeff() > least)) {  // LAPACK takes the first pivot whatever is left of it
    for (Index i = 0; i < n; ++i) out.order.push_back(i);
    return out;
  }
  std::vector<int> pivots(static_cast<std::size_t>(n));
  std::vector<double> work(2 * static_cast<std::size_t>(n));
  int rank = 0, info = 0;
  dpstrf_("L", &n, matrix.data(), &n, pivots.data(), &rank, &least, work.data(), &info);
  if (info < 0) require_success(info, "pstrf");
  for (const int pivot : pivots) out.order.push_back(pivot - 1);
  out.rank = rank;
  return out;
}

Index positive_inertia(Block<double>& matrix) {
  const auto mine = turn();
  const int n = narrow(matrix.rows());
  std::vector<int> pivots(static_cast<std::size_t>(n));
  int info = 0, work_size = -1;
  double query = 0;
  dsytrf_("L", &n, matrix.data(), &n, pivots.data(), &query, &work_size, &info);
  work_size = std::max(1, static_cast<int>(query));
  std::vector<double> work(static_cast<std::size_t>(work_size));
  dsytrf_("L", &n, matrix.data(), &n, pivots.data(), work.data(), &work_size, &info);
  if (info < 0) require_success(info, "sytrf");
  Index positive = 0;
  for (int i = 0; i < n; ++i) {
    if (pivots[static_cast<std::size_t>(i)] > 0) {  // a 1x1 block of D
      positive += matrix(i, i) > 0;
    } else {  // a 2x2 block: Bunch-Kaufman chooses one only when it is indefinite
      positive += 1;
      ++i;
    }
  }
  return positive;
}

template <class T>
Block<T> transposed_times(const BlockView<T>& a, const BlockView<T>& b) {
  const Index chunks = row_chunks(a.rows(), a.cols(), b.cols());
  std::vector<Block<T>> parts(static_cast<std::size_t>(chunks), Block<T>(a.cols(), b.cols()));
  for_row_chunks(a.rows(), chunks, [&](Index chunk, Index from, Index rows) {
    Block<T>& c = parts[static_cast<std::size_t>(chunk)];
    gemm<T>(Transpose::yes, Transpose::no, a.cols(), b.cols(), rows, 1, a.data() + from, a.outerStride(),
            b.data() + from, b.outerStride(), 0, c.data(), std::max<Index>(1, c.outerStride()));
  });
  for (std::size_t i = 1; i < parts.size(); ++i) parts[0] += parts[i];
  return std::move(parts[0]);
}

template <class T>
void add_product(T alpha, const BlockView<T>& a, const BlockView<T>& b, BlockRef<T> c) {
  if (a.cols() == 0) return;
  const Index chunks = row_chunks(a.rows(), a.cols(), b.cols());
  for_row_chunks(a.rows(), chunks, [&](Index, Index from, Index rows) {
    gemm<T>(Transpose::no, Transpose::no, rows, b.cols(), a.cols(), alpha, a.data() + from, a.outerStride(),
            b.data(), b.outerStride(), 1, c.data() + from, c.outerStride());
  });
}

template <class T>
void multiply_right(BlockRef<T> a, const BlockView<T>& b) {
  constexpr Index height = 256;  // rows at a time, which stay in cache
  const Index strips = (a.rows() + height - 1) / height;
  const auto multiply = [&](Index strip) {
    const Index from = strip * height, rows = std::min(height, a.rows() - from);
    thread_local std::vector<T> product;
    product.resize(static_cast<std::size_t>(rows * b.cols()));
    gemm<T>(Transpose::no, Transpose::no, rows, b.cols(), a.cols(), 1, a.data() + from, a.outerStride(),
            b.data(), b.outerStride(), 0, product.data(), rows);
    a.middleRows(from, rows) = Eigen::Map<const Block<T>>(product.data(), rows, b.cols());
  };
  if (row_chunks(a.rows(), a.cols(), b.cols()) > 1) {
    parallel_for(strips, {}, multiply);
  } else {
    const OneThread alone;
    for (Index strip = 0; strip < strips; ++strip) multiply(strip);
  }
}

#define MERCER_INSTANTIATE(T)                                                                              \
  template void gemm<T>(Transpose, Transpose, Index, Index, Index, T, const T*, Index, const T*, Index, T, \
                        T*, Index);                                                                        \
  template void syrk<T>(Transpose, Index, Index, T, const T*, Index, T, T*, Index);                        \
  template void gemv<T>(Transpose, Index, Index, const T*, Index, const T*, T*);                           \
  template T dot<T>(Index, const T*, const T*);                                                            \
  template void solve_lower<T>(Transpose, Index, Index, const T*, Index, T*, Index);                       \
  template Block<T> qr<T>(BlockRef<T>);                                                                    \
  template Block<T> qr_triangle<T>(BlockRef<T>);                                                           \
  template Block<T> transposed_times<T>(const BlockView<T>&, const BlockView<T>&);                         \
  template void add_product<T>(T, const BlockView<T>&, const BlockView<T>&, BlockRef<T>);                  \
  template void multiply_right<T>(BlockRef<T>, const BlockView<T>&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer::linalg
