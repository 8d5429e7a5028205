// Tensors to files and back: npy and npz of any order, in C and Fortran order, of every element type; what is
// mapped and what is not; and what cannot be read or written.
#include "base/random.hpp"
#include "data/npy_header.hpp"
#include "data/temporary_file.hpp"
#include "expect_error.hpp"
#include "tensor/temporary_folder.hpp"

#include <mercer/tensor_file.hpp>

#include <zip.h>

#include <cmath>
#include <limits>
#include <sstream>

namespace mercer {
namespace {

using test::error_of;
using test::expect_contains;
using test::TemporaryFile;
using test::TemporaryFolder;

const std::vector<Shape> shapes = {{7}, {3, 4}, {2, 3, 4}, {3, 1, 2, 5}, {2, 3, 1, 2, 3}};

template <class T>
Tensor<T> random_tensor(const Shape& shape) {
  Random random(11);
  Tensor<T> out(shape);
  for (T& value : out.values()) value = static_cast<T>(random.normal());
  return out;
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), sizeof(T) * values.size()};
}

std::string fortran(std::string npy) {
  const std::string no = "'fortran_order': False", yes = "'fortran_order': True ";
  return npy.replace(npy.find(no), no.size(), yes);
}

template <class T>
class TensorFile : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(TensorFile, Precisions);

TYPED_TEST(TensorFile, WhatIsWrittenComesBack) {
  for (const auto* ending : {".npy", ".npz"})
    for (const Shape& shape : shapes) {
      const auto x = random_tensor<TypeParam>(shape);
      const TemporaryFile file(ending);
      write_tensor<TypeParam>(file.path(), x);
      const auto back = read_tensor<TypeParam>(file.path());
      ASSERT_EQ(back.shape(), shape);
      EXPECT_EQ(Tensor<TypeParam>(back).values(), x.values()) << ending << to_string(shape);
    }
}

TYPED_TEST(TensorFile, ViewsOfAnyStridesAreWrittenAsTheyLook) {
  const auto x = random_tensor<TypeParam>({4, 5, 6});
  const TemporaryFile file(".npy");
  for (const auto& view : {x.view().slice(1, 2), x.view().range(2, 1, 3), x.view().reordered({2, 0, 1}),
                           x.view().reordered({2, 1, 0}), x.view().range(0, 2, 1).slice(2, 5)}) {
    write_tensor(file.path(), view);
    const auto back = read_tensor<TypeParam>(file.path());
    ASSERT_EQ(back.shape(), view.shape());
    EXPECT_EQ(Tensor<TypeParam>(back).values(), Tensor<TypeParam>(view).values());
  }
}

TEST(Npy, IsWrittenInCOrder) {
  Tensor<double> x({2, 3});
  for (Index i = 0; i < 2; ++i)
    for (Index j = 0; j < 3; ++j) x({i, j}) = static_cast<double>(10 * i + j);
  const TemporaryFile file(".npy");
  write_tensor<double>(file.path(), x);
  EXPECT_EQ(file.bytes(),
            format_npy_header("<f8", {2, 3}) + bytes_of(std::vector<double>{0, 1, 2, 10, 11, 12}));
}

TEST(Npy, LargeTensorsAreWrittenInPieces) {
  for (const Shape& shape : {Shape{2, 1100000}, {1100000, 2}, {2, 1100000, 2}}) {
    Tensor<float> x(shape);
    for (Index i = 0; i < x.count(); ++i) x.data()[i] = static_cast<float>(i);
    const TemporaryFile file(".npy");
    write_tensor<float>(file.path(), x);
    EXPECT_EQ(Tensor<float>(read_tensor<float>(file.path())).values(), x.values()) << to_string(shape);
  }
}

TEST(Npy, ALongFiberIsWrittenInPieces) {
  Tensor<float> x({2, 2200000});
  for (Index i = 0; i < x.count(); ++i) x.data()[i] = static_cast<float>(i);
  const TemporaryFile file(".npy");
  write_tensor(file.path(), x.view().slice(0, 1));
  const auto back = read_tensor<float>(file.path());
  ASSERT_EQ(back.shape(), Shape{2200000});
  for (Index i = 0; i < back.count(); ++i) ASSERT_EQ(back.data()[i], static_cast<float>(2 * i + 1));
}

