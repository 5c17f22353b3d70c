#include "model/fpgpt/analytical/readings.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "golden_networks.h"
#include "model/fpgpt/analytical/gamma.h"
#include "model/fpgpt/analytical/resources.h"
#include "model/fpgpt/sizing.h"

namespace weft::fpgpt {
namespace {

TEST(ReadingTable, KeysAndNamesAreUniqueAndEveryReadingHasAnAlternative) {
  std::set<std::string> keys;
  for (const ReadingDescriptor& descriptor : reading_table()) {
    EXPECT_TRUE(keys.insert(descriptor.key).second) << descriptor.key;
    EXPECT_FALSE(descriptor.finding.empty()) << descriptor.key;
    EXPECT_FALSE(descriptor.equations.empty()) << descriptor.key;
    EXPECT_GE(descriptor.alternatives.size(), 2u) << descriptor.key;
    std::set<std::string> names;
    std::set<int> values;
    for (const auto& option : descriptor.alternatives) {
      EXPECT_TRUE(names.insert(option.name).second) << descriptor.key << " " << option.name;
      EXPECT_TRUE(values.insert(option.value).second) << descriptor.key << " " << option.name;
    }
  }
}

TEST(ReadingTable, TheFirstAlternativeIsTheDefault) {
  for (const ReadingDescriptor& descriptor : reading_table()) {
    EXPECT_EQ(descriptor.chosen(Readings{}), descriptor.alternatives.front().name) << descriptor.key;
  }
}

TEST(ReadingTable, EveryNameSetsItsReadingAndNoOther) {
  for (const ReadingDescriptor& descriptor : reading_table()) {
    for (const auto& option : descriptor.alternatives) {
      Readings readings;
      descriptor.set(readings, option.value);
      for (const ReadingDescriptor& other : reading_table()) {
        const std::string& expected = other.key == descriptor.key ? option.name : other.alternatives.front().name;
        EXPECT_EQ(other.chosen(readings), expected) << descriptor.key << "=" << option.name << ": " << other.key;
      }
      EXPECT_EQ(readings == Readings{}, option.value == descriptor.alternatives.front().value) << descriptor.key;
    }
  }
}

TEST(ReadingTable, NamesStandForTheirEnumerators) {
  Readings readings;
  readings.burst = reading::Burst::Ideal;
  readings.out_storage = reading::OutStorage::Tensor;
  EXPECT_EQ(find_reading(reading_table(), "burst")->chosen(readings), "ideal");
  EXPECT_EQ(find_reading(reading_table(), "out_storage")->chosen(readings), "tensor");
  EXPECT_EQ(find_reading(reading_table(), "nonsense"), nullptr);
}

TEST(ReadingsOfAProfile, AreTheDefaultsForWhatTheThesisBuilt) {
  EXPECT_TRUE(readings_of(Profile::hls()) == Readings{});
  EXPECT_TRUE(unknown_switches(Profile::hls(), Readings{}).empty());
}

TEST(ReadingsOfAProfile, FollowEachSwitchByOneReading) {
  for (const ProfileSwitch& each : kProfileSwitches) {
    Profile profile;
    profile.*each.on = true;
    const Readings readings = readings_of(profile);
    int changed = 0;
    for (const ReadingDescriptor& reading : reading_table()) {
      if (reading.get(readings) == reading.get(Readings{})) continue;
      ++changed;
      EXPECT_TRUE(reading.profile_switch == each.on) << reading.key << " follows " << each.name;
    }
    EXPECT_EQ(changed, 1) << each.name;
    EXPECT_TRUE(unknown_switches(profile, readings).empty()) << each.name;
    const auto unknown = unknown_switches(profile, Readings{});
    ASSERT_EQ(unknown.size(), 1u) << each.name;
    EXPECT_STREQ(unknown[0], each.name);
  }
}

TEST(ReadingsOfAProfile, ThatAreOverruledLeaveTheSwitchUnknown) {
  Readings readings = readings_of(Profile::rtl());
  EXPECT_EQ(readings.burst, reading::Burst::Exact);
  readings.burst = reading::Burst::Fixed;
  const auto unknown = unknown_switches(Profile::rtl(), readings);
  ASSERT_EQ(unknown.size(), 1u);
  EXPECT_STREQ(unknown[0], "exact_bursts");
}

// A reading that changes no number would be a key without effect.
TEST(ReadingTable, EveryAlternativeChangesSomeNumberOfGoogLeNet) {
  const auto convolutions = test::training_convolutions(test::golden_layers("googlenet", 4));
  const auto differs = [&](NumberFormat format, const Readings& readings) {
    for (const conv::Convolution& c : convolutions) {
      Alpha alpha = test::array(4, 7);
      alpha.format = format;
      alpha = fitted(alpha, c);
      const Gamma a = gamma(alpha, c), b = gamma(alpha, c, readings);
      for (std::size_t i = 0; i < kBlocks; ++i) {
        if (a[static_cast<Block>(i)] != b[static_cast<Block>(i)]) return true;
      }
      const Resources p = resources(alpha, {c}), q = resources(alpha, {c}, readings);
      if (p.bram18 != q.bram18 || p.memories[0].partition_words != q.memories[0].partition_words) return true;
    }
    return false;
  };
  for (const ReadingDescriptor& descriptor : reading_table()) {
    for (const auto& option : descriptor.alternatives) {
      if (&option == &descriptor.alternatives.front() || descriptor.key == "total")
        continue;  // total: Total.Eq59LeavesDecodeOut
      Readings readings;
      descriptor.set(readings, option.value);
      // FP32 has words of one width: resources 'synthesis' supports only FP32, and out_word affects only other formats.
      const NumberFormat format = descriptor.key == "out_word" ? NumberFormat::fixed(8) : NumberFormat::fp32();
      EXPECT_TRUE(differs(format, readings)) << descriptor.key << ": " << option.name;
    }
  }
}

}  // namespace
}  // namespace weft::fpgpt
