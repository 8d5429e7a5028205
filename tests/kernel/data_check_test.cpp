// What a kernel refuses before any work: data and parameters that numbers of the type cannot hold.
#include "expect_error.hpp"

#include <mercer/kernel.hpp>

namespace mercer {
namespace {

using test::error_of;
using test::expect_contains;

template <class T>
Samples<T> points_of_size(double size) {
  Matrix<T> m(3, 2);
  m << 1, 2, -1, 0.5, 0, 3;
  return Samples<T>(Matrix<T>(m * T(size)));
}

TEST(KernelDataCheck, ProductsThatOverflowAreRefusedByRow) {
  for (const char* kernel : {"linear()", "sigmoid(gamma=1e-30)", "rbf(gamma=1)", "expr('dot')"}) {
    const Kernel k = Kernel::parse(kernel);
    const Error e = error_of([&] { k.check_data(points_of_size<float>(1e19)); });
    EXPECT_EQ(e.code(), ErrorCode::bad_data) << kernel;
    expect_contains(e.what(), "row 0");
    expect_contains(e.what(), "--precision double");
    EXPECT_NO_THROW(k.check_data(points_of_size<double>(1e19))) << kernel;
    EXPECT_NO_THROW(k.check_data(points_of_size<float>(1e15))) << kernel;
  }
  EXPECT_NO_THROW(Kernel::parse("laplacian(gamma=1)").check_data(points_of_size<float>(1e30)));
}

TEST(KernelDataCheck, OfSparseRowsOnlyWhatIsStoredIsMultiplied) {
  const auto largest = [](Index cols, float value) {
    SparseMatrix<float> m(1, cols);
    m.insert(0, cols - 1) = value;
    return Samples<float>(m);
  };
  EXPECT_NO_THROW(Kernel::linear().check_data(largest(1000000000, 1e18F)));
  EXPECT_EQ(error_of([&] { Kernel::linear().check_data(largest(10, 1e19F)); }).code(), ErrorCode::bad_data);
}

TEST(KernelDataCheck, WidthsBelowWhatProductsCanShowAreRefused) {
  for (const char* kernel : {"rbf(gamma=1e38)", "matern32(length=1e-19)", "rq(length=1e-20, alpha=2)",
                             "2 * rbf(gamma=1e38) + linear()"}) {
    const Kernel k = Kernel::parse(kernel);
    const Error e = error_of([&] { k.check_data(points_of_size<float>(1)); });
    EXPECT_EQ(e.code(), ErrorCode::bad_data) << kernel;
    expect_contains(e.what(), "underflow");
    EXPECT_NO_THROW(k.check_data(points_of_size<double>(1))) << kernel;
  }
  for (const char* kernel :
       {"poly(gamma=1e39)", "laplacian(gamma=1e39)", "poly(coef0=-1e39)", "matern32(length=1e39)"}) {
    const Kernel k = Kernel::parse(kernel);
    expect_contains(error_of([&] { k.check_data(points_of_size<float>(1)); }).what(),
                    "a parameter too large for single precision");
    EXPECT_NO_THROW(k.check_data(points_of_size<double>(1))) << kernel;
  }
  EXPECT_NO_THROW(Kernel::parse("rbf(gamma=1e36)").check_data(points_of_size<float>(1)));
  EXPECT_NO_THROW(Kernel::parse("rbf(gamma=median)").check_data(points_of_size<float>(1)));
}

}  // namespace
}  // namespace mercer
