#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "model/core/text.h"
#include "platform/record/json.h"
#include "tools/pages/cells.h"
#include "tools/pages/pages.h"

namespace weft::tools {

using report::Page;
using report::Section;
using report::Table;
using timeline::StepResult;
using timeline::TimelineResult;
using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t kLongest = 30;

double seconds(Picoseconds time) {
  return 1e-12 * static_cast<double>(time);
}
double duration(const StepResult& step) {
  return seconds(step.end) - seconds(step.start);
}

Section where_section(const TimelineResult& r) {
  const double all = seconds(r.counts.end);
  Table table{"Where the time of an iteration goes", {{"part", ""}, {"time", ""}, {"share", ""}}, {}, false, true};
  const auto add = [&](const char* name, Picoseconds time) {
    table.rows.push_back({text_cell(name), time_cell(seconds(time)), percent_cell(all > 0 ? seconds(time) / all : 0)});
  };
  for (std::size_t i = 0; i < timeline::kStepKinds; ++i) {
    if (r.where[i]) add(timeline::kPartNames[i].name, *r.where[i]);
  }
  add("idle", r.idle);
  Table busy{"How long each resource is busy", {{"resource", ""}, {"share", "of the iteration"}}, {}, false, false};
  for (std::size_t i = 0; i < timeline::kResources; ++i) {
    busy.rows.push_back({text_cell(to_string(static_cast<timeline::Resource>(i))), percent_cell(r.busy_share[i], 2)});
  }
  return {"where",
          "Where the time goes",
          {"What runs at once counts as the first of these: they add up to the iteration."},
          true,
          {table, busy}};
}

Section operators_section(const TimelineResult& r) {
  std::map<std::string, std::pair<double, std::int64_t>> sums;
  for (const StepResult& step : r.steps) {
    auto& [time, steps] = sums[step.of];
    time += duration(step);
    ++steps;
  }
  std::vector<std::pair<std::string, std::pair<double, std::int64_t>>> sorted(sums.begin(), sums.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second.first > b.second.first; });
  const double all = seconds(r.counts.end);
  Table table{
      "Operators, with all that serves them",
      {{"operator", ""}, {"time", "of its steps, one after the other"}, {"of the iteration", ""}, {"steps", ""}},
      {},
      true,
      false};
  for (const auto& [name, sum] : sorted) {
    table.rows.push_back({text_cell(name), time_cell(sum.first), percent_cell(all > 0 ? sum.first / all : 0, 2),
                          count_cell(sum.second)});
  }
  return {"operators", "Operators", {"The time of an operator with its transfers, calls and loads."}, false, {table}};
}

Section steps_section(const TimelineResult& r) {
  const std::vector<StepResult>& steps = r.steps;
  std::vector<std::size_t> order(steps.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return duration(steps[a]) > duration(steps[b]); });
  order.resize(std::min(order.size(), kLongest));
  Table table{
      fmt::format("The longest {} of {} steps", order.size(), thousands(static_cast<std::int64_t>(steps.size()))),
      {{"operator", ""},
       {"activity", ""},
       {"on", ""},
       {"start", ""},
       {"time", ""},
       {"what", "tensor of a transfer, kernel of a load"}},
      {},
      false,
      true};
  for (const std::size_t i : order) {
    const StepResult& step = steps[i];
    table.rows.push_back({text_cell(step.of), text_cell(to_string(step.activity)), text_cell(to_string(step.resource)),
                          time_cell(seconds(step.start)), time_cell(duration(step)),
                          text_cell(step.what.value_or(""))});
  }
  return {"steps", "Every step", {}, true, {table}};
}

Section schedule_section(const TimelineResult& r) {
  Table table{"The schedule", {{"key", ""}, {"value", ""}}, {}, false, false};
  for (const auto& [key, value] : r.schedule) table.rows.push_back({text_cell("schedule." + key), text_cell(value)});
  if (r.kernels_of_dse) {
    table.rows.push_back({text_cell("schedule.kernels"), text_cell(record::to_json(*r.kernels_of_dse).dump())});
  }
  Section section{"schedule", "How it is scheduled", {}, false, {table}};
  for (const std::string& note : r.notes) section.text.push_back("Network: " + note + ".");
  for (const auto& [what, keys] : {std::pair("schedule", &r.assumed.schedule), std::pair("host", &r.assumed.host),
                                   std::pair("board", &r.assumed.board)}) {
    if (!keys->empty()) section.text.push_back(fmt::format("Assumed of the {}: {}.", what, fmt::join(*keys, ", ")));
  }
  return section;
}

// Steps as the chart reads them: short names, times in whole picoseconds.
Json data_of(const Json& saved) {
  Json data{{"iteration_ps", saved.at("iteration_ps")}, {"where_ps", saved.at("where_ps")}};
  for (const auto& each : saved.at("busy_share").items()) data["lanes"].push_back(each.key());
  Json& steps = data["steps"];
  for (const char* key : {"operator", "direction", "class", "activity", "resource", "start_ps", "end_ps", "what",
                          "bytes", "kernel", "memory_channel", "priced_by"}) {
    Json values = Json::array();
    for (const Json& step : saved.at("steps")) values.push_back(step.contains(key) ? step.at(key) : Json());
    steps[key] = std::move(values);
  }
  data["critical_path"] = saved.at("critical_path");
  return data;
}

}  // namespace

Page timeline_page(const TimelineResult& r) {
  Page page;
  page.kind = page.command = "timeline";
  page.title = r.run;
  page.lead = fmt::format(
      "An iteration of training {} on {} with host {}: batch {}, {} rung. Everything counts: host, PCIe, loads and "
      "kernels.",
      r.network, r.board, r.host, thousands(r.batch), r.rung);
  page.weft_version = r.weft_version;
  const auto megabytes = [](Bytes bytes) { return fmt::format("{} MB", thousands(bytes / 1'000'000)); };
  page.figures = {
      {"Iteration", time_cell(r.iteration_seconds).text, ""},
      {"Epoch", real_text(r.hours_per_epoch) + " h", fmt::format("{} iterations", thousands(r.iterations_per_epoch))},
      {"Speed", real_text(r.gops) + " GOPS", real_text(r.conv_gops) + " while kernels run"},
      {"Loads", thousands(r.counts.loads),
       fmt::format("of {} s each; no order has fewer than {}", real_text(r.load_s), r.counts.fewest_loads)},
      {"Launches", thousands(r.counts.launches),
       fmt::format("{} kernels, {} calls", r.counts.kernels, thousands(r.counts.calls))},
      {"PCIe", megabytes(r.counts.to_card), megabytes(r.counts.to_host) + " back"}};
  if (r.published && r.published->hours_per_epoch) {
    page.figures.push_back({"Published", real_text(*r.published->hours_per_epoch) + " h",
                            "an epoch, " + r.published->source.value_or("")});
  }
  page.sections = {where_section(r),
                   {"lanes",
                    "The iteration in time",
                    {"What each resource does when. Drag over a stretch to see it larger; the strip below keeps the "
                     "whole in sight."},
                    true,
                    {}},
                   operators_section(r),
                   steps_section(r),
                   schedule_section(r)};
  page.data = data_of(record::to_json(r));
  return page;
}

}  // namespace weft::tools
