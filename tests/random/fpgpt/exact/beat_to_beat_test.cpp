#include "model/fpgpt/exact/beat_to_beat.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "model/fpgpt/exact/joint_run.h"
#include "model/fpgpt/exact/setting.h"
#include "model/fpgpt/result.h"
#include "tests/random/fpgpt/exact/exact_case.h"

namespace weft::fpgpt::exact {
namespace {

using test::pick;

// Returns F or GI with many channels, mostly 1 x 1, on a memory that is mostly too slow for it.
test::ExactCase many_channels(test::Random& random) {
  conv::Layer layer;
  layer.batch = 2;
  layer.channels = pick(random, 30, 160);
  layer.filters = pick(random, 1, 160);
  layer.h.size = layer.w.size = pick(random, 4, 20);
  layer.h.kernel = layer.w.kernel = pick(random, 0, 3) ? 1 : 3;
  const conv::Kind kind = pick(random, 0, 1) ? conv::Kind::F : conv::Kind::GI;
  conv::Convolution beta = workloads::lower(layer, kind, 0);
  fpgpt::Alpha alpha = test::random_alpha(random);
  if (pick(random, 0, 2)) {
    alpha.fifo = {};
    alpha.profile = Profile::rtl();
  }
  alpha.inp_port = {pick(random, 0, 1) ? 64 : pick(random, 1, 8), pick(random, 1, 16)};
  if (pick(random, 0, 1)) alpha.out_port = {1, 1};
  if (pick(random, 0, 3) == 0) alpha.bus_bits = 1024;
  test::draw_widths(static_cast<std::uint64_t>(layer.channels * 1000 + layer.filters), alpha);
  if (pick(random, 0, 3) == 0) alpha.clock = pick(random, 0, 1) ? Frequency(250) : Frequency(1000, 3);
  alpha = fitted(alpha, beta);
  const std::array<std::array<int, 3>, 4> maps{{{0, 1, 2}, {0, 0, 1}, {0, 1, 0}, {0, 0, 0}}};
  test::ExactCase result;
  result.channels = maps[static_cast<std::size_t>(pick(random, 0, 3))];
  const workloads::TensorWords words = workloads::tensor_words(layer, kind);
  beta = placed(beta, alpha, place(alpha, {words.inp, words.kern, words.out}, result.channels, 3, Bytes{1} << 33));
  beta.inp.base += Address{4096} * pick(random, 0, 1 << 10);
  if (pick(random, 0, 1)) beta.inp.pitch_n += pick(random, 0, 4000);
  result.plan = make_plan(alpha, beta, false);
  memory::MemoryConfig& memory = result.memory = test::memory_of(alpha, result.channels);
  memory.latency_cycles = pick(random, 0, 3) ? 53 : pick(random, 0, 30);
  memory.ddr4.map = static_cast<memory::AddressMap>(pick(random, 0, 2));
  memory.ddr4.auto_precharge_a3 = pick(random, 0, 1) != 0;
  return result;
}

// Kernel and memory, and all their counts as one text.
struct Together {
  Setting setting;
  std::unique_ptr<memory::Memory> memory;
  JointRun joint_run;
  AnsweredWrites writes;

  // `answer`: response time of OUT's writes, which do not go to the memory.
  Together(const test::ExactCase& c, std::optional<WriteAnswer> answer)
      : setting(c.plan, c.memory, 12000),
        memory(setting.make_memory()),
        joint_run(setting.plan, *memory, setting.memory.port_channel) {
    if (!answer) return;
    writes = AnsweredWrites(*setting.plan, Anchor{}, *answer);
    joint_run.answer_writes(&writes);
  }

