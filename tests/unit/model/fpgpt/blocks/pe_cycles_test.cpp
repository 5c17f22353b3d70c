#include <gtest/gtest.h>

#include <set>
#include <string>

#include "model/core/error.h"
#include "model/fpgpt/exact/clocked.h"
#include "model/fpgpt/result.h"
#include "tests/support/block_bench.h"
#include "tests/support/random_case.h"
#include "tests/support/random_memory.h"

namespace weft::fpgpt {
namespace {

using test::array_of;

// Arguments in the order of PeClass.
PeCycles counts(std::int64_t useful, std::int64_t zeros, std::int64_t unused_columns, std::int64_t unused_rows,
                std::int64_t gaps, std::int64_t fill_drain, std::int64_t starved_inp_column = 0,
                std::int64_t starved_kern_row = 0, std::int64_t blocked_out_row = 0, std::int64_t idle = 0) {
  return {useful,          zeros, unused_columns, unused_rows, gaps, fill_drain, starved_inp_column, starved_kern_row,
          blocked_out_row, idle};
}

// Example of section 16.
conv::Convolution example() {
  return test::one_row({2, 2, 3, 1, 1, 1, 1}, 3);
}

Activities advanced(Cycles cycles) {
  Activities array;
  array.add(Activity::Active, cycles);
  return array;
}

TEST(PeCycles, Pe4Pe5Pe6Pe7Pe8Pe9ExampleOfTheContract) {
  const Plan plan = test::plan_of(array_of(2, 2, Profile::hls()), example());
  EXPECT_EQ(pe_cycles(plan, advanced(52), {}), counts(12, 6, 8, 6, 96, 80));
  Profile overlap;
  overlap.overlap_drain = true;
  const Plan overlapped = test::plan_of(array_of(2, 2, overlap), example());
  EXPECT_EQ(pe_cycles(overlapped, advanced(36), {}), counts(12, 6, 8, 6, 72, 40));
  EXPECT_EQ(pe_cycles_of_products(2, 2, example()), counts(12, 6, 8, 6, 0, 0));
}

// One kernel of 1x3 words dilated by two over a map of 1x5 dilated by two: 5 positions, 3 of them of KERN, 9 - 5 + 1
// outputs. Output o meets stored samples with KERN's words where o is even: 3 outputs with 3 of 5 products. M = P = 8 >
// 5.
TEST(PeCycles, Pe8DilationOfEitherTensorMakesZeros) {
  const conv::Convolution c = test::one_row({5, 3, 5, 1, 0, 2, 2});
  EXPECT_EQ(pe_cycles_of_products(5, 1, c), counts(9, 16, 0, 0, 0, 0));
  EXPECT_EQ(pe_cycles_of_products(5, 3, c), counts(9, 16, 0, 50, 0, 0));
  EXPECT_EQ(pe_cycles_of_products(4, 3, c), counts(9, 16, 3 * 3 * 5, 50, 0, 0));  // the corner counts as unused columns
}

// GW with M = 9 on four rows: 12 cycles from one of its two sets to the next, or 9 packed. One kernel, one image, OUT
// 1x2 on one column: E = 24 or 18 array cycles per row, 12 of fill and drain.
TEST(PeCycles, Pe5GapsOfGwAreThoseThatPackedGwSetsTakesAway) {
  conv::Convolution c;
  c.kind = conv::Kind::GW;
  c.h = {3, 3, 1, 1, 0, 1, 1};
  c.w = {4, 3, 2, 1, 0, 1, 1};
  c.inp = {0, 12, 12, 12};
  c.out = {0, 0, 2, 2};
  const Plan aligned = test::plan_of(array_of(1, 4, Profile::hls()), c);
  EXPECT_EQ(pe_cycles(aligned, advanced(36), {}), counts(18, 0, 0, 54, 24, 48));
  Profile packed;
  packed.packed_gw_sets = true;
  EXPECT_EQ(pe_cycles(test::plan_of(array_of(1, 4, packed), c), advanced(30), {}), counts(18, 0, 0, 54, 0, 48));
}

TEST(PeCycles, Pe1Pe3Pe4Pe9ConvolutionOfSection12) {
  Alpha alpha = test::example_alpha(Profile::rtl());
  test::RandomMemory memory(0, 0, 1);
  const ConvolutionResult rtl = exact::run_clocked(test::plan_of(alpha, test::contract_example()), memory, nullptr);
  ASSERT_EQ(rtl.cycles, 31);
  EXPECT_EQ(rtl.pe_cycles, counts(36, 0, 0, 0, 0, 36, 32, 0, 0, 20));

  // hls: word 8 of KERN is decoded in cycle 2 + 8, stored in 11, fed in 12, and the others follow (KERN-4, KERN-5):
  // array cycle 0 is 13, and in 8..12 columns wait for rows. Row 0 of the results is given in 13 + 17, so T is 36.
  alpha.profile = Profile::hls();
  const ConvolutionResult hls = exact::run_clocked(test::plan_of(alpha, test::contract_example()), memory, nullptr);
  ASSERT_EQ(hls.cycles, 36);
  EXPECT_EQ(hls.pe_cycles, counts(36, 0, 0, 0, 0, 36, 32, 20, 0, 20));
}

// An array without its neighbours; the test fills and empties its FIFOs.
struct Bench {
  Plan plan;
  Array array;
  Fifo inp{100, 2, false}, kern{100, 2, false}, out;
  Activities activities;
  Cycles now = 0;

