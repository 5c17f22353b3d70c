#include "tools/cosim_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

namespace weft::tools {

using conv::Kind;
using cosim::BuildResult;
using cosim::CaseResult;
using Json = nlohmann::ordered_json;

namespace {

constexpr std::array<Kind, 3> kKinds{Kind::F, Kind::GI, Kind::GW};
constexpr Cycles kLong = Cycles{1} << 20;
constexpr int kLongestBurst = 256;  // beats, of AXI4

const char* memory_name(memory::MemoryKind kind) {
  return kind == memory::MemoryKind::ddr4 ? "ddr4" : "ideal";
}

// What a campaign did, added up. Maps keep the order of their names.
struct Totals {
  std::int64_t cases = 0, cycles = 0, handshakes = 0, differences = 0;
  std::map<std::string, std::int64_t> kinds, memories, refusals, clocks, channels;
  std::vector<std::pair<std::string, std::map<std::string, std::int64_t>>> choices;  // of the kernels
  std::map<std::string, std::array<std::int64_t, 2>> switches;                       // off, on
  std::int64_t high = 0, long_cases = 0, long_bursts = 0;
  Cycles longest = 0;
  std::map<std::string, std::int64_t> filled, refused;  // by what of the kernel, by STATUS
  std::array<std::vector<Activities>, 3> activities;    // per kind, of each block

