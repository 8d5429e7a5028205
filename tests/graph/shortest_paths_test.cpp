// Shortest paths against Floyd and Warshall's algorithm.
#include "graph/shortest_paths.hpp"

#include "support.hpp"

#include <limits>
#include <numeric>

namespace mercer {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

SparseMatrix<double> random_graph(Index n, Index links, std::uint64_t seed, bool whole_numbers = false) {
  Random random(seed);
  std::vector<Eigen::Triplet<double, std::int64_t>> entries;
  for (Index l = 0; l < links; ++l) {
    const auto i = static_cast<Index>(random.below(static_cast<std::uint64_t>(n)));
    const auto j = static_cast<Index>(random.below(static_cast<std::uint64_t>(n)));
    const double length = whole_numbers ? double(random.below(4)) : random.uniform();
    if (i == j) continue;
    entries.emplace_back(i, j, length);
    entries.emplace_back(j, i, length);
  }
  SparseMatrix<double> out(n, n);
  out.setFromTriplets(entries.begin(), entries.end(), [](double, double b) { return b; });
  return out;
}

Matrix<double> floyd_warshall(const SparseMatrix<double>& graph) {
  const Index n = graph.rows();
  Matrix<double> d = Matrix<double>::Constant(n, n, infinite);
  for (Index i = 0; i < n; ++i) {
    d(i, i) = 0;
    for (SparseMatrix<double>::InnerIterator e(graph, i); e; ++e)
      d(i, e.col()) = std::min(d(i, e.col()), e.value());
  }
  for (Index k = 0; k < n; ++k)
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) d(i, j) = std::min(d(i, j), d(i, k) + d(k, j));
  return d;
}

std::vector<Index> all(Index n) {
  std::vector<Index> out(static_cast<std::size_t>(n));
  std::iota(out.begin(), out.end(), Index{0});
  return out;
}

template <class T>
class ShortestPaths : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(ShortestPaths, Types);

TYPED_TEST(ShortestPaths, AreThoseOfFloydAndWarshall) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    // Sparse and dense, in pieces and whole, with links of length 0 and equal paths.
    const SparseMatrix<double> graph = random_graph(70, 40 << (seed % 4), seed, seed % 2 == 1);
    const Matrix<double> truth = floyd_warshall(graph);
    Matrix<TypeParam> lengths(70, 70);
    shortest_paths<TypeParam>(graph, all(70), lengths);
    for (Index i = 0; i < 70; ++i)
      for (Index j = 0; j < 70; ++j) {
        if (truth(i, j) == infinite)
          EXPECT_EQ(double(lengths(i, j)), infinite);
        else
          EXPECT_NEAR(double(lengths(i, j)), truth(i, j), test::tolerance<TypeParam>(1e-13, 1e-6));
      }
  }
}

TYPED_TEST(ShortestPaths, DoNotDependOnThreadsNorOnOtherSources) {
  const SparseMatrix<double> graph = random_graph(300, 900, 9);
  Matrix<TypeParam> one(300, 300), two(300, 300), some(3, 300);
  shortest_paths<TypeParam>(graph, all(300), one, {.threads = 1});
  shortest_paths<TypeParam>(graph, all(300), two, {.threads = 2});
  EXPECT_EQ(one, two);
  const std::vector<Index> sources{250, 4, 250};
  shortest_paths<TypeParam>(graph, sources, some);
  EXPECT_EQ(some.row(0), one.row(250));
  EXPECT_EQ(some.row(1), one.row(4));
  EXPECT_EQ(some.row(2), one.row(250));
}

TYPED_TEST(ShortestPaths, FillRowsOfALargerMatrix) {
  const SparseMatrix<double> graph = random_graph(50, 200, 10);
  Matrix<TypeParam> whole = Matrix<TypeParam>::Constant(60, 55, TypeParam(-1)), alone(10, 50);
  const std::vector<Index> sources{0, 5, 10, 15, 20, 25, 30, 35, 40, 45};
  shortest_paths<TypeParam>(graph, sources, alone);
  shortest_paths<TypeParam>(graph, sources, whole.block(7, 2, 10, 50));
  EXPECT_EQ(Matrix<TypeParam>(whole.block(7, 2, 10, 50)), alone);
  EXPECT_EQ(whole(6, 2), TypeParam(-1));
  EXPECT_EQ(whole(7, 1), TypeParam(-1));
}

TYPED_TEST(ShortestPaths, AlongALineAreSums) {
  SparseMatrix<double> line(1000, 1000);
  for (Index i = 0; i + 1 < 1000; ++i) line.insert(i, i + 1) = 1, line.insert(i + 1, i) = 1;
  Matrix<TypeParam> lengths(2, 1000);
  shortest_paths<TypeParam>(line, std::vector<Index>{0, 500}, lengths);
  for (Index v = 0; v < 1000; ++v) {
    EXPECT_EQ(lengths(0, v), TypeParam(v));
    EXPECT_EQ(lengths(1, v), TypeParam(std::abs(v - 500)));
  }
}

