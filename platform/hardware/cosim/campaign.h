#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/core/activity.h"
#include "model/core/frequency.h"
#include "platform/hardware/cosim/rtl_design.h"

namespace weft::cosim {

// A campaign: random convolutions on random builds of the RTL. Case i is convolution i / builds of build i mod builds,
// and does not depend on `count` and `workers`.
struct CampaignOptions {
  std::string design;   // as requested; empty: not given
  std::string numbers;  // one of RtlDesign::numbers(); empty: the first
  std::uint64_t seed = 1;
  int count = 2000;
  int builds = 60;
  int workers = 1;
  std::optional<int> only;  // run only this case, after the earlier cases of its build: same hardware state
};

// One case; trivially copyable, for memory shared with workers.
struct CaseFigures {
  std::size_t kind = 0;                          // of RtlDesign::kinds()
  std::array<std::int64_t, kMostSizes> sizes{};  // of RtlDesign::sizes()
  memory::MemoryKind memory = memory::MemoryKind::ideal;
  int channels_used = 0;  // channels that the ports use
  bool high = false;      // a tensor ends above 4 GiB
  int refused_with = 0;   // STATUS of the convolution offered before it, 0 if there was none
  int longest_burst = 0;  // beats
  Frequency clock = 100;
  int refuse_percent = 0;
  Cycles cycles = 0;
  std::int64_t handshakes = 0;
  bool done = false, equal = false;
};
struct CaseResult : CaseFigures {
  std::vector<Activities> activities;  // of each block
};

struct BuildResult {
  int build = 0;
  KernelText kernel;
  std::vector<CaseResult> cases;  // in order
  std::string first_difference;   // empty: none
};

struct CampaignResult {
  CampaignOptions options;
  std::vector<BuildResult> builds;
  bool equal() const {
    return std::all_of(builds.begin(), builds.end(), [](const BuildResult& b) { return b.first_difference.empty(); });
  }
};

// Runs a campaign; `progress`: cases done, of all. A case that differs does not end the campaign: its build continues
// with fresh hardware. Before a case the RTL is offered a convolution beyond its limits, if one was drawn.
CampaignResult run_campaign(const RtlDesign& rtl_design, const CampaignOptions& options,
                            const BuildContext& build_context,
                            const std::function<void(std::int64_t done, std::int64_t all)>& progress);

}  // namespace weft::cosim
