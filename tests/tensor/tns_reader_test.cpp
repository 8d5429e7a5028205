// FROSTT's text: what it may look like, round trips of every order, large files in pieces, and each way in
// which a line can be wrong.
#include "base/random.hpp"
#include "data/temporary_file.hpp"
#include "expect_error.hpp"
#include "tensor/temporary_folder.hpp"

#include <mercer/tensor_file.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace mercer {
namespace {

using test::error_of;
using test::expect_contains;
using test::TemporaryFile;

template <class T = double>
SparseTensor<T> read(const std::string& text, const Shape& shape = {}) {
  const TemporaryFile file(".tns", text);
  return read_sparse_tensor<T>(file.path(), shape);
}

/// The error without the folder: "x.tns:1:2: ... (hint)".
std::string complaint(const std::string& text, const Shape& shape = {}) {
  const TemporaryFile file(".tns", text);
  const Error e = error_of([&] { (void)read_sparse_tensor<double>(file.path(), shape); });
  EXPECT_EQ(e.code(), ErrorCode::bad_data);
  std::string what = e.what();
  EXPECT_EQ(what.rfind(file.path(), 0), 0U) << what;
  return "x.tns" + what.substr(file.path().size());
}

TEST(Tns, EntriesStandWhereTheirIndicesSay) {
  const auto x =
      read("# a comment\n\n1 1 1 1.5\n 2\t3  1   -2e-3\r\n   # another\n1 2 4 +7 # and one more\n");
  EXPECT_EQ(x.shape(), (Shape{2, 3, 4}));
  EXPECT_EQ(x.stored(), 3);
  const auto dense = x.to_dense();
  EXPECT_EQ(dense({0, 0, 0}), 1.5);
  EXPECT_EQ(dense({1, 2, 0}), -2e-3);
  EXPECT_EQ(dense({0, 1, 3}), 7);
  EXPECT_EQ(dense.values().cwiseAbs().sum(), 1.5 + 2e-3 + 7);
}

TEST(Tns, TheLastLineNeedsNoEnd) { EXPECT_EQ(read("1 2 3").to_dense()({0, 1}), 3); }

TEST(Tns, AByteOrderMarkIsSkipped) {
  EXPECT_EQ(read("\xef\xbb\xbf"
                 "2 5\n")
                .shape(),
            Shape{2});
}

TEST(Tns, EntriesAtTheSamePlaceAreAddedUp) {
  const auto x = read("2 2 1\n1 1 5\n2 2 2\n");
  EXPECT_EQ(x.stored(), 2);
  EXPECT_EQ(x.to_dense()({1, 1}), 3);
}

TEST(Tns, AGivenShapeIsTaken) {
  EXPECT_EQ(read("1 1 5\n", {3, 4}).shape(), (Shape{3, 4}));
  EXPECT_EQ(read("3 4 5\n", {3, 4}).to_dense()({2, 3}), 5);
}

TEST(Tns, NumbersTooSmallBecomeZero) { EXPECT_EQ(read<float>("1 1e-99\n2 1\n").to_dense()({0}), 0); }

TEST(Tns, IndicesGoUpTo32Bits) {
  const auto x = read("4294967295 1 2.5\n");
  EXPECT_EQ(x.size(0), 4294967295);
  EXPECT_EQ(x.coordinates().index[0][0], 4294967294U);
}

template <class T>
class TnsRoundTrip : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(TnsRoundTrip, Precisions);

TYPED_TEST(TnsRoundTrip, KeepsEveryBit) {
  for (const Shape& shape : {Shape{9}, {3, 4}, {4, 3, 5}, {2, 3, 2, 4}, {2, 2, 3, 2, 2}})
    for (const auto* ending : {".tns", ".tns.gz"}) {
      Random random(5);
      Tensor<TypeParam> x(shape);
      for (TypeParam& value : x.values())
        value = random.uniform() < 0.5 ? TypeParam(0) : static_cast<TypeParam>(random.normal() * 1e-7);
      const TemporaryFile dense(ending), sparse(ending);
      write_tensor<TypeParam>(dense.path(), x);
      write_tensor(sparse.path(), SparseTensor<TypeParam>(x.view()));
      for (const auto* file : {&dense, &sparse}) {
        const auto back = read_sparse_tensor<TypeParam>(file->path(), shape);
        EXPECT_EQ(back.stored(), (x.values().array() != 0).count());
        EXPECT_EQ(back.to_dense().values(), x.values()) << to_string(shape);
      }
    }
}

TEST(Tns, IsWrittenWithIndicesFromOne) {
  Tensor<double> x({2, 2, 3});
  x({0, 1, 2}) = 0.1;
  x({1, 0, 0}) = -3;
  const TemporaryFile file(".tns");
  write_tensor<double>(file.path(), x);
  EXPECT_EQ(file.bytes(), "1 2 3 0.1\n2 1 1 -3\n");
}

TEST(Tns, StoredZerosOfASparseTensorAreKept) {
  const auto x = read("1 1 0\n2 2 1\n");
  EXPECT_EQ(x.stored(), 2);
  const TemporaryFile file(".tns");
  write_tensor(file.path(), x);
  EXPECT_EQ(read_sparse_tensor<double>(file.path()).stored(), 2);
}

/// More text than one piece, so that it is cut, with the entry number as the value.
std::string long_text(Index entries) {
  fmt::memory_buffer out;
  for (Index e = 0; e < entries; ++e)
    fmt::format_to(std::back_inserter(out), "{}{:0>400} {} {}\n", e % 1000 == 7 ? "# seven\n\n" : "",
                   e % 100 + 1, e / 100 + 1, e);
  return fmt::to_string(out);
}

TEST(Tns, LongFilesAreReadInPiecesByAnyNumberOfThreads) {
  constexpr Index entries = 42000;
  const TemporaryFile file(".tns", long_text(entries));
  ASSERT_GT(std::filesystem::file_size(file.path()), std::uintmax_t{1} << 24);
  for (const int threads : {1, 3}) {
    const auto x = read_sparse_tensor<double>(file.path(), {}, {.threads = threads});
    ASSERT_EQ(x.stored(), entries);
    EXPECT_EQ(x.shape(), (Shape{100, entries / 100}));
    x.for_each([](const Shape& index, double value) {
      ASSERT_EQ(value, static_cast<double>(100 * index[1] + index[0]));
    });
  }
}

TEST(Tns, TheFirstBadLineIsNamedByAnyNumberOfThreads) {
  std::string text = long_text(42000);
  const auto line_of = [&](std::size_t at) {
    return 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  };
  const std::size_t last = text.find('\n', text.size() - 1000) + 1, second = text.find('\n', 8'000'000) + 1,
                    first = text.find('\n', 6'000'000) + 1;
  for (const std::size_t bad : {last, second, first}) {
    text[bad] = 'x';
    const TemporaryFile file(".tns", text);
    for (const int threads : {1, 3}) {
      const Error e =
          error_of([&] { (void)read_sparse_tensor<double>(file.path(), {}, {.threads = threads}); });
      expect_contains(e.message(), fmt::format("{}:{}:1: 'x", file.path(), line_of(bad)));
    }
  }
}

TEST(Tns, ALineLongerThanAPieceIsOneLine) {
  const std::string text = "1 " + std::string((1U << 24) + 100, ' ') + "1 5\n2 2 6\n";
  EXPECT_EQ(read(text).to_dense()({0, 0}), 5);
}

TEST(Tns, ProgressIsReportedAndCancellationHeard) {
  const TemporaryFile file(".tns", "1 1 1\n");
  double last = 0;
  (void)read_sparse_tensor<double>(file.path(), {},
                                   {.progress = [&](std::string_view, double f) { last = f; }});
  EXPECT_EQ(last, 1);
  std::stop_source source;
  source.request_stop();
  const Error e =
      error_of([&] { (void)read_sparse_tensor<double>(file.path(), {}, {.stop = source.get_token()}); });
  EXPECT_EQ(e.code(), ErrorCode::cancelled);
}

TEST(TnsErrors, NoEntries) {
  const TemporaryFile empty(".tns");
  empty.write("");
  Error e = error_of([&] { (void)read_sparse_tensor<double>(empty.path()); });
  EXPECT_EQ(e.code(), ErrorCode::bad_data);
  expect_contains(e.message(), "the file is empty");
  EXPECT_EQ(complaint("# nothing\n\n"),
            "x.tns: the file has no entries (a line reads 'i j k value', indices from 1)");
}

TEST(TnsErrors, Indices) {
  EXPECT_EQ(complaint("1 1 2\n# c\n1 0 2\n"), "x.tns:3:2: index 0 (indices count from 1)");
  EXPECT_EQ(complaint("1 x 2\n"), "x.tns:1:2: 'x' is not an index (indices are whole numbers from 1)");
  EXPECT_EQ(complaint("1 1 2\n-1 1 2\n"),
            "x.tns:2:1: '-1' is not an index (indices are whole numbers from 1)");
  EXPECT_EQ(complaint("1 1.5 2\n"), "x.tns:1:2: '1.5' is not an index (indices are whole numbers from 1)");
  EXPECT_EQ(complaint("4294967296 1 2\n"),
            "x.tns:1:1: index 4294967296 is too large (indices go up to 4294967295)");
  expect_contains(complaint("1 " + std::string(500, '9') + " 2\n"), "99... is too large");
}

TEST(TnsErrors, Values) {
  const std::string cure =
      " (correct it, or leave the line out: entries that are not listed are 0 or unknown)";
  EXPECT_EQ(complaint("1 1 abc\n"), "x.tns:1:3: 'abc' is not a number" + cure);
  EXPECT_EQ(complaint("1 1 2\n\n1 2 nan\n"), "x.tns:3:3: 'nan' is not a finite number" + cure);
  EXPECT_EQ(complaint("1 1 inf\n"), "x.tns:1:3: 'inf' is not a finite number" + cure);
  EXPECT_EQ(complaint("1 1 1e999\n"), "x.tns:1:3: '1e999' is not a finite number" + cure);
  EXPECT_EQ(complaint("1 1 2x\n"), "x.tns:1:3: '2x' is not a number" + cure);
  const TemporaryFile file(".tns", "1 1e39\n");
  expect_contains(error_of([&] { (void)read_sparse_tensor<float>(file.path()); }).message(),
                  "'1e39' is not a finite");
}

TEST(TnsErrors, TooFewOrTooManyFields) {
  EXPECT_EQ(complaint("1,2,3\n"), "x.tns:1: 1 field (a line reads 'i j k value', with blanks between)");
  const std::string cure = " (every line has 2 indices and a value, as the first one does)";
  EXPECT_EQ(complaint("1 1 2\n1 1\n"), "x.tns:2: 2 fields, expected 3" + cure);
  EXPECT_EQ(complaint("1 1 2\n1 \n"), "x.tns:2: 1 field, expected 3" + cure);
  EXPECT_EQ(complaint("1 1 2\n1 1 1 2\n"), "x.tns:2: 4 fields, expected 3" + cure);
  EXPECT_EQ(complaint("1 1 2\n0 1 1 2\n"), "x.tns:2: 4 fields, expected 3" + cure);
  EXPECT_EQ(complaint("1 1 2\n1 1 # 2\n"), "x.tns:2: 2 fields, expected 3" + cure);
  EXPECT_EQ(complaint("1 2\n1\n"),
            "x.tns:2: 1 field, expected 2 (every line has 1 index and a value, as the first one does)");
}

TEST(TnsErrors, TheGivenShape) {
  EXPECT_EQ(complaint("1 1 2\n3 5 2\n", {3, 4}),
            "x.tns:2:2: index 5 where the size is 4 (correct it, or give a larger shape)");
  EXPECT_EQ(
      complaint("#\n1 1 1 2\n", {3, 4}),
      "x.tns:2: 3 indices and a value, where the shape 3 x 4 has 2 (the shape has a size for each index)");
  const TemporaryFile file(".tns", "1 1\n");
  EXPECT_EQ(read_sparse_tensor<double>(file.path(), {0}).shape(), Shape{1});  // the largest index
  for (const Index size : {Index{-2}, Index{1} << 33})
    EXPECT_EQ(error_of([&] { (void)read_sparse_tensor<double>(file.path(), {size}); }).code(),
              ErrorCode::usage);
}

TEST(TnsErrors, WhatIsNoGzip) {
  const TemporaryFile file(".tns.gz", "1 1 2\n");
  const Error e = error_of([&] { (void)read_sparse_tensor<double>(file.path()); });
  EXPECT_EQ(e.code(), ErrorCode::bad_data);
  expect_contains(e.message(), "not a gzip file");
}

}  // namespace
}  // namespace mercer
