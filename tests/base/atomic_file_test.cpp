// Outputs appear whole or not at all.
#include "base/atomic_file.hpp"
#include <mercer/error.hpp>

#include "support.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

namespace mercer {
namespace {

namespace fs = std::filesystem;

/// A folder of the test's own.
class AtomicFiles : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder); }
  void TearDown() override { fs::remove_all(folder); }

  [[nodiscard]] std::string in(const std::string& name) const { return folder + name; }
  static std::string first_line(const std::string& path) {
    std::string text;
    std::getline(std::ifstream(path), text);
    return text;
  }
  static void write(const std::string& path, const std::string& text) {
    AtomicFile file(path);
    file.write(text);
    file.commit();
  }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(folder)) out.push_back(entry.path().filename().string());
    std::sort(out.begin(), out.end());
    return out;
  }

  const std::string folder = testing::TempDir() + "mercer_atomic_" + std::to_string(::getpid()) + "/";
};

TEST_F(AtomicFiles, AppearWholeOrNotAtAll) {
  const std::string path = in("x");
  {
    AtomicFile file(path);
    file.write("half");
  }
  EXPECT_TRUE(fs::is_empty(folder)) << "an abandoned file leaves nothing behind";
  AtomicFile file(path);
  file.write("----whole");
  file.write_at(0, "very", 4);
  EXPECT_FALSE(fs::exists(path));
  file.commit();
  EXPECT_EQ(first_line(path), "verywhole");
  try {
    AtomicFile(in("no/such/folder/x"));
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::cannot_create);
  }
}

TEST_F(AtomicFiles, OfAKilledRunAreRemovedAndThoseOfALiveOneAreNot) {
  std::ofstream(in("x.part-abc123")) << "half";
  std::ofstream(in("x.part-alive1")) << "half";
  std::ofstream(in("x.part-abc1234")) << "somebody's own";
  const int live = ::open(in("x.part-alive1").c_str(), O_RDWR);
  ASSERT_EQ(::flock(live, LOCK_EX), 0);
  {
    AtomicFile other(in("x"));  // of another writer in this process
    other.write("other");
    write(in("x"), "whole");
    other.commit();
  }
  ::close(live);
  EXPECT_EQ(names(), (std::vector<std::string>{"x", "x.part-abc1234", "x.part-alive1"}));
  EXPECT_EQ(first_line(in("x")), "other");
}

TEST_F(AtomicFiles, FollowALinkAndLeaveItThere) {
  fs::create_directory(in("elsewhere"));
  for (const char* target : {"elsewhere/there", "elsewhere/new"}) {
    if (target == std::string("elsewhere/there")) write(in(target), "old");
    fs::remove(in("link"));
    fs::create_symlink(target, in("link"));
    write(in("link"), "new");
    EXPECT_TRUE(fs::is_symlink(in("link")));
    EXPECT_EQ(first_line(in(target)), "new");
  }
}

TEST_F(AtomicFiles, MayHaveTheLongestNameThereIs) {
  std::string name, leftover;
  for (int i = 0; i < 255; ++i) name += 'n';
  leftover.assign(name, 0, 243).append(".part-abc123");
  std::ofstream(in(leftover)) << "half";
  write(in(name), "whole");
  EXPECT_EQ(names(), std::vector<std::string>{name});
}

TEST_F(AtomicFiles, WrittenByManyThreadsLeaveTheMaskForNewFilesAsItIs) {
  const mode_t before = ::umask(027);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        const AtomicFile never_committed(in("x" + std::to_string(t)));
      }
    });
  for (auto& thread : threads) thread.join();
  write(in("x"), "whole");
  EXPECT_EQ(::umask(before), 027U);
  EXPECT_EQ(fs::status(in("x")).permissions(), fs::perms(0640));
}

}  // namespace
}  // namespace mercer
