// load_model knows the decompositions: what is saved comes back as what it was, and works.
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

}  // namespace
}  // namespace mercer
