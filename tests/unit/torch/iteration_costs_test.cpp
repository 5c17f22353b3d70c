#include "torch/iteration_costs.h"

#include <gtest/gtest.h>

#include <tuple>

#include "tests/support/texts.h"

namespace weft::nn {
namespace {

using timeline::StepKind;

timeline::Step step(StepKind activity, Picoseconds start, Picoseconds end) {
  timeline::Step s;
  s.activity = activity;
  s.start = start;
  s.end = end;
  return s;
}

// A call before a transfer counts as the transfer's software, a call before a kernel as the launch's.
TEST(IterationCosts, AreThePartsOfATimeline) {
  timeline::Timeline line;
  line.steps = {step(StepKind::Reconfiguration, 0, 100), step(StepKind::Call, 100, 110),
                step(StepKind::ToCard, 110, 140),        step(StepKind::ToCard, 140, 145),  // no software
                step(StepKind::Call, 145, 152),          step(StepKind::Precompute, 152, 155),
                step(StepKind::Kernel, 155, 185),        step(StepKind::Call, 185, 189),
                step(StepKind::ToHost, 189, 200),        step(StepKind::HostOperator, 200, 1000)};
  line.end = 1000;
  line.launches = 1;
  line.calls = 4;
  line.loads = 1;
  line.to_card = 64;
  line.to_host = 32;
  const IterationCosts costs = costs_of(line);
  EXPECT_EQ(std::tuple(costs.reconfiguration_time, costs.to_card_time, costs.launch_time),
            std::tuple(100, 10 + 30 + 5, 7));
  EXPECT_EQ(std::tuple(costs.kernel_time, costs.to_host_time, costs.host_time), std::tuple(3 + 30, 4 + 11, 800));
  EXPECT_EQ(std::tuple(costs.whole, costs.transfers, costs.register_writes), std::tuple(1000, 3, 31));
}

TEST(IterationCosts, AreWhatACardCameToBetweenTwoMoments) {
  card::Status before, after;
  before.now = 5;
  before.totals.launches = 2;
  before.totals.kernel_time = 3;
  after = before;
  after.now = 45;
  after.totals.launches = 5;
  after.totals.kernel_time = 23;
  after.totals.register_time = 6;
  after.totals.to_card = 100;
  after.totals.to_card_time = 14;
  const IterationCosts costs = costs_between(before, after);
  EXPECT_EQ(std::tuple(costs.whole, costs.launches, costs.kernel_time, costs.launch_time), std::tuple(40, 3, 20, 6));
  EXPECT_EQ(std::tuple(costs.to_card_time, costs.to_card, costs.host_time), std::tuple(14, 100, 0));
  EXPECT_TRUE(costs == costs_between(before, after));
  after.totals.register_writes = 1;
  EXPECT_TRUE(costs != costs_between(before, after));
}

TEST(IterationCosts, AreComparedToThePicosecond) {
  IterationCosts card, line;
  card.kernel_time = line.kernel_time = 1'234'567'890'123'456;
  card.launch_time = 1;
  line.launch_time = 2;
  const std::string table = comparison(card, line);
  EXPECT_TRUE(test::has(table, "1,234,567.890123456 ms"));
  EXPECT_TRUE(test::has(table, "-0.000000001 ms"));
}

TEST(IterationCosts, OfATrainerAreThoseOfAScheduleThatDoesWhatItDoes) {
  config::RunConfig run;
  run.schedule.transfers = config::Transfers::KeepWeights;
  run.schedule.calls = config::Calls::Xrt;
  std::vector<std::string> changed;
  const config::RunConfig planned = run_of_trainer(run, &changed);
  EXPECT_EQ(planned.schedule.transfers, config::Transfers::EveryCall);
  EXPECT_EQ(planned.schedule.calls, config::Calls::Xrt);  // the card decides the cost of a call
  EXPECT_EQ(changed, std::vector<std::string>{"schedule.transfers: every_call"});
}

}  // namespace
}  // namespace weft::nn
