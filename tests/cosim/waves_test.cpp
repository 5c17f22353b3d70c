// Waveforms of the model and of the RTL, each written from its own signals: every change of every signal is equal, at
// the same time.
#include <gtest/gtest.h>

#include <functional>

#include "model/barista/systemc/virtual_platform.h"
#include "model/fpgpt/systemc/virtual_platform.h"
#include "platform/designs/barista/cosim/random_case.h"
#include "platform/designs/fpgpt/cosim/kernel_case.h"
#include "platform/hardware/waves/wave_file.h"
#include "tests/support/files.h"
#include "tests/support/fst_file.h"

namespace weft {
namespace {

using Watched = std::function<void(waves::WaveFile&)>;

// The waveforms of a run with this observer.
test::FstFile written(const Topology& topology, const Watched& run) {
  const waves::WriterBuild build(WEFT_SOURCE_DIR, WEFT_WAVES_CACHE);
  const test::TemporaryDirectory dir;
  {
    const std::unique_ptr<waves::FstWriter> writer = build.make(dir.path() / "a.fst");
    waves::WaveFile file(*writer, topology);
    run(file);
  }
  return test::read_fst(dir.path() / "a.fst");
}

// Compares the waveforms of the model and of the RTL, which must have this number of signals. Returns their changes.
std::size_t expect_equal(const Topology& topology, std::size_t signals, const Watched& run_model,
                         const Watched& run_rtl) {
  const test::FstFile model = written(topology, run_model), rtl = written(topology, run_rtl);
  EXPECT_EQ(model.end, rtl.end);
  EXPECT_EQ(model.signals.size(), signals);
  EXPECT_EQ(rtl.signals.size(), signals);
  std::size_t changes = 0;
  for (const auto& [name, signal] : model.signals) {
    const auto other = rtl.signals.find(name);
    EXPECT_TRUE(other != rtl.signals.end() && signal == other->second) << name;
    changes += signal.changes.size();
  }
  return changes;
}

// Signals of a kernel: convolution, 32 bits of cycle, blocks, FIFOs, AR and R twice, AW, W and B; 17 of a channel.
std::size_t signals_of(const Topology& topology, std::size_t channels) {
  return 1 + 32 + topology.blocks.size() + topology.fifos.size() + 7 + 17 * channels;
}

cosim::BuildOptions with_states() {
  cosim::BuildOptions options;
  options.quick = true;
  options.jobs = 1;
  options.states = true;
  return options;
}

class WavesOfModelAndRtl : public testing::TestWithParam<bool> {
 protected:
  // Runs `chosen` on both, with the ports on these memory channels.
  std::size_t expect_equal_waves(const fpgpt::Chosen& chosen, const cosim::AxiEnvironment& environment,
                                 std::size_t memories) {
    const stream::Observed what{chosen.what, {alpha_.fifo.all().begin(), alpha_.fifo.all().end()}, &environment.memory};
    const fpgpt::Channels channels{environment.channels[0], environment.channels[1], environment.channels[2]};
    const auto data = [&] {
      return fpgpt::make_case(chosen.layer, chosen.kind, 0, alpha_, 7, channels, chosen.firsts);
    };
    const Watched model = [&](waves::WaveFile& file) {
      const std::unique_ptr<memory::Memory> memory = memory::make_memory(environment.memory);
      file.begin(what, *memory);
      fpgpt::DataCase one = data();
      file.end(fpgpt::systemc::virtual_platform().run(one.plan, *memory, channels, &one.memory.channels, &file).cycles);
    };
    const Watched rtl = [&](waves::WaveFile& file) {
      const cosim::Shown shown{what, &file};
      fpgpt::DataCase both = data();
      const cosim::Verdict verdict = cosim::run_lockstep(*rtl_.make(), fpgpt::KernelCase(both.plan),
                                                         both.memory.channels, environment, nullptr, &shown);
      EXPECT_EQ(verdict.difference, "");
    };
    return expect_equal(fpgpt::topology(), signals_of(fpgpt::topology(), memories), model, rtl);
  }

