// Waveforms of the model and of the RTL, each written from its own signals: every change of every signal is equal, at
// the same time.
#include <gtest/gtest.h>

#include "model/barista/systemc/virtual_platform.h"
#include "model/fpgpt/systemc/virtual_platform.h"
#include "platform/designs/barista/cosim/random_case.h"
#include "platform/designs/fpgpt/cosim/kernel_case.h"
#include "platform/hardware/waves/wave_file.h"
#include "tests/support/files.h"
#include "tests/support/fst_file.h"

namespace weft {
namespace {

class WavesOfModelAndRtl : public testing::TestWithParam<bool> {
 protected:
  // Runs `chosen` on both, with the ports on these memory channels, and returns the contents of the two files.
  std::pair<test::FstFile, test::FstFile> waves(const fpgpt::Chosen& chosen, const cosim::AxiEnvironment& environment) {
    const stream::Observed what{chosen.what, {alpha_.fifo.all().begin(), alpha_.fifo.all().end()}, &environment.memory};
    const fpgpt::Channels channels{environment.channels[0], environment.channels[1], environment.channels[2]};
    const auto data = [&] {
      return fpgpt::make_case(chosen.layer, chosen.kind, 0, alpha_, 7, channels, chosen.firsts);
    };
    {
      const std::unique_ptr<waves::FstWriter> writer = build_.make(dir_.path() / "model.fst");
      waves::WaveFile file(*writer, fpgpt::topology());
      const std::unique_ptr<memory::Memory> memory = memory::make_memory(environment.memory);
      file.begin(what, *memory);
      fpgpt::DataCase model = data();
      file.end(
          fpgpt::systemc::virtual_platform().run(model.plan, *memory, channels, &model.memory.channels, &file).cycles);
    }
    {
      const std::unique_ptr<waves::FstWriter> writer = build_.make(dir_.path() / "rtl.fst");
      waves::WaveFile file(*writer, fpgpt::topology());
      const cosim::Shown shown{what, &file};
      fpgpt::DataCase both = data();
      const cosim::Verdict verdict = cosim::run_lockstep(*rtl_.make(), fpgpt::KernelCase(both.plan),
                                                         both.memory.channels, environment, nullptr, &shown);
      EXPECT_EQ(verdict.difference, "");
    }
    return {test::read_fst(dir_.path() / "model.fst"), test::read_fst(dir_.path() / "rtl.fst")};
  }

  static cosim::BuildOptions with_states() {
    cosim::BuildOptions options;
    options.quick = true;
    options.jobs = 1;
    options.states = true;
    return options;
  }

