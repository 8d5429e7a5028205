// Reading npy: every type and order, without copying where that is possible, and never a crash.
#include "data/temporary_file.hpp"
#include "expect_error.hpp"

#include <mercer/dataset.hpp>

#include <fmt/format.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace mercer {
namespace {

using test::error_of;
using test::expect_contains;
using test::TemporaryFile;

std::string npy(const std::string& dictionary, const std::string& data, int version = 1) {
  std::string out("\x93NUMPY");
  out += static_cast<char>(version);
  out += '\0';
  std::string header = dictionary;
  const std::size_t start = version == 1 ? 10 : 12;
  header.resize((start + header.size()) / 64 * 64 + 64 - start - 1, ' ');
  header += '\n';
  for (std::size_t i = 0; i < start - 8; ++i) out += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return out + header + data;
}

std::string dictionary(const std::string& descr, const std::string& shape, bool fortran = false) {
  return fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", descr,
                     fortran ? "True" : "False", shape);
}

template <class S>
std::string raw(const std::vector<S>& values, bool swapped = false) {
  std::string out;
  for (const S value : values) {
    std::string bytes(sizeof(S), '\0');
    std::memcpy(bytes.data(), &value, sizeof(S));
    if (swapped) std::reverse(bytes.begin(), bytes.end());
    out += bytes;
  }
  return out;
}

Matrix<double> read(const std::string& bytes, const ReadOptions& options = {}) {
  const TemporaryFile file(".npy", bytes);
  return read_dataset<double>(file.path(), options).samples.to_dense();
}

std::string message_of(const std::string& bytes, const ReadOptions& options = {}) {
  const TemporaryFile file(".npy");
  file.write(bytes);
  const Error e = error_of([&] { (void)read_dataset<double>(file.path(), options); });
  EXPECT_EQ(e.code(), ErrorCode::bad_data);
  return e.what();
}

const Matrix<double> expected = (Matrix<double>(2, 3) << 1, 2, 3, 4, 5, 6).finished();

template <class S>
void expect_type(const std::string& letter) {
  const std::vector<S> values{1, 2, 3, 4, 5, 6}, by_columns{1, 4, 2, 5, 3, 6};
  for (const bool swapped : {false, true}) {
    const std::string descr = (sizeof(S) == 1 ? "|" : swapped ? ">" : "<") + letter;
    EXPECT_EQ(read(npy(dictionary(descr, "(2, 3)"), raw(values, swapped))), expected) << descr;
    EXPECT_EQ(read(npy(dictionary(descr, "(2, 3)", true), raw(by_columns, swapped))), expected) << descr;
  }
}

TEST(Npy, EveryNumericTypeOrderAndEndianness) {
  expect_type<std::int8_t>("i1");
  expect_type<std::int16_t>("i2");
  expect_type<std::int32_t>("i4");
  expect_type<std::int64_t>("i8");
  expect_type<std::uint8_t>("u1");
  expect_type<std::uint16_t>("u2");
  expect_type<std::uint32_t>("u4");
  expect_type<std::uint64_t>("u8");
  expect_type<float>("f4");
  expect_type<double>("f8");
}

TEST(Npy, BoolsAreZeroAndOne) {
  EXPECT_EQ(read(npy(dictionary("|b1", "(1, 2)"), std::string("\x01\x00", 2))),
            (Matrix<double>(1, 2) << 1, 0).finished());
}

TEST(Npy, EveryVersionIsRead) {
  for (const int version : {1, 2, 3})
    EXPECT_EQ(read(npy(dictionary("<f8", "(2, 3)"), raw<double>({1, 2, 3, 4, 5, 6}), version)), expected);
}

TEST(Npy, OneAxisIsOneColumn) {
  EXPECT_EQ(read(npy(dictionary("<f8", "(3,)"), raw<double>({1, 2, 3}))),
            (Matrix<double>(3, 1) << 1, 2, 3).finished());
}

