#include "platform/iteration/precision/precision_schedule.h"

#include "tests/support/texts.h"

namespace weft::precision {
namespace {

using Levels = std::vector<Level>;

const std::vector<std::string>& names() {
  static const std::vector<std::string> of{"a:F", "b:F"};
  return of;
}
// Times by level: the first convolution gains at every level, the second nothing.
std::vector<LevelTimes> times() {
  return {{100, 110, 120, 130, 140}, {100, 100, 100, 100, 100}};
}

Replay by_epochs(std::vector<int> switches) {
  Replay replay;
  replay.switch_epochs = std::move(switches);
  return replay;
}

// Earliest switches: a level lasts 9 epochs, FP32 45.
TEST(PrecisionSchedule, FollowsSwitchEpochs) {
  const PrecisionSchedule precision_schedule = replay(by_epochs({9, 18, 27, 36}), 391, names(), {});
  ASSERT_EQ(precision_schedule.epochs.size(), 81U);
  for (std::size_t e = 0; e < 81; ++e) {
    const Level level = e < 9 ? 8 : e < 18 ? 12 : e < 27 ? 14 : e < 36 ? 16 : kFp32;
    EXPECT_EQ(precision_schedule.epochs[e].level, level) << e;
    ASSERT_EQ(precision_schedule.epochs[e].stretches.size(), 1U);
    EXPECT_EQ(precision_schedule.epochs[e].stretches[0].iterations, 391);
    EXPECT_EQ(precision_schedule.epochs[e].stretches[0].levels, (Levels{level, level}));
    EXPECT_DOUBLE_EQ(precision_schedule.epochs[e].rate, e < 51 ? 1 : e < 66 ? 0.1 : 0.01) << e;
  }
  EXPECT_THROW(replay(by_epochs({9, 18}), 391, names(), {}), std::invalid_argument);
}

DiversityTrace earliest(int rows) {
  DiversityTrace trace;
  trace.file = "d.csv";
  for (int i = 0; i < rows; ++i) trace.rows.push_back({i + 2, 3 * i + 2, i % 3 == 0 ? 1.0 : 0.01});
  return trace;
}

TEST(PrecisionSchedule, ReplaysDiversities) {
  Replay with;
  with.diversities = earliest(14);
  const PrecisionSchedule precision_schedule = replay(with, 10, names(), {});
  ASSERT_EQ(precision_schedule.epochs.size(), 81U);
  EXPECT_EQ(precision_schedule.epochs[8].level, 8);
  EXPECT_EQ(precision_schedule.epochs[8].diversity, 0.01);
  EXPECT_EQ(precision_schedule.epochs[5].violations, 1);
  EXPECT_EQ(precision_schedule.epochs[8].violations, 2);
  EXPECT_EQ(precision_schedule.epochs[9].level, 12);
  EXPECT_EQ(precision_schedule.epochs[36].level, kFp32);
  EXPECT_EQ(precision_schedule.unused_lines, 2U);  // twelve are used
}

TEST(PrecisionSchedule, SaysWhereATraceOfDiversitiesEndsTooSoon) {
  Replay with;
  with.diversities = earliest(4);
  EXPECT_EQ(test::message_of<InputError>([&] { replay(with, 10, names(), {}); }),
            "d.csv:5: diversity: the trace ends before epoch 14, in which MuPPET is at fxp12 and needs a diversity");
}

// Errors of 12 and 8 bits in each of two ticks of epochs 9 to 17.
ErrorTrace errors() {
  ErrorTrace trace;
  trace.file = "e.csv";
  trace.last_line = 99;
  for (int epoch = 9; epoch < 18; ++epoch) {
    for (int tick = 0; tick < 2; ++tick) trace.ticks[{epoch, tick}] = {2, {{{0, 8}, 0.5}, {{0, 12}, 0.46875}}};
  }
  return trace;
}

// 0.5 - 0.46875 passes: the third tick is that of the first half of epoch 10, from whose second half on the first
// convolution is in 8 bits. It returns to MuPPET's 14 at epoch 18. Two ticks of 391 iterations: 195 and 196.
TEST(PrecisionSchedule, LowersConvolutionsAtTicksAndRaisesThemWithMuppet) {
  Replay with = by_epochs({9, 18, 19, 20});
  with.gm.ticks_per_epoch = 2;
  with.errors = errors();
  // 14 and 16 bits need errors too; these are too large to pass.
  for (const int epoch : {18, 19}) {
    for (int tick = 0; tick < 2; ++tick) {
      with.errors->ticks[{epoch, tick}] = {3, {{{0, 12}, 1}, {{0, 14}, 0}, {{0, 16}, 0}}};
    }
  }
  with.errors->ticks[{19, 0}].errors[{0, 14}] = 1;
  with.errors->ticks[{19, 1}].errors[{0, 14}] = 1;
  const PrecisionSchedule precision_schedule = replay(with, 391, names(), times());
  EXPECT_EQ(precision_schedule.accelerated, (std::vector<std::size_t>{0}));
  const auto stretches = [&](std::size_t epoch) {
    std::vector<std::pair<std::int64_t, Levels>> list;
    for (const Stretch& each : precision_schedule.epochs[epoch].stretches)
      list.emplace_back(each.iterations, each.levels);
    return list;
  };
  using List = std::vector<std::pair<std::int64_t, Levels>>;
  EXPECT_EQ(stretches(8), (List{{391, {8, 8}}}));
  EXPECT_EQ(stretches(9), (List{{391, {12, 12}}}));
  EXPECT_EQ(stretches(10), (List{{195, {12, 12}}, {196, {8, 12}}}));
  EXPECT_EQ(stretches(17), (List{{391, {8, 12}}}));
  EXPECT_EQ(stretches(18), (List{{391, {14, 14}}}));
  EXPECT_EQ(stretches(20), (List{{391, {kFp32, kFp32}}}));
  // Two errors per tick; 3 ticks of epochs 9 to 17 are used, 15 are not.
  EXPECT_EQ(precision_schedule.unused_lines, 30U);
}

TEST(PrecisionSchedule, SaysWhichErrorIsMissing) {
  Replay with = by_epochs({9, 18, 27, 36});
  with.errors = errors();
  with.errors->ticks.erase({10, 0});
  EXPECT_EQ(test::message_of<InputError>([&] { replay(with, 391, names(), times()); }),
            "e.csv:99: rae: no error of 'a:F' at fxp12 in epoch 10, tick 0, but GM needs one");
}

TEST(IterationsOfTicks, ShareTheEpochWithoutARest) {
  EXPECT_EQ(iterations_of_ticks(10, 0, 3), 0);
  EXPECT_EQ(iterations_of_ticks(10, 1, 3), 3);
  EXPECT_EQ(iterations_of_ticks(10, 2, 3), 6);
  EXPECT_EQ(iterations_of_ticks(10, 3, 3), 10);
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(iterations_of_ticks(kMost, 99'999, 100'000), 9'223'279'803'134'407'259);
  EXPECT_EQ(iterations_of_ticks(kMost, 100'000, 100'000), kMost);
}

}  // namespace
}  // namespace weft::precision
