// The model file: what goes in comes out bit by bit, and anyone can read the layout.
#include "model/toy_model.hpp"

namespace mercer {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

template <class T>
class ModelFileOf : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(ModelFileOf, Precisions);

// --- there and back --------------------------------------------------------------------------------------

TYPED_TEST(ModelFileOf, DensePointsComeBackBitEqual) {
  Folder folder;
  const Toy<TypeParam> toy(some_matrix<TypeParam>(7, 3));
  toy.save(folder / "m");
  expect_same(toy, load<TypeParam>(folder / "m"));
  EXPECT_EQ(folder.count(), 1);
}

TYPED_TEST(ModelFileOf, RowsWithAStrideComeBackBitEqual) {
  Folder folder;
  const Matrix<TypeParam> wide = some_matrix<TypeParam>(6, 5);
  const Toy<TypeParam> toy(Samples<TypeParam>::borrow(wide.data() + 1, 6, 3, 5));
  toy.save(folder / "m");
  expect_same(toy, load<TypeParam>(folder / "m"));
}

TYPED_TEST(ModelFileOf, SparsePointsComeBackBitEqual) {
  Folder folder;
  const Toy<TypeParam> toy(some_csr<TypeParam>());
  toy.save(folder / "m");
  expect_same(toy, load<TypeParam>(folder / "m"));
}

TYPED_TEST(ModelFileOf, SomeRowsOfSparsePointsComeBackBitEqual) {
  Folder folder;
  const Toy<TypeParam> toy(Samples<TypeParam>(some_csr<TypeParam>()).middle_rows(2, 2));
  toy.save(folder / "m");
  expect_same(toy, load<TypeParam>(folder / "m"));
  EXPECT_EQ(Parts::of(slurp(folder / "m")).template tensor<std::int64_t>("points.rows"),
            (std::vector<std::int64_t>{0, 1, 3}));
}

TYPED_TEST(ModelFileOf, EmptyPartsComeBack) {
  Folder folder;
  for (const auto& points :
       {Samples<TypeParam>(Matrix<TypeParam>(4, 3)), Samples<TypeParam>(SparseMatrix<TypeParam>(4, 3)),
        Samples<TypeParam>(Matrix<TypeParam>(0, 3)), Samples<TypeParam>(SparseMatrix<TypeParam>(0, 3))}) {
    const Toy<TypeParam> toy(
        points.is_sparse() ? points : Samples<TypeParam>(some_matrix<TypeParam>(points.rows(), 3)), 0);
    toy.save(folder / "m");
    expect_same(toy, load<TypeParam>(folder / "m"));
  }
}

TYPED_TEST(ModelFileOf, BlocksLongerThanTheBufferComeBackBitEqual) {
  Folder folder;
  const Toy<TypeParam> toy(some_matrix<TypeParam>(70'001, 3), 5);
  toy.save(folder / "m");
  expect_same(toy, load<TypeParam>(folder / "m"));
}

TYPED_TEST(ModelFileOf, ReportLabelAndColumnsComeBack) {
  Folder folder;
  const Toy<TypeParam> toy(some_matrix<TypeParam>(3, 2));
  toy.save(folder / "m");
  const auto back = load<TypeParam>(folder / "m");
  EXPECT_EQ(back.report().to_json(), toy.report().to_json());
  EXPECT_EQ(back.report().missed.rigorous, infinity);
  EXPECT_EQ(back.report().plan.rejected, toy.report().plan.rejected);
  EXPECT_TRUE(std::isnan(back.report().plan.seconds));
  EXPECT_FALSE(back.report().negative_share);
  EXPECT_EQ(back.columns(), toy.columns());
  EXPECT_EQ(back.label()->column, "Klasse");
  EXPECT_EQ(back.label()->names, toy.label()->names);
  EXPECT_EQ(back.label()->codes, toy.label()->codes);
  EXPECT_EQ(back.label()->values, toy.label()->values);
}

TYPED_TEST(ModelFileOf, SavingTheSameModelTwiceGivesTheSameFile) {
  Folder folder;
  const Toy<TypeParam> toy(some_csr<TypeParam>());
  toy.save(folder / "a");
  load<TypeParam>(folder / "a").save(folder / "b");
  EXPECT_EQ(slurp(folder / "a"), slurp(folder / "b"));
}

TYPED_TEST(ModelFileOf, PrecisionIsToldAndTheOtherOneIsRefused) {
  Folder folder;
  Toy<TypeParam>(some_matrix<TypeParam>(3, 2)).save(folder / "m");
  EXPECT_EQ(model_precision(folder / "m"), precision_of<TypeParam>);
  using Other = std::conditional_t<std::is_same_v<TypeParam, float>, double, float>;
  const auto error = error_of([&] { ModelReader<Other> reader(folder / "m"); });
  EXPECT_EQ(error.code(), ErrorCode::usage);
  EXPECT_TRUE(has_words(error, "is a model in " + std::string(name_of(precision_of<TypeParam>))))
      << error.what();
}

// --- the layout -----------------------------------------------------------------------------------------

TYPED_TEST(ModelFileOf, AnyReaderOfSafetensorsFindsEverything) {
  Folder folder;
  const Toy<TypeParam> toy(some_csr<TypeParam>());
  toy.save(folder / "m");
  const std::string bytes = slurp(folder / "m");
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  EXPECT_EQ(length % 8, 0U);
  EXPECT_EQ(bytes[8], '{');
  const auto header = nlohmann::ordered_json::parse(bytes.substr(8, length));

  std::size_t end = 0;
  const std::map<std::string, std::size_t> sizes{{"F32", 4}, {"F64", 8}, {"I32", 4}, {"I64", 8}};
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    const std::size_t size = sizes.at(entry["dtype"].template get<std::string>());
    std::size_t product = size;
    for (const auto& side : entry["shape"]) product *= side.template get<std::size_t>();
    EXPECT_EQ(entry["data_offsets"][0], end) << name << " does not follow the tensor before it";
    EXPECT_EQ(end % size, 0U) << name << " is not aligned";
    end += product;
    EXPECT_EQ(entry["data_offsets"][1], end) << name;
  }
  EXPECT_EQ(8 + length + end, bytes.size());

  const auto parts = Parts::of(bytes);
  const auto words = parts.header["__metadata__"];
  for (const auto& [key, word] : words.items()) EXPECT_TRUE(word.is_string()) << key;
  EXPECT_EQ(words["format"], "mercer");
  EXPECT_EQ(words["format_version"], "1");
  EXPECT_EQ(words["library_version"], version);
  EXPECT_EQ(words["method"], "toy");
  EXPECT_EQ(words["precision"], name_of(precision_of<TypeParam>));
  EXPECT_EQ(json::parse(words["parameters"].template get<std::string>())["points.cols"], 4);
  EXPECT_EQ(sealed(bytes), bytes) << "the checksum is not that of the documented recipe";

  EXPECT_EQ(parts.header["alpha"]["shape"], json({5, 2}));
  const auto alpha = parts.template tensor<TypeParam>("alpha");
  for (Index i = 0; i < 5; ++i)
    for (Index j = 0; j < 2; ++j) EXPECT_EQ(alpha[static_cast<std::size_t>(2 * i + j)], toy.alpha_(i, j));
  EXPECT_EQ(parts.template tensor<std::int64_t>("points.columns"),
            (std::vector<std::int64_t>{1, 3, 0, 2, 3}));
  EXPECT_EQ(parts.template tensor<std::int64_t>("points.rows"),
            (std::vector<std::int64_t>{0, 2, 2, 3, 5, 5}));
}

TEST(ModelFile, NamesThatAreNotUtf8AreReplacedNotRefused) {
  Folder folder;
  ModelWriter writer("toy", Precision::float64);
  writer.set("column",
             "gr\xf6\xdf"
             "e");
  writer.write_file(folder / "m");
  EXPECT_EQ(ModelReader<double>(folder / "m").text("column"), "gr\uFFFD\uFFFDe");
}

TEST(ModelFile, TemporariesAreTakenOver) {
  Folder folder;
  ModelWriter writer("toy", Precision::float64);
  writer.matrix("m", some_matrix<double>(3, 4));
  writer.block("b", Block<double>(some_matrix<double>(3, 4)));
  writer.write_file(folder / "m");
  const ModelReader<double> reader(folder / "m");
  EXPECT_EQ(reader.matrix("m"), some_matrix<double>(3, 4));
  EXPECT_EQ(reader.block("b"), some_matrix<double>(3, 4));
}

TEST(ModelFile, WritingANameTwiceIsABug) {
  ModelWriter writer("toy", Precision::float64);
  writer.set("a", 1);
  writer.array<double>("t", {1.0});
  EXPECT_EQ(error_of([&] { writer.set("a", 2); }).code(), ErrorCode::internal);
  EXPECT_EQ(error_of([&] { writer.array<double>("t", {2.0}); }).code(), ErrorCode::internal);
}

// --- writing fails -----------------------------------------------------------------------------------------

TEST(ModelFile, AFailedWriteLeavesNothingBehind) {
  Folder folder;
  Toy<double> toy(some_matrix<double>(3, 2));
  spill(folder / "file", "x");
  EXPECT_EQ(error_of([&] { toy.save(folder / "file/m"); }).code(), ErrorCode::cannot_create);
  EXPECT_EQ(error_of([&] { toy.save(folder / "no/such/m"); }).code(), ErrorCode::cannot_create);
  EXPECT_EQ(folder.count(), 1);

  toy.save(folder / "m");
  const std::string before = slurp(folder / "m");
  toy.fail_ = true;
  EXPECT_EQ(error_of([&] { toy.save(folder / "m"); }).code(), ErrorCode::internal);
  EXPECT_EQ(slurp(folder / "m"), before);
  EXPECT_EQ(folder.count(), 2);
}

TEST(ModelFile, AWriteThatFailsMidwayLeavesNothingBehind) {
  Folder folder;
  const safetensors::Tensor bad{"bad", "U8", {8}, [](const safetensors::Sink& sink) {
                                  sink("1234", 4);
                                  throw Error(ErrorCode::io, "the disk is full");
                                }};
  EXPECT_EQ(error_of([&] { safetensors::write(folder / "m", {}, {bad}); }).code(), ErrorCode::io);
  const safetensors::Tensor fewer{"fewer", "U8", {8}, [](const safetensors::Sink& sink) { sink("1234", 4); }};
  EXPECT_EQ(error_of([&] { safetensors::write(folder / "m", {}, {fewer}); }).code(), ErrorCode::internal);
  EXPECT_EQ(folder.count(), 0);
}

// --- kernels -----------------------------------------------------------------------------------------------

class ModelFileKernel : public testing::Test {
 protected:
  ModelFileKernel() {
    ModelWriter("toy", Precision::float64).write_file(folder_ / "m");
    LoadOptions options;
    options.kernels.emplace("mine", Kernel::from_pairs("mine", [](auto, auto) { return 1.0; }));
    options.kernels.emplace("a + b", Kernel::from_pairs("a + b", [](auto, auto) { return 1.0; }));
    reader_.emplace(folder_ / "m", options);
  }
  Folder folder_;
  std::optional<ModelReader<double>> reader_;
};

TEST_F(ModelFileKernel, PrintsAsItWasSaved) {
  const Kernel mine = Kernel::from_pairs("mine", [](auto, auto) { return 1.0; });
  const Kernel spaced = Kernel::from_pairs("a + b", [](auto, auto) { return 1.0; });
  for (const Kernel& kernel : {Kernel::linear(), mine, spaced, 0.5 * mine + Kernel::linear(),
                               mine * Kernel::linear() + spaced, (mine + Kernel::linear()) * (spaced + mine)})
    EXPECT_EQ(reader_->kernel(kernel.to_string()), kernel) << kernel.to_string();
}

TEST_F(ModelFileKernel, AUsersKernelMustBeSupplied) {
  const auto error = error_of([&] { (void)reader_->kernel("linear() + 2*user(theirs)"); });
  EXPECT_EQ(error.code(), ErrorCode::usage);
  EXPECT_TRUE(has_words(error, "LoadOptions::kernels[\"theirs\"]")) << error.what();
}

TEST_F(ModelFileKernel, NonsenseIsDamage) {
  std::string nested(1000, '(');
  nested.append("user(mine)").append(1000, ')');
  for (const std::string& text : {std::string("nonsense"), std::string("user(mine) + "), std::string("2*3"),
                                  std::string("user(mine) + 2"), nested})
    EXPECT_EQ(error_of([&] { (void)reader_->kernel(text); }).code(), ErrorCode::bad_data) << text;
}

// --- what every model checks
// -------------------------------------------------------------------------------------

TYPED_TEST(ModelFileOf, PointsOfTheWrongWidthAreRefused) {
  const Toy<TypeParam> toy(some_matrix<TypeParam>(3, 2));
  const auto error = error_of([&] { (void)toy.transform(Samples<TypeParam>(some_matrix<TypeParam>(4, 3))); });
  EXPECT_EQ(error.code(), ErrorCode::bad_data);
  EXPECT_EQ(error.message(), "the points have 3 columns, and the toy model expects 2");
  EXPECT_EQ(toy.transform(Samples<TypeParam>(some_matrix<TypeParam>(4, 2))).rows(), 4);
  EXPECT_EQ(toy.transform(Samples<TypeParam>(Matrix<TypeParam>(0, 2))).cols(), 2);
}

TYPED_TEST(ModelFileOf, PointsThatAreNotFiniteAreRefused) {
  const Toy<TypeParam> toy(some_matrix<TypeParam>(3, 2));
  Matrix<TypeParam> points = some_matrix<TypeParam>(4, 2);
  points(2, 1) = std::numeric_limits<TypeParam>::quiet_NaN();
  const auto error = error_of([&] { (void)toy.transform(Samples<TypeParam>(points)); });
  EXPECT_EQ(error.code(), ErrorCode::bad_data);
  EXPECT_TRUE(has_words(error, "row 2, column 1 is nan")) << error.what();
}

TYPED_TEST(ModelFileOf, AMethodWithoutInverseSaysSo) {
  const Toy<TypeParam> toy(some_matrix<TypeParam>(3, 2));
  const auto error = error_of([&] { (void)toy.inverse(some_matrix<TypeParam>(1, 2)); });
  EXPECT_EQ(error.code(), ErrorCode::usage);
  EXPECT_TRUE(has_words(error, "toy has no inverse")) << error.what();
  EXPECT_EQ(error_of([&] { (void)toy.inverse(some_matrix<TypeParam>(1, 3)); }).code(), ErrorCode::bad_data);
}

}  // namespace
}  // namespace mercer
