#include <fmt/core.h>

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/config/reader.h"
#include "platform/document/text.h"
#include "tools/pages/cells.h"
#include "tools/pages/pages.h"

namespace weft::tools {

using cluster::ArrayBoard;
using cluster::ArrayReading;
using cluster::ArrayResult;
using cluster::NadaBoard;
using cluster::NadaLayer;
using cluster::NadaLimit;
using cluster::NadaResult;
using report::Page;
using report::Section;
using report::Table;
using report::thousands;
using Json = nlohmann::ordered_json;

namespace {

// A resource of a board: what the board takes and what it may use; null: it takes none, or does not say.
struct Resource {
  const char* name;
  Json used, limit;

  double share() const {
    return used.is_null() || limit.is_null() || limit == 0 ? 0 : used.get<double>() / limit.get<double>();
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

// "board 2" at the first of the columns of each board.
void add_tick(Json& ticks, std::size_t at, std::size_t board) {
  ticks.push_back({{"at", at}, {"text", fmt::format("{}", board)}});
}

Section assumed_section(const std::vector<std::string>& keys, std::vector<std::string> more) {
  Section section{"assumed", "What is assumed", std::move(more), false, {}};
  if (!keys.empty()) section.text.push_back("Keys whose values are assumptions: " + config::join(keys) + ".");
  return section;
}

std::string layers_of(const NadaResult& plan, const NadaBoard& board) {
  if (board.layers == 0) return "none";
  if (plan.placement == "contiguous") return board.first_layer + " to " + board.last_layer;
  return fmt::format("{} of {} ... {}", board.layers, board.first_layer, board.last_layer);
}

Section nada_boards(const NadaResult& plan) {
  Table table{"The boards", {{"board", ""}, {"layers", ""}}, {}, false, false};
  for (const Resource& each : resources({}, {})) table.columns.push_back({each.name, "and of what may be used"});
  std::int64_t number = 0;
  for (const NadaBoard& board : plan.boards) {
    table.rows.push_back({count_cell(++number), text_cell(layers_of(plan, board))});
    for (const auto& each : resources(board, plan.limit)) {
      if (each.used.is_null()) {
        table.rows.back().push_back(text_cell(""));
        continue;
      }
      const std::string amount =
          each.used.is_number_integer() ? thousands(each.used.get<std::int64_t>()) : real_text(each.used.get<double>());
      table.rows.back().push_back({fmt::format("{} ({})", amount, percent_text(each.share())), each.share()});
    }
  }
  return {"boards",
          "What each board takes",
          {"Of what may be used; a link's load is that to the next board. The taller the column, the nearer it is to "
           "binding."},
          true,
          {table}};
}

Json nada_boards_chart(const NadaResult& plan) {
  Json rows = Json::array(), ticks = Json::array(), groups = Json::array();
  for (const Resource& each : resources({}, {})) groups.push_back(each.name);
  std::size_t number = 0;
  for (const NadaBoard& board : plan.boards) {
    add_tick(ticks, rows.size(), ++number);
    for (const Resource& each : resources(board, plan.limit)) {
      rows.push_back(
          {{"label", fmt::format("board {}, {}", number, each.name)},
           {"group", each.name},
           {"value", each.share()},
           {"more", {{"used", each.used.is_null() ? "none" : each.used.dump()}, {"may be used", each.limit.dump()}}}});
    }
  }
  return {{"form", "columns"},
          {"id", "boards"},
          {"name", "What each board takes of each resource, as a share of what may be used"},
          {"label", "of what may be used"},
          {"share", true},
          {"groups", groups},
          {"ticks", ticks},
          {"rule", {{"at", 1}, {"name", "all that may be used"}}},
          {"rows", rows}};
}

Section nada_layers(const NadaResult& plan) {
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
  for (const NadaLayer& layer : plan.layers) {
    table.rows.push_back({text_cell(layer.layer), count_cell(static_cast<std::int64_t>(layer.board)),
                          count_cell(layer.lanes.a), count_cell(layer.lanes.b), count_cell(layer.lanes.taps),
                          count_cell(layer.cycles), percent_cell(ratio(layer.cycles, plan.cycles_an_image)),
                          count_cell(layer.used.dsp), count_cell(layer.used.m20k), count_cell(layer.used.mlab)});
  }
  return {"layers",
          "Which layer is where, and how busy",
          {"In the order of the network; the slowest layers set the rate."},
          true,
          {table}};
}

Json nada_layers_chart(const NadaResult& plan) {
  Json rows = Json::array(), ticks = Json::array(), groups = Json::array();
  std::size_t board = 0;
  for (int i = 1; i <= plan.head.number_of_boards; ++i) groups.push_back(fmt::format("board {}", i));
  for (const NadaLayer& layer : plan.layers) {
    if (layer.board != board) {
      board = layer.board;
      add_tick(ticks, rows.size(), board);
    }
    rows.push_back({{"label", layer.layer},
                    {"group", fmt::format("board {}", board)},
                    {"value", ratio(layer.cycles, plan.cycles_an_image)},
                    {"more",
                     {{"cycles an image", thousands(layer.cycles)},
                      {"lanes", fmt::format("{} x {} x {}", layer.lanes.a, layer.lanes.b, layer.lanes.taps)},
                      {"DSPs", thousands(layer.used.dsp)},
                      {"blocks", thousands(layer.used.m20k)}}}});
  }
  return {{"form", "columns"},
          {"id", "layers"},
          {"name", "How busy each layer is, in the order of the network, by its board"},
          {"label", "busy"},
          {"share", true},
          {"groups", groups},
          {"ticks", ticks},
          {"rows", rows}};
}

Section nada_published(const NadaResult& plan) {
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
  return {"published", "Beside what is published", {"Nothing is fitted to it."}, false, {table}};
}

std::string binds_text(const NadaResult& plan) {
  if (!plan.next_images_per_s) return "nothing";
  return plan.binds.empty() ? "several" : config::join(plan.binds, " or ");
}

// The page of a plan with its rate, the first of its figures.
template <class Plan>
Page page_of(const Plan& plan) {
  Page page;
  page.kind = "cluster";
  page.command = "plan";
  page.title = plan.head.cluster;
  page.weft_version = plan.head.weft_version;
  page.figures = {{"Rate", real_text(plan.images_per_s) + " images/s",
                   fmt::format("one in {} cycles", thousands(plan.cycles_an_image))}};
  return page;
}

std::string parts_text(const ArrayBoard& board) {
  std::string all;
  for (const cluster::ArrayPart& part : board.parts) {
    all += (all.empty() ? "" : ", ") + part.layer;
    if (part.filters < part.of_filters) all += fmt::format(" ({} of {} filters)", part.filters, part.of_filters);
  }
  return all;
}

Section array_boards(const ArrayResult& plan) {
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
  const cluster::ArrayMemory& memory = plan.memory;
  std::int64_t number = 0;
  for (const ArrayBoard& board : plan.boards) {
    table.rows.push_back({count_cell(++number), text_cell(parts_text(board)), count_cell(board.cycles),
                          percent_cell(ratio(board.cycles, plan.cycles_an_image)), count_cell(board.dsp),
                          count_cell(board.stored_words), percent_cell(ratio(board.stored_words, memory.board_words)),
                          percent_cell(ratio(board.weights, memory.board_words))});
  }
  return {"boards",
          "How even the boards are, and what they store",
          {fmt::format("{} of {} words of the whole array: {}. {}", thousands(memory.words), thousands(memory.room),
                       memory.fits ? "it fits" : "it does not fit", plan.storage_reading)},
          true,
          {table}};
}

Json array_boards_chart(const ArrayResult& plan) {
  Json rows = Json::array(), ticks = Json::array();
  std::size_t number = 0;
  for (const ArrayBoard& board : plan.boards) {
    add_tick(ticks, rows.size(), ++number);
    const std::array<std::pair<const char*, double>, 2> both{
        {{"busy", ratio(board.cycles, plan.cycles_an_image)},
         {"memory", ratio(board.stored_words, plan.memory.board_words)}}};
    for (const auto& [group, value] : both) {
      rows.push_back({{"label", fmt::format("board {}, {}", number, group)},
                      {"group", group},
                      {"value", value},
                      {"more",
                       {{"cycles an image", thousands(board.cycles)},
                        {"words stored", thousands(board.stored_words)},
                        {"DSPs", thousands(board.dsp)}}}});
    }
  }
  return {{"form", "columns"},
          {"id", "boards"},
          {"name", "How busy each board is, and what it has to store of what it can"},
          {"label", "share"},
          {"share", true},
          {"groups", {"busy", "memory"}},
          {"ticks", ticks},
          {"rule", {{"at", 1}, {"name", "all of its own"}}},
          {"rows", rows}};
}

Section array_scaling(const ArrayResult& plan) {
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
  for (const ArrayReading& reading : plan.readings) {
    const char* const least = reading.linear_boards == plan.scaling_to ? "at least " : "";
    table.rows.push_back(
        {text_cell(reading.name),
         {fmt::format("{}{}", least, reading.linear_boards), static_cast<double>(reading.linear_boards)},
         real_cell(reading.link_gbits_per_s),
         real_cell(reading.busiest_gbits_per_s),
         text_cell(reading.busiest_link),
         text_cell(reading.reading)});
  }
  Section section{
      "scaling",
      "How far it scales",
      {fmt::format("Images a second of 1 to {} boards under each reading of the links, at {} images a second of "
                   "each board.",
                   plan.scaling_to, real_text(plan.images_per_s_per_board))},
      true,
      {table}};
  for (const cluster::PublishedBoards& each : plan.published) {
    section.text.push_back(fmt::format("Published: {} boards ({}).", each.boards, each.source));
  }
  return section;
}

Json array_scaling_chart(const ArrayResult& plan) {
  Json series = Json::array(), marks = Json::array();
  for (const ArrayReading& reading : plan.readings) {
    Json points = Json::array();
    std::int64_t boards = 0;
    for (const double rate : reading.images_per_s) points.push_back({++boards, rate});
    series.push_back({{"name", reading.name}, {"points", points}});
  }
  for (const cluster::PublishedBoards& each : plan.published) {
    marks.push_back({{"at", each.boards}, {"name", fmt::format("{} boards", each.boards)}});
  }
  return {{"form", "lines"},
          {"id", "scaling"},
          {"name", "Images a second over the number of boards, under each reading of the links"},
          {"across", "boards"},
          {"label", "images/s"},
          {"share", false},
          {"log", false},
          {"marks", marks},
          {"series", series}};
}

}  // namespace

Page plan_page(const NadaResult& plan) {
  Page page = page_of(plan);
  page.lead = fmt::format("{} over {} x {} at {} MHz, each layer with an implementation of its own.", plan.head.network,
                          plan.head.number_of_boards, plan.head.board, plan.head.clock_mhz);
  const cluster::NadaSimulated& simulated = plan.simulated;
  const std::optional<double>& next = plan.next_images_per_s;
  page.figures.insert(
      page.figures.end(),
      {{"Binds", binds_text(plan), next ? real_text(*next) + " images/s would be next" : ""},
       {"Bound", real_text(plan.pooled_images_per_s) + " images/s",
        "that no placement exceeds: " + percent_text(plan.gap) + " more"},
       {"Latency", thousands(simulated.latency_cycles) + " cycles", real_text(simulated.latency_images) + " images"},
       {"FIFOs", thousands(simulated.fifo_block_ram) + " blocks",
        fmt::format("of {} left; simulated, one image in {} cycles", thousands(simulated.block_ram_left),
                    simulated.cycles_an_image)}});
  page.sections = {nada_boards(plan), nada_layers(plan)};
  if (!plan.published.empty()) page.sections.push_back(nada_published(plan));
  page.sections.push_back(assumed_section(plan.assumed, {"Links' latency and updates are not in the rate."}));
  page.data["charts"] = {nada_boards_chart(plan), nada_layers_chart(plan)};
  return page;
}

Page plan_page(const ArrayResult& plan) {
  Page page = page_of(plan);
  page.lead = fmt::format("The convolutions of {} over a row of {} x {} at {} MHz, layers divided between boards.",
                          plan.head.network, plan.head.number_of_boards, plan.head.board, plan.head.clock_mhz);
  const cluster::ArrayMemory& memory = plan.memory;
  page.figures.insert(
      page.figures.end(),
      {{"Balance", fmt::format("{:.4f}", plan.balance), "mean over maximum of the boards' cycles"},
       {"Memory", percent_text(ratio(memory.words, memory.room)),
        memory.fits ? "of the array: it fits" : "of the array: infeasible"},
       {"Weights beyond a board's own", real_text(memory.weight_fetch_gbits_per_s) + " Gb/s", "fetched"}});
  page.sections = {array_scaling(plan), array_boards(plan), assumed_section(plan.assumed, {})};
  page.data["charts"] = {array_scaling_chart(plan), array_boards_chart(plan)};
  return page;
}

}  // namespace weft::tools
