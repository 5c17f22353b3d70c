#include "model/fpgpt/exact/read_ahead.h"

#include <gtest/gtest.h>

#include "model/fpgpt/exact/interval_partition.h"
#include "model/fpgpt/exact/joint_step.h"
#include "tests/random/fpgpt/exact/exact_case.h"

namespace weft::fpgpt::exact {
namespace {

using engine::Event;
using engine::Transfer;

struct Stepped {
  std::vector<Event> events;
  std::vector<Address> addresses;
  std::int64_t bursts = 0;
  Cycles wait = 0;
  std::string state;
};

ReaderState reader_of(const Plan& plan, Port port) {
  const bool inp = port == Port::Inp;
  return {{inp ? plan.inp : plan.kern, inp ? plan.alpha.inp_port : plan.alpha.kern_port,
           plan.alpha.beat_bytes(inp ? Port::Inp : Port::Kern)},
          {}};
}

std::string state_of(ReaderState& reader, const stream::RangeLoop& loop) {
  std::string bytes;
  Relative saving(bytes, false);
  reader.relative(saving, loop, 0);
  return bytes;
}

// Runs the reader cycle by cycle through an interval that begins with the convolution.
Stepped stepped(const Plan& plan, Port port, Cycles cycles, const std::vector<engine::Run>& consumed) {
  const stream::RangeLoop& loop = port == Port::Inp ? plan.inp : plan.kern;
  ReaderState run = reader_of(plan, port);
  for (const engine::Run& take : consumed) run.port.data.push(take.first, take.count);
  Fifo out(1 << 20, plan.alpha.band(port), false);
  Stepped result;
  for (Cycles now = 0; now < cycles; ++now) {
    run.reader.step(now, loop, run.port, out);
    if (run.port.requested) {
      result.events.push_back({static_cast<std::int32_t>(now), Transfer::Read, static_cast<std::uint8_t>(port),
                               static_cast<std::uint16_t>(run.port.request.beats), 0, 0});
      result.addresses.push_back(run.port.request.address);
      ++result.bursts;
    }
  }
  result.wait = run.port.wait_cycles;
  result.state = state_of(run, loop);
  return result;
}

// Returns cycles that consume beats requested before cycle 100: all of them, one per cycle with a gap, or one every 40
// cycles, certainly requested by then.
std::vector<engine::Run> consumed_of(const Plan& plan, Port port, Cycles cycles, bool all) {
  std::vector<engine::Run> consumed;
  if (all) {
    std::int64_t beats = 0;
    for (const Event& event : stepped(plan, port, 100, {}).events) beats += event.beats;
    beats = std::min(beats, cycles - 110);
    consumed.push_back({100, beats / 2 + 1});
    if (beats / 2 + 1 < beats) consumed.push_back({104 + beats / 2, beats - beats / 2 - 1});
  } else {
    for (Cycles cycle = 100; cycle < cycles; cycle += 40) consumed.push_back({cycle, 1});
  }
  return consumed;
}

TEST(ReadAhead, RequestsTheSameAsTheReaderSteppedCycleByCycle) {
  int bursts = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const test::ExactCase c = test::exact_case(seed, 1'000'000);
    for (const Port port : {Port::Inp, Port::Kern}) {
      const stream::RangeLoop& loop = port == Port::Inp ? c.plan.inp : c.plan.kern;
      const Cycles cycles = 300;
      const std::vector<engine::Run> consumed = consumed_of(c.plan, port, cycles, seed % 2 == 0);
      ReaderState start = reader_of(c.plan, port);
      ReadAhead ahead;
      std::string bytes = state_of(start, loop);
      ReaderState after = run_reader(c.plan, port, bytes, Anchor{0, 0}, cycles, consumed, ahead);
      const Stepped expected = stepped(c.plan, port, cycles, consumed);
      ASSERT_EQ(ahead.transfers.events.size(), expected.events.size());
      for (std::size_t i = 0; i < expected.events.size(); ++i) {
        const Event& event = ahead.transfers.events[i];
        EXPECT_EQ(event.cycle, expected.events[i].cycle);
        EXPECT_EQ(event.beats, expected.events[i].beats);
        EXPECT_EQ(base_address(c.plan, 0, ahead.transfers.bases[event.base]) + event.offset, expected.addresses[i]);
      }
      EXPECT_EQ(ahead.bursts, expected.bursts);
      EXPECT_EQ(ahead.wait, expected.wait);
      EXPECT_EQ(state_of(after, loop), expected.state);
      bursts += static_cast<int>(expected.bursts);
    }
  }
  EXPECT_GT(bursts, 1000);
}

// Returns how many steps in a row must be new, or known, until steps are `strides` long.
int until(StepLength& length, bool known, int strides) {
  int steps = 0;
  for (; length.strides() != strides && steps < 1'000'000; ++steps) length.met(known);
  return steps;
}

// The share of new steps is a mean with a decay of 1 / 512 per step: after n new ones from zero it is 1 - (511/512)^n,
// so beyond 60 % from n = 469 on (468.7 = ln 0.4 / ln(511/512)). Then it is set 1/8 lower, to 0.475, and exceeds 88 %
// from n = 755 on (ln(0.12 / 0.525) / ln(511/512)); then 0.755 and, with known ones alone, below 30 % from n = 473 on
// (ln(0.3 / 0.755) / ln(511/512) = 472.2).
TEST(StepLength, FollowsTheShareOfNewSteps) {
  StepLength length;
  EXPECT_EQ(length.strides(), 1);
  EXPECT_EQ(until(length, false, 2), 469);
  EXPECT_EQ(until(length, false, 4), 755);
  EXPECT_EQ(until(length, true, 1), 473);
}

TEST(StepLength, IsOneStrideWhereHalfOfTheStepsComeAgain) {
  StepLength length;
  for (int i = 0; i < 100'000; ++i) {
    length.met(i % 2 == 0);
    ASSERT_EQ(length.strides(), 1);
  }
}

TEST(StepLength, StaysOneStrideOnceItWasShortened) {
  StepLength length;
  until(length, false, 4);
  EXPECT_TRUE(length.shorten());
  EXPECT_EQ(length.strides(), 1);
  EXPECT_EQ(length.longest(), 1);
  for (int i = 0; i < 10'000; ++i) length.met(false);
  EXPECT_EQ(length.strides(), 1);
  EXPECT_FALSE(length.shorten());
}

// Longer steps end where shorter ones do: at the multiples of their length in a round, or at its end.
TEST(IntervalPartition, EndsSomeStridesWhereTheLastOfThemDoes) {
  const Plan plan = test::exact_case(3, 100'000).plan;
  const IntervalPartition partition(plan, 1);
  ASSERT_EQ(partition.stride(), 1);
  const std::int64_t round = partition.round_windows();
  for (std::int64_t windows = 0; windows < 3 * round; ++windows) {
    for (const int strides : {1, 2, 4}) {
      std::int64_t end = windows + 1;  // in single strides
      while (end % round % strides != 0) ++end;
      EXPECT_EQ(partition.next(windows, strides), end) << windows << " windows, " << strides << " strides";
    }
  }
  EXPECT_EQ(partition.rounds(), 1);
  EXPECT_EQ(partition.rounds(static_cast<int>(2 * round)), 2);
  EXPECT_EQ(partition.rounds(static_cast<int>(2 * round) + 1), 3);
}

}  // namespace
}  // namespace weft::fpgpt::exact
