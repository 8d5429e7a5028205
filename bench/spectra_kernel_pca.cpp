// Spectra's side: the whole kernel matrix by our gram(), centred in place, and its implicitly restarted
// Lanczos with OpenBLAS's symmetric product on all threads. Prints one line of JSON:
//     spectra_bench x.npy COMPONENTS KERNEL REPEATS [scores.npy]
#include <mercer/mercer.hpp>

#include <Spectra/SymEigsSolver.h>
#include <cblas.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace {

using mercer::Index;

/// What SymEigsSolver asks of a matrix; each element of the triangle is read once.
class SymmetricProduct {
 public:
  using Scalar = double;
  explicit SymmetricProduct(const mercer::Matrix<double>& matrix) : matrix_(matrix) {}
  [[nodiscard]] Index rows() const { return matrix_.rows(); }
  [[nodiscard]] Index cols() const { return matrix_.cols(); }
  void perform_op(const double* x, double* y) const {
    const auto n = static_cast<blasint>(rows());
    cblas_dsymv(CblasRowMajor, CblasLower, n, 1, matrix_.data(), n, x, 1, 0, y, 1);
  }

 private:
  const mercer::Matrix<double>& matrix_;
};

void centre(mercer::Matrix<double>& k) {
  const Eigen::RowVectorXd means = k.colwise().mean();
  const double total = means.mean();
#pragma omp parallel for
  for (Index i = 0; i < k.rows(); ++i) k.row(i).array() += total - means[i] - means.array();
}

struct Pairs {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};

Pairs fit(const mercer::Samples<double>& samples, const mercer::Kernel& kernel, Index components) {
  mercer::Matrix<double> k = mercer::gram(kernel, samples);
  centre(k);
  SymmetricProduct product(k);
  Spectra::SymEigsSolver<SymmetricProduct> solver(
      product, components, std::min(k.rows(), std::max<Index>(2 * components + 1, 20)));
  solver.init();
  solver.compute(Spectra::SortRule::LargestAlge, 1000, 1e-10);
  if (solver.info() != Spectra::CompInfo::Successful) {
    std::fputs("spectra_bench: not converged\n", stderr);
    std::exit(1);
  }
  return {solver.eigenvalues(), solver.eigenvectors()};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fputs("usage: spectra_bench x.npy COMPONENTS KERNEL REPEATS [scores.npy]\n", stderr);
    return 2;
  }
  try {
    const auto samples = mercer::read_dataset<double>(argv[1]).samples;
    const auto kernel = mercer::Kernel::parse(argv[3]).resolved(samples);
    std::vector<double> seconds;
    Pairs found;
    mercer::Matrix<double> scores;
    for (int i = 0; i < std::atoi(argv[4]); ++i) {
      const auto start = std::chrono::steady_clock::now();
      found = fit(samples, kernel, std::atol(argv[2]));
      scores = found.vectors * found.values.cwiseSqrt().asDiagonal();
      seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    if (argc > 5) mercer::write_table<double>(argv[5], scores);
    fmt::print("{{\"seconds\": [{}], \"eigenvalues\": [{:.17g}]}}\n", fmt::join(seconds, ", "),
               fmt::join(found.values, ", "));
  } catch (const mercer::Error& error) {
    std::fprintf(stderr, "spectra_bench: %s\n", error.what());
    return static_cast<int>(error.code());
  } catch (const std::bad_alloc&) {
    std::fputs("spectra_bench: out of memory\n", stderr);
    return 1;
  }
}
