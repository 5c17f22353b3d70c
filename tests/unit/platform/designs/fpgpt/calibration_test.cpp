#include "platform/designs/fpgpt/synth/calibration.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "model/core/error.h"
#include "platform/os/content.h"

// The fit in the repository: that it comes from the data beside it, and how wrong it is.
namespace weft::fpgpt {
namespace {

std::vector<Sample> samples() {
  return read_csv(os::content(WEFT_SOURCE_DIR "/model/fpgpt/analytical/rtl_resources.csv"), "rtl_resources.csv");
}

LogicUse model_of(const Sample& sample) {
  return fpgpt::synthesised(sample.block, sample.point.kernel.alpha, sample.point.kernel.max_sets);
}

double relative(std::int64_t model, std::int64_t measured) {
  return static_cast<double>(model - measured) / static_cast<double>(std::max<std::int64_t>(measured, 1));
}

// Per kernel, the sum of its blocks: measured and by the model.
struct Total {
  bool test = false;
  LogicUse measured, model;
};
std::vector<Total> totals() {
  std::map<std::string, Total> by_kernel;
  for (const Sample& s : samples()) {
    const fpgpt::Alpha& a = s.point.kernel.alpha;
    Total& total = by_kernel[fmt::format("{} {} {} {} {} {:d} {:d}", to_string(a.format), a.x, a.y, a.z, a.bus_words(),
                                         a.profile.overlap_drain, a.profile.wide_kern_load)];
    total.test = s.point.test;
    total.measured += s.use;
    total.model += model_of(s);
  }
  std::vector<Total> all;
  all.reserve(by_kernel.size());
  for (const auto& each : by_kernel) all.push_back(each.second);
  return all;
}

TEST(RtlResources, TheDataHasEnoughKernelsOfBothNumbersAndOnesThatTheFitHasNotSeen) {
  EXPECT_EQ(totals().size(), calibration_points().size());
  for (const bool fixed : {false, true}) {
    int fitted = 0, tests = 0;
    for (const Point& point : calibration_points()) {
      if (point.kernel.alpha.format.is_fixed() == fixed) ++(point.test ? tests : fitted);
    }
    EXPECT_GE(fitted, 12) << fixed;
    EXPECT_GE(tests, 4) << fixed;
  }
}

// A fit by hand, or of other data, would not do.
TEST(RtlResources, TheCoefficientsAreTheFitToTheData) {
  for (const auto numbers : {NumberFormat::Kind::Fp32, NumberFormat::Kind::Fixed}) {
    const auto again = fit(samples(), numbers);
    for (std::size_t i = 0; i < fpgpt::kRtlBlocks; ++i) {
      const LogicForm& used = fpgpt::coefficients(static_cast<RtlBlock>(i), numbers);
      const auto same = [&](const std::vector<double>& a, const std::vector<double>& b) {
        ASSERT_EQ(a.size(), b.size()) << i;
        for (std::size_t k = 0; k < a.size(); ++k)
          EXPECT_NEAR(a[k], b[k], 1e-4 * std::abs(b[k]) + 1e-6) << i << " " << k;
      };
      same(used.dsp, again[i].dsp);
      same(used.lut, again[i].lut);
      same(used.ff, again[i].ff);
    }
  }
}

TEST(RtlResources, MemoriesAreThoseOfYosys) {
  for (const Sample& s : samples()) {
    EXPECT_EQ(model_of(s).bram18, s.use.bram18) << fpgpt::to_string(s.block);
    EXPECT_EQ(model_of(s).uram, s.use.uram) << fpgpt::to_string(s.block);
  }
}

// The error that docs/resources.md states, on the kernels that the fit has not seen.
TEST(RtlResources, KernelsThatTheFitHasNotSeenAreAsWrongAsTheDocumentationSays) {
  for (const Total& t : totals()) {
    if (!t.test) continue;
    EXPECT_NEAR(relative(t.model.dsp, t.measured.dsp), 0, 0.02);
    EXPECT_NEAR(relative(t.model.lut, t.measured.lut), 0, 0.10);
    EXPECT_NEAR(relative(t.model.ff, t.measured.ff), 0, 0.05);
  }
}

TEST(RtlResources, EveryBlockOfEveryKernelIsWithinItsTolerance) {
  for (const Sample& s : samples()) {
    const LogicUse model = model_of(s);
    const Alpha& a = s.point.kernel.alpha;
    const auto where = fmt::format("{} of X {} Y {} Z {} band {} {}", fpgpt::to_string(s.block), a.x, a.y, a.z,
                                   a.bus_words(), to_string(a.format));
    EXPECT_LE(std::abs(model.lut - s.use.lut), std::max<std::int64_t>(s.use.lut / 4, 150)) << where;
    EXPECT_LE(std::abs(model.ff - s.use.ff), std::max<std::int64_t>(s.use.ff / 10, 50)) << where;
  }
}

TEST(RtlResources, ADamagedFileIsRefusedWithItsLine) {
  const std::string good = to_csv({samples().front()});
  EXPECT_EQ(to_csv(read_csv(good, "a.csv")), good);
  const auto message = [](const std::string& text) -> std::string {
    try {
      read_csv(text, "a.csv");
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_NE(message("x,y\n").find("a.csv:1"), std::string::npos);
  EXPECT_NE(message(good + "fit,1,2\n").find("a.csv:3"), std::string::npos);
  std::string word = good;
  word.replace(word.find("registers"), 9, "reg1sters");
  EXPECT_NE(message(word).find("'reg1sters'"), std::string::npos);
}

// One PE is 2 DSPs as yosys maps the 24 x 24 product, not the thesis' 9: what else there is does not grow with X * Y.
TEST(RtlResources, APeTakesTwoDsps) {
  fpgpt::Alpha alpha;
  const auto dsps = [&](int x, int y) {
    alpha.x = x;
    alpha.y = y;
    return fpgpt::synthesised(RtlBlock::Array, alpha, 1).dsp;
  };
  EXPECT_EQ(dsps(16, 16), 512);
  EXPECT_EQ(dsps(8, 4), 64);
}

// A product of N bits by N is one DSP48E2 (the thesis has 3 a PE); yosys makes one of less than 9 bits of LUTs.
TEST(RtlResources, APeOfFixedPointTakesOneDspAndNoneAtFourBits) {
  fpgpt::Alpha alpha;
  alpha.x = 16;
  alpha.y = 48;
  for (int bits = 4; bits <= 16; ++bits) {
    alpha.format = NumberFormat::fixed(bits);
    EXPECT_EQ(fpgpt::synthesised(RtlBlock::Array, alpha, 1).dsp, bits == 4 ? 0 : 768) << bits;
  }
}

}  // namespace
}  // namespace weft::fpgpt
