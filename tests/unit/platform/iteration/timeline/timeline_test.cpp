#include "platform/iteration/timeline/timeline.h"

#include <gtest/gtest.h>

namespace weft::timeline {
namespace {

Step step(StepKind activity, Picoseconds start, Picoseconds end, std::optional<std::size_t> after = {}) {
  Step step;
  step.activity = activity;
  step.start = start;
  step.end = end;
  step.after = after;
  return step;
}

// 0..10 host, 5..25 kernel, 20..30 H2C, then idle until a call from 40 to 50: the kernel has priority.
TEST(Breakdown, CountsEachMomentOnceAndAddsUpToTheEnd) {
  Timeline timeline;
  timeline.steps = {step(StepKind::HostOperator, 0, 10), step(StepKind::Kernel, 5, 25), step(StepKind::ToCard, 20, 30),
                    step(StepKind::Call, 40, 50)};
  timeline.end = 50;
  const Breakdown parts = breakdown(timeline);
  EXPECT_EQ(parts.time[static_cast<std::size_t>(StepKind::HostOperator)], 5);
  EXPECT_EQ(parts.time[static_cast<std::size_t>(StepKind::Kernel)], 20);
  EXPECT_EQ(parts.time[static_cast<std::size_t>(StepKind::ToCard)], 5);
  EXPECT_EQ(parts.time[static_cast<std::size_t>(StepKind::Call)], 10);
  EXPECT_EQ(parts.idle, 10);
  const auto shares = busy(timeline);
  EXPECT_EQ(shares[static_cast<std::size_t>(Resource::Host)], 20);
  EXPECT_EQ(shares[static_cast<std::size_t>(Resource::Card)], 20);
  EXPECT_EQ(shares[static_cast<std::size_t>(Resource::ToCard)], 10);
}

TEST(CriticalPath, GoesBackFromTheLastEnd) {
  Timeline timeline;
  timeline.steps = {step(StepKind::HostOperator, 0, 10), step(StepKind::Kernel, 10, 40, 0),
                    step(StepKind::ToCard, 10, 20, 0), step(StepKind::ToHost, 40, 50, 1)};
  timeline.end = 50;
  EXPECT_EQ(critical_path(timeline), (std::vector<std::size_t>{0, 1, 3}));
}

}  // namespace
}  // namespace weft::timeline
