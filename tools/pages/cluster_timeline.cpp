#include <fmt/core.h>

#include <string>
#include <utility>
#include <vector>

#include "platform/config/reader.h"
#include "platform/document/text.h"
#include "tools/pages/cells.h"
#include "tools/pages/pages.h"

namespace weft::tools {

using cluster::BatchResult;
using report::Page;
using report::Section;
using report::Table;
using report::thousands;
using Json = nlohmann::ordered_json;

namespace {

Section timeline_steps(const BatchResult& timeline) {
  Table table{"The steps of a batch", {{"step", ""}, {"cycles", ""}, {"time", ""}, {"share", ""}}, {}, false, false};
  double all = 0;
  for (const cluster::BatchStep& step : timeline.steps) all += static_cast<double>(step.cycles);
  for (const cluster::BatchStep& step : timeline.steps) {
    table.rows.push_back({text_cell(step.step), count_cell(step.cycles), time_cell(step.seconds),
                          percent_cell(static_cast<double>(step.cycles) / all)});
  }
  return {"steps",
          "Where the time of a batch goes",
          {"Fill: up to the first image's last gradient, or the last pixel's entering. Drain: behind that pixel. "
           "Update: of "
           "the slowest layer's weights."},
          true,
          {table}};
}

Section timeline_efficiency(const BatchResult& timeline) {
  Table table{"Efficiency over the batch", {{"batch", "images"}, {"efficiency", ""}}, {}, false, true};
  for (const cluster::BatchEfficiency& each : timeline.efficiencies) {
    table.rows.push_back({count_cell(each.batch), percent_cell(each.efficiency, 2)});
  }
  return {"efficiency", "What a larger batch gains", {"Of the rate of a batch without end."}, true, {table}};
}

Section timeline_stores(const BatchResult& timeline) {
  Table table{"Stores from F to GW",
              {{"store", ""}, {"pixels", "at most"}, {"words", "at most"}, {"images", "at most"}},
              {},
              true,
              true};
  for (const cluster::StoreUse& each : timeline.stores) {
    table.rows.push_back(
        {text_cell(each.store), count_cell(each.pixels), count_cell(each.words), real_cell(each.images)});
  }
  return {"stores",
          "What waits for its gradients",
          {"The most that each store holds, in images of its layer, in the order of the network."},
          true,
          {table}};
}

Section timeline_links(const BatchResult& timeline) {
  Table table{"Links between boards", {{"link", ""}, {"Gb/s", "a direction"}, {"load", ""}}, {}, false, false};
  for (const cluster::LinkUse& each : timeline.links) {
    table.rows.push_back({text_cell(fmt::format("board {} to {}", each.from, each.from + 1)),
                          real_cell(each.gbits_per_s), percent_cell(each.part)});
  }
  return {"links", "What links carry", {"In the steady state; they take no time in the timeline."}, false, {table}};
}

Json timeline_charts(const BatchResult& timeline) {
  Json steps = Json::array(), step_ticks = Json::array(), stores = Json::array(), points = Json::array();
  for (const cluster::BatchStep& step : timeline.steps) {
    step_ticks.push_back({{"at", static_cast<double>(steps.size()) + 0.5}, {"text", step.step}});
    steps.push_back({{"label", step.step},
                     {"group", ""},
                     {"value", 1000 * step.seconds},
                     {"more", {{"cycles", thousands(step.cycles)}}}});
  }
  for (const cluster::StoreUse& each : timeline.stores) {
    stores.push_back({{"label", each.store},
                      {"group", ""},
                      {"value", each.images},
                      {"more", {{"pixels", thousands(each.pixels)}, {"words", thousands(each.words)}}}});
  }
  for (const cluster::BatchEfficiency& each : timeline.efficiencies) points.push_back({each.batch, each.efficiency});
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

Page cluster_timeline_page(const BatchResult& timeline) {
  Page page;
  page.kind = "cluster";
  page.command = "timeline";
  page.title = timeline.head.cluster;
  page.weft_version = timeline.head.weft_version;
  page.lead =
      fmt::format("Batches of {} images of {} in training over {} x {} at {} MHz.", thousands(timeline.batch),
                  timeline.head.network, timeline.head.number_of_boards, timeline.head.board, timeline.head.clock_mhz);
  page.figures = {{"Rate", real_text(timeline.images_per_s) + " images/s",
                   real_text(timeline.endless_images_per_s) + " without end"},
                  {"Efficiency", percent_text(timeline.efficiency, 2), "of the batch"},
                  {"Epoch", real_text(timeline.epoch_hours) + " h", thousands(timeline.dataset_images) + " images"}};
  page.sections = {timeline_steps(timeline), timeline_efficiency(timeline), timeline_stores(timeline)};
  if (!timeline.links.empty()) page.sections.push_back(timeline_links(timeline));
  if (!timeline.assumed.empty()) {
    page.sections.push_back({"assumed",
                             "What is assumed",
                             {"Keys whose values are assumptions: " + config::join(timeline.assumed) + "."},
                             false,
                             {}});
  }
  page.data["charts"] = timeline_charts(timeline);
  return page;
}

}  // namespace weft::tools
