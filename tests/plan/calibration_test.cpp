// The calibration's cache: measured once, kept a month, and never a reason to fail.
#include "plan/calibration.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace mercer {
namespace {

namespace fs = std::filesystem;

constexpr MachineRates some_rates{1e11, 2e11, 1e9, 3e9, 3e10, 1e9};

class CalibrationTest : public ::testing::Test {
 protected:
  void SetUp() override {
    static std::atomic<int> counter{0};
    folder_ = fs::path(::testing::TempDir()) /
              ("mercer-cache-" + std::to_string(::getpid()) + "-" + std::to_string(counter++));
    file_ = folder_ / "mercer" / "calibration.json";
  }
  void TearDown() override { fs::remove_all(folder_); }

  Calibration calibration(const fs::path& file) {
    return Calibration(file, [this](const mercer::Run&) {
      ++measured_;
      return some_rates;
    });
  }
  nlohmann::json content() const { return nlohmann::json::parse(std::ifstream(file_)); }
  void write(const std::string& text) const {
    fs::create_directories(file_.parent_path());
    std::ofstream(file_) << text;
  }

  fs::path folder_, file_;
  int measured_ = 0;
};

TEST_F(CalibrationTest, IsMeasuredOnceAndFoundByTheNextProcess) {
  EXPECT_EQ(calibration(file_).rates({}), some_rates);
  EXPECT_EQ(calibration(file_).rates({}), some_rates);
  EXPECT_EQ(calibration(file_).known({}), some_rates);
  EXPECT_EQ(measured_, 1);
}

TEST_F(CalibrationTest, OfAnotherNumberOfThreadsIsAnotherOne) {
  (void)calibration(file_).rates({.threads = 1});
  EXPECT_FALSE(calibration(file_).known({.threads = 2}));
  (void)calibration(file_).rates({.threads = 2});
  EXPECT_EQ(measured_, 2);
  EXPECT_EQ(content().size(), 2);
  EXPECT_TRUE(calibration(file_).known({.threads = 1}));
}

TEST_F(CalibrationTest, AskingWhatIsKnownNeverMeasures) {
  EXPECT_FALSE(calibration(file_).known({}));
  EXPECT_FALSE(calibration({}).known({}));
  EXPECT_EQ(measured_, 0);
  EXPECT_FALSE(fs::exists(folder_));
}

TEST_F(CalibrationTest, ExpiresAfterAMonth) {
  (void)calibration(file_).rates({});
  auto json = content();
  const auto measured = json.begin().value()["measured"].get<std::int64_t>();
  for (const std::int64_t days : {29, 31, -1}) {
    json.begin().value()["measured"] = measured - days * 24 * 3600;
    write(json.dump());
    EXPECT_EQ(calibration(file_).known({}).has_value(), days == 29) << days;
  }
}

TEST_F(CalibrationTest, DamagedFilesAreIgnoredAndReplaced) {
  (void)calibration(file_).rates({});
  const std::string good = content().dump();
  auto wrong = content();
  wrong.begin().value()["gemm_double"] = -1;
  auto word = content();
  word.begin().value()["read_bytes"] = "fast";
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("[1, 2]"), std::string("\0\xff\x93", 3),
        good.substr(0, 60), std::string(R"({"a": 1})"), wrong.dump(), word.dump(),
        std::string(2000000, '[')}) {
    write(text);
    measured_ = 0;
    EXPECT_FALSE(calibration(file_).known({})) << text.substr(0, 80);
    EXPECT_EQ(calibration(file_).rates({}), some_rates);
    EXPECT_EQ(measured_, 1);
    EXPECT_TRUE(calibration(file_).known({}));
  }
}

TEST_F(CalibrationTest, AFolderThatCannotBeMadeIsNoError) {
  write("in the way");
  auto blocked = calibration(file_ / "mercer" / "calibration.json");
  EXPECT_EQ(blocked.rates({}), some_rates);
  EXPECT_EQ(blocked.rates({}), some_rates);  // kept for this process at least
  EXPECT_EQ(calibration("/proc/mercer/calibration.json").rates({}), some_rates);
  EXPECT_EQ(measured_, 2);
}

TEST_F(CalibrationTest, LeavesNothingButItsFile) {
  (void)calibration(file_).rates({});
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder_)) files += entry.is_regular_file();
  EXPECT_EQ(files, 1);
}

TEST_F(CalibrationTest, TheFileIsWhereTheXdgSpecificationSays) {
  ::setenv("MERCER_CACHE", "off", 1);
  EXPECT_TRUE(calibration_file().empty());
  ::unsetenv("MERCER_CACHE");
  ::setenv("XDG_CACHE_HOME", "/some/where", 1);
  EXPECT_EQ(calibration_file(), "/some/where/mercer/calibration.json");
  ::setenv("XDG_CACHE_HOME", "relative", 1);
  ::setenv("HOME", "/home/somebody", 1);
  EXPECT_EQ(calibration_file(), "/home/somebody/.cache/mercer/calibration.json");
  ::unsetenv("HOME");
  EXPECT_TRUE(calibration_file().empty());
  ::setenv("MERCER_CACHE", "off", 1);
}

TEST(MachineRates, AreMeasured) { EXPECT_TRUE(measure_rates({}).plausible()); }

TEST(MachineRates, OfMemoryStayWithinReason) {
  EXPECT_EQ(some_rates.within_reason(2), some_rates);
  MachineRates odd = some_rates;
  odd.read_bytes = 7e15;  // the clock did not move
  odd.fresh_bytes = 1e16;
  EXPECT_LE(odd.within_reason(2).read_bytes, 2e11);
  EXPECT_LE(odd.within_reason(2).fresh_bytes, odd.within_reason(2).read_bytes);
  odd.read_bytes = 5e5;  // stopped for a while
  odd.fresh_bytes = 10;
  EXPECT_GE(odd.within_reason(2).read_bytes, 1e8);
  EXPECT_GE(odd.within_reason(2).fresh_bytes, 1e7);
  EXPECT_EQ(odd.within_reason(2).gemm_double, some_rates.gemm_double);
}

}  // namespace
}  // namespace mercer
