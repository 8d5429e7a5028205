// NeighborIndex: every search gives the same lists, and says no where there are none to give.
#include "graph/naive.hpp"

#include <string>

namespace mercer {
namespace {

using test::anywhere;
using test::expect_same_lists;
using test::naive_lists;

ErrorCode code_of(const std::function<void()>& f, std::string* message = nullptr) {
  try {
    f();
  } catch (const Error& e) {
    if (message) *message = e.what();
    return e.code();
  }
  return ErrorCode::internal;
}

template <class T>
class Searches : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Searches, Types);

TYPED_TEST(Searches, TreeAndAllPairsAgreeToTheBit) {
  const std::vector<Samples<TypeParam>> sets{
      test::random_matrix<TypeParam>(900, 3, 1), test::random_matrix<TypeParam>(500, 20, 2),
      test::lattice<TypeParam>(800, 3, 6, 3),
      Matrix<TypeParam>(Matrix<TypeParam>::Constant(300, 2, TypeParam(0.1))),
      SparseMatrix<TypeParam>(test::lattice<TypeParam>(200, 5, 3, 4).sparseView())};
  for (const auto& points : sets) {
    const NeighborIndex<TypeParam> brute(points, NeighborSearch::brute), tree(points, NeighborSearch::kdtree);
    EXPECT_EQ(tree.search(), NeighborSearch::kdtree);
    const NeighborLists a = brute.nearest(11), b = tree.nearest(11);
    EXPECT_EQ(a.index, b.index);
    EXPECT_EQ(a.distance, b.distance);
    const NeighborLists c = brute.within(1.0), e = tree.within(1.0);
    EXPECT_EQ(c.begin, e.begin);
    EXPECT_EQ(c.index, e.index);
    const Samples<TypeParam> rows = test::random_matrix<TypeParam>(40, points.cols(), 5);
    EXPECT_EQ(brute.nearest(rows, 4).index, tree.nearest(rows, 4).index);
    EXPECT_EQ(brute.within(rows, 0.7).index, tree.within(rows, 0.7).index);
  }
}

TYPED_TEST(Searches, TreeGivesTheSameForAnyThreads) {
  const NeighborIndex<TypeParam> tree(test::random_matrix<TypeParam>(2000, 3, 6), NeighborSearch::kdtree);
  const NeighborLists one = tree.nearest(9, mercer::Run{.threads = 1}),
                      two = tree.nearest(9, mercer::Run{.threads = 2});
  EXPECT_EQ(one.index, two.index);
  EXPECT_EQ(one.distance, two.distance);
}

TEST(NeighborIndex, ChoosesATreeForFewFeatures) {
  const auto choice = [](Index n, Index d) {
    return NeighborIndex<double>(test::random_matrix<double>(n, d, 7), NeighborSearch::automatic).search();
  };
  EXPECT_EQ(choice(2000, 3), NeighborSearch::kdtree);
  EXPECT_EQ(choice(2000, 12), NeighborSearch::brute);
  EXPECT_EQ(choice(300, 50), NeighborSearch::brute);
}

TEST(NeighborIndex, SaysHowManyNeighboursThereCanBe) {
  const NeighborIndex<double> index(test::random_matrix<double>(10, 3, 8), NeighborSearch::automatic);
  std::string message;
  EXPECT_EQ(code_of([&] { (void)index.nearest(10); }, &message), ErrorCode::usage);
  EXPECT_NE(message.find("10 neighbours"), std::string::npos) << message;
  EXPECT_NE(message.find("10 points"), std::string::npos) << message;
  EXPECT_NE(message.find("choose 1 to 9"), std::string::npos) << message;
  EXPECT_EQ(code_of([&] { (void)index.nearest(0); }), ErrorCode::usage);
  EXPECT_EQ(code_of([&] { (void)index.within(-1); }), ErrorCode::usage);
  EXPECT_EQ(code_of([&] { (void)index.within(std::nan("")); }), ErrorCode::usage);
  const Samples<double> rows = test::random_matrix<double>(2, 3, 9);
  EXPECT_EQ(index.nearest(rows, 10).index.size(), 20U) << "of new points all may be neighbours";
  EXPECT_EQ(code_of([&] { (void)index.nearest(rows, 11); }), ErrorCode::usage);
}

TEST(NeighborIndex, RefusesDataThatCannotBeCompared) {
  const auto make = [](Matrix<double> x) {
    const NeighborIndex<double> i(std::move(x), NeighborSearch::automatic);
  };
  EXPECT_EQ(code_of([&] { make(Matrix<double>(0, 3)); }), ErrorCode::bad_data);
  EXPECT_EQ(code_of([&] { make(Matrix<double>(3, 0)); }), ErrorCode::bad_data);
  Matrix<double> hole = test::random_matrix<double>(5, 2, 10);
  hole(3, 1) = std::nan("");
  std::string message;
  EXPECT_EQ(code_of([&] { make(hole); }, &message), ErrorCode::bad_data);
  EXPECT_NE(message.find("row 3, column 1"), std::string::npos) << message;
  const NeighborIndex<double> index(test::random_matrix<double>(10, 2, 11), NeighborSearch::automatic);
  EXPECT_EQ(code_of([&] { (void)index.nearest(Samples<double>(test::random_matrix<double>(4, 3, 1)), 2); }),
            ErrorCode::usage);
  EXPECT_EQ(code_of([&] { (void)index.nearest(Samples<double>(hole), 2); }), ErrorCode::bad_data);
}

TEST(NeighborIndex, SaysWhichRowOverflowsWhateverTheSearch) {
  Matrix<double> x = test::random_matrix<double>(100, 3, 4);
  const Samples<double> good = x;
  x(17, 0) = 1e200;
  for (const NeighborSearch search : {NeighborSearch::brute, NeighborSearch::kdtree, NeighborSearch::hnsw}) {
    try {
      const NeighborIndex<double> index(Samples<double>(x), search);
      FAIL() << name_of(search);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::bad_data);
      EXPECT_NE(std::string(e.what()).find("row 17"), std::string::npos) << e.what();
    }
    EXPECT_THROW((void)NeighborIndex<double>(good, search).nearest(Samples<double>(x), 3), Error);
  }
}

TEST(NeighborIndex, OfNoNewPointsIsEmpty) {
  for (const auto search : {NeighborSearch::brute, NeighborSearch::kdtree}) {
    const NeighborIndex<double> index(test::random_matrix<double>(10, 2, 12), search);
    const Samples<double> nobody = Matrix<double>(0, 2);
    EXPECT_EQ(index.nearest(nobody, 3).size(), 0);
    EXPECT_EQ(index.within(nobody, 3).size(), 0);
  }
}

TEST(NeighborIndex, NamesItsSearches) {
  for (const auto search :
       {NeighborSearch::automatic, NeighborSearch::brute, NeighborSearch::kdtree, NeighborSearch::hnsw})
    EXPECT_EQ(parse_neighbor_search(name_of(search)), search);
  for (const auto policy : {Disconnected::error, Disconnected::largest, Disconnected::bridge})
    EXPECT_EQ(parse_disconnected(name_of(policy)), policy);
  EXPECT_EQ(code_of([] { (void)parse_neighbor_search("balltree"); }), ErrorCode::usage);
  EXPECT_EQ(code_of([] { (void)parse_disconnected("ignore"); }), ErrorCode::usage);
}

}  // namespace
}  // namespace mercer
