#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/core/text.h"
#include "platform/config/reader.h"
#include "tools/pages/cells.h"
#include "tools/pages/pages.h"

namespace weft::tools {

using cluster::ArrayBoard;
using cluster::ArrayReading;
using cluster::ArrayResult;
using cluster::BatchResult;
using cluster::NadaBoard;
using cluster::NadaLayer;
using cluster::NadaLimit;
using cluster::NadaResult;
using report::Page;
using report::Table;
using Json = nlohmann::ordered_json;

namespace {

// A resource of a board: what the board takes and what it may use; null: it takes none, or does not say.
struct Resource {
  const char* name;
  Json used, limit;

  double share() const {
    return used.is_null() || limit.is_null() || limit == 0 ? 0 : used.get<double>() / limit.get<double>();
  }
  report::Cell cell() const {
    if (used.is_null()) return text_cell("");
    const std::string amount =
        used.is_number_integer() ? thousands(used.get<std::int64_t>()) : real_text(used.get<double>());
    return {fmt::format("{} ({})", amount, percent_text(share())), share()};
  }
};

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

std::array<Resource, 6> resources(const NadaBoard& board, const NadaLimit& limit) {
  return {{{"DSPs", board.used.dsp, limit.dsp},
           {"blocks of memory", board.used.m20k, limit.block_ram},
           {"MLABs", board.used.mlab, limit.mlab},
           {"registers", board.used.registers, or_null(limit.registers)},
           {"DRAM, GB/s", board.dram_gbytes_per_s, or_null(limit.dram_gbytes_per_s)},
           {"link, Gb/s", or_null(board.link_gbits_per_s), limit.link_gbits_per_s}}};
}

double ratio(std::int64_t part, std::int64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

// A chart of columns (platform/document/page/src/cluster.js).
class Columns {
 public:
  // At the next column, or in the middle of it.
  void tick(const std::string& text, bool middle = false) {
    const std::size_t at = rows_.size();
    ticks_.push_back({{"at", middle ? Json(static_cast<double>(at) + 0.5) : Json(at)}, {"text", text}});
  }
  void group(const std::string& name) { groups_.push_back(name); }
  void add(const std::string& label, const std::string& group, double value, const Json& more) {
    rows_.push_back({{"label", label}, {"group", group}, {"value", value}, {"more", more}});
  }
  // `rule`: the name of a line at 1; empty: none.
  void draw(Page& page, const char* id, const char* name, const char* label, bool share, const std::string& rule = {}) {
    Json chart{{"form", "columns"}, {"id", id},          {"name", name},   {"label", label},
               {"share", share},    {"groups", groups_}, {"ticks", ticks_}};
    if (!rule.empty()) chart["rule"] = {{"at", 1}, {"name", rule}};
    chart["rows"] = rows_;
    page.data["charts"].push_back(chart);
  }

 private:
  Json rows_ = Json::array(), ticks_ = Json::array(), groups_ = Json::array();
};

// Lines over a number, each with a name and its points.
void draw_lines(Page& page, const char* id, const char* name, const char* across, const char* label, bool share,
                bool log, const Json& marks, const Json& series) {
  page.data["charts"].push_back({{"form", "lines"},
                                 {"id", id},
                                 {"name", name},
                                 {"across", across},
                                 {"label", label},
                                 {"share", share},
                                 {"log", log},
                                 {"marks", marks},
                                 {"series", series}});
}

template <class Result>
Page page_of(const char* command, const Result& result) {
  Page page;
  page.kind = "cluster";
  page.command = command;
  page.title = result.head.cluster;
  page.weft_version = result.head.weft_version;
  return page;
}

template <class Plan>
report::Figure rate_of(const Plan& plan) {
  return {"Rate", real_text(plan.images_per_s) + " images/s",
          fmt::format("one in {} cycles", thousands(plan.cycles_an_image))};
}

void add_assumed(Page& page, const std::vector<std::string>& keys, std::vector<std::string> more = {}) {
  if (!keys.empty()) more.push_back("Keys whose values are assumptions: " + config::join(keys) + ".");
  page.sections.push_back({"assumed", "What is assumed", std::move(more), false, {}});
}

std::string layers_of(const NadaResult& plan, const NadaBoard& board) {
  if (board.layers == 0) return "none";
  if (plan.placement == "contiguous") return board.first_layer + " to " + board.last_layer;
  return fmt::format("{} of {} ... {}", board.layers, board.first_layer, board.last_layer);
}

void add_boards(Page& page, const NadaResult& plan) {
  Table table{"The boards", {{"board", ""}, {"layers", ""}}, {}, false, false};
  Columns chart;
  for (const Resource& each : resources({}, {})) {
    table.columns.push_back({each.name, "and of what may be used"});
    chart.group(each.name);
  }
  std::int64_t number = 0;
  for (const NadaBoard& board : plan.boards) {
    table.rows.push_back({count_cell(++number), text_cell(layers_of(plan, board))});
    chart.tick(std::to_string(number));
    for (const Resource& each : resources(board, plan.limit)) {
      table.rows.back().push_back(each.cell());
      chart.add(fmt::format("board {}, {}", number, each.name), each.name, each.share(),
                {{"used", each.used.is_null() ? "none" : each.used.dump()}, {"may be used", each.limit.dump()}});
    }
  }
  page.sections.push_back({"boards",
                           "What each board takes",
                           {"Of what may be used; a link's load is that to the next board. The taller the column, the "
                            "nearer it is to binding."},
                           true,
                           {table}});
  chart.draw(page, "boards", "What each board takes of each resource, as a share of what may be used",
             "of what may be used", true, "all that may be used");
}

void add_layers(Page& page, const NadaResult& plan) {
  Table table{"The layers",
              {{"layer", ""},
               {"board", ""},
               {"a", "channels at once"},
               {"b", "filters at once"},
               {"taps", "of the window at once"},
               {"cycles", "an image"},
               {"busy", "of the plan's cycles an image"},
               {"DSPs", ""},
               {"blocks", "of memory"},
               {"MLABs", ""}},
              {},
              true,
              true};
  Columns chart;
  for (int i = 1; i <= plan.head.number_of_boards; ++i) chart.group(fmt::format("board {}", i));
  std::size_t board = 0;
  for (const NadaLayer& layer : plan.layers) {
    const auto& [a, b, taps] = layer.lanes;
    const double busy = ratio(layer.cycles, plan.cycles_an_image);
    table.rows.push_back({text_cell(layer.layer), count_cell(static_cast<std::int64_t>(layer.board)), count_cell(a),
                          count_cell(b), count_cell(taps), count_cell(layer.cycles), percent_cell(busy),
                          count_cell(layer.used.dsp), count_cell(layer.used.m20k), count_cell(layer.used.mlab)});
    if (layer.board != board) chart.tick(std::to_string(layer.board));
    board = layer.board;
    chart.add(layer.layer, fmt::format("board {}", board), busy,
              {{"cycles an image", thousands(layer.cycles)},
               {"lanes", fmt::format("{} x {} x {}", a, b, taps)},
               {"DSPs", thousands(layer.used.dsp)},
               {"blocks", thousands(layer.used.m20k)}});
  }
  page.sections.push_back({"layers",
                           "Which layer is where, and how busy",
                           {"In the order of the network; the slowest layers set the rate."},
                           true,
                           {table}});
  chart.draw(page, "layers", "How busy each layer is, in the order of the network, by its board", "busy", true);
}

void add_published(Page& page, const NadaResult& plan) {
  Table table{"NADA's table",
              {{"network", ""},
               {"boards", ""},
               {"planned", "images a second"},
               {"measured", "images a second"},
               {"ms an image more", "measured over planned"},
               {"hours", "of a run, published"},
               {"hours here", "of 150 epochs of ImageNet at the measured rate"}},
              {},
              false,
              false};
  for (const cluster::NadaPublished& row : plan.published) {
    table.rows.push_back({text_cell(row.network), text_cell(row.cluster), count_cell(row.planned),
                          count_cell(row.measured), real_cell(row.overhead_ms_an_image), count_cell(row.run_hours),
                          real_cell(row.hours)});
  }
  if (table.rows.empty()) return;
  page.sections.push_back(
      {"published", "Beside what is published", {"Nothing is fitted to it."}, false, {std::move(table)}});
}

std::string binds_text(const NadaResult& plan) {
  if (!plan.next_images_per_s) return "nothing";
  return plan.binds.empty() ? "several" : config::join(plan.binds, " or ");
}

std::string parts_text(const ArrayBoard& board) {
  std::string all;
  for (const cluster::ArrayPart& part : board.parts) {
    all += (all.empty() ? "" : ", ") + part.layer;
    if (part.filters < part.of_filters) all += fmt::format(" ({} of {} filters)", part.filters, part.of_filters);
  }
  return all;
}

void add_boards(Page& page, const ArrayResult& plan) {
  Table table{"The boards",
              {{"board", ""},
               {"filters of layers", ""},
               {"cycles", "an image"},
               {"busy", "of the slowest board's"},
               {"DSPs", ""},
               {"words", "stored"},
               {"of its memory", ""},
               {"weights", "of its memory"}},
              {},
              true,
              true};
  Columns chart;
  chart.group("busy");
  chart.group("memory");
  const cluster::ArrayMemory& memory = plan.memory;
  std::int64_t number = 0;
  for (const ArrayBoard& board : plan.boards) {
    const double busy = ratio(board.cycles, plan.cycles_an_image);
    const double stored = ratio(board.stored_words, memory.board_words);
    table.rows.push_back({count_cell(++number), text_cell(parts_text(board)), count_cell(board.cycles),
                          percent_cell(busy), count_cell(board.dsp), count_cell(board.stored_words),
                          percent_cell(stored), percent_cell(ratio(board.weights, memory.board_words))});
    const Json more{{"cycles an image", thousands(board.cycles)},
                    {"words stored", thousands(board.stored_words)},
                    {"DSPs", thousands(board.dsp)}};
    chart.tick(std::to_string(number));
    chart.add(fmt::format("board {}, busy", number), "busy", busy, more);
    chart.add(fmt::format("board {}, memory", number), "memory", stored, more);
  }
  page.sections.push_back(
      {"boards",
       "How even the boards are, and what they store",
       {fmt::format("{} of {} words of the whole array: {}. {}", thousands(memory.words), thousands(memory.room),
                    memory.fits ? "it fits" : "it does not fit", plan.storage_reading)},
       true,
       {table}});
  chart.draw(page, "boards", "How busy each board is, and what it has to store of what it can", "share", true,
             "all of its own");
}

void add_scaling(Page& page, const ArrayResult& plan) {
  Table table{"Readings of the links",
              {{"reading", ""},
               {"linear up to", "boards"},
               {"Gb/s", "of a link, a direction"},
               {"busiest, Gb/s", "with the boards of the plan"},
               {"busiest link", ""},
               {"what it says", ""}},
              {},
              false,
              false};
  Json series = Json::array(), marks = Json::array();
  for (const ArrayReading& reading : plan.readings) {
    const char* const least = reading.linear_boards == plan.scaling_to ? "at least " : "";
    table.rows.push_back(
        {text_cell(reading.name),
         {fmt::format("{}{}", least, reading.linear_boards), static_cast<double>(reading.linear_boards)},
         real_cell(reading.link_gbits_per_s),
         real_cell(reading.busiest_gbits_per_s),
         text_cell(reading.busiest_link),
         text_cell(reading.reading)});
    Json points = Json::array();
    for (const double rate : reading.images_per_s) points.push_back({points.size() + 1, rate});
    series.push_back({{"name", reading.name}, {"points", points}});
  }
  std::vector<std::string> text{
      fmt::format("Images a second of 1 to {} boards under each reading of the links, at {} images a second of each "
                  "board.",
                  plan.scaling_to, real_text(plan.images_per_s_per_board))};
  for (const cluster::PublishedBoards& each : plan.published) {
    text.push_back(fmt::format("Published: {} boards ({}).", each.boards, each.source));
    marks.push_back({{"at", each.boards}, {"name", fmt::format("{} boards", each.boards)}});
  }
  page.sections.push_back({"scaling", "How far it scales", std::move(text), true, {table}});
  draw_lines(page, "scaling", "Images a second over the number of boards, under each reading of the links", "boards",
             "images/s", false, false, marks, series);
}

void add_steps(Page& page, const BatchResult& timeline) {
  Table table{"The steps of a batch", {{"step", ""}, {"cycles", ""}, {"time", ""}, {"share", ""}}, {}, false, false};
  Columns chart;
  double all = 0;
  for (const cluster::BatchStep& step : timeline.steps) all += static_cast<double>(step.cycles);
  for (const cluster::BatchStep& step : timeline.steps) {
    table.rows.push_back({text_cell(step.step), count_cell(step.cycles), time_cell(step.seconds),
                          percent_cell(static_cast<double>(step.cycles) / all)});
    chart.tick(step.step, true);
    chart.add(step.step, "", 1000 * step.seconds, {{"cycles", thousands(step.cycles)}});
  }
  page.sections.push_back({"steps",
                           "Where the time of a batch goes",
                           {"Fill: up to the first image's last gradient, or the last pixel's entering. Drain: behind "
                            "that pixel. Update: of the slowest layer's weights."},
                           true,
                           {table}});
  chart.draw(page, "steps", "Time of the steps of a batch", "ms", false);
}

void add_efficiency(Page& page, const BatchResult& timeline) {
  Table table{"Efficiency over the batch", {{"batch", "images"}, {"efficiency", ""}}, {}, false, true};
  Json points = Json::array();
  for (const cluster::BatchEfficiency& each : timeline.efficiencies) {
    table.rows.push_back({count_cell(each.batch), percent_cell(each.efficiency, 2)});
    points.push_back({each.batch, each.efficiency});
  }
  page.sections.push_back(
      {"efficiency", "What a larger batch gains", {"Of the rate of a batch without end."}, true, {table}});
  draw_lines(page, "efficiency", "Efficiency over the images of a batch", "images of a batch", "efficiency", true, true,
             Json::array(), {{{"name", "efficiency"}, {"points", points}}});
}

void add_stores(Page& page, const BatchResult& timeline) {
  Table table{"Stores from F to GW",
              {{"store", ""}, {"pixels", "at most"}, {"words", "at most"}, {"images", "at most"}},
              {},
              true,
              true};
  Columns chart;
  for (const cluster::StoreUse& each : timeline.stores) {
    table.rows.push_back(
        {text_cell(each.store), count_cell(each.pixels), count_cell(each.words), real_cell(each.images)});
    chart.add(each.store, "", each.images, {{"pixels", thousands(each.pixels)}, {"words", thousands(each.words)}});
  }
  page.sections.push_back({"stores",
                           "What waits for its gradients",
                           {"The most that each store holds, in images of its layer, in the order of the network."},
                           true,
                           {table}});
  chart.draw(page, "stores", "The most that each store from F to GW holds, in images", "images", false);
}

void add_links(Page& page, const BatchResult& timeline) {
  Table table{"Links between boards", {{"link", ""}, {"Gb/s", "a direction"}, {"load", ""}}, {}, false, false};
  for (const cluster::LinkUse& each : timeline.links) {
    table.rows.push_back({text_cell(fmt::format("board {} to {}", each.from, each.from + 1)),
                          real_cell(each.gbits_per_s), percent_cell(each.part)});
  }
  if (table.rows.empty()) return;
  page.sections.push_back({"links",
                           "What links carry",
                           {"In the steady state; they take no time in the timeline."},
                           false,
                           {std::move(table)}});
}

}  // namespace

Page plan_page(const NadaResult& plan) {
  Page page = page_of("plan", plan);
  page.lead = fmt::format("{} over {} x {} at {} MHz, each layer with an implementation of its own.", plan.head.network,
                          plan.head.number_of_boards, plan.head.board, plan.head.clock_mhz);
  const cluster::NadaSimulated& simulated = plan.simulated;
  const std::optional<double>& next = plan.next_images_per_s;
  page.figures = {
      rate_of(plan),
      {"Binds", binds_text(plan), next ? real_text(*next) + " images/s would be next" : ""},
      {"Bound", real_text(plan.pooled_images_per_s) + " images/s",
       "that no placement exceeds: " + percent_text(plan.gap) + " more"},
      {"Latency", thousands(simulated.latency_cycles) + " cycles", real_text(simulated.latency_images) + " images"},
      {"FIFOs", thousands(simulated.fifo_block_ram) + " blocks",
       fmt::format("of {} left; simulated, one image in {} cycles", thousands(simulated.block_ram_left),
                   simulated.cycles_an_image)}};
  add_boards(page, plan);
  add_layers(page, plan);
  add_published(page, plan);
  add_assumed(page, plan.assumed, {"Links' latency and updates are not in the rate."});
  return page;
}

Page plan_page(const ArrayResult& plan) {
  Page page = page_of("plan", plan);
  page.lead = fmt::format("The convolutions of {} over a row of {} x {} at {} MHz, layers divided between boards.",
                          plan.head.network, plan.head.number_of_boards, plan.head.board, plan.head.clock_mhz);
  const cluster::ArrayMemory& memory = plan.memory;
  page.figures = {rate_of(plan),
                  {"Balance", fmt::format("{:.4f}", plan.balance), "mean over maximum of the boards' cycles"},
                  {"Memory", percent_text(ratio(memory.words, memory.room)),
                   memory.fits ? "of the array: it fits" : "of the array: infeasible"},
                  {"Weights beyond a board's own", real_text(memory.weight_fetch_gbits_per_s) + " Gb/s", "fetched"}};
  add_scaling(page, plan);
  add_boards(page, plan);
  add_assumed(page, plan.assumed);
  return page;
}

Page cluster_timeline_page(const BatchResult& timeline) {
  Page page = page_of("timeline", timeline);
  page.lead =
      fmt::format("Batches of {} images of {} in training over {} x {} at {} MHz.", thousands(timeline.batch),
                  timeline.head.network, timeline.head.number_of_boards, timeline.head.board, timeline.head.clock_mhz);
  page.figures = {{"Rate", real_text(timeline.images_per_s) + " images/s",
                   real_text(timeline.endless_images_per_s) + " without end"},
                  {"Efficiency", percent_text(timeline.efficiency, 2), "of the batch"},
                  {"Epoch", real_text(timeline.epoch_hours) + " h", thousands(timeline.dataset_images) + " images"}};
  add_steps(page, timeline);
  add_efficiency(page, timeline);
  add_stores(page, timeline);
  add_links(page, timeline);
  if (!timeline.assumed.empty()) add_assumed(page, timeline.assumed);
  return page;
}

}  // namespace weft::tools
