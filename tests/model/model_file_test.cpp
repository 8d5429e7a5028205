// The model file: what goes in comes out bit by bit, anyone can read the layout, and no damage
// goes unnoticed.
#include "model/model_file.hpp"

#include <mercer/error.hpp>
#include <mercer/version.hpp>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <unistd.h>
#include <xxhash.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

namespace mercer {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
constexpr double infinity = std::numeric_limits<double>::infinity();

// --- files ------------------------------------------------------------------------------------------

class Folder {
 public:
  Folder()
      : path_(fs::temp_directory_path() /
              ("mercer-model-file-" + std::to_string(::getpid()) + "-" + std::to_string(++made_))) {
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  [[nodiscard]] std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  [[nodiscard]] auto count() const { return std::distance(fs::directory_iterator(path_), {}); }

 private:
  static inline int made_ = 0;
  fs::path path_;
};

std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void spill(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// Recomputes the checksum, by the one-shot function of the library, so that deeper checks are reached.
std::string sealed(std::string bytes) {
  const std::string key = "\"checksum\":\"xxh3:";
  const auto at = bytes.find(key);
  if (at == std::string::npos || at + key.size() + 16 > bytes.size()) return bytes;
  bytes.replace(at + key.size(), 16, 16, '0');
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx",
                static_cast<unsigned long long>(XXH3_64bits(bytes.data(), bytes.size())));
  return bytes.replace(at + key.size(), 16, digits);
}

/// The layout, taken apart and put together by hand.
struct Parts {
  json header;
  std::string data;

  static Parts of(const std::string& bytes) {
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), 8);
    return {json::parse(bytes.substr(8, length)), bytes.substr(8 + length)};
  }
  [[nodiscard]] std::string bytes() const {
    const std::string text = header.dump();
    const std::uint64_t length = text.size();
    std::string out(8, '\0');
    std::memcpy(out.data(), &length, 8);
    return sealed(out + text + data);
  }
  /// Elements of a tensor.
  template <class U>
  [[nodiscard]] std::vector<U> tensor(const std::string& name) const {
    const auto offsets = header.at(name).at("data_offsets");
    std::vector<U> out((offsets[1].get<std::size_t>() - offsets[0].get<std::size_t>()) / sizeof(U));
    std::memcpy(out.data(), data.data() + offsets[0].get<std::size_t>(), out.size() * sizeof(U));
    return out;
  }
  template <class U>
  void put(const std::string& name, std::size_t index, U value) {
    std::memcpy(data.data() + header.at(name).at("data_offsets")[0].get<std::size_t>() + index * sizeof(U),
                &value, sizeof(U));
  }
  void change_parameters(const std::function<void(json&)>& change) {
    auto parameters = json::parse(header["__metadata__"]["parameters"].get<std::string>());
    change(parameters);
    header["__metadata__"]["parameters"] = parameters.dump();
  }
};

// --- a model of our own --------------------------------------------------------------------------------

