#include "tools/cosim/report.h"

#include <fmt/format.h>

#include "platform/record/csv.h"
#include "platform/record/json.h"

namespace weft::tools {

namespace {

// Table of the states of each kind, with as many columns as fit the page.
std::string states_table(const cosim::CampaignRecord& campaign, std::size_t page) {
  std::vector<std::string> first{fmt::format("{:<16}", "cycles")};
  for (const auto& block : campaign.states.front().second.blocks) first.push_back(fmt::format("{:<16}", block.first));
  std::vector<std::vector<std::string>> groups;
  for (const auto& [kind, states] : campaign.states) {
    std::vector<std::string>& lines = groups.emplace_back(first.size());
    for (std::size_t state = 0; state < kActivities; ++state) {
      const char* const gap = state == 0 ? "" : " ";
      lines[0] += fmt::format("{}{:>11}", gap, fmt::format("{} {}", kind, kActivityNames[state]));
      for (std::size_t block = 0; block < states.blocks.size(); ++block) {
        lines[block + 1] += fmt::format("{}{:>11}", gap, states.blocks[block].second.cycles[state]);
      }
    }
  }
  return report::stacked(first, groups, page);
}

std::string differences_text(const cosim::RtlDesign& rtl_design, const cosim::CampaignOptions& options,
                             const cosim::CampaignRecord& campaign) {
  std::string text;
  for (const cosim::BuildRecord& build : campaign.builds) {
    bool first = true;
    for (const cosim::CaseRecord& one : build.cases) {
      if (one.figures.equal) continue;
      text += fmt::format("DIFFERENT: case {} (build {}){}{}\n", one.number, build.build, first ? ": " : "",
                          first ? build.first_difference : "");
      if (first) {
        text += fmt::format("  again: weft cosim --campaign{}{} --seed {} --builds {} --case {}\n",
                            options.design.empty() ? "" : " --design " + options.design,
                            options.numbers == rtl_design.numbers().front() ? "" : " --numbers " + options.numbers,
                            options.seed, options.builds, one.number);
      }
      first = false;
    }
  }
  return text;
}

std::string builds_table(const cosim::RtlDesign& rtl_design, const cosim::CampaignRecord& campaign, std::size_t page) {
  std::vector<std::vector<std::string>> cells{{"build", "cases", "cycles", "verdict"}};
  const std::vector<std::string> titles = rtl_design.row_titles();
  cells[0].insert(cells[0].end(), titles.begin(), titles.end());
  cells[0].insert(cells[0].end(), {"FIFO depths", "ports (beats x open)"});
  for (const cosim::BuildRecord& build : campaign.builds) {
    const cosim::KernelText& kernel = build.kernel;
    Cycles cycles = 0;
    int different = 0;
    for (const cosim::CaseRecord& one : build.cases) {
      cycles += one.figures.cycles;
      different += !one.figures.equal;
    }
    std::vector<std::string>& row = cells.emplace_back();
    row = {std::to_string(build.build), std::to_string(build.cases.size()), std::to_string(cycles),
           different == 0 ? std::string("equal") : fmt::format("{} DIFFERENT", different)};
    row.insert(row.end(), kernel.row.begin(), kernel.row.end());
    std::vector<std::string> ports;
    for (const auto& port : kernel.ports) ports.push_back(fmt::format("{}x{}", port.max_burst_beats, port.outstanding));
    row.push_back(fmt::format("{}", fmt::join(kernel.fifo_depths, " ")));
    row.push_back(fmt::format("{}", fmt::join(ports, " ")));
  }
  const report::FittedTable table = report::table_of(cells);
  return table.text(page) + report::left_out_line(table, page, "--format json has them") + rtl_design.row_legend() +
         "\n";
}

std::string table(const cosim::RtlDesign& rtl_design, const cosim::CampaignOptions& options,
                  const cosim::CampaignRecord& c, const std::string& rows, const TableView& view) {
  std::string text = fmt::format("seed {}, {} builds, {} {}, {} cycles, {} handshakes compared\n", c.seed,
                                 c.builds.size(), c.cases, rtl_design.units(), c.cycles, c.handshakes);
  text += fmt::format("kinds: {}", c.kinds.text());
  for (const auto& [name, counts] : c.choices) text += fmt::format("; {}: {}", name, counts.text());
  text += fmt::format("\nmemory: {}; channels used: {}; clock: {}\nAXI side refuses: {}\n", c.memories.text(),
                      c.channels_used.text(), c.clocks.text(), c.refusals.text());
  text +=
      fmt::format("tensors above 4 GiB: {}; with bursts of {} beats: {}; longer than {} cycles: {}, the longest {}\n",
                  c.high, cosim::kLongestBurst, c.long_bursts, cosim::kLongCase, c.long_cases, c.longest);
  if (!c.filled.of.empty()) text += fmt::format("filled to the last word: {}; ", c.filled.text());
  text += fmt::format("offered and refused, by STATUS: {}\n", c.refused_with.text());
  if (!c.switches.empty()) text += "switches off/on:";
  for (const auto& [name, count] : c.switches) text += fmt::format(" {} {}/{}", name, count.off, count.on);
  text += c.switches.empty() ? "\n" : "\n\n";
  text += states_table(c, view.width) + "\n";
  text += (view.columns.empty() ? builds_table(rtl_design, c, view.width) : report::chosen_table(rows, view)) + "\n";
  text += differences_text(rtl_design, options, c);
  text += fmt::format("{} of {} {} differ.\n", c.differences, c.cases, rtl_design.units());
  return text;
}

}  // namespace

std::string campaign_columns(const cosim::RtlDesign& rtl_design) {
  cosim::CaseLine line;
  for (const char* size : rtl_design.sizes()) line.one.sizes.emplace_back(size, 0);
  return record::csv_head(line);
}

Report report(const cosim::RtlDesign& rtl_design, const cosim::CampaignResult& result, const TableView& view) {
  const cosim::CampaignRecord campaign = cosim::record_of(rtl_design, result);
  const std::string rows = record::csv_text(campaign.lines(), campaign_columns(rtl_design));
  return {table(rtl_design, result.options, campaign, rows, view), record::json_text(campaign), rows};
}

Report report(const cosim::RunComparisonResult& result, const TableView& view) {
  Report report{
      "", record::json_text(result),
      record::csv_text(std::vector<cosim::UnitLine>(result.units.begin(), result.units.end()), kCosimColumns)};
  report::FittedTable table({{"layer"}, {"kind"}, {"cycles", true, 12}, {"handshakes", true, 12, 1}, {"verdict"}});
  for (const cosim::UnitResult& unit : result.units) {
    const cosim::Verdict& v = unit.verdict;
    table.add({unit.layer, unit.kind, std::to_string(v.cycles), std::to_string(v.handshakes),
               v.equal() ? "equal" : "DIFFERENT"});
    if (!v.equal()) table.add_note(v.difference);
  }
  report.table = !view.columns.empty()
                     ? report::chosen_table(report.csv, view)
                     : table.text(view.width) + report::left_out_line(table, view.width, "--format csv has them");
  report.table += result.equal() ? "RTL and model agree.\n" : "RTL and model differ.\n";
  return report;
}

Report report(const cosim::MutationResult& result, const TableView& view) {
  Report report{"", record::json_text(result), kMutantColumns};
  report::FittedTable table({{"mutant"}, {"file"}, {"convolutions", true}, {"verdict"}});
  for (const cosim::MutantResult& each : result.mutants) {
    const bool survived = each.difference.empty();
    table.add({each.mutant.name, each.mutant.file, std::to_string(each.cases), survived ? "SURVIVED" : "noticed"});
    table.add_note(each.mutant.what + (survived ? "" : fmt::format("; by: {:.160}", each.difference)));
    report.csv += fmt::format("{},{},{},{}\n", each.mutant.name, each.mutant.file, survived ? "no" : "yes", each.cases);
  }
  report.table = view.columns.empty() ? table.text(view.width) : report::chosen_table(report.csv, view);
  for (const std::string& difference : result.controls) {
    if (!difference.empty()) {
      report.table += report::wrapped("The RTL without a fault differs: " + difference, view.width);
    }
  }
  report.table +=
      fmt::format("{} of {} faults noticed; the RTL without a fault {}.\n", result.noticed(), result.mutants.size(),
                  result.agrees() ? "agrees with the model in all convolutions" : "DIFFERS");
  return report;
}

}  // namespace weft::tools
