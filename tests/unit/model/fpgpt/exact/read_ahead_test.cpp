#include "model/fpgpt/exact/read_ahead.h"

#include <gtest/gtest.h>

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

// The reader stepped in every cycle of a stretch that begins with the convolution.
Stepped stepped(const Plan& plan, Port port, Cycles cycles, const std::vector<engine::Run>& takes) {
  const bool inp = port == Port::Inp;
  const stream::RangeLoop& loop = inp ? plan.inp : plan.kern;
  ReaderState run{{loop, inp ? plan.alpha.inp_port : plan.alpha.kern_port, plan.alpha.beat_bytes()}, {}};
  for (const engine::Run& take : takes) run.port.data.push(take.first, take.count);
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
  Relative state(result.state, false);
  run.relative(state, loop, 0);
  return result;
}

// Beats that were asked for before cycle 100: all of them, one a cycle with a hole, or now and then one, which is sure
// to have been asked for then.
std::vector<engine::Run> takes_of(const Plan& plan, Port port, Cycles cycles, bool all) {
  std::vector<engine::Run> takes;
  if (all) {
    std::int64_t beats = 0;
    for (const Event& event : stepped(plan, port, 100, {}).events) beats += event.beats;
    beats = std::min(beats, cycles - 110);
    takes.push_back({100, beats / 2 + 1});
    if (beats / 2 + 1 < beats) takes.push_back({104 + beats / 2, beats - beats / 2 - 1});
  } else {
    for (Cycles cycle = 100; cycle < cycles; cycle += 40) takes.push_back({cycle, 1});
  }
  return takes;
}

TEST(ReadAhead, AsksForWhatTheReaderSteppedCycleByCycleAsksFor) {
  int bursts = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const test::ExactCase c = test::exact_case(seed, 1'000'000);
    for (const Port port : {Port::Inp, Port::Kern}) {
      const stream::RangeLoop& loop = port == Port::Inp ? c.plan.inp : c.plan.kern;
      const Cycles cycles = 300;
      const std::vector<engine::Run> takes = takes_of(c.plan, port, cycles, seed % 2 == 0);
      ReaderState start{
          {loop, port == Port::Inp ? c.plan.alpha.inp_port : c.plan.alpha.kern_port, c.plan.alpha.beat_bytes()}, {}};
      std::string bytes;
      Relative saving(bytes, false);
      start.relative(saving, loop, 0);
      ReadAhead ahead;
      ReaderState after = run_reader(c.plan, port, bytes, Anchor{0, 0}, cycles, takes, ahead);
      const Stepped expected = stepped(c.plan, port, cycles, takes);
      ASSERT_EQ(ahead.transfers.events.size(), expected.events.size());
      for (std::size_t i = 0; i < expected.events.size(); ++i) {
        const Event& event = ahead.transfers.events[i];
        EXPECT_EQ(event.cycle, expected.events[i].cycle);
        EXPECT_EQ(event.beats, expected.events[i].beats);
        EXPECT_EQ(base_address(c.plan, 0, ahead.transfers.bases[event.base]) + event.offset, expected.addresses[i]);
      }
      EXPECT_EQ(ahead.bursts, expected.bursts);
      EXPECT_EQ(ahead.wait, expected.wait);
      std::string state;
      Relative saved(state, false);
      after.relative(saved, loop, 0);
      EXPECT_EQ(state, expected.state);
      bursts += static_cast<int>(expected.bursts);
    }
  }
  EXPECT_GT(bursts, 1000);
}

}  // namespace
}  // namespace weft::fpgpt::exact
