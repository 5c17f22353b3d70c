#include <gtest/gtest.h>

#include "model/core/error.h"
#include "platform/config/host.h"
#include "tests/unit/platform/iteration/host/small_host.h"

namespace weft::host {
namespace {

using config::Calls;
using config::Host;
using link::Direction;

Host host_with_calls() {
  Host host = test::small_host();
  host.opencl = {1, 2, 30, 4, 500, 6};
  host.xrt = {7, 8, 90, 10, 1100, 12};
  host.copy_to_card_bytes_per_s = 13;
  host.copy_to_host_bytes_per_s = 14;
  return host;
}

TEST(CallCost, IsThatOfTheLibraryAndDirection) {
  const Host host = host_with_calls();
  EXPECT_EQ(call_cost(host, Calls::OpenCl, Direction::HostToCard).setup_ps, 1);
  EXPECT_EQ(call_cost(host, Calls::OpenCl, Direction::CardToHost).setup_ps, 2);
  EXPECT_EQ(call_cost(host, Calls::Xrt, Direction::HostToCard).setup_ps, 7);
  EXPECT_EQ(call_cost(host, Calls::Xrt, Direction::CardToHost).setup_ps, 8);
  EXPECT_EQ(call_cost(host, Calls::Xrt, Direction::CardToHost).copy_to_card_bytes_per_s, 13);
  EXPECT_EQ(call_cost(host, Calls::Xrt, Direction::CardToHost).copy_to_host_bytes_per_s, 14);
}

TEST(LaunchTime, AddsEachRegisterWriteToTheLibrarysShare) {
  const Host host = host_with_calls();
  EXPECT_EQ(launch_time(host, Calls::OpenCl, 0), 30);
  EXPECT_EQ(launch_time(host, Calls::OpenCl, 3), 30 + 3 * 500);
  EXPECT_EQ(launch_time(host, Calls::OpenCl, 3, true), 4 + 3 * 500);
  EXPECT_EQ(launch_time(host, Calls::Xrt, 2), 90 + 2 * 1100);
  EXPECT_EQ(launch_time(host, Calls::Xrt, 2, true), 10 + 2 * 1100);
}

TEST(Im2colTime, IsRoundedUpOnce) {
  Host host = host_with_calls();  // 3 bytes per second
  EXPECT_EQ(im2col_time(host, 0), 0);
  EXPECT_EQ(im2col_time(host, 1), 333'333'333'334);
  EXPECT_EQ(im2col_time(host, 3), 1'000'000'000'000);
  EXPECT_EQ(im2col_time(host, 5), 1'666'666'666'667);
  host.im2col_bytes_per_s = 1'000'000'000'000'000;  // 1000 bytes per picosecond
  EXPECT_EQ(im2col_time(host, 999'999'999'999'999), 1'000'000'000'000);
  EXPECT_EQ(im2col_time(host, 1), 1);
}

// At 3 bytes per second 27670116 bytes are the last number that can be counted in picoseconds.
TEST(HostTimes, AreExactUpToTheLastPicosecondAndNoFurther) {
  Host host = host_with_calls();
  EXPECT_EQ(im2col_time(host, 27'670'116), 9'223'372'000'000'000'000);
  EXPECT_THROW(im2col_time(host, 27'670'117), checked::Overflow);
  host.matrices = config::MatrixCosts{1 << 20, 1 << 20, 1 << 20};
  host.quantiser = config::Quantiser{1 << 20, 1 << 20, 0};
  const Words most = (Words{1} << 43) - 1, more = Words{1} << 43;
  for (const auto& time : {tile_time, quantise_time, dequantise_time}) {
    EXPECT_EQ(time(host, most), most << 20);
    EXPECT_THROW(time(host, more), checked::Overflow);
  }
  EXPECT_EQ(untile_time(host, most - 1, 1), most << 20);
  EXPECT_THROW(untile_time(host, most, 1), checked::Overflow);
  host.xrt.register_write_ps = std::int64_t{1} << 62;
  EXPECT_EQ(launch_time(host, Calls::Xrt, 1), (std::int64_t{1} << 62) + 90);
  EXPECT_THROW(launch_time(host, Calls::Xrt, 2), checked::Overflow);
}

}  // namespace
}  // namespace weft::host
