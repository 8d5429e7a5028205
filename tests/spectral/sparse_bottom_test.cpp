// The bottom of sparse matrices against spectra in closed form and LAPACK.
#include "spectral/sparse_bottom.hpp"

#include "operator/shift_invert.hpp"
#include "support.hpp"

#include <numbers>

namespace mercer {
namespace {

constexpr BottomMethod both[] = {BottomMethod::shift_invert, BottomMethod::iteration};

SparseMatrix<double> of_triplets(Index n, const std::vector<Eigen::Triplet<double, std::int64_t>>& entries) {
  SparseMatrix<double> out(n, n);
  out.setFromTriplets(entries.begin(), entries.end());
  return out;
}

/// The Laplacian of a grid: eigenvalues 4 − 2cos(πi/r) − 2cos(πj/c), null vector 1.
SparseMatrix<double> grid(Index rows, Index cols) {
  std::vector<Eigen::Triplet<double, std::int64_t>> entries;
  const auto join = [&](Index a, Index b) {
    entries.emplace_back(a, a, 1);
    entries.emplace_back(b, b, 1);
    entries.emplace_back(a, b, -1);
    entries.emplace_back(b, a, -1);
  };
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j) {
      if (i + 1 < rows) join(i * cols + j, (i + 1) * cols + j);
      if (j + 1 < cols) join(i * cols + j, i * cols + j + 1);
    }
  return of_triplets(rows * cols, entries);
}

Vector<double> grid_values(Index rows, Index cols) {
  std::vector<double> out;
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j)
      out.push_back(4 - 2 * std::cos(std::numbers::pi * double(i) / double(rows)) -
                    2 * std::cos(std::numbers::pi * double(j) / double(cols)));
  std::sort(out.begin(), out.end());
  return Eigen::Map<Vector<double>>(out.data(), static_cast<Index>(out.size()));
}

TEST(SparseBottom, AGridHasTheEigenvaluesOfItsWaves) {
  const SparseMatrix<double> a = grid(40, 23);
  const Vector<double> expected = grid_values(40, 23);
  const Vector<double> ones = Vector<double>::Ones(a.rows());
  for (const BottomMethod method : both) {
    const BottomPairs found = bottom_eigenpairs(a, ones, {.count = 6, .method = method}, {});
    const Spectrum<double>& s = found.spectrum;
    EXPECT_EQ(found.method, method);
    EXPECT_EQ(found.norm, 8);
    ASSERT_EQ(s.values.size(), 6);
    for (Index i = 0; i < 6; ++i) {
      EXPECT_NEAR(s.values[i], expected[i + 1], 1e-12);
      EXPECT_LE(s.residuals[i], 8e-10);
      EXPECT_NEAR((a * s.vectors.col(i) - s.values[i] * s.vectors.col(i)).norm(), s.residuals[i], 1e-13);
    }
    EXPECT_LE((s.vectors.transpose() * s.vectors - Block<double>::Identity(6, 6)).norm(), 1e-12);
    EXPECT_LE((s.vectors.transpose() * ones).norm(), 1e-12 * ones.norm());
    EXPECT_LE(s.missed.probable, expected[7] + 1e-12) << "a bound from below";
    EXPECT_GE(s.missed.probable, expected[6]) << "that tells the wanted ones from the others";
    EXPECT_LE(s.missed.rigorous, s.missed.probable);
    EXPECT_EQ(found.factor_bytes > 0, method == BottomMethod::shift_invert);
  }
}

TEST(SparseBottom, TheCountOfEigenvaluesBelowIsProven) {
  const SparseMatrix<double> a = grid(40, 23);
  const BottomPairs found = bottom_eigenpairs(a, Vector<double>::Ones(a.rows()), {.count = 6}, {});
  const Vector<double> expected = grid_values(40, 23);
  EXPECT_GT(found.spectrum.missed.rigorous, expected[6]);
  EXPECT_LE(found.spectrum.missed.rigorous, expected[7] + 1e-12);
}

TEST(SparseBottom, InertiaCountsWhatLiesBelow) {
  const SparseMatrix<double> a = grid(17, 11);
  const Vector<double> values = grid_values(17, 11);
  const ShiftInvert inverse(a, {}, {});
  for (const double shift : {0.011, 0.5, 3.9001, 7.0}) {
    const Inertia inertia = inverse.inertia(shift, {});
    EXPECT_EQ(inertia.below, (values.array() < shift).count());
    EXPECT_LT(inertia.error, 1e-8);
    EXPECT_GT(inertia.error, 0);
  }
}

TEST(SparseBottom, WithoutANullVectorTheNullSpaceIsFound) {
  const Block<double> half = test::random_matrix<double>(380, 372, 3);
  Block<double> full = half * half.transpose();  // 8 null vectors
  full = ((full + full.transpose()) / 2).eval();
  const SparseMatrix<double> a = full.sparseView();
  const BottomPairs found = bottom_eigenpairs(a, {}, {.count = 10, .method = BottomMethod::shift_invert}, {});
  const Spectrum<double> expected = dense_eigenpairs<double>(full, 12, End::smallest);
  EXPECT_LE(found.spectrum.values.head(8).cwiseAbs().maxCoeff(), 1e-13 * found.norm);
  EXPECT_NEAR(found.spectrum.values[9], expected.values[9], 1e-12 * found.norm);
  EXPECT_LE(found.spectrum.missed.probable, expected.values[10] + 1e-12 * found.norm);
}

