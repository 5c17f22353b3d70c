// The estimate of resources follows from the synthesised kernels next to it.
#include <gtest/gtest.h>

#include "model/copy/analytical/rtl_resources.h"
#include "platform/designs/copy/design.h"
#include "platform/hardware/synth/calibration.h"

namespace weft::copy {
namespace {

std::vector<synth::Sample> samples() {
  return synth::read_samples(synth_design(), WEFT_SOURCE_DIR);
}

TEST(CopyResources, TheCoefficientsAreTheFitToTheData) {
  const std::vector<LogicForm> again = synth::fit(synth_design(), samples(), "rtl_coefficients.inc");
  ASSERT_EQ(again.size(), kRtlBlocks);
  for (std::size_t block = 0; block < kRtlBlocks; ++block) {
    const LogicForm& used = coefficients(static_cast<RtlBlock>(block));
    ASSERT_EQ(used.lut.size(), again[block].lut.size());
    for (std::size_t k = 0; k < used.lut.size(); ++k) {
      EXPECT_NEAR(used.lut[k], again[block].lut[k], 1e-4 * std::abs(used.lut[k]) + 1e-6) << kRtlBlockNames.at(block);
      EXPECT_NEAR(used.ff[k], again[block].ff[k], 1e-4 * std::abs(used.ff[k]) + 1e-6) << kRtlBlockNames.at(block);
    }
  }
}

TEST(CopyResources, AreWithinTenPercentOfTheSynthesis) {
  int tests = 0;
  for (const synth::CheckedKernel& each : synth::checked(samples())) {
    tests += each.test;
    EXPECT_NEAR(static_cast<double>(each.model.lut) / static_cast<double>(each.measured.lut), 1, 0.1) << each.text;
    EXPECT_NEAR(static_cast<double>(each.model.ff) / static_cast<double>(each.measured.ff), 1, 0.1) << each.text;
    EXPECT_EQ(each.measured.dsp + each.measured.bram18 + each.measured.uram, 0) << each.text;
  }
  EXPECT_GE(tests, 2);
}

}  // namespace
}  // namespace weft::copy
