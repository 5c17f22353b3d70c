#include "platform/fpgpt/work.h"

#include <gtest/gtest.h>

#include <tuple>

#include "platform/design/bitstreams.h"
#include "platform/design/load.h"
#include "tests/support/run_binary.h"

namespace weft {
namespace {

// A grouped layer, 3 images: INP of F 4 x 6 x 5, 2 groups of 2 maps; KERN 8 x 2 x 3 x 3; OUT 8 x 6 x 5. And a layer
// of the same kernel sizes with twice the KERN memory.
const char* const kRun = R"(
name: two
board: u250
kernel: fpgpt-8x8-hls
network:
  layers:
    - {name: a, channels: 4, h: 6, w: 5, filters: 8, groups: 2, kernel: 3, pad: 1}
    - {name: b, channels: 4, h: 6, w: 5, filters: 8, kernel: 3, pad: 1}
batch: 3
rung: systemc
gi_first: true
)";

std::unique_ptr<design::Work> plan(const std::vector<config::Override>& overrides) {
  const test::TemporaryDirectory directory;
  const config::RunConfig run =
      design::load_run(directory.write("two.yaml", kRun).string(), overrides, config::Library{WEFT_CONFIG_DIR});
  workloads::Network network;
  network.layers = config::inline_layers(run);
  return fpgpt::plan_work(run, network);
}

config::Override set(const char* key, const char* value) {
  return {key, value, key};
}

using Tensor = std::tuple<std::string, bool, Bytes, int>;

std::vector<Tensor> tensors_of(const design::Work& work, std::size_t unit) {
  std::vector<Tensor> all;
  for (const design::UnitTensor& t : work.tensors(unit)) {
    all.emplace_back(t.name, t.written, t.bytes, t.channel);
  }
  return all;
}

// One half each of 3*4*30 = 360, 8*2*9 = 144 and 3*8*30 = 720 words of 4 bytes. INP, KERN and OUT have a channel each.
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

// Rows in order: F, GI, GW of a, then of b.
TEST(FpgptWork, RowsOfOneNumberShareABitstream) {
  using Numbers = std::vector<std::size_t>;
  const auto numbers = [](const std::vector<config::Override>& overrides) {
    return design::bitstreams_of(plan(overrides)->rows());
  };
  const std::vector<config::Override> shared{set("kernel.z", "shared"), set("kernel.z_channel", "shared"),
                                             set("kernel.k_range", "shared"), set("kernel.kern_words", "shared"),
                                             set("kernel.out_words", "shared")};
  EXPECT_EQ(numbers(shared), (Numbers{0, 0, 1, 0, 0, 1}));  // one a variant
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

TEST(FpgptWork, AKernelIsDescribedByItsParameters) {
  const std::string text = design::kernel_text(plan({set("only", "b:GW")})->rows().front());
  EXPECT_EQ(text.rfind("x 8, y 8, z ", 0), 0U) << text;
  EXPECT_NE(text.find(", variant gw"), std::string::npos) << text;
}

}  // namespace
}  // namespace weft
