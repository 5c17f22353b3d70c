#include "platform/batchlane/readings.h"

#include <string>

#include "platform/config/model_config.h"
#include "platform/config/reader.h"

namespace weft::batchlane {

namespace {

// A reading by its name, and its values in the order of the enumeration.
struct Descriptor {
  const char* key;
  std::vector<std::string> values;
  std::uint8_t (*get)(const Readings&);
  void (*set)(Readings&, std::size_t);
};

template <class Enum, Enum Readings::*kMember>
Descriptor descriptor(const char* key, std::vector<std::string> values) {
  return {key, std::move(values), [](const Readings& r) { return static_cast<std::uint8_t>(r.*kMember); },
          [](Readings& r, std::size_t i) { r.*kMember = static_cast<Enum>(i); }};
}

const std::vector<Descriptor>& table() {
  static const std::vector<Descriptor> all{
      descriptor<Readings::Balance, &Readings::balance>("balance", {"mean", "slowest"}),
      descriptor<Readings::Writes, &Readings::writes>("writes", {"serial", "hidden"}),
      descriptor<Readings::Tail, &Readings::tail>("tail", {"exposed", "hidden"})};
  return all;
}

}  // namespace

Readings readings_of(const std::vector<config::ReadingChoice>& given) {
  Readings result;
  for (const config::ReadingChoice& each : given) {
    const std::string key = "readings." + each.key;
    const Descriptor* found = nullptr;
    std::vector<std::string> known;
    for (const Descriptor& one : table()) {
      known.emplace_back(one.key);
      if (each.key == one.key) found = &one;
    }
    if (!found) throw config::error_at(each.place, key, "unknown reading" + config::suggestion(each.key, known));
    config::Node node = config::scalar_node(each.value);
    node.place = each.place;
    found->set(result, config::read_choice(node, key, found->values));
  }
  return result;
}

std::vector<config::ReadingChoice> all_readings(const Readings& readings) {
  std::vector<config::ReadingChoice> all;
  for (const Descriptor& each : table()) all.push_back({each.key, each.values[each.get(readings)], {}});
  return all;
}

Latencies latencies(const config::RunConfig& run) {
  const memory::MemoryConfig config = config::memory_config(run);
  // As model/memory defines them: one cycle to the first DRAM edge, and the first kernel edge behind the last.
  if (config.kind == memory::MemoryKind::ideal)
    return {config.ideal_latency_cycles + 1, config.ideal_latency_cycles + 1};
  const memory::ClockRatio clocks(config.kernel_clock, config.ddr4.data_rate_mtps);
  const auto& timing = config.ddr4.timing;
  const memory::Nck closed_row = timing.rcd_nck + timing.cl_nck + timing.burst_nck();
  return {1 + clocks.cycle_after(closed_row) + config.latency_cycles,
          1 + clocks.cycle_after(0) + config.latency_cycles + config.write_response_cycles};
}

}  // namespace weft::batchlane
