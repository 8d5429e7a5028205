// Tucker (row M14) on dense arrays: errors that are what they say, ranks that are found, scores that new
// samples share.
#include <mercer/tucker.hpp>

#include "base/linalg.hpp"
#include "decompositions.hpp"
#include "model/model_file.hpp"
#include "tensor/planted.hpp"

#include <cstdio>
#include <limits>

namespace mercer {
namespace {

using test::error_of;
using test::tolerance;

template <class T>
class TuckerFit : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(TuckerFit, Types);

template <class T>
const Decomposition& facts(const Tucker<T>& model) {
  return *model.report().decomposition;
}

template <class T>
double measured(const TensorView<T>& x, const Tucker<T>& model) {
  return test::relative_distance<T>(x, model.reconstruction());
}

/// Descending.
Vector<double> singular_values(const Block<double>& a) {
  return Eigen::JacobiSVD<Eigen::MatrixXd>(a).singularValues();
}

TYPED_TEST(TuckerFit, OfAMatrixIsItsSvd) {
  using T = TypeParam;
  for (const Shape& shape : {Shape{9, 6}, Shape{6, 9}}) {
    const Tensor<T> x = test::random_tensor<T>(shape, 3);
    const auto model = Tucker<T>::fit(x, {.ranks = {3, 3}});
    const Vector<double> s = singular_values(unfold<T>(x, 0).template cast<double>());
    EXPECT_NEAR(facts(model).relative_error, s.tail(s.size() - 3).norm() / s.norm(),
                tolerance<T>(1e-12, 1e-6));
    for (Index i = 0; i < 3; ++i) {
      EXPECT_NEAR(std::abs(double(model.core()({i, i}))), s[i], tolerance<T>(1e-12, 1e-5) * s[0]);
      EXPECT_NEAR(facts(model).mode_values[0][i], s[i], tolerance<T>(1e-12, 1e-5) * s[0]);
    }
  }
}

TYPED_TEST(TuckerFit, FindsThePlantedRanksExactly) {
  using T = TypeParam;
  for (const TuckerMethod method : {TuckerMethod::st_hosvd, TuckerMethod::hosvd})
    for (const Shape& shape : {Shape{12, 9, 10}, Shape{40, 3, 4}, Shape{5, 6, 7, 4}}) {
      const Shape ranks = shape.size() == 4 ? Shape{2, 3, 4, 2} : Shape{4, 2, 3};
      const Tensor<T> x = test::planted_tucker<T>(shape, ranks, 5);
      const auto model = Tucker<T>::fit(x, {.error = 0, .method = method});
      EXPECT_EQ(facts(model).ranks, ranks) << to_string(shape);
      EXPECT_LE(facts(model).relative_error, tolerance<T>(1e-14, 2e-6));
      EXPECT_LE(measured<T>(x, model), tolerance<T>(1e-14, 2e-6));
    }
}

TYPED_TEST(TuckerFit, FactorsAreOrthonormalWithTheirLargestEntryPositive) {
  using T = TypeParam;
  const auto model = Tucker<T>::fit(test::random_tensor<T>({7, 8, 9}, 7), {.ranks = {3, 8, 4}, .hooi = 2});
  for (const Block<T>& u : model.factors()) {
    const Block<T> off = u.transpose() * u - Block<T>::Identity(u.cols(), u.cols());
    EXPECT_LE(double(off.cwiseAbs().maxCoeff()), tolerance<T>(1e-13, 1e-6));
    for (Index c = 0; c < u.cols(); ++c) {
      Index place = 0;
      u.col(c).cwiseAbs().maxCoeff(&place);
      EXPECT_GT(u(place, c), 0);
    }
  }
}

TYPED_TEST(TuckerFit, TheErrorIsTheTailThatWasTruncatedAndWhatIsMeasured) {
  using T = TypeParam;
  for (const double decay : {0.9, 0.4, 0.05}) {  // the last: far below what norms can tell
    const Tensor<T> x = test::decaying<T>({8, 9, 7}, decay, 11);
    const auto model = Tucker<T>::fit(x, {.ranks = {3, 4, 3}});
    const double error = measured<T>(x, model);
    EXPECT_NEAR(facts(model).relative_error / error, 1, tolerance<T>(1e-6, decay > 0.1 ? 1e-3 : 0.2));
    EXPECT_NEAR(facts(model).explained, 1 - error * error, tolerance<T>(1e-12, 1e-5));
    const double kept = norm<T>(model.core()) / norm<T>(x.view());
    EXPECT_NEAR(1 - kept * kept, error * error, tolerance<T>(1e-12, 1e-5));
  }
}

TYPED_TEST(TuckerFit, APromisedErrorHoldsAndIsNotWastefullyOvershot) {
  using T = TypeParam;
  const Tensor<T> x = test::decaying<T>({14, 16, 15}, 0.2, 13);
  for (const TuckerMethod method : {TuckerMethod::st_hosvd, TuckerMethod::hosvd})
    for (double error = 1e-1; error > tolerance<T>(1e-10, 1e-5); error /= 10) {
      const auto model = Tucker<T>::fit(x, {.error = error, .method = method});
      EXPECT_LE(facts(model).relative_error, error);
      EXPECT_LE(measured<T>(x, model), error * (1 + tolerance<T>(1e-4, 0.1)));
      // One direction fewer in any mode would exceed the error by itself: it leaves out a fifth more.
      EXPECT_GE(facts(model).relative_error, error / 30) << error;
    }
}

TYPED_TEST(TuckerFit, HosvdIsWithinRootNOfTheBest) {
  using T = TypeParam;
  const Tensor<T> x = test::random_tensor<T>({8, 9, 10}, 17);
  const TuckerOptions options{.ranks = {3, 3, 3}};
  auto polished = options;
  polished.hooi = 50;
  auto plain = options;
  plain.method = TuckerMethod::hosvd;
  const double best = facts(Tucker<T>::fit(x, polished)).relative_error;
  for (const TuckerOptions& o : {options, plain}) {
    const double error = facts(Tucker<T>::fit(x, o)).relative_error;
    EXPECT_GE(error, best * (1 - 1e-6));
    EXPECT_LE(error, std::sqrt(3.0) * best);
  }
}

TYPED_TEST(TuckerFit, EveryLayoutGivesTheSameDecomposition) {
  using T = TypeParam;
  for (const auto& laid : test::layouts<T>({6, 5, 7}, 19)) {
    const Tensor<T> copy(laid.view);
    const auto a = Tucker<T>::fit(laid.view, {.ranks = {2, 3, 2}, .hooi = 3}),
               b = Tucker<T>::fit(copy, {.ranks = {2, 3, 2}, .hooi = 3});
    EXPECT_LE(test::difference<T>(a.reconstruction(), b.reconstruction()), tolerance<T>(1e-10, 1e-3))
        << laid.name;
    EXPECT_NEAR(facts(a).relative_error, facts(b).relative_error, tolerance<T>(1e-12, 1e-6)) << laid.name;
  }
}

TYPED_TEST(TuckerFit, TransformingTrainingSamplesGivesTheirScores) {
  using T = TypeParam;
  for (Index s = 0; s < 3; ++s)
    for (const Index hooi : {0, 3}) {
      const Tensor<T> x = test::random_tensor<T>({6, 8, 7}, 23);
      const auto model = Tucker<T>::fit(x, {.ranks = {4, 3, 2}, .hooi = hooi, .sample_mode = s});
      const Matrix<T> scores = model.scores();
      ASSERT_EQ(scores.rows(), x.size(s));
      ASSERT_EQ(scores.cols(), model.components());
      const double close = tolerance<T>(1e-12, 1e-5) * double(scores.norm());
      EXPECT_LE(double((model.transform_tensor(x.view()) - scores).norm()), close);
      const Matrix<T> rows = test::rows_by_hand<T>(x, s);
      EXPECT_LE(double((model.transform(rows) - scores).norm()), close);
      EXPECT_LE(double((model.transform(SparseMatrix<T>(rows.sparseView())) - scores).norm()), close);
      EXPECT_LE(double((model.transform_tensor(SparseTensor<T>(x.view())) - scores).norm()), close);
      EXPECT_LE(double((model.transform_tensor(x.view().slice(s, 1)).row(0) - scores.row(1)).norm()), close);
    }
}

TYPED_TEST(TuckerFit, ScoresKeepWhatTheModelRepresents) {
  using T = TypeParam;
  const Tensor<T> x = test::planted_tucker<T>({9, 7, 8}, {3, 2, 4}, 29);
  const auto model = Tucker<T>::fit(x, {.ranks = {3, 2, 4}, .sample_mode = 1});
  EXPECT_LE(test::difference<T>(model.inverse_tensor(model.scores()), x.view()), tolerance<T>(1e-12, 1e-5));
  const Matrix<T> rows = test::rows_by_hand<T>(x, 1);
  EXPECT_LE(double((model.inverse(model.scores()) - rows).norm()), tolerance<T>(1e-12, 1e-5) * rows.norm());
  // An orthonormal basis: lengths are kept, and columns of the scores are orthogonal, the longest first.
  const Matrix<T> gram = model.scores().transpose() * model.scores();
  EXPECT_NEAR(double(model.scores().norm()), norm<T>(x.view()), tolerance<T>(1e-12, 1e-5) * rows.norm());
  EXPECT_NEAR(double(gram(0, 1)), 0, tolerance<T>(1e-10, 1e-3));
  EXPECT_GT(gram(0, 0), gram(1, 1));
}

TYPED_TEST(TuckerFit, TheReportSaysWhatIsKept) {
  using T = TypeParam;
  const auto model =
      Tucker<T>::fit(test::random_tensor<T>({6, 5, 4}, 31), {.ranks = {2, 3, 2}, .sample_mode = 2});
  const Report& r = model.report();
  EXPECT_EQ(r.method, "tucker");
  EXPECT_EQ(r.n, 4);
  EXPECT_EQ(r.d, 30);
  EXPECT_EQ(r.components, 2);
  EXPECT_EQ(facts(model).kept, 2 * 3 * 2 + 6 * 2 + 5 * 3 + 4 * 2);
  EXPECT_EQ(facts(model).known, 120);
  EXPECT_EQ(facts(model).sample_mode, 2);
  EXPECT_EQ(r.seconds.back().first, "total");
  EXPECT_NE(r.notes.back().find("ST-HOSVD"), std::string::npos);
  EXPECT_GT(r.plan.flops, 0);
}

TYPED_TEST(TuckerFit, SavedAndLoadedItIsTheSame) {
  using T = TypeParam;
  const Tensor<T> x = test::random_tensor<T>({6, 5, 4}, 37);
  const auto model = Tucker<T>::fit(x, {.ranks = {2, 3, 2}, .sample_mode = 1});
  const std::string path = testing::TempDir() + "tucker.mercer";
  model.save(path);
  ModelReader<T> reader(path);
  const auto again = Tucker<T>::read(reader);
  std::remove(path.c_str());
  const auto& loaded = dynamic_cast<const Tucker<T>&>(*again);
  EXPECT_EQ(loaded.shape(), model.shape());
  EXPECT_EQ(loaded.sample_mode(), 1);
  EXPECT_EQ(test::difference<T>(loaded.core(), model.core()), 0);
  EXPECT_EQ(loaded.scores(), model.scores());
  EXPECT_EQ(loaded.transform_tensor(x.view()), model.transform_tensor(x.view()));
  EXPECT_EQ(test::difference<T>(loaded.reconstruction(), model.reconstruction()), 0);
}

TYPED_TEST(TuckerFit, AwkwardShapes) {
  using T = TypeParam;
  for (const Shape& shape : test::some_shapes()) {
    const Tensor<T> x = test::random_tensor<T>(shape, 41);
    const auto model = Tucker<T>::fit(x, {.error = 0});
    EXPECT_LE(measured<T>(x, model), tolerance<T>(1e-13, 1e-5)) << to_string(shape);
    const auto one = Tucker<T>::fit(x, {.ranks = Shape(shape.size(), 1)});
    EXPECT_NEAR(facts(one).relative_error, measured<T>(x, one), tolerance<T>(1e-12, 1e-6))
        << to_string(shape);
    EXPECT_LE(double((one.transform_tensor(x.view()) - one.scores()).norm()), 1e-4) << to_string(shape);
  }
  const Tensor<T> zero({3, 4, 2});
  const auto model = Tucker<T>::fit(zero, {.error = 0.1});
  EXPECT_EQ(facts(model).ranks, (Shape{1, 1, 1}));
  EXPECT_EQ(facts(model).relative_error, 0);
  EXPECT_EQ(facts(Tucker<T>::fit(zero, {.ranks = {2, 2, 2}, .hooi = 2})).relative_error, 0);
}

TEST(Tucker, ThreadsDoNotChangeTheResult) {
  const Tensor<double> x = test::random_tensor<double>({40, 50, 30}, 43);
  for (const double error : {0.5, 0.0}) {
    const TuckerOptions options{.error = error, .hooi = 2};
    const auto one = Tucker<double>::fit(x, options, mercer::Run{.threads = 1}),
               two = Tucker<double>::fit(x, options, mercer::Run{.threads = 2});
    EXPECT_EQ(test::difference<double>(one.core(), two.core()), 0);
    EXPECT_EQ(one.scores(), two.scores());
  }
}

TEST(Tucker, TooLargeARankForTheOthersIsReducedAndSaid) {
  const auto model = Tucker<double>::fit(test::random_tensor<double>({10, 3, 4}, 47), {.ranks = {10, 2, 3}});
  EXPECT_EQ(facts(model).ranks, (Shape{6, 2, 3}));
  EXPECT_NE(model.report().notes.front().find("reduced to 6"), std::string::npos);
}

TEST(Tucker, LargeModesHaveARandomBasisThatIsAsGood) {
  const Block<double> u = test::orthonormal<double>(700, 4, 53), v = test::orthonormal<double>(800, 4, 57);
  Tensor<double> x =
      fold<double>(u * Vector<double>::LinSpaced(4, 1, 4).asDiagonal() * v.transpose(), 0, {700, 800});
  const Tensor<double> noise = test::random_tensor<double>({700, 800}, 59);
  x.values() += 1e-3 * noise.values();
  const auto model = Tucker<double>::fit(x, {.ranks = {4, 4}});
  EXPECT_NE(model.report().notes.back().find("randomized"), std::string::npos);
  Block<double> gram = mode_gram<double>(x, 0);
  Vector<double> squares;  // ascending
  linalg::syevd(gram, squares);
  const double best = std::sqrt(squares.head(696).sum() / squares.sum());
  EXPECT_LE(facts(model).relative_error, best * (1 + 1e-6));
  const double apart = (x.values() - model.reconstruction().values()).norm() / x.values().norm();
  EXPECT_NEAR(facts(model).relative_error, apart, 1e-9);
}

TEST(Tucker, BadInputIsRefusedBeforeWorkStarts) {
  const Tensor<double> x = test::random_tensor<double>({4, 5, 6}, 61);
  const auto refuse = [&](const TuckerOptions& o) {
    return error_of([&] { (void)Tucker<double>::fit(x, o); });
  };
  EXPECT_EQ(refuse({.ranks = {2, 2}}).code(), ErrorCode::usage);
  EXPECT_EQ(refuse({.ranks = {2, 0, 2}}).code(), ErrorCode::usage);
  const Error large = refuse({.ranks = {2, 6, 2}});
  EXPECT_EQ(large.code(), ErrorCode::usage);
  EXPECT_EQ(large.message(), "rank 6 of mode 1 is more than its size 5");
  EXPECT_EQ(refuse({.error = -0.1}).code(), ErrorCode::usage);
  EXPECT_EQ(refuse({.error = 1}).code(), ErrorCode::usage);
  EXPECT_EQ(refuse({.error = 1e-16}).code(), ErrorCode::usage);
  EXPECT_EQ(refuse({.error = std::numeric_limits<double>::quiet_NaN()}).code(), ErrorCode::usage);
  EXPECT_EQ(refuse({.ranks = {2, 2, 2}, .hooi = -1}).code(), ErrorCode::usage);
  EXPECT_EQ(refuse({.ranks = {2, 2, 2}, .sample_mode = 3}).code(), ErrorCode::usage);
  Tensor<double> bad = x;
  bad({1, 2, 3}) = std::numeric_limits<double>::quiet_NaN();
  const Error nan = error_of([&] { (void)Tucker<double>::fit(bad, {.ranks = {2, 2, 2}}); });
  EXPECT_EQ(nan.code(), ErrorCode::bad_data);
  EXPECT_NE(nan.message().find("(1, 2, 3)"), std::string::npos);
  bad({1, 2, 3}) = 1e200;
  EXPECT_EQ(error_of([&] {
              (void)Tucker<double>::fit(bad, {.ranks = {2, 2, 2}});
            }).code(),
            ErrorCode::bad_data);
}

TEST(Tucker, APlanThatDoesNotFitTheBudgetIsRefused) {
  const Error e = error_of([] {
    (void)Tucker<double>::plan({1000, 1000, 1000}, 1000000000, {.ranks = {500, 500, 500}},
                               mercer::Run{.memory = 1000000});
  });
  EXPECT_EQ(e.code(), ErrorCode::no_memory);
  const Plan plan = Tucker<double>::plan({400, 400, 400}, 64000000, {.ranks = {16, 16, 16}});
  EXPECT_LE(plan.bytes, 0.2 * 8 * 64e6);
  EXPECT_NE(plan.reason.find("ST-HOSVD"), std::string::npos);
}

TEST(Tucker, ADamagedFileIsRefused) {
  const auto model = Tucker<double>::fit(test::random_tensor<double>({4, 3, 5}, 67), {.ranks = {2, 2, 2}});
  /// The same parts with one of them wrong.
  const auto read_with = [&](const Shape& shape, const Shape& ranks, Index sample_mode) {
    const std::string path = testing::TempDir() + "damaged_tucker.mercer";
    ModelWriter writer("tucker", Precision::float64);
    writer.common(model.report(), std::nullopt, {});
    writer.set("shape", shape);
    writer.set("ranks", ranks);
    writer.set("sample_mode", sample_mode);
    writer.vector("core", model.core().values());
    const auto factors = model.factors();
    for (std::size_t m = 0; m < 3; ++m) writer.block("factor." + std::to_string(m), factors[m]);
    writer.block("score_basis", Block<double>(Block<double>::Zero(4, 2)));
    writer.matrix("scores", model.scores());
    writer.write_file(path);
    ModelReader<double> reader(path);
    (void)Tucker<double>::read(reader);
    std::remove(path.c_str());
  };
  EXPECT_NO_THROW(read_with({4, 3, 5}, {2, 2, 2}, 0));
  const auto code = [&](const Shape& shape, const Shape& ranks, Index sample_mode) {
    return error_of([&] { read_with(shape, ranks, sample_mode); }).code();
  };
  EXPECT_EQ(code({4, 3}, {2, 2, 2}, 0), ErrorCode::bad_data);
  EXPECT_EQ(code({4, 3, 6}, {2, 2, 2}, 0), ErrorCode::bad_data);
  EXPECT_EQ(code({4, 3, 5}, {2, 2, 3}, 0), ErrorCode::bad_data);
  EXPECT_EQ(code({4, 3, 5}, {2, 2, -2}, 0), ErrorCode::bad_data);
  EXPECT_EQ(code({4, 3, 5}, {2, 2, 2}, 3), ErrorCode::bad_data);
}

}  // namespace
}  // namespace mercer
