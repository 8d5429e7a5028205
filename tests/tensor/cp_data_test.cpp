// What CP asks of its data, dense and sparse: residuals and cores against their definitions, and bad data.
#include "tensor/cp_data.hpp"

#include "expect_error.hpp"
#include "tensor/cp_support.hpp"

namespace mercer {
namespace {

using test::error_of;

std::vector<Block<double>> random_blocks(const Shape& shape, Index rank, std::uint64_t seed) {
  std::vector<Block<double>> out;
  for (const Index size : shape) out.push_back(test::random_matrix<double>(rank, size, ++seed));
  return out;
}

Vector<double> core_by_definition(const Tensor<double>& x, const std::vector<Block<double>>& p) {
  std::vector<ModeFactor<double>> all;
  for (std::size_t m = 0; m < p.size(); ++m) all.push_back({Index(m), p[m]});
  return mode_products<double>(x, all).values();
}

/// The factors' pseudo-inverses, so that the model's own core is the superdiagonal of ones.
std::vector<Block<double>> inverses(const Kruskal<double>& model) {
  std::vector<Block<double>> out;
  for (const Matrix<double>& f : model.factors) {
    const Block<double> a =
        f.leftCols(model.rank) *
        model.weights.array().pow(1.0 / double(model.factors.size())).matrix().asDiagonal();
    out.push_back(a.completeOrthogonalDecomposition().pseudoInverse());
  }
  return out;
}

TEST(CpData, NormsAndResidualsAreThoseOfTheArray) {
  const Tensor<double> x = test::random_tensor<double>({700, 5, 9}, 1);
  const auto model = test::planted<double>(x.shape(), {4, 2}, 2);
  const double expected = (x.values() - full_tensor(model, {}).values()).squaredNorm();
  const Tensor<double> turned(x.view().reordered({2, 0, 1}));
  for (const TensorView<double>& view : {x.view(), turned.view()}) {
    const auto data = dense_cp_data<double>(view, nullptr, false, {});
    EXPECT_NEAR(data->squared_norm, x.values().squaredNorm(), 1e-9 * x.values().squaredNorm());
    EXPECT_EQ(data->known, x.count());
  }
  EXPECT_NEAR(dense_cp_data<double>(x, nullptr, false, {})->squared_residual(model, {}), expected,
              1e-9 * expected);
}

TEST(CpData, SparseResidualsAreThoseOfTheDenseCopy) {
  for (const Shape& shape : std::vector<Shape>{{30}, {8, 9}, {7, 9, 8}, {4, 5, 3, 6}}) {
    const Tensor<double> x = test::random_with_zeros<double>(shape, 0.2, 3);
    const SparseTensor<double> sparse(x.view());
    const auto model = test::planted<double>(shape, {2, 1}, 4);
    const Tensor<double> fitted = full_tensor(model, {});
    double stored = 0;
    for (Index i = 0; i < x.count(); ++i)
      if (x.values()[i] != 0) stored += std::pow(x.values()[i] - fitted.values()[i], 2);
    EXPECT_NEAR(sparse_cp_data(sparse, false, {})->squared_residual(model, {}),
                (x.values() - fitted.values()).squaredNorm(), 1e-11);
    EXPECT_NEAR(sparse_cp_data(sparse, true, {})->squared_residual(model, {}), stored, 1e-11);
  }
}

TEST(CpData, CoresAreTheProductsInAllModes) {
  for (const Shape& shape : std::vector<Shape>{{7, 9, 8}, {4, 5, 3, 6}}) {
    const Tensor<double> x = test::random_with_zeros<double>(shape, 0.3, 5);
    const auto p = random_blocks(shape, 3, 6);
    const Vector<double> expected = core_by_definition(x, p);
    const SparseTensor<double> sparse(x.view());
    EXPECT_LE((dense_cp_data<double>(x, nullptr, false, {})->core(p, {}, {}) - expected).norm(),
              1e-11 * expected.norm());
    EXPECT_LE((sparse_cp_data(sparse, false, {})->core(p, {}, {}) - expected).norm(),
              1e-11 * expected.norm());
  }
}

TEST(CpData, InCoresGapsAreFilledFromTheModel) {
  const Tensor<double> whole = test::random_tensor<double>({7, 9, 8}, 7);
  const Tensor<double> x = test::with_gaps(whole, 0.3, 8);
  const auto model = test::planted<double>(x.shape(), {3, 2}, 9);
  Tensor<double> filled = full_tensor(model, {});
  Coordinates<double> entries{x.shape(), std::vector<std::vector<std::uint32_t>>(3), {}};
  test::for_each_index(x.shape(), [&](const Shape& i) {
    if (std::isnan(x(i))) return;
    filled(i) = x(i);
    for (std::size_t m = 0; m < 3; ++m) entries.index[m].push_back(std::uint32_t(i[m]));
    entries.values.push_back(x(i));
  });
  const auto p = inverses(model);
  const Vector<double> expected = core_by_definition(filled, p);
  const SparseTensor<double> sparse(std::move(entries));
  EXPECT_LE((dense_cp_data<double>(x, nullptr, true, {})->core(p, model, {}) - expected).norm(),
            1e-10 * expected.norm());
  EXPECT_LE((sparse_cp_data(sparse, true, {})->core(p, model, {}) - expected).norm(),
            1e-10 * expected.norm());
}

TEST(CpData, GapsAndZeroWeightsDoNotCount) {
  Tensor<double> x = test::random_tensor<double>({4, 3, 2}, 10), w(x.shape());
  w.values().setConstant(2);
  x({1, 2, 0}) = std::numeric_limits<double>::quiet_NaN();
  w({1, 2, 0}) = 0;
  w({3, 0, 1}) = 0;
  const TensorView<double> weights = w;
  const auto data = dense_cp_data<double>(x, &weights, false, {});
  EXPECT_EQ(data->known, 22);
  double squares = 0;
  test::for_each_index(x.shape(), [&](const Shape& i) { squares += w(i) > 0 ? 2 * x(i) * x(i) : 0; });
  EXPECT_NEAR(data->squared_norm, squares, 1e-12);
}

TEST(CpData, WhatCannotBeUsedIsNamedWithItsPlace) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                   inf = std::numeric_limits<double>::infinity();
  Tensor<double> x = test::random_tensor<double>({4, 3, 2}, 11), w(x.shape());
  w.values().setOnes();
  const TensorView<double> weights = w;
  const auto message = [&](const TensorView<double>* with, bool missing) {
    const Error e = error_of([&] { (void)dense_cp_data<double>(x, with, missing, {}); });
    EXPECT_EQ(e.code(), ErrorCode::bad_data);
    return std::string(e.what());
  };
  x({2, 1, 1}) = nan;
  EXPECT_NE(message(nullptr, false).find("(2, 1, 1)"), std::string::npos);
  EXPECT_NE(message(nullptr, false).find("missing"), std::string::npos);
  EXPECT_NE(message(&weights, false).find("weight is not 0"), std::string::npos);
  x({2, 1, 1}) = inf;
  EXPECT_NE(message(nullptr, true).find("(2, 1, 1) is inf"), std::string::npos);
  x({2, 1, 1}) = 1;
  w({0, 2, 1}) = -1;
  EXPECT_NE(message(&weights, false).find("the weight at (0, 2, 1) is -1"), std::string::npos);
  x.values().setConstant(nan);
  EXPECT_NE(message(nullptr, true).find("no entry"), std::string::npos);
  x.values().setConstant(1e200);
  EXPECT_NE(message(nullptr, false).find("too large"), std::string::npos);
  x.values().setConstant(1e-200);
  EXPECT_NE(message(nullptr, false).find("too small"), std::string::npos);

  Coordinates<double> entries{{4, 3, 2}, {{1, 3}, {2, 0}, {0, 1}}, {1.0, nan}};
  const SparseTensor<double> sparse(std::move(entries));
  const Error e = error_of([&] { (void)sparse_cp_data(sparse, false, {}); });
  EXPECT_NE(std::string(e.what()).find("(3, 0, 1)"), std::string::npos);
}

}  // namespace
}  // namespace mercer
