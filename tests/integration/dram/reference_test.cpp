#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/integration/dram/patterns.h"

namespace weft::memory {
namespace {

constexpr std::size_t kRequests = 200000;

// DRAM cycles of one pattern under one map, by public simulator.
struct Reference {
  std::string map, pattern;
  std::map<std::string, double> cycles;
};

void PrintTo(const Reference& reference, std::ostream* out) {
  *out << reference.map << " " << reference.pattern;
}

std::vector<Reference> references() {
  std::ifstream file(WEFT_SOURCE_DIR
                     "/tests/golden"
                     "/dram/reference.csv");
  std::vector<Reference> references;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> cells;
    std::istringstream cells_of(line);
    for (std::string cell; std::getline(cells_of, cell, ',');) cells.push_back(cell);
    // simulator, pattern, map, outstanding_cap, requests, reads, writes, dram_cycles, ...
    if (cells.at(3) != "0") continue;
    const auto known = std::find_if(references.begin(), references.end(), [&](const Reference& reference) {
      return reference.map == cells[2] && reference.pattern == cells[1];
    });
    if (known == references.end()) {
      references.push_back({cells[2], cells[1], {{cells[0], std::stod(cells[7])}}});
    } else {
      known->cycles[cells[0]] = std::stod(cells[7]);
    }
  }
  return references;
}

std::vector<Reference> references_with_auto_precharge() {
  std::vector<Reference> all = references();
  all.erase(std::remove_if(all.begin(), all.end(),
                           [](const Reference& r) { return r.cycles.count("DRAMsim3-AutoAP_A3") == 0; }),
            all.end());
  return all;
}

std::string test_name(const testing::TestParamInfo<Reference>& info) {
  return info.param.map + "_" + info.param.pattern;
}

TraceResult run(const Reference& reference, bool auto_precharge) {
  Ddr4Config config;
  config.map = reference.map == "RCB"     ? AddressMap::rcb
               : reference.map == "INTLV" ? AddressMap::intlv
                                          : AddressMap::rbc;
  config.auto_precharge_a3 = auto_precharge;
  return run_trace(reference_pattern(reference.pattern, kRequests), config);
}

class OpenPage : public testing::TestWithParam<Reference> {};

// The simulators disagree with each other; the model must be in their range, within 3%.
TEST_P(OpenPage, DramCyclesAreAmongThoseOfThePublicSimulators) {
  const auto& cycles = GetParam().cycles;
  const auto [low, high] = std::minmax({cycles.at("DRAMsim3"), cycles.at("Ramulator2"), cycles.at("DRAMSys")});
  const double model = static_cast<double>(run(GetParam(), false).dram_cycles);
  RecordProperty("dram_cycles", std::to_string(model));
  EXPECT_GE(model, 0.97 * low);
  EXPECT_LE(model, 1.03 * high);
}

INSTANTIATE_TEST_SUITE_P(Reference, OpenPage, testing::ValuesIn(references()), test_name);

class AutoPrechargeA3 : public testing::TestWithParam<Reference> {};

TEST_P(AutoPrechargeA3, DramCyclesAreWithin5PercentOfDramsim3WithTheSameSwitch) {
  const double reference = GetParam().cycles.at("DRAMsim3-AutoAP_A3");
  const double model = static_cast<double>(run(GetParam(), true).dram_cycles);
  EXPECT_GE(model, 0.95 * reference);
  EXPECT_LE(model, 1.05 * reference);
}

INSTANTIATE_TEST_SUITE_P(Reference, AutoPrechargeA3, testing::ValuesIn(references_with_auto_precharge()), test_name);

TEST(ReferenceFile, HasAllPatternsUnderAllMaps) {
  EXPECT_EQ(references().size(), 72U);
  EXPECT_EQ(references_with_auto_precharge().size(), 24U);
}

// Addresses and operations of the traces that the simulators ran, so that a wrong generator is detected.
TEST(ReferencePattern, EqualsTheSequenceTheSimulatorsRan) {
  const struct {
    const char* name;
    std::int64_t writes;
    Address last;
    std::uint64_t hash;  // over all requests: h = h * 6364136223846793005 + address + (1 for a write)
  } golden[] = {
      {"3a_b256_gap4k", 0, 0xf41fc0, 0x232b63ddebd85800U},
      {"3b_b256_rnd4k", 0, 0x63ca8fc0, 0x452654e8de7c5800U},
      {"4_L02_s50176", 0, 0x12b11bc40, 0x41f2056e312a0800U},
      {"4_L64_s3136", 0, 0x12b09c0, 0xd331268b6c071800U},
      {"4p_L04_s50176_C64", 0, 0xc3dc0, 0x7f0754c4fd677800U},
      {"5_rand_rd", 0, 0x168eb9580, 0x2bf2dee86b2f6e80U},
      {"5c_rand_rw50", 99817, 0x29dcb2f40, 0x5fa7baa17799f119U},
      {"6_mix_g001", 66666, 0x100411a80, 0xf103bff757ce58feU},
      {"6o_mix_g016", 66656, 0x100419dc0, 0xbb6a270ac9a3bc20U},
  };
  for (const auto& expected : golden) {
    const Trace trace = reference_pattern(expected.name, kRequests);
    std::int64_t writes = 0;
    std::uint64_t hash = 0;
    for (const TraceRequest& request : trace) {
      writes += request.write ? 1 : 0;
      hash = hash * 6364136223846793005U + static_cast<std::uint64_t>(request.address) + (request.write ? 1 : 0);
    }
    EXPECT_EQ(writes, expected.writes) << expected.name;
    EXPECT_EQ(trace.back().address, expected.last) << expected.name;
    EXPECT_EQ(hash, expected.hash) << expected.name;
  }
}

}  // namespace
}  // namespace weft::memory
