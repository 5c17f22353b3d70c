#include <fmt/core.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "platform/config/reader.h"
#include "platform/document/text.h"
#include "tools/pages/cells.h"
#include "tools/pages/pages.h"
#include "tools/plan/tables.h"
#include "tools/results/json_at.h"

namespace weft::tools {

using report::Page;
using report::Section;
using report::Table;
using report::thousands;
using Json = nlohmann::ordered_json;

namespace {

// The resources of a board: their keys, also of the limits, and names.
constexpr std::array<std::pair<const char*, const char*>, 6> kResources{{{"dsp", "DSPs"},
                                                                         {"block_ram", "blocks of memory"},
                                                                         {"mlab", "MLABs"},
                                                                         {"registers", "registers"},
                                                                         {"dram_gbytes_per_s", "DRAM, GB/s"},
                                                                         {"link_gbits_per_s", "link, Gb/s"}}};

double share(const Json& board, const Json& limits, const char* key) {
  const Json& limit = limits.at(key);
  return limit.is_null() || limit == 0 || !board.contains(key) ? 0 : real(board, key) / limit.get<double>();
}

// "board 2" at the first of the columns of each board.
void add_tick(Json& ticks, std::size_t at, std::size_t board) {
  ticks.push_back({{"at", at}, {"text", fmt::format("{}", board)}});
}

Section assumed_section(const Json& plan, std::vector<std::string> more) {
  Section section{"assumed", "What is assumed", std::move(more), false, {}};
  const auto keys = plan.at("assumed").get<std::vector<std::string>>();
  if (!keys.empty()) section.text.push_back("Keys whose values are assumptions: " + config::join(keys) + ".");
  return section;
}

std::string layers_of(const Json& plan, const Json& board) {
  if (count(board, "layers") == 0) return "none";
  const std::string first = text(board, "first_layer"), last = text(board, "last_layer");
  if (text(plan, "placement") == "contiguous") return first + " to " + last;
  return fmt::format("{} of {} ... {}", count(board, "layers"), first, last);
}

Section nada_boards(const Json& plan) {
  Table table{"The boards", {{"board", ""}, {"layers", ""}}, {}, false, false};
  for (const auto& [key, name] : kResources) table.columns.push_back({name, "and of what may be used"});
  std::int64_t number = 0;
  for (const Json& board : plan.at("boards")) {
    table.rows.push_back({count_cell(++number), text_cell(layers_of(plan, board))});
    for (const auto& [key, name] : kResources) {
      if (!board.contains(key)) {
        table.rows.back().push_back(text_cell(""));
        continue;
      }
      const double part = share(board, plan.at("limit"), key), used = real(board, key);
      const std::string amount = board.at(key).is_number_integer() ? thousands(count(board, key)) : real_text(used);
      table.rows.back().push_back({fmt::format("{} ({})", amount, percent_text(part)), part});
    }
  }
  return {"boards",
          "What each board takes",
          {"Of what may be used; a link's load is that to the next board. The taller the column, the nearer it is to "
           "binding."},
          true,
          {table}};
}

Json nada_boards_chart(const Json& plan) {
  Json rows = Json::array(), ticks = Json::array(), groups = Json::array();
  for (const auto& [key, name] : kResources) groups.push_back(name);
  std::size_t number = 0;
  for (const Json& board : plan.at("boards")) {
    add_tick(ticks, rows.size(), ++number);
    for (const auto& [key, name] : kResources) {
      const std::string used = board.contains(key) ? board.at(key).dump() : "none";
      rows.push_back({{"label", fmt::format("board {}, {}", number, name)},
                      {"group", name},
                      {"value", share(board, plan.at("limit"), key)},
                      {"more", {{"used", used}, {"may be used", plan.at("limit").at(key).dump()}}}});
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

Section nada_layers(const Json& plan) {
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
  const double period = real(plan, "cycles_an_image");
  for (const Json& layer : plan.at("layers")) {
    table.rows.push_back({text_cell(text(layer, "layer")), count_cell(count(layer, "board")),
                          count_cell(count(layer, "a")), count_cell(count(layer, "b")),
                          count_cell(count(layer, "taps")), count_cell(count(layer, "cycles")),
                          percent_cell(real(layer, "cycles") / period), count_cell(count(layer, "dsp")),
                          count_cell(count(layer, "block_ram")), count_cell(count(layer, "mlab"))});
  }
  return {"layers",
          "Which layer is where, and how busy",
          {"In the order of the network; the slowest layers set the rate."},
          true,
          {table}};
}

Json nada_layers_chart(const Json& plan) {
  Json rows = Json::array(), ticks = Json::array(), groups = Json::array();
  std::int64_t board = 0;
  for (std::int64_t i = 1; i <= count(plan, "number_of_boards"); ++i) groups.push_back(fmt::format("board {}", i));
  for (const Json& layer : plan.at("layers")) {
    if (count(layer, "board") != board) {
      board = count(layer, "board");
      add_tick(ticks, rows.size(), static_cast<std::size_t>(board));
    }
    const std::string lanes = fmt::format("{} x {} x {}", count(layer, "a"), count(layer, "b"), count(layer, "taps"));
    rows.push_back({{"label", text(layer, "layer")},
                    {"group", fmt::format("board {}", board)},
                    {"value", real(layer, "cycles") / real(plan, "cycles_an_image")},
                    {"more",
                     {{"cycles an image", thousands(count(layer, "cycles"))},
                      {"lanes", lanes},
                      {"DSPs", thousands(count(layer, "dsp"))},
                      {"blocks", thousands(count(layer, "block_ram"))}}}});
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

Section nada_published(const Json& plan) {
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
  for (const Json& row : plan.at("published")) {
    table.rows.push_back({text_cell(text(row, "network")), text_cell(text(row, "cluster")),
                          count_cell(count(row, "planned")), count_cell(count(row, "measured")),
                          real_cell(real(row, "overhead_ms_an_image")), count_cell(count(row, "run_hours")),
                          real_cell(real(row, "hours"))});
  }
  return {"published", "Beside what is published", {"Nothing is fitted to it."}, false, {table}};
}

std::string binds_text(const Json& plan) {
  if (plan.at("next_images_per_s").is_null()) return "nothing";
  const auto binds = plan.at("binds").get<std::vector<std::string>>();
  return binds.empty() ? "several" : config::join(binds, " or ");
}

Page head_of(const Json& saved) {
  Page page;
  page.kind = "cluster";
  page.title = text(saved, "cluster");
  page.weft_version = text(saved, "weft_version");
  return page;
}

Page nada_page(const Json& plan) {
  Page page = head_of(plan);
  page.command = "plan";
  page.lead =
      fmt::format("{} over {} x {} at {} MHz, each layer with an implementation of its own.", text(plan, "network"),
                  count(plan, "number_of_boards"), text(plan, "board"), real(plan, "clock_mhz"));
  const Json& simulated = plan.at("simulated");
  const bool next = !plan.at("next_images_per_s").is_null();
  page.figures = {
      {"Rate", real_text(real(plan, "images_per_s")) + " images/s",
       fmt::format("one in {} cycles", thousands(count(plan, "cycles_an_image")))},
      {"Binds", binds_text(plan), next ? real_text(real(plan, "next_images_per_s")) + " images/s would be next" : ""},
      {"Bound", real_text(real(plan, "pooled_images_per_s")) + " images/s",
       "that no placement exceeds: " + percent_text(real(plan, "gap")) + " more"},
      {"Latency", thousands(count(simulated, "latency_cycles")) + " cycles",
       real_text(real(simulated, "latency_images")) + " images"},
      {"FIFOs", thousands(count(simulated, "fifo_block_ram")) + " blocks",
       fmt::format("of {} left; simulated, one image in {} cycles", thousands(count(simulated, "block_ram_left")),
                   fmt::format("{}", real(simulated, "cycles_an_image")))}};
  page.sections = {nada_boards(plan), nada_layers(plan)};
  if (!plan.at("published").empty()) page.sections.push_back(nada_published(plan));
  page.sections.push_back(assumed_section(plan, {"Links' latency and updates are not in the rate."}));
  page.data["charts"] = {nada_boards_chart(plan), nada_layers_chart(plan)};
  return page;
}

std::string parts_text(const Json& board) {
  std::string all;
  for (const Json& part : board.at("parts")) {
    all += (all.empty() ? "" : ", ") + text(part, "layer");
    if (count(part, "filters") < count(part, "of_filters")) {
      all += fmt::format(" ({} of {} filters)", count(part, "filters"), count(part, "of_filters"));
    }
  }
  return all;
}

Section array_boards(const Json& plan) {
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
  const double room = real(plan.at("memory"), "board_words");
  std::int64_t number = 0;
  for (const Json& board : plan.at("boards")) {
    table.rows.push_back({count_cell(++number), text_cell(parts_text(board)), count_cell(count(board, "cycles")),
                          percent_cell(real(board, "cycles") / real(plan, "cycles_an_image")),
                          count_cell(count(board, "dsp")), count_cell(count(board, "stored_words")),
                          percent_cell(real(board, "stored_words") / room),
                          percent_cell(real(board, "weights") / room)});
  }
  const Json& memory = plan.at("memory");
  return {"boards",
          "How even the boards are, and what they store",
          {fmt::format("{} of {} words of the whole array: {}. {}", thousands(count(memory, "words")),
                       thousands(count(memory, "room")), memory.at("fits").get<bool>() ? "it fits" : "it does not fit",
                       text(plan, "storage_reading"))},
          true,
          {table}};
}

Json array_boards_chart(const Json& plan) {
  Json rows = Json::array(), ticks = Json::array();
  const double room = real(plan.at("memory"), "board_words");
  std::size_t number = 0;
  for (const Json& board : plan.at("boards")) {
    add_tick(ticks, rows.size(), ++number);
    const std::array<std::pair<const char*, double>, 2> both{
        {{"busy", real(board, "cycles") / real(plan, "cycles_an_image")},
         {"memory", real(board, "stored_words") / room}}};
    for (const auto& [group, value] : both) {
      rows.push_back({{"label", fmt::format("board {}, {}", number, group)},
                      {"group", group},
                      {"value", value},
                      {"more",
                       {{"cycles an image", thousands(count(board, "cycles"))},
                        {"words stored", thousands(count(board, "stored_words"))},
                        {"DSPs", thousands(count(board, "dsp"))}}}});
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

Section array_scaling(const Json& plan) {
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
  for (const Json& reading : plan.at("readings")) {
    const bool more = count(reading, "linear_boards") == count(plan, "scaling_to");
    table.rows.push_back({text_cell(text(reading, "name")),
                          {fmt::format("{}{}", more ? "at least " : "", count(reading, "linear_boards")),
                           real(reading, "linear_boards")},
                          real_cell(real(reading, "link_gbits_per_s")),
                          real_cell(real(reading, "busiest_gbits_per_s")),
                          text_cell(text(reading, "busiest_link")),
                          text_cell(text(reading, "reading"))});
  }
  Section section{
      "scaling",
      "How far it scales",
      {fmt::format("Images a second of 1 to {} boards under each reading of the links, at {} images a second of "
                   "each board.",
                   count(plan, "scaling_to"), real_text(real(plan, "images_per_s_per_board")))},
      true,
      {table}};
  for (const Json& each : plan.at("published")) {
    section.text.push_back(fmt::format("Published: {} boards ({}).", count(each, "boards"), text(each, "source")));
  }
  return section;
}

Json array_scaling_chart(const Json& plan) {
  Json series = Json::array(), marks = Json::array();
  for (const Json& reading : plan.at("readings")) {
    Json points = Json::array();
    std::int64_t boards = 0;
    for (const Json& rate : reading.at("images_per_s")) points.push_back({++boards, rate});
    series.push_back({{"name", text(reading, "name")}, {"points", points}});
  }
  for (const Json& each : plan.at("published")) {
    marks.push_back({{"at", each.at("boards")}, {"name", fmt::format("{} boards", count(each, "boards"))}});
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

Page array_page(const Json& plan) {
  Page page = head_of(plan);
  page.command = "plan";
  page.lead =
      fmt::format("The convolutions of {} over a row of {} x {} at {} MHz, layers divided between boards.",
                  text(plan, "network"), count(plan, "number_of_boards"), text(plan, "board"), real(plan, "clock_mhz"));
  const Json& memory = plan.at("memory");
  page.figures = {
      {"Rate", real_text(real(plan, "images_per_s")) + " images/s",
       fmt::format("one in {} cycles", thousands(count(plan, "cycles_an_image")))},
      {"Balance", fmt::format("{:.4f}", real(plan, "balance")), "mean over maximum of the boards' cycles"},
      {"Memory", percent_text(real(memory, "words") / real(memory, "room")),
       memory.at("fits").get<bool>() ? "of the array: it fits" : "of the array: infeasible"},
      {"Weights beyond a board's own", real_text(real(memory, "weight_fetch_gbits_per_s")) + " Gb/s", "fetched"}};
  page.sections = {array_scaling(plan), array_boards(plan), assumed_section(plan, {})};
  page.data["charts"] = {array_scaling_chart(plan), array_boards_chart(plan)};
  return page;
}

}  // namespace

Page plan_page(const Json& saved) {
  return text(saved, "design") == kNadaDesign ? nada_page(saved) : array_page(saved);
}

}  // namespace weft::tools
