// The fields on the grid: Fourier transforms there and back, forces that add up to nothing, the error that
// the spacing leaves.
#include "manifold/tsne_field.hpp"

#include "manifold/tsne_maps.hpp"
#include "manifold/tsne_pairs.hpp"

namespace mercer {
namespace {

TEST(FastFourierSize, IsEvenAndHasSmallFactors) {
  EXPECT_EQ(fast_fourier_size(1), 2);
  EXPECT_EQ(fast_fourier_size(121), 126);
  EXPECT_EQ(fast_fourier_size(122), 126);
  EXPECT_EQ(fast_fourier_size(127), 128);
  EXPECT_EQ(fast_fourier_size(1000), 1000);
}

template <class T>
class Field : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Field, Types);

TYPED_TEST(Field, RowsAndColumnsComeBackFromTheirTransforms) {
  using T = TypeParam;
  using Complex = std::complex<T>;
  const Index length = 30, height = 14, bundle = FourierPlans<T>::bundle;
  const FourierPlans<T> plans(length, height);
  AlignedArray<T> row(length), back(length);
  AlignedArray<Complex> spectrum(length / 2 + 1), columns(height * bundle);
  Random random(1);
  for (Index i = 0; i < length; ++i) row.data()[i] = T(random.normal());
  T sum = 0;
  for (Index i = 0; i < length; ++i) sum += row.data()[i];
  plans.row_forward(row.data(), spectrum.data());
  EXPECT_NEAR(spectrum.data()[0].real(), sum, 1e-4);
  plans.row_backward(spectrum.data(), back.data());
  for (Index i = 0; i < length; ++i) EXPECT_NEAR(back.data()[i] / T(length), row.data()[i], 1e-5);

  std::vector<Complex> before;
  for (Index i = 0; i < height * bundle; ++i)
    before.push_back(columns.data()[i] = Complex(T(i % 11), T(i % 5)));
  plans.columns_forward(columns.data());
  Complex second = 0;  // the zero frequency of the second column
  for (Index r = 0; r < height; ++r) second += before[std::size_t(r * bundle + 1)];
  EXPECT_LT(std::abs(columns.data()[1] - second), 1e-3);
  plans.columns_backward(columns.data());
  for (Index i = 0; i < height * bundle; ++i)
    EXPECT_LT(std::abs(columns.data()[i] / T(height) - before[std::size_t(i)]), 1e-4);
}

/// Σ w and the forces at the points of the map, from the grid.
template <class T>
struct Read {
  std::vector<T> weight;
  TsneMap<T> force;
};
template <class T>
Read<T> read(const TsneField<T>& field, const TsneMap<T>& at) {
  Read<T> out{std::vector<T>(std::size_t(at.points())), TsneMap<T>(at.points(), at.components())};
  read_fields(field.grid(), field.values(), at, 0, at.points(), out.weight.data(), out.force);
  return out;
}

TYPED_TEST(Field, OfOnePointIsTheKernelAroundIt) {
  using T = TypeParam;
  TsneMap<T> two(2, 2);  // far enough apart that the grid spans something
  two.axis(0)[0] = T(-6.3);
  two.axis(0)[1] = T(6.1);
  TsneField<T> field(2, 2048);
  field.compute(two, {});
  for (const T x : {T(-5.5), T(-1.7), T(0.2), T(3.3), T(6.05)}) {
    TsneMap<T> place(1, 2);
    place.axis(0)[0] = x;
    const T y[2] = {x, 0};
    EXPECT_TRUE(field.grid().contains(y));
    const PairSums exact = pair_sums<T>(two, y, nullptr);
    const Read<T> found = read(field, place);
    EXPECT_NEAR(found.weight[0], exact.weight, 3e-3);
    EXPECT_NEAR(found.force.axis(0)[0], exact.repulsion[0], 3e-3);
    EXPECT_NEAR(found.force.axis(1)[0], 0, 3e-3);
  }
  const T outside[2] = {0, 1000};
  EXPECT_FALSE(field.grid().contains(outside));
}

TYPED_TEST(Field, ForcesAddUpToNothing) {
  using T = TypeParam;
  for (const Index components : {1, 2}) {
    const auto map = test::clustered_map<T>(500, components, 60, 2);
    TsneField<T> field(components, 2048);
    field.compute(map, {});
    const Matrix<double> force = test::wide(read(field, map).force);
    for (Index c = 0; c < components; ++c)
      EXPECT_LT(std::abs(force.col(c).sum()),
                test::tolerance<T>(1e-11, 1e-3) * force.col(c).cwiseAbs().sum());
  }
}

/// The widest spacing leaves about a percent: no more than Barnes-Hut at its usual angle.
TYPED_TEST(Field, ErrorAtTheWidestSpacing) {
  using T = TypeParam;
  for (const Index components : {1, 2}) {
    const auto map = test::clustered_map<T>(800, components, 120, 3);
    TsneField<T> field(components, 2048);
    field.compute(map, {});
    const Read<T> found = read(field, map);
    Matrix<double> exact(800, components);
    double weight = 0, exact_weight = 0;
    for (Index i = 0; i < 800; ++i) {
      T y[2];
      for (Index c = 0; c < components; ++c) y[c] = map.axis(c)[i];
      const PairSums sums = pair_sums<T>(map, y, nullptr);
      for (Index c = 0; c < components; ++c) exact(i, c) = sums.repulsion[c];
      weight += double(found.weight[std::size_t(i)]);
      exact_weight += sums.weight;
    }
    EXPECT_LT(test::relative_difference(test::wide(found.force), exact), 0.015);
    EXPECT_NEAR(weight / exact_weight, 1, 2e-3);
  }
}

}  // namespace
}  // namespace mercer
