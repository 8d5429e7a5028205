// CP (row M15) as a model: planted factors come back, whole and with gaps; scores, files and bad requests.
#include <mercer/cp.hpp>
#include <mercer/error.hpp>

#include "decompositions.hpp"
#include "expect_error.hpp"
#include "model/model_file.hpp"
#include "tensor/cp_support.hpp"

#include <cstdio>
#include <functional>

namespace mercer {
namespace {

using test::error_of;

using test::tolerance;

template <class T>
class CpOf : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(CpOf, Types);

/// The same array with its gaps not stored.
template <class T>
SparseTensor<T> stored_only(const Tensor<T>& x) {
  Coordinates<T> entries{x.shape(), std::vector<std::vector<std::uint32_t>>(x.shape().size()), {}};
  test::for_each_index(x.shape(), [&](const Shape& i) {
    if (std::isnan(x(i))) return;
    for (std::size_t m = 0; m < i.size(); ++m) entries.index[m].push_back(std::uint32_t(i[m]));
    entries.values.push_back(x(i));
  });
  return SparseTensor<T>(std::move(entries));
}

/// Samples as rows, the last index fastest.
template <class T>
Matrix<T> rows_of(const Tensor<T>& x, Index sample_mode) {
  Matrix<T> out(x.size(sample_mode), x.count() / x.size(sample_mode));
  for (Index i = 0; i < out.rows(); ++i) {
    const TensorView<T> sample = x.view().slice(sample_mode, i);
    Shape last(sample.shape().size());
    std::iota(last.rbegin(), last.rend(), Index(0));
    out.row(i) = Tensor<T>(sample.reordered(last)).values().transpose();
  }
  return out;
}

TYPED_TEST(CpOf, PlantedFactorsComeBackWithAndWithoutGaps) {
  using T = TypeParam;
  for (const Shape& shape : std::vector<Shape>{{14, 12, 10}, {9, 4, 6, 7}})
    for (const double gaps : {0.0, 0.3}) {
      const auto truth = test::planted<T>(shape, {6, 4, 3, 2}, 1);
      const Tensor<T> x = test::with_gaps(full_tensor(truth, {}), gaps, 2);
      const auto model = Cp<T>::fit(x.view(), {.rank = 4, .missing = gaps > 0});
      EXPECT_LE(test::component_distance(model.weights(), model.factors(), truth), tolerance<T>(1e-8, 1e-3))
          << to_string(shape) << ", gaps " << gaps;
      EXPECT_TRUE(model.report().converged);
      EXPECT_LE(model.report().decomposition->relative_error, tolerance<T>(1e-9, 1e-5));
      EXPECT_NEAR(model.report().decomposition->core_consistency.value(), 100, tolerance<T>(1e-5, 1));
    }
}

TYPED_TEST(CpOf, ASparseTensorGivesWhatItsDenseCopyGives) {
  using T = TypeParam;
  const auto truth = test::planted<T>({14, 12, 10}, {6, 4, 3}, 3);
  const Tensor<T> x = test::with_gaps(test::with_noise(full_tensor(truth, {}), 0.01, 4), 0.4, 5);
  Tensor<T> zeros = x;
  for (T& value : zeros.values())
    if (std::isnan(value)) value = 0;
  const SparseTensor<T> sparse = stored_only(x);
  for (const bool missing : {false, true}) {
    const CpOptions options{.rank = 3, .start = CpStart::random, .missing = missing, .allow_partial = true};
    const auto a = Cp<T>::fit(missing ? x.view() : zeros.view(), options);
    const auto b = Cp<T>::fit(sparse, options);
    EXPECT_NEAR(a.report().decomposition->relative_error, b.report().decomposition->relative_error,
                tolerance<T>(1e-8, 1e-4));
    EXPECT_LE((a.weights() - b.weights()).norm(), tolerance<T>(1e-5, 1e-2) * a.weights().norm());
    for (std::size_t m = 0; m < 3; ++m)
      EXPECT_LE(double((a.factors()[m] - b.factors()[m]).norm()), tolerance<T>(1e-4, 3e-2));
    EXPECT_NEAR(a.report().decomposition->core_consistency.value(),
                b.report().decomposition->core_consistency.value(), tolerance<T>(1e-1, 10));
    EXPECT_EQ(a.report().decomposition->known, missing ? sparse.stored() : x.count());
    EXPECT_EQ(b.report().decomposition->known, sparse.stored());
  }
}

TYPED_TEST(CpOf, WeightsOfZeroAndOneAreGaps) {
  using T = TypeParam;
  const auto truth = test::planted<T>({10, 9, 8}, {6, 4}, 6);
  const Tensor<T> x = test::with_gaps(test::with_noise(full_tensor(truth, {}), 0.05, 7), 0.3, 8);
  Tensor<T> filled = x, w(x.shape());
  for (Index i = 0; i < x.count(); ++i) {
    w.values()[i] = std::isnan(x.values()[i]) ? T(0) : T(1);
    if (w.values()[i] == 0) filled.values()[i] = T(1000);  // does not matter
  }
  const auto a = Cp<T>::fit(x.view(), {.rank = 2, .missing = true});
  const auto b = Cp<T>::fit(filled.view(), w.view(), {.rank = 2});
  EXPECT_EQ(a.weights(), b.weights());
  for (std::size_t m = 0; m < 3; ++m) EXPECT_EQ(a.factors()[m], b.factors()[m]);
}

TYPED_TEST(CpOf, LargerWeightsAreFittedMoreClosely) {
  using T = TypeParam;
  const Tensor<T> x = test::random_tensor<T>({8, 7, 6}, 9);
  Tensor<T> w(x.shape());
  w.values().setConstant(1);
  w.values().head(30).setConstant(100);
  const auto plain = Cp<T>::fit(x.view(), {.rank = 2, .allow_partial = true}).reconstruction();
  const auto weighted = Cp<T>::fit(x.view(), w.view(), {.rank = 2, .allow_partial = true}).reconstruction();
  EXPECT_LT(double((weighted.values() - x.values()).head(30).norm()),
            0.7 * double((plain.values() - x.values()).head(30).norm()));
}

TYPED_TEST(CpOf, OfATwoWayArrayItReachesTheErrorOfTheSvd) {
  using T = TypeParam;
  const Tensor<T> x = test::random_tensor<T>({20, 13}, 10);
  const Vector<double> s = unfold<T>(x, 0).template cast<double>().jacobiSvd().singularValues();
  for (const Index rank : {1, 4, 13}) {
    const auto model = Cp<T>::fit(x.view(), {.rank = rank});
    EXPECT_NEAR(model.report().decomposition->relative_error, s.tail(13 - rank).norm() / s.norm(),
                tolerance<T>(1e-7, 1e-4));
    EXPECT_NE(model.report().notes.back().find("not unique"), std::string::npos);
  }
}

TYPED_TEST(CpOf, OfAOneWayArrayItIsTheArrayItself) {
  using T = TypeParam;
  const Tensor<T> x = test::random_tensor<T>({7}, 11);
  const auto model = Cp<T>::fit(x.view());
  EXPECT_LE(double((model.reconstruction().values() - x.values()).norm()), tolerance<T>(1e-14, 1e-6));
  EXPECT_NEAR(model.weights()[0], double(x.values().norm()), 1e-5);
}

TYPED_TEST(CpOf, ItsFormIsNormal) {
  using T = TypeParam;
  const Tensor<T> x = test::random_tensor<T>({8, 9, 7}, 12);
  for (const Index sample_mode : {0, 1, 2}) {
    const auto model = Cp<T>::fit(
        x.view(), {.rank = 3, .iterations = 200, .sample_mode = sample_mode, .allow_partial = true});
    for (Index r = 0; r < 3; ++r) {
      if (r > 0) {
        EXPECT_GE(model.weights()[r - 1], model.weights()[r]);
      }
      for (Index m = 0; m < 3; ++m) {
        const Vector<T> column = model.factors()[static_cast<std::size_t>(m)].col(r);
        EXPECT_NEAR(double(column.norm()), 1, tolerance<T>(1e-12, 1e-5));
        Index largest = 0;
        column.cwiseAbs().maxCoeff(&largest);
        if (m != sample_mode) {
          EXPECT_GT(column[largest], 0);
        }
      }
    }
  }
}

TYPED_TEST(CpOf, NonnegativeFactorsStayNonnegativeAndFitNonnegativeData) {
  using T = TypeParam;
  const auto truth = test::planted<T>({12, 11, 10}, {5, 4, 3}, 13, true);
  const auto exact = Cp<T>::fit(full_tensor(truth, {}).view(), {.rank = 3, .nonnegative = true});
  EXPECT_LE(test::component_distance(exact.weights(), exact.factors(), truth), tolerance<T>(1e-6, 1e-2));
  const Tensor<T> any = test::random_tensor<T>({8, 7, 6}, 14);
  const auto model = Cp<T>::fit(any.view(), {.rank = 3, .nonnegative = true, .allow_partial = true});
  for (const Block<T>& f : model.factors()) EXPECT_GE(f.minCoeff(), 0);
  EXPECT_GE(model.transform(rows_of(any, 0)).minCoeff(), 0);
}

TYPED_TEST(CpOf, TransformingTheTrainingSamplesGivesTheirScores) {
  using T = TypeParam;
  const auto truth = test::planted<T>({10, 9, 8}, {5, 4, 3}, 15);
  for (const bool nonnegative : {false, true})
    for (const double gaps : {0.0, 0.2})
      for (const Index sample_mode : {0, 1, 2}) {
        const Tensor<T> x = test::with_gaps(test::with_noise(full_tensor(truth, {}), 0.1, 16), gaps, 17);
        const auto model = Cp<T>::fit(x.view(), {.rank = 3,
                                                 .nonnegative = nonnegative,
                                                 .missing = gaps > 0,
                                                 .sample_mode = sample_mode,
                                                 .allow_partial = true});
        const Matrix<T> scores = model.scores(), rows = rows_of(x, sample_mode);
        EXPECT_EQ(scores.rows(), x.size(sample_mode));
        EXPECT_LE(double((model.transform(rows) - scores).norm()),
                  tolerance<T>(1e-11, 1e-4) * double(scores.norm()));
        EXPECT_LE(double((model.transform_tensor(x.view()) - scores).norm()),
                  tolerance<T>(1e-11, 1e-4) * double(scores.norm()));
        // The same as sparse rows: what is not stored is zero, or a gap.
        SparseMatrix<T> sparse(rows.rows(), rows.cols());
        for (Index i = 0; i < rows.rows(); ++i)
          for (Index j = 0; j < rows.cols(); ++j)
            if (!std::isnan(rows(i, j))) sparse.insert(i, j) = rows(i, j);
        sparse.makeCompressed();
        EXPECT_LE(double((model.transform(sparse) - scores).norm()),
                  tolerance<T>(1e-11, 1e-4) * double(scores.norm()));
      }
}

TYPED_TEST(CpOf, TheInverseOfTheScoresIsTheReconstruction) {
  using T = TypeParam;
  const Tensor<T> x = test::random_tensor<T>({10, 9, 8}, 18);
  for (const Index sample_mode : {0, 2}) {
    const auto model = Cp<T>::fit(x.view(), {.rank = 4, .sample_mode = sample_mode, .allow_partial = true});
    const Tensor<T> fitted = model.reconstruction();
    EXPECT_LE(double((model.inverse(model.scores()) - rows_of(fitted, sample_mode)).norm()),
              tolerance<T>(1e-12, 1e-5) * double(fitted.values().norm()));
    EXPECT_NEAR(model.report().decomposition->relative_error,
                double((fitted.values() - x.values()).norm() / x.values().norm()), tolerance<T>(1e-10, 1e-5));
  }
}

TYPED_TEST(CpOf, ASavedModelIsReadAsItWas) {
  using T = TypeParam;
  const Tensor<T> x = test::with_gaps(test::random_tensor<T>({6, 5, 7}, 19), 0.1, 20);
  const auto model =
      Cp<T>::fit(x.view(), {.rank = 2, .missing = true, .sample_mode = 1, .allow_partial = true});
  const std::string path = testing::TempDir() + "cp_" + std::to_string(sizeof(T)) + ".mercer";
  model.save(path);
  ModelReader<T> reader(path);
  const auto read = Cp<T>::read(reader);
  const auto& same = dynamic_cast<const Cp<T>&>(*read);
  EXPECT_EQ(same.method(), "cp");
  EXPECT_EQ(same.shape(), model.shape());
  EXPECT_EQ(same.sample_mode(), 1);
  EXPECT_TRUE(same.takes_gaps());
  EXPECT_EQ(same.weights(), model.weights());
  for (std::size_t m = 0; m < 3; ++m) EXPECT_EQ(same.factors()[m], model.factors()[m]);
  EXPECT_EQ(same.transform_tensor(x.view()), model.transform_tensor(x.view()));
  std::remove(path.c_str());
}

TYPED_TEST(CpOf, ZerosAndUnknownIndicesAreFitted) {
  using T = TypeParam;
  const Tensor<T> zero({4, 3, 5});
  const auto nothing = Cp<T>::fit(zero.view(), {.rank = 2});
  EXPECT_EQ(nothing.weights().norm(), 0);
  EXPECT_EQ(nothing.report().decomposition->relative_error, 0);
  EXPECT_EQ(nothing.reconstruction().values().norm(), 0);
  for (const Block<T>& f : nothing.factors()) EXPECT_NEAR(double(f.col(0).norm()), 1, 1e-5);

  Tensor<T> x = full_tensor(test::planted<T>({6, 5, 7}, {3, 2}, 21), {});
  for (Index j = 0; j < 5; ++j)
    for (Index k = 0; k < 7; ++k) x({2, j, k}) = std::numeric_limits<T>::quiet_NaN();
  const auto model = Cp<T>::fit(x.view(), {.rank = 2, .missing = true});
  EXPECT_EQ(model.factors()[0].row(2).norm(), 0);
  EXPECT_NE(model.report().notes[0].find("at 1 of the 6 indices of mode 0 (the first: 2)"),
            std::string::npos);
}

TEST(Cp, TheReportSaysWhatWasFound) {
  const auto truth = test::planted<double>({6, 5, 7}, {3, 2}, 22);
  const auto model = Cp<double>::fit(full_tensor(truth, {}).view(), {.rank = 2, .sample_mode = 2});
  const Report& report = model.report();
  EXPECT_EQ(report.method, "cp");
  EXPECT_EQ(report.n, 7);
  EXPECT_EQ(report.d, 30);
  EXPECT_EQ(report.components, 2);
  const Decomposition& d = *report.decomposition;
  EXPECT_EQ(d.shape, (Shape{6, 5, 7}));
  EXPECT_EQ(d.ranks, Shape{2});
  EXPECT_EQ(d.known, 210);
  EXPECT_EQ(d.kept, 2 + 2 * 18);
  EXPECT_NEAR(d.explained, 1, 1e-12);
  EXPECT_EQ(d.errors.back(), d.relative_error);
  EXPECT_EQ(d.weights, model.weights());
  EXPECT_EQ(report.seconds.back().first, "total");
}

TEST(Cp, TheNumberOfThreadsChangesNoBit) {
  const Tensor<double> x = test::random_tensor<double>({30, 20, 10}, 23);
  const auto fit = [&](int threads) {
    return Cp<double>::fit(x.view(), {.rank = 3, .iterations = 20, .allow_partial = true},
                           {.threads = threads});
  };
  const auto one = fit(1), three = fit(3);
  EXPECT_EQ(one.weights(), three.weights());
  EXPECT_EQ(one.factors()[1], three.factors()[1]);
  EXPECT_EQ(one.report().decomposition->core_consistency, three.report().decomposition->core_consistency);
}

TEST(Cp, RandomStartsAreAsManyAsAskedForAndTheBestCounts) {
  const Tensor<double> x = test::random_tensor<double>({8, 7, 6}, 24);
  const auto error = [&](Index starts) {
    const auto model = Cp<double>::fit(
        x.view(),
        {.rank = 3, .starts = starts, .start = CpStart::random, .iterations = 50, .allow_partial = true});
    EXPECT_EQ(model.report().decomposition->starts, starts);
    return model.report().decomposition->relative_error;
  };
  EXPECT_LE(error(6), error(1) * 1.001);
}

TEST(Cp, RequestsThatMakeNoSenseAreRefused) {
  const Tensor<double> x = test::random_tensor<double>({4, 3, 5}, 25);
  const auto code = [&](const CpOptions& options) {
    return error_of([&] { (void)Cp<double>::fit(x.view(), options); }).code();
  };
  EXPECT_EQ(code({.rank = 0}), ErrorCode::usage);
  EXPECT_EQ(code({.rank = 13}), ErrorCode::usage);
  EXPECT_NE(std::string(error_of([&] { (void)Cp<double>::fit(x.view(), {.rank = 13}); }).what())
                .find("from 1 to 12"),
            std::string::npos);
  EXPECT_EQ(code({.iterations = 0}), ErrorCode::usage);
  EXPECT_EQ(code({.tolerance = 0}), ErrorCode::usage);
  EXPECT_EQ(code({.tolerance = std::numeric_limits<double>::quiet_NaN()}), ErrorCode::usage);
  EXPECT_EQ(code({.sample_mode = 3}), ErrorCode::usage);
  EXPECT_EQ(code({.starts = -1}), ErrorCode::usage);
  EXPECT_EQ(code({.starts = 2, .start = CpStart::hosvd}), ErrorCode::usage);
  EXPECT_EQ(error_of([&] {
              (void)Cp<double>::fit(x.view(), Tensor<double>({4, 3, 4}).view(), {});
            }).code(),
            ErrorCode::usage);
  EXPECT_EQ(error_of([&] { (void)Cp<double>::fit(x.view(), {}, {.memory = 100}); }).code(),
            ErrorCode::no_memory);
}

TEST(Cp, ThePlanSaysWhatAFitNeeds) {
  const Plan dense = Cp<double>::plan({400, 400, 400}, 64000000, {.rank = 16});
  EXPECT_LT(dense.bytes, 0.2 * 8 * 64e6);
  EXPECT_GT(dense.bytes, 160000 * 16 * 8);
  const Plan sparse = Cp<double>::plan({1000, 1000, 1000}, 10000000, {.rank = 16});
  EXPECT_LT(sparse.bytes, 0.2 * 12 * 1e7);
  EXPECT_LT(sparse.flops, dense.flops);
  EXPECT_GT(Cp<double>::plan({100, 100, 100}, 1000000, {.rank = 4, .missing = true}).flops,
            Cp<double>::plan({100, 100, 100}, 1000000, {.rank = 4}).flops);
}

}  // namespace
}  // namespace mercer
