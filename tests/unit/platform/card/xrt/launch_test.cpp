#include "platform/card/xrt/launch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "model/core/error.h"
#include "model/core/units.h"
#include "tests/support/captured.h"

namespace weft::xrt {
namespace {

// An error of the card's process becomes the exit code that README.md promises, whatever the program prints.
TEST(Card, ACheckThatFindsADifferenceIsAFailedComparison) {
  const auto run_with = [&](const auto& error) {
    test::Captured err(STDERR_FILENO);
    const int code = run_on_card({"/bin/true"}, {"xilinx_u250_gen3x16_xdma", 4, Bytes{16} << 30},
                                 [&](Visits&, const std::filesystem::path&) -> CardReport { throw error; });
    EXPECT_EQ(err.text(), std::string("weft: error: card: ") + error.what() + "\n");
    return code;
  };
  EXPECT_EQ(run_with(Mismatch("fast and data differ: cycles: fast 7, data 8")), 1);
  EXPECT_EQ(run_with(Error("an address")), 2);
  EXPECT_EQ(run_with(Deadlock("a block")), 3);
}

}  // namespace
}  // namespace weft::xrt
