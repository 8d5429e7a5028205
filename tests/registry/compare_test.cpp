// Methods side by side: each is measured as it would be alone, and one that fails does not stop the others.
#include <mercer/compare.hpp>
#include <mercer/generate.hpp>
#include <mercer/isomap.hpp>
#include <mercer/pca.hpp>

#include <gtest/gtest.h>

namespace mercer {
namespace {

/// Two clusters far apart: no graph of a few neighbours joins them.
Dataset<double> two_islands(Index n) {
  auto data = generate("swiss-roll", n, 1);
  Matrix<double> x = data.samples.to_dense();
  x.bottomRows(n / 4).array() += 1000;
  data.samples = x;
  return data;
}

TEST(Compare, GivesTheMapsThatTheMethodsGiveAlone) {
  const auto data = generate("swiss-roll", 150, 1);
  const auto maps = compare<double>(data, {.methods = {"isomap", "pca"}, .neighbors = {.count = 8}});
  ASSERT_EQ(maps.size(), 2U);
  EXPECT_EQ(maps[0].method, "isomap");
  EXPECT_EQ(maps[0].title, "Isomap");
  EXPECT_EQ(maps[1].title, "PCA");
  EXPECT_EQ(maps[1].points, Pca<double>::fit(data.samples, {.components = 2}).scores());
  EXPECT_EQ(maps[0].points, Isomap<double>::fit(data.samples, {.neighbors = {.count = 8}}).scores());
  for (const auto& map : maps) {
    EXPECT_FALSE(map.failure);
    EXPECT_TRUE(map.rows.empty());
    EXPECT_GT(map.seconds, 0);
    ASSERT_TRUE(map.quality);
    EXPECT_EQ(map.quality->neighbors, 8);
  }
  EXPECT_GT(maps[0].quality->continuity, maps[1].quality->preservation);
}

TEST(Compare, EveryMethodMapsTheRoll) {
  const auto data = generate("swiss-roll", 120, 1);
  const auto maps = compare<double>(data, {.neighbors = {.count = 10}});
  ASSERT_EQ(maps.size(), compared_methods().size());
  for (const auto& map : maps) {
    EXPECT_FALSE(map.failure) << map.method << ": " << map.failure->what();
    EXPECT_EQ(map.points.rows(), 120) << map.method;
    EXPECT_EQ(map.points.cols(), 2) << map.method;
    EXPECT_TRUE(map.points.allFinite()) << map.method;
  }
}

TEST(Compare, AMethodThatFailsSaysWhyAndTheOthersGoOn) {
  const auto data = two_islands(80);
  const auto maps = compare<double>(data, {.methods = {"isomap", "pca"}, .neighbors = {.count = 5}});
  ASSERT_EQ(maps.size(), 2U);
  ASSERT_TRUE(maps[0].failure);
  EXPECT_EQ(maps[0].failure->code(), ErrorCode::bad_data);
  EXPECT_NE(maps[0].failure->message().find("pieces"), std::string::npos);
  EXPECT_EQ(maps[0].points.size(), 0);
  EXPECT_FALSE(maps[1].failure);
}

TEST(Compare, RowsLeftOutAreNamed) {
  const auto data = two_islands(80);
  const auto maps = compare<double>(
      data, {.methods = {"isomap"}, .neighbors = {.count = 8, .disconnected = Disconnected::largest}});
  ASSERT_FALSE(maps[0].failure) << maps[0].failure->what();
  ASSERT_EQ(static_cast<Index>(maps[0].rows.size()), maps[0].points.rows());
  EXPECT_LE(maps[0].points.rows(), 60);
  EXPECT_LT(maps[0].rows.back(), 60);
}

TEST(Compare, FloatsAndScalingPassThrough) {
  const auto roll = generate("swiss-roll", 60, 1);
  Dataset<float> data;
  data.samples = Matrix<float>(roll.samples.to_dense().cast<float>());
  const auto maps = compare<float>(data, {.methods = {"pca"}, .scale = Scale::standardize});
  const auto alone = Pca<float>::fit(data.samples, {.components = 2, .scale = Scale::standardize});
  EXPECT_TRUE(maps[0].points.cwiseAbs().isApprox(alone.scores().cwiseAbs(), 1e-4F));
}

ErrorCode code_of(const Dataset<double>& data, const CompareOptions& options, const Run& run = {}) {
  try {
    (void)compare<double>(data, options, run);
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode::internal;
}

TEST(Compare, RefusesWhatNoMethodCanUse) {
  const auto data = generate("swiss-roll", 30, 1);
  EXPECT_EQ(code_of(data, {.methods = {"pca", "magic"}}), ErrorCode::usage);
  Matrix<double> x = data.samples.to_dense();
  x(3, 1) = std::nan("");
  Dataset<double> broken;
  broken.samples = x;
  EXPECT_EQ(code_of(broken, {.methods = {"pca"}}), ErrorCode::bad_data);
}

TEST(Compare, StopsWhenAsked) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(code_of(generate("swiss-roll", 30, 1), {.methods = {"pca"}}, {.stop = stop.get_token()}),
            ErrorCode::cancelled);
}

}  // namespace
}  // namespace mercer