  // `number`: of the case on its build.
  void add(const cosim::KernelText& kernel, std::size_t number, const CaseResult& one) {
    ++cases;
    high += one.high;
    long_cases += one.cycles > kLong;
    longest = std::max(longest, one.cycles);
    long_bursts += one.longest_burst == kLongestBurst;
    if (number < kernel.filled.size()) ++filled[kernel.filled[number]];
    if (one.refused_with != 0) ++refused[fmt::format("{}", one.refused_with)];
    cycles += one.cycles;
    handshakes += one.handshakes;
    differences += !one.equal;
    ++kinds[to_string(one.kind)];
    ++memories[memory_name(one.memory)];
    ++refusals[fmt::format("{}%", one.refuse_percent)];
    ++clocks[fmt::format("{:.4g} MHz", mhz(one.clock))];
    ++channels[fmt::format("{}", one.channels_used)];
    choices.resize(kernel.choices.size());
    for (std::size_t i = 0; i < choices.size(); ++i) {
      choices[i].first = kernel.choices[i].first;
      ++choices[i].second[kernel.choices[i].second];
    }
    for (const auto& [name, on] : kernel.switches) ++switches[name][on ? 1 : 0];
    std::vector<Activities>& sum = activities[static_cast<std::size_t>(one.kind)];
    for (std::size_t block = 0; block < one.activities.size(); ++block) sum[block] += one.activities[block];
  }
};

int case_of(const cosim::CampaignResult& result, const BuildResult& build, std::size_t position) {
  if (result.options.only) return *result.options.only;
  return build.build + static_cast<int>(position) * result.options.builds;
}

Totals totals_of(const Topology& topology, const cosim::CampaignResult& result) {
  Totals totals;
  for (std::vector<Activities>& kind : totals.activities) kind.resize(topology.blocks.size());
  for (const BuildResult& build : result.builds) {
    for (std::size_t i = 0; i < build.cases.size(); ++i) {
      const int number = case_of(result, build, i) / result.options.builds;
      totals.add(build.kernel, static_cast<std::size_t>(number), build.cases[i]);
    }
  }
  return totals;
}

std::string list(const std::map<std::string, std::int64_t>& counts) {
  std::string text;
  for (const auto& [name, count] : counts) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, count);
  return text;
}

std::string states_table(const Topology& topology, const Totals& totals) {
  std::string text = fmt::format("{:<16}", "cycles");
  for (const Kind kind : kKinds) {
    for (const char* state : kActivityNames)
      text += fmt::format(" {:>11}", fmt::format("{} {}", to_string(kind), state));
  }
  text += "\n";
  for (std::size_t block = 0; block < topology.blocks.size(); ++block) {
    text += fmt::format("{:<16}", topology.blocks[block].name);
    for (const auto& activities : totals.activities) {
      for (const Cycles cycles : activities[block].cycles) text += fmt::format(" {:>11}", cycles);
    }
    text += "\n";
  }
  return text;
}

std::string differences_text(const cosim::CampaignResult& result) {
  std::string text;
  for (const BuildResult& build : result.builds) {
    bool first = true;
    for (std::size_t i = 0; i < build.cases.size(); ++i) {
      if (build.cases[i].equal) continue;
      const int number = case_of(result, build, i);
      text += fmt::format("DIFFERENT: case {} (build {}){}{}\n", number, build.build, first ? ": " : "",
                          first ? build.first_difference : "");
      if (first) {
        text += fmt::format("  again: weft cosim --campaign --seed {} --builds {} --case {}\n", result.options.seed,
                            result.options.builds, number);
      }
      first = false;
    }
  }
  return text;
}

std::string builds_table(const cosim::Subject& subject, const cosim::CampaignResult& result) {
  std::string text = fmt::format("{:>5}  {} {:>5} {:>10}\n", "build", subject.row_header(), "cases", "cycles");
  for (const BuildResult& build : result.builds) {
    Cycles cycles = 0;
    int different = 0;
    for (const CaseResult& one : build.cases) {
      cycles += one.cycles;
      different += !one.equal;
    }
    text += fmt::format("{:>5}  {} {:>5} {:>10}  {}\n", build.build, build.kernel.row, build.cases.size(), cycles,
                        different == 0 ? std::string("equal") : fmt::format("{} DIFFERENT", different));
  }
  return text + subject.row_legend() + "\n";
}

std::string table(const cosim::Subject& subject, const cosim::CampaignResult& result, const Totals& t) {
  std::string text = fmt::format("seed {}, {} builds, {} convolutions, {} cycles, {} handshakes compared\n",
                                 result.options.seed, result.builds.size(), t.cases, t.cycles, t.handshakes);
  text += fmt::format("kinds: {}", list(t.kinds));
  for (const auto& [name, counts] : t.choices) text += fmt::format("; {}: {}", name, list(counts));
  text += "\n";
  text += fmt::format("memory: {}; channels used: {}; clock: {}\n", list(t.memories), list(t.channels), list(t.clocks));
  text += fmt::format("AXI side refuses: {}\n", list(t.refusals));
  text +=
      fmt::format("tensors above 4 GiB: {}; with bursts of {} beats: {}; longer than {} cycles: {}, the longest {}\n",
                  t.high, kLongestBurst, t.long_bursts, kLong, t.long_cases, t.longest);
  text +=
      fmt::format("filled to the last word: {}; offered and refused, by STATUS: {}\n", list(t.filled), list(t.refused));
  text += "switches off/on:";
  for (const auto& [name, counts] : t.switches) text += fmt::format(" {} {}/{}", name, counts[0], counts[1]);
  text += "\n\n" + states_table(subject.topology(), t) + "\n" + builds_table(subject, result) + "\n";
  text += differences_text(result);
  text += fmt::format("{} of {} convolutions differ.\n", t.differences, t.cases);
  return text;
}

Json case_json(const CaseResult& one, int number) {
  return {{"case", number},
          {"kind", to_string(one.kind)},
          {"a", one.a},
          {"n_inp", one.n_inp},
          {"n_kern", one.n_kern},
          {"c", one.c},
          {"m", one.m},
          {"out_map", one.out_map},
          {"memory", memory_name(one.memory)},
          {"channels_used", one.channels_used},
          {"clock_mhz", mhz(one.clock)},
          {"refuse_percent", one.refuse_percent},
          {"above_4_gib", one.high},
          {"longest_burst", one.longest_burst},
          {"refused_with", one.refused_with},
          {"cycles", one.cycles},
          {"handshakes", one.handshakes},
          {"equal", one.equal}};
}

Json build_json(const cosim::CampaignResult& result, const BuildResult& build) {
  Json json{{"build", build.build}};
  json.update(build.kernel.json);
  json["first_difference"] = build.first_difference;
  for (std::size_t i = 0; i < build.cases.size(); ++i) {
    json["cases"].push_back(case_json(build.cases[i], case_of(result, build, i)));
  }
  return json;
}

std::string json(const Topology& topology, const cosim::CampaignResult& result, const Totals& t) {
  Json json{{"seed", result.options.seed},
            {"builds", result.builds.size()},
            {"convolutions", t.cases},
            {"differences", t.differences},
            {"cycles", t.cycles},
            {"handshakes", t.handshakes},
            {"kinds", t.kinds}};
  for (const auto& [name, counts] : t.choices) json[name] = counts;
  json["memories"] = t.memories;
  json["channels_used"] = t.channels;
  json["clocks"] = t.clocks;
  json["refusals"] = t.refusals;
  json["above_4_gib"] = t.high;
  json["with_longest_bursts"] = t.long_bursts;
  json["longer_than_2_20_cycles"] = t.long_cases;
  json["longest"] = t.longest;
  json["filled"] = t.filled;
  json["refused_with"] = t.refused;
  for (const auto& [name, counts] : t.switches) json["switches"][name] = {{"off", counts[0]}, {"on", counts[1]}};
  for (const Kind kind : kKinds) {
    for (std::size_t block = 0; block < topology.blocks.size(); ++block) {
      Json& states = json["states"][to_string(kind)][topology.blocks[block].name];
      for (std::size_t state = 0; state < kActivityNames.size(); ++state) {
        states[kActivityNames[state]] = t.activities[static_cast<std::size_t>(kind)][block].cycles[state];
      }
    }
  }
  for (const BuildResult& build : result.builds) json["each_build"].push_back(build_json(result, build));
  return json.dump(2) + "\n";
}

std::string csv(const cosim::CampaignResult& result) {
  std::string text =
      "seed,case,build,kind,a,n_inp,n_kern,c,m,out_map,memory,channels_used,clock_mhz,refuse_percent,"
      "above_4_gib,longest_burst,refused_with,cycles,handshakes,equal\n";
  for (const BuildResult& build : result.builds) {
    for (std::size_t i = 0; i < build.cases.size(); ++i) {
      const CaseResult& c = build.cases[i];
      text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{:.7g},{},{},{},{},{},{},{}\n", result.options.seed,
                          case_of(result, build, i), build.build, to_string(c.kind), c.a, c.n_inp, c.n_kern, c.c, c.m,
                          c.out_map, memory_name(c.memory), c.channels_used, mhz(c.clock), c.refuse_percent,
                          c.high ? "yes" : "no", c.longest_burst, c.refused_with, c.cycles, c.handshakes,
                          c.equal ? "yes" : "no");
    }
  }
  return text;
}

}  // namespace

