// Memory sizes in words, and what the machine has.
#include "base/memory.hpp"

#include "support.hpp"

namespace mercer {
namespace {

TEST(Memory, SizesAreReadInPowersOfAThousand) {
  EXPECT_EQ(parse_bytes("400M"), 400000000u);
  EXPECT_EQ(parse_bytes("4G"), 4000000000u);
  EXPECT_EQ(parse_bytes("1.5gb"), 1500000000u);
  EXPECT_EQ(parse_bytes("123"), 123u);
  for (const char* wrong : {"", "x", "-1G", "4Q", "0", "G", "1e30"})
    EXPECT_THROW((void)parse_bytes(wrong), Error) << wrong;
  EXPECT_EQ(format_bytes(1234567), "1.23 MB");
  EXPECT_EQ(format_bytes(12), "12 B");
}

TEST(Memory, TheMachineHasSomeAndTheProcessUsesSome) {
  EXPECT_GT(machine_memory(), 100000000u);
  EXPECT_GT(peak_memory(), 1000000u);
  EXPECT_EQ(mercer::Run{}.memory_budget(), machine_memory() / 2);
}

}  // namespace
}  // namespace mercer