/// Many equal points, few of them far from each other: links of length 0 and some that are thousands of times
/// the mean, several of them waiting at a time.
TEST(ShortestPaths, AmongGroupsOfEqualPointsFarApart) {
  for (const Index members : {6, 40, 120}) {
    const std::vector<double> places = {0, 1, 2.4, 4.1, 7, 30};
    const Index groups = static_cast<Index>(places.size()), n = groups * members;
    std::vector<Eigen::Triplet<double, std::int64_t>> entries;
    const auto link = [&](Index i, Index j, double length) {
      entries.emplace_back(i, j, length);
      entries.emplace_back(j, i, length);
    };
    for (Index g = 0; g < groups; ++g) {
      for (Index m = 1; m < members; ++m)
        for (Index back = 1; back <= std::min<Index>(m, 5); ++back)
          link(g * members + m, g * members + m - back, 0);
      for (Index h = 0; h < g; ++h)
        link(g * members + h, h * members + 1,
             places[static_cast<std::size_t>(g)] - places[static_cast<std::size_t>(h)]);
    }
    SparseMatrix<double> graph(n, n);
    graph.setFromTriplets(entries.begin(), entries.end(), [](double, double b) { return b; });
    Matrix<double> found(n, n);
    shortest_paths<double>(graph, all(n), found, {});
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        ASSERT_NEAR(found(i, j),
                    std::abs(places[static_cast<std::size_t>(i / members)] -
                             places[static_cast<std::size_t>(j / members)]),
                    1e-12)
            << members << " a group, from " << i << " to " << j;
  }
}

TEST(PathFinder, OrdersTheVerticesSoThatABatchIsNear) {
  // A circle of 400: eight in a row are mostly eight neighbours.
  const Index n = 400;
  SparseMatrix<double> circle(n, n);
  for (Index v = 0; v < n; ++v) {
    circle.insert(v, (v + 1) % n) = 1;
    circle.insert(v, (v + n - 1) % n) = 1;
  }
  const PathFinder paths(circle);
  std::vector<Index> sorted = paths.order();
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, all(n));
  Index spread = 0;
  for (std::size_t p = 0; p + 1 < paths.order().size(); ++p) {
    const Index apart = std::abs(paths.order()[p] - paths.order()[p + 1]);
    if ((p + 1) % 8 != 0) spread += std::min(apart, n - apart);
  }
  EXPECT_LT(double(spread) / (7.0 / 8 * double(n)), 8);
}

TEST(PathFinder, GivesEveryVertexOnceAndInItsPlace) {
  const SparseMatrix<double> graph = random_graph(101, 300, 12);
  const Matrix<double> truth = floyd_warshall(graph);
  const PathFinder paths(graph);
  std::vector<int> seen(101, 0);
  paths.from_all(
      [&](const PathBatch& batch) {
        for (Index l = 0; l < batch.count(); ++l) {
          const Index source = batch.sources[static_cast<std::size_t>(l)];
          EXPECT_EQ(source, paths.order()[static_cast<std::size_t>(batch.first + l)]);
          ++seen[static_cast<std::size_t>(source)];
          for (Index p = 0; p < 101; ++p) {
            const double exact = truth(source, paths.order()[static_cast<std::size_t>(p)]);
            if (std::isfinite(exact))
              EXPECT_NEAR(batch(l, p), exact, 1e-13);
            else
              EXPECT_EQ(batch(l, p), infinite);
          }
        }
      },
      {.threads = 1});
  EXPECT_EQ(seen, std::vector<int>(101, 1));
}

TEST(PathFinder, FromOutsideBeginsAtTheNeighbors) {
  const SparseMatrix<double> graph = random_graph(60, 240, 13);
  const Matrix<double> truth = floyd_warshall(graph);
  NeighborLists links;
  Random random(14);
  links.begin.assign(1, 0);
  for (Index i = 0; i < 21; ++i) {
    for (Index p = 0; p < 1 + i % 4; ++p) {
      links.index.push_back(static_cast<std::int32_t>(random.below(60)));
      links.distance.push_back(3 * random.uniform());
    }
    links.begin.push_back(static_cast<Index>(links.index.size()));
  }
  const PathFinder paths(graph);
  Index rows = 0;
  paths.from_outside(links,
                     [&](const PathBatch& batch) {
                       for (Index l = 0; l < batch.count(); ++l, ++rows)
                         for (Index p = 0; p < 60; ++p) {
                           const Index point = batch.sources[static_cast<std::size_t>(l)];
                           double least = infinite;
                           for (std::size_t q = 0; q < links.neighbors(point).size(); ++q)
                             least = std::min(least, links.distances(point)[q] +
                                                         truth(links.neighbors(point)[q],
                                                               paths.order()[static_cast<std::size_t>(p)]));
                           EXPECT_NEAR(batch(l, p), least, 1e-13);
                         }
                     },
                     {.threads = 1});
  EXPECT_EQ(rows, 21);
}

TEST(ShortestPaths, RefuseNegativeLengthsAndUnknownSources) {
  SparseMatrix<double> graph = random_graph(10, 30, 11);
  Matrix<double> lengths(1, 10);
  const auto code = [&](const SparseMatrix<double>& g, Index source) {
    try {
      shortest_paths<double>(g, std::vector<Index>{source}, lengths);
    } catch (const Error& e) {
      return e.code();
    }
    return ErrorCode::internal;
  };
  EXPECT_EQ(code(graph, 10), ErrorCode::usage);
  EXPECT_EQ(code(graph, -1), ErrorCode::usage);
  graph.valuePtr()[3] = -0.5;
  EXPECT_EQ(code(graph, 0), ErrorCode::bad_data);
}

}  // namespace
}  // namespace mercer
