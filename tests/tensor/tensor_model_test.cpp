// Arrays in and out of models: shapes that fit, layouts that do not matter, chunks that do not show.
#include <mercer/tensor_model.hpp>
#include <mercer/tucker.hpp>

#include "tensor/planted.hpp"
#include "tensor/sample_rows.hpp"

namespace mercer {
namespace {

using test::error_of;

/// Scores are the entries themselves, twice as large.
class Doubler final : public TensorModel<double> {
 public:
  Doubler(Shape shape, Index sample_mode) {
    shape_ = std::move(shape);
    sample_mode_ = sample_mode;
    report_.method = "doubler";
    report_.components = features();
  }
  [[nodiscard]] Tensor<double> reconstruction(const Run&) const override { return Tensor<double>(shape_); }
  [[nodiscard]] std::vector<Block<double>> factors() const override { return {}; }
  [[nodiscard]] Matrix<double> scores() const override { return {}; }

 private:
  [[nodiscard]] Matrix<double> do_transform(const Samples<double>& points, const Run&) const override {
    return 2 * points.to_dense();
  }
  [[nodiscard]] Matrix<double> do_inverse(const MatrixView<double>& scores, const Run&) const override {
    return scores / 2;
  }
  void write(ModelWriter&) const override {}
};

TEST(TensorModel, RowsHaveTheLastIndexFastest) {
  const Doubler model({3, 4, 5}, 1);
  EXPECT_EQ(model.features(), 15);
  EXPECT_EQ(model.sample_shape(), (Shape{3, 5}));
  for (const auto& laid : test::layouts<double>({3, 4, 5}, 3)) {
    const Matrix<double> expected = 2 * test::rows_by_hand<double>(laid.view, 1);
    EXPECT_EQ(model.transform_tensor(laid.view), expected) << laid.name;
    EXPECT_EQ(model.transform_tensor(SparseTensor<double>(laid.view)), expected) << laid.name;
    EXPECT_EQ(test::difference<double>(model.inverse_tensor(expected), laid.view), 0) << laid.name;
  }
}

TEST(TensorModel, ManySamplesAreTakenInChunks) {
  const Doubler model({2, 1000, 1000}, 0);  // four samples make a chunk
  const Tensor<double> x = test::random_tensor<double>({5, 1000, 1000}, 5);
  const Matrix<double> scores = model.transform_tensor(x.view());
  Random random(7);
  for (int trial = 0; trial < 1000; ++trial) {
    const auto any = [&](std::uint64_t size) { return static_cast<Index>(random.below(size)); };
    const Index i = any(5), j = any(1000), k = any(1000);
    ASSERT_EQ(scores(i, 1000 * j + k), 2 * x({i, j, k}));
  }
  EXPECT_EQ(model.inverse_tensor(scores).values(), x.values());
}

TEST(TensorModel, ASingleSampleIsOneRow) {
  const Doubler model({3, 4, 5}, 2);
  const Tensor<double> x = test::random_tensor<double>({3, 4}, 7);
  const Matrix<double> row = model.transform_tensor(x.view());
  ASSERT_EQ(row.rows(), 1);
  EXPECT_EQ(row(0, 1), 2 * x({0, 1}));
}

TEST(TensorModel, RowsThatLieReadyAreNotCopied) {
  const TensorView<double> x = test::random_view<double>({4, 3, 2}, {2, 1, 0}, 9);
  const auto rows = rows_in_place(x, 0);
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->dense().data(), x.data());
  EXPECT_FALSE(rows_in_place(x, 1));
  EXPECT_TRUE(rows_in_place(x.range(0, 1, 2), 0));
  EXPECT_FALSE(rows_in_place(x.range(2, 0, 1), 0));
}

TEST(TensorModel, WrongShapesAreRefusedWithWhatWasExpected) {
  const Doubler model({3, 4, 5}, 1);
  for (const Shape& shape : {Shape{3, 4, 6}, Shape{3, 4}, Shape{5, 3}, Shape{3, 4, 5, 1}, Shape{15}}) {
    const Tensor<double> x(shape);
    const Error e = error_of([&] { (void)model.transform_tensor(x.view()); });
    EXPECT_EQ(e.code(), ErrorCode::bad_data) << to_string(shape);
    EXPECT_NE(e.message().find("3 x 4 x 5"), std::string::npos);
    EXPECT_NE(e.hint().find("3 x 5"), std::string::npos);
  }
  EXPECT_EQ(error_of([&] {
              (void)model.transform_tensor(SparseTensor<double>(Tensor<double>({3, 5}).view()));
            }).code(),
            ErrorCode::bad_data);
  EXPECT_EQ(error_of([&] { (void)model.inverse_tensor(Matrix<double>(0, 15)); }).code(), ErrorCode::usage);
  EXPECT_EQ(error_of([&] { (void)model.inverse_tensor(Matrix<double>(2, 3)); }).code(), ErrorCode::bad_data);
}

TEST(TensorModel, SamplesOfAVectorAreNumbers) {
  const Doubler model({7}, 0);
  EXPECT_EQ(model.features(), 1);
  const Tensor<double> x = test::random_tensor<double>({4}, 11);
  EXPECT_EQ(model.transform_tensor(x.view()).col(0), 2 * x.values());
}

}  // namespace
}  // namespace mercer