template <class T>
class Toy final : public Model<T> {
 public:
  explicit Toy(Samples<T> points, Index k = 2)
      : points_(std::move(points)), alpha_(points_.rows(), k), offset_(k), matrix_(3, 2) {
    for (Index i = 0; i < alpha_.size(); ++i)
      alpha_.data()[i] = static_cast<T>(std::sin(1.0 + static_cast<double>(i)));
    for (Index i = 0; i < k; ++i) offset_[i] = 1.0 / static_cast<double>(i + 3);
    matrix_ << T(1), T(-0.0), std::numeric_limits<T>::min(), std::numeric_limits<T>::denorm_min(),
        T(1) / T(3), T(6);
    scaling_.kind = Scale::standardize;
    scaling_.shift = Vector<double>::LinSpaced(points_.cols(), 0.1, 0.7);
    scaling_.factor = Vector<double>::LinSpaced(points_.cols(), 1.1, 1.7);
    auto& r = this->report_;
    r.method = "toy";
    r.n = points_.rows();
    r.d = points_.cols();
    r.components = k;
    r.components_requested = k + 1;
    r.kernel = "rbf(gamma=0.1)";
    r.precision = precision_of<T>;
    r.centered = false;
    r.gram_eigenvalues = Vector<double>::LinSpaced(k, 3.3, 1.1);
    r.variances = r.gram_eigenvalues / 3;
    r.explained_variance_ratio = r.gram_eigenvalues / 7;
    r.residuals = Vector<double>::Constant(k, 1e-13);
    r.trace = 7.000000000000001;
    r.missed = {infinity, 0.1 + 0.2, 1e-6};
    r.min_eigenvalue = -0.25;
    r.converged = false;
    r.passes = 12;
    r.plan = {Route::tiled, "kernel 3x3", "why not",    1e9,
              2.5e12,       std::nan(""), 123456789012, {"dense: too large"}};
    r.seconds = {{"read", 0.1}, {"solve", 0.2}, {"total", 0.3}};
    r.peak_bytes = 987654321;
    r.notes = {"a \"note\" of ü", "another"};
    if (points_.rows() > 0) {
      this->label_ = Label{"Klasse",
                           {"ä", "b"},
                           std::vector<std::int32_t>(static_cast<std::size_t>(r.n), 1),
                           std::vector<double>(static_cast<std::size_t>(r.n), 0.1)};
      for (Index j = 0; j < r.d; ++j) this->columns_.push_back("x" + std::to_string(j));
    }
  }
  explicit Toy(ModelReader<T>& reader) {
    reader.restore(*this);
    const Index n = this->report_.n, k = this->report_.components;
    reader.require_shape("points", {n, this->report_.d});
    reader.require_shape("alpha", {n, k});
    reader.require_shape("offset", {k});
    reader.require_shape("matrix", {3, 2});
    points_ = reader.samples("points");
    alpha_ = reader.block("alpha");
    offset_ = reader.vector("offset");
    matrix_ = reader.matrix("matrix");
    scaling_ = reader.scaling();
    size_ = reader.number("size");
    if (reader.count("seven") != 7 || !reader.flag("yes") || reader.text("word") != "wörd")
      reader.damaged("its parameters");
  }

  [[nodiscard]] Index features() const override { return points_.cols(); }
  [[nodiscard]] Matrix<T> scores() const override { return alpha_; }

  Samples<T> points_;
  Block<T> alpha_;
  Vector<double> offset_;
  Matrix<T> matrix_;
  Scaling<T> scaling_;
  double size_ = -infinity;
  bool fail_ = false;

 private:
  Matrix<T> do_transform(const Samples<T>& points, const Run&) const override {
    return Matrix<T>::Zero(points.rows(), this->components());
  }
  void write(ModelWriter& writer) const override {
    writer.samples("points", points_);
    writer.block("alpha", alpha_);
    writer.vector("offset", offset_);
    writer.matrix("matrix", matrix_);
    writer.scaling(scaling_);
    writer.set("size", size_);
    writer.set("seven", 7);
    writer.set("yes", true);
    writer.set("word", "wörd");
    if (fail_) throw Error(ErrorCode::internal, "the method failed to write itself");
  }
};

template <class T>
Toy<T> load(const std::string& path) {
  ModelReader<T> reader(path);
  return Toy<T>(reader);
}

template <class T>
Matrix<T> some_matrix(Index rows, Index cols) {
  Matrix<T> m(rows, cols);
  for (Index i = 0; i < m.size(); ++i) m.data()[i] = static_cast<T>(std::cos(static_cast<double>(i * i)));
  return m;
}

template <class T>
SparseMatrix<T> some_csr() {
  SparseMatrix<T> s(5, 4);
  s.insert(0, 1) = T(1) / T(3);
  s.insert(0, 3) = T(2);
  s.insert(2, 0) = T(-4);
  s.insert(3, 2) = T(0.1);
  s.insert(3, 3) = T(0.7);
  return s;
}

template <class M>
bool same_bits(const M& a, const M& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         (a.size() == 0 ||
          std::memcmp(a.data(), b.data(), sizeof(*a.data()) * static_cast<std::size_t>(a.size())) == 0);
}

template <class T>
void expect_same(const Toy<T>& a, const Toy<T>& b) {
  EXPECT_EQ(a.points_.is_sparse(), b.points_.is_sparse());
  EXPECT_EQ(a.points_.stored(), b.points_.stored());
  EXPECT_TRUE(same_bits(a.points_.to_dense(), b.points_.to_dense()));
  EXPECT_TRUE(same_bits(a.alpha_, b.alpha_));
  EXPECT_TRUE(same_bits(a.offset_, b.offset_));
  EXPECT_TRUE(same_bits(a.matrix_, b.matrix_));
  EXPECT_EQ(a.scaling_.kind, b.scaling_.kind);
  EXPECT_TRUE(same_bits(a.scaling_.shift, b.scaling_.shift));
  EXPECT_TRUE(same_bits(a.scaling_.factor, b.scaling_.factor));
  EXPECT_EQ(a.size_, b.size_);
}

