// load_model knows decompositions and maps: what is saved comes back as what it was, and works.
#include <mercer/error.hpp>
#include <mercer/mercer.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace mercer {
namespace {

template <class T>
class Registry : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  std::string path_ = testing::TempDir() + "mercer_registry_" + (sizeof(T) == 4 ? "float" : "double");
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Registry, Precisions);

template <class T>
Tensor<T> images() {
  const auto made = generate_tensor("spots", 12, 1).values;
  Tensor<T> out(made.shape());
  out.values() = made.values().template cast<T>();
  return out;
}

template <class T, class Method>
void expect_back(const Method& model, const std::string& path) {
  model.save(path);
  const auto back = load_model<T>(path);
  const auto* same = dynamic_cast<const Method*>(back.get());
  ASSERT_NE(same, nullptr);
  EXPECT_EQ(same->report().to_json(), model.report().to_json());
  EXPECT_EQ(same->shape(), model.shape());
  EXPECT_EQ(same->scores(), model.scores());
  const Tensor<T> x = images<T>();
  EXPECT_EQ(same->transform_tensor(x), model.transform_tensor(x));
  EXPECT_EQ(same->inverse_tensor(model.scores()).values(), model.inverse_tensor(model.scores()).values());
  EXPECT_EQ(same->reconstruction().values(), model.reconstruction().values());
}

TYPED_TEST(Registry, LoadsTucker) {
  expect_back<TypeParam>(Tucker<TypeParam>::fit(images<TypeParam>(), {.ranks = {4, 5, 6}}), this->path_);
}

TYPED_TEST(Registry, LoadsCp) {
  expect_back<TypeParam>(
      Cp<TypeParam>::fit(images<TypeParam>(), {.rank = 2, .tolerance = 1e-4, .allow_partial = true}),
      this->path_);
}

TYPED_TEST(Registry, LoadsSvd2d) {
  expect_back<TypeParam>(Svd2d<TypeParam>::fit(images<TypeParam>(), {.ranks = {5, 6}}), this->path_);
}

TYPED_TEST(Registry, LoadsKernelPcaOnCores) {
  expect_back<TypeParam>(
      TensorKernelPca<TypeParam>::fit(images<TypeParam>(), {.ranks = {5, 6}, .kernel = Kernel::rbf(0.01)}),
      this->path_);
}

template <class T, class Method>
void expect_map_back(const Method& model, const Samples<T>& fresh, const std::string& path) {
  SCOPED_TRACE(model.method());
  model.save(path);
  const auto back = load_model<T>(path);
  const auto* same = dynamic_cast<const Method*>(back.get());
  ASSERT_NE(same, nullptr);
  EXPECT_EQ(same->report().to_json(), model.report().to_json());
  EXPECT_EQ(same->report().to_string(), model.report().to_string());
  EXPECT_EQ(same->rows(), model.rows());
  EXPECT_EQ(same->scores(), model.scores());
  ASSERT_TRUE(same->label());
  EXPECT_EQ(same->label()->values, model.label()->values);
  EXPECT_EQ(same->transform(fresh), model.transform(fresh));
}

TYPED_TEST(Registry, MapsComeBackAndPlaceNewPointsAlike) {
  using T = TypeParam;
  const auto roll = generate("swiss-roll", 80, 1);
  Dataset<T> data;
  data.samples = Matrix<T>(roll.samples.to_dense().template cast<T>());
  data.label = roll.label;
  data.columns = roll.columns;
  const Samples<T> fresh = Matrix<T>(generate("swiss-roll", 5, 2).samples.to_dense().template cast<T>());
  const NeighborOptions near{.count = 10};
  expect_map_back<T>(Isomap<T>::fit(data, {.neighbors = near}), fresh, this->path_);
  expect_map_back<T>(Isomap<T>::fit(data, {.neighbors = near, .landmarks = 20}), fresh, this->path_);
  for (const auto variant : {LleVariant::standard, LleVariant::modified, LleVariant::hessian})
    expect_map_back<T>(Lle<T>::fit(data, {.variant = variant, .neighbors = near}), fresh, this->path_);
  for (const bool diffusion : {false, true})
    expect_map_back<T>(LaplacianEigenmaps<T>::fit(data, {.neighbors = near, .diffusion = diffusion}), fresh,
                       this->path_);
  expect_map_back<T>(Mvu<T>::fit(data, {.neighbors = near}), fresh, this->path_);
  expect_map_back<T>(Tsne<T>::fit(data, {.perplexity = 8, .iterations = 100, .scale = Scale::standardize}),
                     fresh, this->path_);
}

TYPED_TEST(Registry, AMapOfASavedGraphIsNamedAfterItsData) {
  using T = TypeParam;
  const auto roll = generate("swiss-roll", 60, 1);
  Dataset<T> data;
  data.samples = Matrix<T>(roll.samples.to_dense().template cast<T>());
  data.label = roll.label;
  data.columns = roll.columns;
  const auto graph = NeighborGraph::build<T>(data.samples, {.count = 10});
  const auto check = [&](const auto& with_graph, const auto& alone) {
    EXPECT_TRUE(with_graph.scores().isApprox(alone.scores(), sizeof(T) == 4 ? T(1e-4) : T(1e-9)));
    EXPECT_EQ(with_graph.columns(), data.columns);
    EXPECT_EQ(with_graph.label()->values, data.label->values);
  };
  const NeighborOptions near{.count = 10};
  const IsomapOptions isomap{.neighbors = near};
  check(Isomap<T>::fit(data, graph, isomap), Isomap<T>::fit(data, isomap));
  const LleOptions lle{.neighbors = near};
  check(Lle<T>::fit(data, graph, lle), Lle<T>::fit(data, lle));
  const LaplacianOptions laplacian{.neighbors = near};
  check(LaplacianEigenmaps<T>::fit(data, graph, laplacian), LaplacianEigenmaps<T>::fit(data, laplacian));
  const MvuOptions mvu{.neighbors = near};
  check(Mvu<T>::fit(data, graph, mvu), Mvu<T>::fit(data, mvu));
}

}  // namespace
}  // namespace mercer
