// Runs yosys on small blocks of the RTL.
#include "platform/hardware/synth/yosys.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "model/barista/analytical/rtl_resources.h"
#include "model/core/error.h"
#include "model/fpgpt/analytical/rtl_resources.h"
#include "platform/designs/barista/design.h"
#include "platform/designs/fpgpt/design.h"
#include "platform/hardware/synth/calibration.h"
#include "tests/support/files.h"
#include "tests/support/texts.h"

namespace weft::synth {
namespace {

// The data were made with yosys 0.23: results are equal with it, and within a tenth with other versions, which map
// logic differently.
bool as_the_data_say(const LogicUse& use, const LogicUse& data) {
  static const bool of_the_data = yosys_version().rfind("Yosys 0.23", 0) == 0;
  if (of_the_data) return use == data;
  return use.ff == data.ff && use.bram18 == data.bram18 && 10 * std::abs(use.lut - data.lut) <= data.lut;
}

// Results of yosys by the digest of the RTL, the script and yosys' version: it runs again when one of them has changed.
const rtl::BuildContext kKept{WEFT_SOURCE_DIR, std::filesystem::path(WEFT_BUILD_DIR) / "results of yosys"};

// Compares some blocks of the first kernel of the data.
void expect_the_data(const SynthDesign& synth_design, std::initializer_list<std::size_t> blocks) {
  Synthesis synthesis(synth_design, kKept, 2);
  const std::vector<Sample> samples = read_samples(synth_design, WEFT_SOURCE_DIR);
  for (const std::size_t block : blocks) {
    const auto sample = std::find_if(samples.begin(), samples.end(), [&](const Sample& s) { return s.block == block; });
    ASSERT_NE(sample, samples.end());
    const LogicUse use = synthesis.blocks({sample->of.kernel->kernel()}, block).front()[block];
    EXPECT_TRUE(as_the_data_say(use, sample->use))
        << synth_design.blocks()[block] << ": LUT " << use.lut << " FF " << use.ff << " BRAM18 " << use.bram18
        << ", the data say LUT " << sample->use.lut << " FF " << sample->use.ff;
  }
}

// If the RTL changes, the calibration's data must be made again: they would describe other hardware.
TEST(Yosys, GivesWhatTheCalibrationsDataSay) {
  using fpgpt::RtlBlock;
  expect_the_data(fpgpt::synth_design(),
                  {static_cast<std::size_t>(RtlBlock::OutConstructorFgi),
                   static_cast<std::size_t>(RtlBlock::KernReader), static_cast<std::size_t>(RtlBlock::InpConstruct)});
}

TEST(Yosys, GivesWhatTheDataOfBaristaSay) {
  using barista::RtlBlock;
  expect_the_data(barista::synth_design(),
                  {static_cast<std::size_t>(RtlBlock::Drain), static_cast<std::size_t>(RtlBlock::ATile),
                   static_cast<std::size_t>(RtlBlock::Encode)});
}

TEST(Yosys, ABufferInUramTakesUram) {
  Synthesis synthesis(fpgpt::synth_design(), kKept, 2);
  fpgpt::Alpha alpha;
  alpha.x = alpha.y = 2;
  alpha.z = 4;
  alpha.bus_bits = 128;
  alpha.z_channel = 128;
  alpha.k_range = alpha.kern_words = 256;
  alpha.out_words = 512;
  alpha.variant = fpgpt::Variant::FGI;
  alpha.out_storage = fpgpt::Storage::URAM;
  constexpr auto kBlock = fpgpt::RtlBlock::OutConstructorFgi;
  constexpr auto kIndex = static_cast<std::size_t>(kBlock);
  const LogicUse use = synthesis.blocks({fpgpt::synth_kernel(alpha, 64)}, kIndex).front()[kIndex];
  EXPECT_EQ(use.uram, fpgpt::memory_use(kBlock, alpha, 1).uram);
  EXPECT_EQ(use.uram, 1) << "64 bits of 512 words";
  EXPECT_EQ(use.bram18, 0);
}

TEST(Yosys, WhatItKeepsOfADissolvedModuleIsNoCell) {
  const test::TemporaryDirectory directory;
  const auto cells = [](const std::string& more) {
    return R"({"modules": {"\\top": {"num_cells_by_type": {"LUT6": 2, )" + more + R"("CARRY4": 4, "FDRE": 16}}}})";
  };
  const LogicUse use = read_cells(directory.write("a.json", cells(R"("$scopeinfo": 2, )")));
  EXPECT_EQ(use.lut, 2);
  EXPECT_EQ(use.ff, 16);
  EXPECT_THROW(read_cells(directory.write("b.json", cells(R"("$add": 1, )"))), Error);
}

TEST(Yosys, ItsFailureIsReportedWithItsOwnMessage) {
  const test::TemporaryDirectory directory;
  const std::string message = test::message_of([&] {
    map_module("module \\broken\n  cell $nonsense $1\n  end\nend\n", mapping_script(false, false),
               directory.path() / "a.json");
  });
  EXPECT_TRUE(test::has(message, "yosys fails"));
  EXPECT_TRUE(test::has(message, "ERROR"));
  EXPECT_FALSE(std::filesystem::exists(directory.path() / "a.json")) << "nothing half-written";
}

}  // namespace
}  // namespace weft::synth
