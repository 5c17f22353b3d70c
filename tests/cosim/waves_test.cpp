// The waveforms of the model and those of the RTL, each written from what it is made of: every change of every signal
// is the same, at the same time.
#include <gtest/gtest.h>

#include <memory>

#include "model/fpgpt/systemc/virtual_platform.h"
#include "platform/cosim/build.h"
#include "platform/cosim/lockstep.h"
#include "platform/fpgpt/cosim/data_case.h"
#include "platform/fpgpt/cosim/kernel_case.h"
#include "platform/fpgpt/cosim/limits.h"
#include "platform/fpgpt/watched_kernel.h"
#include "platform/waves/wave_file.h"
#include "platform/waves/writer_build.h"
#include "tests/support/fst_file.h"
#include "tests/support/run_binary.h"

namespace weft {
namespace {

class WavesOfModelAndRtl : public testing::TestWithParam<bool> {
 protected:
  // Runs `chosen` on both, with the ports on these memory channels, and returns what the two files hold.
  std::pair<test::FstFile, test::FstFile> waves(const fpgpt::Chosen& chosen, const cosim::Surroundings& surroundings) {
    const waves::Watched what{chosen.what, {alpha_.fifo.all().begin(), alpha_.fifo.all().end()}, &surroundings.memory};
    const fpgpt::Channels channels{surroundings.channels[0], surroundings.channels[1], surroundings.channels[2]};
    const auto data = [&] {
      return fpgpt::make_case(chosen.layer, chosen.kind, 0, alpha_, 7, channels, chosen.firsts);
    };
    {
      const std::unique_ptr<waves::FstWriter> writer = build_.make(dir_.path() / "model.fst");
      waves::WaveFile file(*writer, fpgpt::topology());
      const std::unique_ptr<memory::Memory> memory = memory::make_memory(surroundings.memory);
      file.begin(what, *memory);
      fpgpt::WatchedKernel kernel(file);
      fpgpt::DataCase model = data();
      file.end(systemc::virtual_platform().run(model.plan, *memory, channels, &model.memory.channels, &kernel).cycles);
    }
    {
      const std::unique_ptr<waves::FstWriter> writer = build_.make(dir_.path() / "rtl.fst");
      waves::WaveFile file(*writer, fpgpt::topology());
      const cosim::Shown shown{what, &file};
      fpgpt::DataCase both = data();
      const cosim::Verdict verdict = cosim::run_lockstep(*rtl_.make(), fpgpt::KernelCase(both.plan),
                                                         both.memory.channels, surroundings, nullptr, &shown);
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
      cosim::Surroundings surroundings = fpgpt::usual_surroundings(alpha_);
      surroundings.memory.kind = kind;
      const auto [model, rtl] = waves(chosen, surroundings);
      EXPECT_EQ(model.end, rtl.end);
      ASSERT_EQ(model.signals.size(), rtl.signals.size());
      // convolution, 11 blocks, 10 FIFOs, AR and R twice, AW, W and B; 17 a channel.
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
    cosim::Surroundings surroundings = fpgpt::usual_surroundings(alpha_);
    surroundings.memory.kind = memory::MemoryKind::ddr4;
    surroundings.channels = surroundings.memory.port_channel = {1, 1, 1};
    const fpgpt::Chosen low{chosen.what, chosen.layer, chosen.kind, {}};
    const auto [model, rtl] = waves(low, surroundings);
    EXPECT_EQ(model.signals.size(), 1U + 11 + 10 + 7 + 17);
    EXPECT_TRUE(model.signals == rtl.signals) << chosen.what;
  }
}

INSTANTIATE_TEST_SUITE_P(Profiles, WavesOfModelAndRtl, testing::Bool(),
                         [](const testing::TestParamInfo<bool>& info) { return info.param ? "Hls" : "Rtl"; });

}  // namespace
}  // namespace weft
