// Reading libsvm: sparse rows, the target as label, and where errors point to.
#include "data/temporary_file.hpp"
#include "expect_error.hpp"

#include <mercer/dataset.hpp>

namespace mercer {
namespace {

using test::error_of;
using test::expect_contains;
using test::TemporaryFile;

Dataset<double> read(std::string_view content, const ReadOptions& options = {}) {
  const TemporaryFile file(".libsvm", content);
  return read_dataset<double>(file.path(), options);
}

std::string message_of(std::string_view content, const ReadOptions& options = {}) {
  const TemporaryFile file(".svm", content);
  const Error e = error_of([&] { (void)read_dataset<double>(file.path(), options); });
  return "FILE" + std::string(e.what()).substr(file.path().size());
}

TEST(Libsvm, RowsAreSparseAndTheTargetIsTheLabel) {
  const auto d = read("# a comment\n+1 1:0.5 3:-2 # and one here\n-1 qid:4 2:1e1\n\n+1\n");
  ASSERT_TRUE(d.samples.is_sparse());
  EXPECT_EQ(d.samples.stored(), 3);
  EXPECT_EQ(d.samples.to_dense(), (Matrix<double>(3, 3) << 0.5, 0, -2, 0, 10, 0, 0, 0, 0).finished());
  EXPECT_EQ(d.label->column, "label");
  EXPECT_EQ(d.label->names, (std::vector<std::string>{"-1", "1"}));
  EXPECT_EQ(d.label->codes, (std::vector<std::int32_t>{1, 0, 1}));
}

TEST(Libsvm, ARowAsWideAsCanBeTakesAsMuchMemoryAsItHasEntries) {
  const TemporaryFile file(".libsvm", "1 1:2 2147483647:3\n2 5:nan\n");
  const auto wide = read_dataset<double>(file.path(), {.missing = Missing::fit});
  EXPECT_EQ(wide.samples.cols(), 2147483647);
  EXPECT_EQ(wide.samples.cast<float>().stored(), 3);
  EXPECT_EQ(read_dataset<double>(file.path(), {.missing = Missing::drop}).samples.stored(), 2);
  const Error e = error_of([&] {
    (void)read_dataset<double>(file.path(), {.missing = Missing::fit, .transpose = true},
                               {.memory = 1'000'000});
  });
  EXPECT_EQ(e.code(), ErrorCode::no_memory);
  expect_contains(e.message(), "2147483647 rows");
}

TEST(Libsvm, WithoutTargetsThereIsNoLabel) { EXPECT_FALSE(read("1:2\n3:4\n").label); }

TEST(Libsvm, WordsMayBeTargets) {
  EXPECT_EQ(read("dog 1:2\ncat 1:3\n").label->names, (std::vector<std::string>{"cat", "dog"}));
}

TEST(Libsvm, FeaturesWidenTheRows) {
  EXPECT_EQ(read("1 2:1\n", {.features = 5}).samples.cols(), 5);
  expect_contains(message_of("1 7:1\n", {.features = 5}), "FILE: 7 features, expected 5");
}

TEST(Libsvm, TransposeStaysSparse) {
  const auto d = read("1 1:1 3:3\n1 2:2\n", {.transpose = true});
  EXPECT_TRUE(d.samples.is_sparse());
  EXPECT_FALSE(d.label);
  EXPECT_EQ(d.samples.to_dense(), (Matrix<double>(3, 2) << 1, 0, 0, 2, 3, 0).finished());
}

TEST(Libsvm, MissingValues) {
  const std::string text = "1 1:nan 2:2\n2 1:1\n";
  EXPECT_EQ(message_of(text),
            "FILE:1:2: 'nan' is not a number in column 1 (drop such rows with --missing drop)");
  const auto d = read(text, {.missing = Missing::drop});
  EXPECT_EQ(d.dropped, 1);
  EXPECT_EQ(d.label->names, std::vector<std::string>{"2"});
  expect_contains(message_of(text, {.missing = Missing::mean}), "no column means");
}

TEST(Libsvm, TransposedTheRowsAreTheFeaturesAndNothingIsWidened) {
  const std::string text = "0 1:1 2:5\n0\n0 2:3\n";
  const auto d = read(text, {.transpose = true, .features = 3});
  EXPECT_TRUE(d.samples.is_sparse());
  EXPECT_EQ(d.samples.to_dense(), (Matrix<double>(2, 3) << 1, 0, 0, 5, 0, 3).finished());
  expect_contains(message_of(text, {.transpose = true, .features = 4}), "3 features, expected 4");
}

TEST(Libsvm, ErrorsNameTheLineAndTheField) {
  expect_contains(message_of("1 1:1\n1 0:1\n"), "FILE:2:2: column 0 (libsvm columns count from 1)");
  expect_contains(message_of("1 2:1 1:1\n"), "FILE:1:3: column 1 after column 2");
  expect_contains(message_of("1 2:1 2:1\n"), "FILE:1:3: column 2 after column 2");
  expect_contains(message_of("1 a:1\n"), "FILE:1:2: 'a' is not a column number");
  expect_contains(message_of("1 99999999999999:1\n"), "not a column number");
  expect_contains(message_of("1 1:x\n"), "FILE:1:2: 'x' is not a number in column 1");
  expect_contains(message_of("1 1:inf\n", {.missing = Missing::drop}), "'inf' is not a finite number");
  expect_contains(message_of("1 1:1 7\n"), "FILE:1:3: '7' is not index:value");
  expect_contains(message_of("1 1:1\n1:1\n"), "FILE:2:1: '1:1' where the target belongs");
  expect_contains(message_of("# nothing\n"), "no rows");
  expect_contains(message_of("1 1:1\n", {.label = "kind"}), "no label column 'kind'");
}

}  // namespace
}  // namespace mercer
