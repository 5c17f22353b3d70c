#include <gtest/gtest.h>

#include "platform/studies/explain/explanation.h"

namespace weft::explain {
namespace {

Line line(std::optional<int> step, double seconds, std::vector<Share> shares, std::int64_t bram) {
  Line line;
  line.ending = step == 0 ? Ending::AsIs : Ending::Kept;
  line.step = step;
  Figures& f = line.figures;
  f.seconds = seconds;
  f.epoch_hours = seconds / 10;
  f.convolutions_seconds = seconds / 4;
  f.shares = std::move(shares);
  f.limiters = {{"reader", 0.8}, {"feeder", 0.15}, {"writer", 0.05}};
  f.kernels = 2;
  f.loads = 3;
  f.misfits = 0;
  f.utilisation = 0.07;
  f.resources = {{"DSP", 100, 1000}, {"BRAM18", bram, 4000}};
  return line;
}

Explanation explanation() {
  Explanation e;
  e.batch = 8;
  e.dataset_images = 50000;
  e.convolutions = 5;
  e.changes = {{"one_kernel", "one kernel for all", ""}, {"clock", "twice the clock", ""}};
  e.lines.push_back(line(0, 40, {{"reconfiguration", 0.9}, {"kernels", 0.1}}, 1000));
  return e;
}

TEST(Verdict, SaysWhatItTakesWhatLimitsItAndWhatToChangeFirstAtWhatPrice) {
  Explanation e = explanation();
  e.lines.push_back(line(1, 10, {{"kernels", 1}}, 1200));
  e.lines[1].change = "one_kernel";
  e.lines[1].gain = 0.75;
  e.lines.push_back(line(2, 0.1, {{"kernels", 1}}, 900));
  e.lines[2].change = "clock";
  EXPECT_EQ(verdict(e),
            (std::vector<std::string>{
                "An iteration of 8 images takes 40.00 s, of which convolutions are 10.00 s; an epoch of 50,000 images "
                "takes 4.00 h.",
                "It is limited by reconfiguration 90.0%, kernels 10.0% (2 kernels, 3 loads); its convolutions by "
                "reader 80.0%, feeder 15.0%; the array computes 7.0% of what it could.",
                "Change first: one_kernel (one kernel for all), which takes the iteration to 1.00 h an epoch, 75.0% "
                "less, with BRAM18 1,200 of 4,000 (+200); all 2 steps to 0.010 h, 400 times as fast, with BRAM18 900 "
                "of 4,000 (-100)."}));
}

TEST(Verdict, SaysThatNothingHelpsAndWhatDoesNotFit) {
  Explanation e = explanation();
  e.no_iteration = "the run has no host";
  e.batch = 1;
  e.lines[0].figures.loads.reset();
  e.lines[0].figures.misfits = 2;
  EXPECT_EQ(verdict(e), (std::vector<std::string>{
                            "The convolutions of 1 image take 40.00 s, and 4.00 h an epoch of 50,000 images.",
                            "It is limited by reconfiguration 90.0%, kernels 10.0%; the array computes 7.0% of what "
                            "it could; the kernels of 2 of 5 convolutions do not fit the board.",
                            "Change first: nothing of what was tried makes it faster."}));
}

}  // namespace
}  // namespace weft::explain