  test::TemporaryDirectory dir_;
  fpgpt::Alpha alpha_ = fpgpt::limit_kernel(GetParam());
  cosim::RtlBuild rtl_{fpgpt::hardware(alpha_, fpgpt::kLimitSets), {WEFT_SOURCE_DIR, WEFT_COSIM_CACHE}, with_states()};
  waves::WriterBuild build_{WEFT_SOURCE_DIR, WEFT_WAVES_CACHE};
};

TEST_P(WavesOfModelAndRtl, AreEqualSignalBySignal) {
  std::size_t changes = 0;
  for (const fpgpt::Chosen& chosen : fpgpt::convolutions_at_the_limits()) {
    for (const memory::MemoryKind kind : {memory::MemoryKind::ideal, memory::MemoryKind::ddr4}) {
      SCOPED_TRACE(std::string(chosen.what) + (kind == memory::MemoryKind::ideal ? ", ideal" : ", ddr4"));
      cosim::AxiEnvironment environment = cosim::three_channels(memory::MemoryKind::ddr4, alpha_.beat_bytes());
      environment.memory.kind = kind;
      const auto [model, rtl] = waves(chosen, environment);
      EXPECT_EQ(model.end, rtl.end);
      ASSERT_EQ(model.signals.size(), rtl.signals.size());
      // convolution, 11 blocks, 10 FIFOs, AR and R twice, AW, W and B; 17 per channel.
      EXPECT_EQ(model.signals.size(), 1U + 11 + 10 + 7 + (kind == memory::MemoryKind::ddr4 ? 3 * 17 : 0));
      for (const auto& [name, signal] : model.signals) {
        ASSERT_EQ(rtl.signals.count(name), 1U) << name;
        EXPECT_TRUE(signal == rtl.signals.at(name)) << name;
        changes += signal.changes.size();
      }
    }
  }
  EXPECT_GT(changes, 50000U);
}

TEST_P(WavesOfModelAndRtl, AreEqualWherePortsShareAChannel) {
  for (const fpgpt::Chosen& chosen : fpgpt::convolutions_at_the_limits()) {
    cosim::AxiEnvironment environment = cosim::three_channels(memory::MemoryKind::ddr4, alpha_.beat_bytes());
    environment.memory.kind = memory::MemoryKind::ddr4;
    environment.channels = environment.memory.port_channel = {1, 1, 1};
    const fpgpt::Chosen low{chosen.what, chosen.layer, chosen.kind, {}};
    const auto [model, rtl] = waves(low, environment);
    EXPECT_EQ(model.signals.size(), 1U + 11 + 10 + 7 + 17);
    EXPECT_TRUE(model.signals == rtl.signals) << chosen.what;
  }
}

// GEMMs of one tile and of several, with FIFOs that fill: on ideal memory, on DDR4, and on DDR4 with one channel.
TEST(WavesOfBaristaModelAndRtl, AreEqualSignalBySignal) {
  const test::TemporaryDirectory dir;
  const waves::WriterBuild build{WEFT_SOURCE_DIR, WEFT_WAVES_CACHE};
  barista::Alpha alpha;
  alpha.tr = 2, alpha.tc = 3, alpha.tp = 5, alpha.partials = 2, alpha.band = 4;
  alpha.fifo[barista::FifoId::ABeat] = alpha.fifo[barista::FifoId::CRow] = 1;
  cosim::BuildOptions options;
  options.quick = true;
  options.jobs = 1;
  options.states = true;
  const cosim::RtlBuild rtl(barista::hardware(alpha), {WEFT_SOURCE_DIR, WEFT_COSIM_CACHE}, options);
  std::size_t changes = 0;
  for (const barista::Gemm& gemm : {barista::Gemm{1, 1, 1, 0}, barista::Gemm{5, 23, 10, 0}}) {
    for (const auto& [kind, channels] : {std::pair(memory::MemoryKind::ideal, std::array{0, 1, 2}),
                                         std::pair(memory::MemoryKind::ddr4, std::array{0, 1, 2}),
                                         std::pair(memory::MemoryKind::ddr4, std::array{1, 1, 1})}) {
      SCOPED_TRACE(std::to_string(gemm.r) + (kind == memory::MemoryKind::ideal ? " ideal " : " ddr4 ") +
                   std::to_string(channels[0]));
      cosim::AxiEnvironment environment;
      environment.memory.kind = kind;
      environment.memory.beat_bytes = alpha.beat_bytes();
      environment.memory.kernel_clock = alpha.clock;
      environment.memory.channels = 3;
      environment.channels.assign(channels.begin(), channels.end());
      environment.memory.port_channel = environment.channels;
      const barista::Launch launch{barista::Tiles(alpha, gemm), {0, 0x10000, 0x20000}, 0x30000, 3};
      const barista::Plan plan = barista::make_plan(alpha, gemm, launch.bases, true);
      const auto stores = [] { return std::vector<memory::Store>(3, memory::Store(0x40000, 0)); };
      stream::Observed what{"gemm", {}, &environment.memory};
      for (std::size_t i = 0; i < barista::kFifos; ++i) {
        what.fifo_depths.push_back(alpha.fifo[static_cast<barista::FifoId>(i)]);
      }
      {
        const std::unique_ptr<waves::FstWriter> writer = build.make(dir.path() / "model.fst");
        waves::WaveFile file(*writer, barista::topology());
        const std::unique_ptr<memory::Memory> memory = memory::make_memory(environment.memory);
        std::vector<memory::Store> contents = stores();
        file.begin(what, *memory);
        file.end(barista::systemc::virtual_platform().run(plan, *memory, channels, &contents, &file).cycles);
      }
      {
        const std::unique_ptr<waves::FstWriter> writer = build.make(dir.path() / "rtl.fst");
        waves::WaveFile file(*writer, barista::topology());
        const cosim::Shown shown{what, &file};
        std::vector<memory::Store> contents = stores();
        EXPECT_EQ(
            cosim::run_lockstep(*rtl.make(), barista::GemmCase(plan, launch), contents, environment, nullptr, &shown)
                .difference,
            "");
      }
      const test::FstFile model = test::read_fst(dir.path() / "model.fst"),
                          of_rtl = test::read_fst(dir.path() / "rtl.fst");
      EXPECT_EQ(model.end, of_rtl.end);
      ASSERT_EQ(model.signals.size(), of_rtl.signals.size());
      // 8 blocks, 7 FIFOs, AR and R twice, AW, W and B; 17 per channel.
      const std::size_t memories = kind == memory::MemoryKind::ideal ? 0 : channels[0] == channels[1] ? 1 : 3;
      EXPECT_EQ(model.signals.size(), 1 + barista::kBlocks + barista::kFifos + 7 + memories * 17);
      for (const auto& [name, signal] : model.signals) {
        ASSERT_EQ(of_rtl.signals.count(name), 1U) << name;
        EXPECT_TRUE(signal == of_rtl.signals.at(name)) << name;
        changes += signal.changes.size();
      }
    }
  }
  EXPECT_GT(changes, 3000U);
}

INSTANTIATE_TEST_SUITE_P(Profiles, WavesOfModelAndRtl, testing::Bool(),
                         [](const testing::TestParamInfo<bool>& info) { return info.param ? "Hls" : "Rtl"; });

}  // namespace
}  // namespace weft
