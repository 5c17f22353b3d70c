#include "platform/designs/fpgpt/work.h"

#include "platform/design/row.h"
#include "tests/support/texts.h"
#include "tests/support/work_case.h"

namespace weft {
namespace {

using test::set;
using test::Tensor;
using test::tensors_of;

std::unique_ptr<design::Work> plan(const std::vector<config::Override>& overrides) {
  return test::planned("fpgpt-8x8-hls", "systemc", overrides, fpgpt::plan_work).work;
}

// One half each of 3*4*30 = 360, 8*2*9 = 144 and 3*8*30 = 720 words of 4 bytes. INP, KERN and OUT each have a channel.
TEST(FpgptWork, AUnitReadsAndWritesItsShareOfTheTensorsOfTable53) {
  const auto work = plan({set("only", "a")});
  ASSERT_EQ(work->units().size(), 6U);  // F, GI, GW of two groups
  const std::vector<std::vector<Tensor>> expected{
      {{"INP", false, 720, 0}, {"KERN", false, 288, 1}, {"OUT", true, 1440, 2}},
      {{"INP", false, 1440, 0}, {"KERN", false, 288, 1}, {"OUT", true, 720, 2}},
      {{"INP", false, 720, 0}, {"KERN", false, 1440, 1}, {"OUT", true, 288, 2}}};
  for (std::size_t unit = 0; unit < 6; ++unit) {
    SCOPED_TRACE(unit);
    EXPECT_EQ(work->units()[unit].row, unit / 2);
    EXPECT_EQ(work->units()[unit].group, static_cast<int>(unit % 2));
    EXPECT_EQ(tensors_of(*work, unit), expected[unit / 2]);
  }
}

TEST(FpgptWork, TheUnitsOfARowAddUpToWhatTheRowSendsAndFetches) {
  const auto work = plan({});
  const std::vector<design::Row> rows = work->rows();
  std::vector<Bytes> sent(rows.size()), fetched(rows.size());
  const auto units = work->units();
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    for (const design::UnitTensor& tensor : work->tensors(unit)) {
      (tensor.written ? fetched : sent)[units[unit].row] += tensor.bytes;
    }
  }
  for (std::size_t row = 0; row < rows.size(); ++row) {
    EXPECT_EQ(sent[row], rows[row].pcie_to_card);
    EXPECT_EQ(fetched[row], rows[row].pcie_to_host);
  }
}

// `b` on 2 rows: 144 words of KERN hold two Y-groups of F, 4 filters of 36 words, and one of GI, 2 channels of 72
// words.
TEST(FpgptWork, PartsReadInpOnceAndShareKernAndOut) {
  const std::vector<config::Override> split{set("only", "b"), set("kernel.array.y", "2"),
                                            set("kernel.kern_words", "144"), set("kernel.split_by", "filters")};
  const auto work = plan(split);
  const std::vector<design::Row> rows = work->rows();
  ASSERT_EQ(work->units().size(), 5U);  // F and GI of two parts, GW of one
  EXPECT_EQ(tensors_of(*work, 0),
            (std::vector<Tensor>{{"INP", false, 1440, 0}, {"KERN", false, 576, 1}, {"OUT", true, 1440, 2}}));
  EXPECT_EQ(tensors_of(*work, 1),
            (std::vector<Tensor>{{"INP", false, 0, 0}, {"KERN", false, 576, 1}, {"OUT", true, 1440, 2}}));
  EXPECT_EQ(tensors_of(*work, 3),
            (std::vector<Tensor>{{"INP", false, 0, 0}, {"KERN", false, 576, 1}, {"OUT", true, 720, 2}}));
  const std::vector<bool> reordered{false, false, true, true, false};
  for (std::size_t unit = 0; unit < 5; ++unit) EXPECT_EQ(work->tensors(unit)[1].reordered, reordered[unit]) << unit;
  EXPECT_EQ(rows[0].parts, 2);
  EXPECT_EQ(rows[1].parts, 2);
  EXPECT_FALSE(rows[2].parts.has_value());
  for (std::size_t row = 0; row < 3; ++row) {
    EXPECT_EQ(rows[row].launches, row < 2 ? 2 : 1);
    EXPECT_EQ(rows[row].macs, rows[0].macs);
  }
}

// OUT of F and GI is 6 x 5, of GW 3 x 3 (LCH-4).
TEST(FpgptWork, ALaunchIs31RegisterWritesAnd587CyclesAndOneForEachOutputOfAMap) {
  const auto work = plan({set("only", "b")});
  for (const auto& [unit, out_map] : {std::pair<std::size_t, Cycles>{0, 30}, {1, 30}, {2, 9}}) {
    const design::Launch launch = work->launch(unit);
    EXPECT_EQ(launch.register_writes, 31);
    EXPECT_EQ(launch.to_start, 587 + out_map);
    EXPECT_EQ(launch.to_done, 1);
  }
}

// Rows are in the order F, GI, GW of a, then of b.
TEST(FpgptWork, RowsOfOneNumberShareABitstream) {
  using Numbers = std::vector<std::size_t>;
  const auto numbers = [](const std::vector<config::Override>& overrides) {
    return design::bitstreams_of(plan(overrides)->rows());
  };
  const std::vector<config::Override> shared{set("kernel.z", "shared"), set("kernel.z_channel", "shared"),
                                             set("kernel.k_range", "shared"), set("kernel.kern_words", "shared"),
                                             set("kernel.out_words", "shared")};
  EXPECT_EQ(numbers(shared), (Numbers{0, 0, 1, 0, 0, 1}));  // one per variant
  std::vector<config::Override> both = shared;
  both.push_back(set("kernel.variant", "both"));
  EXPECT_EQ(numbers(both), (Numbers{0, 0, 0, 0, 0, 0}));
  const std::vector<design::Row> rows = plan({})->rows();
  const Numbers own = design::bitstreams_of(rows);
  for (std::size_t a = 0; a < rows.size(); ++a) {
    for (std::size_t b = 0; b < rows.size(); ++b) {
      EXPECT_EQ(own[a] == own[b], rows[a].bitstream == rows[b].bitstream) << a << " " << b;
    }
  }
  EXPECT_EQ(own[0], 0U);
  EXPECT_NE(own[0], own[2]);  // F and GW
}

const design::SharesChannels& shared(const design::Work& work) {
  return design::offered<design::SharesChannels>(work);
}

// Transfers during a small convolution whose INP, KERN and OUT have channels 0, 1 and 2 of the U250's four.
class FpgptWorkWithTransfers : public testing::Test {
 protected:
  static constexpr Bytes kBytes = 1 << 20;
  // At 300 MHz the 48 beats of a window, one per cycle, would need the whole rate of a channel of DDR4-2400.
  std::unique_ptr<design::Work> work_ = plan({set("only", "b:F"), set("kernel.clock_mhz", "300")});

