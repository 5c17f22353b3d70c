#include "model/fpgpt/exact/answered_writes.h"

#include <gtest/gtest.h>

#include <vector>

namespace weft::fpgpt::exact {
namespace {

using engine::Transfer;

// A interval of 20 cycles from cycle 100 on: a burst of two beats in cycles 2 and 3, one of a beat in cycle 9.
engine::RequestTrace two_bursts() {
  engine::Transfers out;
  out.bases = {{2, 0}};
  out.events = {{2, Transfer::Write, 2, 2, 0, 0},
                {2, Transfer::WriteBeat, 2, 1, 0, 0},
                {3, Transfer::WriteBeat, 2, 1, 0, 0},
                {9, Transfer::Write, 2, 1, 0, 128},
                {9, Transfer::WriteBeat, 2, 1, 0, 128}};
  return engine::RequestTrace::of(20, {&out}, {64, 64, 64});
}

// Responses in cycles 5 and 11: active in 2, 3, 5, 9, 11; a burst is open at the start of cycles 3 to 5, 10 and 11, of
// which 3 has a beat: the port waits in 4, 5, 10, 11.
TEST(LateResponses, LengthenTheWaitOfThePort) {
  // The first response in cycle 8: still five active cycles, and the port waits in 6 to 8 too.
  const auto later = late_responses(two_bursts(), 100, 0, 2, {105, 111}, {108, 111});
  ASSERT_TRUE(later);
  EXPECT_EQ(later->active, 0);
  EXPECT_EQ(later->waits, 3);
  // After the end: four active cycles; the port waits in 12 to 19 too.
  const auto beyond = late_responses(two_bursts(), 100, 0, 2, {105, 111}, {105, 125});
  ASSERT_TRUE(beyond);
  EXPECT_EQ(beyond->active, -1);
  EXPECT_EQ(beyond->waits, 8);
}

// In cycle 9 a beat is sent and the response of the first burst taken: one active cycle less. The port waits in 6 to 8.
TEST(LateResponses, MayComeInACycleWithABeat) {
  const auto together = late_responses(two_bursts(), 100, 0, 2, {105, 111}, {109, 111});
  ASSERT_TRUE(together);
  EXPECT_EQ(together->active, -1);
  EXPECT_EQ(together->waits, 3);
}

// With one burst at a time the second may be opened in cycle 9 if the first was answered in cycle 8.
TEST(LateResponses, DoNotHoldWhereABurstWaitsForThem) {
  EXPECT_TRUE(late_responses(two_bursts(), 100, 0, 1, {105, 111}, {108, 111}));
  EXPECT_FALSE(late_responses(two_bursts(), 100, 0, 1, {105, 111}, {109, 111}));
  // A burst from before the interval is open too, and answered in cycle 1 or 7.
  EXPECT_TRUE(late_responses(two_bursts(), 100, 1, 2, {101, 105, 111}, {107, 108, 111}));
  EXPECT_FALSE(late_responses(two_bursts(), 100, 1, 1, {101, 105, 111}, {102, 105, 111}));
}

// Responses assumed for cycles 92, 108 and 124, by cycle 123: the second one must be there.
TEST(Confirm, ChangesNothingIfAResponseIsMissing) {
  std::vector<Cycles> assumed{92, 108, 124};
  Cycles last = 76;
  EXPECT_FALSE(confirm({92}, 123, assumed, last));
  EXPECT_EQ(assumed, (std::vector<Cycles>{92, 108, 124}));
  EXPECT_EQ(last, 76);
  EXPECT_TRUE(confirm({92}, 108, assumed, last));
  EXPECT_EQ(assumed, (std::vector<Cycles>{108, 124}));
  EXPECT_EQ(last, 92);
  EXPECT_FALSE(confirm({109}, 123, assumed, last));
  EXPECT_TRUE(confirm({108, 124}, 123, assumed, last));
  EXPECT_EQ(last, 124);
}

}  // namespace
}  // namespace weft::fpgpt::exact
