#include "tools/dram_trace.h"

#include <gtest/gtest.h>

#include "model/core/error.h"
#include "tests/support/run_binary.h"

namespace weft::tools {
namespace {

constexpr Bytes kCapacity = 1 << 20;

TEST(DramTrace, ReadsHexadecimalAndDecimalAddressesInOrder) {
  const test::TemporaryDirectory dir;
  const auto requests = read_trace(dir.write("t.trc", "# head\nR 0x40\nW 128\r\n\n  R\t0X0  \nW 0xfffc0"), kCapacity);
  ASSERT_EQ(requests.size(), 4U);
  EXPECT_EQ(requests[0].address, 0x40);
  EXPECT_FALSE(requests[0].write);
  EXPECT_EQ(requests[1].address, 128);
  EXPECT_TRUE(requests[1].write);
  EXPECT_EQ(requests[2].address, 0);
  EXPECT_EQ(requests[3].address, 0xfffc0);
}

TEST(DramTrace, RefusesWhatIsNoRequest) {
  for (const char* line :
       {"X 0x0", "R", "R0x0", "R 0x", "R -64", "R 0x0 0x40", "R 0x41", "R 0x100000", "0x40", "r 0x40"}) {
    const test::TemporaryDirectory dir;
    EXPECT_THROW(read_trace(dir.write("t.trc", std::string(line) + "\n"), kCapacity), InputError) << line;
  }
}

}  // namespace
}  // namespace weft::tools
