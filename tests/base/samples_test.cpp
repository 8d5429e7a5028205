// Samples as views of dense and CSR memory.
#include <mercer/error.hpp>
#include <mercer/samples.hpp>

#include "support.hpp"

#include <limits>
#include <memory>

namespace mercer {
namespace {

TEST(SamplesView, RowsOfDenseAndSparseSamplesAreViewsOfTheSameMemory) {
  const SparseMatrix<double> sparse = test::random_sparse<double>(20, 6, 1);
  const Matrix<double> dense = sparse;
  const Samples<double> a = dense, b = sparse;
  EXPECT_EQ(a.to_dense(), b.to_dense());
  EXPECT_EQ(a.middle_rows(5, 7).to_dense(), dense.middleRows(5, 7));
  EXPECT_EQ(b.middle_rows(5, 7).to_dense(), dense.middleRows(5, 7));
  EXPECT_EQ(b.middle_rows(5, 7).middle_rows(2, 3).to_dense(), dense.middleRows(7, 3));
  EXPECT_EQ(a.middle_rows(3, 2).dense().data(), a.dense().data() + 3 * 6);
  EXPECT_EQ(b.select_rows({4, 4, 0}).to_dense().row(1), dense.row(4));
  EXPECT_EQ(b.stored(), sparse.nonZeros());
  EXPECT_EQ(b.cast<float>().to_dense(), Matrix<float>(dense.cast<float>()));
  EXPECT_THROW((void)a.sparse(), std::logic_error);
  EXPECT_EQ(Samples<double>().rows(), 0);
}

TEST(SamplesView, BorrowedMemoryIsNotCopiedAndItsOwnerIsKept) {
  auto owner = std::make_shared<Matrix<double>>(test::random_matrix<double>(4, 3, 2));
  const std::weak_ptr<Matrix<double>> watch = owner;
  {
    const auto view = Samples<double>::borrow(owner->data(), 4, 2, 3, owner);  // two of three columns
    owner.reset();
    ASSERT_FALSE(watch.expired());
    EXPECT_EQ(view.dense()(3, 1), (*watch.lock())(3, 1));
  }
  EXPECT_TRUE(watch.expired());
}

TEST(SamplesView, RowsTakeTheFormOfOthersAndAreNotCopiedWhereTheyHaveIt) {
  const SparseMatrix<double> sparse = test::random_sparse<double>(20, 6, 1);
  const Samples<double> a = Matrix<double>(sparse), b = sparse;
  EXPECT_EQ(a.in_the_form_of(a).dense().data(), a.dense().data());
  EXPECT_TRUE(a.in_the_form_of(b).is_sparse());
  EXPECT_EQ(a.in_the_form_of(b).stored(), b.stored());
  EXPECT_EQ(a.in_the_form_of(b).to_dense(), a.to_dense());
  EXPECT_EQ(b.in_the_form_of(a).dense(), a.dense());
}

TEST(Finite, TheFirstBadPlaceIsNamed) {
  Matrix<double> m = Matrix<double>::Zero(3, 4);
  EXPECT_NO_THROW(require_finite(Samples<double>(m)));
  m(2, 1) = std::numeric_limits<double>::infinity();
  for (const Samples<double>& s :
       {Samples<double>(m), Samples<double>(SparseMatrix<double>(m.sparseView()))}) {
    try {
      require_finite(s);
      FAIL();
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find("row 2, column 1 is inf"), std::string::npos) << e.what();
    }
  }
}

}  // namespace
}  // namespace mercer
