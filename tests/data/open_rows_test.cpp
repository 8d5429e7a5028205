// Tables in pieces: the same rows, names and errors as read_dataset gives, whatever the chunk.
#include "data/temporary_file.hpp"
#include "expect_error.hpp"

#include <mercer/dataset.hpp>
#include <mercer/row_source.hpp>

#include <fmt/format.h>
#include <sys/stat.h>
#include <zlib.h>

#include <cmath>
#include <cstring>
#include <thread>

namespace mercer {
namespace {

using test::error_of;
using test::expect_contains;
using test::TemporaryFile;

constexpr Index chunks[] = {1, 7, 1000, 0};

/// All that is left, written out densely.
template <class T>
Matrix<T> rest_of(RowSource<T>& rows, Index chunk = 0) {
  Matrix<T> out(0, rows.cols());
  for (auto piece = rows.next(); piece.rows() > 0; piece = rows.next()) {
    EXPECT_EQ(piece.cols(), rows.cols());
    EXPECT_TRUE(chunk == 0 || piece.rows() <= chunk);
    const Index before = out.rows();
    out.conservativeResize(before + piece.rows(), Eigen::NoChange);
    out.bottomRows(piece.rows()) = piece.to_dense();
  }
  return out;
}

/// The same through both doors, twice over.
template <class T = double>
void expect_same(const std::string& path, const ReadOptions& options = {}) {
  const auto whole = read_dataset<T>(path, options);
  for (const Index chunk : chunks) {
    SCOPED_TRACE(fmt::format("{} in chunks of {}", path, chunk));
    const auto rows = open_rows<T>(path, options, chunk);
    EXPECT_EQ(rows->columns(), whole.columns);
    for (int pass = 0; pass < 2; ++pass) {
      EXPECT_EQ(rest_of(*rows, chunk), whole.samples.to_dense());
      EXPECT_EQ(rows->dropped(), whole.dropped);
      EXPECT_EQ(rows->next().rows(), 0);
      rows->rewind();
      EXPECT_EQ(rows->dropped(), 0);
    }
  }
}

void expect_same_text(std::string_view content, const ReadOptions& options = {},
                      std::string_view ending = ".csv") {
  const TemporaryFile file(ending, content);
  expect_same<double>(file.path(), options);
  expect_same<float>(file.path(), options);
}

/// Both doors must say the same about what is wrong.
void expect_same_error(std::string_view content, const ReadOptions& options = {},
                       std::string_view ending = ".csv") {
  const TemporaryFile file(ending);
  file.write(content);
  const Error whole = error_of([&] { (void)read_dataset<double>(file.path(), options); });
  for (const Index chunk : chunks) {
    const Error piecewise = error_of([&] { (void)rest_of(*open_rows<double>(file.path(), options, chunk)); });
    EXPECT_STREQ(piecewise.what(), whole.what()) << chunk;
    EXPECT_EQ(piecewise.code(), whole.code());
  }
}

/// 100 rows of x, y and a class.
std::string table(char delimiter = ',', const std::string& end = "\n", Index rows = 100) {
  std::string out = fmt::format("x{0}y{0}kind{1}", delimiter, end);
  for (Index i = 0; i < rows; ++i)
    out += fmt::format("{1}{0}{2}{0}k{3}{4}", delimiter, 0.1 * static_cast<double>(i), -i, i % 3, end);
  return out;
}

Matrix<double> some_numbers(Index rows, Index cols) {
  Matrix<double> m(rows, cols);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j) m(i, j) = static_cast<double>((7 * i + 3 * j) % 100);
  return m;
}

/// An npy file by hand: any type, either order.
template <class S>
std::string npy(const std::string& descr, const Matrix<double>& m, bool fortran = false) {
  std::string head = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}, {}), }}", descr,
                                 fortran ? "True" : "False", m.rows(), m.cols());
  head.resize(117, ' ');
  std::string out = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + head + '\n';
  for (Index a = 0; a < m.size(); ++a) {
    const auto value =
        static_cast<S>(fortran ? m(a % m.rows(), a / m.rows()) : m(a / m.cols(), a % m.cols()));
    char bytes[sizeof(S)];
    std::memcpy(bytes, &value, sizeof(S));
    out.append(bytes, sizeof(S));
  }
  return out;
}

