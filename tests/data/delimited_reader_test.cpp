// Reading csv, tsv and txt: layout, labels, missing values, and where errors point to.
#include "data/temporary_file.hpp"
#include "expect_error.hpp"
#include "support.hpp"

#include <mercer/dataset.hpp>
#include <mercer/row_source.hpp>

#include <fmt/format.h>
#include <rapidcheck/gtest.h>
#include <zlib.h>

#include <filesystem>

namespace mercer {
namespace {

using test::error_of;
using test::expect_contains;
using test::TemporaryFile;

Dataset<double> read(std::string_view content, const ReadOptions& options = {},
                     std::string_view ending = ".csv") {
  const TemporaryFile file(ending, content);
  return read_dataset<double>(file.path(), options);
}

/// The message without the folder.
std::string message_of(std::string_view content, const ReadOptions& options = {},
                       std::string_view ending = ".csv") {
  const TemporaryFile file(ending, content);
  const Error e = error_of([&] { (void)read_dataset<double>(file.path(), options); });
  std::string text = e.what();
  if (text.rfind(file.path(), 0) == 0) text = "FILE" + text.substr(file.path().size());
  return text;
}

using Names = std::vector<std::string>;

TEST(Csv, PlainNumbersWithoutHeader) {
  const auto d = read("1,2,3\n4,5,6\n");
  EXPECT_EQ(d.samples.to_dense(), (Matrix<double>(2, 3) << 1, 2, 3, 4, 5, 6).finished());
  EXPECT_TRUE(d.columns.empty());
  EXPECT_FALSE(d.label);
}

TEST(Csv, HeaderNamesTheColumns) {
  const auto d = read("a,b\n1,2\n3,4\n");
  EXPECT_EQ(d.columns, (Names{"a", "b"}));
  EXPECT_EQ(d.samples.rows(), 2);
}

TEST(Csv, ByteOrderMarkCarriageReturnsAndBlankLinesAreIgnored) {
  const auto d = read(
      "\xef\xbb\xbf"
      "a,b\r\n1,2\r\n\r\n3,4\r\n\r\n\n");
  EXPECT_EQ(d.columns, (Names{"a", "b"}));
  EXPECT_EQ(d.samples.to_dense(), (Matrix<double>(2, 2) << 1, 2, 3, 4).finished());
}

TEST(Csv, CommentsAtTheTopAreIgnored) {
  const auto d = read("# made by hand\n  # twice\nx,y\n1,2\n");
  EXPECT_EQ(d.columns, (Names{"x", "y"}));
  EXPECT_EQ(d.samples.rows(), 1);
}

TEST(Csv, NoNewlineAtTheEnd) { EXPECT_EQ(read("1,2\n3,4").samples.rows(), 2); }

TEST(Csv, QuotedFieldsHoldDelimitersAndQuotes) {
  const auto d =
      read("\"a, b\",\"say \"\"hi\"\"\",kind\n\"1.5\", 2 ,\"x, \"\"y\"\"\"\n+3,4,z\n", {.label = "kind"});
  EXPECT_EQ(d.columns, (Names{"a, b", "say \"hi\""}));
  EXPECT_EQ(d.label->names, (Names{"x, \"y\"", "z"}));
  EXPECT_EQ(d.samples.to_dense(), (Matrix<double>(2, 2) << 1.5, 2, 3, 4).finished());
}

TEST(Csv, DelimiterIsFound) {
  const Matrix<double> expected = (Matrix<double>(2, 2) << 1, 2, 3, 4).finished();
  for (const char* text : {"a,b\n1,2\n3,4\n", "a;b\n1;2\n3;4\n", "a\tb\n1\t2\n3\t4\n", "a|b\n1|2\n3|4\n",
                           "a b\n1 2\n3 4\n", "  1   2\n 3\t 4  \n"})
    for (const char* ending : {".csv", ".txt", ".dat"})
      EXPECT_EQ(read(text, {}, ending).samples.to_dense(), expected) << text;
}

TEST(Csv, NamesWithSpacesAreOneColumn) {
  const auto d = read("petal width\n1\n2\n");
  EXPECT_EQ(d.columns, Names{"petal width"});
}

TEST(Csv, LabelsWithSpacesDoNotHideTheComma) {
  const auto d = read("1,2,big dog\n3,4,small cat\n", {.label = "-1"});
  EXPECT_EQ(d.label->names, (Names{"big dog", "small cat"}));
}

TEST(Tsv, KeepsCommasInFields) {
  const auto d = read("x\tname\n1\ta,b\n2\tc\n", {.label = "name"}, ".tsv");
  EXPECT_EQ(d.label->names, (Names{"a,b", "c"}));
}

TEST(Csv, LabelByNameIndexAndFromTheEnd) {
  const std::string text = "x,kind,y\n1,b,2\n3,a,4\n5,b,6\n";
  for (const char* label : {"kind", "1", "-2"}) {
    const auto d = read(text, {.label = label});
    EXPECT_EQ(d.label->column, "kind");
    EXPECT_EQ(d.label->names, (Names{"a", "b"}));
    EXPECT_EQ(d.label->codes, (std::vector<std::int32_t>{1, 0, 1}));
    EXPECT_TRUE(d.label->values.empty());
    EXPECT_EQ(d.columns, (Names{"x", "y"}));
    EXPECT_EQ(d.samples.to_dense(), (Matrix<double>(3, 2) << 1, 2, 3, 4, 5, 6).finished());
  }
}

TEST(Csv, NumericLabelsAreInNumericOrder) {
  const auto d = read("1,10\n2,9\n3,10.0\n", {.label = "1"});
  EXPECT_EQ(d.label->names, (Names{"9", "10"}));
  EXPECT_EQ(d.label->codes, (std::vector<std::int32_t>{1, 0, 1}));
  EXPECT_EQ(d.label->values, (std::vector<double>{10, 9, 10}));
}

TEST(Csv, TextLabelInFirstRowIsNotAHeader) {
  const auto d = read("setosa,1,2\nvirginica,3,4\n", {.label = "0"});
  EXPECT_EQ(d.samples.rows(), 2);
  EXPECT_TRUE(d.columns.empty());
}

TEST(Csv, LabelNameMakesARowOfNumbersAHeader) {
  const auto d = read("0,1,target\n5,6,7\n", {.label = "target"});
  EXPECT_EQ(d.columns, (Names{"0", "1"}));
  EXPECT_EQ(d.label->values, std::vector<double>{7});
}

TEST(Csv, UnknownLabelListsTheColumns) {
  EXPECT_EQ(message_of("a,b\n1,2\n", {.label = "c"}), "FILE: no label column 'c' (columns: a, b)");
  EXPECT_EQ(message_of("1,2\n", {.label = "2"}),
            "FILE: no label column 2 (the file has no header; its columns are 0 to 1)");
}

TEST(Csv, MissingValueErrorNamesThePlaceAndTheCure) {
  EXPECT_EQ(message_of("id,age\n1,2\n3,N/A\n"),
            "FILE:3:2: 'N/A' is not a number in column \"age\" (drop such rows with --missing drop)");
  EXPECT_EQ(message_of("1,2\n\n3,\n"),
            "FILE:3:2: '' is not a number in column 1 (drop such rows with --missing drop)");
}

TEST(Csv, EveryMissingTokenIsKnown) {
  for (const char* token :
       {"", "NA", "na", "N/A", "n/a", "nan", "NaN", "NULL", "null", "?", "\"\"", " NA "}) {
    const auto d = read(fmt::format("1,2\n{},3\n5,6\n", token), {.missing = Missing::drop});
    EXPECT_EQ(d.dropped, 1) << token;
    EXPECT_EQ(d.samples.to_dense(), (Matrix<double>(2, 2) << 1, 2, 5, 6).finished()) << token;
  }
}

TEST(Csv, MissingMeanFillsInTheColumnMean) {
  const auto d = read("1,NA\n3,4\n?,8\n", {.missing = Missing::mean});
  EXPECT_EQ(d.samples.to_dense(), (Matrix<double>(3, 2) << 1, 6, 3, 4, 2, 8).finished());
}

TEST(Csv, ColumnWithoutAnyValueHasNoMean) {
  expect_contains(message_of("a,b\n1,NA\n3,\n", {.missing = Missing::mean}),
                  "column \"b\" has no value at all");
}

TEST(Csv, DroppingEveryRowIsAnError) {
  expect_contains(message_of("1,NA\n2,\n", {.missing = Missing::drop}), "every row has a missing value");
}

TEST(Csv, MissingLabelsAreDroppedWithTheirRows) {
  const std::string text = "x,kind\n1,a\n2,\n3,b\n";
  const auto d = read(text, {.label = "kind", .missing = Missing::drop});
  EXPECT_EQ(d.label->codes, (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(d.dropped, 1);
  expect_contains(message_of(text, {.label = "kind"}), "FILE:3:2: '' is not a class in column \"kind\"");
}

TEST(Csv, InfiniteValuesAreErrorsUnderEveryPolicy) {
  for (const Missing policy : {Missing::error, Missing::drop, Missing::mean})
    for (const char* value : {"inf", "-inf", "Infinity", "1e999", "-1e999"})
      expect_contains(message_of(fmt::format("1,2\n3,{}\n", value), {.missing = policy}),
                      fmt::format("FILE:2:2: '{}' is not a finite number in column 1", value));
}

TEST(Csv, TooSmallNumbersBecomeZero) { EXPECT_EQ(read("1,1e-999\n").samples.to_dense()(0, 1), 0); }

TEST(Csv, WordsAreErrorsThatSuggestALabel) {
  EXPECT_EQ(
      message_of("a,name\n1,bob\n"),
      "FILE:2:2: 'bob' is not a number in column \"name\" (if the column holds classes, say --label name)");
  EXPECT_EQ(message_of("5.1,3.5,setosa\n4.9,3.0,setosa\n"),
            "FILE:1:3: 'setosa' is not a number in column 2 (if the column holds classes, say --label 2)");
  expect_contains(message_of("length (cm),b\nx,1\n"), "say --label 'length (cm)')");
  expect_contains(message_of("1;2\n\"5,1\";2\n"),
                  "'5,1' is not a number in column 0 (write it with a decimal point)");
  expect_contains(message_of("1,2\n1,2x\n", {.missing = Missing::drop}), "FILE:2:2: '2x' is not a number");
}

TEST(Csv, RaggedRowsSayHowManyFields) {
  expect_contains(message_of("1,2,3\n4,5\n"), "FILE:2: 2 fields, expected 3");
  expect_contains(message_of("1,2,3\n4,5,6\n7,8,9,10\n"), "FILE:3: 4 fields, expected 3");
  expect_contains(message_of("a,b\n1,2\ntotal: 1\n"), "FILE:3: 1 field, expected 2");
}

TEST(Csv, OneWideRowOverManyNarrowOnesTakesNoMemory) {
  std::string text;
  text.append(1000000, ',').append("\n");
  for (int i = 0; i < 1000000; ++i) text.append("1\n");
  expect_contains(message_of(text, {.missing = Missing::drop}), "FILE:2: 1 field, expected 1000001");
}

TEST(Csv, UnclosedQuoteIsAnError) {
  expect_contains(message_of("1,2\n3,\"4\n"), "FILE:2:2: a quote that does not close");
}

TEST(Csv, EmptyFilesAreBadData) {
  expect_contains(message_of("\n\n  \n"), "no rows");
  expect_contains(message_of("a,b\n"), "a header but no rows");
  const TemporaryFile file(".csv");
  file.write({});
  const Error e = error_of([&] { (void)read_dataset<double>(file.path()); });
  EXPECT_EQ(e.code(), ErrorCode::bad_data);
  expect_contains(e.what(), "the file is empty");
}

TEST(Csv, TransposeMakesColumnsTheSamples) {
  const auto d = read("1,2,3\n4,5,6\n", {.transpose = true});
  EXPECT_EQ(d.samples.to_dense(), (Matrix<double>(3, 2) << 1, 4, 2, 5, 3, 6).finished());
  EXPECT_EQ(error_of([&] { (void)read("1,2\n", {.label = "0", .transpose = true}); }).code(),
            ErrorCode::usage);
}

TEST(Csv, DroppingAfterTransposeDropsColumns) {
  const auto d = read("1,NA,3\n4,5,6\n", {.missing = Missing::drop, .transpose = true});
  EXPECT_EQ(d.samples.to_dense(), (Matrix<double>(2, 2) << 1, 4, 3, 6).finished());
}

TEST(Csv, WrongNumberOfFeaturesIsAnError) {
  expect_contains(message_of("1,2\n", {.features = 3}), "FILE: 2 features, expected 3");
  EXPECT_EQ(read("1,2\n", {.features = 2}).samples.cols(), 2);
}

TEST(Csv, FloatIsParsedAsFloat) {
  const TemporaryFile file(".csv", "0.1,16777217\n");
  const auto d = read_dataset<float>(file.path());
  EXPECT_EQ(d.samples.to_dense()(0, 0), 0.1F);
  EXPECT_EQ(d.samples.to_dense()(0, 1), 16777216.0F);
}

TEST(Csv, GzipIsUnpacked) {
  const TemporaryFile file(".csv.gz");
  gzFile gz = gzopen(file.path().c_str(), "wb");
  gzputs(gz, "a,b\n1,2\n");
  gzclose(gz);
  EXPECT_EQ(read_dataset<double>(file.path()).samples.to_dense(), (Matrix<double>(1, 2) << 1, 2).finished());
  file.write(file.bytes().substr(0, file.bytes().size() - 9));
  expect_contains(error_of([&] { (void)read_dataset<double>(file.path()); }).what(), "damaged gzip file");
  file.write("a,b\n1,2\n");
  expect_contains(error_of([&] { (void)read_dataset<double>(file.path()); }).what(), "not a gzip file");
}

TEST(Csv, GzipMembersFollowEachOtherAndPaddingIsLeftAlone) {
  const TemporaryFile file(".csv.gz");
  for (const char* text : {"a,b\n1,2\n", "3,4\n"}) {
    gzFile gz = gzopen(file.path().c_str(), "ab");
    gzputs(gz, text);
    gzclose(gz);
  }
  const Matrix<double> expected = (Matrix<double>(2, 2) << 1, 2, 3, 4).finished();
  for (int padding = 0; padding < 3; ++padding) {
    EXPECT_EQ(read_dataset<double>(file.path()).samples.to_dense(), expected) << padding;
    file.write(file.bytes() + '\0');
  }
  file.write(file.bytes().substr(0, 20));  // within the first member
  expect_contains(error_of([&] { (void)read_dataset<double>(file.path()); }).what(), "damaged gzip file");
}

TEST(Csv, TheDigitsOfTheExamples) {
  const auto d = read_dataset<double>(test::example("digits.csv.gz"), {.label = "-1"});
  EXPECT_EQ(d.samples.rows(), 1797);
  EXPECT_EQ(d.samples.cols(), 64);
  EXPECT_EQ(d.label->names.size(), 10U);
  EXPECT_EQ(d.samples.dense().sum(), 561718);
}

TEST(ReadDataset, MissingFilesFoldersAndUnknownEndings) {
  const auto code = [](const std::string& path) {
    return error_of([&] { (void)read_dataset<double>(path); });
  };
  EXPECT_EQ(code("/no/such/file.csv").code(), ErrorCode::no_input);
  expect_contains(code("/no/such/file.csv").what(), "/no/such/file.csv: no such file");
  EXPECT_EQ(code("/no/such/file").code(), ErrorCode::no_input);
  EXPECT_EQ(code("/no/such/file.csv.gz").code(), ErrorCode::no_input);
  EXPECT_EQ(code("/no/such/file.npz").code(), ErrorCode::no_input);
  const TemporaryFile other(".xlsx", "1");
  EXPECT_EQ(code(other.path()).code(), ErrorCode::usage);
  expect_contains(code(other.path()).what(), ".csv .tsv .txt .dat .npy .npz");
  const TemporaryFile folder(".csv");
  std::filesystem::create_directory(folder.path());
  EXPECT_EQ(code(folder.path()).code(), ErrorCode::no_input);
  const TemporaryFile secret(".csv", "1,2\n");
  std::filesystem::permissions(secret.path(), std::filesystem::perms::none);
  if (::geteuid() != 0) {
    EXPECT_EQ(code(secret.path()).code(), ErrorCode::no_input);
  }
}

TEST(ReadDataset, CancellingStopsIt) {
  std::stop_source source;
  source.request_stop();
  mercer::Run run;
  run.stop = source.get_token();
  const TemporaryFile file(".csv", "1,2\n");
  EXPECT_EQ(error_of([&] { (void)read_dataset<double>(file.path(), {}, run); }).code(), ErrorCode::cancelled);
}

RC_GTEST_PROP(ReadDataset, ArbitraryTextIsReadOrRefusedButNeverCrashes, ()) {
  const std::string letters = "0123456789.,;|\t\"\n\r #:+-einfaNA?x";
  const auto content = *rc::gen::container<std::string>(rc::gen::elementOf(letters));
  const TemporaryFile file(*rc::gen::element<std::string>(".csv", ".tsv", ".txt", ".libsvm"));
  file.write(content);
  try {
    const auto d = read_dataset<double>(
        file.path(), {.missing = *rc::gen::element(Missing::error, Missing::drop, Missing::mean)});
    for (Index i = 0; i < d.samples.rows(); ++i) RC_ASSERT(d.samples.dense_rows(i, 1).allFinite());
  } catch (const Error& e) {
    RC_ASSERT(std::string(e.what()).find(file.path()) == 0);
  }
}

TEST(Delimited, GapsStayForMethodsThatEstimateThem) {
  const TemporaryFile file(".csv", "x,y,kind\n1,NA,a\n3,4,b\n,8,a\n");
  const ReadOptions options{.label = "kind", .missing = Missing::fit};
  const auto d = read_dataset<double>(file.path(), options).samples.to_dense();
  ASSERT_EQ(d.rows(), 3);
  EXPECT_TRUE(std::isnan(d(0, 1)) && std::isnan(d(2, 0)));
  EXPECT_EQ(d(0, 0) + d(1, 0) + d(1, 1) + d(2, 1), 16);
  const auto rows = open_rows<double>(file.path(), options)->next().to_dense();
  EXPECT_TRUE(std::isnan(rows(0, 1)) && rows(2, 1) == 8);
  expect_contains(message_of("x,kind\n1,a\n2,\n", options), "kind");
}

TEST(ParseMissing, KnowsItsNames) {
  EXPECT_EQ(parse_missing("error"), Missing::error);
  EXPECT_EQ(parse_missing("drop"), Missing::drop);
  EXPECT_EQ(parse_missing("mean"), Missing::mean);
  EXPECT_EQ(parse_missing("fit"), Missing::fit);
  EXPECT_EQ(error_of([] { (void)parse_missing("zero"); }).code(), ErrorCode::usage);
}

}  // namespace
}  // namespace mercer
