// Random features: right on average, no worse than their variance says, better when orthogonal.
#include "kernel/random_features.hpp"

#include "support.hpp"

namespace mercer {
namespace {

const char* const kernels[] = {"rbf(gamma=0.3)",
                               "laplacian(gamma=0.2)",
                               "matern32(length=1.5)",
                               "matern52(length=0.8)",
                               "rq(length=1.2, alpha=0.7)",
                               "rq(length=0.9, alpha=3)",
                               "2.5*rbf(gamma=0.1)",
                               "0.5*rbf(gamma=0.2) + 2*matern52(length=2) + laplacian(gamma=0.1)",
                               "rbf(gamma=0.2)*matern32(length=2)",
                               "rbf(gamma=0.1)*laplacian(gamma=0.1)",
                               "(rbf(gamma=0.1) + rq)*(matern52 + 3*rbf(gamma=0.5))"};

template <class T>
Matrix<double> features_of(const Kernel& kernel, const Samples<T>& x, Index count, bool orthogonal,
                           std::uint64_t seed) {
  const auto map = RandomFeatures<T>::draw(kernel, x.cols(), count, orthogonal, {.seed = seed});
  Matrix<T> z(x.rows(), map.count());
  map.evaluate(x, z.data(), {});
  return z.template cast<double>();
}

/// Mean and mean square over draws of ẑ(x)·ẑ(y) − k(x, y), for all pairs.
struct Errors {
  Matrix<double> mean, square;
  Errors(const Kernel& kernel, const Samples<double>& x, Index count, bool orthogonal, int draws) {
    const Matrix<double> exact = gram(kernel, x);
    mean = square = Matrix<double>::Zero(x.rows(), x.rows());
    for (int seed = 0; seed < draws; ++seed) {
      const Matrix<double> z =
          features_of<double>(kernel, x, count, orthogonal, static_cast<std::uint64_t>(seed));
      const Matrix<double> error = z * z.transpose() - exact;
      mean += error / draws;
      square += error.cwiseAbs2() / draws;
    }
  }
};

TEST(RandomFeatures, AreUnbiasedForEveryKernelAndKind) {
  constexpr int draws = 600;
  const Samples<double> x = test::random_matrix<double>(7, 4, 1);
  for (const char* text : kernels)
    for (const bool orthogonal : {true, false}) {
      const Kernel kernel = Kernel::parse(text);
      const Errors e(kernel, x, 32, orthogonal, draws);
      const double largest = gram(kernel, x).maxCoeff();
      const Matrix<double> standard_error = (e.square / draws).cwiseSqrt().array() + 1e-9 * largest;
      EXPECT_LT((e.mean.array() / standard_error.array()).abs().maxCoeff(), 4.5)
          << text << (orthogonal ? ", orthogonal" : ", fourier");
    }
}

TEST(RandomFeatures, ApproachTheKernelAsOneOverTheRootOfTheirNumber) {
  const Samples<double> x = test::random_matrix<double>(60, 5, 2);
  for (const char* text : kernels)
    for (const bool orthogonal : {true, false}) {
      const Kernel kernel = Kernel::parse(text);
      const Matrix<double> exact = gram(kernel, x);
      for (const Index count : {256, 2048}) {
        const Matrix<double> z = features_of<double>(kernel, x, count, orthogonal, 3);
        EXPECT_LT((z * z.transpose() - exact).norm() / 60, 1.5 * exact.maxCoeff() / std::sqrt(double(count)))
            << text << ", " << count;
      }
    }
}

TEST(RandomFeatures, OrthogonalOnesVaryLessForTheIsotropicKernels) {
  const Samples<double> x = test::random_matrix<double>(8, 6, 3);
  for (const char* text : {"rbf(gamma=0.05)", "rbf(gamma=0.2)", "matern52(length=4)"}) {
    const Errors independent(Kernel::parse(text), x, 12, false, 500),
        orthogonal(Kernel::parse(text), x, 12, true, 500);
    EXPECT_LT(orthogonal.square.sum(), 0.8 * independent.square.sum()) << text;
  }
}

TEST(RandomFeatures, OfAPointWithItselfGiveTheKernelExactly) {
  Matrix<double> x = test::random_matrix<double>(20, 3, 4);
  x.row(0) *= 1e5;
  for (const char* text : kernels) {
    const Kernel kernel = Kernel::parse(text);
    const Vector<double> exact = gram(kernel, Samples<double>(x)).diagonal();
    const Matrix<double> z = features_of<double>(kernel, x, 64, true, 5);
    const Matrix<double> f = features_of<float>(kernel, Samples<double>(x).cast<float>(), 64, true, 5);
    EXPECT_LT((z.rowwise().squaredNorm() - exact).cwiseAbs().maxCoeff(), 1e-13 * exact[0]) << text;
    EXPECT_LT((f.rowwise().squaredNorm() - exact).cwiseAbs().maxCoeff(), 2e-6 * exact[0]) << text;
  }
}

TEST(RandomFeatures, HaveOrthogonalDirectionsWithinABlock) {
  const auto map = RandomFeatures<double>::draw(Kernel::rbf(0.5), 5, 24, true, {.seed = 6});
  for (const Index first : {0, 5, 10}) {
    const Index size = std::min<Index>(5, 12 - first);
    Block<double> w = map.frequencies().middleCols(first, size);
    w.colwise().normalize();
    EXPECT_LT((w.transpose() * w - Block<double>::Identity(size, size)).norm(), 1e-12);
  }
  EXPECT_TRUE(has_orthogonal_features(Kernel::rbf(1) + Kernel::laplacian(1)));
  EXPECT_FALSE(has_orthogonal_features(Kernel::laplacian(1)));
}

TEST(RandomFeatures, DoNotDependOnThreadsNorOnTheFormOfTheData) {
  const Kernel kernel = Kernel::parse("rbf(gamma=0.3) + rq");
  const auto one = RandomFeatures<double>::draw(kernel, 9, 128, true, {.threads = 1, .seed = 7});
  const auto four = RandomFeatures<double>::draw(kernel, 9, 128, true, {.threads = 4, .seed = 7});
  EXPECT_EQ(one.frequencies(), four.frequencies());
  const SparseMatrix<double> sparse = test::random_sparse<double>(300, 9, 8);
  Matrix<double> a(300, 128), b(300, 128), c(300, 128);
  one.evaluate(Matrix<double>(sparse), a.data(), {.threads = 1});
  one.evaluate(Matrix<double>(sparse), b.data(), {.threads = 3});
  one.evaluate(sparse, c.data(), {});
  EXPECT_EQ(a, b);
  EXPECT_LT((a - c).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(RandomFeatures, KeepTheirDigitsFarFromTheOrigin) {
  Matrix<float> x = test::random_matrix<float>(50, 3, 9);
  x.array() = (x.array() * 256).round() / 256;  // so that the move itself is exact
  Matrix<float> far = x;
  far.array() += 4096;
  const auto map = RandomFeatures<float>::draw(Kernel::rbf(0.5), 3, 64, true, {.seed = 1});
  Matrix<float> z(50, 64), moved(50, 64);
  map.evaluate(x, z.data(), {});
  map.about(Vector<double>::Constant(3, 4096)).evaluate(far, moved.data(), {});
  EXPECT_LT((z - moved).cwiseAbs().maxCoeff(), 1e-6F);
}

TEST(RandomFeatures, AreRefusedInWordsWhereThereAreNone) {
  for (const char* text : {"linear", "rbf(gamma=1) + cosine", "-1*rbf(gamma=1)", "precomputed",
                           "rbf(gamma=1)*poly(degree=2)", "expr('exp(-sqdist)')"}) {
    try {
      require_random_features(Kernel::parse(text), 64);
      FAIL() << text;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::usage);
      const std::string what = e.what();
      for (const char* name : {"rbf", "laplacian", "matern32", "matern52", "rq"})
        EXPECT_NE(what.find(name), std::string::npos) << what;
    }
  }
  EXPECT_THROW(require_random_features(Kernel::rbf(1), 63), Error) << "they come in pairs";
  EXPECT_THROW(require_random_features(Kernel::rbf(1), 0), Error);
  EXPECT_THROW(require_random_features(Kernel::rbf(1) + Kernel::rbf(2), 2), Error) << "two for each term";
}

}  // namespace
}  // namespace mercer
