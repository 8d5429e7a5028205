// Sparse tensors: the tree of fibres against the entries it was made from.
#include <mercer/tensor.hpp>
#include <mercer/tensor_algebra.hpp>

#include "base/parallel.hpp"
#include "expect_error.hpp"
#include "random_tensor.hpp"

#include <map>

namespace mercer {
namespace {

using test::error_of;
using test::expect_contains;

/// Values are small whole numbers, so that sums are exact; about `fill` of the places are hit, some twice.
template <class T>
Coordinates<T> random_entries(const Shape& shape, Index count, std::uint64_t seed) {
  Random random(seed, 3);
  Coordinates<T> out{shape, std::vector<std::vector<std::uint32_t>>(shape.size()), {}};
  for (Index e = 0; e < count; ++e) {
    for (std::size_t m = 0; m < shape.size(); ++m)
      out.index[m].push_back(static_cast<std::uint32_t>(random.below(static_cast<std::uint64_t>(shape[m]))));
    out.values.push_back(T(1 + random.below(9)));
  }
  return out;
}

template <class T>
std::map<Shape, double> summed(const Coordinates<T>& entries) {
  std::map<Shape, double> out;
  for (std::size_t e = 0; e < entries.values.size(); ++e) {
    Shape index;
    for (const auto& mode : entries.index) index.push_back(mode[e]);
    out[index] += double(entries.values[e]);
  }
  return out;
}

/// Every level's nodes begin and end where they should, and ascend within their parent.
template <class T>
void expect_good_tree(const SparseTensor<T>& x) {
  ASSERT_EQ(static_cast<Index>(x.modes().size()), x.order());
  for (Index l = 0; l + 1 < x.order(); ++l) {
    EXPECT_LE(x.size(x.modes()[static_cast<std::size_t>(l)]),
              x.size(x.modes()[static_cast<std::size_t>(l + 1)]));
    const auto& child = x.first_child(l);
    const auto& below = x.index(l + 1);
    ASSERT_EQ(child.size(), x.index(l).size() + 1);
    EXPECT_EQ(child.front(), 0);
    EXPECT_EQ(child.back(), static_cast<Index>(below.size()));
    for (std::size_t p = 0; p + 1 < child.size(); ++p) {
      EXPECT_LT(child[p], child[p + 1]);
      for (auto c = static_cast<std::size_t>(child[p]) + 1; c < static_cast<std::size_t>(child[p + 1]); ++c)
        EXPECT_LT(below[c - 1], below[c]);
    }
  }
  EXPECT_EQ(x.index(x.order() - 1).size(), x.values().size());
}

template <class T>
class SparseTensorTest : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SparseTensorTest, Types);

TYPED_TEST(SparseTensorTest, KeepsEveryEntryOnceAndAddsUpDuplicates) {
  using T = TypeParam;
  std::vector<Shape> shapes = test::some_shapes();
  shapes.push_back({300, 2, 1000});
  shapes.push_back({100000, 70000});
  for (const Shape& shape : shapes)
    for (const Index count : {1, 40, 700}) {
      const auto entries = random_entries<T>(shape, count, 5);
      const auto truth = summed(entries);
      const SparseTensor<T> x(entries);
      expect_good_tree(x);
      EXPECT_EQ(summed(x.coordinates()), truth) << to_string(shape);
      EXPECT_EQ(x.stored(), static_cast<Index>(truth.size()));
      std::map<Shape, double> visited;
      x.for_each([&](const Shape& index, T value) { visited[index] += double(value); });
      EXPECT_EQ(visited, truth);
    }
}

TYPED_TEST(SparseTensorTest, SortsManyEntriesWhoseIndicesNeedMoreThan64Bits) {
  using T = TypeParam;
  const Shape shape{1, 3, 4000000000, 4000000000, 4000000000};
  auto entries = random_entries<T>(shape, 3000, 6);
  for (std::size_t e = 0; e < 1500; ++e) {  // long common beginnings: the last bits decide
    entries.index[1][e] = 2;
    entries.index[2][e] = entries.index[3][e] = 7;
    entries.index[4][e] = static_cast<std::uint32_t>(e * 7919 % 600);
  }
  const SparseTensor<T> x(entries);
  expect_good_tree(x);
  EXPECT_EQ(summed(x.coordinates()), summed(entries));
}

TYPED_TEST(SparseTensorTest, ManyEntriesInFewFibresAreDealtOutToBuckets) {
  using T = TypeParam;
  auto entries = random_entries<T>({3, 5, 100000}, 120000, 7);
  const auto truth = summed(entries);
  const SparseTensor<T> x(std::move(entries));
  expect_good_tree(x);
  EXPECT_EQ(summed(x.coordinates()), truth);
}

TYPED_TEST(SparseTensorTest, IsTheSameForOneAndTwoThreads) {
  using T = TypeParam;
  auto entries = random_entries<T>({40, 50, 60}, 70000, 8);
  Random random(9);
  for (T& value : entries.values) value = T(random.normal());  // sums of duplicates depend on their order
  const auto built = [&](int threads) {
    const ThreadScope scope(Run{.threads = threads});
    return SparseTensor<T>(entries);
  };
  const auto one = built(1), two = built(2);
  EXPECT_EQ(one.values(), two.values());
  EXPECT_EQ(one.index(2), two.index(2));
}

TYPED_TEST(SparseTensorTest, GoesToDenseAndBack) {
  using T = TypeParam;
  for (const Shape& shape : test::some_shapes())
    for (const auto& laid : test::layouts<T>(shape, 10)) {
      Tensor<T> dense(laid.view);
      for (Index e = 0; e < dense.count(); e += 3) dense.values()[e] = 0;
      const SparseTensor<T> sparse(dense.view());
      EXPECT_EQ(sparse.stored(), (dense.values().array() != 0).count());
      EXPECT_EQ(test::difference<T>(sparse.to_dense(), dense), 0) << to_string(shape);
      EXPECT_EQ(test::difference<T>(SparseTensor<T>(laid.view).to_dense(), laid.view), 0) << laid.name;
      EXPECT_NEAR(norm(sparse), norm<T>(dense), 1e-12 * (1 + norm<T>(dense)));
    }
}

TYPED_TEST(SparseTensorTest, MayBeEmpty) {
  using T = TypeParam;
  const SparseTensor<T> x(Coordinates<T>{{3, 4}, {{}, {}}, {}});
  EXPECT_EQ(x.stored(), 0);
  expect_good_tree(x);
  EXPECT_EQ(norm(x), 0);
  EXPECT_EQ(x.to_dense().values().norm(), T(0));
}

TYPED_TEST(SparseTensorTest, KeepsZerosThatAreEntries) {
  using T = TypeParam;
  const SparseTensor<T> x(Coordinates<T>{{3, 4}, {{2, 0}, {1, 3}}, {0, 5}});
  EXPECT_EQ(x.stored(), 2);
}

TYPED_TEST(SparseTensorTest, TakesOtherValuesForTheSameTree) {
  using T = TypeParam;
  const SparseTensor<T> x(random_entries<T>({5, 6, 7}, 50, 11));
  const auto ones = x.with_values(std::vector<T>(x.values().size(), T(1)));
  EXPECT_EQ(ones.index(2), x.index(2));
  EXPECT_EQ(ones.first_child(1), x.first_child(1));
  EXPECT_NEAR(norm(ones), std::sqrt(double(x.stored())), 1e-12);
  EXPECT_EQ(error_of([&] { (void)x.with_values({1}); }).code(), ErrorCode::usage);
}

TYPED_TEST(SparseTensorTest, RefusesEntriesThatMakeNoSense) {
  using T = TypeParam;
  const auto outside = error_of([] { SparseTensor<T>(Coordinates<T>{{3, 4}, {{2, 3}, {1, 3}}, {1, 5}}); });
  EXPECT_EQ(outside.code(), ErrorCode::bad_data);
  expect_contains(outside.message(), "entry 1 has index 3 in mode 0 of a 3 x 4 tensor");
  EXPECT_EQ(error_of([] {
              SparseTensor<T>(Coordinates<T>{{3, 4}, {{2}, {1, 3}}, {1, 5}});
            }).code(),
            ErrorCode::usage);
  EXPECT_EQ(error_of([] { SparseTensor<T>(Coordinates<T>{{3, 4}, {{2}}, {1}}); }).code(), ErrorCode::usage);
  EXPECT_EQ(error_of([] { SparseTensor<T>(Coordinates<T>{{}, {}, {}}); }).code(), ErrorCode::usage);
  expect_contains(error_of([] {
                    SparseTensor<T>(Coordinates<T>{{3, 0}, {{}, {}}, {}});
                  }).message(),
                  "mode 1");
  EXPECT_EQ(error_of([] {
              SparseTensor<T>(Coordinates<T>{{Index(1) << 33}, {{}}, {}});
            }).code(),
            ErrorCode::usage);
}

}  // namespace
}  // namespace mercer
