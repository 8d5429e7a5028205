// Pre-images (mission row M12): what must come back does, errors are what they say, and noise goes away.
#include <mercer/pca.hpp>
#include <mercer/preimage.hpp>

#include "support.hpp"

#include <Eigen/Cholesky>

#include <functional>
#include <span>

namespace mercer {
namespace {

using test::random_matrix;

Preimages<double> come_back(const KernelPca<double>& model, const Matrix<double>& scores,
                            const PreimageOptions& options = {}, const Samples<double>& inputs = {}) {
  return Preimage<double>(model, options).find(scores, inputs);
}

double mean_squared_distance(const Matrix<double>& a, const Matrix<double>& b) {
  return (a - b).squaredNorm() / double(a.rows());
}

TEST(Preimages, OfTrainingPointsAtFullRankAreThePoints) {
  const Matrix<double> x = random_matrix<double>(40, 3, 1);
  for (const char* text : {"rbf(gamma=0.5)", "matern32(length=1.5)", "matern52", "rq", "rbf(gamma=0.3)*rq",
                           "poly(degree=3, gamma=1, coef0=1)", "poly(degree=2, gamma=1, coef0=1)",
                           "poly(degree=4, gamma=0.5, coef0=1)"})
    for (const bool center : {true, false}) {
      const auto model =
          KernelPca<double>::fit(x, {.components = 40, .kernel = Kernel::parse(text), .center = center});
      for (const auto method : {PreimageMethod::fixed_point, PreimageMethod::distances}) {
        if (method == PreimageMethod::fixed_point && text[0] == 'p') continue;
        const auto back = come_back(model, model.scores(), {.method = method});
        EXPECT_LT((back.points - x).norm(), 1e-5 * x.norm())
            << text << ", " << name_of(method) << ", " << center;
        EXPECT_LT(back.errors.maxCoeff(),
                  1e-8 * gram(model.kernel(), Samples<double>(x)).diagonal().maxCoeff())
            << text;
        EXPECT_EQ(back.unconverged, 0) << text;
      }
    }
}

TEST(Preimages, OfLinearKernelPcaAreThoseOfPcaMeanIncluded) {
  const Matrix<double> x = (random_matrix<double>(60, 5, 2).array() + 3).matrix(),
                       fresh = random_matrix<double>(7, 5, 3);
  for (const bool center : {true, false})
    for (const Scale scale : {Scale::none, Scale::standardize}) {
      const auto kernel = KernelPca<double>::fit(
          x, {.components = 2, .kernel = 4.0 * Kernel::linear(), .center = center, .scale = scale});
      const auto pca = Pca<double>::fit(x, {.components = 2, .center = center, .scale = scale});
      const Matrix<double> expected = pca.inverse(pca.transform(fresh));
      EXPECT_LT((kernel.inverse(kernel.transform(fresh)) - expected).norm(), 1e-9 * expected.norm());
      const auto all = KernelPca<double>::fit(
          x, {.components = 5, .kernel = Kernel::linear(), .center = center, .scale = scale});
      EXPECT_LT((all.inverse(all.transform(fresh)) - fresh).norm(), 1e-9 * fresh.norm());
    }
}

TEST(Preimages, ByDistancesAreExactForTheLinearKernelWhereNeighboursSpanTheSpace) {
  const Matrix<double> x = random_matrix<double>(60, 5, 2), fresh = random_matrix<double>(7, 5, 3);
  const auto model = KernelPca<double>::fit(x, {.components = 3, .kernel = Kernel::linear()});
  const Matrix<double> scores = model.transform(fresh);
  const auto back = come_back(model, scores, {.method = PreimageMethod::distances, .neighbors = 12});
  EXPECT_LT((back.points - model.inverse(scores)).norm(), 1e-9 * fresh.norm());
  EXPECT_LT(back.errors.maxCoeff(), 1e-9);
}

TEST(Preimages, ErrorsAreTheDistancesInFeatureSpace) {  // wᵀKw written out
  const Matrix<double> x = random_matrix<double>(50, 4, 4), fresh = random_matrix<double>(9, 4, 5);
  for (const char* text : {"rbf(gamma=0.2)", "poly(degree=2, gamma=0.5, coef0=1)", "laplacian(gamma=0.3)"})
    for (const bool center : {true, false})
      for (const Route route : {Route::dense, Route::lowrank}) {
        const auto model = KernelPca<double>::fit(x, {.components = 6,
                                                      .kernel = Kernel::parse(text),
                                                      .center = center,
                                                      .route = route,
                                                      .lowrank = {.rank = route == Route::lowrank ? 14 : 0}});
        const Matrix<double> z = model.transform(fresh);
        const auto back = come_back(model, z);
        Matrix<double> w = z * model.alpha().transpose();
        w.rowwise() += model.mean_weights().transpose();
        const Matrix<double> k = gram(model.kernel(), model.points()),
                             against = gram(model.kernel(), Samples<double>(back.points), model.points()),
                             own = gram(model.kernel(), Samples<double>(back.points));
        for (Index i = 0; i < z.rows(); ++i) {
          const double expected =
              own(i, i) - 2 * against.row(i).dot(w.row(i)) + w.row(i) * k * w.row(i).transpose();
          EXPECT_NEAR(back.errors[i], expected, 1e-8 * (1 + std::abs(expected)))
              << text << center << name_of(route);
        }
      }
}

TEST(Preimages, OfTheCosinePointTheRightWayAndCannotBeImproved) {
  Matrix<double> x = random_matrix<double>(80, 5, 61);
  x.col(0) *= 40;  // as wine has it: large positive columns and small ones
  x.col(0).array() += 300;
  x.col(1).array() += 9;
  for (const char* text : {"cosine", "3*cosine", "cosine + 2*cosine"})
    for (const bool center : {true, false}) {
      const auto model =
          KernelPca<double>::fit(x, {.components = 3, .kernel = Kernel::parse(text), .center = center});
      const Preimage<double> way(model, {});
      EXPECT_EQ(way.method(), PreimageMethod::exact);
      const auto back = way.find(model.scores());
      const Matrix<double> directions = x.rowwise().normalized(), found = back.points.rowwise().normalized();
      EXPECT_GT(directions.cwiseProduct(found).rowwise().sum().minCoeff(), 0.9) << text << center;
      EXPECT_LT((back.points - x).norm(), 0.2 * x.norm()) << text << center;
      const auto all = KernelPca<double>::fit(x, {.components = 5, .kernel = Kernel::parse(text)});
      const auto whole = come_back(all, all.scores());
      EXPECT_LT(whole.errors.maxCoeff(), 1e-12) << text;
    }
}

TEST(Preimages, AreNoWorseThanTheNearestTrainingPoint) {
  Matrix<double> x = random_matrix<double>(60, 4, 62), fresh = 2 * random_matrix<double>(30, 4, 63);
  x.col(0) *= 3;
  x.col(1).array() += 5;
  for (const char* text :
       {"linear", "cosine", "poly(degree=3, coef0=1)", "poly(degree=2, coef0=0)", "poly(degree=5)",
        "linear + poly(degree=3)", "rbf(gamma=0.5)", "rbf(gamma=20)", "matern32", "matern52", "rq"})
    for (const Index k : {2, 20}) {
      const auto model = KernelPca<double>::fit(x, {.components = k, .kernel = Kernel::parse(text)});
      const Preimage<double> way(model, {});
      EXPECT_NE(way.method(), PreimageMethod::ridge) << text;
      Matrix<double> scores(90, model.components());
      scores << model.scores(), model.transform(fresh);
      const auto back = way.find(scores);
      // ‖φ(x_j) − Pφ‖² less ‖φ(z) − Pφ‖²: what they have in common is left out.
      const auto excess = [&](const Matrix<double>& z) {
        const Matrix<double> n = gram(model.kernel(), Samples<double>(z), Samples<double>(x));
        Matrix<double> w = scores * model.alpha().transpose();
        w.rowwise() += model.mean_weights().transpose();
        Matrix<double> out = -2 * w * n.transpose();  // of each z at each Pφ
        for (Index j = 0; j < z.rows(); ++j)
          out.col(j).array() += gram(model.kernel(), Samples<double>(Matrix<double>(z.row(j))))(0, 0);
        return out;
      };
      const Matrix<double> ours = excess(back.points), theirs = excess(x);
      for (Index i = 0; i < scores.rows(); ++i)
        EXPECT_LE(ours(i, i), theirs.row(i).minCoeff() + 1e-9 * theirs.row(i).cwiseAbs().maxCoeff())
            << text << ", " << k << ", row " << i;
    }
}

TEST(Preimages, LearnedForOddKernelsHaveTheMean) {
  Matrix<double> x = random_matrix<double>(80, 4, 64);
  x.array() += 20;
  for (const char* text : {"cosine", "linear", "expr('tanh(0.001*dot)')"}) {
    const auto model = KernelPca<double>::fit(
        x, {.components = 4, .kernel = Kernel::parse(text), .indefinite = Indefinite::clip});
    const auto back = come_back(model, model.scores(), {.method = PreimageMethod::ridge, .ridge = 0});
    EXPECT_LT((back.points - x).norm(), (x.rowwise() - x.colwise().mean()).norm()) << text;
    const auto chosen = come_back(model, model.scores());
    const Matrix<double> directions = chosen.points.rowwise().normalized();
    EXPECT_GT(directions.cwiseProduct(x.rowwise().normalized()).rowwise().sum().minCoeff(), 0.9) << text;
  }
}

TEST(Preimages, ByTheFixedPointCannotBeImprovedNearby) {
  const Matrix<double> x = random_matrix<double>(80, 3, 6), fresh = random_matrix<double>(12, 3, 7);
  for (const char* text : {"rbf(gamma=0.5)", "matern52(length=1.2)"}) {
    const auto model = KernelPca<double>::fit(x, {.components = 8, .kernel = Kernel::parse(text)});
    const Matrix<double> z = model.transform(fresh);
    const auto back = come_back(model, z);
    Matrix<double> w = z * model.alpha().transpose();
    w.rowwise() += model.mean_weights().transpose();
    const auto nearness = [&](const Matrix<double>& points) -> Vector<double> {
      return gram(model.kernel(), Samples<double>(points), model.points()).cwiseProduct(w).rowwise().sum();
    };
    const Vector<double> found = nearness(back.points);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Matrix<double> moved = back.points + 1e-3 * random_matrix<double>(12, 3, 100 + seed);
      EXPECT_LE((nearness(moved) - found).maxCoeff(), 1e-10) << text;
    }
  }
}

TEST(Preimages, FromMoreStartsAreNeverWorse) {
  const Matrix<double> x = random_matrix<double>(100, 2, 8), fresh = random_matrix<double>(40, 2, 9);
  const auto model = KernelPca<double>::fit(x, {.components = 10, .kernel = Kernel::rbf(3)});
  const Matrix<double> z = model.transform(fresh);
  const auto one = come_back(model, z, {.starts = 1}), many = come_back(model, z, {.starts = 6});
  EXPECT_LE((many.errors - one.errors).maxCoeff(), 1e-12);
  const Matrix<double> far = 2 * fresh;  // where the ascent begins when these are the inputs
  const auto from_far = come_back(model, z, {.starts = 1}, far),
             also_near = come_back(model, z, {.starts = 2}, far);
  EXPECT_LE((also_near.errors - from_far.errors).maxCoeff(), 1e-12);
  EXPECT_LT(also_near.errors.sum(), from_far.errors.sum()) << "another start was worth it";
}

TEST(Preimages, APullKeepsThemNearTheInput) {
  const Matrix<double> x = random_matrix<double>(100, 2, 8), fresh = random_matrix<double>(40, 2, 9);
  const auto model = KernelPca<double>::fit(x, {.components = 4, .kernel = Kernel::rbf(1)});
  const Matrix<double> z = model.transform(fresh);
  double before = std::numeric_limits<double>::infinity();
  for (const double pull : {0.0, 0.1, 1.0, 1000.0}) {
    const double now =
        mean_squared_distance(come_back(model, z, {.starts = 1, .pull = pull}, fresh).points, fresh);
    EXPECT_LT(now, before);
    before = now;
  }
  EXPECT_LT(before, 1e-4);
}

TEST(Preimages, ThatCameToNothingStayAtTheNearestTrainingPointAndHaveNotConverged) {
  const Matrix<double> x = random_matrix<double>(30, 2, 8);
  const auto model = KernelPca<double>::fit(x, {.components = 30, .kernel = Kernel::matern32(1)});
  Matrix<double> inputs = x;
  inputs.row(3).setConstant(1e200);  // whose squared distances are no numbers
  const auto back = come_back(model, model.scores(), {.starts = 1}, inputs);
  EXPECT_EQ(back.unconverged, 1);
  EXPECT_LT((back.points - x).norm(), 1e-5);
}

TEST(Preimages, OfScoresTooLargeAreRefusedByRow) {
  const Matrix<double> x = random_matrix<double>(30, 2, 8);
  const auto model = KernelPca<double>::fit(x, {.components = 2, .kernel = Kernel::rbf(1)});
  Matrix<double> z = model.scores();
  z(7, 1) = 1e308;
  try {
    (void)Preimage<double>(model).find(z, {}, {}, 100);
    ADD_FAILURE() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::bad_data);
    EXPECT_NE(e.message().find("row 107"), std::string::npos) << e.what();
  }
}

