#include <fmt/core.h>

#include <string>
#include <utility>
#include <vector>

#include "platform/config/reader.h"
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

Section timeline_steps(const Json& timeline) {
  Table table{"The steps of a batch", {{"step", ""}, {"cycles", ""}, {"time", ""}, {"share", ""}}, {}, false, false};
  double all = 0;
  for (const Json& step : timeline.at("steps")) all += real(step, "cycles");
  for (const Json& step : timeline.at("steps")) {
    table.rows.push_back({text_cell(text(step, "step")), count_cell(count(step, "cycles")),
                          time_cell(real(step, "seconds")), percent_cell(real(step, "cycles") / all)});
  }
  return {"steps",
          "Where the time of a batch goes",
          {"Fill: up to the first image's last gradient, or the last pixel's entering. Drain: behind that pixel. "
           "Update: of "
           "the slowest layer's weights."},
          true,
          {table}};
}

Section timeline_efficiency(const Json& timeline) {
  Table table{"Efficiency over the batch", {{"batch", "images"}, {"efficiency", ""}}, {}, false, true};
  for (const Json& each : timeline.at("efficiencies")) {
    table.rows.push_back({count_cell(count(each, "batch")), percent_cell(real(each, "efficiency"), 2)});
  }
  return {"efficiency", "What a larger batch gains", {"Of the rate of a batch without end."}, true, {table}};
}

Section timeline_stores(const Json& timeline) {
  Table table{"Stores from F to GW",
              {{"store", ""}, {"pixels", "at most"}, {"words", "at most"}, {"images", "at most"}},
              {},
              true,
              true};
  for (const Json& each : timeline.at("stores")) {
    table.rows.push_back({text_cell(text(each, "store")), count_cell(count(each, "pixels")),
                          count_cell(count(each, "words")), real_cell(real(each, "images"))});
  }
  return {"stores",
          "What waits for its gradients",
          {"The most that each store holds, in images of its layer, in the order of the network."},
          true,
          {table}};
}

Section timeline_links(const Json& timeline) {
  Table table{"Links between boards", {{"link", ""}, {"Gb/s", "a direction"}, {"load", ""}}, {}, false, false};
  for (const Json& each : timeline.at("links")) {
    const std::int64_t from = count(each, "from");
    table.rows.push_back({text_cell(fmt::format("board {} to {}", from, from + 1)),
                          real_cell(real(each, "gbits_per_s")), percent_cell(real(each, "part"))});
  }
  return {"links", "What links carry", {"In the steady state; they take no time in the timeline."}, false, {table}};
}

Json timeline_charts(const Json& timeline) {
  Json steps = Json::array(), step_ticks = Json::array(), stores = Json::array(), points = Json::array();
  for (const Json& step : timeline.at("steps")) {
    step_ticks.push_back({{"at", static_cast<double>(steps.size()) + 0.5}, {"text", step.at("step")}});
    steps.push_back({{"label", step.at("step")},
                     {"group", ""},
                     {"value", 1000 * real(step, "seconds")},
                     {"more", {{"cycles", thousands(count(step, "cycles"))}}}});
  }
  for (const Json& each : timeline.at("stores")) {
    stores.push_back(
        {{"label", each.at("store")},
         {"group", ""},
         {"value", each.at("images")},
         {"more", {{"pixels", thousands(count(each, "pixels"))}, {"words", thousands(count(each, "words"))}}}});
  }
  for (const Json& each : timeline.at("efficiencies")) points.push_back({each.at("batch"), each.at("efficiency")});
  const Json none = Json::array();
  return {{{"form", "columns"},
           {"id", "steps"},
           {"name", "Time of the steps of a batch"},
           {"label", "ms"},
           {"share", false},
           {"groups", none},
           {"ticks", step_ticks},
           {"rows", steps}},
          {{"form", "lines"},
           {"id", "efficiency"},
           {"name", "Efficiency over the images of a batch"},
           {"across", "images of a batch"},
           {"label", "efficiency"},
           {"share", true},
           {"log", true},
           {"marks", none},
           {"series", {{{"name", "efficiency"}, {"points", points}}}}},
          {{"form", "columns"},
           {"id", "stores"},
           {"name", "The most that each store from F to GW holds, in images"},
           {"label", "images"},
           {"share", false},
           {"groups", none},
           {"ticks", none},
           {"rows", stores}}};
}

}  // namespace

Page cluster_timeline_page(const Json& saved) {
  Page page;
  page.kind = "cluster";
  page.command = "timeline";
  page.title = text(saved, "cluster");
  page.weft_version = text(saved, "weft_version");
  page.lead = fmt::format("Batches of {} images of {} in training over {} x {} at {} MHz.",
                          thousands(count(saved, "batch")), text(saved, "network"), count(saved, "number_of_boards"),
                          text(saved, "board"), real(saved, "clock_mhz"));
  page.figures = {
      {"Rate", real_text(real(saved, "images_per_s")) + " images/s",
       real_text(real(saved, "endless_images_per_s")) + " without end"},
      {"Efficiency", percent_text(real(saved, "efficiency"), 2), "of the batch"},
      {"Epoch", real_text(real(saved, "epoch_hours")) + " h", thousands(count(saved, "dataset_images")) + " images"}};
  page.sections = {timeline_steps(saved), timeline_efficiency(saved), timeline_stores(saved)};
  if (!saved.at("links").empty()) page.sections.push_back(timeline_links(saved));
  const auto assumed = saved.at("assumed").get<std::vector<std::string>>();
  if (!assumed.empty()) {
    page.sections.push_back({"assumed",
                             "What is assumed",
                             {"Keys whose values are assumptions: " + config::join(assumed) + "."},
                             false,
                             {}});
  }
  page.data["charts"] = timeline_charts(saved);
  return page;
}

}  // namespace weft::tools
