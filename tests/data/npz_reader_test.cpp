// Reading npz: which array is meant, labels in an array of their own, stored and deflated, damage.
#include "data/npy_header.hpp"
#include "data/temporary_file.hpp"
#include "expect_error.hpp"

#include <mercer/dataset.hpp>

#include <rapidcheck/gtest.h>
#include <zip.h>

namespace mercer {
namespace {

using test::error_of;
using test::expect_contains;
using test::TemporaryFile;

struct Entry {
  std::string name, bytes;
};

std::string numbers(const std::vector<double>& values, const std::vector<Index>& shape) {
  return format_npy_header("<f8", shape) +
         std::string(reinterpret_cast<const char*>(values.data()), 8 * values.size());
}

void write_zip(const std::string& path, const std::vector<Entry>& entries, bool deflate) {
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  for (const Entry& e : entries) {
    const auto index = zip_file_add(archive, e.name.c_str(),
                                    zip_source_buffer(archive, e.bytes.data(), e.bytes.size(), 0), 0);
    zip_set_file_compression(archive, static_cast<zip_uint64_t>(index),
                             deflate ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0);
  }
  zip_close(archive);
}

const Entry images{"images.npy", numbers({1, 2, 3, 4, 5, 6, 7, 8}, {2, 2, 2})};
const Entry labels{"labels.npy", numbers({7, 3}, {2})};
const Matrix<double> expected = (Matrix<double>(2, 4) << 1, 2, 3, 4, 5, 6, 7, 8).finished();

TEST(Npz, StoredAndDeflatedAreTheSame) {
  for (const bool deflate : {false, true}) {
    const TemporaryFile file(".npz");
    write_zip(file.path(), {images}, deflate);
    EXPECT_EQ(read_dataset<double>(file.path()).samples.to_dense(), expected);
    EXPECT_EQ(read_dataset<float>(file.path()).samples.to_dense(), expected.cast<float>());
  }
}

TEST(Npz, AnArrayIsChosenByName) {
  const TemporaryFile file(".npz");
  write_zip(file.path(), {images, labels}, true);
  EXPECT_EQ(read_dataset<double>(file.path() + ":images").samples.to_dense(), expected);
  EXPECT_EQ(read_dataset<double>(file.path() + ":labels").samples.to_dense(),
            (Matrix<double>(2, 1) << 7, 3).finished());
  const Error e = error_of([&] { (void)read_dataset<double>(file.path() + ":pictures"); });
  EXPECT_EQ(e.code(), ErrorCode::usage);
  expect_contains(e.what(), "no array 'pictures' (arrays: images (2 x 2 x 2), labels (2))");
}

TEST(Npz, WithoutANameTheOnlyTableIsMeant) {
  const TemporaryFile file(".npz");
  write_zip(file.path(), {labels, images}, true);
  EXPECT_EQ(read_dataset<double>(file.path()).samples.to_dense(), expected);
  write_zip(file.path(), {images, {"more.npy", numbers({1, 2}, {1, 2, 1})}}, true);
  const Error e = error_of([&] { (void)read_dataset<double>(file.path()); });
  EXPECT_EQ(e.code(), ErrorCode::usage);
  expect_contains(e.what(), "images (2 x 2 x 2), more (1 x 2 x 1)");
}

TEST(Npz, TheLabelMayBeAnArrayOfItsOwn) {
  const TemporaryFile file(".npz");
  write_zip(file.path(), {images, labels}, true);
  for (const std::string& path : {file.path(), file.path() + ":images"}) {
    const auto d = read_dataset<double>(path, {.label = "labels"});
    EXPECT_EQ(d.samples.to_dense(), expected);
    EXPECT_EQ(d.label->column, "labels");
    EXPECT_EQ(d.label->values, (std::vector<double>{7, 3}));
    EXPECT_EQ(d.label->codes, (std::vector<std::int32_t>{1, 0}));
  }
  const auto by_column = read_dataset<double>(file.path(), {.label = "-1"});
  EXPECT_EQ(by_column.label->values, (std::vector<double>{4, 8}));
  write_zip(file.path(), {images, {"labels.npy", numbers({1, 2, 3}, {3})}}, true);
  expect_contains(error_of([&] { (void)read_dataset<double>(file.path(), {.label = "labels"}); }).what(),
                  "3 labels in 'labels' for 2 samples");
}

TEST(Npz, TextLabelsKeepTheirWords) {
  const std::u32string words = U"b\u00e9a\0";
  const TemporaryFile file(".npz");
  write_zip(file.path(),
            {images,
             {"kind.npy",
              format_npy_header("<U2", {2}) + std::string(reinterpret_cast<const char*>(words.data()), 16)}},
            true);
  const auto d = read_dataset<double>(file.path(), {.label = "kind"});
  EXPECT_EQ(d.label->names, (std::vector<std::string>{"a", "b\xc3\xa9"}));
}

TEST(Npz, DamageIsAClearError) {
  const TemporaryFile file(".npz", "not a zip at all");
  expect_contains(error_of([&] { (void)read_dataset<double>(file.path()); }).what(), "damaged npz file");
  write_zip(file.path(), {images}, false);
  std::string bytes = file.bytes();
  bytes[250] ^= 1;  // in the data: only the checksum can know
  file.write(bytes);
  const Error e = error_of([&] { (void)read_dataset<double>(file.path()); });
  EXPECT_EQ(e.code(), ErrorCode::bad_data);
  write_zip(file.path(), {{"readme.txt", "hello"}}, true);
  expect_contains(error_of([&] { (void)read_dataset<double>(file.path()); }).what(), "no arrays");
}

RC_GTEST_PROP(Npz, RandomDamageIsReadOrRefusedButNeverCrashes, ()) {
  static const std::string whole = [] {
    const TemporaryFile file(".npz");
    write_zip(file.path(), {images, labels}, true);
    return file.bytes();
  }();
  std::string bytes = whole;
  const auto hits = *rc::gen::inRange(1, 8);
  for (int i = 0; i < hits; ++i)
    bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = *rc::gen::arbitrary<char>();
  if (*rc::gen::inRange(0, 4) == 0) bytes.resize(*rc::gen::inRange<std::size_t>(0, bytes.size()));
  const TemporaryFile file(".npz");
  file.write(bytes);
  try {
    (void)read_dataset<double>(file.path(), {.label = "labels"});
  } catch (const Error& e) {
    RC_ASSERT(std::string(e.what()).find(file.path()) == 0);
  }
}

}  // namespace
}  // namespace mercer
