#include <gtest/gtest.h>

#include "model/memory/config.h"

namespace weft::memory {
namespace {

// Returns the GB/s of a kernel that keeps `outstanding` bursts of `beats` 64-byte beats under way on one port and moves
// data in every possible cycle.
double bandwidth(bool write, int beats, int outstanding) {
  MemoryConfig config;
  config.kernel_clock = {300, 1};
  config.ddr4.auto_precharge_a3 = true;
  config.latency_cycles = 55;  // controller, PHY and shell; fitted to the reads of 4 beats by 4
  const auto memory = make_memory(config);
  constexpr Cycles kCycles = 200000;
  std::int64_t beats_done = 0;
  int under_way = 0;
  int beats_to_send = 0;
  Address next = 0;
  for (Cycles cycle = 0; cycle < kCycles; ++cycle) {
    memory->advance(cycle);
    if (!write && memory->next_read_beat(0) <= cycle) {
      memory->take_read_beat(0, cycle);
      if (++beats_done % beats == 0) --under_way;
    }
    if (write && memory->next_write_response(0) <= cycle) {
      memory->take_write_response(0, cycle);
      beats_done += beats;
      --under_way;
    }
    if (under_way < outstanding && beats_to_send == 0) {
      if (write) {
        memory->send_write(0, cycle, next, beats);
        beats_to_send = beats;
      } else {
        memory->send_read(0, cycle, next, beats);
      }
      next += beats * 64;
      ++under_way;
    }
    if (beats_to_send > 0) {
      memory->send_write_beat(0, cycle);
      --beats_to_send;
    }
  }
  return static_cast<double>(beats_done) * 64 * 300e6 / (kCycles * 1e9);
}

void expect_within(double model, double measured, double share) {
  EXPECT_GT(model, measured * (1 - share));
  EXPECT_LT(model, measured * (1 + share));
}

// Measured on an Alveo U200 (shell xdma 201830_2, 512 bits at 300 MHz) by Xilinx' axi_burst_performance example, which
// publishes 16.82, 15.16, 3.93 and 5.14 GiB/s. One latency for all four; the model's writes of long bursts are faster
// because only the DRAM limits them.
TEST(AxiBandwidth, IsWithin8PercentOfAnAlveoU200) {
  expect_within(bandwidth(false, 32, 32), 18.06, 0.08);
  expect_within(bandwidth(true, 32, 32), 16.28, 0.08);
  expect_within(bandwidth(false, 4, 4), 4.22, 0.08);
  expect_within(bandwidth(true, 4, 4), 5.52, 0.08);
}

}  // namespace
}  // namespace weft::memory
