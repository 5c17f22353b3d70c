#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "model/core/text.h"
#include "platform/document/table_view.h"
#include "platform/record/csv.h"
#include "tools/cli/views.h"

namespace weft::tools {

using namespace report;
using cluster::ArrayBoard;
using cluster::ArrayReading;
using cluster::ArrayResult;
using cluster::BatchResult;
using cluster::NadaBoard;
using cluster::NadaLayer;
using cluster::NadaResult;

namespace {

constexpr std::size_t kLabelWidth = 14;

template <class Result>
Document document_of(const char* command, const Result& result) {
  const cluster::ResultHead& head = result.head;
  Document d{command, head.cluster};
  d.lead = head.network + " on " + head.boards_text();
  d.weft_version = head.weft_version;
  return d;
}

template <class Plan>
std::string rate_text(const Plan& plan) {
  return fmt::format("{:.1f} images/s, one in {} cycles at {} MHz", plan.images_per_second,
                     thousands(plan.cycles_an_image), plan.head.clock_mhz);
}

std::string images_text(double rate) {
  return fmt::format("{:.4g} images/s", rate);
}

void add_assumed(const std::vector<std::string>& keys, Facts& facts) {
  if (!keys.empty()) facts.add("assumed", config::join(keys));
}

Cell part_cell(std::int64_t part, std::int64_t whole) {
  return fixed_cell(100 * ratio(part, whole), 1);
}

// Text of a board's parts: "features.0, features.3 1-81/192".
std::string parts_text(const ArrayBoard& board) {
  std::string list;
  for (const cluster::ArrayPart& part : board.parts) {
    list += (list.empty() ? "" : ", ") + part.layer;
    if (part.filters < part.of_filters) {
      list += fmt::format(" {}-{}/{}", part.first_filter + 1, part.first_filter + part.filters, part.of_filters);
    }
  }
  return list;
}

std::string simulated_text(double rate, const std::string& with, double change, const std::string& slowest) {
  return fmt::format("{:.1f} images/s with {}, {}; slowest: {}", rate, with,
                     std::abs(change) < 5e-5 ? "as planned" : fmt::format("{:+.2f} % of the plan", 100 * change),
                     slowest);
}

Section boards_section(const ArrayResult& plan) {
  Table table{"The boards",
              {{"board"},
               {"DSPs"},
               {"cycles/image"},
               {"busy %", "of the slowest board's cycles"},
               {"stored words"},
               {"% of memory", "of its own"},
               {"weights %", "of its own memory"},
               {"filters of layers"}}};
  table.search = true;
  Bars chart{"boards",    "Busy share and used share of the memory of each board",
             true,        "share",
             Form::Share, {{"busy"}, {"memory"}}};
  const std::int64_t room = plan.memory.board_words;
  for (const ArrayBoard& board : plan.boards) {
    const std::string number = std::to_string(table.rows.size() + 1);
    table.rows.push_back({{number, static_cast<double>(table.rows.size() + 1)},
                          count_cell(board.dsp),
                          count_cell(board.cycles),
                          part_cell(board.cycles, plan.cycles_an_image),
                          count_cell(board.stored_words),
                          part_cell(board.stored_words, room),
                          part_cell(board.weights, room),
                          parts_text(board)});
    chart.ticks.push_back({static_cast<double>(chart.bars.size()), number});
    const decltype(Bar::tip) tip{{"cycles an image", thousands(board.cycles)},
                                 {"words stored", thousands(board.stored_words)},
                                 {"DSPs", thousands(board.dsp)}};
    chart.bars.push_back(
        {fmt::format("board {}, busy", number), {{0, ratio(board.cycles, plan.cycles_an_image)}}, "", tip});
    chart.bars.push_back({fmt::format("board {}, memory", number), {{1, ratio(board.stored_words, room)}}, "", tip});
  }
  chart.rules.push_back({1, "100 %"});
  return {"boards", "Balance and memory of the boards", {chart, table}};
}

Section scaling_section(const ArrayResult& plan) {
  Table table{"Readings of the links",
              {{"reading"},
               {"linear up to", "boards"},
               {"Gb/s a direction"},
               {fmt::format("busiest at {}", plan.head.number_of_boards), "Gb/s"},
               {"busiest link"}}};
  Lines chart{"scaling", "Images a second over the number of boards, under each reading of the links", "boards",
              "images/s"};
  Facts notes{{}, kLabelWidth};
  for (const cluster::PublishedBoards& each : plan.published) {
    notes.add("published", fmt::format("{} ({})", each.text(), each.source));
    if (each.boards) chart.rules.push_back({static_cast<double>(*each.boards), each.text()});
  }
  notes.add("readings", plan.storage_reading);
  for (const ArrayReading& reading : plan.readings) {
    const char* const least = reading.linear_boards == plan.scaling_to ? ">= " : "";
    table.rows.push_back(
        {reading.name,
         {fmt::format("{}{}", least, reading.linear_boards), static_cast<double>(reading.linear_boards)},
         fixed_cell(reading.link_gbits_per_s, 2),
         fixed_cell(reading.busiest_gbits_per_s, 2),
         reading.busiest_link});
    notes.add("", reading.name + ": " + reading.reading);
    chart.parts.push_back({reading.name});
    std::vector<Point>& line = chart.lines.emplace_back();
    for (const double rate : reading.images_per_second) line.emplace_back(line.size() + 1, rate);
  }
  add_assumed(plan.assumed, notes);
  return {"scaling",
          "How far it scales",
          {Text{fmt::format("If each board computes as one of this plan, {:.2f} images/s:",
                            plan.images_per_second_per_board)},
           chart, table, Text{"", On::Terminal}, notes}};
}

Facts storage(const ArrayResult& plan) {
  const cluster::ArrayMemory& memory = plan.memory;
  const auto most = [&](std::int64_t ArrayBoard::*words) {
    std::int64_t most = 0;
    for (const ArrayBoard& board : plan.boards) most = std::max(most, board.*words);
    return part_cell(most, memory.board_words).text;
  };
  const std::string lack = fmt::format("INFEASIBLE, {} words too many", thousands(memory.words - memory.room));
  const double fetch = memory.weight_fetch_gbits_per_s;
  return {
      {{"balance",
        fmt::format("{:.4f}, mean over maximum of the cycles an image, whole DSPs and filters", plan.balance)},
       {"rate", rate_text(plan)},
       {"", fmt::format("per board {:.2f} images/s, {:.1f} of at most {:.1f} GOPS", plan.images_per_second_per_board,
                        plan.gops_per_board, plan.peak_gops_per_board)},
       {"simulated", simulated_text(plan.simulated.images_per_second, "links of " + plan.simulated.reading,
                                    plan.simulated.change, plan.simulated.slowest_block)},
       {"", fmt::format("one image in {} cycles, of which a pixel enters in each; latency {} cycles",
                        plan.simulated.cycles_an_image, thousands(plan.simulated.latency_cycles))},
       {"memory", fmt::format("{} of {} words of the array ({} %): {}", thousands(memory.words), thousands(memory.room),
                              part_cell(memory.words, memory.room).text, memory.fits ? "it fits" : lack)},
       {"", fmt::format("fullest: board {} with {} % of its own memory{}", memory.fullest_board,
                        most(&ArrayBoard::stored_words),
                        memory.fullest_excess_words > 0 && memory.fits ? "; others hold the rest" : "")},
       {"weights alone",
        fmt::format("fullest: board {} with {} %{}", memory.fullest_board_of_weights, most(&ArrayBoard::weights),
                    fetch > 0 ? fmt::format("; fetching the rest takes {:.2f} Gb/s", fetch) : "")}},
      kLabelWidth};
}

std::string layers_of(const NadaResult& plan, const NadaBoard& board) {
  if (board.layers == 0) return "none";
  if (plan.placement != "any") return board.first_layer + " to " + board.last_layer;
  return fmt::format("{} of {} ... {}", board.layers, board.first_layer, board.last_layer);
}

// Resource of a board and its limit; nothing: none used, or limit unknown.
struct Resource {
  const char *name, *column;
  std::optional<double> used, limit;
  bool whole;