TEST(SparseBottom, APieceOfItsOwnIsAnotherNullVector) {
  SparseMatrix<double> a = grid(20, 30);
  for (Index i = 0; i < 10; ++i)  // cut all links between rows 9 and 10
    for (Index j = 0; j < 30; ++j) {
      const Index one = 9 * 30 + j, other = 10 * 30 + j;
      if (i > 0) continue;
      a.coeffRef(one, other) = a.coeffRef(other, one) = 0;
      a.coeffRef(one, one) -= 1;
      a.coeffRef(other, other) -= 1;
    }
  const Vector<double> ones = Vector<double>::Ones(a.rows());
  for (const BottomMethod method : both) {
    const BottomPairs found = bottom_eigenpairs(a, ones, {.count = 3, .method = method}, {});
    EXPECT_NEAR(found.spectrum.values[0], 0, 1e-13);
    EXPECT_NEAR(found.spectrum.values[1], grid_values(10, 30)[1], 1e-12);
    EXPECT_NEAR(found.spectrum.values[2], grid_values(10, 30)[1], 1e-12) << "one in each piece";
    const Vector<double> v = found.spectrum.vectors.col(0);
    EXPECT_NEAR(v[0], -v[599], 1e-9);
    EXPECT_NEAR(v[0], v[299], 1e-9);
  }
}

TEST(SparseBottom, ABottomOverManyMagnitudesIsFoundToTheLastPair) {
  constexpr Index n = 400;
  std::vector<Eigen::Triplet<double, std::int64_t>> entries;
  for (Index i = 0; i < n; ++i)
    entries.emplace_back(i, i, std::pow(10.0, -9 + 0.5 * double(std::min<Index>(i, 18))));
  const SparseMatrix<double> a = of_triplets(n, entries);
  const BottomPairs found = bottom_eigenpairs(a, {}, {.count = 12, .method = BottomMethod::shift_invert}, {});
  for (Index i = 0; i < 12; ++i) {
    EXPECT_NEAR(found.spectrum.values[i], std::pow(10.0, -9 + 0.5 * double(i)), 1e-15);
    EXPECT_NEAR(std::abs(found.spectrum.vectors(i, i)), 1, 1e-6);
  }
}

TEST(SparseBottom, TinyMatricesAndAllPairs) {
  const SparseMatrix<double> a = grid(2, 2);
  for (const BottomMethod method : both) {
    const BottomPairs found =
        bottom_eigenpairs(a, Vector<double>::Ones(4), {.count = 3, .method = method}, {});
    EXPECT_NEAR(found.spectrum.values[0], 2, 1e-12);
    EXPECT_NEAR(found.spectrum.values[1], 2, 1e-12);
    EXPECT_NEAR(found.spectrum.values[2], 4, 1e-12);
    EXPECT_EQ(found.spectrum.missed.rigorous, found.norm) << "nothing is left to be missed";
  }
  EXPECT_THROW((void)bottom_eigenpairs(a, Vector<double>::Ones(4), {.count = 4}, {}), Error);
  EXPECT_THROW((void)bottom_eigenpairs(a, {}, {.count = 0}, {}), Error);
}

TEST(SparseBottom, AMatrixThatIsNotPositiveSemidefiniteIsRefused) {
  SparseMatrix<double> a = grid(10, 10);
  a.coeffRef(3, 3) -= 5;
  try {
    (void)bottom_eigenpairs(a, {}, {.count = 2, .method = BottomMethod::shift_invert}, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_psd);
  }
}

TEST(SparseBottom, TheNumberOfThreadsChangesNothing) {
  const SparseMatrix<double> a = grid(31, 29);
  const Vector<double> ones = Vector<double>::Ones(a.rows());
  for (const BottomMethod method : both) {
    const BottomRequest request{.count = 3, .method = method};
    const auto one = bottom_eigenpairs(a, ones, request, {.threads = 1});
    const auto four = bottom_eigenpairs(a, ones, request, {.threads = 4});
    EXPECT_EQ(one.spectrum.values, four.spectrum.values);
    EXPECT_EQ(one.spectrum.vectors, four.spectrum.vectors);
  }
}

TEST(SparseBottom, WhereTheFactorDoesNotFitItIterates) {
  const SparseMatrix<double> a = grid(30, 29);
  const Vector<double> ones = Vector<double>::Ones(a.rows());
  EXPECT_EQ(bottom_eigenpairs(a, ones, {.count = 2}, {}).method, BottomMethod::shift_invert);
  const auto iterated = bottom_eigenpairs(a, ones, {.count = 2}, {.memory = 1000});
  EXPECT_EQ(iterated.method, BottomMethod::iteration);
  EXPECT_NEAR(iterated.spectrum.values[0], grid_values(30, 29)[1], 1e-12);
}

}  // namespace
}  // namespace mercer
