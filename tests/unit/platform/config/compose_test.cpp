#include <gtest/gtest.h>

#include "platform/catalogue/designs.h"
#include "platform/designs/fpgpt/kernel_config.h"
#include "tests/support/work_case.h"

namespace weft::config {
namespace {

const Library kProject{WEFT_CONFIG_DIR};

TEST(Compose, MergesWhatAFileExtendsDeeply) {
  const test::TemporaryDirectory dir;
  dir.write("base.yaml", "extends: conv-small\nkernel: {array: {x: 3, y: 5}}\nseed: 4\n");
  const auto file = dir.write("top.yaml", "extends: base.yaml\nkernel: {array: {x: 7}}\n");
  const RunConfig run = test::run_of(file.string());
  EXPECT_EQ(fpgpt::KernelConfig::of(run).x, 7);
  EXPECT_EQ(fpgpt::KernelConfig::of(run).y, 5);
  EXPECT_EQ(run.seed, 4U);
  EXPECT_EQ(run.name, "top");  // a file does not inherit the name of its base
}

TEST(Compose, FindsANameBesideTheNamingFileBeforeTheProjects) {
  const test::TemporaryDirectory dir;
  dir.write("kernels/mine.yaml", "extends: fpgpt-8x8-hls\narray: {x: 2, y: 2}\n");
  dir.write("kernels/fpgpt-8x8-hls.yaml", "extends: fpgpt-8x8-hls\narray: {x: 9, y: 9}\n");
  dir.write("runs/a.yaml", "extends: conv-small\nkernel: mine\n");
  dir.write("runs/b.yaml", "extends: conv-small\nkernel: fpgpt-8x8-hls\n");
  EXPECT_EQ(fpgpt::KernelConfig::of(test::run_of((dir.path() / "runs/a.yaml").string())).x, 2);
  EXPECT_EQ(fpgpt::KernelConfig::of(test::run_of((dir.path() / "runs/b.yaml").string())).x, 9);
}

TEST(Compose, TakesPathsRelativeToTheNamingFile) {
  const test::TemporaryDirectory dir;
  dir.write("sub/k.yaml", "extends: fpgpt-8x8-hls\narray: {x: 6, y: 6}\n");
  dir.write("sub/net.yaml", "layers: [{name: l, channels: 1, h: 4, w: 4, filters: 1, kernel: 1}]\n");
  dir.write("sub/base.yaml", "extends: conv-small\nkernel: k.yaml\nnetwork: net.yaml\n");
  const auto file = dir.write("a.yaml", "extends: sub/base.yaml\n");
  const RunConfig run = test::run_of(file.string());
  EXPECT_EQ(fpgpt::KernelConfig::of(run).x, 6);
  ASSERT_TRUE(std::holds_alternative<InlineNetwork>(run.workload));
  EXPECT_EQ(std::get<InlineNetwork>(run.workload).layers.at(0).name, "l");
}

TEST(Compose, AKernelGivenByNameReplacesTheWholeOfTheOldOne) {
  const test::TemporaryDirectory dir;
  const auto file = dir.write("a.yaml", "extends: conv-small\nkernel: {fifo: {inp_beat: 5}}\n");
  EXPECT_EQ(fpgpt::KernelConfig::of(test::run_of(file.string())).fifo[fpgpt::FifoId::InpBeat], 5);
  const RunConfig run = test::run_of(file.string(), {"kernel=fpgpt-16x16-rtl"});
  EXPECT_EQ(fpgpt::KernelConfig::of(run).fifo[fpgpt::FifoId::InpBeat], 32);
  EXPECT_EQ(fpgpt::KernelConfig::of(run).profile, fpgpt::Profile::rtl());
}

TEST(Compose, OverridesApplyInOrderInsideWhatWasGivenByName) {
  const RunConfig run = test::run_of(
      "googlenet-u250", {"kernel.array.x=32", "network=squeezenet1_1", "batch=256", "batch=3",
                         "memory.auto_precharge_a3=false", "kinds=[GW, F]", "kernel.clock_mhz=1000/3", "only=*:GW"});
  EXPECT_EQ(fpgpt::KernelConfig::of(run).x, 32);
  EXPECT_EQ(fpgpt::KernelConfig::of(run).y, 16);
  EXPECT_EQ(std::get<NamedNetwork>(run.workload).name, "squeezenet1_1");
  EXPECT_EQ(run.batch, 3);
  EXPECT_FALSE(std::get<Ddr4Memory>(run.board.memory).auto_precharge_a3);
  EXPECT_EQ(run.kinds, (std::vector<conv::Kind>{conv::Kind::GW, conv::Kind::F}));
  EXPECT_EQ(fpgpt::KernelConfig::of(run).clock, (Frequency{1000, 3}));
  EXPECT_EQ(run.only.pattern(), "*:GW");
}

TEST(Compose, ALaterNameReplacesEarlierOverridesOfItsKeys) {
  const RunConfig run = test::run_of("conv-small", {"kernel.array.x=32", "kernel=fpgpt-8x8-hls"});
  EXPECT_EQ(fpgpt::KernelConfig::of(run).x, 8);
}

TEST(Compose, SwitchesChangeAProfileGivenByItsName) {
  const RunConfig run = test::run_of("conv-small", {"kernel.profile.exact_bursts=true"});
  fpgpt::Profile expected = fpgpt::Profile::hls();
  expected.exact_bursts = true;
  EXPECT_EQ(fpgpt::KernelConfig::of(run).profile, expected);
  const RunConfig rtl = test::run_of("conv-small", {"kernel.profile=rtl", "kernel.profile.overlap_drain=false"});
  expected = fpgpt::Profile::rtl();
  expected.overlap_drain = false;
  EXPECT_EQ(fpgpt::KernelConfig::of(rtl).profile, expected);
}

TEST(Compose, AMemoryOfAnotherKindReplacesTheBoards) {
  const RunConfig run = test::run_of("googlenet-u250", {"memory.kind=ideal", "memory.latency_cycles=7"});
  ASSERT_TRUE(std::holds_alternative<IdealMemory>(run.board.memory));
  EXPECT_EQ(std::get<IdealMemory>(run.board.memory).latency_cycles, 7);
}

TEST(Compose, AMemoryOfTheSameKindChangesOnlyWhatItSays) {
  const test::TemporaryDirectory dir;
  const auto file = dir.write("a.yaml", "extends: googlenet-u250\nmemory: {timing_nCK: {tFAW: 20}}\n");
  const auto memory = std::get<Ddr4Memory>(test::run_of(file.string()).board.memory);
  EXPECT_EQ(memory.timing.tfaw, 20);
  EXPECT_EQ(memory.timing.trfc, 420);
  EXPECT_EQ(memory.channels, 4);
}

// A board whose file gives timings that the bin of 2400 does not have.
constexpr const char* kSpelledOut =
    "extends: u250\nmemory: {data_rate_mtps: 2400, timing_nCK: {CL: 18, tFAW: 30, tRFC: 500}}\n";

Ddr4Memory memory_of(const std::filesystem::path& board, const std::vector<std::string>& sets) {
  std::vector<Override> overrides = test::overrides(sets);
  overrides.insert(overrides.begin(), {"board", board.string(), "the test", true});
  return std::get<Ddr4Memory>(design::load_run("googlenet-u250", overrides, kProject).board.memory);
}

TEST(Compose, TimingsBelongToTheRateTheyWereGivenWith) {
  const test::TemporaryDirectory dir;
  const auto board = dir.write("b.yaml", kSpelledOut);
  const Ddr4Memory given = memory_of(board, {});
  EXPECT_EQ(given.timing.cl, 18);
  EXPECT_EQ(given.timing.cwl, 12);  // from the bin
  EXPECT_EQ(given.timing.tfaw, 30);
  EXPECT_EQ(given.timing.trfc, 500);
  EXPECT_EQ(given.timing.read_to_write, 18 + 4 - 12 + 2);
  for (const char* rate : {"memory.data_rate_mtps=3200", "board.memory.data_rate_mtps=3200"}) {
    const Ddr4Memory faster = memory_of(board, {rate});
    EXPECT_EQ(faster.timing.cl, 22) << rate;
    EXPECT_EQ(faster.timing.tfaw, 16) << rate;
    EXPECT_EQ(faster.timing.trfc, 560) << rate;
  }
  EXPECT_EQ(memory_of(board, {"memory.data_rate_mtps=2400"}).timing.tfaw, 30);  // equal to the rate of the board file
}

TEST(Compose, TimingsOfOptionsHoldAtTheRateOfAnotherInAnyOrder) {
  const test::TemporaryDirectory dir;
  const auto board = dir.write("b.yaml", kSpelledOut);
  const std::string rate = "board.memory.data_rate_mtps=3200", timing = "board.memory.timing_nCK.tFAW=24";
  for (const std::vector<std::string>& sets : {std::vector<std::string>{rate, timing}, {timing, rate}}) {
    const Ddr4Memory memory = memory_of(board, sets);
    EXPECT_EQ(memory.timing.tfaw, 24);
    EXPECT_EQ(memory.timing.cl, 22);
    EXPECT_EQ(memory.timing.trfc, 560);
  }
}

TEST(Compose, AFileThatExtendsAnotherMayGiveARateWithItsTimings) {
  const test::TemporaryDirectory dir;
  dir.write("b.yaml", kSpelledOut);
  const auto faster =
      dir.write("c.yaml", "extends: ./b.yaml\nmemory: {data_rate_mtps: 2133, timing_nCK: {tRAS: 40}}\n");
  const Ddr4Memory memory = memory_of(faster, {});
  EXPECT_EQ(memory.data_rate_mtps, (Frequency{6400, 3}));
  EXPECT_EQ(memory.timing.tras, 40);
  EXPECT_EQ(memory.timing.trc, 55);  // tRAS + tRP
  EXPECT_EQ(memory.timing.cl, 15);
  EXPECT_EQ(memory.timing.tfaw, 16);
}

TEST(Compose, ANetworkReplacesAConvolutionAndTheReverse) {
  const RunConfig network = test::run_of("conv-small", {"network=googlenet"});
  EXPECT_TRUE(std::holds_alternative<NamedNetwork>(network.workload));
  const RunConfig convolution =
      test::run_of("googlenet-u250", {"convolution={kind: GW, channels: 3, h: 8, w: 8, filters: 4, kernel: 3}"});
  EXPECT_TRUE(std::holds_alternative<OneConvolution>(convolution.workload));
}

TEST(Compose, AnOverriddenFigureIsNoAssumptionOfTheBoard) {
  const auto assumes = [](const RunConfig& run, const char* key) {
    return std::count(run.board.assumed.begin(), run.board.assumed.end(), key) == 1;
  };
  const char* const key = "memory.shell_latency_cycles";
  EXPECT_TRUE(assumes(test::run_of("googlenet-u250"), key));
  EXPECT_FALSE(assumes(test::run_of("googlenet-u250", {"memory.shell_latency_cycles=0"}), key));
  EXPECT_FALSE(assumes(test::run_of("googlenet-u250", {"memory.kind=ideal"}), key));
}

}  // namespace
}  // namespace weft::config
