// Writing tables: what is written reads back bit by bit, and nothing half-written is left behind.
#include "data/temporary_file.hpp"
#include "expect_error.hpp"

#include <mercer/dataset.hpp>

#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <filesystem>

namespace mercer {
namespace {

using test::error_of;
using test::expect_contains;
using test::TemporaryFile;
using Names = std::vector<std::string>;

Label make_label() {
  Label label;
  label.column = "kind";
  label.names = {"cat, big", "dog \"x\"", "owl"};
  label.codes = {2, 0, 1};
  return label;
}

const Matrix<double> table = (Matrix<double>(3, 2) << 1, -2.5, 1e-300, 4, 0.1, 1e22).finished();

/// Any finite number, by its bits: subnormal, huge, −0.
template <class T, class Bits>
Matrix<T> arbitrary_matrix() {
  const Index rows = *rc::gen::inRange<Index>(1, 8), cols = *rc::gen::inRange<Index>(1, 5);
  Matrix<T> m(rows, cols);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j) {
      const T value = std::bit_cast<T>(*rc::gen::oneOf(
          rc::gen::arbitrary<Bits>(), rc::gen::noShrink(rc::gen::resize(10000, rc::gen::arbitrary<Bits>()))));
      m(i, j) = std::isfinite(value) ? value : T(-0.0);
    }
  return m;
}

template <class T>
bool same_bits(const Matrix<T>& a, const Matrix<T>& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::memcmp(a.data(), b.data(), sizeof(T) * static_cast<std::size_t>(a.size())) == 0;
}

RC_GTEST_PROP(WriteTable, DoublesComeBackBitByBit, ()) {
  const auto m = arbitrary_matrix<double, std::uint64_t>();
  const TemporaryFile file(*rc::gen::element<std::string>(".csv", ".tsv", ".txt", ".csv.gz", ".npy", ".npz"));
  write_table<double>(file.path(), m);
  RC_ASSERT(same_bits(read_dataset<double>(file.path()).samples.to_dense(), m));
}

RC_GTEST_PROP(WriteTable, FloatsComeBackBitByBit, ()) {
  const auto m = arbitrary_matrix<float, std::uint32_t>();
  const TemporaryFile file(*rc::gen::element<std::string>(".csv", ".tsv", ".dat", ".npy", ".npz"));
  write_table<float>(file.path(), m);
  RC_ASSERT(same_bits(read_dataset<float>(file.path()).samples.to_dense(), m));
}

TEST(WriteTable, TextIsPlainAndQuotedOnlyWhereNeeded) {
  const TemporaryFile file(".csv");
  write_table<double>(file.path(), table, {"a", "b, c"}, make_label());
  EXPECT_EQ(file.bytes(),
            "a,\"b, c\",kind\n1,-2.5,owl\n1e-300,4,\"cat, big\"\n0.1,1e+22,\"dog \"\"x\"\"\"\n");
}

TEST(WriteTable, NamesAndClassesComeBack) {
  for (const char* ending : {".csv", ".tsv", ".txt", ".csv.gz", ".npz"}) {
    const TemporaryFile file(ending);
    write_table<double>(file.path(), table, {"a b", "c"}, make_label());
    const auto d = read_dataset<double>(file.path(), {.label = "kind"});
    EXPECT_EQ(d.samples.to_dense(), table) << ending;
    EXPECT_EQ(d.columns, (Names{"a b", "c"})) << ending;
    EXPECT_EQ(d.label->column, "kind") << ending;
    EXPECT_EQ(d.label->names, make_label().names) << ending;
    EXPECT_EQ(d.label->codes, make_label().codes) << ending;
  }
}

TEST(WriteTable, NpyPutsTheLabelLast) {
  const TemporaryFile file(".npy");
  write_table<double>(file.path(), table, {}, make_label());
  const auto d = read_dataset<double>(file.path(), {.label = "-1"});
  EXPECT_EQ(d.samples.to_dense(), table);
  EXPECT_EQ(d.label->values, (std::vector<double>{2, 0, 1}));
}

TEST(WriteTable, NpzNamesItsArray) {
  const TemporaryFile file(".npz");
  write_table<double>(file.path() + ":scores", table);
  EXPECT_EQ(read_dataset<double>(file.path() + ":scores").samples.to_dense(), table);
}

TEST(WriteTable, LibsvmKeepsTheStoredEntries) {
  const TemporaryFile file(".libsvm");
  SparseMatrix<double> sparse(2, 4);
  sparse.insert(0, 1) = 0.1;
  sparse.insert(1, 3) = -7;
  Label label = make_label();
  label.codes = {1, 2};
  write_table<double>(file.path(), sparse, {}, label);
  EXPECT_EQ(file.bytes(), "1 2:0.1\n2 4:-7\n");
  const auto d = read_dataset<double>(file.path());
  EXPECT_TRUE(d.samples.is_sparse());
  EXPECT_EQ(d.samples.to_dense(), Matrix<double>(sparse));
  write_table<double>(file.path(), table);
  EXPECT_EQ(file.bytes(), "0 1:1 2:-2.5\n0 1:1e-300 2:4\n0 1:0.1 2:1e+22\n");
}

TEST(WriteTable, SparseRowsAreWrittenOutDensely) {
  const TemporaryFile file(".csv");
  SparseMatrix<double> sparse(3, 200000);  // several blocks
  sparse.insert(2, 199999) = 5;
  write_table<double>(file.path(), sparse);
  const auto d = read_dataset<double>(file.path());
  EXPECT_EQ(d.samples.cols(), 200000);
  EXPECT_EQ(d.samples.dense().sum(), 5);
  EXPECT_EQ(d.samples.dense()(2, 199999), 5);
}

TEST(WriteTable, RowViewsWithAStrideAreWrittenAsTheyLook) {
  const auto view = Samples<double>::borrow(table.data(), 3, 1, 2);
  for (const char* ending : {".csv", ".npy", ".npz"}) {
    const TemporaryFile file(ending);
    write_table<double>(file.path(), view);
    EXPECT_EQ(read_dataset<double>(file.path()).samples.to_dense(), table.leftCols(1));
  }
}

TEST(WriteTable, ErrorsSayWhatIsWrong) {
  EXPECT_EQ(error_of([] { write_table<double>("/no/such/folder/x.csv", table); }).code(),
            ErrorCode::cannot_create);
  EXPECT_EQ(error_of([] { write_table<double>("x.doc", table); }).code(), ErrorCode::usage);
  EXPECT_EQ(error_of([] { write_table<double>("x.csv", table, {"a"}); }).code(), ErrorCode::usage);
}

TEST(TableWriter, BlocksMakeOneTable) {
  for (const char* ending : {".csv", ".tsv", ".npy", ".npz"}) {
    const TemporaryFile file(ending);
    TableWriter<double> writer(file.path(), 2, {"a", "b"});
    for (Index i = 0; i < 3; ++i) writer.append(table.middleRows(i, 1));
    EXPECT_FALSE(std::filesystem::exists(file.path())) << ending;
    writer.finish();
    EXPECT_EQ(read_dataset<double>(file.path()).samples.to_dense(), table) << ending;
  }
}

TEST(TableWriter, WithoutFinishNothingRemains) {
  const auto folder =
      std::filesystem::path(::testing::TempDir()) / ("mercer-writer-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  for (const char* name : {"a.csv", "a.npy", "a.npz", "a.tsv.gz"}) {
    TableWriter<double> writer(folder / name, 2);
    writer.append(table);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  {
    TableWriter<double> writer(folder / "a.npz", 2);
    writer.append(table);
    writer.finish();
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
  std::filesystem::remove_all(folder);
}

TEST(TableWriter, RefusesLibsvmAndWrongWidths) {
  expect_contains(error_of([] { TableWriter<double> writer("x.libsvm", 2); }).what(),
                  "cannot be written row by row");
  const TemporaryFile file(".csv");
  TableWriter<double> writer(file.path(), 3);
  EXPECT_EQ(error_of([&] { writer.append(table); }).code(), ErrorCode::usage);
}

TEST(TableWriter, WritesStandardOutput) {
  ::testing::internal::CaptureStdout();
  TableWriter<double> writer("-", 2, {"a", "b"});
  writer.append(table);
  writer.finish();
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "a,b\n1,-2.5\n1e-300,4\n0.1,1e+22\n");
}

}  // namespace
}  // namespace mercer
