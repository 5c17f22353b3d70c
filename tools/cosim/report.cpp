#include "tools/cosim/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "platform/document/fitted_table.h"
#include "platform/document/text.h"

namespace weft::tools {

using cosim::BuildResult;
using cosim::CaseResult;
using Json = nlohmann::ordered_json;

namespace {

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
  std::vector<std::vector<Activities>> activities;      // per kind, of each block

  // `number`: of the case on its build; `kind`: its name.
  void add(const cosim::KernelText& kernel, std::size_t number, const char* kind, const CaseResult& one) {
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
    ++kinds[kind];
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
    std::vector<Activities>& sum = activities[one.kind];
    for (std::size_t block = 0; block < one.activities.size(); ++block) sum[block] += one.activities[block];
  }
};

int case_of(const cosim::CampaignResult& result, const BuildResult& build, std::size_t position) {
  if (result.options.only) return *result.options.only;
  return build.build + static_cast<int>(position) * result.options.builds;
}

Totals totals_of(const cosim::Subject& subject, const cosim::CampaignResult& result) {
  const std::vector<const char*> kinds = subject.kinds();
  Totals totals;
  totals.activities.assign(kinds.size(), std::vector<Activities>(subject.topology().blocks.size()));
  for (const BuildResult& build : result.builds) {
    for (std::size_t i = 0; i < build.cases.size(); ++i) {
      const int number = case_of(result, build, i) / result.options.builds;
      totals.add(build.kernel, static_cast<std::size_t>(number), kinds[build.cases[i].kind], build.cases[i]);
    }
  }
  return totals;
}

std::string list(const std::map<std::string, std::int64_t>& counts) {
  std::string text;
  for (const auto& [name, count] : counts) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, count);
  return text;
}

// The states of each kind, as many beside each other as the page is wide.
std::string states_table(const cosim::Subject& subject, const Totals& totals, std::size_t page) {
  const Topology& topology = subject.topology();
  const std::vector<const char*> kinds = subject.kinds();
  std::vector<std::string> first{fmt::format("{:<16}", "cycles")};
  for (const auto& block : topology.blocks) first.push_back(fmt::format("{:<16}", block.name));
  std::vector<std::vector<std::string>> groups;
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    std::vector<std::string>& lines = groups.emplace_back(first.size());
    for (std::size_t state = 0; state < kActivities; ++state) {
      const char* const gap = state == 0 ? "" : " ";
      lines[0] += fmt::format("{}{:>11}", gap, fmt::format("{} {}", kinds[kind], kActivityNames[state]));
      for (std::size_t block = 0; block < topology.blocks.size(); ++block) {
        lines[block + 1] += fmt::format("{}{:>11}", gap, totals.activities[kind][block].cycles[state]);
      }
    }
  }
  return report::stacked(first, groups, page);
}

std::string differences_text(const cosim::Subject& subject, const cosim::CampaignResult& result) {
  std::string text;
  for (const BuildResult& build : result.builds) {
    bool first = true;
    for (std::size_t i = 0; i < build.cases.size(); ++i) {
      if (build.cases[i].equal) continue;
      const int number = case_of(result, build, i);
      text += fmt::format("DIFFERENT: case {} (build {}){}{}\n", number, build.build, first ? ": " : "",
                          first ? build.first_difference : "");
      if (first) {
        const std::string& design = result.options.design;
        const std::string& numbers = result.options.numbers;
        text += fmt::format("  again: weft cosim --campaign{}{} --seed {} --builds {} --case {}\n",
                            design.empty() ? "" : " --design " + design,
                            numbers == subject.numbers().front() ? "" : " --numbers " + numbers, result.options.seed,
                            result.options.builds, number);
      }
      first = false;
    }
  }
  return text;
}

std::string builds_table(const cosim::Subject& subject, const cosim::CampaignResult& result, std::size_t page) {
  std::vector<std::vector<std::string>> cells{{"build"}};
  const std::vector<std::string> titles = subject.row_titles();
  cells[0].insert(cells[0].end(), titles.begin(), titles.end());
  cells[0].insert(cells[0].begin() + 1, {"cases", "cycles", "verdict"});
  for (const BuildResult& build : result.builds) {
    Cycles cycles = 0;
    int different = 0;
    for (const CaseResult& one : build.cases) {
      cycles += one.cycles;
      different += !one.equal;
    }
    std::vector<std::string>& row = cells.emplace_back(build.kernel.row);
    row.insert(row.begin(), {std::to_string(build.build), std::to_string(build.cases.size()), std::to_string(cycles),
                             different == 0 ? std::string("equal") : fmt::format("{} DIFFERENT", different)});
  }
  const report::FittedTable table = report::table_of(cells);
  return table.text(page) + report::left_out_line(table, page, "--format json has them") + subject.row_legend() + "\n";
}

