// Kernel discriminants: the formulas of mission row M9 written out, LAPACK, linear discriminants, low rank.
#include "base/linalg.hpp"
#include "discriminant_data.hpp"

#include <mercer/error.hpp>
#include <mercer/generate.hpp>
#include <mercer/model.hpp>

#include <Eigen/Cholesky>

#include <filesystem>

namespace mercer {
namespace {

using test::gaussian_classes;
using test::kernel_scatter;

template <class T>
KernelDiscriminantOptions with(Kernel kernel, double ridge) {
  KernelDiscriminantOptions out;
  out.kernel = std::move(kernel);
  out.ridge = ridge;
  return out;
}

TEST(KernelDiscriminant, IsTheTwoClassFormula) {
  const auto data = gaussian_classes<double>({25, 14}, 3, 1);
  for (const Kernel& kernel : {Kernel::rbf(0.3), Kernel::polynomial(2), Kernel::sigmoid(0.5, -1)}) {
    const Matrix<double> k = gram(kernel, data.samples);
    const auto scatter = kernel_scatter(k, data.label);
    for (const double ridge : {1e-2, 1.0}) {
      const auto model =
          KernelDiscriminant<double>::fit(data.samples, data.label, with<double>(kernel, ridge));
      Block<double> n = scatter.within;
      n.diagonal().array() += ridge;
      const Vector<double> alpha = n.ldlt().solve(scatter.means.col(0) - scatter.means.col(1));
      EXPECT_LT(test::turned(alpha, model.alpha().col(0)), 1e-9) << kernel.to_string();
      EXPECT_NEAR(model.alpha().col(0).dot(n * model.alpha().col(0)), 37, 1e-6);
      const Vector<double> z = k * model.alpha().col(0);
      EXPECT_LT((z - model.scores().col(0)).norm(), 1e-9 * z.norm());
    }
  }
}

TEST(KernelDiscriminant, ManyClassesAreLapacksGeneralizedEigenproblem) {
  const auto data = gaussian_classes<double>({25, 14, 8, 30}, 3, 2);
  const Kernel kernel = Kernel::rbf(0.2);
  const auto scatter = kernel_scatter(gram(kernel, data.samples), data.label);
  const double sizes[] = {25, 14, 8, 30}, total = 77;
  Vector<double> middle = Vector<double>::Zero(77);
  for (Index j = 0; j < 4; ++j) middle += sizes[j] / total * scatter.means.col(j);
  Block<double> m = Block<double>::Zero(77, 77), n = scatter.within;
  for (Index j = 0; j < 4; ++j)
    m += sizes[j] * (scatter.means.col(j) - middle) * (scatter.means.col(j) - middle).transpose();
  n.diagonal().array() += 0.01;
  Vector<double> values;
  linalg::sygvd(m, n, values);
  const auto model = KernelDiscriminant<double>::fit(data.samples, data.label, with<double>(kernel, 0.01));
  const Vector<double> expected = values.tail(3).reverse();
  ASSERT_EQ(3, model.components());
  EXPECT_LT((model.report().gram_eigenvalues - expected).cwiseAbs().maxCoeff(), 1e-9 * expected[0]);
  const Block<double> alpha = m.rightCols(3).rowwise().reverse() * std::sqrt(73.0);
  EXPECT_LT((test::with_signs_of(alpha, model.alpha()) - alpha).cwiseAbs().maxCoeff(),
            1e-6 * alpha.cwiseAbs().maxCoeff());
  EXPECT_LT(model.report().residuals.maxCoeff(), 1e-9 * expected[0]);
}

/// Σ_i α_i x_i
Vector<double> direction(const KernelDiscriminant<double>& model, const Samples<double>& x) {
  return x.to_dense().transpose() * model.alpha().col(0);
}

TEST(KernelDiscriminant, WithALinearKernelHasTheRidgeOfTheInverseGramMatrix) {
  const auto data = gaussian_classes<double>({25, 14}, 4, 3);
  const Matrix<double> x = data.samples.to_dense();
  Block<double> within = Block<double>::Zero(4, 4);
  Block<double> means = Block<double>::Zero(4, 2);
  for (Index i = 0; i < 39; ++i) {
    const auto code = data.label.codes[static_cast<std::size_t>(i)];
    means.col(code) += x.row(i).transpose() / (code == 0 ? 25.0 : 14.0);
  }
  for (Index i = 0; i < 39; ++i) {
    const Vector<double> off =
        x.row(i).transpose() - means.col(data.label.codes[static_cast<std::size_t>(i)]);
    within += off * off.transpose();
  }
  const Block<double> xx = x.transpose() * x;
  for (const double ridge : {1.0, 1e3, 1e6}) {
    const Block<double> regularised =
        within + ridge * Block<double>(xx.llt().solve(Block<double>::Identity(4, 4)));
    const Vector<double> w = regularised.llt().solve(means.col(0) - means.col(1));
    const auto model =
        KernelDiscriminant<double>::fit(data.samples, data.label, with<double>(Kernel::linear(), ridge));
    EXPECT_LT(test::turned(w, direction(model, data.samples)), 1e-10) << ridge;
  }
}

TEST(KernelDiscriminant, WithALinearKernelTendsToTheLinearDiscriminant) {
  const auto data = gaussian_classes<double>({25, 14}, 4, 4);
  const auto linear = LinearDiscriminant<double>::fit(data.samples, data.label);
  double before = 1;
  for (const double ridge : {1e4, 1e3, 1e2, 1e1, 1.0, 1e-1, 1e-2}) {
    const auto model =
        KernelDiscriminant<double>::fit(data.samples, data.label, with<double>(Kernel::linear(), ridge));
    const double off = test::turned(linear.directions().col(0), direction(model, data.samples));
    EXPECT_LE(off, before * 0.5 + 1e-11) << ridge;
    before = off;
  }
  EXPECT_LT(before, 1e-10);
}

template <class T>
class KernelDiscriminantIn : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(KernelDiscriminantIn, Precisions);

TYPED_TEST(KernelDiscriminantIn, EitherPrecisionTransformsPredictsAndComesBackFromFiles) {
  using T = TypeParam;
  const auto data = gaussian_classes<T>({20, 25, 30}, 4, 6);
  for (const Route route : {Route::dense, Route::lowrank}) {
    KernelDiscriminantOptions options = with<T>(Kernel::rbf(0.1), 1e-2);
    options.scale = Scale::standardize;
    options.route = route;
    if (route == Route::lowrank) options.lowrank.rank = 20;
    const auto model = KernelDiscriminant<T>::fit(data.samples, data.label, options);
    EXPECT_EQ(route, model.report().plan.route);
    EXPECT_EQ(route == Route::lowrank ? 20 : 75, model.points().rows());
    EXPECT_EQ(model.scores(), model.transform(data.samples));
    const std::string path = std::filesystem::temp_directory_path() / ("klda-" + std::to_string(sizeof(T)));
    model.save(path);
    const auto again = load_model<T>(path);
    std::filesystem::remove(path);
    EXPECT_EQ("klda", again->method());
    const auto& loaded = dynamic_cast<const KernelDiscriminant<T>&>(*again);
    EXPECT_EQ(model.scores(), again->transform(data.samples));
    EXPECT_EQ(model.predict(data.samples).codes, loaded.predict(data.samples).codes);
    EXPECT_EQ(model.report().to_json(), again->report().to_json());
    EXPECT_EQ(route == Route::dense, loaded.training_points().has_value());
  }
}

TYPED_TEST(KernelDiscriminantIn, EitherPrecisionFindsTheSameDirections) {
  using T = TypeParam;
  const auto data = gaussian_classes<T>({20, 25, 30}, 4, 6);
  const auto model = KernelDiscriminant<T>::fit(data.samples, data.label, with<T>(Kernel::rbf(0.05), 0.1));
  const auto exact = KernelDiscriminant<double>::fit(data.samples.template cast<double>(), data.label,
                                                     with<double>(Kernel::rbf(0.05), 0.1));
  const Matrix<double> a = exact.scores(), b = test::with_signs_of(a, model.scores());
  EXPECT_LT((a - b).cwiseAbs().maxCoeff(), test::tolerance<T>(1e-12, 2e-3) * a.cwiseAbs().maxCoeff());
}

TEST(KernelDiscriminant, TakesAPrecomputedMatrix) {
  const auto data = gaussian_classes<double>({20, 25}, 3, 7);
  const Kernel kernel = Kernel::rbf(0.3);
  const auto model = KernelDiscriminant<double>::fit(data.samples, data.label, with<double>(kernel, 0.1));
  const auto given = KernelDiscriminant<double>::fit(gram(kernel, data.samples), data.label,
                                                     with<double>(Kernel::precomputed(), 0.1));
  const Samples<double> fresh = test::random_matrix<double>(10, 3, 70);
  EXPECT_LT((model.transform(fresh) - given.transform(gram(kernel, fresh, data.samples))).norm(), 1e-10);
}

/// K_:S K_SS⁻¹ K_S:
Matrix<double> low_rank_gram(const Kernel& kernel, const Samples<double>& x,
                             const Samples<double>& landmarks) {
  const Block<double> cross = gram(kernel, x, landmarks), inner = gram(kernel, landmarks);
  return cross * inner.ldlt().solve(cross.transpose());
}

TEST(KernelDiscriminant, OfLowRankIsTheDenseOneOfTheLowRankMatrix) {
  const auto data = gaussian_classes<double>({30, 25, 40}, 3, 8);
  KernelDiscriminantOptions options = with<double>(Kernel::rbf(0.3), 0.05);
  options.route = Route::lowrank;
  options.lowrank.rank = 25;
  const auto low = KernelDiscriminant<double>::fit(data.samples, data.label, options);
  Matrix<double> k = low_rank_gram(options.kernel, data.samples, low.points());
  k = ((k + k.transpose()) / 2).eval();
  const auto dense =
      KernelDiscriminant<double>::fit(k, data.label, with<double>(Kernel::precomputed(), 0.05));
  EXPECT_LT((low.report().gram_eigenvalues - dense.report().gram_eigenvalues).norm(),
            1e-7 * dense.report().gram_eigenvalues[0]);
  const Matrix<double> a = dense.scores(), b = test::with_signs_of(a, low.scores());
  EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-6 * a.cwiseAbs().maxCoeff());
}

TEST(KernelDiscriminant, OfFullRankOnLandmarksIsTheDenseOne) {
  const auto data = gaussian_classes<double>({30, 25}, 3, 9);
  KernelDiscriminantOptions options = with<double>(Kernel::rbf(1), 0.05);
  const auto dense = KernelDiscriminant<double>::fit(data.samples, data.label, options);
  options.route = Route::lowrank;
  options.lowrank.rank = 55;
  const auto low = KernelDiscriminant<double>::fit(data.samples, data.label, options);
  const Matrix<double> a = dense.scores(), b = test::with_signs_of(a, low.scores());
  EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-6 * a.cwiseAbs().maxCoeff());
}