  std::string after(std::int64_t windows) {
    const bool done = joint_run.run(windows);
    Kernel& kernel = joint_run.kernel();
    auto& ddr4 = static_cast<memory::Ddr4Memory&>(*memory);
    for (int channel = 0; channel < 3; ++channel) ddr4.settle(channel, joint_run.now());
    deliver(kernel, *memory, joint_run.now());
    std::string bytes;
    Relative state(bytes, false);
    const Anchor at{joint_run.now(), 0};
    kernel.relative(state, at);
    kernel.inp.reader.relative(state, setting.plan->inp, 0);
    kernel.inp.port.relative(state);
    kernel.inp.port.data.for_each_run([&](Cycles first, std::int64_t count) {
      state.from(first, joint_run.now());
      state.value(count);
    });
    for (int channel = 0; channel < 3; ++channel) ddr4.relative(state, channel, joint_run.now(), 0);
    for (const int channel : setting.memory.port_channel) bytes += fmt::format("@{}", joint_run.last_address(channel));
    std::string text = fmt::format("{} cycle {}:", done ? "done in" : "at", joint_run.now());
    const ConvolutionResult counts = collect(kernel, joint_run.activities(), joint_run.now(), *memory);
    for (const Activities& block : counts.activities) {
      for (const Cycles cycles : block.cycles) text += fmt::format(" {}", cycles);
    }
    for (const Cycles cycles : counts.array_starved) text += fmt::format(" {}", cycles);
    for (const memory::PortStats& port : counts.ports) {
      for (const memory::PortStats::Field& field : memory::PortStats::fields()) {
        text += fmt::format(" {}={}", field.name, port.*field.count);
      }
    }
    for (const engine::Event& sent : writes.sent.events) {
      text += fmt::format(" {}:{}+{}*{}", sent.cycle, static_cast<int>(sent.transfer), sent.offset, sent.beats);
    }
    text += fmt::format(" in {} bursts, {} beats, from {} to {}", writes.bursts, writes.beats,
                        joint_run.written().first, joint_run.written().last);
    for (const engine::Run& run : writes.answers) text += fmt::format(" {}..{}", run.first, run.first + run.count);
    return text + " state " + bytes;
  }
};

// Steps may also be known from earlier convolutions that differ only in the addresses of their tensors.
TEST(BeatToBeat, PassesToTheStateOfSteppingEveryCycle) {
  Cycles cycles = 0, looked_up = 0;
  std::array<std::int64_t, 2> cases{}, written{};
  const std::int64_t seeds = test::from_environment("WEFT_EXACT_CASES", 500) / 8;
  const std::int64_t first = test::from_environment("WEFT_EXACT_SEED", 1);
  for (std::int64_t seed = first; seed < first + seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(static_cast<std::uint64_t>(seed));
    test::ExactCase c = many_channels(random);
    // Only if OUT has its own channel.
    std::optional<WriteAnswer> answer;
    bool slow = false;  // OUT is slow, so that the array waits for it
    if (c.channels[2] != c.channels[0] && c.channels[2] != c.channels[1] && pick(random, 0, 3)) {
      slow = pick(random, 0, 1) != 0;
      answer = WriteAnswer{slow ? pick(random, 500, 3000) : pick(random, 2, 80)};
    }
    BeatToBeat known;
    for (int base = 0; base < 2; ++base) {
      Together stepped(c, answer), looking(c, answer);
      known.begin(*looking.setting.plan);
      looking.joint_run.look_up(&known);
      const std::int64_t all = std::min<std::int64_t>(c.plan.inp.count(), 12000);
      for (std::int64_t windows = 0; windows < all;) {
        windows = std::min(all, windows + pick(random, 1, 400));
        ASSERT_EQ(looking.after(windows), stepped.after(windows)) << "window " << windows << " of " << all;
      }
      if (!slow && c.plan.alpha.out_port.outstanding > 1) {
        cycles += looking.joint_run.now();
        looked_up += looking.joint_run.looked_up();
      }
      cases[answer ? 1 : 0] += looking.joint_run.looked_up() > 0 ? 1 : 0;
      written[answer ? 1 : 0] += looking.writes.beats;
      c.plan.inp.base += 16 * pick(random, 1, 4000);
    }
  }
  EXPECT_GT(cases[0], seeds / 3);
  EXPECT_GT(cases[1], seeds / 3);
  EXPECT_GT(written[1], 50 * seeds);
  EXPECT_GT(looked_up, cycles / 4);
}

}  // namespace
}  // namespace weft::fpgpt::exact
