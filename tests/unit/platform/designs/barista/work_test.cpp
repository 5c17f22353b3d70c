#include <map>

#include "model/barista/analytical/rtl_resources.h"
#include "platform/designs/barista/design.h"
#include "platform/designs/barista/kernel_config.h"
#include "tests/support/texts.h"
#include "tests/support/work_case.h"

namespace weft {
namespace {

using test::Planned;
using test::set;
using test::Tensor;
using test::tensors_of;

// Tiles <4, 4, 8> of 4-word beats: a tile of A or B is 32 words, 8 beats.
Planned plan(const std::vector<config::Override>& overrides) {
  return test::planned("{design: barista, tile: {r: 4, c: 4, p: 8}, partial_sums: 2, band: 4, clock_mhz: 250}", "exact",
                       overrides, barista::plan_work);
}

std::string error_of(const std::vector<config::Override>& overrides) {
  return test::message_of([&] { plan(overrides); });
}

// GEMMs of an image and a group of `a`: F is 4 x 18 times 18 x 30, RT, CT, K = 1, 8, 3; GI 18 x 4 times 4 x 30, 5, 8,
// 1; GW 4 x 30 times 30 x 18, 1, 5, 4. A has RT*K tiles of 32 words, B CT*K, C RT*CT of 16.
TEST(BaristaWork, AUnitIsTheGemmOfAnImageAndAGroup) {
  const Planned planned = plan({set("only", "a")});
  ASSERT_EQ(planned.work->units().size(), 3U * 3 * 2);
  const std::vector<std::vector<Tensor>> expected{
      {{"B", false, 128 * 24, 0}, {"A", false, 128 * 3, 0}, {"C", true, 64 * 8, 0}},
      {{"B", false, 128 * 8, 0}, {"A", false, 128 * 5, 0}, {"C", true, 64 * 40, 0}},
      {{"B", false, 128 * 20, 0}, {"A", false, 128 * 4, 0}, {"C", true, 64 * 5, 0}}};
  for (std::size_t unit = 0; unit < 18; ++unit) {
    EXPECT_EQ(planned.work->units()[unit].row, unit / 6);
    EXPECT_EQ(planned.work->units()[unit].group, static_cast<int>(unit % 2));
    EXPECT_EQ(tensors_of(*planned.work, unit), expected[unit / 6]) << unit;
    EXPECT_EQ(planned.work->identity(unit), planned.work->identity(unit / 6 * 6));
  }
  EXPECT_NE(planned.work->identity(0), planned.work->identity(6));
  const std::vector<design::Row> rows = planned.work->rows();
  ASSERT_EQ(rows.size(), 3U);
  for (const design::Row& row : rows) EXPECT_EQ(row.macs, 3 * 2 * 4 * 18 * 30);
  EXPECT_EQ(rows[0].launches, 6);
  EXPECT_EQ(rows[0].pcie_to_card, 6 * 128 * 27);
  EXPECT_EQ(rows[0].pcie_to_host, 6 * 64 * 8);
}

// The positions of zeros change PE-cycles but not cycles: GI of one layer and F of another may have equal sizes.
TEST(BaristaWork, GemmsAreTheSameIfTheirZerosAre) {
  const Planned planned = plan({set("network",
                                    "{layers: [{name: p, channels: 2, h: 5, w: 5, filters: 4, kernel: 3, "
                                    "pad: 1}, {name: q, channels: 2, h: 7, w: 7, filters: 4, kernel: 3}]}"),
                                set("kinds", "[F]"), set("batch", "1")});
  ASSERT_EQ(planned.work->units().size(), 2U);
  EXPECT_EQ(planned.work->rows()[0].equations.cycles, planned.work->rows()[1].equations.cycles);
  EXPECT_NE(planned.work->identity(0), planned.work->identity(1));
}

// BLC-1 to BLC-4 on a memory of latency 7: the beat is requested in launch cycle 1, taken in 2 + 7, and cycle 0 is the
// third cycle after that.
TEST(BaristaWork, ALaunchReadsTheParamsBeforeCycleZero) {
  const Planned planned = plan({set("memory", "{kind: ideal, latency_cycles: 7}")});
  const design::Launch launch = planned.work->launch(0);
  EXPECT_EQ(launch.register_writes, 9);
  EXPECT_EQ(launch.to_start, 2 + 7 + 3);
  EXPECT_EQ(launch.to_done, 1);
}

// Tensors are in the channels of their ports.
TEST(BaristaWork, TensorsLieInTheChannelsOfTheirPorts) {
  const Planned planned = plan({set("kernel.ports.b.channel", "2"), set("kernel.ports.c.channel", "1")});
  EXPECT_EQ(tensors_of(*planned.work, 0),
            (std::vector<Tensor>{{"B", false, 3072, 2}, {"A", false, 384, 0}, {"C", true, 512, 1}}));
}

// The host's work for a launch. `a`: F of an image and group has im2col of 18 x 30 words, A of 3 tiles, B of 24, C of 8
// (of 32, 32 and 16 words); GI col2im of 18 x 30, A of 5, B of 8, C of 40. All are migrated both ways, with a beat of
// sizes.
TEST(BaristaWork, SaysWhatTheHostPreparesForALaunch) {
  const Planned planned = plan({set("only", "a")});
  const design::HostPrepared f = planned.work->host_prepared(0).value(), gi = planned.work->host_prepared(6).value();
  EXPECT_EQ(f.im2col_bytes, 4 * 18 * 30);
  EXPECT_EQ(f.tiled, 32 * 27 + 16 * 8);
  EXPECT_EQ(f.untiled, 16 * 8);
  EXPECT_EQ(f.col2im, 0);
  EXPECT_EQ(gi.im2col_bytes, 0);
  EXPECT_EQ(gi.tiled, 32 * 13 + 16 * 40);
  EXPECT_EQ(gi.untiled, 16 * 40);
  EXPECT_EQ(gi.col2im, 18 * 30);
  for (const auto* list : {&f.to_card, &f.to_host}) {
    std::vector<Bytes> bytes;
    for (const auto& each : *list) bytes.push_back(each.bytes);
    EXPECT_EQ(bytes, (std::vector<Bytes>{128 * 3, 128 * 24, 16, 64 * 8}));
  }
}

// Caffe's rule: a 1 x 1 window that touches each sample once needs no im2col; with a stride it does.
TEST(BaristaWork, ALayerThatIsAMatrixNeedsNoImToCol) {
  const auto host_prepared = [](const char* more, std::size_t unit) {
    const std::string layer =
        std::string("{layers: [{name: one, channels: 3, h: 5, w: 5, filters: 4, kernel: 1") + more + "}]}";
    return plan({set("network", layer.c_str()), set("batch", "1")}).work->host_prepared(unit).value();
  };
  for (const std::size_t unit : {0, 1, 2}) {
    EXPECT_EQ(host_prepared("", unit).im2col_bytes, 0);
    EXPECT_EQ(host_prepared("", unit).col2im, 0);
  }
  EXPECT_EQ(host_prepared(", stride: 2", 0).im2col_bytes, 4 * 3 * 9);
  EXPECT_EQ(host_prepared(", stride: 2", 1).col2im, 3 * 9);
}

TEST(BaristaWork, RefusesWhatDoesNotFitTheMemory) {
  // 128 bytes per tile; a channel of U250 has 16 GiB. B of F of one image: 2^13 x 2^13 outputs of 1 x 1 windows of 512
  // channels are 2^24 x 2^6 tiles, 2^37 bytes. The plan is made; the simulation is refused.
  const Planned planned = plan({set("network",
                                    "{layers: [{name: huge, channels: 512, h: 8192, w: 8192, filters: 1, "
                                    "kernel: 1}]}"),
                                set("kinds", "[F]"), set("batch", "1")});
  EXPECT_THROW(planned.work->simulate(0, 1, {}), Error);
}

TEST(BaristaKernelFile, RefusesWhatNoKernelHas) {
  const auto names = [](const std::vector<config::Override>& overrides, const std::string& text) {
    EXPECT_TRUE(test::has(error_of(overrides), text));
  };
  names({set("kernel.tile.r", "0")}, "kernel.tile.r: must be a whole number from 1 to 4096, not '0'");
  names({set("kernel.tile.c", "4097")}, "kernel.tile.c: must be a whole number from 1 to 4096");
  names({set("kernel.tile.p", "x")}, "kernel.tile.p");
  names({set("kernel.tile", "{r: 4096, c: 512, p: 1}")},
        "kernel.tile: has 4096 x 512 processing elements; at most 1048576");
  names({set("kernel.tile", "{r: 1, c: 4096, p: 4096}")}, "");
  names({set("kernel.band", "3")}, "kernel.band: must be a power of two");
  names({set("kernel.partial_sums", "257")}, "kernel.partial_sums");
  names({set("kernel.ports.d.channel", "0")}, "kernel.ports.d: unknown key");
  names({set("kernel.fifo.a_tile", "3")}, "kernel.fifo.a_tile: unknown key");
  names({set("kernel.ports.a.max_burst_beats", "257")}, "kernel.ports.a.max_burst_beats");
  names({set("readings.dsp_per_element", "seven")}, "readings.dsp_per_element: must be one of published, text");
  names({set("readings.burst", "printed")}, "readings.burst: unknown reading");
}

TEST(BaristaKernelFile, ReadsWhatItWrites) {
  const Planned planned = plan({set("kernel.tile", "{r: 3, c: 5, p: 7}"), set("kernel.fifo", "{a_beat: 9, c_row: 2}"),
                                set("kernel.ports", "{b: {max_burst_beats: 5, outstanding: 3, channel: 1}}"),
                                set("kernel.clock_mhz", "400/3")});
  const barista::KernelConfig& kernel = barista::KernelConfig::of(planned.run);
  const auto again = barista::KernelConfig::read(kernel.write(), "");
  EXPECT_EQ(config::to_yaml(again->write()), config::to_yaml(kernel.write()));
  EXPECT_EQ(again->tr, 3);
  EXPECT_EQ(again->tc, 5);
  EXPECT_EQ(again->tp, 7);
  EXPECT_EQ(again->partials, 2);
  EXPECT_EQ(again->fifo[barista::FifoId::ABeat], 9);
  EXPECT_EQ(again->fifo[barista::FifoId::CRow], 2);
  EXPECT_EQ(again->port_configs[1].max_burst_beats, 5);
  EXPECT_EQ(again->port_configs[1].outstanding, 3);
  EXPECT_EQ(again->channel[1], 1);
  EXPECT_EQ(again->clock, Frequency(400, 3));
}

// U250: DDR4-2400 of 64 bits, 153.6 Gb/s per channel, and PCIe 3.0 x16, 16 * 8 GT/s * 128/130. Ideal memory gives each
// of three ports a beat of 128 bits per cycle.
// Eq. 4.11 of <4, 4, 8>, S1 = 2: 32 * (32 + 32 + 16 * 2) bits are one BRAM18. The RTL takes none, and LUTs and
// registers that the equations do not model.
TEST(BaristaReadings, SayWhatAKernelTakes) {
  const auto used = [](const std::vector<config::Override>& overrides) {
    std::map<std::string, std::int64_t> all;
    const std::vector<design::Row> rows = plan(overrides).work->rows();
    for (const ResourceUse& each : rows.front().resources) all[each.name] = each.used;
    return all;
  };
  EXPECT_EQ(used({}), (std::map<std::string, std::int64_t>{{"DSP", 80}, {"BRAM18", 1}, {"URAM", 0}}));
  const auto synthesis = used({set("readings.resources", "synthesis")});
  barista::Alpha alpha;
  alpha.tr = alpha.tc = alpha.band = 4;
  alpha.tp = 8;
  alpha.partials = 2;
  const LogicUse use = barista::synthesised(alpha);
  EXPECT_GT(use.lut, 0);
  EXPECT_EQ(synthesis, (std::map<std::string, std::int64_t>{
                           {"DSP", use.dsp}, {"BRAM18", 0}, {"URAM", 0}, {"LUT", use.lut}, {"FF", use.ff}}));
  EXPECT_NE(error_of({set("readings.resources", "hls")}), "nothing");
}

TEST(BaristaReadings, SayWhereTheBandwidthsAreFrom) {
  const auto bandwidths = [](const std::vector<config::Override>& overrides) {
    const Planned planned = plan(overrides);
    return barista::bandwidths(planned.run, barista::readings_of(planned.run.readings));
  };
  EXPECT_DOUBLE_EQ(bandwidths({}).memory, 153.6e9);
  EXPECT_DOUBLE_EQ(bandwidths({}).pcie, 54.6e9);
  EXPECT_DOUBLE_EQ(bandwidths({set("kernel.ports.c.channel", "1")}).memory, 2 * 153.6e9);
  EXPECT_DOUBLE_EQ(bandwidths({set("memory", "{kind: ideal}")}).memory, 3 * 128 * 250e6);
  EXPECT_DOUBLE_EQ(bandwidths({set("readings.memory_bandwidth", "fitted")}).memory, 105.3e9);
  EXPECT_DOUBLE_EQ(bandwidths({set("readings.pcie_bandwidth", "line")}).pcie, 128e9 * 128 / 130);
}

}  // namespace
}  // namespace weft