TEST(KernelDiscriminant, AnyNumberOfThreadsGivesTheSameBits) {
  const auto data = gaussian_classes<double>({300, 250, 150}, 5, 10);
  for (const Index rank : {0, 60}) {
    KernelDiscriminantOptions options;
    if (rank > 0) options.route = Route::lowrank, options.lowrank.rank = rank;
    const auto one =
        KernelDiscriminant<double>::fit(data.samples, data.label, options, mercer::Run{.threads = 1});
    const auto two =
        KernelDiscriminant<double>::fit(data.samples, data.label, options, mercer::Run{.threads = 2});
    EXPECT_EQ(one.alpha(), two.alpha());
  }
}

TEST(KernelDiscriminant, TellsApartWhatALineCannot) {
  const auto data = generate("two-classes", 200, 1);
  const auto linear = LinearDiscriminant<double>::fit(data);
  const auto kernel = KernelDiscriminant<double>::fit(data, with<double>(Kernel::rbf(1), 1e-3));
  EXPECT_GT(linear.report().discrimination->training_errors, 20);
  EXPECT_EQ(kernel.report().discrimination->training_errors, 0);
  const auto fresh = generate("two-classes", 400, 2);
  const Label found = kernel.predict(fresh.samples);
  Index wrong = 0;
  for (std::size_t i = 0; i < found.codes.size(); ++i)
    wrong += found.names[static_cast<std::size_t>(found.codes[i])] !=
             fresh.label->names[static_cast<std::size_t>(fresh.label->codes[i])];
  EXPECT_LT(wrong, 8);
}