  Bench(const Plan& array_plan, int room) : plan(array_plan), array(plan), out(room, 2, false) {}
  void step() {
    const Activity activity = array.step(now++, plan, inp, kern, out);
    activities.add(activity);
    if (activity == Activity::Starved) array.count_starved(1);
  }
  PeCycles counted() const { return pe_cycles(plan, activities, array.starved()); }
};

// Section 8's example: results in array cycles 17, 18, 26, 27, 35 and 36. The array needs both FIFOs up to array cycle
// 26, and then rows alone.
TEST(PeCycles, Pe3StarvedByTheColumnIfItIsMissingAndElseByTheRow) {
  Bench bench(test::plan_of(array_of(2, 2, Profile::hls()), test::array_example()), 100);
  bench.step();  // neither token is present
  EXPECT_EQ(bench.counted(), counts(0, 0, 0, 0, 0, 0, 4, 0));
  bench.kern.push(bench.now);  // visible from the next cycle on
  bench.step();
  bench.step();  // a row waits for the column
  EXPECT_EQ(bench.counted(), counts(0, 0, 0, 0, 0, 0, 12, 0));
  for (int i = 0; i < 27; ++i) bench.inp.push(-2);
  bench.step();  // array cycle 0: row 1 is not reached
  EXPECT_EQ(bench.counted(), counts(2, 0, 0, 0, 0, 2, 12, 0));
  bench.step();  // a column waits for the row
  EXPECT_EQ(bench.counted(), counts(2, 0, 0, 0, 0, 2, 12, 4));
  for (int i = 0; i < 26; ++i) bench.kern.push(-2);
  for (int i = 0; i < 26; ++i) bench.step();
  EXPECT_EQ(bench.counted(), counts(2 + 26 * 4, 0, 0, 0, 0, 2, 12, 4));
  bench.step();  // array cycle 27 takes no column: only the row is missing
  EXPECT_EQ(bench.counted(), counts(106, 0, 0, 0, 0, 2, 12, 8));
  bench.kern.push(-2);
  bench.kern.push(-2);
  for (int i = 27; i < 37; ++i) bench.step();  // row 1 has its last product in 27
  EXPECT_EQ(bench.counted(), counts(108, 0, 0, 0, 0, 40, 12, 8));
  bench.step();
  EXPECT_EQ(bench.counted(), counts(108, 0, 0, 0, 0, 40, 12, 8, 0, 4));
}

// Room for one row of results, which is taken from cycle 20 on: row 0 of set 0 is given in 17, row 1 waits in 18..20;
// in every other set row 1 waits one cycle.
TEST(PeCycles, Pe2BlockedWhileARowOfResultsHasNoRoom) {
  Bench bench(test::plan_of(array_of(2, 2, Profile::hls()), test::array_example()), 1);
  for (int i = 0; i < 27; ++i) bench.inp.push(-2);
  for (int i = 0; i < 29; ++i) bench.kern.push(-2);
  while (bench.now < 37 + 5) {
    const bool take = bench.now >= 20 && bench.out.can_pop(bench.now);
    const Cycles cycle = bench.now;
    bench.step();
    if (take) bench.out.pop(cycle);
  }
  EXPECT_EQ(bench.counted(), counts(108, 0, 0, 0, 0, 40, 0, 0, 20, 0));
  EXPECT_TRUE(bench.array.done());
}

// Expected values: the sum over all PEs in the first N array cycles, for any N.
TEST(PeCycles, OfEveryBeginningOfAConvolutionAreThoseOfItsPesOneByOne) {
  std::int64_t compared = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Plan plan = test::random_case(seed, 4000).plan;
    const ArrayRounds rounds = array_rounds(plan);
    PeCycles all{};
    if (rounds.rounds * rounds.cycles * plan.alpha.x * plan.alpha.y > 200000) continue;
    for (Cycles cycle = 0; cycle < rounds.rounds * rounds.cycles; ++cycle) {
      ASSERT_EQ(pe_cycles(plan, advanced(cycle), {}), all) << cycle;
      test::add_array_cycle(plan, cycle / rounds.cycles, cycle % rounds.cycles, all);
      ++compared;
    }
    EXPECT_EQ(pe_cycles(plan, advanced(rounds.rounds * rounds.cycles), {}), all);
    PeCycles products = pe_cycles_of_products(plan.alpha.x, plan.alpha.y, plan.beta);
    for (const PeClass other : {PeClass::Gaps, PeClass::FillDrain}) {
      products[static_cast<std::size_t>(other)] = all[static_cast<std::size_t>(other)];
    }
    EXPECT_EQ(products, all);
  }
  EXPECT_GT(compared, 10000);
}

// Random layers; they may have padding, stride, dilation and groups.
TEST(PeCycles, UsefulOnesAreAsManyInForwardGradIfmAndGradWeight) {
  test::Random random(1);
  for (int i = 0; i < 200; ++i) {
    const conv::Layer layer = test::random_layer(random);
    const auto useful = [&](conv::Kind kind) {
      return pe_cycles_of_products(3, 5, workloads::lower(layer, kind, 0))[static_cast<std::size_t>(PeClass::Useful)];
    };
    EXPECT_EQ(useful(conv::Kind::F), useful(conv::Kind::GI)) << i;
    EXPECT_EQ(useful(conv::Kind::F), useful(conv::Kind::GW)) << i;
  }
}

TEST(PeCycles, AreNamedAfterTheArraysFifos) {
  std::set<std::string> by_fifo;
  for (const FifoInfo& fifo : kFifoInfos) {
    if (std::string(fifo.consumer) == "array") by_fifo.insert(std::string("starved_") + fifo.name);
    if (std::string(fifo.producer) == "array") by_fifo.insert(std::string("blocked_") + fifo.name);
  }
  std::set<std::string> named;
  for (const PeClassInfo& info : kPeClassInfos) {
    const std::string name = info.name;
    if (name.rfind("starved_", 0) == 0 || name.rfind("blocked_", 0) == 0) named.insert(name);
  }
  EXPECT_EQ(named, by_fifo);
}

// An output of 2^31 - 1 products by 2^31 kernels: an array of one row and column is busy for 2^62 - 2^31 cycles.
TEST(PeCycles, AreCountedUpToALimitAndNoFurther) {
  conv::Convolution c;
  c.c = (std::int64_t{1} << 31) - 1;
  c.n_kern = std::int64_t{1} << 31;
  EXPECT_EQ(pe_cycles_of_products(1, 1, c)[0], (std::int64_t{1} << 62) - (std::int64_t{1} << 31));
  EXPECT_THROW(pe_cycles_of_products(3, 1, c), checked::Overflow);
}

}  // namespace
}  // namespace weft::fpgpt
