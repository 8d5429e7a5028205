// Block Krylov against another library's Lanczos (Spectra), where eigenvalues are simple.
#include <mercer/kernel.hpp>
#include <mercer/spectrum.hpp>

#include "operator/centered.hpp"
#include "operator/gram_operator.hpp"
#include "support.hpp"

#include <Spectra/MatOp/DenseSymMatProd.h>
#include <Spectra/SymEigsSolver.h>

namespace mercer {
namespace {

TEST(Spectra, AgreesOnCentredKernelMatrices) {
  for (const char* text :
       {"rbf(gamma=0.1)", "poly(degree=2)", "laplacian(gamma=0.1)", "matern52(length=3)"}) {
    const Index n = 500, k = 8;
    const Samples<double> x = test::random_matrix<double>(n, 5, 1);
    const Kernel kernel = Kernel::parse(text);
    const GramOperator gram_operator(kernel, x, Storage::stored);
    const Spectrum<double> ours = eigenpairs<double>(CenteredOperator<double>(gram_operator), {.count = k});

    const Eigen::MatrixXd h =
        Eigen::MatrixXd::Identity(n, n) - Eigen::MatrixXd::Constant(n, n, 1.0 / double(n));
    const Eigen::MatrixXd centred = h * Eigen::MatrixXd(gram(kernel, x)) * h;
    Spectra::DenseSymMatProd<double> product(centred);
    Spectra::SymEigsSolver<Spectra::DenseSymMatProd<double>> solver(product, k, 40);
    solver.init();
    solver.compute(Spectra::SortRule::LargestAlge, 2000, 1e-13);
    ASSERT_EQ(solver.info(), Spectra::CompInfo::Successful) << text;
    EXPECT_LT((ours.values - solver.eigenvalues()).norm(), 1e-9 * ours.values[0]) << text;
    EXPECT_LT(test::subspace_distance(ours.vectors, solver.eigenvectors()), 1e-6) << text;
  }
}

}  // namespace
}  // namespace mercer
