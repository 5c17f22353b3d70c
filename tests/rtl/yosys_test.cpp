// yosys itself, on small blocks of the RTL.
#include "platform/hardware/synth/yosys.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "model/core/error.h"
#include "platform/designs/barista/synth/calibration.h"
#include "platform/designs/barista/synth/subject.h"
#include "platform/designs/fpgpt/synth/calibration.h"
#include "platform/designs/fpgpt/synth/subject.h"
#include "platform/hardware/synth/synthesis.h"
#include "platform/os/content.h"
#include "tests/support/run_binary.h"

namespace weft::synth {
namespace {

using fpgpt::RtlBlock;

LogicUse of_block(Synthesis& synthesis, const fpgpt::SizedKernel& kernel, RtlBlock block) {
  const auto index = static_cast<std::size_t>(block);
  return synthesis.blocks({fpgpt::synth_kernel(kernel.alpha, kernel.max_sets)}, index).front()[index];
}

// The data were made with yosys 0.23: exactly with it, and within a tenth with another, which maps logic in its own
// way.
bool as_the_data_say(const LogicUse& use, const LogicUse& data) {
  static const bool of_the_data = yosys_version().rfind("Yosys 0.23", 0) == 0;
  if (of_the_data) return use == data;
  return use.ff == data.ff && use.bram18 == data.bram18 && 10 * std::abs(use.lut - data.lut) <= data.lut;
}

// The data of the calibration would be about other hardware if the RTL changed and it did not.
TEST(Yosys, GivesWhatTheCalibrationsDataSay) {
  const test::TemporaryDirectory directory;
  Synthesis synthesis(fpgpt::synth_subject(), {WEFT_SOURCE_DIR, directory.path() / "a folder"}, 2);
  const std::vector<fpgpt::Sample> samples =
      fpgpt::read_csv(os::content(WEFT_SOURCE_DIR "/model/fpgpt/analytical/rtl_resources.csv"), "rtl_resources.csv");
  const fpgpt::SizedKernel kernel = fpgpt::calibration_points().front().kernel;
  for (const RtlBlock block : {RtlBlock::OutConstructorFgi, RtlBlock::KernReader, RtlBlock::InpConstruct}) {
    const auto same = [&](const fpgpt::Sample& s) {
      return s.block == block && s.point.kernel.alpha.x == kernel.alpha.x && s.point.kernel.alpha.y == kernel.alpha.y;
    };
    const auto sample = std::find_if(samples.begin(), samples.end(), same);
    ASSERT_NE(sample, samples.end());
    const LogicUse use = of_block(synthesis, kernel, block);
    EXPECT_TRUE(as_the_data_say(use, sample->use))
        << fpgpt::to_string(block) << ": LUT " << use.lut << " FF " << use.ff << " BRAM18 " << use.bram18
        << ", the data say LUT " << sample->use.lut << " FF " << sample->use.ff;
  }
}

// Likewise Barista's.
TEST(Yosys, GivesWhatTheDataOfBaristaSay) {
  using barista::RtlBlock;
  const test::TemporaryDirectory directory;
  Synthesis synthesis(barista::synth_subject(), {WEFT_SOURCE_DIR, directory.path()}, 2);
  const std::vector<barista::Sample> samples = barista::read_csv(
      os::content(WEFT_SOURCE_DIR "/model/barista/analytical/rtl_resources.csv"), "rtl_resources.csv");
  for (const RtlBlock block : {RtlBlock::Drain, RtlBlock::ATile, RtlBlock::Encode}) {
    const auto index = static_cast<std::size_t>(block);
    const barista::Sample& sample = samples[index];  // of the first kernel
    ASSERT_EQ(sample.block, block);
    const LogicUse use = synthesis.blocks({barista::synth_kernel(sample.point.alpha)}, index).front()[index];
    EXPECT_TRUE(as_the_data_say(use, sample.use))
        << barista::to_string(block) << ": LUT " << use.lut << " FF " << use.ff << ", the data say LUT "
        << sample.use.lut << " FF " << sample.use.ff;
  }
}

TEST(Yosys, ABufferInUramTakesUram) {
  const test::TemporaryDirectory directory;
  Synthesis synthesis(fpgpt::synth_subject(), {WEFT_SOURCE_DIR, directory.path()}, 2);
  fpgpt::SizedKernel kernel = fpgpt::calibration_points().front().kernel;
  kernel.alpha.variant = fpgpt::Variant::FGI;
  kernel.alpha.out_storage = fpgpt::Storage::URAM;
  const LogicUse use = of_block(synthesis, kernel, RtlBlock::OutConstructorFgi);
  EXPECT_EQ(use.uram, fpgpt::memory_use(RtlBlock::OutConstructorFgi, kernel.alpha, 1).uram);
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
  try {
    map_module("module \\broken\n  cell $nonsense $1\n  end\nend\n", mapping_script(false, false),
               directory.path() / "a.json");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("yosys fails"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("ERROR"), std::string::npos) << error.what();
  }
  EXPECT_FALSE(std::filesystem::exists(directory.path() / "a.json")) << "nothing half-written";
}

}  // namespace
}  // namespace weft::synth
