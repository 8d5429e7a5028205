// Models come back from their files as they were, and files written by earlier versions stay readable.
#include <mercer/kernel_pca.hpp>
#include <mercer/pca.hpp>

#include "support.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace mercer {
namespace {

std::string scratch(const std::string& name) {
  return testing::TempDir() + "mercer_save_load_" + name + ".mercer";
}

template <class T>
class SaveLoad : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(SaveLoad, Types);

/// Saves, loads and compares every answer bit by bit.
template <class T>
void expect_same_after_loading(const Model<T>& model, const Samples<T>& fresh, const std::string& name,
                               const LoadOptions& options = {}) {
  const std::string path = scratch(name + std::string(name_of(precision_of<T>)));
  model.save(path);
  EXPECT_EQ(model_precision(path), precision_of<T>);
  const auto loaded = load_model<T>(path, options);
  EXPECT_EQ(loaded->transform(fresh), model.transform(fresh)) << name;
  EXPECT_EQ(loaded->scores(), model.scores()) << name;
  EXPECT_EQ(loaded->method(), model.method());
  EXPECT_EQ(loaded->features(), model.features());
  EXPECT_EQ(loaded->report().gram_eigenvalues, model.report().gram_eigenvalues);
  EXPECT_EQ(loaded->report().kernel, model.report().kernel);
  EXPECT_EQ(loaded->report().notes, model.report().notes);
  std::remove(path.c_str());
}

TYPED_TEST(SaveLoad, TransformIsBitEqualForEveryKindOfModel) {
  using T = TypeParam;
  const Samples<T> x = Matrix<T>(test::random_matrix<T>(40, 5, 1).cwiseAbs()),
                   fresh = Matrix<T>(test::random_matrix<T>(7, 5, 2).cwiseAbs());
  for (const char* kernel : {"linear", "poly(degree=2)", "rbf", "laplacian", "chi2",
                             "0.5*rbf(gamma=0.1) + cosine", "expr('exp(-sqdist)')"})
    expect_same_after_loading<T>(KernelPca<T>::fit(x, {.components = 3,
                                                       .kernel = Kernel::parse(kernel),
                                                       .scale = Scale::none,
                                                       .indefinite = Indefinite::clip}),
                                 fresh, "kernel");
  expect_same_after_loading<T>(
      KernelPca<T>::fit(x, {.components = 3, .kernel = Kernel::rbf(0.1), .scale = Scale::standardize}), fresh,
      "scaled");
  const Samples<T> sparse = test::random_sparse<T>(40, 5, 3);
  expect_same_after_loading<T>(KernelPca<T>::fit(sparse, {.components = 3, .kernel = Kernel::rbf(0.1)}),
                               sparse, "sparse");
  expect_same_after_loading<T>(Pca<T>::fit(x, {.components = 3, .scale = Scale::standardize}), fresh, "pca");
  expect_same_after_loading<T>(Pca<T>::fit(x, {.components = 3, .center = false}), fresh, "svd");
  expect_same_after_loading<T>(
      KernelPca<T>::fit(Matrix<T>(x.to_dense() * x.to_dense().transpose()),
                        {.components = 2, .kernel = Kernel::precomputed(), .indefinite = Indefinite::clip}),
      test::random_matrix<T>(3, 40, 4), "precomputed");
}

TYPED_TEST(SaveLoad, AUserKernelIsSavedByNameAndMustBeSuppliedAgain) {
  using T = TypeParam;
  const Kernel mine = Kernel::from_pairs(
      "mine", [](std::span<const double> a, std::span<const double> b) { return a[0] * b[0] + 1; });
  const Samples<T> x = test::random_matrix<T>(20, 2, 5);
  const auto model = KernelPca<T>::fit(x, {.components = 1, .kernel = mine});
  expect_same_after_loading<T>(model, x, "user", {.kernels = {{"mine", mine}}});
  const std::string path = scratch("user_again");
  model.save(path);
  try {
    (void)load_model<T>(path);
    FAIL() << "loaded without the function";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::usage);
    EXPECT_NE(std::string(e.what()).find("mine"), std::string::npos);
  }
  std::remove(path.c_str());
}

TYPED_TEST(SaveLoad, LabelsAndColumnNamesTravelWithTheModel) {
  using T = TypeParam;
  Dataset<T> data;
  data.samples = test::random_matrix<T>(4, 2, 6);
  data.columns = {"height", "weight"};
  data.label = Label{"kind", {"a", "b"}, {0, 1, 1, 0}, {}};
  const std::string path = scratch("label");
  KernelPca<T>::fit(data, {.components = 1}).save(path);
  const auto loaded = load_model<T>(path);
  EXPECT_EQ(loaded->columns(), data.columns);
  ASSERT_TRUE(loaded->label());
  EXPECT_EQ(loaded->label()->column, "kind");
  EXPECT_EQ(loaded->label()->codes, data.label->codes);
  std::remove(path.c_str());
}

TYPED_TEST(SaveLoad, TheOtherPrecisionIsRefusedByName) {
  using T = TypeParam;
  using Other = std::conditional_t<std::is_same_v<T, float>, double, float>;
  const std::string path = scratch("precision");
  Pca<T>::fit(test::random_matrix<T>(5, 2, 7), {}).save(path);
  EXPECT_THROW((void)load_model<Other>(path), Error);
  std::remove(path.c_str());
}

// Files of version 1, kept as they were written; the scores beside them are what transform must give.
// Made by tests/fixtures/model/README.md's commands.
template <class T>
void expect_golden(const std::string& name) {
  const std::string folder = test::fixture("model/");
  const auto model = load_model<T>(folder + name + ".mercer");
  const auto points = read_dataset<T>(folder + "points.csv"),
             scores = read_dataset<T>(folder + name + ".scores.csv");
  EXPECT_LT(double((model->transform(points.samples) - scores.samples.to_dense()).norm()),
            test::tolerance<T>(1e-12, 1e-5))
      << name;
}

TEST(Golden, FilesOfVersionOneAreStillRead) {
  expect_golden<double>("kpca-double-v1");
  expect_golden<float>("kpca-float-v1");
  expect_golden<double>("pca-double-v1");
}

}  // namespace
}  // namespace mercer
