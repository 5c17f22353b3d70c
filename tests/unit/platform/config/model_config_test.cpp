#include "platform/config/model_config.h"

#include <gtest/gtest.h>

#include "platform/designs/fpgpt/design.h"
#include "platform/designs/fpgpt/kernel_config.h"
#include "tests/support/work_case.h"

namespace weft::config {
namespace {

RunConfig headline(const std::vector<std::string>& sets = {}) {
  return test::run_of("googlenet-u250", sets);
}

// The model's defaults are also the channel of an Alveo U250: two readings of the same sources.
TEST(MemoryConfig, OfTheU250IsTheChannelThatTheModelWasCheckedWith) {
  const memory::Ddr4Config from_file = memory_config(headline()).ddr4;
  const memory::Ddr4Config checked;
  EXPECT_EQ(from_file.data_rate_mtps, checked.data_rate_mtps);
  EXPECT_EQ(from_file.capacity, checked.capacity);
  EXPECT_EQ(from_file.map, checked.map);
  EXPECT_TRUE(from_file.auto_precharge_a3);  // the shell's value; the references ran without it
  EXPECT_EQ(from_file.read_queue, checked.read_queue);
  EXPECT_EQ(from_file.write_queue, checked.write_queue);
  EXPECT_EQ(from_file.bank_queue, checked.bank_queue);
  EXPECT_EQ(from_file.write_high, checked.write_high);
  EXPECT_EQ(from_file.write_low, checked.write_low);
  EXPECT_EQ(from_file.row_hit_limit, checked.row_hit_limit);
  const auto fields = [](const memory::Ddr4Timing& t) {
    return std::vector<int>{t.cl_nck,    t.cwl_nck,   t.burst_length,   t.rcd_nck,   t.rp_nck,    t.ras_nck, t.rc_nck,
                            t.rrd_s_nck, t.rrd_l_nck, t.faw_nck,        t.ccd_s_nck, t.ccd_l_nck, t.rtp_nck, t.wr_nck,
                            t.wtr_s_nck, t.wtr_l_nck, t.turnaround_nck, t.refi_nck,  t.rfc_nck};
  };
  EXPECT_EQ(fields(from_file.timing), fields(checked.timing));
}

TEST(MemoryConfig, GivesEachPortItsChannelAndTheLatencyInKernelCycles) {
  const memory::MemoryConfig config = memory_config(
      headline({"kernel.ports.inp.channel=3", "kernel.ports.kern.channel=0", "kernel.ports.out.channel=0"}));
  EXPECT_EQ(config.port_channel, (std::vector<int>{3, 0, 0}));
  EXPECT_EQ(config.channels, 4);
  EXPECT_EQ(config.beat_bytes, 64);
  EXPECT_EQ(config.latency_cycles, 5 + 47);  // 49 ns at 100 MHz are 4.9 cycles
  EXPECT_EQ(memory_config(headline({"kernel.clock_mhz=1000/3"})).latency_cycles, 17 + 47);  // 16.33
  EXPECT_EQ(memory_config(headline({"memory.controller_latency_ns=60"})).latency_cycles, 6 + 47);
  EXPECT_EQ(memory_config(headline({"memory.controller_latency_ns=0"})).latency_cycles, 47);
}

TEST(MemoryConfig, OfAnIdealMemoryHasAPathPerPort) {
  const memory::MemoryConfig config =
      memory_config(headline({"memory.kind=ideal", "memory.latency_cycles=9", "kernel.band=4"}));
  EXPECT_EQ(config.kind, memory::MemoryKind::ideal);
  EXPECT_EQ(config.port_channel.size(), 3U);
  EXPECT_EQ(config.ideal_latency_cycles, 9);
  EXPECT_EQ(config.beat_bytes, 16);
}

TEST(MemoryConfig, OfEveryBoardThatCanBeSimulatedIsAcceptedByTheModel) {
  for (const char* board : {"u250", "kcu1500", "vu9p_f1", "arria10_10ax115"}) {
    const memory::MemoryConfig config = memory_config(headline({std::string("board=") + board}));
    EXPECT_NO_THROW(config.validate()) << board;
  }
}

TEST(ProfileText, IsTheNearerProfileAndWhatIsDifferent) {
  fpgpt::Profile profile = fpgpt::Profile::hls();
  EXPECT_EQ(fpgpt::profile_text(profile), "hls");
  profile.exact_bursts = profile.overlap_drain = true;
  EXPECT_EQ(fpgpt::profile_text(profile), "hls + exact_bursts + overlap_drain");
  profile.early_kern_feed = true;
  EXPECT_EQ(fpgpt::profile_text(profile), "rtl - wide_kern_load - packed_gw_sets");
  EXPECT_EQ(fpgpt::profile_text(fpgpt::Profile::rtl()), "rtl");
}

TEST(ReadingsOfARun, AreTheDefaultsUnlessItSaysOtherwise) {
  EXPECT_EQ(fpgpt::readings_of(headline()), fpgpt::Readings());
  const fpgpt::Readings chosen = fpgpt::readings_of(headline({"readings.burst=printed"}));
  EXPECT_EQ(chosen.burst, fpgpt::reading::Burst::Printed);
  EXPECT_EQ(chosen.decode, fpgpt::Readings().decode);
}

}  // namespace
}  // namespace weft::config