TEST(Npy, ManyAxesNeedALongerHeader) {
  const Shape shape(20, 1);
  Tensor<double> x(shape);
  x.data()[0] = 4;
  const TemporaryFile file(".npy");
  write_tensor<double>(file.path(), x);
  EXPECT_EQ(file.bytes().size() % 64, 8U);
  EXPECT_EQ(read_tensor<double>(file.path()).shape(), shape);
}

/// Does this address lie in a mapping of the file?
bool is_mapped_from(const void* address, const std::string& path) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find(std::filesystem::path(path).filename().string()) == std::string::npos) continue;
    std::uintptr_t first = 0, last = 0;
    char dash = 0;
    std::istringstream(line) >> std::hex >> first >> dash >> last;
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    if (first <= at && at < last) return true;
  }
  return false;
}

TEST(Npy, IsACopyWhichOutlivesItsFile) {
  const std::vector<double> values = {0, 1, 2, 10, 11, 12, 20, 21, 22, 30, 31, 32};
  const std::string npy = format_npy_header("<f8", {2, 3, 2}) + bytes_of(values);
  for (const bool fortran_order : {false, true}) {
    const TemporaryFile file(".npy", fortran_order ? fortran(npy) : npy);
    const auto x = read_tensor<double>(file.path());
    EXPECT_FALSE(is_mapped_from(x.data(), file.path())) << "a file that shrinks would end the process";
    EXPECT_EQ(x.strides(), fortran_order ? (Shape{1, 2, 6}) : (Shape{6, 2, 1}));
    EXPECT_FALSE(is_mapped_from(read_tensor<float>(file.path()).data(), file.path()));
    std::filesystem::remove(file.path());
    EXPECT_EQ(x({1, 2, 0}), fortran_order ? values[1 + 2 * 2] : values[6 + 2 * 2]);
  }
}

template <class S>
void expect_converted(const std::string& descr) {
  std::vector<S> values(24);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<S>(5 * i);
  const std::string npy = format_npy_header(descr, {2, 3, 4}) + bytes_of(values);
  for (const bool fortran_order : {false, true}) {
    const TemporaryFile file(".npy", fortran_order ? fortran(npy) : npy);
    const auto x = read_tensor<float>(file.path());
    const auto y = read_tensor<double>(file.path());
    for (Index i = 0; i < 2; ++i)
      for (Index j = 0; j < 3; ++j)
        for (Index k = 0; k < 4; ++k) {
          const double expected =
              static_cast<double>(5 * (fortran_order ? i + 2 * (j + 3 * k) : 4 * (3 * i + j) + k));
          ASSERT_EQ(x({i, j, k}), static_cast<float>(expected)) << descr;
          ASSERT_EQ(y({i, j, k}), expected) << descr;
        }
  }
}

TEST(Npy, OtherNumbersAreConvertedInBothOrders) {
  expect_converted<std::uint8_t>("|u1");
  expect_converted<std::int8_t>("|i1");
  expect_converted<std::uint16_t>("<u2");
  expect_converted<std::int32_t>("<i4");
  expect_converted<std::int64_t>("<i8");
  expect_converted<float>("<f4");
  expect_converted<double>("<f8");
}

TEST(Npy, BytesInTheOtherOrderAreSwapped) {
  const TemporaryFile file(".npy", format_npy_header(">i2", {2}) + std::string("\x01\x02\xff\xff", 4));
  const auto x = read_tensor<double>(file.path());
  EXPECT_EQ(x({0}), 0x102);
  EXPECT_EQ(x({1}), -1);
}

