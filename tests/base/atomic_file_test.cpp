// Outputs appear whole or not at all.
#include "base/atomic_file.hpp"
#include <mercer/error.hpp>

#include "support.hpp"

#include <filesystem>
#include <fstream>

namespace mercer {
namespace {

TEST(AtomicFiles, AppearWholeOrNotAtAll) {
  const std::string folder = testing::TempDir() + "mercer_atomic/";
  std::filesystem::create_directories(folder);
  const std::string path = folder + "x";
  {
    AtomicFile file(path);
    file.write("half");
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder)) << "an abandoned file leaves nothing behind";
  AtomicFile file(path);
  file.write("----whole");
  file.write_at(0, "very", 4);
  EXPECT_FALSE(std::filesystem::exists(path));
  file.commit();
  std::string text;
  std::getline(std::ifstream(path), text);
  EXPECT_EQ(text, "verywhole");
  std::filesystem::remove_all(folder);
  try {
    AtomicFile(folder + "no/such/folder/x");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::cannot_create);
  }
}

}  // namespace
}  // namespace mercer
