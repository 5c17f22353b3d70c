#include "model/fpgpt/dse/sharing.h"

#include <gtest/gtest.h>

#include <tuple>

#include "small_problem.h"
#include "workloads/lowering.h"

namespace weft::fpgpt::dse {
namespace {

using test::pointwise;
using test::roomy;

constexpr PenaltyLimit kNone{0};
constexpr PenaltyLimit kAll{100'000};

std::vector<std::vector<std::size_t>> groups_of(const std::vector<SharedKernel>& kernels) {
  std::vector<std::vector<std::size_t>> groups;
  groups.reserve(kernels.size());
  for (const SharedKernel& kernel : kernels) groups.push_back(kernel.items);
  return groups;
}
using Groups = std::vector<std::vector<std::size_t>>;

TEST(PenaltyLimit, IsExact) {
  EXPECT_EQ(PenaltyLimit{0}.most_cycles(1000), 1000);
  EXPECT_EQ(PenaltyLimit{2500}.most_cycles(1000), 1025);
  EXPECT_EQ(PenaltyLimit{2500}.most_cycles(999), 1023);    // 999 * 1.025 = 1023.975
  EXPECT_EQ(PenaltyLimit{1}.most_cycles(99'999), 99'999);  // a thousandth of a percent is one in 100,000
  EXPECT_EQ(PenaltyLimit{1}.most_cycles(100'000), 100'001);
  EXPECT_EQ(PenaltyLimit{20'000}.most_cycles(std::int64_t{1} << 59), (std::int64_t{1} << 59) / 5 * 6 + 3);
}

// At most 8 PEs. A has 8 outputs and 1 filter; its best array is 8 x 1. B, 1 output and 8 filters, 1 x 8. C, 4 outputs
// and 2 filters, 4 x 2. E, 3 outputs and 2 filters, 3 x 2. Each takes 48 cycles per channel, for S * K = 1.
test::Case four(int a_channels = 8) {
  return roomy({pointwise(8, 1, a_channels), pointwise(1, 8, 7), pointwise(4, 2, 6), pointwise(3, 2, 5)}, 8);
}

TEST(Merge, TakesTheLargerArrayIfItFits) {
  const test::Case c = four();
  const SharingInput input = c.input();
  // C and E share 4 x 2, on which E still takes one set and one group.
  SharedKernel group = *merged_kernel(input, {2}, MergeReading::Refitted);
  std::vector<std::size_t> from{3};
  EXPECT_TRUE(merge(input, group, from, kNone, MergeReading::Refitted));
  EXPECT_TRUE(from.empty());
  EXPECT_EQ(std::tuple(group.alpha.x, group.alpha.y, group.cycles), std::tuple(4, 2, 48 * 6 + 48 * 5));
  EXPECT_EQ(group.worst_penalty, 0);
  // A would make the array 8 x 2, B 4 x 8: more than 8 PEs. Items that do not join stay, in their order.
  from = {0, 1};
  EXPECT_FALSE(merge(input, group, from, kAll, MergeReading::Refitted));
  EXPECT_EQ(from, (std::vector<std::size_t>{0, 1}));
}

TEST(Merge, TakesThoseThatCanJoinAndLeavesTheRest) {
  const test::Case c = four();
  SharedKernel group = *merged_kernel(c.input(), {2}, MergeReading::Refitted);
  std::vector<std::size_t> from{0, 3, 1};
  EXPECT_TRUE(merge(c.input(), group, from, kNone, MergeReading::Refitted));
  EXPECT_EQ(group.items, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(from, (std::vector<std::size_t>{0, 1}));
}

TEST(Merge, KeepsFAndGwApart) {
  conv::Convolution gw = pointwise(4, 2, 6);
  gw.kind = conv::Kind::GW;
  gw.c = 1;
  const test::Case c = roomy({pointwise(4, 2, 6), gw}, 8);
  EXPECT_FALSE(merged_kernel(c.input(), {0, 1}, MergeReading::Refitted).has_value());
}

// 6 outputs and 2 filters run best on 3 x 2: two sets, an OUT of 2*2*2*3 = 24 words. On the 4 x 2 of C there are still
// two sets, but of 4: 32 words, more than the larger of the two optima's 24 and 16.
TEST(Merge, AsPrintedDoesNotResizeWhatDependsOnTheArray) {
  const test::Case c = roomy({pointwise(6, 2, 5), pointwise(4, 2, 6)}, 8);
  ASSERT_EQ(c.optimal[0].alpha.x, 3);
  EXPECT_FALSE(merged_kernel(c.input(), {0, 1}, MergeReading::Printed).has_value());
  const auto refitted = merged_kernel(c.input(), {0, 1}, MergeReading::Refitted);
  ASSERT_TRUE(refitted.has_value());
  EXPECT_EQ(refitted->alpha.out_words, 32);
  EXPECT_EQ(refitted->cycles, 48 * 5 * 2 + 48 * 6);
}

// A is slowest and cannot join another kernel; then B; C and E share.
TEST(Share, GroupsWhatSharesAnArray) {
  const test::Case c = four();
  EXPECT_EQ(groups_of(share(c.input(), kNone, {})), (Groups{{0}, {1}, {3, 2}}));
  // 4 x 2 would run A with a penalty of 100 %, but the algorithm only tries the larger X.
  EXPECT_EQ(share(c.input(), kAll, {}).size(), 3U);
}

TEST(Share, AsPrintedEndsAtTheFirstThatCannot) {
  const SharingReadings printed{MergeReading::Refitted, StopReading::Printed};
  EXPECT_EQ(share(four().input(), kNone, printed).size(), 4U);
  // With one channel A is the fastest instead; the slowest is B, which cannot join either.
  EXPECT_EQ(share(four(1).input(), kNone, printed).size(), 4U);
  // Without A and B the slowest is C, which can join.
  const test::Case two = roomy({pointwise(4, 2, 6), pointwise(4, 1, 5)}, 8);
  EXPECT_EQ(groups_of(share(two.input(), kNone, printed)), (Groups{{1, 0}}));
}

// The slowest, item 0 (480 cycles), can join item 1 (240, for 720) or item 2 (96, for 576), both without a penalty: the
// lower sum wins. Then item 1 is the smallest group and joins.
TEST(Share, GivesTheSlowestToTheGroupThatEndsUpFastest) {
  const test::Case c = roomy({pointwise(4, 1, 10), pointwise(4, 2, 5), pointwise(4, 1, 2)}, 8);
  const std::vector<SharedKernel> kernels = share(c.input(), kNone, {});
  EXPECT_EQ(groups_of(kernels), (Groups{{2, 0, 1}}));
  EXPECT_EQ(std::tuple(kernels[0].cycles, kernels[0].alpha.x, kernels[0].alpha.y), std::tuple(480 + 240 + 96, 4, 2));
}

// W reads windows of 319 words, as 96 beats, and is the slowest: 300 words of KERN and 300 + 1 + 8 cycles to feed them.
// M (280) has such windows itself; N, 4 outputs of 2 channels, would read 96 beats per channel instead of 48 on W's
// kernel. So W joins M, without a penalty, though with N it would take fewer cycles; then N joins, at 100 %.
TEST(Share, PrefersALowerPenaltyToFewerCycles) {
  const auto wide = [](int kernel) {
    return workloads::lower({"l", 1, 1, 1, 1, {}, {19 + kernel, kernel}}, conv::Kind::F);
  };
  const test::Case c = roomy({wide(300), wide(280), pointwise(4, 1, 2)}, 20);
  EXPECT_EQ(c.optimal[0].cycles, 300 + 300 + 1 + 8);
  EXPECT_EQ(c.optimal[1].cycles, 280 + 280 + 1 + 8);
  EXPECT_EQ(c.optimal[2].cycles, 96);
  const std::vector<SharedKernel> kernels = share(c.input(), kAll, {});
  EXPECT_EQ(groups_of(kernels), (Groups{{1, 0, 2}}));
  EXPECT_EQ(kernels[0].worst_penalty, 1);
  EXPECT_EQ(kernels[0].cycles, 609 + 569 + 192);
  EXPECT_EQ(share(c.input(), PenaltyLimit{99'000}, {}).size(), 2U);
}

TEST(Share, CountsTheLaunchesOfGroupedLayers) {
  test::Case c = four();
  c.items[3].launches = 10;
  const std::vector<SharedKernel> kernels = share(c.input(), kNone, {});
  EXPECT_EQ(kernels.back().cycles, 48 * 6 + 10 * 48 * 5);
}

// Returns F over a map of one row: `size` words of `channels`, one filter of `kernel` words, every `stride` words.
conv::Convolution row(int size, int stride, int kernel, int channels) {
  return workloads::lower({"l", 1, channels, 1, 1, {}, {size, kernel, stride}}, conv::Kind::F);
}

// Item 0 leaves 2 and 5 for a larger group. Algorithm 2 would now give 2 and 5 the array 4 x 1, and item 2, with 5
// outputs, two sets: twice the cycles. On their earlier 7 x 1, shared with item 0, neither takes longer than alone.
TEST(Share, WhatAGroupKeepsStaysOnItsKernelIfASmallerOneBreaksTheLimit) {
  test::Case c;
  c.problem.base.bus_bits = 128;
  c.problem.budget = {9 * 17, 26, 0};
  c.problem.readings.burst = reading::Burst::Ideal;
  c.problem.readings.decode = reading::Decode::Printed;
  c.problem.shapes = {row(14, 1, 2, 1), row(24, 1, 2, 1), row(22, 5, 2, 2), row(7, 2, 1, 1),
                      row(3, 1, 1, 2),  row(19, 3, 1, 2), row(8, 3, 2, 2)};
  ASSERT_TRUE(c.prepare());
  const auto alone = merged_kernel(c.input(), {2, 5}, MergeReading::Refitted);
  ASSERT_TRUE(alone.has_value());
  EXPECT_EQ(alone->alpha.x, 4);
  EXPECT_EQ(alone->worst_penalty, 1);
  const std::vector<SharedKernel> kernels = share(c.input(), kNone, {});
  ASSERT_EQ(groups_of(kernels), (Groups{{2, 5}, {4, 1, 6, 3, 0}}));
  EXPECT_EQ(std::tuple(kernels[0].alpha.x, kernels[0].worst_penalty, kernels[0].cycles),
            std::tuple(7, 0, c.optimal[2].cycles + c.optimal[5].cycles));
}

// As printed, item 3 leaves 1 and 4, whose optima have lines of 8 words each, 8 outputs of 1 word and 7 of 2. Their
// array is 8 x 1, on which item 4 needs 9: no kernel at all, so they keep the kernel with the 9 words of item 3.
TEST(Share, WhatAGroupKeepsStaysOnItsKernelIfASmallerOneCannotRunIt) {
  test::Case c;
  c.problem.base.bus_bits = 32;
  c.problem.budget = {9 * 9, 31, 0};
  c.problem.shapes = {row(15, 1, 2, 3), row(22, 1, 1, 3), row(18, 1, 2, 2),
                      row(9, 1, 2, 1),  row(21, 1, 2, 2), row(4, 1, 1, 4)};
  ASSERT_TRUE(c.prepare());
  EXPECT_EQ(c.optimal[1].alpha.z_channel, 8);
  EXPECT_EQ(c.optimal[4].alpha.z_channel, 8);
  EXPECT_FALSE(merged_kernel(c.input(), {1, 4}, MergeReading::Printed).has_value());
  const std::vector<SharedKernel> kernels = share(c.input(), kNone, {MergeReading::Printed, StopReading::Exhausted});
  ASSERT_EQ(groups_of(kernels), (Groups{{1, 4}, {2, 0, 5, 3}}));
  EXPECT_EQ(std::tuple(kernels[0].alpha.x, kernels[0].alpha.z_channel, kernels[0].worst_penalty), std::tuple(8, 9, 0));
  EXPECT_EQ(kernels[0].cycles, c.optimal[1].cycles + c.optimal[4].cycles);
}

// Invariants: every item in one group, every kernel within the budget, every convolution within its penalty.
TEST(Share, OfRandomCasesKeepsBudgetAndPenalty) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const test::Case c = test::random_case(seed);
    for (const MergeReading merge_as : {MergeReading::Refitted, MergeReading::Printed}) {
      for (const PenaltyLimit limit : {kNone, PenaltyLimit{20'000}}) {
        const std::vector<SharedKernel> kernels = share(c.input(), limit, {merge_as, StopReading::Exhausted});
        std::vector<int> seen(c.items.size());
        for (const SharedKernel& kernel : kernels) {
          std::vector<conv::Convolution> betas;
          Cycles cycles = 0;
          for (const std::size_t item : kernel.items) {
            ++seen[item];
            betas.push_back(c.problem.shapes[item]);
            const Cycles mine = gamma(kernel.alpha, betas.back(), c.problem.readings).total;
            EXPECT_LE(mine, limit.most_cycles(c.optimal[item].cycles)) << "seed " << seed;
            cycles += mine;
          }
          EXPECT_EQ(kernel.cycles, cycles);
          EXPECT_TRUE(fits(compare(resources(kernel.alpha, betas, c.problem.readings), c.problem.budget))) << seed;
        }
        EXPECT_EQ(seen, std::vector<int>(c.items.size(), 1)) << "seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace weft::fpgpt::dse