Error error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return Error(ErrorCode::internal, "no error");
}

bool has_words(const Error& error, const std::string& words) {
  return std::string(error.what()).find(words) != std::string::npos;
}

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

// --- damage ---------------------------------------------------------------------------------------------

TYPED_TEST(ModelFileOf, EveryChangedByteIsNoticed) {
  Folder folder;
  Toy<TypeParam>(some_csr<TypeParam>()).save(folder / "m");
  const std::string good = slurp(folder / "m");
  spill(folder / "bad", good);
  std::fstream file(folder / "bad", std::ios::binary | std::ios::in | std::ios::out);
  const auto put = [&](std::size_t at, char byte) {
    file.seekp(static_cast<std::streamoff>(at)).put(byte).flush();
  };
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const int mask : {1, 32, 128, 255}) {
      put(i, static_cast<char>(good[i] ^ mask));
      try {
        load<TypeParam>(folder / "bad");
        FAIL() << "byte " << i << " xor " << mask << " went unnoticed";
      } catch (const Error& error) {
        ASSERT_EQ(error.code(), ErrorCode::bad_data) << error.what();
        ASSERT_TRUE(has_words(error, folder / "bad")) << error.what();
      }
    }
    put(i, good[i]);
  }
}

TYPED_TEST(ModelFileOf, EveryTruncationIsNoticed) {
  Folder folder;
  Toy<TypeParam>(some_matrix<TypeParam>(3, 2)).save(folder / "m");
  const std::string good = slurp(folder / "m");
  for (std::size_t size = good.size(); size-- > 0;) {
    fs::resize_file(folder / "m", size);
    ASSERT_EQ(error_of([&] { load<TypeParam>(folder / "m"); }).code(), ErrorCode::bad_data) << size;
  }
  for (std::size_t size = 0; size < good.size(); size += 7) {
    spill(folder / "bad", sealed(good.substr(0, size)));
    ASSERT_EQ(error_of([&] { load<TypeParam>(folder / "bad"); }).code(), ErrorCode::bad_data) << size;
  }
  spill(folder / "bad", sealed(good + '\0'));
  EXPECT_EQ(error_of([&] { load<TypeParam>(folder / "bad"); }).code(), ErrorCode::bad_data);
}

TEST(ModelFile, AChangedNumberIsAChecksumThatDoesNotMatch) {
  Folder folder;
  Toy<double>(some_matrix<double>(3, 2)).save(folder / "m");
  std::string bad = slurp(folder / "m");
  bad.back() = static_cast<char>(bad.back() ^ 1);
  spill(folder / "m", bad);
  const auto error = error_of([&] { load<double>(folder / "m"); });
  EXPECT_EQ(error.message(), (folder / "m") + " is damaged: its checksum does not match its contents");
}

TEST(ModelFile, OtherFilesAreNotModels) {
  Folder folder;
  spill(folder / "x.csv", "a,b,c\n1,2,3\n4,5,6\n");
  spill(folder / "empty", "");
  spill(folder / "short", "{}");
  for (const std::string name : {"x.csv", "empty", "short", ""}) {
    const auto error = error_of([&] { ModelReader<double> reader(folder / name); });
    EXPECT_EQ(error.code(), ErrorCode::bad_data);
    EXPECT_EQ(error.message(), (folder / name) + " is not a Mercer model");
    EXPECT_EQ(error_of([&] { (void)model_precision(folder / name); }).message(), error.message());
  }
  Parts parts{{{"__metadata__", {{"format", "pt"}}}}, ""};
  spill(folder / "torch", parts.bytes());
  EXPECT_EQ(error_of([&] { ModelReader<double> reader(folder / "torch"); }).message(),
            (folder / "torch") + " is not a Mercer model");
  parts.header = json::object();
  spill(folder / "torch", parts.bytes());
  EXPECT_EQ(error_of([&] { ModelReader<double> reader(folder / "torch"); }).message(),
            (folder / "torch") + " is not a Mercer model");
  EXPECT_EQ(error_of([&] { ModelReader<double> reader(folder / "absent"); }).code(), ErrorCode::no_input);
}

