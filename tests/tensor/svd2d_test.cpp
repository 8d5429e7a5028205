// 2D-SVD (row M16) against the definition written out, GLRAM's descent, 2DPCA as one side alone.
#include <mercer/svd2d.hpp>

#include "decompositions.hpp"
#include "model/model_file.hpp"
#include "tensor/planted.hpp"

#include <cstdio>

namespace mercer {
namespace {

using test::error_of;
using test::tolerance;

template <class T>
class Svd2dFit : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Svd2dFit, Types);

template <class T>
Matrix<double> matrix_of(const TensorView<T>& x, Index i) {
  Matrix<double> a(x.size(1), x.size(2));
  for (Index r = 0; r < a.rows(); ++r)
    for (Index c = 0; c < a.cols(); ++c) a(r, c) = double(x({i, r, c}));
  return a;
}

/// A stack with structure and a mean.
template <class T>
Tensor<T> stack(Index n, Index h, Index w, double mean, std::uint64_t seed) {
  Tensor<T> x = test::random_tensor<T>({n, h, w}, seed);
  test::for_each_index(x.shape(), [&](const Shape& i) {
    x(i) = x(i) * T(1.0 / (1 + double(i[1] + i[2]))) + T(mean * double(1 + i[1] - i[2]));
  });
  return x;
}

struct ByHand {
  Matrix<double> mean;
  Block<double> f, g;
  double squared_norm = 0;
};

template <class T>
ByHand by_hand(const TensorView<T>& x, bool center) {
  ByHand out{Matrix<double>::Zero(x.size(1), x.size(2)), Block<double>::Zero(x.size(1), x.size(1)),
             Block<double>::Zero(x.size(2), x.size(2))};
  for (Index i = 0; center && i < x.size(0); ++i) out.mean += matrix_of(x, i) / double(x.size(0));
  for (Index i = 0; i < x.size(0); ++i) {
    const Matrix<double> a = matrix_of(x, i) - out.mean;
    out.f += a * a.transpose();
    out.g += a.transpose() * a;
    out.squared_norm += a.squaredNorm();
  }
  return out;
}

Block<double> leading(const Block<double>& m, Index count) {
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(m)
      .eigenvectors()
      .rightCols(count)
      .rowwise()
      .reverse();
}

TYPED_TEST(Svd2dFit, IsItsDefinition) {
  using T = TypeParam;
  for (const bool center : {true, false})
    for (const auto& laid : test::layouts<T>({11, 6, 5}, 3)) {
      const auto model = Svd2d<T>::fit(laid.view, {.ranks = {2, 3}, .center = center});
      const ByHand hand = by_hand(laid.view, center);
      EXPECT_LE((model.mean() - hand.mean).norm(), 1e-6);
      const double scale = hand.f.norm();
      EXPECT_NEAR(model.left_values().sum(), hand.f.trace(), 1e-6 * scale);
      EXPECT_NEAR(model.right_values().sum(), hand.g.trace(), 1e-6 * scale);
      const Block<double> u = model.left().template cast<double>(), v = model.right().template cast<double>();
      EXPECT_LE(test::subspace_distance(leading(hand.f, 2), u), tolerance<T>(1e-10, 1e-4)) << laid.name;
      EXPECT_LE(test::subspace_distance(leading(hand.g, 3), v), tolerance<T>(1e-10, 1e-4)) << laid.name;
      double squared = 0;
      for (Index i = 0; i < 11; ++i) {
        const Matrix<double> a = matrix_of(laid.view, i) - hand.mean, m = u.transpose() * a * v;
        squared += (a - u * m * v.transpose()).squaredNorm();
        for (Index r = 0; r < 2; ++r)
          for (Index c = 0; c < 3; ++c)
            EXPECT_NEAR(double(model.scores()(i, r * 3 + c)), m(r, c), tolerance<T>(1e-10, 1e-5));
      }
      const Decomposition& d = *model.report().decomposition;
      EXPECT_NEAR(*d.rms_error, std::sqrt(squared / 11), tolerance<T>(1e-10, 1e-6));
      EXPECT_NEAR(d.relative_error, std::sqrt(squared) / norm(laid.view), tolerance<T>(1e-10, 1e-6));
      EXPECT_NEAR(d.explained, 1 - d.relative_error * d.relative_error, 1e-12);
      EXPECT_NEAR(d.relative_error, test::relative_distance<T>(laid.view, model.reconstruction()),
                  tolerance<T>(1e-10, 1e-6));
    }
}

TYPED_TEST(Svd2dFit, AMeanThatDominatesDoesNotDrownTheRest) {
  using T = TypeParam;
  const double mean = tolerance<T>(1e7, 1e2);
  const Tensor<T> x = stack<T>(30, 6, 7, mean, 5);
  const auto model = Svd2d<T>::fit(x, {.ranks = {3, 3}});
  const ByHand hand = by_hand<T>(x, true);
  EXPECT_LE(test::subspace_distance(leading(hand.f, 3), model.left().template cast<double>()),
            tolerance<T>(1e-6, 1e-4));
  // Rounding of the data alone, which is 1e-9 of the mean.
  EXPECT_NEAR(model.left_values().sum() / hand.squared_norm, 1, 1e-7);
}

TYPED_TEST(Svd2dFit, GlramNeverRaisesTheErrorAndEndsAtAFixedPoint) {
  using T = TypeParam;
  for (const bool center : {true, false}) {
    const Tensor<T> x = stack<T>(12, 8, 9, 0.3, 7);
    const auto start = Svd2d<T>::fit(x, {.ranks = {2, 2}, .center = center});
    const auto model =
        Svd2d<T>::fit(x, {.ranks = {2, 2}, .center = center, .iterations = 500, .tolerance = 1e-15});
    const Decomposition& d = *model.report().decomposition;
    double last = start.report().decomposition->relative_error * (1 + tolerance<T>(1e-12, 1e-6));
    ASSERT_FALSE(d.errors.empty());
    for (const double error : d.errors) {
      EXPECT_LE(error, last);
      last = error;
    }
    EXPECT_LT(d.relative_error, start.report().decomposition->relative_error);
    EXPECT_NEAR(d.relative_error, d.errors.back(), tolerance<T>(1e-12, 1e-6));
    EXPECT_NEAR(d.relative_error, test::relative_distance<T>(x, model.reconstruction()),
                tolerance<T>(1e-12, 1e-6));
    // U is the best for V.
    const ByHand hand = by_hand<T>(x, center);
    const Block<double> v = model.right().template cast<double>();
    Block<double> f = Block<double>::Zero(8, 8);
    for (Index i = 0; i < 12; ++i) {
      const Matrix<double> av = (matrix_of<T>(x, i) - hand.mean) * v;
      f += av * av.transpose();
    }
    EXPECT_LE(test::subspace_distance(leading(f, 2), model.left().template cast<double>()),
              tolerance<T>(1e-4, 1e-2));
  }
}

TEST(Svd2d, GlramGoesOnWhenTheMeanIsLarge) {
  // The same samples about another mean have the same U and V; the error relative to ‖X‖ hardly falls any
  // more.
  const Tensor<double> x = test::random_tensor<double>({12, 8, 9}, 7);
  Tensor<double> far = test::random_tensor<double>({12, 8, 9}, 7);
  test::for_each_index(far.shape(), [&](const Shape& i) { far(i) += 1e6; });
  const Svd2dOptions options{.ranks = {2, 2}, .iterations = 500};
  const auto near = Svd2d<double>::fit(x, options), about = Svd2d<double>::fit(far, options);
  EXPECT_TRUE(about.report().converged);
  const std::size_t rounds = near.report().decomposition->errors.size();
  EXPECT_GT(rounds, 10U);
  EXPECT_GE(about.report().decomposition->errors.size() + 2, rounds);
  EXPECT_NEAR(*about.report().decomposition->rms_error / *near.report().decomposition->rms_error, 1, 1e-8);
  EXPECT_LE(test::subspace_distance(near.left(), about.left()), 1e-4);
}

TYPED_TEST(Svd2dFit, AFullSideIsLeftAloneAndOneSideIs2dpca) {
  using T = TypeParam;
  const Tensor<T> x = stack<T>(10, 5, 6, 1, 11);
  const auto model = Svd2d<T>::fit(x, {.ranks = {5, 2}, .iterations = 5});
  EXPECT_EQ(model.left(), (Block<T>(Block<T>::Identity(5, 5))));
  const ByHand hand = by_hand<T>(x, true);
  const double left_out = hand.squared_norm - model.right_values().head(2).sum();  // 2DPCA's error
  EXPECT_NEAR(*model.report().decomposition->rms_error, std::sqrt(left_out / 10), tolerance<T>(1e-10, 1e-5));
  const auto whole = Svd2d<T>::fit(x, {.ranks = {5, 6}});
  EXPECT_EQ(*whole.report().decomposition->rms_error, 0);
  EXPECT_LE(test::relative_distance<T>(x, whole.reconstruction()), tolerance<T>(1e-15, 1e-6));
}

TYPED_TEST(Svd2dFit, TransformAndInverse) {
  using T = TypeParam;
  const Tensor<T> x = stack<T>(9, 5, 6, 1, 13), more = stack<T>(4, 5, 6, 1, 17);
  const auto model = Svd2d<T>::fit(x, {.ranks = {3, 2}});
  const double close = tolerance<T>(1e-12, 1e-5);
  EXPECT_LE(double((model.transform_tensor(x.view()) - model.scores()).cwiseAbs().maxCoeff()), close);
  const Matrix<T> rows = test::rows_by_hand<T>(x, 0);
  EXPECT_LE(
      double((model.transform(SparseMatrix<T>(rows.sparseView())) - model.scores()).cwiseAbs().maxCoeff()),
      close);
  const Matrix<T> scores = model.transform_tensor(more.view());
  const Tensor<T> back = model.inverse_tensor(scores);
  EXPECT_EQ(back.shape(), more.shape());
  EXPECT_LE(double((model.transform_tensor(back.view()) - scores).cwiseAbs().maxCoeff()), 10 * close);
}

TYPED_TEST(Svd2dFit, SavedAndLoadedItIsTheSame) {
  using T = TypeParam;
  const Tensor<T> x = stack<T>(9, 5, 6, 1, 19);
  const auto model = Svd2d<T>::fit(x, {.ranks = {3, 2}, .iterations = 2});
  const std::string path = testing::TempDir() + "svd2d.mercer";
  model.save(path);
  ModelReader<T> reader(path);
  const auto again = Svd2d<T>::read(reader);
  std::remove(path.c_str());
  const auto& loaded = dynamic_cast<const Svd2d<T>&>(*again);
  EXPECT_EQ(loaded.left(), model.left());
  EXPECT_EQ(loaded.mean(), model.mean());
  EXPECT_EQ(loaded.scores(), model.scores());
  EXPECT_EQ(loaded.right_values(), model.right_values());
  EXPECT_EQ(loaded.transform_tensor(x.view()), model.transform_tensor(x.view()));
  EXPECT_EQ(loaded.report().method, "svd2d");
}

TEST(Svd2d, ADamagedFileIsRefused) {
  const auto model = Svd2d<double>::fit(stack<double>(6, 3, 4, 1, 21), {.ranks = {2, 2}});
  /// The same parts, with this shape, columns of U and length of the mean.
  const auto read_with = [&](const Shape& shape, Index columns, Index mean) {
    const std::string path = testing::TempDir() + "damaged_svd2d.mercer";
    ModelWriter writer("svd2d", Precision::float64);
    writer.common(model.report(), std::nullopt, {});
    writer.set("shape", shape);
    writer.block("left", Block<double>(Block<double>::Zero(3, columns)));
    writer.block("right", model.right());
    writer.vector("mean", Vector<double>(Vector<double>::Zero(mean)));
    writer.vector("left_values", model.left_values());
    writer.vector("right_values", model.right_values());
    writer.matrix("scores", model.scores());
    writer.write_file(path);
    ModelReader<double> reader(path);
    (void)Svd2d<double>::read(reader);
    std::remove(path.c_str());
  };
  EXPECT_NO_THROW(read_with({6, 3, 4}, 2, 12));
  const auto code = [&](const Shape& shape, Index columns, Index mean) {
    return error_of([&] { read_with(shape, columns, mean); }).code();
  };
  EXPECT_EQ(code({6, 12}, 2, 12), ErrorCode::bad_data);
  EXPECT_EQ(code({6, 4, 3}, 2, 12), ErrorCode::bad_data);
  EXPECT_EQ(code({6, 3, 4}, 3, 12), ErrorCode::bad_data);
  EXPECT_EQ(code({6, 3, 4}, 0, 12), ErrorCode::bad_data);
  EXPECT_EQ(code({6, 3, 4}, 2, 11), ErrorCode::bad_data);
}

TEST(Svd2d, ThreadsDoNotChangeTheResult) {
  const Tensor<double> x = stack<double>(200, 40, 50, 1, 23);  // several pieces
  const Svd2dOptions options{.ranks = {5, 6}, .iterations = 2};
  const auto one = Svd2d<double>::fit(x, options, mercer::Run{.threads = 1}),
             two = Svd2d<double>::fit(x, options, mercer::Run{.threads = 2});
  EXPECT_EQ(one.scores(), two.scores());
  EXPECT_EQ(one.left(), two.left());
}

TEST(Svd2d, DegenerateStacks) {
  const auto constant = Svd2d<double>::fit(Tensor<double>({1, 3, 4}, Vector<double>::Constant(12, 2.0)),
                                           {.ranks = {1, 1}, .iterations = 3});
  EXPECT_EQ(constant.report().decomposition->relative_error, 0);
  EXPECT_EQ(
      Svd2d<double>::fit(Tensor<double>({2, 3, 4}), {.ranks = {1, 1}}).report().decomposition->relative_error,
      0);
  EXPECT_EQ(Svd2d<double>::fit(test::random_tensor<double>({5, 1, 1}, 3), {.ranks = {1, 1}}).components(), 1);
}

TEST(Svd2d, BadInputIsRefused) {
  const Tensor<double> x = test::random_tensor<double>({4, 5, 6}, 29);
  const auto refuse = [&](const Svd2dOptions& o) {
    return error_of([&] { (void)Svd2d<double>::fit(x, o); });
  };
  EXPECT_EQ(refuse({}).code(), ErrorCode::usage);
  EXPECT_EQ(refuse({.ranks = {2}}).code(), ErrorCode::usage);
  EXPECT_EQ(refuse({.ranks = {0, 2}}).code(), ErrorCode::usage);
  EXPECT_NE(refuse({.ranks = {2, 7}}).message().find("mode 2"), std::string::npos);
  EXPECT_EQ(refuse({.ranks = {2, 2}, .iterations = -1}).code(), ErrorCode::usage);
  EXPECT_EQ(error_of([] {
              (void)Svd2d<double>::fit(Tensor<double>({4, 5}), {.ranks = {2, 2}});
            }).code(),
            ErrorCode::usage);
  Tensor<double> bad = x;
  bad({0, 1, 2}) = INFINITY;
  EXPECT_EQ(error_of([&] { (void)Svd2d<double>::fit(bad, {.ranks = {2, 2}}); }).code(), ErrorCode::bad_data);
  EXPECT_EQ(
      error_of([&] {
        (void)Svd2d<double>::plan({100, 1000, 1000}, {.ranks = {10, 10}}, mercer::Run{.memory = 100000});
      }).code(),
      ErrorCode::no_memory);
}

TEST(Svd2dError, IsMeasuredWhereTheNormsHideIt) {
  Tensor<double> x({5, 3, 4});
  x.values() = (1e8 + test::random_matrix<double>(60, 1, 13).array()).matrix();
  const auto model = Svd2d<double>::fit(x.view(), {.ranks = {2, 2}, .center = false});
  const Tensor<double> back = model.reconstruction();
  const double off = (back.values() - x.values()).norm() / std::sqrt(double(x.size(0)));
  ASSERT_GT(off, 0.1);
  EXPECT_NEAR(*model.report().decomposition->rms_error, off, 1e-6 * off);
}

}  // namespace
}  // namespace mercer
