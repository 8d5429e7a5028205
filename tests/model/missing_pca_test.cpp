// PCA with gaps (row M10): PCA where there are none, recovery where there are, dense and sparse alike.
#include <mercer/error.hpp>
#include <mercer/missing_pca.hpp>
#include <mercer/pca.hpp>

#include "expect_error.hpp"
#include "support.hpp"

#include <cstdio>
#include <limits>

namespace mercer {
namespace {

using test::error_of;

using test::tolerance;

template <class T>
class MissingPcaFit : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(MissingPcaFit, Types);

template <class T>
Matrix<T> low_rank(Index n, Index d, Index rank, std::uint64_t seed) {
  Matrix<T> x = test::random_matrix<T>(n, rank, seed) * test::random_matrix<T>(rank, d, seed + 1);
  x.rowwise() += test::random_matrix<T>(1, d, seed + 2).row(0);
  return x;
}

/// A share of the entries made NaN.
template <class T>
Matrix<T> holed(Matrix<T> x, double share, std::uint64_t seed) {
  Random random(seed, 5);
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < x.cols(); ++j)
      if (random.uniform() < share) x(i, j) = std::numeric_limits<T>::quiet_NaN();
  return x;
}

/// The same table with its gaps not stored.
template <class T>
SparseMatrix<T> stored_only(const Matrix<T>& x) {
  SparseMatrix<T> out(x.rows(), x.cols());
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < x.cols(); ++j)
      if (!std::isnan(x(i, j))) out.insert(i, j) = x(i, j);
  out.makeCompressed();
  return out;
}

TYPED_TEST(MissingPcaFit, WithoutGapsItIsPca) {
  using T = TypeParam;
  Matrix<T> x = test::random_matrix<T>(60, 9, 1);
  for (Index j = 0; j < 9; ++j) x.col(j) = x.col(j) * T(9 - j) + Vector<T>::Constant(60, T(j));
  for (const bool center : {true, false})
    for (const Scale scale : {Scale::none, Scale::standardize}) {
      const auto pca = Pca<T>::fit(x, {.components = 3, .center = center, .scale = scale});
      const auto gaps = MissingPca<T>::fit(x, {.components = 3, .center = center, .scale = scale});
      EXPECT_LE((gaps.report().gram_eigenvalues - pca.report().gram_eigenvalues).norm(),
                tolerance<T>(1e-6, 1e-4) * pca.report().gram_eigenvalues[0]);
      EXPECT_LE(double((gaps.directions() - pca.directions()).norm()), tolerance<T>(1e-5, 1e-4));
      EXPECT_LE(double((gaps.scores() - pca.scores()).norm()),
                tolerance<T>(1e-5, 1e-4) * double(pca.scores().norm()));
      EXPECT_NEAR(gaps.report().trace / pca.report().trace, 1, tolerance<T>(1e-7, 1e-4));
      EXPECT_LE(double((gaps.inverse(gaps.scores()) - pca.inverse(pca.scores())).norm()),
                tolerance<T>(1e-5, 1e-3) * double(x.norm()));
    }
}

TYPED_TEST(MissingPcaFit, APlantedLowRankWithThirtyPercentGapsIsRecovered) {
  using T = TypeParam;
  const Matrix<T> truth = low_rank<T>(120, 40, 3, 11);
  const auto model = MissingPca<T>::fit(holed<T>(truth, 0.3, 1), {.components = 3, .ridge = 1e-4});
  const Matrix<T> filled = model.inverse(model.scores());
  EXPECT_LE(double((filled - truth).norm()), tolerance<T>(1e-4, 1e-3) * double(truth.norm()));
  EXPECT_LE(model.report().gaps->held_out_error, 1e-3 * model.report().gaps->column_mean_error);
  EXPECT_GE(model.report().gaps->held_out, 100);
}

