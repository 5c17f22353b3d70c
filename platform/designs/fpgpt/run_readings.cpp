#include "platform/designs/fpgpt/run_readings.h"

#include <algorithm>

#include "platform/config/reader.h"
#include "platform/designs/fpgpt/kernel_config.h"

namespace weft::fpgpt {

namespace {

constexpr std::string_view kOutWord = "out_word";
constexpr const char* kAuto = "auto";  // as the kernel's profile has it

}  // namespace

Readings readings_of(const Profile& profile, const std::vector<config::ReadingChoice>& given) {
  Readings result = readings_of(profile);
  for (const config::ReadingChoice& each : given) {
    const std::string key = "readings." + each.key;
    const ReadingDescriptor* descriptor = find_reading(each.key);
    if (!descriptor) {
      std::vector<std::string> known;
      for (const ReadingDescriptor& one : reading_table()) known.emplace_back(one.key);
      throw config::error_at(each.place, key, "unknown reading" + config::suggestion(each.key, known));
    }
    std::vector<std::string> names;
    for (const ReadingOption& option : *descriptor) names.emplace_back(option.name);
    if (descriptor->profile_switch) names.emplace_back(kAuto);
    config::Node node = config::scalar_node(each.value);
    node.place = each.place;
    const std::size_t chosen = config::read_choice(node, key, names);
    if (chosen < descriptor->count) descriptor->set(result, (descriptor->begin() + chosen)->value);
  }
  return result;
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
    const bool follows = each.profile_switch && (of_run == given.end() || of_run->value == kAuto);
    all.push_back({std::string(each.key), std::string(follows ? kAuto : chosen(each, used)), {}});
  }
  return all;
}

}  // namespace weft::fpgpt