  double share() const { return limit.value_or(0) == 0 ? 0 : used.value_or(0) / *limit; }
  std::string text() const {
    if (!used) return "none";
    return whole ? thousands(static_cast<std::int64_t>(*used)) : fmt::format("{:.1f}", *used);
  }
  Cell cell() const {
    if (!used) return {};
    return {whole ? fmt::format("{} ({:.1f})", text(), 100 * share()) : text(), *used};
  }
};

std::array<Resource, 6> resources(const NadaBoard& board, const cluster::NadaLimit& limit) {
  const auto of = [](const std::optional<std::int64_t>& count) {
    return count ? std::optional<double>(static_cast<double>(*count)) : std::nullopt;
  };
  return {{{"DSPs", "DSP (%)", of(board.used.dsp), of(limit.dsp), true},
           {"blocks of memory", "blocks (%)", of(board.used.m20k), of(limit.block_ram), true},
           {"MLABs", "MLAB (%)", of(board.used.mlab), of(limit.mlab), true},
           {"registers", "registers (%)", of(board.used.registers), of(limit.registers), true},
           {"DRAM, GB/s", "DRAM GB/s", board.dram_gbytes_per_s, limit.dram_gbytes_per_s, false},
           {"link, Gb/s", "Gb/s to the next", board.link_gbits_per_s, limit.link_gbits_per_s, false}}};
}

Section boards_section(const NadaResult& plan) {
  Table table{"The boards", {{"board"}, {"layers"}}};
  Bars chart{"boards", "Use of each resource by each board, as a share of the usable amount", true,
             "of the usable amount", Form::Share};
  for (const Resource& each : resources({}, {})) {
    table.columns.push_back({each.column, each.whole ? "percent of the usable amount" : "", 0,
                             each.name == std::string("registers") ? 1 : 0});
    chart.parts.push_back({each.name});
  }
  for (const NadaBoard& board : plan.boards) {
    const std::string number = std::to_string(table.rows.size() + 1) + (board.board ? " " + *board.board : "");
    table.rows.push_back({{number, static_cast<double>(table.rows.size() + 1)}, layers_of(plan, board)});
    chart.ticks.push_back({static_cast<double>(chart.bars.size()), number});
    for (const Resource& each : resources(board, plan.limit_of(board))) {
      table.rows.back().push_back(each.cell());
      chart.bars.push_back(
          {fmt::format("board {}, {}", number, each.name),
           {{chart.bars.size() % chart.parts.size(), each.share()}},
           "",
           {{"used", each.text()}, {"usable", each.limit ? fmt::format("{}", *each.limit) : "unknown"}}});
    }
  }
  chart.rules.push_back({1, "usable amount"});
  return {"boards",
          "Resources of each board",
          {Text{"Shares of the usable amounts. The load of a link is that to the next board. The tallest columns are "
                "nearest to their limits.",
                On::Page},
           chart, table}};
}

Section layers_section(const NadaResult& plan) {
  Table table{"The layers",
              {{"layer"},
               {"board"},
               {"a x b x taps", "channels, filters and taps of the window at once"},
               {"cycles/pixel"},
               {"cycles/image"},
               {"busy %", "of the plan's cycles an image"},
               {"DSP"},
               {"blocks", "of memory"},
               {"MLAB"}}};
  table.search = table.folded = true;
  Bars chart{"layers", "Busy share of each layer, in the order of the network, by board", true, "busy", Form::Share};
  for (int i = 1; i <= plan.head.number_of_boards; ++i) chart.parts.push_back({fmt::format("board {}", i)});
  std::size_t board = 0;
  for (const NadaLayer& layer : plan.layers) {
    const std::string lanes = fmt::format("{} x {} x {}", layer.lanes.a, layer.lanes.b, layer.lanes.taps);
    if (layer.passes > 0) {
      table.rows.push_back({layer.layer,
                            count_cell(static_cast<std::int64_t>(layer.board)),
                            {lanes, layer.lanes.a * layer.lanes.b * layer.lanes.taps},
                            count_cell(layer.interval),
                            count_cell(layer.cycles),
                            part_cell(layer.cycles, plan.cycles_an_image),
                            count_cell(layer.used.dsp),
                            count_cell(layer.used.m20k),
                            count_cell(layer.used.mlab)});
    }
    if (layer.board != board) {
      chart.ticks.push_back({static_cast<double>(chart.bars.size()), std::to_string(layer.board)});
    }
    board = layer.board;
    chart.bars.push_back(
        {layer.layer,
         {{board - 1, ratio(layer.cycles, plan.cycles_an_image)}},
         "",
         {{"cycles an image", thousands(layer.cycles)}, {"lanes", lanes}, {"DSPs", thousands(layer.used.dsp)}}});
  }
  return {"layers",
          "Board and busy share of each layer",
          {Text{"In the order of the network; the slowest layers set the rate.", On::Page}, chart, table}};
}

std::string binds(const NadaResult& plan) {
  if (!plan.next_images_per_second) return "nothing: every layer is as fast as it can be";
  const std::string next = fmt::format("the next better rate, {:.1f} images/s", *plan.next_images_per_second);
  if (plan.binds.empty()) return fmt::format("more than one resource: {} needs more of several", next);
  return fmt::format("{}: without this bound alone, the plan would reach {}", config::join(plan.binds, " or "), next);
}

std::string gap(const NadaResult& plan) {
  if (plan.placement == "contiguous") {
    return fmt::format("0 for layers in their order; no placement of any kind exceeds {:.1f} images/s ({:.1f} % more)",
                       plan.pooled_images_per_second, 100 * plan.gap);
  }
  const std::optional<double>& in_order = plan.contiguous_images_per_second;
  return fmt::format(
      "{:.1f} %: no placement exceeds {:.1f} images/s; Z3 gave up {} questions; with layers in their order, and "
      "without their FIFOs, {}",
      100 * plan.proven_gap, plan.proven_images_per_second, plan.questions_given_up,
      in_order ? fmt::format("{:.1f} images/s", *in_order) : "there is no plan");
}

void add_simulated(const NadaResult& plan, Facts& facts) {
  const cluster::NadaSimulated& of = plan.simulated;
  std::string lack;
  std::int64_t number = 0;
  for (const NadaBoard& board : plan.boards) {
    const std::int64_t more = board.used.m20k + board.fifo_block_ram - plan.limit_of(board).block_ram;
    ++number;
    if (more > 0) lack += fmt::format("{}board {} LACKS {}", lack.empty() ? ": " : ", ", number, thousands(more));
  }
  facts.add("simulated",
            fmt::format("{}; one image in {} cycles; latency {} cycles ({:.2f} images)",
                        simulated_text(of.images_per_second, "links and DRAM", of.change, of.slowest_block),
                        of.cycles_an_image, thousands(of.latency_cycles), of.latency_images));
  if (of.resent_frames_an_image > 0) {
    facts.add("", fmt::format("lost frames that are sent again: {:.4g} per image", of.resent_frames_an_image));
  }
  facts.add("", fmt::format("without stalls at that rate, stores from F to GW hold {} words and all other FIFOs {}: at "
                            "least {} blocks, of {} free blocks on all boards{}",
                            thousands(of.store_words), thousands(of.fifo_words), thousands(of.fifo_block_ram),
                            thousands(of.block_ram_left), lack));
  if (plan.fifos == "within") {
    facts.add("", fmt::format("each board holds its own FIFOs; if FIFOs took no memory: {:.1f} images/s",
                              plan.images_per_s_with_fifos_beside));
  }
}

void add_published(const cluster::NadaPublished& row, Facts& facts) {
  facts.add("published", row.text());
  facts.add("",
            fmt::format("measured / planned {:.3f}, {:.2f} ms more per image; equal to batches of {:.1f} images that "
                        "fill and drain this pipeline; with an update of {} words, one per cycle, {:.1f}",
                        ratio(row.measured, row.planned), row.overhead_ms_an_image, row.implied_batch.images,
                        thousands(row.implied_batch.update_words), row.implied_batch.images_with_update));
}

Section steps_section(const BatchResult& timeline) {
  Table table{"The steps of a batch", {{"step"}, {"cycles"}, {"ms"}, {"%"}, {"what"}}};
  Bars chart{"steps", "Time of the steps of a batch", true, "time", Form::Time, {{"time"}}};
  double all = 0;
  for (const cluster::BatchStep& step : timeline.steps) all += static_cast<double>(step.cycles);
  for (const cluster::BatchStep& step : timeline.steps) {
    table.rows.push_back({step.step, count_cell(step.cycles), fixed_cell(1000 * step.seconds, 3),
                          fixed_cell(100 * static_cast<double>(step.cycles) / all, 1),
                          cluster::kBatchSteps[table.rows.size()].second});
    chart.ticks.push_back({static_cast<double>(chart.bars.size()) + 0.5, step.step});
    chart.bars.push_back({step.step, {{0, step.seconds}}, "", {{"cycles", thousands(step.cycles)}}});
  }
  return {"steps", "Where the time of a batch goes", {chart, table}};
}

Section efficiency_section(const BatchResult& timeline) {
  Table table{"Efficiency over the batch", {{"batch", "images"}, {"efficiency", "of the rate of an endless batch"}}};
  table.folded = true;
  Lines chart{"efficiency",
              "Efficiency over the images of a batch",
              "images of a batch",
              "efficiency",
              Form::Plain,
              Form::Share,
              true,
              {{"efficiency"}},
              {{}}};
  for (const cluster::BatchEfficiency& each : timeline.efficiencies) {
    table.rows.push_back({count_cell(each.batch), fixed_cell(each.efficiency, 4)});
    chart.lines.front().emplace_back(each.batch, each.efficiency);
  }
  return {"efficiency", "What a larger batch gains", {chart, table}};
}

Section stores_section(const BatchResult& timeline) {
  Table table{"Stores from F to GW", {{"store"}, {"pixels at most"}, {"words"}, {"images"}}};
  table.search = table.folded = true;
  Bars chart{"stores",    "Largest content of each store from F to GW, in images", true, "images", Form::Plain,
             {{"images"}}};
  for (const cluster::StoreUse& each : timeline.stores) {
    table.rows.push_back({each.store, count_cell(each.pixels), count_cell(each.words), fixed_cell(each.images, 2)});
    chart.bars.push_back(
        {each.store, {{0, each.images}}, "", {{"pixels", thousands(each.pixels)}, {"words", thousands(each.words)}}});
  }
  return {"stores",
          "Images that wait for their gradients",
          {Text{"Largest content of each store, in images of its layer, in the order of the network.", On::Page}, chart,
           table}};
}

}  // namespace

Document view_of(const ArrayResult& plan) {
  Document d = document_of("plan", plan);
  d.figures = {{"Rate", images_text(plan.images_per_second), ""},
               {"Balance", fmt::format("{:.4f}", plan.balance), "mean over maximum of the boards' cycles"},
               {"Memory", share_cell(ratio(plan.memory.words, plan.memory.room)).text,
                plan.memory.fits ? "of the array: it fits" : "of the array: infeasible"}};
  d.sections = {boards_section(plan), {"memory", "Rate and memory", {storage(plan)}}, scaling_section(plan)};
  return d;
}

Document view_of(const NadaResult& plan) {
  Document d = document_of("plan", plan);
  d.figures = {
      {"Rate", images_text(plan.images_per_second), fmt::format("one in {} cycles", thousands(plan.cycles_an_image))},
      {"Binds",
       !plan.next_images_per_second ? "nothing"
       : plan.binds.empty()         ? "several"
                                    : config::join(plan.binds, " or "),
       ""},
      {"Bound", images_text(plan.pooled_images_per_second),
       "not exceeded by any placement: " + share_cell(plan.gap).text + " more"},
      {"Latency", thousands(plan.simulated.latency_cycles) + " cycles",
       fmt::format("{:.4g} images", plan.simulated.latency_images)}};
  Facts facts{{{"rate", rate_text(plan)}, {"binds", binds(plan)}, {"gap", gap(plan)}}, kLabelWidth};
  add_simulated(plan, facts);
  for (const cluster::NadaPublished& row : plan.published) add_published(row, facts);
  add_assumed(plan.assumed, facts);
  if (!plan.left_out.empty()) facts.add("left out", config::join(plan.left_out));
  facts.add("", plan.placement + " placement, each pass of a layer alike; updates are not in the rate");
  d.sections = {boards_section(plan), layers_section(plan), {"rate", "Rate, bounds and assumptions", {facts}}};
  return d;
}

Document view_of(const BatchResult& timeline) {
  Document d = document_of("timeline", timeline);
  d.lead += fmt::format(", batches of {}", thousands(timeline.batch));
  d.figures = {{"Rate", images_text(timeline.images_per_second),
                fmt::format("{:.4g} in an endless batch", timeline.endless_images_per_second)},
               {"Efficiency", share_cell(timeline.efficiency, 2).text, "of the batch"},
               {"Epoch", hours_text(timeline.epoch_hours), thousands(timeline.dataset_images) + " images"}};
  const Facts rate{
      {{"efficiency", fmt::format("{:.4f} of the rate of an endless batch: {:.1f} of {:.1f} images/s",
                                  timeline.efficiency, timeline.images_per_second, timeline.endless_images_per_second)},
       {"epoch", fmt::format("{:.3f} h of {} images", timeline.epoch_hours, thousands(timeline.dataset_images))}},
      kLabelWidth};
  Facts links{{}, kLabelWidth};
  for (const cluster::LinkUse& each : timeline.links) {
    links.add("link", fmt::format("board {} to {}: {:.2f} Gb/s a direction, {:.1f} %", each.from, each.from + 1,
                                  each.gbits_per_s, 100 * each.part));
  }
  add_assumed(timeline.assumed, links);
  d.sections = {steps_section(timeline),
                {"rate", "Rate", {rate}},
                efficiency_section(timeline),
                stores_section(timeline),
                {"links", "Links and assumptions", {links}}};
  return d;
}

std::string csv_of(const ArrayResult& plan) {
  std::string csv = "boards";
  for (const ArrayReading& reading : plan.readings) csv += "," + report::csv_field(reading.name);
  csv += '\n';
  for (std::size_t i = 0; i < static_cast<std::size_t>(plan.scaling_to); ++i) {
    csv += std::to_string(i + 1);
    for (const ArrayReading& reading : plan.readings) csv += fmt::format(",{}", reading.images_per_second.at(i));
    csv += '\n';
  }
  return csv;
}

std::string csv_of(const NadaResult& plan) {
  return record::csv_text(plan.layers, "layer,board,a,b,taps,interval,cycles,dsp,registers,block_ram,mlab\n");
}

std::string csv_of(const BatchResult& timeline) {
  return record::csv_text(timeline.steps);
}

}  // namespace weft::tools
