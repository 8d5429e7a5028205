// Damage to model files: no changed byte, no truncation and no lie in the header goes unnoticed.
#include "model/toy_model.hpp"

namespace mercer {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

template <class T>
class DamagedFileOf : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(DamagedFileOf, Precisions);

// --- damage ---------------------------------------------------------------------------------------------

TYPED_TEST(DamagedFileOf, EveryChangedByteIsNoticed) {
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

TYPED_TEST(DamagedFileOf, EveryTruncationIsNoticed) {
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

TEST(DamagedFile, AChangedNumberIsAChecksumThatDoesNotMatch) {
  Folder folder;
  Toy<double>(some_matrix<double>(3, 2)).save(folder / "m");
  std::string bad = slurp(folder / "m");
  bad.back() = static_cast<char>(bad.back() ^ 1);
  spill(folder / "m", bad);
  const auto error = error_of([&] { load<double>(folder / "m"); });
  EXPECT_EQ(error.message(), (folder / "m") + " is damaged: its checksum does not match its contents");
}

TEST(DamagedFile, OtherFilesAreNotModels) {
  Folder folder;
  spill(folder / "x.csv", "a,b,c\n1,2,3\n4,5,6\n");
  spill(folder / "empty", "");
  spill(folder / "short", "{}");
  for (const std::string name : {"x.csv", "empty", "short"}) {
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
  for (const std::string name : {"absent", ""})  // the folder itself
    EXPECT_EQ(error_of([&] { ModelReader<double> reader(folder / name); }).code(), ErrorCode::no_input);
}

TEST(DamagedFile, AFileOfANewerFormatSaysSo) {
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

TEST(DamagedFile, LiesWithARightChecksumAreNoticedAndNamed) {
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

TEST(DamagedFile, AHeaderLengthThatLiesIsNoticed) {
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
TEST(DamagedFile, RandomDamageNeverDoesMoreThanAnError) {
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

}  // namespace
}  // namespace mercer
