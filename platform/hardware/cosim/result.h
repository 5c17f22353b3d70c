#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/hardware/cosim/campaign.h"
#include "platform/hardware/cosim/mutation.h"
#include "platform/record/record.h"

namespace weft::cosim {

// A convolution of a run on RTL and model: a line of the CSV, and all of it.
struct UnitLine {
  std::string layer, kind;
  Verdict verdict;
};
void fields(record::Visitor& io, UnitLine& unit);
struct UnitResult : UnitLine {};
void fields(record::Visitor& io, UnitResult& unit);

struct RunComparisonResult {
  std::vector<UnitResult> units;
  bool equal() const;
};
void fields(record::Visitor& io, RunComparisonResult& result);

void fields(record::Visitor& io, MutationResult& result);

// Numbers of convolutions by the value of a property.
struct Counts {
  record::Named<std::int64_t> of;  // sorted by value as text
  std::int64_t& operator[](const std::string& value);
  std::string text() const;  // "F 3, GW 2"
};

// A case of a campaign, with the names of its design.
struct CaseRecord {
  std::int64_t number = 0;
  CaseFigures figures;
  std::string kind, memory;
  record::Named<std::int64_t> sizes;
};
struct CaseLine {
  std::uint64_t seed = 0;
  int build = 0;
  CaseRecord one;
};
void fields(record::Visitor& io, CaseLine& line);

struct BuildRecord {
  int build = 0;
  KernelText kernel;
  std::vector<CaseRecord> cases;
  std::string first_difference;
};

// A campaign: totals and single cases.
struct CampaignRecord {
  struct Switch {
    std::int64_t off = 0, on = 0;
  };
  struct Blocks {
    record::Named<Activities> blocks;
  };

  std::uint64_t seed = 1;
  std::int64_t cases = 0, differences = 0, cycles = 0, handshakes = 0;
  Counts kinds, memories, channels_used, clocks, refusals, filled, refused_with;
  record::Named<Counts> choices;
  std::int64_t high = 0, long_bursts = 0, long_cases = 0;
  Cycles longest = 0;
  record::Named<Switch> switches;
  record::Named<Blocks> states;  // by kind
  std::vector<BuildRecord> builds;

  std::vector<CaseLine> lines() const;
};
void fields(record::Visitor& io, CampaignRecord& campaign);

CampaignRecord record_of(const RtlDesign& rtl_design, const CampaignResult& result);

inline constexpr Cycles kLongCase = Cycles{1} << 20;
inline constexpr int kLongestBurst = 256;  // beats, of AXI4

}  // namespace weft::cosim