TEST(Preimages, ByRidgeKeepToTheMemory) {
  const Matrix<double> x = random_matrix<double>(200, 3, 8);
  const auto model = KernelPca<double>::fit(x, {.components = 2, .kernel = Kernel::laplacian(1)});
  const auto code = [&](double ridge, std::size_t memory) {
    try {
      (void)Preimage<double>(model, {.method = PreimageMethod::ridge, .ridge = ridge}, {.memory = memory});
    } catch (const Error& e) {
      return e.code();
    }
    return ErrorCode::internal;  // nothing was wrong
  };
  EXPECT_EQ(code(1, 600'000), ErrorCode::no_memory);
  EXPECT_EQ(code(1, 700'000), ErrorCode::internal);
  EXPECT_EQ(code(0, 1'600'000), ErrorCode::no_memory);
  EXPECT_EQ(code(0, 1'700'000), ErrorCode::internal);
}

TEST(Preimages, OfTheFirstComponentsAreThoseOfASmallerModel) {
  const Matrix<double> x = random_matrix<double>(70, 3, 10), fresh = random_matrix<double>(11, 3, 11);
  const auto large = KernelPca<double>::fit(x, {.components = 9, .kernel = Kernel::rbf(0.4)}),
             small = KernelPca<double>::fit(x, {.components = 4, .kernel = Kernel::rbf(0.4)});
  for (const auto method : {PreimageMethod::fixed_point, PreimageMethod::distances}) {
    const auto a = come_back(large, large.transform(fresh).leftCols(4), {.method = method});
    const auto b = come_back(small, small.transform(fresh), {.method = method});
    EXPECT_LT((a.points - b.points).norm(), 1e-6 * b.points.norm()) << name_of(method);
    EXPECT_LT((a.errors - b.errors).norm(), 1e-8);
  }
}

TEST(Preimages, ByRidgeAreTheRegressionWrittenOut) {
  const Matrix<double> x = random_matrix<double>(40, 3, 12), fresh = random_matrix<double>(5, 3, 13);
  for (const char* text :
       {"rbf(gamma=0.4)", "laplacian(gamma=0.4)", "poly(degree=2)", "rbf(gamma=0.1) + linear"}) {
    const auto model = KernelPca<double>::fit(x, {.components = 5, .kernel = Kernel::parse(text)});
    const Samples<double> z = model.scores(), fresh_z = model.transform(fresh);
    Matrix<double> k = gram(model.kernel(), z);
    k.diagonal().array() += 0.5;
    const Matrix<double> expected = gram(model.kernel(), fresh_z, z) * k.ldlt().solve(x);
    const auto back = come_back(model, fresh_z.to_dense(), {.method = PreimageMethod::ridge, .ridge = 0.5});
    EXPECT_LT((back.points - expected).norm(), 1e-9 * expected.norm()) << text;
  }
}

TEST(Preimages, ByRidgeChosenByLeavingOneOutAreNoWorseOnNewPointsThanByAFixedOne) {
  const Matrix<double> x = random_matrix<double>(200, 3, 14), fresh = random_matrix<double>(50, 3, 15);
  const auto model = KernelPca<double>::fit(x, {.components = 8, .kernel = Kernel::rbf(0.2)});
  const Matrix<double> z = model.transform(fresh);
  const auto error = [&](double ridge) {
    return mean_squared_distance(
        come_back(model, z, {.method = PreimageMethod::ridge, .ridge = ridge}).points, fresh);
  };
  EXPECT_LT(error(0), error(1));
  EXPECT_LT(error(0), 1.1 * error(1e-3));
}

TEST(Preimages, KernelsThatCannotCompareScoresHaveAMapAllTheSame) {
  const Matrix<double> x = random_matrix<double>(60, 3, 16).cwiseAbs();
  const Kernel own = Kernel::from_pairs("own", [](std::span<const double> a, std::span<const double> b) {
    return std::exp(-std::abs(a[2] - b[2]) - std::abs(a[0] - b[0]));  // reads three coordinates
  });
  for (const Kernel& kernel : {Kernel::chi2(1), own}) {
    const auto model = KernelPca<double>::fit(x, {.components = 2, .kernel = kernel});
    const auto back = come_back(model, model.scores());
    EXPECT_TRUE(back.points.allFinite());
    EXPECT_TRUE(back.errors.allFinite());
    EXPECT_LT((back.points - x).norm(), (x.rowwise() - x.colwise().mean()).norm());
  }
}

TEST(Preimages, DoNotDependOnTheNumberOfThreads) {
  const Matrix<double> x = random_matrix<double>(300, 4, 17), fresh = random_matrix<double>(200, 4, 18);
  const auto model = KernelPca<double>::fit(x, {.components = 6, .kernel = Kernel::rbf(0.3)});
  const Matrix<double> z = model.transform(fresh);
  for (const auto method : {PreimageMethod::fixed_point, PreimageMethod::distances, PreimageMethod::ridge}) {
    const mercer::Run one{.threads = 1}, four{.threads = 4};
    const auto a = Preimage<double>(model, {.method = method}, one).find(z, {}, one),
               b = Preimage<double>(model, {.method = method}, four).find(z, {}, four);
    EXPECT_EQ(a.points, b.points) << name_of(method);
    EXPECT_EQ(a.errors, b.errors) << name_of(method);
  }
}

TEST(Preimages, InFloatAgreeWithDouble) {
  const Matrix<double> x = random_matrix<double>(80, 3, 19);
  const auto exact =
      KernelPca<double>::fit(x, {.components = 6, .kernel = Kernel::rbf(0.3), .scale = Scale::standardize});
  const auto rounded = KernelPca<float>::fit(
      x.cast<float>().eval(), {.components = 6, .kernel = Kernel::rbf(0.3), .scale = Scale::standardize});
  const Matrix<double> a = exact.inverse(exact.scores());
  const Matrix<float> b = rounded.inverse(rounded.scores());
  EXPECT_LT((a - b.cast<double>()).norm(), 1e-2 * a.norm());
}

/// Eleven Gaussians in ten dimensions, centres in [−½, ½]¹⁰ (Mika et al. 1998; see
/// reproduce/t2_mika_gaussians.py).
struct Gaussians {
  Matrix<double> train, noisy, clean;

  Gaussians(double sigma, std::uint64_t seed) : train(1100, 10), noisy(363, 10), clean(363, 10) {
    Random random(seed);
    Matrix<double> centers(11, 10);
    for (double& c : centers.reshaped()) c = random.uniform() - 0.5;
    const auto around = [&](Matrix<double>& out, Index i) {
      for (Index j = 0; j < 10; ++j) out(i, j) = centers(i % 11, j) + sigma * random.normal();
    };
    for (Index i = 0; i < 1100; ++i) around(train, i);
    for (Index i = 0; i < 363; ++i) {
      around(noisy, i);
      clean.row(i) = centers.row(i % 11);
    }
  }
};

TEST(Denoising, BeatsLinearPcaByThePublishedOrder) {
  const double sigma = 0.05;
  const Gaussians data(sigma, 1);
  const auto kernel = KernelPca<double>::fit(
      data.train, {.components = 5, .kernel = Kernel::rbf(1 / (10 * 2 * sigma * sigma))});
  const auto linear = Pca<double>::fit(data.train, {.components = 5});
  const auto back = come_back(kernel, kernel.transform(data.noisy), {.starts = 1}, data.noisy);
  const double by_kernel = mean_squared_distance(back.points, data.clean),
               by_lines = mean_squared_distance(linear.inverse(linear.transform(data.noisy)), data.clean);
  EXPECT_GT(by_lines / by_kernel, 100) << "published: 310";
  EXPECT_LT(by_kernel, 0.2 * mean_squared_distance(data.noisy, data.clean));
}

std::string message_of(const std::function<void()>& work, ErrorCode code) {
  try {
    work();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), code) << e.what();
    return e.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

TEST(PreimageErrors, AreClear) {
  const Matrix<double> x = random_matrix<double>(20, 3, 20);
  const auto with = [&](const char* kernel) {
    return KernelPca<double>::fit(x, {.kernel = Kernel::parse(kernel)});
  };
  const auto refused = [&](const char* kernel, PreimageMethod method) {
    const auto model = with(kernel);
    return message_of([&] { (void)Preimage<double>(model, {.method = method}); }, ErrorCode::usage);
  };
  EXPECT_NE(refused("poly", PreimageMethod::fixed_point).find("a kernel of the distance"), std::string::npos);
  EXPECT_NE(refused("laplacian", PreimageMethod::distances).find("ridge works for every kernel"),
            std::string::npos);
  EXPECT_NE(refused("rbf", PreimageMethod::exact).find("linear"), std::string::npos);

  const auto model = with("rbf");
  EXPECT_NE(message_of([&] { (void)model.inverse(Matrix<double>::Zero(2, 3)); }, ErrorCode::bad_data)
                .find("has 2 component"),
            std::string::npos);
  const Preimage<double> back(model);
  EXPECT_EQ(back.method(), PreimageMethod::fixed_point);
  (void)message_of([&] { (void)back.find(Matrix<double>::Zero(2, 3)); }, ErrorCode::bad_data);
  (void)message_of(
      [&] { (void)back.find(Matrix<double>::Zero(2, 2), Samples<double>(Matrix<double>::Zero(3, 3))); },
      ErrorCode::bad_data);
  Matrix<double> nan = Matrix<double>::Zero(2, 2);
  nan(1, 0) = std::numeric_limits<double>::quiet_NaN();
  (void)message_of([&] { (void)back.find(nan); }, ErrorCode::bad_data);
  for (const PreimageOptions& bad :
       {PreimageOptions{.starts = 0}, PreimageOptions{.iterations = 0}, PreimageOptions{.tolerance = 0},
        PreimageOptions{.pull = -1}, PreimageOptions{.neighbors = 1}, PreimageOptions{.ridge = -1}})
    (void)message_of([&] { (void)Preimage<double>(model, bad); }, ErrorCode::usage);

  const Samples<double> k = gram(Kernel::rbf(1), Samples<double>(x));
  const auto precomputed = KernelPca<double>::fit(k, {.kernel = Kernel::precomputed()});
  EXPECT_NE(message_of([&] { (void)precomputed.inverse(precomputed.scores()); }, ErrorCode::usage)
                .find("no inputs"),
            std::string::npos);
  (void)message_of([] { (void)parse_preimage_method("magic"); }, ErrorCode::usage);
}

TEST(PreimageErrors, NoScoresAndNoComponentsAreFine) {
  const auto model = KernelPca<double>::fit(random_matrix<double>(20, 3, 20), {.kernel = Kernel::rbf(1)});
  EXPECT_EQ(model.inverse(Matrix<double>(0, 2)).rows(), 0);
  const Matrix<double> equal = Matrix<double>::Ones(5, 3);
  const auto flat = KernelPca<double>::fit(equal, {.kernel = Kernel::rbf(1)});
  ASSERT_EQ(flat.components(), 0);
  EXPECT_LT((flat.inverse(Matrix<double>(2, 0)) - Matrix<double>::Ones(2, 3)).norm(), 1e-12);
}

}  // namespace
}  // namespace mercer
