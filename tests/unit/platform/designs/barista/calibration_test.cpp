#include "platform/designs/barista/synth/calibration.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "model/core/error.h"
#include "platform/os/content.h"

// The fit in the repository: that it comes from the data beside it, and how wrong it is.
namespace weft::barista {
namespace {

std::vector<Sample> samples() {
  return read_csv(os::content(WEFT_SOURCE_DIR "/model/barista/analytical/rtl_resources.csv"), "rtl_resources.csv");
}

double relative(std::int64_t model, std::int64_t measured) {
  return static_cast<double>(model - measured) / static_cast<double>(std::max<std::int64_t>(measured, 1));
}

TEST(BaristaRtlResources, TheDataAreOfTheKernelsThatAreAskedFor) {
  const std::vector<Sample> all = samples();
  const std::vector<Point> points = calibration_points();
  ASSERT_EQ(all.size(), points.size() * kRtlBlocks);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Alpha &measured = all[i].point.alpha, &asked = points[i / kRtlBlocks].alpha;
    EXPECT_EQ(all[i].point.test, points[i / kRtlBlocks].test);
    EXPECT_EQ((std::vector<int>{measured.tr, measured.tc, measured.tp, measured.partials, measured.band}),
              (std::vector<int>{asked.tr, asked.tc, asked.tp, asked.partials, asked.band}));
    EXPECT_EQ(all[i].block, static_cast<RtlBlock>(i % kRtlBlocks));
  }
  // The tile that was built is one that the fit has not seen.
  const auto built =
      std::find_if(points.begin(), points.end(), [](const Point& p) { return p.alpha.tr * p.alpha.tc == 256; });
  ASSERT_NE(built, points.end());
  EXPECT_TRUE(built->test);
  EXPECT_EQ(to_csv(all), os::content(WEFT_SOURCE_DIR "/model/barista/analytical/rtl_resources.csv"));
}

// A fit by hand, or of other data, would not do.
TEST(BaristaRtlResources, TheCoefficientsAreTheFitToTheData) {
  const Fit again = fit(samples());
  for (std::size_t i = 0; i < kRtlBlocks; ++i) {
    const LogicForm& used = coefficients(static_cast<RtlBlock>(i));
    const auto same = [&](const std::vector<double>& a, const std::vector<double>& b) {
      ASSERT_EQ(a.size(), b.size()) << i;
      for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-4 * std::abs(b[k]) + 1e-6) << i << " " << k;
    };
    same(used.dsp, again.at(i).dsp);
    same(used.lut, again.at(i).lut);
    same(used.ff, again.at(i).ff);
  }
}

// Every memory is read without a register: none is a BRAM or a URAM.
TEST(BaristaRtlResources, NoMemoryIsABlockOfMemory) {
  for (const Sample& s : samples()) {
    EXPECT_EQ(s.use.bram18, 0) << to_string(s.block);
    EXPECT_EQ(s.use.uram, 0) << to_string(s.block);
    EXPECT_LE(memory_use(s.block, s.point.alpha).lut, s.use.lut) << to_string(s.block);
  }
}

// The errors that docs/resources.md states.
TEST(BaristaRtlResources, KernelsAreAsWrongAsTheDocumentationSays) {
  const std::vector<synth::CheckedKernel> kernels = checked(samples());
  ASSERT_EQ(kernels.size(), calibration_points().size());
  for (const synth::CheckedKernel& each : kernels) {
    EXPECT_NEAR(relative(each.model.dsp, each.measured.dsp), 0, 0.02) << each.text;
    EXPECT_NEAR(relative(each.model.lut, each.measured.lut), 0, 0.10) << each.text;
    EXPECT_NEAR(relative(each.model.ff, each.measured.ff), 0, 0.05) << each.text;
  }
}

TEST(BaristaRtlResources, ADamagedFileIsRefusedWithItsLine) {
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
  EXPECT_NE(message(good + "fit,1,2\n").find("a.csv:3: must have 12 columns, has 3"), std::string::npos);
  std::string word = good;
  word.replace(word.find("registers"), 9, "reg1sters");
  EXPECT_NE(message(word).find("a.csv:2: there is no block 'reg1sters'"), std::string::npos);
}

}  // namespace
}  // namespace weft::barista