TEST(Npy, FurtherAxesAreFlattenedInCOrder) {
  const std::vector<double> c_order{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  std::vector<double> fortran_order(12);
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 2; ++k) fortran_order[i + 2 * (j + 3 * k)] = c_order[(i * 3 + j) * 2 + k];
  const auto a = read(npy(dictionary("<f8", "(2, 3, 2)"), raw(c_order)));
  EXPECT_EQ(a.rows(), 2);
  EXPECT_EQ(a(1, 5), 11);
  EXPECT_EQ(read(npy(dictionary("<f8", "(2, 3, 2)", true), raw(fortran_order))), a);
}

TEST(Npy, TheSameTypeIsReadOnceNotCopied) {
  const TemporaryFile file(".npy", npy(dictionary("<f8", "(2, 3)"), raw<double>({1, 2, 3, 4, 5, 6})));
  const auto d = read_dataset<double>(file.path());
  // The file's bytes begin at a page; the data lies behind the header of 128 bytes.
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(d.samples.dense().data()) % 4096, 128U);
}

TEST(Npy, WhatHappensToTheFileLaterDoesNotReachTheData) {
  const std::string bytes = npy(dictionary("<f8", "(2, 3)"), raw<double>({1, 2, 3, 4, 5, 6}));
  const TemporaryFile file(".npy", bytes);
  const auto d = read_dataset<double>(file.path());
  std::fstream(file.path(), std::ios::in | std::ios::out | std::ios::binary).seekp(128) << "other numbers";
  EXPECT_EQ(d.samples.to_dense(), expected);
  std::filesystem::resize_file(file.path(), 0);  // a mapping would end the process here
  EXPECT_EQ(d.samples.to_dense(), expected);
  std::filesystem::remove(file.path());
  EXPECT_EQ(d.samples.to_dense(), expected);
}

TEST(Npy, ALastLabelColumnLeavesTheRestWhereItIs) {
  const TemporaryFile file(".npy", npy(dictionary("<f8", "(2, 3)"), raw<double>({1, 2, 3, 4, 5, 6})));
  for (const auto& [label, left] :
       {std::pair<const char*, Matrix<double>>{"-1", (Matrix<double>(2, 2) << 1, 2, 4, 5).finished()},
        {"0", (Matrix<double>(2, 2) << 2, 3, 5, 6).finished()},
        {"1", (Matrix<double>(2, 2) << 1, 3, 4, 6).finished()}}) {
    const auto d = read_dataset<double>(file.path(), {.label = label});
    EXPECT_EQ(d.samples.to_dense(), left);
    EXPECT_EQ(d.label->codes, (std::vector<std::int32_t>{0, 1}));
  }
  EXPECT_EQ(read_dataset<double>(file.path(), {.label = "-1"}).label->names,
            (std::vector<std::string>{"3", "6"}));
  EXPECT_EQ(error_of([&] { (void)read_dataset<double>(file.path(), {.label = "kind"}); }).code(),
            ErrorCode::usage);
}

TEST(Npy, MissingAndInfiniteValuesNameRowAndColumn) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const auto bytes = npy(dictionary("<f8", "(3, 2)"), raw<double>({1, 2, 3, nan, 5, 6}));
  expect_contains(message_of(bytes),
                  "row 1, column 1: nan is not a number (drop such rows with --missing drop)");
  EXPECT_EQ(read(bytes, {.missing = Missing::drop}), (Matrix<double>(2, 2) << 1, 2, 5, 6).finished());
  EXPECT_EQ(read(bytes, {.missing = Missing::mean}), (Matrix<double>(3, 2) << 1, 2, 3, 4, 5, 6).finished());
  const auto bad = npy(dictionary("<f8", "(3, 2)"), raw<double>({1, nan, 3, 4, -inf, 6}));
  for (const Missing policy : {Missing::drop, Missing::mean})
    expect_contains(message_of(bad, {.missing = policy}), "row 2, column 0: -inf is not a finite number");
}