Report report(const cosim::Subject& subject, const cosim::CampaignResult& result) {
  const Totals totals = totals_of(subject.topology(), result);
  return {table(subject, result, totals), json(subject.topology(), result, totals), csv(result)};
}

Report report(const std::vector<CosimRow>& rows) {
  Report report;
  Json json{{"convolutions", Json::array()}};
  bool equal = true;
  report.csv = "layer,kind,cycles,handshakes,equal\n";
  for (const CosimRow& row : rows) {
    const cosim::Verdict& v = row.verdict;
    equal = equal && v.equal();
    report.table += fmt::format("{:<32}  {:<4}  {:>12} cycles  {:>12} handshakes  {}\n", row.layer, row.kind, v.cycles,
                                v.handshakes, v.equal() ? "equal" : "DIFFERENT: " + v.difference);
    json["convolutions"].push_back({{"layer", row.layer},
                                    {"kind", row.kind},
                                    {"cycles", v.cycles},
                                    {"handshakes", v.handshakes},
                                    {"equal", v.equal()},
                                    {"difference", v.difference}});
    report.csv +=
        fmt::format("{},{},{},{},{}\n", row.layer, row.kind, v.cycles, v.handshakes, v.equal() ? "yes" : "no");
  }
  json["equal"] = equal;
  report.table += equal ? "RTL and model agree.\n" : "RTL and model differ.\n";
  report.json = json.dump(2) + "\n";
  return report;
}

Report report(const cosim::MutationResult& result) {
  Report report;
  Json json{{"mutants", Json::array()}};
  std::size_t noticed = 0;
  report.csv = "mutant,file,noticed,convolutions\n";
  for (const cosim::MutantResult& each : result.mutants) {
    const bool survived = each.difference.empty();
    noticed += survived ? 0 : 1;
    report.table +=
        fmt::format("{:<24}  {:<22}  {}\n{:26}{}\n", each.mutant.name, each.mutant.file, each.mutant.what, "",
                    survived ? fmt::format("SURVIVED {} convolutions", each.cases)
                             : fmt::format("convolution {}: {:.160}", each.cases, each.difference));
    json["mutants"].push_back({{"name", each.mutant.name},
                               {"file", each.mutant.file},
                               {"what", each.mutant.what},
                               {"convolutions", each.cases},
                               {"difference", each.difference}});
    report.csv += fmt::format("{},{},{},{}\n", each.mutant.name, each.mutant.file, survived ? "no" : "yes", each.cases);
  }
  for (const std::string& difference : result.controls) {
    if (!difference.empty()) report.table += "The RTL as it is differs: " + difference + "\n";
  }
  json["noticed"] = noticed;
  json["controls"] = result.controls;
  report.table += fmt::format(
      "{} of {} faults noticed; the RTL without a fault {}.\n", noticed, result.mutants.size(),
      std::all_of(result.controls.begin(), result.controls.end(), [](const std::string& text) { return text.empty(); })
          ? "agrees with the model in all convolutions"
          : "DIFFERS");
  report.json = json.dump(2) + "\n";
  return report;
}

}  // namespace weft::tools
