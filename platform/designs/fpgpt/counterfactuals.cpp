#include <array>
#include <utility>

#include "platform/design/kernel_changes.h"
#include "platform/designs/fpgpt/design.h"
#include "platform/designs/fpgpt/kernel_config.h"

namespace weft::fpgpt {

using design::Counterfactual;

namespace {

// What the switches of a profile are, in the order of kProfileSwitches (CONTRACT.md, section 2).
constexpr std::array<const char*, 5> kSwitchMeanings{
    "reads only the beats needed, not Gamma_Burst of them", "the next Y-group starts while the last one drains",
    "KERN of F and GI is stored at a beat a cycle, not at a word",
    "KERN of F and GI is fed as soon as its words are there", "X-sets of GW start max(M, Y, F) cycles apart"};
static_assert(kSwitchMeanings.size() == std::size(kProfileSwitches));

Counterfactual of_switch(const ProfileSwitch& each, const char* meaning) {
  return {each.name, meaning, "", "", false, [on = each.on](const config::RunConfig& run) {
            return design::with_changed<KernelConfig>(run, [&](KernelConfig& kernel) {
              const bool has_it = std::exchange(kernel.profile.*on, true);
              return std::string(has_it ? "the profile has it" : "");
            });
          }};
}

}  // namespace

std::vector<Counterfactual> counterfactuals() {
  std::vector<Counterfactual> all;
  for (std::size_t i = 0; i < kSwitchMeanings.size(); ++i) {
    all.push_back(of_switch(kProfileSwitches[i], kSwitchMeanings.at(i)));
  }
  const auto larger_array = [](const char* name, const char* meaning, int KernelConfig::*side) {
    return design::larger(name, meaning, "DSP", side, config::kIntMax);
  };
  all.insert(all.end(), {design::wider_ports<KernelConfig>(), design::more_bursts<KernelConfig>(),
                         design::deeper_fifos<KernelConfig>(),
                         larger_array("larger_x", "twice the columns of the array", &KernelConfig::x),
                         larger_array("larger_y", "twice the rows of the array", &KernelConfig::y),
                         design::faster_ddr(), design::ideal_memory(), design::faster_clock()});
  return all;
}

// KERN of GW is loaded by another feeder, which knows neither of its two switches; sets are spaced by
// packed_gw_sets in GW alone (Plan::spacing). Only a DRAM has a clock that the kernel's has a ratio to.
config::RunConfig as_seen_by(const config::RunConfig& run, conv::Kind kind) {
  KernelConfig kernel = KernelConfig::of(run);
  if (kind == conv::Kind::GW) {
    kernel.profile.wide_kern_load = kernel.profile.early_kern_feed = false;
  } else {
    kernel.profile.packed_gw_sets = false;
  }
  if (std::holds_alternative<config::IdealMemory>(run.board.memory)) kernel.clock = 1;
  return with_kernel(run, kernel);
}

}  // namespace weft::fpgpt