  design::UnitWithTransfers beside(int channel, bool write, Bytes bytes = kBytes, Bytes buffer_bytes = 64 << 10) {
    memory::Traffic traffic;
    traffic.bytes = bytes;
    traffic.write = write;
    traffic.buffer_bytes = buffer_bytes;
    traffic.rate.bytes = 12'000'000'000;
    return shared(*work_).simulate_with_transfers(0, {{channel, traffic}}, nullptr);
  }
};

TEST_F(FpgptWorkWithTransfers, Dma5ATransferOnAnotherChannelChangesNothing) {
  const design::UnitResult alone = work_->simulate(0, 1, nullptr);
  for (const bool write : {false, true}) {
    const design::UnitWithTransfers both = beside(3, write);
    EXPECT_EQ(both.unit.cycles, alone.cycles);
    EXPECT_EQ(both.unit.drain_cycles, alone.drain_cycles);
    for (std::size_t i = 0; i < alone.blocks.size(); ++i) EXPECT_EQ(both.unit.blocks[i].cycles, alone.blocks[i].cycles);
    for (std::size_t i = 0; i < alone.ports.size(); ++i) {
      for (const memory::PortStats::Field& field : memory::PortStats::fields()) {
        EXPECT_EQ(both.unit.ports[i].*field.count, alone.ports[i].*field.count) << i << " " << field.name;
      }
    }
    EXPECT_EQ((write ? both.moved.write_beats : both.moved.read_beats) * 64, kBytes);
    EXPECT_GT(both.ends.front(), kBytes / 40);  // 12 GB/s are 40 bytes per cycle
  }
}

// INP requests about 15 GB/s of the channel's 19.2, the transfer 12: in either direction the kernel is slowed down. A
// read waits for its data, which delays the link; a write waits where the buffer holds few bursts.
TEST_F(FpgptWorkWithTransfers, Dma5OnAChannelOfTheKernelEachSlowsTheOtherDown) {
  const Cycles alone = work_->simulate(0, 1, nullptr).cycles;
  for (const bool write : {false, true}) {
    SCOPED_TRACE(write ? "H2C" : "C2H");
    const Bytes buffer = write ? 4096 : 64 << 10;
    const design::UnitWithTransfers apart = beside(3, write, kBytes, buffer), both = beside(0, write, kBytes, buffer);
    EXPECT_EQ(apart.unit.cycles, alone);
    EXPECT_GT(both.unit.cycles, alone + alone / 50);
    EXPECT_GT(both.ends.front(), apart.ends.front());
  }
}

TEST_F(FpgptWorkWithTransfers, Dma6TransfersFollowEachOtherOnWhateverChannel) {
  memory::Traffic in, out;
  in.write = true;
  in.bytes = out.bytes = kBytes;
  in.rate.bytes = out.rate.bytes = 6'000'000'000;
  const auto both = shared(*work_).simulate_with_transfers(0, {{3, in}, {0, in}, {3, out}}, nullptr);
  const auto first = shared(*work_).simulate_with_transfers(0, {{3, in}}, nullptr);
  ASSERT_EQ(both.ends.size(), 3U);
  EXPECT_EQ(both.ends[0], first.ends[0]);
  // The kernel ends long before the second and the third begin. 2^20 bytes at 20 per cycle are 52,428.8 cycles.
  EXPECT_EQ(both.unit.cycles, first.unit.cycles);
  EXPECT_GE(both.ends[1] - both.ends[0], 52'429);
  EXPECT_GE(both.ends[2] - both.ends[1], 52'429);
  EXPECT_LT(both.ends[2], 3 * 53'000);
  EXPECT_EQ(both.moved.write_beats, 2 * kBytes / 64);
  EXPECT_EQ(both.moved.read_beats, kBytes / 64);
}

TEST_F(FpgptWorkWithTransfers, NoBytesAreNoTransfer) {
  const design::UnitWithTransfers none = beside(0, true, 0);
  EXPECT_EQ(none.ends.front(), 0);
  EXPECT_EQ(none.unit.cycles, work_->simulate(0, 1, nullptr).cycles);
}

std::string refusal(const design::Work& work, int channel, Bytes bytes) {
  memory::Traffic traffic;
  traffic.bytes = bytes;
  return test::message_of([&] { shared(work).simulate_with_transfers(0, {{channel, traffic}}, nullptr); });
}

TEST_F(FpgptWorkWithTransfers, IsRefusedWhereItCannotBeSimulatedOrDoesNotFit) {
  for (const auto& other : {set("rung", "exact"), set("rung", "analytical"), set("mode", "data")}) {
    EXPECT_TRUE(test::has(refusal(*plan({set("only", "b:F"), other}), 3, 64), "needs rung: systemc and mode: timing"));
  }
  EXPECT_TRUE(test::has(refusal(*work_, 4, 64), "memory channel 4: board 'u250' has channels 0 to 3"));
  EXPECT_TRUE(test::has(refusal(*work_, -1, 64), "memory channel -1"));
  EXPECT_TRUE(test::has(refusal(*work_, 3, (Bytes{16} << 30) + 1), "needs 1 bytes more"));
}

TEST(FpgptWork, AKernelIsDescribedByItsParameters) {
  const std::string text = design::kernel_text(plan({set("only", "b:GW")})->rows().front());
  EXPECT_EQ(text.rfind("x 8, y 8, z ", 0), 0U) << text;
  EXPECT_TRUE(test::has(text, ", variant gw"));
}

}  // namespace
}  // namespace weft
