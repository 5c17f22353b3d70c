#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "model/memory/config.h"
#include "platform/designs/fpgpt/design.h"
#include "platform/designs/fpgpt/kernel_config.h"

namespace weft::fpgpt {

using design::Changed;
using design::Counterfactual;

namespace {

// What the switches of a profile are, in the order of kProfileSwitches (CONTRACT.md, section 2).
constexpr std::array<const char*, 5> kSwitchMeanings{
    "reads only the beats needed, not Gamma_Burst of them", "the next Y-group starts while the last one drains",
    "KERN of F and GI is stored at a beat a cycle, not at a word",
    "KERN of F and GI is fed as soon as its words are there", "X-sets of GW start max(M, Y, F) cycles apart"};
static_assert(kSwitchMeanings.size() == std::size(kProfileSwitches));

// Deeper FIFOs and more bursts by so much at once: to see whether they limit at all.
constexpr int kMore = 4;
constexpr int kMostOutstanding = 256, kDeepest = 65536;  // what a file may say

Counterfactual of_switch(const ProfileSwitch& each, const char* meaning) {
  return {each.name, meaning, "", "", false, [on = each.on](const config::RunConfig& run) {
            KernelConfig kernel = KernelConfig::of(run);
            if (kernel.profile.*on) return Changed::impossible("the profile has it");
            kernel.profile.*on = true;
            return Changed::to(with_kernel(run, kernel));
          }};
}

Changed with_wider_ports(const config::RunConfig& run) {
  KernelConfig kernel = KernelConfig::of(run);
  if (2 * kernel.beat_bytes() > memory::kWidestBeat) {
    return Changed::impossible(fmt::format("the widest AXI4 bus has {} bits", memory::kWidestBeat * 8));
  }
  kernel.band *= 2;
  return Changed::to(with_kernel(run, kernel));
}

Changed with_more_bursts(const config::RunConfig& run) {
  KernelConfig kernel = KernelConfig::of(run);
  bool more = false;
  for (stream::PortConfig* port : {&kernel.inp_port, &kernel.kern_port, &kernel.out_port}) {
    const int before = port->outstanding;
    port->outstanding = std::min(kMore * before, kMostOutstanding);
    more = more || port->outstanding > before;
  }
  if (!more) return Changed::impossible(fmt::format("every port has {} outstanding", kMostOutstanding));
  return Changed::to(with_kernel(run, kernel));
}

Changed with_deeper_fifos(const config::RunConfig& run) {
  KernelConfig kernel = KernelConfig::of(run);
  for (int& depth : kernel.fifo.all()) depth = std::min(kMore * depth, kDeepest);
  if (kernel.fifo.all() == KernelConfig::of(run).fifo.all()) {
    return Changed::impossible(fmt::format("every FIFO is {} deep", kDeepest));
  }
  return Changed::to(with_kernel(run, kernel));
}

Counterfactual larger_array(const char* name, const char* meaning, int KernelConfig::*side) {
  return {name, meaning, "", "DSP", true, [side](const config::RunConfig& run) {
            KernelConfig kernel = KernelConfig::of(run);
            kernel.*side *= 2;
            return Changed::to(with_kernel(run, kernel));
          }};
}

}  // namespace

std::vector<Counterfactual> counterfactuals() {
  std::vector<Counterfactual> all;
  for (std::size_t i = 0; i < kSwitchMeanings.size(); ++i) {
    all.push_back(of_switch(kProfileSwitches[i], kSwitchMeanings.at(i)));
  }
  all.push_back({"wider_ports", "twice the bits of every port (kernel.band)", "", "", false, with_wider_ports});
  all.push_back({"more_bursts", "four times the outstanding bursts of every port", "", "", false, with_more_bursts});
  all.push_back({"deeper_fifos", "four times the depth of every FIFO", "", "", false, with_deeper_fifos});
  all.push_back(larger_array("larger_x", "twice the columns of the array", &KernelConfig::x));
  all.push_back(larger_array("larger_y", "twice the rows of the array", &KernelConfig::y));
  all.push_back(design::faster_ddr());
  all.push_back(design::ideal_memory());
  all.push_back(design::faster_clock());
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