TEST(OpenRows, TextOfEveryLayoutIsWhatReadDatasetReads) {
  const ReadOptions labelled{.label = "kind"};
  for (const char* ending : {".csv", ".txt", ".dat"})
    for (const char delimiter : {',', ';', '\t', '|'}) expect_same_text(table(delimiter), labelled, ending);
  expect_same_text(table('\t'), labelled, ".tsv");
  expect_same_text(table(',', "\r\n"), labelled);
  expect_same_text("  1   2\n 3\t 4  \n\n 5 6");
  expect_same_text("\xef\xbb\xbf# a comment\n\n# and more\na,b\n1,2\n\n\n3,4\n \n5,6\n");
  expect_same_text("\"a, b\",kind\n\"1.5\",\"x, \"\"y\"\"\"\n+3,z\n 4 ,\"w\"\n", labelled);
  expect_same_text("1,2\n3,4");
  expect_same_text("1\n2\n3\n");
}

TEST(OpenRows, LabelsByIndexNameAndFromTheEnd) {
  for (const char* label : {"kind", "2", "-1"}) expect_same_text(table(), {.label = label});
  expect_same_text("1,a,2\n3,b,4\n5,c,6\n", {.label = "1"});
}

TEST(OpenRows, LongLinesAndLongCommentsGrowTheBuffer) {
  std::string wide = "# " + std::string(3000000, 'c') + "\n";
  for (int row = 0; row < 3; ++row) {
    for (int i = 0; i < 150000; ++i) wide += fmt::format("{}{}", i > 0 ? "," : "", i % 10 + row);
    wide += '\n';
  }
  expect_same_text(wide);
}

TEST(OpenRows, MissingValuesAreDroppedOrFilledAcrossChunks) {
  const std::string gaps = "x,y,kind\n1,2,a\n,3,b\n4,NA,c\n5,6,\n7,8,d\n9,?,e\n10,11,f\n,,g\n";
  expect_same_text(gaps, {.label = "kind", .missing = Missing::drop});
  expect_same_text("x,y\n1,2\n,3\n4,NA\n5,6\n7,8\n9,?\n10,11\n", {.missing = Missing::mean});
  expect_same_text("x,y\n1,2\n3,4\n", {.missing = Missing::mean});
  expect_same_text("a 1:2 3:nan\nb 2:1\n? 1:1\nc 1:5\n", {.missing = Missing::drop}, ".libsvm");
  expect_same_error("1,\n,2\n,3\n", {.missing = Missing::drop});
  expect_same_error("a,b\n1,\n2,\n3,\n", {.missing = Missing::mean});
  expect_same_error("1 1:nan\n1 1:2\n", {.missing = Missing::mean}, ".svm");
}

TEST(OpenRows, ErrorsPointToTheRightPlaceInLaterChunks) {
  const std::string good = table();
  expect_same_error(good + "1,word,k\n", {.label = "kind"});
  expect_same_error(good + "\n\n1,2\n", {.label = "kind"});
  expect_same_error(good + "1,,k\n", {.label = "kind"});
  expect_same_error(good + "1,inf,k\n", {.label = "kind"});
  expect_same_error(good + "1,2,\n", {.label = "kind"});
  expect_same_error(good + "1,\"2,k\n", {.label = "kind"});
  expect_same_error("", {});
  expect_same_error("\n\n", {});
  expect_same_error("a,b\n", {});
  expect_same_error(good, {.label = "nobody"});
  expect_same_error("1,2\n3,4\n", {.features = 3});
  std::string svm;
  for (int i = 0; i < 50; ++i) svm += "# c\n1 1:2 5:3\n";
  expect_same_error(svm + "1 2:x\n", {}, ".libsvm");
  expect_same_error(svm + "1:2\n", {}, ".libsvm");
  expect_same_error(svm + "1 9:2\n", {.features = 5}, ".libsvm");
  expect_same_error("# only words\n", {}, ".libsvm");
  expect_same_error("1\n2\n", {}, ".libsvm");
  expect_same_error(svm, {.label = "kind"}, ".libsvm");
  const TemporaryFile late(".csv", "1,2\n3,4\n5,6\n7,x\n");
  expect_contains(error_of([&] { (void)rest_of(*open_rows<double>(late.path(), {}, 1)); }).what(),
                  late.path() + ":4:2: 'x' is not a number");
}