  fpgpt::Alpha alpha_ = fpgpt::limit_kernel(GetParam());
  cosim::RtlBuild rtl_{fpgpt::hardware(alpha_, fpgpt::kLimitSets), {WEFT_SOURCE_DIR, WEFT_COSIM_CACHE}, with_states()};
};

TEST_P(WavesOfModelAndRtl, AreEqualSignalBySignal) {
  std::size_t changes = 0;
  for (const fpgpt::Chosen& chosen : fpgpt::convolutions_at_the_limits()) {
    for (const memory::MemoryKind kind : {memory::MemoryKind::ideal, memory::MemoryKind::ddr4}) {
      SCOPED_TRACE(std::string(chosen.what) + (kind == memory::MemoryKind::ideal ? ", ideal" : ", ddr4"));
      cosim::AxiEnvironment environment =
          cosim::three_channels(memory::MemoryKind::ddr4, alpha_.beat_bytes(fpgpt::Port::Inp));
      environment.memory.kind = kind;
      changes += expect_equal_waves(chosen, environment, kind == memory::MemoryKind::ddr4 ? 3 : 0);
    }
  }
  EXPECT_GT(changes, 50000U);
}

TEST_P(WavesOfModelAndRtl, AreEqualWherePortsShareAChannel) {
  for (const fpgpt::Chosen& chosen : fpgpt::convolutions_at_the_limits()) {
    SCOPED_TRACE(chosen.what);
    cosim::AxiEnvironment environment =
        cosim::three_channels(memory::MemoryKind::ddr4, alpha_.beat_bytes(fpgpt::Port::Inp));
    environment.memory.kind = memory::MemoryKind::ddr4;
    environment.channels = environment.memory.port_channel = {1, 1, 1};
    expect_equal_waves({chosen.what, chosen.layer, chosen.kind, {}}, environment, 1);
  }
}

// GEMMs of one tile and of several, with FIFOs that fill: on ideal memory, on DDR4, and on DDR4 with one channel.
TEST(WavesOfBaristaModelAndRtl, AreEqualSignalBySignal) {
  barista::Alpha alpha;
  alpha.tr = 2, alpha.tc = 3, alpha.tp = 5, alpha.partials = 2, alpha.band = 4;
  alpha.fifo[barista::FifoId::ABeat] = alpha.fifo[barista::FifoId::CRow] = 1;
  const cosim::RtlBuild rtl(barista::hardware(alpha), {WEFT_SOURCE_DIR, WEFT_COSIM_CACHE}, with_states());
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
      const Watched run_model = [&, of_port = channels](waves::WaveFile& file) {
        const std::unique_ptr<memory::Memory> memory = memory::make_memory(environment.memory);
        std::vector<memory::Store> contents = stores();
        file.begin(what, *memory);
        file.end(barista::systemc::virtual_platform().run(plan, *memory, of_port, &contents, &file).cycles);
      };
      const Watched run_rtl = [&](waves::WaveFile& file) {
        const cosim::Shown shown{what, &file};
        std::vector<memory::Store> contents = stores();
        const barista::GemmCase gemm_case(plan, launch);
        EXPECT_EQ(cosim::run_lockstep(*rtl.make(), gemm_case, contents, environment, nullptr, &shown).difference, "");
      };
      const std::size_t memories = kind == memory::MemoryKind::ideal ? 0 : channels[0] == channels[1] ? 1 : 3;
      changes += expect_equal(barista::topology(), signals_of(barista::topology(), memories), run_model, run_rtl);
    }
  }
  EXPECT_GT(changes, 3000U);
}

INSTANTIATE_TEST_SUITE_P(Profiles, WavesOfModelAndRtl, testing::Bool(),
                         [](const testing::TestParamInfo<bool>& info) { return info.param ? "Hls" : "Rtl"; });

}  // namespace
}  // namespace weft