std::string table(const cosim::Subject& subject, const cosim::CampaignResult& result, const Totals& t,
                  const std::string& rows, const TableView& view) {
  std::string text = fmt::format("seed {}, {} builds, {} {}, {} cycles, {} handshakes compared\n", result.options.seed,
                                 result.builds.size(), t.cases, subject.units(), t.cycles, t.handshakes);
  text += fmt::format("kinds: {}", list(t.kinds));
  for (const auto& [name, counts] : t.choices) text += fmt::format("; {}: {}", name, list(counts));
  text += "\n";
  text += fmt::format("memory: {}; channels used: {}; clock: {}\n", list(t.memories), list(t.channels), list(t.clocks));
  text += fmt::format("AXI side refuses: {}\n", list(t.refusals));
  text +=
      fmt::format("tensors above 4 GiB: {}; with bursts of {} beats: {}; longer than {} cycles: {}, the longest {}\n",
                  t.high, kLongestBurst, t.long_bursts, kLong, t.long_cases, t.longest);
  if (!t.filled.empty()) text += fmt::format("filled to the last word: {}; ", list(t.filled));
  text += fmt::format("offered and refused, by STATUS: {}\n", list(t.refused));
  if (!t.switches.empty()) text += "switches off/on:";
  for (const auto& [name, counts] : t.switches) text += fmt::format(" {} {}/{}", name, counts[0], counts[1]);
  text += t.switches.empty() ? "\n" : "\n\n";
  text += states_table(subject, t, view.width) + "\n";
  text += (view.columns.empty() ? builds_table(subject, result, view.width) : report::chosen_table(rows, view)) + "\n";
  text += differences_text(subject, result);
  text += fmt::format("{} of {} {} differ.\n", t.differences, t.cases, subject.units());
  return text;
}

Json case_json(const cosim::Subject& subject, const CaseResult& one, int number) {
  Json json{{"case", number}, {"kind", subject.kinds()[one.kind]}};
  const std::vector<const char*> sizes = subject.sizes();
  for (std::size_t i = 0; i < sizes.size(); ++i) json[sizes[i]] = one.sizes.at(i);
  const Json rest{{"memory", memory_name(one.memory)}, {"channels_used", one.channels_used},
                  {"clock_mhz", mhz(one.clock)},       {"refuse_percent", one.refuse_percent},
                  {"above_4_gib", one.high},           {"longest_burst", one.longest_burst},
                  {"refused_with", one.refused_with},  {"cycles", one.cycles},
                  {"handshakes", one.handshakes},      {"equal", one.equal}};
  json.update(rest);
  return json;
}

Json build_json(const cosim::Subject& subject, const cosim::CampaignResult& result, const BuildResult& build) {
  Json json{{"build", build.build}};
  json.update(build.kernel.json);
  json["first_difference"] = build.first_difference;
  for (std::size_t i = 0; i < build.cases.size(); ++i) {
    json["cases"].push_back(case_json(subject, build.cases[i], case_of(result, build, i)));
  }
  return json;
}

std::string json(const cosim::Subject& subject, const cosim::CampaignResult& result, const Totals& t) {
  const Topology& topology = subject.topology();
  const std::vector<const char*> kinds = subject.kinds();
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
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    for (std::size_t block = 0; block < topology.blocks.size(); ++block) {
      Json& states = json["states"][kinds[kind]][topology.blocks[block].name];
      for (std::size_t state = 0; state < kActivities; ++state) {
        states[kActivityNames[state]] = t.activities[kind][block].cycles[state];
      }
    }
  }
  for (const BuildResult& build : result.builds) json["each_build"].push_back(build_json(subject, result, build));
  return json.dump(2) + "\n";
}

