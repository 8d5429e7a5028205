// Linear discriminants: their definition, their invariance, their errors.
#include "discriminant_data.hpp"

#include <mercer/error.hpp>
#include <mercer/model.hpp>

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include <filesystem>

namespace mercer {
namespace {

using test::gaussian_classes;

struct Scatter {
  Block<double> within, between;
};

Scatter scatter_by_definition(const Matrix<double>& x, const Label& label) {
  const Index d = x.cols(), c = static_cast<Index>(label.names.size());
  const Vector<double> mean = x.colwise().mean();
  Scatter out{Block<double>::Zero(d, d), Block<double>::Zero(d, d)};
  for (Index j = 0; j < c; ++j) {
    Vector<double> own = Vector<double>::Zero(d);
    double size = 0;
    for (Index i = 0; i < x.rows(); ++i)
      if (label.codes[static_cast<std::size_t>(i)] == j) own += x.row(i), size += 1;
    own /= size;
    for (Index i = 0; i < x.rows(); ++i) {
      if (label.codes[static_cast<std::size_t>(i)] != j) continue;
      const Vector<double> off = x.row(i).transpose() - own;
      out.within += off * off.transpose();
    }
    out.between += size * (own - mean) * (own - mean).transpose();
  }
  return out;
}

TEST(LinearDiscriminant, IsTheSameFarFromTheOrigin) {
  const auto data = gaussian_classes<double>({20, 35, 15}, 4, 3);
  Matrix<double> far = data.samples.to_dense();
  far.array() += 1e7;
  Matrix<double> near = far;  // with the digits that are left of the data
  near.array() -= 1e7;
  for (const double ridge : {0.0, 5.0}) {
    const auto a = LinearDiscriminant<double>::fit(Samples<double>(near), data.label, {.ridge = ridge}),
               b = LinearDiscriminant<double>::fit(Samples<double>(far), data.label, {.ridge = ridge});
    EXPECT_LE((a.report().gram_eigenvalues - b.report().gram_eigenvalues).norm(),
              1e-12 * a.report().gram_eigenvalues[0]);
  }
}

TEST(LinearDiscriminant, SolvesItsDefinition) {
  const auto data = gaussian_classes<double>({20, 35, 15, 10}, 6, 1);
  for (const double ridge : {0.0, 5.0}) {
    const auto model = LinearDiscriminant<double>::fit(data.samples, data.label, {.ridge = ridge});
    Scatter s = scatter_by_definition(data.samples.to_dense(), data.label);
    s.within.diagonal().array() += ridge;
    const Block<double> w = model.directions();
    ASSERT_EQ(3, w.cols());
    for (Index k = 0; k < 3; ++k) {
      const double lambda = model.report().gram_eigenvalues[k];
      EXPECT_LT((s.between * w.col(k) - lambda * s.within * w.col(k)).norm(),
                1e-9 * (s.between * w.col(k)).norm());
    }
    const Block<double> gram = w.transpose() * s.within * w / (80.0 - 4);
    EXPECT_LT((gram - Block<double>::Identity(3, 3)).norm(), 1e-10);
    EXPECT_NEAR(model.report().trace, s.within.llt().solve(s.between).trace(), 1e-9 * model.report().trace);
    EXPECT_LT(model.report().residuals.maxCoeff(), 1e-10 * model.report().gram_eigenvalues[0]);
  }
}

TEST(LinearDiscriminant, ResidualsHoldForFeaturesThatAreNearlyAlike) {
  using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  for (const double apart : {1e-3, 1e-4, 5e-5, 1e-6}) {
    Matrix<double> x = test::random_matrix<double>(200, 2, 77);
    x.col(1) = x.col(0) + apart * x.col(1);
    std::vector<std::string> names;
    for (Index i = 0; i < 200; ++i) names.push_back(i % 2 == 0 ? "a" : "b");
    const Label label = make_label("class", names);
    const auto model = LinearDiscriminant<double>::fit(Samples<double>(x), label, {});
    Wide within = Wide::Zero(2, 2), between = Wide::Zero(2, 2);
    const Wide wide = x.cast<long double>();
    const Wide whole = wide.colwise().mean();
    for (Index c = 0; c < 2; ++c) {
      Wide rows(100, 2);
      for (Index i = 0; i < 100; ++i) rows.row(i) = wide.row(2 * i + c);
      const Wide mean = rows.colwise().mean(), off = mean - whole;
      rows.rowwise() -= Eigen::Matrix<long double, 1, Eigen::Dynamic>(mean.row(0));
      within += rows.transpose() * rows;
      between += 100 * off.transpose() * off;
    }
    const auto exact = double((within.inverse() * between).trace());  // one eigenvalue is not zero
    EXPECT_LE(std::abs(model.report().gram_eigenvalues[0] - exact), model.report().residuals[0]) << apart;
    EXPECT_LE(model.report().residuals[0], 1e-2 * exact) << apart;
  }
}

TEST(LinearDiscriminant, TwoClassesGiveFishersDirection) {
  const auto data = gaussian_classes<double>({30, 18}, 5, 2);
  const auto model = LinearDiscriminant<double>::fit(data.samples, data.label);
  const Matrix<double> x = data.samples.to_dense();
  Vector<double> difference = Vector<double>::Zero(5);
  for (Index i = 0; i < x.rows(); ++i)
    difference += x.row(i).transpose() / (data.label.codes[static_cast<std::size_t>(i)] == 0 ? 30.0 : -18.0);
  const Vector<double> w = scatter_by_definition(x, data.label).within.llt().solve(difference);
  EXPECT_LT(test::turned(w, model.directions().col(0)), 1e-12);
}

TEST(LinearDiscriminant, ScoresDoNotDependOnTheBasisOfTheFeatures) {
  const auto data = gaussian_classes<double>({20, 25, 30}, 5, 3);
  const Matrix<double> turn = test::random_matrix<double>(5, 5, 30);
  const Matrix<double> turned_points =
      (data.samples.to_dense() * turn).rowwise() + 7 * test::random_matrix<double>(1, 5, 31).row(0);
  const auto a = LinearDiscriminant<double>::fit(data.samples, data.label);
  const auto b = LinearDiscriminant<double>::fit(turned_points, data.label);
  const Matrix<double> same = test::with_signs_of(a.scores(), b.scores());
  EXPECT_LT((a.scores() - same).cwiseAbs().maxCoeff(), 1e-8);
}

TEST(LinearDiscriminant, ConstantAndRepeatedColumnsChangeNothing) {
  const auto data = gaussian_classes<double>({20, 25, 30}, 4, 4);
  Matrix<double> wide(75, 7);
  wide << data.samples.to_dense(), data.samples.to_dense().leftCols(2), Matrix<double>::Constant(75, 1, 1e3);
  const auto a = LinearDiscriminant<double>::fit(data.samples, data.label);
  const auto b = LinearDiscriminant<double>::fit(wide, data.label);
  EXPECT_LT((a.scores() - test::with_signs_of(a.scores(), b.scores())).cwiseAbs().maxCoeff(), 1e-8);
}

TEST(LinearDiscriminant, ClassesMayLieFarApart) {
  const auto data = gaussian_classes<double>({30, 40}, 2, 11, 1e6);
  const auto model = LinearDiscriminant<double>::fit(data.samples, data.label);
  EXPECT_EQ(model.report().discrimination->training_errors, 0);
}

TEST(LinearDiscriminant, NumbersBeyondTheirSquaresAreSaidToBe) {
  const auto data = gaussian_classes<double>({30, 40}, 2, 11);
  for (const double scale : {1e200, 1e-170}) {
    const Samples<double> x = Matrix<double>(scale * data.samples.to_dense());
    try {
      (void)LinearDiscriminant<double>::fit(x, data.label);
      ADD_FAILURE() << scale;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find("squares"), std::string::npos) << e.what();
    }
  }
}

TEST(LinearDiscriminant, SingularWithinClassesIsSaidAndARidgeHelps) {
  const auto data = gaussian_classes<double>({6, 6}, 30, 5);
  try {
    (void)LinearDiscriminant<double>::fit(data.samples, data.label);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(ErrorCode::bad_data, error.code());
    EXPECT_NE(std::string(error.what()).find("--ridge"), std::string::npos) << error.what();
  }
  const auto model = LinearDiscriminant<double>::fit(data.samples, data.label, {.ridge = 1});
  EXPECT_EQ(0, model.report().discrimination->training_errors);
}

template <class T>
class EitherPrecision : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(EitherPrecision, Precisions);

TYPED_TEST(EitherPrecision, LinearModelsTransformPredictAndComeBackFromFiles) {
  using T = TypeParam;
  const auto data = gaussian_classes<T>({20, 25, 30}, 4, 6);
  const auto model = LinearDiscriminant<T>::fit(data.samples, data.label, {.scale = Scale::standardize});
  EXPECT_EQ(model.scores(), model.transform(data.samples));
  const std::string path = std::filesystem::temp_directory_path() / ("lda-" + std::to_string(sizeof(T)));
  model.save(path);
  const auto again = load_model<T>(path);
  std::filesystem::remove(path);
  EXPECT_EQ("lda", again->method());
  EXPECT_EQ(model.scores(), again->scores());
  const auto& loaded = dynamic_cast<const Discriminant<T>&>(*again);
  EXPECT_EQ(data.label.names, loaded.classes());
  EXPECT_EQ(model.predict(data.samples).codes, loaded.predict(data.samples).codes);
  EXPECT_EQ(model.centroids(), loaded.centroids());
  EXPECT_EQ(model.report().to_json(), again->report().to_json());
}

TEST(LinearDiscriminant, SparseAndDenseDataGiveTheSame) {
  SparseMatrix<double> sparse = test::random_sparse<double>(60, 8, 7);
  std::vector<std::string> names;
  for (int i = 0; i < 60; ++i) names.push_back(i % 3 == 0 ? "a" : i % 3 == 1 ? "b" : "c");
  const Label label = make_label("x", names);
  const auto a = LinearDiscriminant<double>::fit(sparse, label);
  const auto b = LinearDiscriminant<double>::fit(Matrix<double>(sparse), label);
  EXPECT_LT((a.scores() - b.scores()).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(LinearDiscriminant, MoreFeaturesThanMemoryAreRefused) {
  const auto data = gaussian_classes<double>({5, 6}, 400, 8);
  try {
    (void)LinearDiscriminant<double>::fit(data.samples, data.label, {.ridge = 1},
                                          mercer::Run{.memory = 1000000});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(ErrorCode::no_memory, error.code());
  }
}

TEST(ClassesOfADiscriminant, ThatCannotBeToldApartAreRefused) {
  const Samples<double> x = test::random_matrix<double>(8, 2, 9);
  const auto message = [&](const std::vector<std::string>& names) {
    try {
      (void)LinearDiscriminant<double>::fit(x, make_label("kind", names));
    } catch (const Error& error) {
      EXPECT_EQ(ErrorCode::bad_data, error.code());
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const auto expect = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  expect(message({"a", "a", "a", "a", "a", "a", "a", "a"}), "single class, 'a'");
  expect(message({"a", "a", "a", "a", "a", "b", "a", "a"}), "class 'b' of label 'kind' has one sample");
  expect(message({"1", "2", "3", "4", "5", "6", "7", "8"}), "8 different values for 8 samples");
  expect(message({"a", "b", "a"}), "8 samples and 3 labels");
  Label gap = make_label("kind", {"a", "b", "a", "b", "a", "b", "a", "b"});
  gap.names.emplace_back("c");
  EXPECT_THROW((void)LinearDiscriminant<double>::fit(x, gap), Error);
  Matrix<double> twice(8, 2);
  twice << x.dense().topRows(4), x.dense().topRows(4);
  EXPECT_THROW(
      (void)LinearDiscriminant<double>::fit(twice, make_label("k", {"a", "a", "a", "a", "b", "b", "b", "b"})),
      Error);
  EXPECT_THROW((void)LinearDiscriminant<double>::fit(Dataset<double>{x, {}, std::nullopt, 0}), Error);
  EXPECT_THROW((void)LinearDiscriminant<double>::fit(
                   x, make_label("k", {"a", "a", "a", "a", "b", "b", "b", "b"}), {.ridge = -1}),
               Error);
}

TEST(ClassesOfADiscriminant, AreDecidedByThresholdOrNearestCentroid) {
  const auto data = gaussian_classes<double>({60, 20}, 2, 10, 0.7);
  const auto model = LinearDiscriminant<double>::fit(data.samples, data.label);
  const Matrix<double> z = model.scores();
  double mean[2] = {0, 0}, within = 0;
  for (Index i = 0; i < 80; ++i) mean[data.label.codes[static_cast<std::size_t>(i)]] += z(i, 0);
  mean[0] /= 60, mean[1] /= 20;
  for (Index i = 0; i < 80; ++i)
    within += std::pow(z(i, 0) - mean[data.label.codes[static_cast<std::size_t>(i)]], 2);
  // Equal heights: log N₁ − (t − m₁)²/2s² = log N₂ − (t − m₂)²/2s²
  const double t = *model.threshold(), s2 = within / 78;
  EXPECT_NEAR(std::log(60.0) - std::pow(t - mean[0], 2) / (2 * s2),
              std::log(20.0) - std::pow(t - mean[1], 2) / (2 * s2), 1e-9);
  EXPECT_NEAR(s2, 1, 1e-9);
  const auto by_threshold = model.predict(data.samples),
             by_centroid = model.predict(data.samples, Decision::centroid);
  Index differ = 0;
  for (Index i = 0; i < 80; ++i) {
    const auto at = static_cast<std::size_t>(i);
    EXPECT_EQ((z(i, 0) > t) == (mean[0] > mean[1]) ? 0 : 1, by_threshold.codes[at]);
    EXPECT_EQ(std::abs(z(i, 0) - mean[0]) < std::abs(z(i, 0) - mean[1]) ? 0 : 1, by_centroid.codes[at]);
    differ += by_threshold.codes[at] != by_centroid.codes[at];
  }
  EXPECT_GT(differ, 0) << "the two rules should differ for classes of unequal size";
  const auto three = gaussian_classes<double>({10, 10, 10}, 2, 11);
  const auto many = LinearDiscriminant<double>::fit(three.samples, three.label);
  EXPECT_FALSE(many.threshold());
  EXPECT_THROW((void)many.predict(three.samples, Decision::threshold), Error);
  EXPECT_EQ(many.predict(three.samples).codes, many.predict(three.samples, Decision::centroid).codes);
}

}  // namespace
}  // namespace mercer