TEST(Npy, OtherTypesAreRefusedByName) {
  for (const char* descr : {"<f2", "<c16", "|O", "<U4", "|S3", "<M8[ns]", "<f16"}) {
    const std::string message = message_of(npy(dictionary(descr, "(1,)"), std::string(16, '\0'))
                                               .substr(0, 128 + (descr == std::string("<U4")   ? 16
                                                                 : descr == std::string("|S3") ? 3
                                                                                               : 16)));
    expect_contains(message, descr);
    expect_contains(message, "is not read");
  }
  expect_contains(
      message_of(npy("{'descr': [('x', '<f8'), ('y', '<f8')], 'fortran_order': False, 'shape': (1,), }",
                     std::string(16, '\0'))),
      "records");
}

TEST(Npy, CorruptionIsAClearError) {
  const std::string data = raw<double>({1, 2, 3, 4, 5, 6});
  expect_contains(message_of("PK\x03\x04 something else"), "not a npy file");
  expect_contains(message_of("\x93NUMPY\x01"), "cut off");
  expect_contains(message_of(npy(dictionary("<f8", "(2, 3)"), data).substr(0, 60)), "cut off");
  expect_contains(message_of(npy(dictionary("<f8", "(2, 3)"), data.substr(0, 47))),
                  "needs 48 bytes, the file holds 47");
  expect_contains(message_of(npy(dictionary("<f8", "(2, 3)"), data + "x")), "1 bytes too many");
  expect_contains(message_of(npy(dictionary("<f8", "(-2, 3)"), data)), "negative shape");
  expect_contains(message_of(npy(dictionary("<f8", "(4611686018427387904, 4)"), data)),
                  "needs far more bytes");
  expect_contains(message_of(npy(dictionary("<f8", "(99999999999999999999, 4)"), data)), "shape");
  expect_contains(message_of(npy(dictionary("<f8", "(1000000, 1000000)"), data)),
                  "needs 8000000000000 bytes");
  expect_contains(message_of(npy(dictionary("<f8", "(0, 9223372036854775807, 9)"), "")), "empty");
  expect_contains(message_of(npy(dictionary("<f8", "(0, 3)"), "")), "empty");
  expect_contains(message_of(npy(dictionary("<f8", "()"), raw<double>({1}))), "one number");
  expect_contains(message_of(npy("{'descr': '<f8', 'shape': (6,), }", data)), "missing");
  expect_contains(message_of(npy("{'descr': '<f8', ", data)), "damaged npy header");
  expect_contains(message_of(npy(dictionary("<f8", "(2, 3)"), data, 9)), "unknown npy version 9");
  expect_contains(message_of(""), "empty");
}

RC_GTEST_PROP(Npy, RandomDamageIsReadOrRefusedButNeverCrashes, ()) {
  std::string bytes = npy(dictionary("<f8", "(2, 3)"), raw<double>({1, 2, 3, 4, 5, 6}));
  const auto hits = *rc::gen::inRange(1, 6);
  for (int i = 0; i < hits; ++i) {
    const auto at =
        *rc::gen::inRange<std::size_t>(0, *rc::gen::elementOf(std::vector<std::size_t>{bytes.size(), 70}));
    bytes[at] = *rc::gen::arbitrary<char>();
  }
  if (*rc::gen::arbitrary<bool>()) bytes.resize(*rc::gen::inRange<std::size_t>(0, bytes.size()));
  const TemporaryFile file(".npy");
  file.write(bytes);
  try {
    const auto d = read_dataset<double>(file.path(), {.missing = Missing::mean});
    RC_ASSERT(d.samples.rows() * d.samples.cols() <= static_cast<Index>(bytes.size()));
  } catch (const Error& e) {
    RC_ASSERT(std::string(e.what()).find(file.path()) == 0);
  }
}

}  // namespace
}  // namespace mercer