TEST(OpenRows, LibsvmStaysSparseAndTakesItsWidthFromTheWholeFile) {
  std::string text = "\xef\xbb\xbf";
  for (int i = 0; i < 40; ++i) text += fmt::format("{} {}:1.5 # note\n\n", i % 2, i + 1);
  const TemporaryFile file(".libsvm", text);
  expect_same<double>(file.path());
  expect_same<float>(file.path(), {.features = 60});
  const auto rows = open_rows<double>(file.path(), {}, 7);
  EXPECT_EQ(rows->cols(), 40);
  EXPECT_TRUE(rows->next().is_sparse());
}

TEST(OpenRows, GzipIsUnpackedOnTheWay) {
  const TemporaryFile file(".csv.gz");
  gzFile gz = gzopen(file.path().c_str(), "wb");
  const std::string text = table(',', "\n", 5000);
  gzwrite(gz, text.data(), static_cast<unsigned>(text.size()));
  gzclose(gz);
  expect_same<double>(file.path(), {.label = "kind"});
  const std::string bytes = file.bytes();
  expect_same_error(bytes.substr(0, bytes.size() / 2), {.label = "kind"}, ".csv.gz");
  expect_same_error(text, {.label = "kind"}, ".csv.gz");
}

TEST(OpenRows, NpyOfEveryTypeAndOrder) {
  const auto m = some_numbers(100, 6);
  for (const bool fortran : {false, true}) {
    for (const auto& bytes : {npy<double>("<f8", m, fortran), npy<float>("<f4", m, fortran),
                              npy<std::int16_t>("<i2", m, fortran), npy<std::uint8_t>("|u1", m, fortran)}) {
      const TemporaryFile file(".npy", bytes);
      expect_same<double>(file.path());
      expect_same<float>(file.path());
      for (const char* label : {"0", "3", "-1"}) expect_same<double>(file.path(), {.label = label});
    }
  }
}

TEST(OpenRows, NpyRowsOfTheRightTypeAreNotCopied) {
  const TemporaryFile file(".npy", npy<double>("<f8", some_numbers(100, 6)));
  const auto rows = open_rows<double>(file.path(), {}, 10);
  const auto first = rows->next(), second = rows->next();
  EXPECT_EQ(second.dense().data() - first.dense().data(), 60);
}

TEST(OpenRows, NpyGapsAreFoundWithTheirRow) {
  auto m = some_numbers(50, 3);
  m(31, 1) = m(33, 2) = std::nan("");
  expect_same_error(npy<double>("<f8", m), {}, ".npy");
  expect_same_error(npy<double>("<f8", m), {.label = "1"}, ".npy");
  const TemporaryFile file(".npy", npy<double>("<f8", m));
  expect_same<double>(file.path(), {.missing = Missing::drop});
  expect_same<double>(file.path(), {.missing = Missing::mean});
  expect_same<double>(file.path(), {.label = "1", .missing = Missing::drop});
  m(40, 0) = INFINITY;
  expect_same_error(npy<double>("<f8", m), {.missing = Missing::drop}, ".npy");
}

TEST(OpenRows, NpzWithNamesAndALabelBesideTheData) {
  const TemporaryFile file(".npz");
  Dataset<double> data;
  data.samples = some_numbers(100, 3);
  data.columns = {"a", "b", "c"};
  Label label{.column = "kind", .names = {"1", "2"}, .codes = {}, .values = {}};
  for (int i = 0; i < 100; ++i) label.codes.push_back(i % 2);
  write_table(file.path(), data.samples, data.columns, std::optional(label));
  expect_same<double>(file.path(), {.label = "kind"});
  expect_same<float>(file.path() + ":data");
  expect_same<double>(file.path() + ":data", {.label = "1"});
  for (const ReadOptions& options : {ReadOptions{.label = "nobody"}, ReadOptions{}}) {
    const std::string path = file.path() + (options.label.empty() ? ":nothing" : ":data");
    const Error whole = error_of([&] { (void)read_dataset<double>(path, options); });
    const Error piecewise = error_of([&] { (void)open_rows<double>(path, options); });
    EXPECT_STREQ(piecewise.what(), whole.what());
  }
}

