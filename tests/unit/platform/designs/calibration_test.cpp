#include "platform/hardware/synth/calibration.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "model/barista/analytical/rtl_resources.h"
#include "model/fpgpt/analytical/rtl_resources.h"
#include "platform/designs/barista/design.h"
#include "platform/designs/fpgpt/design.h"
#include "platform/os/content.h"
#include "tests/support/texts.h"

// The fits in the repository: they follow from the data next to them and have the documented errors.
namespace weft::synth {
namespace {

constexpr const char *kFp32 = "rtl_coefficients.inc", *kFixed = "rtl_coefficients_fixed.inc";

double relative(std::int64_t model, std::int64_t measured) {
  return static_cast<double>(model - measured) / static_cast<double>(std::max<std::int64_t>(measured, 1));
}

class RtlResources : public testing::TestWithParam<const SynthDesign*> {
 protected:
  const SynthDesign& synth_design() const { return *GetParam(); }
  std::vector<Sample> samples() const { return read_samples(synth_design(), WEFT_SOURCE_DIR); }
};

INSTANTIATE_TEST_SUITE_P(Of, RtlResources, testing::Values(&fpgpt::synth_design(), &barista::synth_design()),
                         [](const auto& info) {
                           return std::string(info.param == &fpgpt::synth_design() ? "Fpgpt" : "Barista");
                         });

TEST_P(RtlResources, TheDataHaveEveryBlockOfEachKernel) {
  const std::vector<Sample> all = samples();
  const std::vector<CalibrationKernel> asked = kernels_of(all);
  std::size_t next = 0, kernels = 0;
  for (const CalibrationKernel& each : asked) {
    for (std::size_t block = 0; block < synth_design().blocks().size(); ++block) {
      if (!each.kernel->has_block(block)) continue;
      ASSERT_LT(next, all.size());
      EXPECT_EQ(all[next].block, block);
      EXPECT_EQ(all[next].of.test, each.test);
      EXPECT_EQ(all[next++].of.kernel->cells(), each.kernel->cells());
    }
    ++kernels;
  }
  EXPECT_EQ(next, all.size());
  EXPECT_EQ(checked(all).size(), kernels);
  EXPECT_EQ(to_csv(synth_design(), all),
            os::content(fmt::format("{}/{}/rtl_resources.csv", WEFT_SOURCE_DIR, synth_design().folder())));
}

void expect_equal(const LogicForm& used, const LogicForm& again) {
  const auto same = [&](const std::vector<double>& a, const std::vector<double>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-4 * std::abs(b[k]) + 1e-6) << k;
  };
  same(used.dsp, again.dsp);
  same(used.lut, again.lut);
  same(used.ff, again.ff);
}

// Detects a fit by hand or of other data.
TEST_P(RtlResources, TheCoefficientsAreTheFitToTheData) {
  const bool of_fpgpt = &synth_design() == &fpgpt::synth_design();
  for (const char* file : {kFp32, kFixed}) {
    if (!of_fpgpt && file == kFixed) continue;
    const std::vector<LogicForm> again = fit(synth_design(), samples(), file);
    for (std::size_t i = 0; i < again.size(); ++i) {
      SCOPED_TRACE(synth_design().blocks()[i]);
      expect_equal(of_fpgpt ? fpgpt::coefficients(static_cast<fpgpt::RtlBlock>(i),
                                                  file == kFp32 ? NumberFormat::Kind::Fp32 : NumberFormat::Kind::Fixed)
                            : barista::coefficients(static_cast<barista::RtlBlock>(i)),
                   again[i]);
    }
  }
}

TEST_P(RtlResources, MemoriesAreThoseOfYosys) {
  for (const Sample& s : samples()) {
    const LogicUse model = s.of.kernel->model(s.block);
    EXPECT_EQ(model.bram18, s.use.bram18) << synth_design().blocks()[s.block];
    EXPECT_EQ(model.uram, s.use.uram) << synth_design().blocks()[s.block];
  }
}

// Checks the errors that docs/explanation/resources.md states, on the kernels left out of the fit.
TEST_P(RtlResources, KernelsThatTheFitHasNotSeenAreAsWrongAsTheDocumentationSays) {
  int tests = 0;
  for (const CheckedKernel& each : checked(samples())) {
    if (!each.test && &synth_design() == &fpgpt::synth_design()) continue;
    ++tests;
    EXPECT_NEAR(relative(each.model.dsp, each.measured.dsp), 0, 0.02) << each.text;
    EXPECT_NEAR(relative(each.model.lut, each.measured.lut), 0, 0.10) << each.text;
    EXPECT_NEAR(relative(each.model.ff, each.measured.ff), 0, 0.05) << each.text;
  }
  EXPECT_GE(tests, 8);
}

TEST_P(RtlResources, ADamagedFileIsRefusedWithItsLine) {
  const auto read = [&](const std::string& text) { return read_csv(synth_design(), text, "a.csv"); };
  const std::string good = to_csv(synth_design(), {samples().front()});
  EXPECT_EQ(to_csv(synth_design(), read(good)), good);
  const auto message = [&](const std::string& text) { return test::message_of([&] { read(text); }); };
  EXPECT_TRUE(test::has(message("x,y\n"), "a.csv:1"));
  const auto columns = 1 + std::count(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(good.find('\n')), ',');
  EXPECT_TRUE(test::has(message(good + "fit,1,2\n"), fmt::format("a.csv:3: must have {} columns, has 3", columns)));
  std::string word = good;
  word.replace(word.find("registers"), 9, "reg1sters");
  EXPECT_TRUE(test::has(message(word), "a.csv:2: there is no block 'reg1sters'"));
}

TEST(RtlResourcesOfFpgpt, HaveEnoughKernelsOfBothNumbersAndOnesThatTheFitHasNotSeen) {
  for (const std::string file : {kFp32, kFixed}) {
    int fitted = 0, tests = 0;
    for (const CalibrationKernel& each : kernels_of(read_samples(fpgpt::synth_design(), WEFT_SOURCE_DIR))) {
      if (each.kernel->coefficients() == file) ++(each.test ? tests : fitted);
    }
    EXPECT_GE(fitted, 12) << file;
    EXPECT_GE(tests, 4) << file;
  }
}

TEST(RtlResourcesOfFpgpt, AreWithinTheirToleranceInEveryBlockOfEveryKernel) {
  for (const Sample& s : read_samples(fpgpt::synth_design(), WEFT_SOURCE_DIR)) {
    const LogicUse model = s.of.kernel->model(s.block);
    const auto where = fmt::format("{} of {}", fpgpt::synth_design().blocks()[s.block], s.of.kernel->described().text);
    EXPECT_LE(std::abs(model.lut - s.use.lut), std::max<std::int64_t>(s.use.lut / 4, 150)) << where;
    EXPECT_LE(std::abs(model.ff - s.use.ff), std::max<std::int64_t>(s.use.ff / 10, 50)) << where;
  }
}

// One PE is 2 DSPs by yosys' mapping of the 24 x 24 product, not the thesis' 9: other cells do not grow with X * Y.
TEST(RtlResourcesOfFpgpt, HaveTwoDspsAPe) {
  fpgpt::Alpha alpha;
  const auto dsps = [&](int x, int y) {
    alpha.x = x;
    alpha.y = y;
    return fpgpt::synthesised(fpgpt::RtlBlock::Array, alpha, 1).dsp;
  };
  EXPECT_EQ(dsps(16, 16), 512);
  EXPECT_EQ(dsps(8, 4), 64);
}

// A product of N bits by N is one DSP48E2 (the thesis has 3 per PE); yosys maps one of less than 9 bits to LUTs.
TEST(RtlResourcesOfFpgpt, HaveOneDspAPeOfFixedPointAndNoneAtFourBits) {
  fpgpt::Alpha alpha;
  alpha.x = 16;
  alpha.y = 48;
  for (int bits = 4; bits <= 16; ++bits) {
    alpha.format = NumberFormat::fixed(bits);
    EXPECT_EQ(fpgpt::synthesised(fpgpt::RtlBlock::Array, alpha, 1).dsp, bits == 4 ? 0 : 768) << bits;
  }
}

// The tile that was built is not part of the fit.
TEST(RtlResourcesOfBarista, HaveTheTileThatWasBuiltKeptOut) {
  const auto kernels = kernels_of(read_samples(barista::synth_design(), WEFT_SOURCE_DIR));
  const auto built = std::find_if(kernels.begin(), kernels.end(), [](const CalibrationKernel& each) {
    return each.kernel->cells()[0] == "16" && each.kernel->cells()[1] == "16";
  });
  ASSERT_NE(built, kernels.end());
  EXPECT_TRUE(built->test);
}

// Every memory is read without a register, so none is a BRAM or a URAM.
TEST(RtlResourcesOfBarista, HaveNoBlockOfMemory) {
  for (const Sample& s : read_samples(barista::synth_design(), WEFT_SOURCE_DIR)) {
    const std::string_view block = barista::synth_design().blocks()[s.block];
    EXPECT_EQ(s.use.bram18, 0) << block;
    EXPECT_EQ(s.use.uram, 0) << block;
    EXPECT_LE(s.of.kernel->memory_use(s.block).lut, s.use.lut) << block;
  }
}

}  // namespace
}  // namespace weft::synth
