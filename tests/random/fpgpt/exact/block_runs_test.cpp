#include "model/fpgpt/exact/block_runs.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "model/core/error.h"
#include "model/fpgpt/exact/clocked.h"
#include "model/fpgpt/exact/joint_run.h"
#include "model/fpgpt/result.h"
#include "model/memory/ddr4_memory.h"
#include "tests/random/fpgpt/exact/exact_case.h"
#include "tests/support/random_memory.h"

namespace weft::fpgpt::exact {
namespace {

using test::pick;

// State and counts of a kernel at the start of cycle `now`, when all that its memory has done is known, as a text.
std::string text_of(Kernel& kernel, memory::Memory& memory, const BlockActivities& activities, Cycles now) {
  if (auto* const ddr4 = dynamic_cast<memory::Ddr4Memory*>(&memory)) {
    for (int channel = 0; channel < 3; ++channel) ddr4->settle(channel, now);
  }
  deliver(kernel, memory, now);
  std::string bytes;
  Relative state(bytes, false);
  kernel.relative(state, {now, 0});
  kernel.inp.reader.relative(state, kernel.plan->inp, 0);
  kernel.kern.reader.relative(state, kernel.plan->kern, 0);
  std::string text = fmt::format("at {}:", now);
  for (const Activities& block : activities) {
    for (const Cycles cycles : block.cycles) text += fmt::format(" {}", cycles);
  }
  for (const Cycles cycles : kernel.array.starved()) text += fmt::format(" {}", cycles);
  kernel.for_each_port([&](memory::PortId, auto& port) {
    text += fmt::format(" {}/{}/{}", port.busy_cycles, port.wait_cycles, port.outstanding);
  });
  for (const Activity last : kernel.last()) text += fmt::format(" {}", static_cast<int>(last));
  return text + " state " + bytes;
}

// A memory whose answers are known when a burst is sent, so that each block may run far ahead of the others, and any
// other: the two stop at the same windows, in the same state.
TEST(BlockRuns, EqualSteppingAllBlocksInEveryCycle) {
  const std::int64_t cases = test::from_environment("WEFT_EXACT_CASES", 500) / 4;
  const std::int64_t first = test::from_environment("WEFT_EXACT_SEED", 1);
  Cycles cycles = 0;
  for (std::int64_t seed = first; seed < first + cases; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(static_cast<std::uint64_t>(seed));
    const test::ExactCase c = test::exact_case(static_cast<std::uint64_t>(seed), 500'000);
    const auto make = [&]() -> std::unique_ptr<memory::Memory> {
      if (seed % 2 == 0) return memory::make_memory(c.memory);
      const Cycles least = seed % 3;
      return std::make_unique<test::RandomMemory>(least, least + seed % 50, static_cast<std::uint64_t>(seed));
    };
    const std::unique_ptr<memory::Memory> one = make(), other = make();
    if (auto* const ddr4 = dynamic_cast<memory::Ddr4Memory*>(one.get())) ddr4->run_late();
    const auto plan = std::make_shared<const Plan>(c.plan);
    JointRun joint_run(plan, *one, c.memory.port_channel);
    Kernel kernel(plan);
    BlockActivities activities{};
    Cycles now = 0;
    for (std::int64_t windows = 0; windows < c.plan.inp.count();) {
      windows = std::min(c.plan.inp.count(), windows + pick(random, 1, 400));
      ASSERT_FALSE(joint_run.run(windows));
      while (kernel.inp.im2col.windows_emitted(c.plan) < windows) step(kernel, *other, now++, nullptr, activities);
      ASSERT_EQ(text_of(joint_run.kernel(), *one, joint_run.activities(), joint_run.now()),
                text_of(kernel, *other, activities, now))
          << "window " << windows << " of " << c.plan.inp.count();
    }
    ASSERT_TRUE(joint_run.run(c.plan.inp.count() + 1));
    while (!kernel.done()) step(kernel, *other, now++, nullptr, activities);
    ASSERT_EQ(text_of(joint_run.kernel(), *one, joint_run.activities(), joint_run.now()),
              text_of(kernel, *other, activities, now));
    cycles += now;
  }
  EXPECT_GT(cycles, 10'000 * cases);
}

// No token passes a FIFO of depth 0.
TEST(BlockRuns, EndWhereNothingCanMove) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const test::ExactCase c = test::exact_case(seed, 500'000);
    Alpha alpha = c.plan.alpha;
    alpha.fifo[seed % 2 == 0 ? FifoId::KernRow : FifoId::InpWord] = 0;
    const auto plan = std::make_shared<const Plan>(make_plan(alpha, c.plan.beta, false));
    const std::unique_ptr<memory::Memory> memory = memory::make_memory(c.memory);
    JointRun joint_run(plan, *memory, c.memory.port_channel);
    EXPECT_THROW(joint_run.run(plan->inp.count()), Deadlock);
  }
}

}  // namespace
}  // namespace weft::fpgpt::exact
