// NeighborGraph: what it counts, what it does with pieces, and its symmetric matrix.
#include "graph/components.hpp"
#include "graph/naive.hpp"

#include <set>

namespace mercer {
namespace {

std::string refusal(const std::function<void()>& f, ErrorCode code) {
  try {
    f();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), code) << e.what();
    return e.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

template <class T>
class Graphs : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Graphs, Types);

TYPED_TEST(Graphs, OfOnePieceAreTheListsAsFound) {
  const Samples<TypeParam> x = test::random_matrix<TypeParam>(300, 3, 1);
  const auto graph = NeighborGraph::build<TypeParam>(x, {.count = 10});
  test::expect_same_lists(graph.lists(), test::naive_lists(x, x, 10, test::anywhere, true));
  EXPECT_EQ(graph.report().components, 1);
  EXPECT_EQ(graph.report().recall, 1);
  EXPECT_EQ(graph.rows().size(), 300U);
  EXPECT_EQ(graph.rows()[17], 17);
  std::set<std::pair<Index, Index>> pairs;
  for (Index i = 0; i < 300; ++i)
    for (const std::int32_t j : graph.lists().neighbors(i))
      pairs.emplace(std::min<Index>(i, j), std::max<Index>(i, j));
  EXPECT_EQ(graph.report().links, static_cast<Index>(pairs.size()));
}

TYPED_TEST(Graphs, HaveASymmetricMatrixOfDistances) {
  const Matrix<TypeParam> x = test::random_matrix<TypeParam>(120, 3, 2);
  const auto graph = NeighborGraph::build<TypeParam>(x, {.count = 6, .disconnected = Disconnected::bridge});
  const SparseMatrix<double> w = graph.symmetric();
  EXPECT_EQ(w.nonZeros(), 2 * graph.report().links);
  EXPECT_TRUE(w.isCompressed());
  const Matrix<double> dense = w;
  EXPECT_EQ(dense, Matrix<double>(dense.transpose()));
  for (Index i = 0; i < 120; ++i) {
    std::int64_t last = -1;
    for (SparseMatrix<double>::InnerIterator e(w, i); e; ++e) {
      EXPECT_GT(e.col(), last);
      last = e.col();
      EXPECT_NEAR(e.value(), (x.row(i) - x.row(e.col())).norm(), 1e-5);
    }
    for (const std::int32_t j : graph.lists().neighbors(i)) EXPECT_GT(dense(i, j), 0);
  }
}

TYPED_TEST(Graphs, KeepLinksOfLengthZero) {
  Matrix<TypeParam> x = test::random_matrix<TypeParam>(60, 2, 3);
  x.row(30) = x.row(7);
  const auto graph = NeighborGraph::build<TypeParam>(x, {.count = 8, .disconnected = Disconnected::bridge});
  EXPECT_EQ(graph.report().duplicates, 2);
  const SparseMatrix<double> w = graph.symmetric();
  bool there = false;
  for (SparseMatrix<double>::InnerIterator e(w, 7); e; ++e) there |= e.col() == 30 && e.value() == 0;
  EXPECT_TRUE(there);
}

TYPED_TEST(Graphs, InPiecesAreRefusedWithTheirSizes) {
  const Samples<TypeParam> x = test::two_clouds<TypeParam>(60, 25, 3, 100, 4);
  const std::string what =
      refusal([&] { (void)NeighborGraph::build<TypeParam>(x, {.count = 5}); }, ErrorCode::bad_data);
  for (const char* part : {"5 nearest neighbours", "2 pieces of 60, 25 points", "more neighbours", "bridge"})
    EXPECT_NE(what.find(part), std::string::npos) << what;
}

TYPED_TEST(Graphs, MayKeepTheirLargestPiece) {
  const Matrix<TypeParam> x = test::two_clouds<TypeParam>(25, 60, 3, 100, 5);
  const auto graph = NeighborGraph::build<TypeParam>(x, {.count = 5, .disconnected = Disconnected::largest});
  EXPECT_EQ(graph.report().components, 2);
  EXPECT_EQ(graph.report().left_out, 25);
  ASSERT_EQ(graph.size(), 60);
  EXPECT_EQ(graph.rows().front(), 25);
  const auto alone = NeighborGraph::build<TypeParam>(Matrix<TypeParam>(x.bottomRows(60)), {.count = 5});
  EXPECT_EQ(graph.lists().index, alone.lists().index);
  EXPECT_EQ(graph.report().links, alone.report().links);
}

TYPED_TEST(Graphs, MayBeBridged) {
  const Samples<TypeParam> x = test::two_clouds<TypeParam>(60, 25, 3, 100, 6);
  const auto graph = NeighborGraph::build<TypeParam>(x, {.count = 5, .disconnected = Disconnected::bridge});
  EXPECT_EQ(graph.report().components, 2);
  EXPECT_EQ(graph.report().bridges, 1);
  EXPECT_EQ(graph.size(), 85);
  EXPECT_EQ(pieces_of(graph.lists()).count(), 1);
  EXPECT_EQ(graph.lists().index.size(), 85U * 5U + 2U);
}

TYPED_TEST(Graphs, OfARadiusSayWhoIsAlone) {
  Matrix<TypeParam> x = test::random_matrix<TypeParam>(80, 2, 7);
  x(33, 0) = 50;
  const std::string what =
      refusal([&] { (void)NeighborGraph::build<TypeParam>(x, {.radius = 3}); }, ErrorCode::bad_data);
  EXPECT_NE(what.find("1 point is alone, row 33 first"), std::string::npos) << what;
  EXPECT_NE(what.find("a larger radius"), std::string::npos) << what;
  const auto kept = NeighborGraph::build<TypeParam>(x, {.radius = 3, .disconnected = Disconnected::largest});
  EXPECT_EQ(kept.size(), 79);
  EXPECT_EQ(kept.rows()[33], 34);
  const auto bridged =
      NeighborGraph::build<TypeParam>(x, {.radius = 3, .disconnected = Disconnected::bridge});
  EXPECT_EQ(bridged.report().bridges, 1);
  EXPECT_EQ(bridged.lists().neighbors(33).size(), 1U);
}

TYPED_TEST(Graphs, OfPointsThatAreAllEqualWork) {
  const Matrix<TypeParam> x = Matrix<TypeParam>::Ones(30, 2);
  const auto graph = NeighborGraph::build<TypeParam>(x, {.count = 4, .disconnected = Disconnected::bridge});
  EXPECT_EQ(graph.report().duplicates, 30);
  EXPECT_EQ(pieces_of(graph.lists()).count(), 1);
  EXPECT_EQ(graph.symmetric().nonZeros(), 2 * graph.report().links);
}

TEST(Graph, SaysBothNumbersWhereThereAreTooFewPoints) {
  const Samples<double> x = test::random_matrix<double>(10, 2, 8);
  for (const Index count : {Index{10}, Index{0}, Index{-3}}) {
    const std::string what =
        refusal([&] { (void)NeighborGraph::build<double>(x, {.count = count}); }, ErrorCode::usage);
    EXPECT_NE(what.find(std::to_string(count) + " neighbours"), std::string::npos) << what;
    EXPECT_NE(what.find("10 points"), std::string::npos) << what;
  }
  refusal([&] { (void)NeighborGraph::build<double>(Samples<double>(Matrix<double>(0, 2)), {}); },
          ErrorCode::bad_data);
  refusal([&] { (void)NeighborGraph::build<double>(Samples<double>(Matrix<double>(1, 2)), {}); },
          ErrorCode::usage);
  refusal([&] { (void)NeighborGraph::build<double>(x, {.radius = -1}); }, ErrorCode::usage);
}

TEST(Graph, IsTheSameForAnyThreads) {
  const Samples<double> x = test::random_matrix<double>(1200, 20, 9);
  const NeighborOptions options{.count = 1, .disconnected = Disconnected::bridge};
  const auto one = NeighborGraph::build<double>(x, options, {.threads = 1});
  const auto two = NeighborGraph::build<double>(x, options, {.threads = 2});
  EXPECT_GT(one.report().bridges, 0);
  EXPECT_EQ(one.lists().index, two.lists().index);
  EXPECT_EQ(one.lists().distance, two.lists().distance);
}

}  // namespace
}  // namespace mercer
