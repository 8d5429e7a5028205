// A file of hundreds of megabytes passes through a small window: measured by the system in a process of
// its own.
#include "cases.hpp"
#include "data/temporary_file.hpp"

#include <mercer/row_source.hpp>

#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdlib>
#include <iostream>

namespace mercer {
namespace {

using test::TemporaryFile;

constexpr Index megabytes = 240;
constexpr Index allowed = 80;

/// Sanitizers keep their own books in the same memory.
bool memory_can_be_measured() { return !test::sanitized; }

Index peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

/// Ends the process: with 0 when all rows came and memory stayed small.
template <class T>
[[noreturn]] void read_and_exit(const TemporaryFile& file, Index expected) {
  Index count = 0;
  {
    const auto rows = open_rows<T>(file.path());
    for (auto piece = rows->next(); piece.rows() > 0; piece = rows->next()) count += piece.rows();
  }
  std::filesystem::remove(file.path());
  const Index peak = peak_megabytes();
  std::cerr << count << " rows, peak " << peak << " MB\n";
  std::_Exit(count == expected && peak < allowed ? 0 : 1);
}

class RowMemory : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!memory_can_be_measured()) GTEST_SKIP();
    ::testing::FLAGS_gtest_death_test_style = "threadsafe";  // the program again, with nothing else in it
  }
};

/// Zeros without blocks on the disk.
void write_zeros(const TemporaryFile& file, const std::string& descr, Index item, bool fortran, Index rows,
                 Index cols) {
  std::string head = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}, {}), }}", descr,
                                 fortran ? "True" : "False", rows, cols);
  head.resize(117, ' ');
  file.write(std::string("\x93NUMPY\x01\x00\x76\x00", 10) + head + '\n');
  std::filesystem::resize_file(file.path(), static_cast<std::uintmax_t>(128 + rows * cols * item));
}

TEST_F(RowMemory, OfALargeNpyStaysSmall) {
  constexpr Index cols = 100, rows = megabytes * 1000000 / 8 / cols;
  for (const bool fortran : {false, true})
    EXPECT_EXIT(
        {
          const TemporaryFile file(".npy");
          write_zeros(file, "<f8", 8, fortran, rows, cols);
          read_and_exit<double>(file, rows);
        },
        ::testing::ExitedWithCode(0), "rows");
}

TEST_F(RowMemory, OfALargeNpyOfAnotherTypeStaysSmall) {
  constexpr Index cols = 100, rows = megabytes * 1000000 / 4 / cols;
  EXPECT_EXIT(
      {
        const TemporaryFile file(".npy");
        write_zeros(file, "<i4", 4, false, rows, cols);
        read_and_exit<float>(file, rows);
      },
      ::testing::ExitedWithCode(0), "rows");
}

TEST_F(RowMemory, OfALargeTextStaysSmall) {
  EXPECT_EXIT(
      {
        const TemporaryFile file(".csv");
        std::string block;
        Index rows_a_block = 0;
        for (; block.size() < 1000000; ++rows_a_block)
          block += fmt::format("{},-2.25,3.125,{}.5,5,6.0625,7,8\n", rows_a_block, 1000 + rows_a_block);
        Index rows = 0;
        {
          std::ofstream out(file.path(), std::ios::binary);
          for (Index i = 0; i < megabytes; ++i, rows += rows_a_block) out << block;
        }
        read_and_exit<double>(file, rows);
      },
      ::testing::ExitedWithCode(0), "rows");
}

}  // namespace
}  // namespace mercer
