// New points that no map can place are refused by name.
#include "manifold/new_points.hpp"

#include <mercer/isomap.hpp>

#include "support.hpp"

namespace mercer {
namespace {

template <class T>
std::string refusal(const Samples<T>& map_points, const Samples<T>& points) {
  try {
    require_in_reach(map_points, points);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::bad_data);
    return e.message();
  }
  return "";
}

TEST(NewPoints, AreRefusedWhereTheirDistancesDifferByRoundingAlone) {
  Matrix<double> x = test::random_matrix<double>(50, 3, 1), far = test::random_matrix<double>(4, 3, 2);
  x.array() += 10;
  EXPECT_EQ(refusal(Samples<double>(x), Samples<double>(far)), "");
  far(2, 1) = 1e5;
  EXPECT_EQ(refusal(Samples<double>(x), Samples<double>(far)), "") << "far, but it can be told";
  far(2, 1) = 1e25;
  EXPECT_TRUE(refusal(Samples<double>(x), Samples<double>(far)).starts_with("row 2 of the new points is "));
  EXPECT_TRUE(refusal<double>(SparseMatrix<double>(x.sparseView()), far).starts_with("row 2 "));
  far(1, 0) = std::nan("");
  EXPECT_NE(refusal(Samples<double>(x), Samples<double>(far)).find("the points"), std::string::npos);
  const Samples<double> equal(Matrix<double>::Zero(20, 3));
  EXPECT_EQ(refusal(equal, Samples<double>(x)), "") << "nothing to compare with";
}

TEST(NewPoints, AreRefusedByAModel) {
  const auto model =
      Isomap<double>::fit(Samples<double>(test::random_matrix<double>(80, 3, 3)), IsomapOptions{});
  EXPECT_THROW((void)model.transform(Samples<double>(Matrix<double>::Constant(2, 3, 1e25)), {}), Error);
}

}  // namespace
}  // namespace mercer