ErrorCode code_of(const KernelDiscriminantOptions& options, const mercer::Run& run = {}) {
  const auto data = gaussian_classes<double>({100, 100}, 3, 11);
  try {
    (void)KernelDiscriminant<double>::fit(data.samples, data.label, options, run);
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode::internal;
}

TEST(KernelDiscriminant, WhatCannotBeIsRefused) {
  EXPECT_EQ(ErrorCode::usage, code_of({.ridge = 0}));
  EXPECT_EQ(ErrorCode::usage, code_of({.ridge = -1}));
  EXPECT_EQ(ErrorCode::usage, code_of({.components = -1}));
  EXPECT_EQ(ErrorCode::usage, code_of({.route = Route::tiled}));
  EXPECT_EQ(ErrorCode::usage, code_of({.kernel = Kernel::precomputed(), .scale = Scale::center}));
  EXPECT_EQ(ErrorCode::bad_data, code_of({.kernel = Kernel::precomputed()}));
  EXPECT_EQ(ErrorCode::no_memory, code_of({}, {.memory = 300000}));
  EXPECT_EQ(ErrorCode::not_psd,
            code_of({.kernel = Kernel::sigmoid(1), .route = Route::lowrank, .lowrank = {.rank = 5}}));
}

TEST(KernelDiscriminantSearch, LeavingOutOneIsWhatItSays) {
  const auto data = gaussian_classes<double>({12, 9}, 2, 12, 0.8);
  DiscriminantSearch search;
  search.folds = 21;  // each sample alone, whatever was drawn
  search.widths = {0.5, 4};
  search.ridges = {1e-2, 1};
  const auto model = KernelDiscriminant<double>::search(data.samples, data.label, {}, search);
  const Discrimination& found = *model.report().discrimination;
  ASSERT_EQ(4u, found.trials.size());
  for (const auto& trial : found.trials) {
    Index wrong = 0;
    for (Index out = 0; out < 21; ++out) {
      std::vector<Index> rows;
      std::vector<std::string> names;
      for (Index i = 0; i < 21; ++i) {
        if (i == out) continue;
        rows.push_back(i);
        names.push_back(
            data.label.names[static_cast<std::size_t>(data.label.codes[static_cast<std::size_t>(i)])]);
      }
      const auto one =
          KernelDiscriminant<double>::fit(data.samples.select_rows(rows), make_label("kind", names),
                                          with<double>(Kernel::parse(trial.kernel), trial.ridge));
      wrong += one.predict(data.samples.middle_rows(out, 1)).codes[0] !=
               data.label.codes[static_cast<std::size_t>(out)];
    }
    EXPECT_NEAR(trial.error, double(wrong) / 21, 1e-12) << trial.kernel << ", " << trial.ridge;
    EXPECT_LE(found.trials[static_cast<std::size_t>(found.chosen)].error, trial.error);
  }
  const auto& best = found.trials[static_cast<std::size_t>(found.chosen)];
  EXPECT_EQ(best.kernel, model.kernel().to_string());
  EXPECT_EQ(best.ridge, found.ridge);
}

TEST(KernelDiscriminantSearch, KeepsWhatIsFixedAndDoesNotDependOnThreads) {
  const auto data = generate("two-classes", 120, 3);
  KernelDiscriminantOptions options;
  const auto one = KernelDiscriminant<double>::search(data, options, {}, mercer::Run{.threads = 1});
  const auto two = KernelDiscriminant<double>::search(data, options, {}, mercer::Run{.threads = 2});
  EXPECT_EQ(80u, one.report().discrimination->trials.size());
  EXPECT_EQ(one.alpha(), two.alpha());
  EXPECT_LT(one.report().discrimination->training_errors, 4);
  options.kernel = Kernel::rbf(2);
  const auto fixed = KernelDiscriminant<double>::search(data, options, {.ridges = {0.5}});
  ASSERT_EQ(1u, fixed.report().discrimination->trials.size());
  EXPECT_EQ("rbf(gamma=2)", fixed.report().discrimination->trials[0].kernel);
  EXPECT_EQ(0.5, fixed.report().discrimination->ridge);
}

TEST(KernelDiscriminantSearch, WhatCannotBeIsRefused) {
  const auto data = generate("two-classes", 60, 3);
  const auto code = [&](const DiscriminantSearch& search, const KernelDiscriminantOptions& options = {},
                        const mercer::Run& run = {}) {
    try {
      (void)KernelDiscriminant<double>::search(data, options, search, run);
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::internal;
  };
  EXPECT_EQ(ErrorCode::usage, code({.folds = 1}));
  EXPECT_EQ(ErrorCode::usage, code({.folds = 61}));
  EXPECT_EQ(ErrorCode::usage, code({.ridges = {0}}));
  EXPECT_EQ(ErrorCode::usage, code({.widths = {-1}}));
  EXPECT_EQ(ErrorCode::usage, code({}, {.route = Route::lowrank, .lowrank = {.rank = 5}}));
  EXPECT_EQ(ErrorCode::no_memory, code({}, {}, {.threads = 1, .memory = 100000}));
}

}  // namespace
}  // namespace mercer