TEST(OpenRows, APipeIsReadOnce) {
  const std::string path = ::testing::TempDir() + fmt::format("mercer-pipe-{}.csv", ::getpid());
  const auto with_pipe = [&](auto&& use) {
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    std::thread writer([&] { std::ofstream(path) << "1,2\n3,4\n5,\n"; });
    use();
    writer.join();
    std::filesystem::remove(path);
  };
  with_pipe([&] {
    const auto rows = open_rows<double>(path, {.missing = Missing::drop}, 1);
    EXPECT_EQ(rest_of(*rows), (Matrix<double>(2, 2) << 1, 2, 3, 4).finished());
    EXPECT_EQ(error_of([&] { rows->rewind(); }).code(), ErrorCode::usage);
  });
  with_pipe([&] {
    const Error e = error_of([&] { (void)open_rows<double>(path, {.missing = Missing::mean}); });
    EXPECT_EQ(e.code(), ErrorCode::usage);
    expect_contains(e.what(), "can be read only once");
  });
}

TEST(OpenRows, TransposingIsRefusedInWords) {
  const TemporaryFile file(".csv", "1,2\n3,4\n");
  const Error e = error_of([&] { (void)open_rows<double>(file.path(), {.transpose = true}); });
  EXPECT_EQ(e.code(), ErrorCode::usage);
  expect_contains(e.what(), "mercer convert IN OUT --transpose");
}

TEST(OpenRows, AFileThatIsNotThere) {
  for (const char* path :
       {"/nowhere/x.csv", "/nowhere/x.npy", "/nowhere/x.npz", "/nowhere/x", "/nowhere/x.svm"})
    EXPECT_EQ(error_of([&] { (void)open_rows<double>(path); }).code(), ErrorCode::no_input) << path;
}

TEST(OpenRows, StopsWhenAsked) {
  const TemporaryFile file(".csv", table());
  std::stop_source source;
  const auto rows = open_rows<double>(file.path(), {.label = "kind"}, 10, {.stop = source.get_token()});
  (void)rows->next();
  source.request_stop();
  EXPECT_EQ(error_of([&] { (void)rows->next(); }).code(), ErrorCode::cancelled);
}

TEST(OpenRows, SaysHowFarItIs) {
  const TemporaryFile file(".npy", npy<double>("<f8", some_numbers(100, 2)));
  const auto rows = open_rows<double>(file.path(), {}, 25);
  EXPECT_EQ(rows->fraction(), 0);
  (void)rows->next();
  EXPECT_EQ(rows->fraction(), 0.25);
}

TEST(RowsOf, SamplesInMemoryComeInPiecesWithoutACopy) {
  const Samples<double> samples = some_numbers(100, 6);
  for (const Index chunk : chunks) {
    const auto rows = rows_of(samples, chunk);
    EXPECT_EQ(rest_of(*rows, chunk), samples.to_dense());
    rows->rewind();
    EXPECT_EQ(rows->next().dense().data(), samples.dense().data());
  }
  const Samples<double> sparse = SparseMatrix<double>(samples.to_dense().sparseView());
  EXPECT_EQ(rest_of(*rows_of(sparse, 7)), samples.to_dense());
}

TEST(OpenRows, AFileThatChangesBetweenTwoPiecesIsAnError) {
  const Matrix<double> values =
      Matrix<double>::Random(5000, 40);  // 1.6 MB: more than a reader takes in at once
  for (const char* ending : {".npy", ".csv", ".npz"}) {
    for (const std::uintmax_t kept : {0, 3}) {  // thirds of the file
      SCOPED_TRACE(fmt::format("{} cut to {}/3", ending, kept));
      const TemporaryFile file(ending);
      write_table<double>(file.path(), values);
      const auto rows = open_rows<double>(file.path(), {}, 100);
      (void)rows->next();
      if (kept == 0)
        std::filesystem::resize_file(file.path(), 0);
      else
        std::ofstream(file.path(), std::ios::binary | std::ios::app) << "more\n";
      const Error e = error_of([&] {
        (void)rest_of(*rows);
        rows->rewind();
      });
      EXPECT_TRUE(e.code() == ErrorCode::io || e.code() == ErrorCode::bad_data) << e.what();
      expect_contains(e.what(), file.path());
    }
  }
}

}  // namespace
}  // namespace mercer