TEST(ModelFile, AFileOfANewerFormatSaysSo) {
  Folder folder;
  Toy<double>(some_matrix<double>(3, 2)).save(folder / "m");
  auto parts = Parts::of(slurp(folder / "m"));
  parts.header["__metadata__"]["format_version"] = "2";
  parts.header["__metadata__"]["library_version"] = "9.8.7";
  spill(folder / "m", parts.bytes());
  const auto error = error_of([&] { ModelReader<double> reader(folder / "m"); });
  EXPECT_EQ(error.code(), ErrorCode::bad_data);
  EXPECT_TRUE(has_words(error, "was written by a newer mercer 9.8.7; this is " + std::string(version)))
      << error.what();
}

struct Damage {
  std::string words;  ///< what the error must say
  std::function<void(Parts&)> act;
};

TEST(ModelFile, LiesWithARightChecksumAreNoticedAndNamed) {
  Folder folder;
  Toy<double>(some_csr<double>()).save(folder / "m");
  const auto good = Parts::of(slurp(folder / "m"));
  ASSERT_NO_THROW((spill(folder / "bad", good.bytes()), load<double>(folder / "bad")))
      << "the tool itself must not do damage";
  const auto meta = [](const char* key, json value) {
    return [=](Parts& p) { p.header["__metadata__"][key] = value; };
  };
  const auto field = [](const char* tensor, const char* key, json value) {
    return [=](Parts& p) { p.header[tensor][key] = value; };
  };
  const auto parameter = [](const char* pointer, json value) {
    return [=](Parts& p) { p.change_parameters([&](json& j) { j[json::json_pointer(pointer)] = value; }); };
  };
  const std::int64_t huge = std::int64_t{1} << 62;
  const std::vector<Damage> damages{
      {"'alpha' of 4611686018427387904x2 F64", field("alpha", "shape", {huge, 2})},
      {"'alpha' of 5x1000 F64 does not take 80 bytes", field("alpha", "shape", {5, 1000})},
      {"'alpha'", field("alpha", "shape", {huge + 5, 4})},  // 2⁶⁴·4·8 + … wraps around
      {"'alpha' lacks a proper", field("alpha", "shape", {-5, -2})},
      {"'alpha' lacks a proper", field("alpha", "shape", {5.0, 2.0})},
      {"'alpha' lacks a proper", field("alpha", "shape", "5x2")},
      {"'alpha' lacks a proper", field("alpha", "dtype", 64)},
      {"'alpha' lacks a proper", field("alpha", "data_offsets", {0})},
      {"'alpha' lacks a proper", field("alpha", "data_offsets", {0, -1})},
      {"'alpha' lacks a proper", field("alpha", "data_offsets", {0, 18446744073709551615ULL})},
      {"'alpha' lacks a proper", field("alpha", "more", 1)},
      {"unknown dtype 'F63'", field("alpha", "dtype", "F63")},
      {"should lie at bytes", field("alpha", "data_offsets", {80, 0})},
      {"should lie at bytes", field("alpha", "data_offsets", {1000000000000, 1000000000080})},
      {"begins at byte", field("alpha", "data_offsets", {0, 80})},  // on top of another
      {"'alpha' in its header is not an object", [](Parts& p) { p.header["alpha"] = 1; }},
      {"tensors take", [](Parts& p) { p.data += "12345678"; }},
      {"'none' of 0x4611686018427387904 is larger",
       [&](Parts& p) {
         p.header["none"] = {{"dtype", "U8"}, {"shape", {0, huge}}, {"data_offsets", {0, 0}}};
       }},
      {"'alpha' is missing",
       [](Parts& p) { p.header["other"] = p.header["alpha"], p.header.erase("alpha"); }},
      {"'alpha' is of I64, not of F64", field("alpha", "dtype", "I64")},
      {"'alpha' is 2x5, not 5x2", field("alpha", "shape", {2, 5})},
      {"'offset' is 2x1, not 2", field("offset", "shape", {2, 1})},
      {"'points' is 5x3, not 5x4", parameter("/points.cols", 3)},
      {"cannot be 5 rows", parameter("/points.cols", huge)},
      {"'points.cols' is not a count", parameter("/points.cols", -4)},
      {"entry outside its 4 columns", [](Parts& p) { p.put<std::int64_t>("points.columns", 1, 4); }},
      {"entry outside its 4 columns", [](Parts& p) { p.put<std::int64_t>("points.columns", 0, -1); }},
      {"rows of 'points'", [](Parts& p) { p.put<std::int64_t>("points.rows", 2, 4); }},
      {"rows of 'points'", [](Parts& p) { p.put<std::int64_t>("points.rows", 5, 6); }},
      {"rows of 'points'", [](Parts& p) { p.put<std::int64_t>("points.rows", 0, -1); }},
      {"code outside its 2 classes", [](Parts& p) { p.put<std::int32_t>("label.codes", 0, 2); }},
      {"code outside its 2 classes", [](Parts& p) { p.put<std::int32_t>("label.codes", 4, -1); }},
      {"'x' in its metadata is not a string", meta("x", 1)},
      {"metadata lacks 'method'", [](Parts& p) { p.header["__metadata__"].erase("method"); }},
      {"precision is 'half'", meta("precision", "half")},
      {"format_version is 'one'", meta("format_version", "one")},
      {"parameters is not JSON", meta("parameters", "{")},
      {"parameters is not a JSON object", meta("parameters", "[]")},
      {"parameters has 'a' twice", meta("parameters", R"({"a":1,"a":2})")},
      {"parameters is nested too deeply", meta("parameters", std::string(100'000, '['))},
      {"no checksum", [](Parts& p) { p.header["__metadata__"].erase("checksum"); }},
      {"not of a kind we know", meta("checksum", "crc32:12345678")},
      {"parameter 'report' is missing", meta("parameters", "{}")},
      {"'report.n' is not a count", parameter("/report/n", "five")},
      {"'report.n' is not a count", parameter("/report/n", 9223372036854775808ULL)},
      {"'report.trace' is not a number", parameter("/report/trace", "much")},
      {"'report.notes' is not a list of strings", parameter("/report/notes", {1, 2})},
      {"'report.seconds' is not a list of names", parameter("/report/seconds", {{1, 2}})},
      {"'report.plan' is not an object", parameter("/report/plan", "tiled")},
      {"its route is 'scenic'", parameter("/report/plan/route", "scenic")},
      {"its scaling is 'wild'", parameter("/scaling.kind", "wild")},
      {"'none' of 4 columns has 4 shifts", parameter("/scaling.kind", "none")},
      {"'center' of 4 columns has 4 shifts and 4 factors", parameter("/scaling.kind", "center")},
      {"has 2 shifts",
       [](Parts& p) {
         p.header["scaling.shift"]["shape"] = {2},
         p.header["scaling.shift"]["data_offsets"][1] =
             p.header["scaling.shift"]["data_offsets"][0].get<int>() + 16;
         auto rest = p.header["scaling.shift"];
         rest["data_offsets"] = {rest["data_offsets"][1], rest["data_offsets"][1].get<int>() + 16};
         p.header["rest"] = rest;
       }},
      {"label 'Klasse' has 5 rows, the data had 6", parameter("/report/n", 6)},
      {"names 4 columns of 5", parameter("/report/d", 5)},
      {"'yes' is not true or false", parameter("/yes", 1)},
      {"'word' is not a string", parameter("/word", nullptr)},
  };
  for (const auto& damage : damages) {
    auto parts = good;
    damage.act(parts);
    spill(folder / "bad", parts.bytes());
    SCOPED_TRACE(damage.words);
    const auto error = error_of([&] { load<double>(folder / "bad"); });
    EXPECT_EQ(error.code(), ErrorCode::bad_data);
    EXPECT_TRUE(has_words(error, damage.words)) << error.what();
    EXPECT_TRUE(has_words(error, folder / "bad")) << error.what();
  }
}

TEST(ModelFile, AHeaderLengthThatLiesIsNoticed) {
  Folder folder;
  Toy<double>(some_matrix<double>(3, 2)).save(folder / "m");
  const std::string good = slurp(folder / "m");
  std::uint64_t truth = 0;
  std::memcpy(&truth, good.data(), 8);
  for (const std::uint64_t lie :
       {std::uint64_t{0}, std::uint64_t{1}, truth - 8, truth + 8, std::uint64_t{good.size()},
        std::uint64_t{good.size()} - 8, std::uint64_t{99'999'999}, std::uint64_t{1} << 40,
        std::uint64_t{1} << 63, ~std::uint64_t{0}, ~std::uint64_t{0} - 7}) {
    std::string bad = good;
    std::memcpy(bad.data(), &lie, 8);
    spill(folder / "bad", sealed(bad));
    EXPECT_EQ(error_of([&] { load<double>(folder / "bad"); }).code(), ErrorCode::bad_data) << lie;
  }
}

/// Anything may be done to the bytes, checksum made right again: the file is read or refused by an
/// Error; nothing else may happen (the sanitizers watch).
TEST(ModelFile, RandomDamageNeverDoesMoreThanAnError) {
  Folder folder;
  Toy<double>(some_csr<double>()).save(folder / "csr");
  Toy<double>(some_matrix<double>(3, 2)).save(folder / "dense");
  const std::vector<std::string> originals{slurp(folder / "csr"), slurp(folder / "dense")};
  const auto survives = [&](const std::string& bytes) {
    spill(folder / "bad", bytes);
    try {
      (void)load<double>(folder / "bad").points_.to_dense();
    } catch (const Error& error) {
      RC_ASSERT(error.code() == ErrorCode::bad_data);
    }
  };
  EXPECT_TRUE(rc::check("bytes changed, cut out and put in", [&] {
    std::string bytes = originals[*rc::gen::inRange<std::size_t>(0, 2)];
    const int edits = *rc::gen::inRange(1, 6);
    for (int e = 0; e < edits; ++e) {
      const auto at = *rc::gen::inRange<std::size_t>(0, bytes.size());
      switch (*rc::gen::inRange(0, 4)) {
        case 0:
          bytes[at] = *rc::gen::arbitrary<char>();
          break;
        case 1:
          bytes.erase(at, *rc::gen::inRange<std::size_t>(1, 40));
          break;
        case 2:
          bytes.insert(at, *rc::gen::arbitrary<std::string>());
          break;
        default:
          bytes[at] = *rc::gen::elementOf(std::string("0123456789{}[],:\"eE-."));
          break;
      }
      if (bytes.empty()) bytes.push_back('x');
    }
    survives(sealed(bytes));
  }));
  EXPECT_TRUE(rc::check("numbers of the header replaced", [&] {
    auto parts = Parts::of(originals[*rc::gen::inRange<std::size_t>(0, 2)]);
    std::vector<std::string> names;
    for (const auto& [name, entry] : parts.header.items())
      if (name != "__metadata__") names.push_back(name);
    const auto number =
        rc::gen::oneOf(rc::gen::arbitrary<std::uint64_t>(), rc::gen::inRange<std::uint64_t>(0, 200),
                       rc::gen::element<std::uint64_t>(0, 1ULL << 32, 1ULL << 61, 1ULL << 62, ~0ULL));
    auto& entry = parts.header[*rc::gen::elementOf(names)];
    const int what = *rc::gen::inRange(0, 3);
    if (what == 0) entry["data_offsets"][*rc::gen::inRange<std::size_t>(0, 2)] = *number;
    if (what == 1) entry["shape"][0] = *number;
    if (what == 2) entry["shape"] = *rc::gen::container<std::vector<std::uint64_t>>(number);
    survives(parts.bytes());
  }));
  EXPECT_TRUE(rc::check("a parameter replaced", [&] {
    auto parts = Parts::of(originals[*rc::gen::inRange<std::size_t>(0, 2)]);
    parts.change_parameters([](json& parameters) {
      const json flat = parameters.flatten();
      const auto place =
          std::next(flat.begin(), *rc::gen::inRange<Index>(0, static_cast<Index>(flat.size())));
      const std::vector<json> others{nullptr,       true,    -1,   0,  1,     1000,   1ULL << 40,
                                     ~0ULL,         1e300,   -0.5, "", "inf", "text", json::object(),
                                     json::array(), {1, "x"}};
      parameters[json::json_pointer(place.key())] = others[*rc::gen::inRange<std::size_t>(0, others.size())];
    });
    survives(parts.bytes());
  }));
  EXPECT_TRUE(rc::check("the data replaced", [&] {
    auto parts = Parts::of(originals[*rc::gen::inRange<std::size_t>(0, 2)]);
    for (int e = *rc::gen::inRange(1, 10); e > 0; --e)
      parts.data[*rc::gen::inRange<std::size_t>(0, parts.data.size())] = *rc::gen::arbitrary<char>();
    survives(parts.bytes());
  }));
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
