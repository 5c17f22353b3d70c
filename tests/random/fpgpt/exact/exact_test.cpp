#include "model/fpgpt/exact/exact.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "model/fpgpt/exact/clocked.h"
#include "model/fpgpt/exact/memo_cache.h"
#include "tests/random/fpgpt/exact/exact_case.h"

namespace weft {
namespace {

using test::from_environment;

fpgpt::ConvolutionResult clocked(const fpgpt::Plan& plan, const memory::MemoryConfig& config) {
  return fpgpt::exact::run_clocked(plan, *memory::make_memory(config), nullptr);
}

// The reference is the clocked kernel, which the SystemC model is compared with in its own tests.
template <class CaseOf>
void expect_equal_to_the_clocked_kernel(std::int64_t cases, const CaseOf& case_of) {
  const std::int64_t first = from_environment("WEFT_EXACT_SEED", 1);
  engine::ExactAccount total;
  Cycles cycles = 0;
  std::int64_t replaying = 0, repeating = 0;
  for (std::int64_t seed = first; seed < first + cases; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const test::ExactCase c = case_of(static_cast<std::uint64_t>(seed));
    engine::ExactOptions options;
    options.verify = from_environment("WEFT_EXACT_VERIFY", seed % 3 == 0 ? 4 : 0);
    const std::array<Cycles, 5> lengths{16, 60, 250, 3000, 96000};
    options.interval_cycles = lengths[static_cast<std::size_t>(seed % 5)];
    if (seed % 7 == 0) options.memo_bytes = (1 << 16) << seed / 7 % 6;  // memo entries are evicted repeatedly
    // A clock whose differences are random: memo entries are used and left at random.
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    double now = 0;
    if (seed % 4 == 1) options.clock = [&] { return now += std::ldexp(1.0, -static_cast<int>(random() % 12)); };
    const fpgpt::exact::ExactResult exact = fpgpt::exact::run_exact(c.plan, c.memory, options);
    test::expect_same(exact.convolution, clocked(c.plan, c.memory));
    EXPECT_EQ(exact.account.simulated + exact.account.replayed, exact.convolution.cycles);
    total += exact.account;
    cycles += exact.convolution.cycles;
    replaying += exact.account.replayed > 0 ? 1 : 0;
    repeating += exact.account.intervals > 2 * exact.account.distinct ? 1 : 0;
    if (::testing::Test::HasFailure()) break;
  }
  // Cycles were in fact skipped.
  EXPECT_GT(replaying, cases / 4);
  EXPECT_GT(repeating, cases / 20);
  EXPECT_GT(total.verified, cases / 20);
  std::printf(
      "%lld cases, %lld cycles: %lld replayed in %lld intervals, %lld distinct; %lld cases replay, %lld repeat\n",
      static_cast<long long>(cases), static_cast<long long>(cycles), static_cast<long long>(total.replayed),
      static_cast<long long>(total.intervals), static_cast<long long>(total.distinct),
      static_cast<long long>(replaying), static_cast<long long>(repeating));
}

// WEFT_EXACT_CASES=5000 is the campaign (WEFT_EXACT_SEED: the first seed).
TEST(Exact, EqualsTheClockedKernelInEveryCount) {
  expect_equal_to_the_clocked_kernel(from_environment("WEFT_EXACT_CASES", 500),
                                     [](std::uint64_t seed) { return test::exact_case(seed, 4'000'000); });
}

// Fixed point: 4 to 16 bits, packed and padded, tensors from any word on. WEFT_EXACT_FIXED_CASES=1000: the campaign.
TEST(Exact, EqualsTheClockedKernelInEveryCountInFixedPoint) {
  expect_equal_to_the_clocked_kernel(from_environment("WEFT_EXACT_FIXED_CASES", 150), [](std::uint64_t seed) {
    return test::exact_case(seed, 4'000'000, test::fixed_point_of(seed));
  });
}

void expect_as_many(const engine::ExactAccount& a, const engine::ExactAccount& b) {
  EXPECT_EQ(std::tuple(a.simulated, a.replayed, a.intervals), std::tuple(b.simulated, b.replayed, b.intervals));
}

// Convolutions counted in sequence by one process share the memo entries of their memory and, where only their
// addresses differ, of the kernel: neither results nor the set of replayed cycles change. Here each is counted three
// times, like the groups of a layer, at other addresses; then with one filter less, and on a kernel with a deeper FIFO.
TEST(Exact, SharesMemoEntriesAmongConvolutionsAndGivesTheSameCounts) {
  const std::int64_t cases = from_environment("WEFT_EXACT_CASES", 500) / 6;
  const std::int64_t first = from_environment("WEFT_EXACT_SEED", 1);
  std::map<std::tuple<Bytes, std::vector<int>, std::vector<int>>, fpgpt::exact::MemoCache> cache;
  std::int64_t steps = 0, steps_alone = 0;
  Cycles recorded = 0, recorded_alone = 0, together = 0, together_alone = 0;
  for (std::int64_t seed = first; seed < first + cases && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::ExactCase c = test::exact_case(static_cast<std::uint64_t>(seed), 2'000'000);
    c.memory.kind = memory::MemoryKind::ddr4;
    c.memory.kernel_clock = 100;
    c.memory.latency_cycles = c.memory.ideal_latency_cycles = 20;
    c.memory.ddr4 = {};
    engine::ExactOptions options;
    const std::array<Cycles, 4> lengths{60, 250, 3000, 96000};
    options.interval_cycles = lengths[static_cast<std::size_t>(seed % 4)];
    options.verify = seed % 3 == 0 ? 4 : 0;
    if (seed % 7 == 0) options.memo_bytes = (1 << 16) << seed / 7 % 6;
    fpgpt::exact::MemoCache& known = cache[{c.memory.beat_bytes, c.memory.port_beat_bytes, c.memory.port_channel}];
    for (std::int64_t group = 0; group < 5; ++group) {
      conv::Convolution beta = c.plan.beta;
      // In pages, beats and words.
      const std::array<Bytes, 3> units{4096, c.plan.alpha.beat_bytes(fpgpt::Port::Inp), 4};
      const Bytes unit = units[static_cast<std::size_t>(seed / 2 % 3)];
      beta.inp.base += group * unit * (seed % 5);
      beta.kern.base += group * unit * (seed % 7);
      beta.out.base += group * unit * (seed % 3);
      fpgpt::Alpha alpha = c.plan.alpha;
      if (group == 3) beta.n_kern = std::max<std::int64_t>(beta.n_kern - 1, 1);
      if (group == 4) alpha.fifo[fpgpt::FifoId::InpColumn] += 3;
      const fpgpt::Plan plan = fpgpt::make_plan(alpha, beta, false);
      const fpgpt::exact::ExactResult exact = fpgpt::exact::run_exact(plan, c.memory, options, nullptr, &known);
      const fpgpt::exact::ExactResult alone = fpgpt::exact::run_exact(plan, c.memory, options);
      test::expect_same(exact.convolution, clocked(plan, c.memory));
      expect_as_many(exact.account, alone.account);
      EXPECT_EQ(exact.account.verified, alone.account.verified);
      if (group >= 3) continue;
      recorded += exact.account.recorded - exact.account.recorded_joint;
      recorded_alone += alone.account.recorded - alone.account.recorded_joint;
      together += exact.account.recorded_joint;
      together_alone += alone.account.recorded_joint;
      steps += exact.account.memory_steps;
      steps_alone += alone.account.memory_steps;
    }
  }
  EXPECT_LT(steps, steps_alone / 4 * 3);
  EXPECT_LT(recorded, recorded_alone / 4 * 3);
  EXPECT_LT(together, together_alone);  // most groups have other bank/row signatures
  std::printf("%lld steps of memory channels, alone %lld; %lld cycles of kernels recorded, alone %lld\n",
              static_cast<long long>(steps), static_cast<long long>(steps_alone), static_cast<long long>(recorded),
              static_cast<long long>(recorded_alone));
}

void expect_replays_right(std::uint64_t seed, const engine::ExactOptions& options) {
  SCOPED_TRACE(seed);
  const test::ExactCase c = test::exact_case(seed, 4'000'000);
  const fpgpt::exact::ExactResult exact = fpgpt::exact::run_exact(c.plan, c.memory, options);
  test::expect_same(exact.convolution, clocked(c.plan, c.memory));
  EXPECT_GT(exact.account.replayed, 0);
}

engine::ExactOptions short_intervals() {
  engine::ExactOptions options;
  options.interval_cycles = 60;
  return options;
}

conv::Layer layer_of(int batch, int channels, int size, int filters) {
  return {"", batch, channels, filters, 1, {size}, {size}};
}

// Windows of one word per channel: the kernel requests a beat every few cycles, and the memory's latency limits it, so
// that no interval of the kernel alone is valid. `channels`: channels of the ports.
test::ExactCase memory_bound(const conv::Layer& layer, conv::Kind kind, std::array<int, 3> channels, int outstanding) {
  conv::Convolution beta = workloads::lower(layer, kind, 0);
  fpgpt::Alpha alpha;
  alpha.profile = fpgpt::Profile::rtl();
  alpha.inp_port.outstanding = alpha.kern_port.outstanding = outstanding;
  alpha = fpgpt::fitted(alpha, beta);
  test::ExactCase result;
  result.channels = channels;
  const workloads::TensorWords words = workloads::tensor_words(layer, kind);
  beta =
      fpgpt::placed(beta, alpha, fpgpt::place(alpha, {words.inp, words.kern, words.out}, channels, 3, Bytes{1} << 33));
  result.plan = fpgpt::make_plan(alpha, beta, false);
  result.memory = test::memory_of(alpha, channels);
  result.memory.latency_cycles = 57;
  return result;
}

TEST(Exact, ReplaysStepsOfKernelAndMemoryThatWaitForEachOther) {
  using conv::Kind;
  const std::array<std::array<int, 3>, 4> maps{{{0, 1, 2}, {0, 0, 1}, {0, 1, 1}, {0, 0, 0}}};
  for (const Kind kind : {Kind::F, Kind::GI}) {
    for (const auto& channels : maps) {
      SCOPED_TRACE(
          fmt::format("{} on channels {} {} {}", conv::to_string(kind), channels[0], channels[1], channels[2]));
      const test::ExactCase c = memory_bound(layer_of(40, 32, 16, 32), kind, channels, 4);
      const fpgpt::ConvolutionResult stepped = clocked(c.plan, c.memory);
      engine::ExactOptions options;
      options.verify = 100;
      options.interval_cycles = 24000;
      const fpgpt::exact::ExactResult exact = fpgpt::exact::run_exact(c.plan, c.memory, options);
      test::expect_same(exact.convolution, stepped);
      EXPECT_GT(exact.account.replayed, stepped.cycles / 10 * 9);
      EXPECT_GT(exact.account.recorded_joint, 0);
      EXPECT_LT(exact.account.recorded_joint, stepped.cycles / 10 * 7);  // the rest is from the memo
      EXPECT_GT(exact.account.verified, 50);
      // A smaller memo limit replays the same cycles; a limit of zero replays none.
      options.verify = 0;
      options.memo_bytes = 1 << 17;
      const fpgpt::exact::ExactResult evicts = fpgpt::exact::run_exact(c.plan, c.memory, options);
      test::expect_same(evicts.convolution, stepped);
      EXPECT_EQ(evicts.account.replayed, exact.account.replayed);
      EXPECT_EQ(evicts.account.intervals, exact.account.intervals);
      EXPECT_GT(evicts.account.recorded_joint, exact.account.recorded_joint);
      options.memo_bytes = 0;
      const fpgpt::exact::ExactResult nothing = fpgpt::exact::run_exact(c.plan, c.memory, options);
      test::expect_same(nothing.convolution, stepped);
      EXPECT_EQ(nothing.account.replayed, 0);
    }
  }
}

// Steps of kernel and memory become longer where most are new. The counts of replayed cycles are in strides, and the
// last strides are replayed one by one: so they do not depend on the lengths of steps, nor on steps that an earlier
// convolution has made known.
TEST(Exact, CountsTheSameHoweverLongTheStepsOfKernelAndMemoryAreMade) {
  for (const auto& channels : {std::array<int, 3>{0, 1, 2}, std::array<int, 3>{0, 1, 1}}) {
    fpgpt::exact::MemoCache known;
    bool longer = false;
    for (const int batch : {2, 8, 2, 3}) {
      SCOPED_TRACE(fmt::format("{} images, OUT on channel {}", batch, channels[2]));
      test::ExactCase c = memory_bound(layer_of(batch, 528, 14, 160), conv::Kind::F, channels, 6);
      c.memory.kernel_clock = 173;  // MHz: cycles have many offsets to the edges of the DRAM clock, and few recur
      engine::ExactOptions options;
      options.verify = 40;
      options.interval_cycles = 24000;
      const fpgpt::exact::ExactResult exact = fpgpt::exact::run_exact(c.plan, c.memory, options, nullptr, &known);
      const fpgpt::exact::ExactResult alone = fpgpt::exact::run_exact(c.plan, c.memory, options);
      const fpgpt::ConvolutionResult stepped = clocked(c.plan, c.memory);
      test::expect_same(exact.convolution, stepped);
      test::expect_same(alone.convolution, stepped);
      EXPECT_GT(exact.account.replayed, stepped.cycles / 10 * 9);
      expect_as_many(exact.account, alone.account);
      EXPECT_EQ(exact.account.verified, 40);
      EXPECT_EQ(alone.account.verified, 40);
      // A round is 528 channels of 13 sets, hence 108 strides of 64 windows of a cycle each (24,000 / 192 = 125); an
      // image is 10 rounds of 16 filters. The first eight pass during KERN's load; the last looks beyond the end.
      EXPECT_EQ(exact.account.intervals, batch * 1080 - 9);
      longer = longer || alone.account.distinct < alone.account.intervals / 3 * 2;
    }
    EXPECT_TRUE(longer);
  }
}

// In these cases a reader still discards beats of a round that im2col has left: the page alignment of that round
// matters too.
TEST(Exact, HoldsWhereAReaderLagsIm2col) {
  expect_replays_right(10061, short_intervals());
  expect_replays_right(10104, short_intervals());
}

// A pass has one round and fewer filters than Y: a burst of OUT holds many rounds, and is shorter before the last one.
TEST(Exact, HoldsWhereABurstHoldsManyRounds) {
  expect_replays_right(30127, short_intervals());
}

// Memo entries of request traces are evicted during a replay, with beats of such a trace under way.
TEST(Exact, EvictsATraceWhoseBeatsAreUnderWay) {
  engine::ExactOptions options;
  options.interval_cycles = 16;
  options.memo_bytes = 1 << 16;
  expect_replays_right(1050, options);
}

}  // namespace
}  // namespace weft