std::string csv(const cosim::Subject& subject, const cosim::CampaignResult& result) {
  const std::vector<const char*> kinds = subject.kinds(), sizes = subject.sizes();
  std::string text = campaign_columns(subject);
  for (const BuildResult& build : result.builds) {
    for (std::size_t i = 0; i < build.cases.size(); ++i) {
      const CaseResult& c = build.cases[i];
      text += fmt::format("{},{},{},{},{},{},{},{:.7g},{},{},{},{},{},{},{}\n", result.options.seed,
                          case_of(result, build, i), build.build, kinds[c.kind],
                          fmt::join(c.sizes.begin(), c.sizes.begin() + sizes.size(), ","), memory_name(c.memory),
                          c.channels_used, mhz(c.clock), c.refuse_percent, c.high ? "yes" : "no", c.longest_burst,
                          c.refused_with, c.cycles, c.handshakes, c.equal ? "yes" : "no");
    }
  }
  return text;
}

}  // namespace

std::string campaign_columns(const cosim::Subject& subject) {
  return fmt::format(
      "seed,case,build,kind,{},memory,channels_used,clock_mhz,refuse_percent,above_4_gib,longest_burst,refused_with,"
      "cycles,handshakes,equal\n",
      fmt::join(subject.sizes(), ","));
}

Report report(const cosim::Subject& subject, const cosim::CampaignResult& result, const TableView& view) {
  const Totals totals = totals_of(subject, result);
  const std::string rows = csv(subject, result);
  return {table(subject, result, totals, rows, view), json(subject, result, totals), rows};
}

Report report(const std::vector<CosimRow>& rows, const TableView& view) {
  Report report;
  Json json{{"convolutions", Json::array()}};
  bool equal = true;
  report.csv = kCosimColumns;
  report::FittedTable table({{"layer"}, {"kind"}, {"cycles", true, 12}, {"handshakes", true, 12, 1}, {"verdict"}});
  for (const CosimRow& row : rows) {
    const cosim::Verdict& v = row.verdict;
    equal = equal && v.equal();
    table.add({row.layer, row.kind, std::to_string(v.cycles), std::to_string(v.handshakes),
               v.equal() ? "equal" : "DIFFERENT"});
    if (!v.equal()) table.add_note(v.difference);
    json["convolutions"].push_back({{"layer", row.layer},
                                    {"kind", row.kind},
                                    {"cycles", v.cycles},
                                    {"handshakes", v.handshakes},
                                    {"equal", v.equal()},
                                    {"difference", v.difference}});
    report.csv += fmt::format("{},{},{},{},{}\n", report::csv_field(row.layer), row.kind, v.cycles, v.handshakes,
                              v.equal() ? "yes" : "no");
  }
  json["equal"] = equal;
  report.table = !view.columns.empty()
                     ? report::chosen_table(report.csv, view)
                     : table.text(view.width) + report::left_out_line(table, view.width, "--format csv has them");
  report.table += equal ? "RTL and model agree.\n" : "RTL and model differ.\n";
  report.json = json.dump(2) + "\n";
  return report;
}

Report report(const cosim::MutationResult& result, const TableView& view) {
  Report report;
  Json json{{"mutants", Json::array()}};
  std::size_t noticed = 0;
  report.csv = kMutantColumns;
  report::FittedTable table({{"mutant"}, {"file"}, {"convolutions", true}, {"verdict"}});
  for (const cosim::MutantResult& each : result.mutants) {
    const bool survived = each.difference.empty();
    noticed += survived ? 0 : 1;
    table.add({each.mutant.name, each.mutant.file, std::to_string(each.cases), survived ? "SURVIVED" : "noticed"});
    table.add_note(each.mutant.what + (survived ? "" : fmt::format("; by: {:.160}", each.difference)));
    json["mutants"].push_back({{"name", each.mutant.name},
                               {"file", each.mutant.file},
                               {"what", each.mutant.what},
                               {"convolutions", each.cases},
                               {"difference", each.difference}});
    report.csv += fmt::format("{},{},{},{}\n", each.mutant.name, each.mutant.file, survived ? "no" : "yes", each.cases);
  }
  report.table = view.columns.empty() ? table.text(view.width) : report::chosen_table(report.csv, view);
  for (const std::string& difference : result.controls) {
    if (!difference.empty()) {
      report.table += report::wrapped("The RTL as it is differs: " + difference, view.width);
    }
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