TEST(Npy, ManyElementsAreConvertedOnSeveralThreads) {
  std::vector<std::int32_t> values(200000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int32_t>(i);
  const TemporaryFile file(".npy", format_npy_header("<i4", {2, 1000, 100}) + bytes_of(values));
  const auto x = read_tensor<double>(file.path(), {.threads = 3});
  for (Index i = 0; i < x.count(); ++i) ASSERT_EQ(x.data()[i], static_cast<double>(i));
}

TEST(Npy, WhatIsNoArrayOfNumbersSaysSo) {
  const auto message = [](const std::string& npy) {
    const TemporaryFile file(".npy", npy);
    const Error e = error_of([&] { (void)read_tensor<double>(file.path()); });
    EXPECT_EQ(e.code(), ErrorCode::bad_data);
    expect_contains(e.message(), file.path());
    return std::string(e.what());
  };
  std::string scalar = format_npy_header("<f8", {1}) + bytes_of(std::vector<double>{1});
  scalar.replace(scalar.find("(1,)"), 4, "()  ");
  expect_contains(message(scalar), "one number, not an array");
  expect_contains(message(format_npy_header("<f8", {3, 0, 2})), "the array is empty");
  expect_contains(message(format_npy_header("<c8", {1}) + std::string(8, '\0')), "complex numbers");
  expect_contains(message(format_npy_header("<f8", {2, 2, 2}) + "12345678"), "needs 64 bytes");
  expect_contains(message("i,j\n1,2\n"), "not a npy file");
}

TEST(Npy, MissingValuesAreReadAsTheyAre) {
  const TemporaryFile file(".npy", format_npy_header("<f8", {2}) + bytes_of(std::vector<double>{1, NAN}));
  EXPECT_TRUE(std::isnan(read_tensor<double>(file.path())({1})));
}

void write_zip(const std::string& path, const std::vector<std::pair<std::string, std::string>>& entries) {
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  for (const auto& e : entries)
    zip_file_add(archive, (e.first + ".npy").c_str(),
                 zip_source_buffer(archive, e.second.data(), e.second.size(), 0), 0);
  zip_close(archive);
}

std::string filled(const Shape& shape, double value) {
  Index count = 1;
  for (const Index size : shape) count *= size;
  return format_npy_header("<f8", shape) +
         bytes_of(std::vector<double>(static_cast<std::size_t>(count), value));
}

TEST(Npz, TheArrayIsTheOneNamedOrTheOnlyTensor) {
  const TemporaryFile file(".npz");
  write_zip(file.path(),
            {{"stack", filled({2, 3, 4}, 1)}, {"weights", filled({3, 4}, 2)}, {"y", filled({2}, 3)}});
  EXPECT_EQ(read_tensor<double>(file.path()).shape(), (Shape{2, 3, 4}));
  EXPECT_EQ(read_tensor<double>(file.path() + ":weights").shape(), (Shape{3, 4}));
  write_zip(file.path(), {{"weights", filled({3, 4}, 2)}, {"y", filled({2}, 3)}});
  EXPECT_EQ(read_tensor<double>(file.path()).shape(), (Shape{3, 4}));
  write_zip(file.path(), {{"tensor", filled({5, 2}, 1)}, {"more", filled({2, 3, 4}, 2)}});
  EXPECT_EQ(read_tensor<double>(file.path()).shape(), (Shape{5, 2}));
}

TEST(Npz, SeveralTensorsAreAskedAbout) {
  const TemporaryFile file(".npz");
  write_zip(file.path(), {{"a", filled({2, 1, 2}, 1)}, {"b", filled({1, 1, 3}, 2)}});
  Error e = error_of([&] { (void)read_tensor<double>(file.path()); });
  EXPECT_EQ(e.code(), ErrorCode::usage);
  expect_contains(e.what(), "which array is the tensor? (say " + file.path() +
                                ":NAME; arrays: a (2 x 1 x 2), b (1 x 1 x 3))");
  e = error_of([&] { (void)read_tensor<double>(file.path() + ":c"); });
  EXPECT_EQ(e.code(), ErrorCode::usage);
  expect_contains(e.what(), "no array 'c' (arrays: a (2 x 1 x 2), b (1 x 1 x 3))");
}

TEST(Npz, TheNameOfTheArrayMayBeChosen) {
  const TemporaryFile file(".npz");
  const auto x = random_tensor<double>({2, 2, 2});
  write_tensor<double>(file.path() + ":cube", x);
  EXPECT_EQ(Tensor<double>(read_tensor<double>(file.path() + ":cube")).values(), x.values());
  EXPECT_EQ(error_of([&] { (void)read_tensor<double>(file.path() + ":tensor"); }).code(), ErrorCode::usage);
}

TEST(Npz, DamageIsFound) {
  const TemporaryFile file(".npz");
  write_tensor<double>(file.path(), random_tensor<double>({3, 3, 3}));
  std::string bytes = file.bytes();
  bytes[300] = static_cast<char>(bytes[300] ^ 1);
  file.write(bytes);
  const Error e = error_of([&] { (void)read_tensor<double>(file.path()); });
  EXPECT_EQ(e.code(), ErrorCode::bad_data);
  expect_contains(e.message(), "damaged npz file");
}

TEST(TensorFileNames, TheEndingTellsSparseFromDense) {
  for (const auto* path : {"a.tns", "b/c.TNS", "d.tns.gz"}) EXPECT_TRUE(is_sparse_tensor_file(path)) << path;
  for (const auto* path : {"a.npy", "tns", "a.tns.npz", "a.gz"})
    EXPECT_FALSE(is_sparse_tensor_file(path)) << path;
}

TEST(TensorFileNames, OthersAreRefused) {
  for (const std::string ending : {".csv", ".npy.gz", ".tensor", ""}) {
    const TemporaryFile file(ending, "1");
    const Error e = error_of([&] { (void)read_tensor<double>(file.path()); });
    EXPECT_EQ(e.code(), ErrorCode::usage) << ending;
    expect_contains(e.hint(), ".tns");
    EXPECT_EQ(error_of([&] { write_tensor<double>(file.path(), Tensor<double>({1})); }).code(),
              ErrorCode::usage);
    EXPECT_EQ(file.bytes(), "1");
  }
  EXPECT_EQ(error_of([&] { (void)read_tensor<double>("-"); }).code(), ErrorCode::no_input);
}

TEST(TensorFileNames, WhatIsNotThereSaysSo) {
  for (const auto* path : {"/no/such.npy", "/no/such.npz:x", "/no/such/folder", "/no/such.csv"}) {
    const Error e = error_of([&] { (void)read_tensor<double>(path); });
    EXPECT_EQ(e.code(), ErrorCode::no_input) << path;
    expect_contains(e.message(), "no such file");
  }
  EXPECT_EQ(error_of([&] { (void)read_sparse_tensor<double>("/no/such.tns"); }).code(), ErrorCode::no_input);
}

TEST(TensorFileNames, SparseAndDenseAreNotMixedUp) {
  const TemporaryFile sparse(".tns", "1 1 1 2\n");
  Error e = error_of([&] { (void)read_tensor<double>(sparse.path()); });
  EXPECT_EQ(e.code(), ErrorCode::usage);
  expect_contains(e.message(), "a sparse tensor where a dense one is needed");
  const TemporaryFile dense(".npy", filled({2, 2}, 1));
  e = error_of([&] { (void)read_sparse_tensor<double>(dense.path()); });
  EXPECT_EQ(e.code(), ErrorCode::usage);
  expect_contains(e.message(), "not a sparse tensor");
}

TEST(TensorWriting, LeavesNothingBehindWhenItFails) {
  const TemporaryFolder folder;
  Tensor<double> x({2, 2});
  x({0, 1}) = 1;
  x({1, 1}) = std::numeric_limits<double>::infinity();
  Error e = error_of([&] { write_tensor<double>(folder.path("x.tns"), x); });
  EXPECT_EQ(e.code(), ErrorCode::bad_data);
  expect_contains(e.what(), "x.tns: the value at (1, 1) is inf (.tns holds finite numbers; .npy holds any)");
  e = error_of([&] { write_tensor<double>(folder.path("zero.tns.gz"), Tensor<double>({3, 3})); });
  EXPECT_EQ(e.code(), ErrorCode::bad_data);
  expect_contains(e.message(), "there is no entry to write");
  const SparseTensor<double> sparse(x.view().slice(1, 0).range(0, 0, 1));
  EXPECT_EQ(error_of([&] { write_tensor(folder.path("x.npy"), sparse); }).code(), ErrorCode::usage);
  EXPECT_EQ(error_of([&] { write_tensor(folder.path("x.npy"), TensorView<double>()); }).code(),
            ErrorCode::usage);
  EXPECT_EQ(folder.files(), 0);
  e = error_of([&] { write_tensor<double>(folder.path("no/such/x.npz"), x); });
  EXPECT_EQ(e.code(), ErrorCode::cannot_create);
}

TEST(TensorWriting, LeavesOnlyTheFileWhenItSucceeds) {
  const TemporaryFolder folder;
  const auto x = random_tensor<double>({2, 3});
  write_tensor<double>(folder.path("x.npz"), x);
  write_tensor<double>(folder.path("x.npy"), x);
  write_tensor<double>(folder.path("x.tns"), x);
  EXPECT_EQ(folder.files(), 3);
}

}  // namespace
}  // namespace mercer