TYPED_TEST(MissingPcaFit, ASparseTableGivesWhatItsDenseCopyGives) {
  using T = TypeParam;
  const Matrix<T> x =
      holed<T>(low_rank<T>(50, 20, 2, 3) + T(0.3) * test::random_matrix<T>(50, 20, 9), 0.4, 2);
  const auto dense = MissingPca<T>::fit(x, {.components = 2}),
             sparse = MissingPca<T>::fit(stored_only(x), {.components = 2});
  EXPECT_EQ(dense.scores(), sparse.scores());
  EXPECT_EQ(dense.directions(), sparse.directions());
  EXPECT_EQ(dense.report().gaps->held_out_error, sparse.report().gaps->held_out_error);
  EXPECT_EQ(dense.transform(x), sparse.transform(stored_only(x)));
}

TYPED_TEST(MissingPcaFit, TrainingRowsTransformedAsNewGiveTheirScoresAlsoAfterLoading) {
  using T = TypeParam;
  const Matrix<T> x =
      holed<T>(low_rank<T>(40, 15, 2, 3) + T(0.1) * test::random_matrix<T>(40, 15, 9), 0.3, 2);
  for (const Scale scale : {Scale::none, Scale::center, Scale::standardize}) {
    const auto model = MissingPca<T>::fit(x, {.components = 2, .scale = scale});
    EXPECT_EQ(model.transform(x), model.scores());
    const std::string path =
        testing::TempDir() + "mercer_gaps_" + std::string(name_of(precision_of<T>)) + ".mercer";
    model.save(path);
    const auto loaded = load_model<T>(path);
    std::remove(path.c_str());
    EXPECT_TRUE(loaded->takes_gaps());
    EXPECT_EQ(loaded->transform(x), model.scores());
    EXPECT_EQ(loaded->inverse(model.scores()), model.inverse(model.scores()));
    EXPECT_EQ(loaded->report().gaps->held_out_error, model.report().gaps->held_out_error);
    EXPECT_EQ(loaded->report().to_json(), model.report().to_json());
  }
}

TEST(MissingPca, TheRidgeChosenIsBetterOnUnseenEntriesThanNoneAndThanColumnMeans) {
  const Matrix<double> truth = low_rank<double>(100, 30, 2, 21);
  const Matrix<double> x = holed<double>(truth + 1.0 * test::random_matrix<double>(100, 30, 5), 0.6, 1);
  const auto error = [&](std::optional<double> ridge) {
    const auto model = MissingPca<double>::fit(x, {.components = 6, .ridge = ridge});
    return (model.inverse(model.scores()) - truth).norm();
  };
  const auto chosen = MissingPca<double>::fit(x, {.components = 6});
  EXPECT_GT(chosen.report().gaps->ridge, 0.1);
  EXPECT_LT(error(std::nullopt), 0.8 * error(1e-2));
  EXPECT_LT(chosen.report().gaps->held_out_error, 0.9 * chosen.report().gaps->column_mean_error);
}

TEST(MissingPca, WhereNearlyEverythingIsMissingTheStructureIsStillFound) {
  const Matrix<double> truth = 0.7 * low_rank<double>(600, 300, 3, 41);
  const Matrix<double> x = holed<double>(truth + 0.5 * test::random_matrix<double>(600, 300, 5), 0.92, 1);
  for (const Index k : {3, 12}) {
    const auto gaps = *MissingPca<double>::fit(stored_only(x), {.components = k}).report().gaps;
    EXPECT_LT(gaps.held_out_error, 0.75 * gaps.column_mean_error) << k << " components";
  }
}

TEST(MissingPca, WhereThereIsNoStructureItSaysSo) {
  const Matrix<double> x = holed<double>(test::random_matrix<double>(200, 60, 51), 0.8, 1);
  const auto model = MissingPca<double>::fit(x, {.components = 5});
  EXPECT_LT(model.report().gaps->held_out_error, 1.05 * model.report().gaps->column_mean_error);
}

