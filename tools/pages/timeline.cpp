#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "platform/document/text.h"
#include "tools/pages/cells.h"
#include "tools/pages/pages.h"
#include "tools/results/json_at.h"

namespace weft::tools {

using report::Page;
using report::Section;
using report::Table;
using report::thousands;
using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t kLongest = 30;

double seconds(const Json& picoseconds) {
  return 1e-12 * picoseconds.get<double>();
}
double duration(const Json& step) {
  return seconds(step.at("end_ps")) - seconds(step.at("start_ps"));
}

Section where_section(const Json& saved) {
  const double all = seconds(saved.at("iteration_ps"));
  Table table{"Where the time of an iteration goes", {{"part", ""}, {"time", ""}, {"share", ""}}, {}, false, true};
  for (const auto& [name, time] : saved.at("where_ps").items()) {
    table.rows.push_back({text_cell(name), time_cell(seconds(time)), percent_cell(all > 0 ? seconds(time) / all : 0)});
  }
  Table busy{"How long each resource is busy", {{"resource", ""}, {"share", "of the iteration"}}, {}, false, false};
  for (const auto& [name, share] : saved.at("busy_share").items()) {
    busy.rows.push_back({text_cell(name), percent_cell(share.get<double>(), 2)});
  }
  return {"where",
          "Where the time goes",
          {"What runs at once counts as the first of these: they add up to the iteration."},
          true,
          {table, busy}};
}

Section operators_section(const Json& saved) {
  std::map<std::string, std::pair<double, std::int64_t>> sums;
  for (const Json& step : saved.at("steps")) {
    auto& [time, steps] = sums[text(step, "operator")];
    time += duration(step);
    ++steps;
  }
  std::vector<std::pair<std::string, std::pair<double, std::int64_t>>> sorted(sums.begin(), sums.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second.first > b.second.first; });
  const double all = seconds(saved.at("iteration_ps"));
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

Section steps_section(const Json& saved) {
  const Json& steps = saved.at("steps");
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
    const Json& step = steps[i];
    table.rows.push_back({text_cell(text(step, "operator")), text_cell(text(step, "activity")),
                          text_cell(text(step, "resource")), time_cell(seconds(step.at("start_ps"))),
                          time_cell(duration(step)), text_cell(step.value("what", ""))});
  }
  return {"steps", "Every step", {}, true, {table}};
}

Section schedule_section(const Json& saved) {
  Table table{"The schedule", {{"key", ""}, {"value", ""}}, {}, false, false};
  for (const auto& [key, value] : saved.at("schedule").items()) {
    table.rows.push_back(
        {text_cell("schedule." + key), text_cell(value.is_string() ? value.get<std::string>() : value.dump())});
  }
  Section section{"schedule", "How it is scheduled", {}, false, {table}};
  for (const Json& note : saved.at("notes")) section.text.push_back("Network: " + note.get<std::string>() + ".");
  for (const auto& [what, keys] : saved.at("assumed").items()) {
    std::string list;
    for (const Json& key : keys) list += (list.empty() ? "" : ", ") + key.get<std::string>();
    if (!list.empty()) section.text.push_back(fmt::format("Assumed of the {}: {}.", what, list));
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

Page timeline_page(const Json& saved) {
  Page page;
  page.kind = page.command = "timeline";
  page.title = text(saved, "run");
  page.lead = fmt::format(
      "An iteration of training {} on {} with host {}: batch {}, {} rung. Everything counts: host, PCIe, loads and "
      "kernels.",
      text(saved, "network"), text(saved, "board"), text(saved, "host"),
      thousands(saved.at("batch").get<std::int64_t>()), text(saved, "rung"));
  page.weft_version = text(saved, "weft_version");
  const auto bytes = [&](const char* key) {
    return fmt::format("{} MB", thousands(saved.at(key).get<std::int64_t>() / 1'000'000));
  };
  page.figures = {{"Iteration", time_cell(saved.at("iteration_seconds").get<double>()).text, ""},
                  {"Epoch", real_text(saved.at("hours_per_epoch").get<double>()) + " h",
                   fmt::format("{} iterations", thousands(saved.at("iterations_per_epoch").get<std::int64_t>()))},
                  {"Speed", real_text(saved.at("gops").get<double>()) + " GOPS",
                   real_text(saved.at("conv_gops").get<double>()) + " while kernels run"},
                  {"Loads", thousands(saved.at("loads").at("count").get<std::int64_t>()),
                   fmt::format("of {} s each; no order has fewer than {}",
                               real_text(saved.at("loads").at("seconds_each").get<double>()),
                               saved.at("loads").at("at_least").get<std::int64_t>())},
                  {"Launches", thousands(saved.at("launches").get<std::int64_t>()),
                   fmt::format("{} kernels, {} calls", saved.at("kernels").get<std::int64_t>(),
                               thousands(saved.at("calls").get<std::int64_t>()))},
                  {"PCIe", bytes("bytes_to_card"), bytes("bytes_to_host") + " back"}};
  if (saved.contains("published") && saved.at("published").contains("hours_per_epoch")) {
    page.figures.push_back({"Published", real_text(saved.at("published").at("hours_per_epoch").get<double>()) + " h",
                            "an epoch, " + saved.at("published").value("source", "")});
  }
  page.sections = {where_section(saved),
                   {"lanes",
                    "The iteration in time",
                    {"What each resource does when. Drag over a stretch to see it larger; the strip below keeps the "
                     "whole in sight."},
                    true,
                    {}},
                   operators_section(saved),
                   steps_section(saved),
                   schedule_section(saved)};
  page.data = data_of(saved);
  return page;
}

}  // namespace weft::tools
