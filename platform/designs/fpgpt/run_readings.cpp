#include <algorithm>

#include "platform/config/reading_table.h"
#include "platform/designs/fpgpt/design.h"
#include "platform/designs/fpgpt/kernel_config.h"

namespace weft::fpgpt {

namespace {

constexpr const char* kOutWord = "out_word";

}  // namespace

Readings readings_of(const Profile& profile, const std::vector<config::ReadingChoice>& given) {
  return config::readings_of(reading_table(), given, readings_of(profile));
}

Readings readings_of(const config::RunConfig& run) {
  return readings_of(KernelConfig::of(run).profile, run.readings);
}

std::vector<config::ReadingChoice> all_readings(const Profile& profile, NumberFormat format,
                                                const std::vector<config::ReadingChoice>& given) {
  const Readings used = readings_of(profile, given);
  std::vector<config::ReadingChoice> all;
  for (const ReadingDescriptor& each : reading_table()) {
    const auto of_run = std::find_if(given.begin(), given.end(),
                                     [&](const config::ReadingChoice& choice) { return choice.key == each.key; });
    if (each.key == kOutWord && !format.is_fixed() && of_run == given.end()) continue;  // FP32 has words of one width
    const bool follows = each.profile_switch && (of_run == given.end() || of_run->value == each.unset);
    all.push_back({each.key, follows ? each.unset : each.chosen(used), {}});
  }
  return all;
}

}  // namespace weft::fpgpt
