// The bytes of workers give the scheduler equal outcomes, and other bytes are refused.
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "model/core/error.h"
#include "platform/record/bytes.h"
#include "platform/studies/sweep/store/store.h"

namespace weft::sweep {
namespace {

using record::from_bytes;
using record::to_bytes;

Value random_value(std::mt19937& random) {
  switch (random() % 5) {
    case 0:
      return {};
    case 1:
      return static_cast<std::int64_t>(random()) - (std::int64_t{1} << 31);
    case 2:
      return -1.0 / static_cast<double>(random());
    case 3:
      return std::string(random() % 9, static_cast<char>(random()));
    default:
      return std::numeric_limits<std::int64_t>::min();
  }
}

Outcome random_outcome(std::mt19937& random) {
  const auto values = [&] {
    std::vector<Value> values(random() % 7);
    for (Value& value : values) value = random_value(random);
    return values;
  };
  Outcome outcome{static_cast<std::int64_t>(random()), "", "name: a\n", values(), {}, 0.125};
  if (random() % 4 == 0) outcome.error = std::string("nul \0 inside", 12);
  outcome.rows.resize(random() % 5);
  for (auto& row : outcome.rows) row = values();
  return outcome;
}

TEST(OutcomeBytes, ComeBackAsTheyWere) {
  std::mt19937 random(1);
  for (int i = 0; i < 1000; ++i) {
    const Outcome sent = random_outcome(random);
    const Outcome got = from_bytes<Outcome>(to_bytes(sent));
    ASSERT_EQ(got.point, sent.point);
    ASSERT_EQ(got.error, sent.error);
    ASSERT_EQ(got.config, sent.config);
    ASSERT_EQ(got.fields, sent.fields);
    ASSERT_EQ(got.rows, sent.rows);
    ASSERT_EQ(got.seconds, sent.seconds);
  }
}

TEST(OutcomeBytes, CutOrLengthenedAreRefused) {
  std::mt19937 random(2);
  for (int i = 0; i < 50; ++i) {
    const std::string bytes = to_bytes(random_outcome(random));
    for (std::size_t size = 0; size < bytes.size(); ++size)
      ASSERT_THROW(from_bytes<Outcome>(bytes.substr(0, size)), Error) << size;
    ASSERT_THROW(from_bytes<Outcome>(bytes + '\0'), Error);
  }
}

// Includes lengths larger than memory and unknown kinds of value.
TEST(OutcomeBytes, ChangedInAByteAreRefusedOrAnotherOutcome) {
  std::mt19937 random(3);
  for (int i = 0; i < 20; ++i) {
    const std::string bytes = to_bytes(random_outcome(random));
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ (1 + random() % 255));
      try {
        from_bytes<Outcome>(changed);
      } catch (const Error&) {
        continue;
      }
    }
  }
}

}  // namespace
}  // namespace weft::sweep