TEST(MissingPca, TheHeldOutErrorIsHonest) {
  // It must be close to the error on the entries that were never there, which only the test knows.
  const Matrix<double> truth =
      low_rank<double>(200, 40, 2, 31) + 0.5 * test::random_matrix<double>(200, 40, 6);
  const Matrix<double> x = holed<double>(truth, 0.4, 1);
  const auto model = MissingPca<double>::fit(x, {.components = 2});
  const Matrix<double> filled = model.inverse(model.scores());
  double sum = 0, count = 0;
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < x.cols(); ++j)
      if (std::isnan(x(i, j))) {
        sum += (filled(i, j) - truth(i, j)) * (filled(i, j) - truth(i, j));
        count += 1;
      }
  EXPECT_NEAR(model.report().gaps->held_out_error / std::sqrt(sum / count), 1, 0.1);
}

TEST(MissingPca, WhereNothingCanBeHeldOutNoErrorIsClaimed) {
  Matrix<double> x = Matrix<double>::Constant(3, 3, std::numeric_limits<double>::quiet_NaN());
  x.diagonal() << 1, 2, 3;
  const auto gaps = *MissingPca<double>::fit(x, {.components = 1}).report().gaps;
  EXPECT_EQ(gaps.held_out, 0);
  EXPECT_TRUE(std::isnan(gaps.held_out_error));
  EXPECT_TRUE(std::isnan(gaps.column_mean_error));
}

TEST(MissingPca, ARowOfWhichNothingIsKnownLiesAtTheMean) {
  const Matrix<double> x = holed<double>(low_rank<double>(30, 8, 2, 3), 0.2, 1);
  const auto model = MissingPca<double>::fit(x, {.components = 2});
  const Matrix<double> nothing = Matrix<double>::Constant(1, 8, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(model.transform(nothing), Matrix<double>::Zero(1, 2));
}

TEST(MissingPca, EmptyRowsAndColumnsInfinitiesAndImpossibleOptionsAreRefused) {
  Matrix<double> x = low_rank<double>(20, 6, 2, 3);
  Matrix<double> row = x, column = x, infinite = x;
  row.row(7).setConstant(std::numeric_limits<double>::quiet_NaN());
  column.col(4).setConstant(std::numeric_limits<double>::quiet_NaN());
  infinite(3, 2) = std::numeric_limits<double>::infinity();
  const auto fit = [](const Matrix<double>& data, const MissingPcaOptions& options) {
    return error_of([&] { (void)MissingPca<double>::fit(data, options); });
  };
  EXPECT_NE(fit(row, {}).message().find("row 7 has no value"), std::string::npos);
  EXPECT_NE(fit(column, {}).message().find("column 4 has no value"), std::string::npos);
  EXPECT_NE(fit(infinite, {}).message().find("row 3, column 2"), std::string::npos);
  EXPECT_EQ(fit(x, {.components = Components::variance_share(0.9)}).code(), ErrorCode::usage);
  EXPECT_EQ(fit(x, {.ridge = -1.0}).code(), ErrorCode::usage);
  EXPECT_EQ(fit(x, {.held_out = 0.9}).code(), ErrorCode::usage);
  EXPECT_EQ(error_of([&] { (void)MissingPca<double>::fit(x, {}, mercer::Run{.memory = 1000}); }).code(),
            ErrorCode::no_memory);
  const auto model = MissingPca<double>::fit(x, {});
  EXPECT_EQ(error_of([&] { (void)model.transform(infinite); }).code(), ErrorCode::bad_data);
}

TEST(MissingPca, TinyAndFlatTablesComeThrough) {
  for (const auto& [name, data] : test::awkward_data<double>()) {
    const auto model = MissingPca<double>::fit(data, {.components = 2, .ridge = 0.01});
    EXPECT_TRUE(model.inverse(model.scores()).allFinite()) << name;
  }
  const Matrix<double> flat = Matrix<double>::Constant(5, 3, 2.0);
  const auto model = MissingPca<double>::fit(flat, {.components = 2});
  EXPECT_EQ(model.components(), 0);
  EXPECT_EQ(model.transform(flat).cols(), 0);
}

}  // namespace
}  // namespace mercer
