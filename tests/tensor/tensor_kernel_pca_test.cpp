// Kernel PCA on cores: the same as kernel PCA on the vectors of the cores, and on the samples themselves
// where the cores keep everything.
#include <mercer/svd2d.hpp>
#include <mercer/tensor_kernel_pca.hpp>

#include "model/model_file.hpp"
#include "tensor/planted.hpp"

#include <cstdio>

namespace mercer {
namespace {

using test::error_of;
using test::tolerance;

template <class T>
class TensorKernelPcaFit : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(TensorKernelPcaFit, Types);

TYPED_TEST(TensorKernelPcaFit, OnMatricesItIsKernelPcaOnTheCoresOf2dSvd) {
  using T = TypeParam;
  const Tensor<T> x = test::random_tensor<T>({20, 6, 5}, 3);
  const auto model =
      TensorKernelPca<T>::fit(x, {.ranks = {3, 2}, .components = 4, .kernel = Kernel::rbf(0.1)});
  const auto cores = Svd2d<T>::fit(x, {.ranks = {3, 2}});
  const auto expected =
      KernelPca<T>::fit(Samples<T>(cores.scores()), {.components = 4, .kernel = Kernel::rbf(0.1)});
  EXPECT_EQ(model.scores(), expected.scores());
  EXPECT_EQ(model.report().method, "tensor-kpca");
  EXPECT_EQ(model.report().n, 20);
  EXPECT_EQ(model.report().d, 30);
  EXPECT_EQ(model.components(), 4);
  EXPECT_EQ(model.report().decomposition->ranks, (Shape{3, 2}));
  EXPECT_NEAR(model.report().decomposition->relative_error, cores.report().decomposition->relative_error,
              1e-12);
}

TYPED_TEST(TensorKernelPcaFit, WithFullRanksItIsKernelPcaOfTheSamples) {
  using T = TypeParam;
  for (const Shape& shape : {Shape{15, 4, 3}, Shape{15, 6}, Shape{15, 3, 2, 4}}) {
    const Tensor<T> x = test::random_tensor<T>(shape, 5);
    const Matrix<T> rows = test::rows_by_hand<T>(x, 0);
    const auto model = TensorKernelPca<T>::fit(
        x, {.ranks = Shape(shape.begin() + 1, shape.end()), .components = 3, .kernel = Kernel::rbf(0.05)});
    const auto expected = KernelPca<T>::fit(Samples<T>(rows), {.components = 3, .kernel = Kernel::rbf(0.05)});
    const double scale = double(expected.scores().norm());
    EXPECT_LE(
        (test::with_signs_of(model.scores(), expected.scores()) - model.scores().template cast<double>())
            .norm(),
        tolerance<T>(1e-8, 1e-3) * scale)
        << to_string(shape);
    EXPECT_LE(model.report().decomposition->relative_error, tolerance<T>(1e-14, 1e-6));
    EXPECT_LE(test::difference<T>(model.reconstruction(), x), tolerance<T>(1e-12, 1e-5));
  }
}

TYPED_TEST(TensorKernelPcaFit, TransformingTrainingSamplesGivesTheirScores) {
  using T = TypeParam;
  for (const Shape& shape : {Shape{12, 6, 5}, Shape{12, 9}, Shape{5, 12, 4, 3}, Shape{6, 12, 5}}) {
    const Index s = shape[0] == 12 ? 0 : 1;
    const Tensor<T> x = test::random_tensor<T>(shape, 7);
    const auto model =
        TensorKernelPca<T>::fit(x, {.ranks = Shape(shape.size() - 1, 3), .components = 4, .sample_mode = s});
    const double close = tolerance<T>(1e-10, 1e-3) * double(model.scores().norm());
    EXPECT_LE(double((model.transform_tensor(x.view()) - model.scores()).norm()), close) << to_string(shape);
    EXPECT_LE(double((model.transform_tensor(SparseTensor<T>(x.view())) - model.scores()).norm()), close);
    EXPECT_NEAR(model.report().decomposition->relative_error,
                test::relative_distance<T>(x, model.reconstruction()), tolerance<T>(1e-10, 1e-5));
  }
}

TYPED_TEST(TensorKernelPcaFit, SavedAndLoadedItIsTheSame) {
  using T = TypeParam;
  for (const Shape& shape : {Shape{12, 6, 5}, Shape{12, 4, 3, 3}}) {
    const Tensor<T> x = test::random_tensor<T>(shape, 11);
    const auto model = TensorKernelPca<T>::fit(x, {.ranks = Shape(shape.size() - 1, 2), .components = 3});
    const std::string path = testing::TempDir() + "tensor_kpca.mercer";
    model.save(path);
    ModelReader<T> reader(path);
    const auto again = TensorKernelPca<T>::read(reader);
    const auto& loaded = dynamic_cast<const TensorKernelPca<T>&>(*again);
    EXPECT_EQ(loaded.scores(), model.scores());
    EXPECT_EQ(loaded.transform_tensor(x.view()), model.transform_tensor(x.view()));
    EXPECT_EQ(loaded.on_cores().kernel().to_string(), model.on_cores().kernel().to_string());
    EXPECT_EQ(loaded.on_cores().method(), "kpca");
    EXPECT_EQ(loaded.method(), "tensor-kpca");
    loaded.save(path);  // and again
    ModelReader<T> twice(path);
    EXPECT_EQ(TensorKernelPca<T>::read(twice)->scores(), model.scores());
    std::remove(path.c_str());
  }
}

TEST(TensorKernelPca, TheWayBackIsAPreimageOfTheCore) {
  // Two groups of images: a denoised sample stays in its group.
  Tensor<double> x = test::random_tensor<double>({20, 5, 4}, 13);
  x.values() *= 0.05;
  test::for_each_index(x.shape(), [&](const Shape& i) { x(i) += i[0] < 10 ? double(i[1]) : double(i[2]); });
  const auto model = TensorKernelPca<double>::fit(x, {.ranks = {3, 3}, .components = 2});
  const Tensor<double> back = model.inverse_tensor(model.scores());
  EXPECT_EQ(back.shape(), x.shape());
  EXPECT_LE(test::relative_distance<double>(x, back), 0.1);
}

TEST(TensorKernelPca, ADamagedFileIsRefused) {
  const Tensor<double> x = test::random_tensor<double>({8, 5, 4}, 19);
  const auto model = TensorKernelPca<double>::fit(x, {.ranks = {2, 3}});
  const auto other = KernelPca<double>::fit(Samples<double>(test::random_matrix<double>(8, 5, 3)), {});
  const auto read_with = [&](const Model<double>* inner, Index rank) {
    const std::string path = testing::TempDir() + "damaged_tensor_kpca.mercer";
    ModelWriter writer("tensor-kpca", Precision::float64);
    writer.common(model.report(), std::nullopt, {});
    writer.set("shape", model.shape());
    writer.set("sample_mode", 0);
    writer.block("factor.0", Block<double>(Block<double>::Zero(5, rank)));
    writer.block("factor.1", Block<double>(model.factors()[1]));
    writer.vector("mean", Vector<double>());
    if (inner) writer.nested("on_cores", *inner);
    writer.write_file(path);
    ModelReader<double> reader(path);
    (void)TensorKernelPca<double>::read(reader);
    std::remove(path.c_str());
  };
  EXPECT_NO_THROW(read_with(&model.on_cores(), 2));
  EXPECT_EQ(error_of([&] { read_with(nullptr, 2); }).code(), ErrorCode::bad_data);
  EXPECT_EQ(error_of([&] { read_with(&other, 2); }).code(), ErrorCode::bad_data);
  EXPECT_EQ(error_of([&] { read_with(&model.on_cores(), 3); }).code(), ErrorCode::bad_data);
  EXPECT_EQ(error_of([&] { read_with(&model.on_cores(), 0); }).code(), ErrorCode::bad_data);
}

TEST(TensorKernelPca, PlansAreMadeOfTheProjectionAndTheKernel) {
  const Plan plan = TensorKernelPca<double>::plan({30, 40, 50}, {.ranks = {5, 6}});
  EXPECT_NE(plan.problem.find("cores of 5 x 6"), std::string::npos);
  EXPECT_GT(plan.flops, 30.0 * 40 * 50);
  EXPECT_NO_THROW((void)TensorKernelPca<double>::plan({30, 4, 5, 6}, {.ranks = {2, 2, 2}}));
}

TEST(TensorKernelPca, BadInputIsRefused) {
  const Tensor<double> x = test::random_tensor<double>({8, 5, 4}, 17);
  const auto code = [&](const TensorKernelPcaOptions& o) {
    return error_of([&] { (void)TensorKernelPca<double>::fit(x, o); }).code();
  };
  EXPECT_EQ(code({}), ErrorCode::usage);
  EXPECT_EQ(code({.ranks = {2, 2, 2}}), ErrorCode::usage);
  EXPECT_EQ(code({.ranks = {6, 2}}), ErrorCode::usage);
  EXPECT_EQ(code({.ranks = {2, 2}, .kernel = Kernel::precomputed()}), ErrorCode::usage);
  EXPECT_EQ(code({.ranks = {2, 2}, .sample_mode = 5}), ErrorCode::usage);
  EXPECT_EQ(error_of([] { (void)TensorKernelPca<double>::fit(Tensor<double>({4}), {}); }).code(),
            ErrorCode::usage);
  Tensor<double> bad = x;
  bad({0, 0, 0}) = NAN;
  EXPECT_EQ(error_of([&] {
              (void)TensorKernelPca<double>::fit(bad, {.ranks = {2, 2}});
            }).code(),
            ErrorCode::bad_data);
}

}  // namespace
}  // namespace mercer
