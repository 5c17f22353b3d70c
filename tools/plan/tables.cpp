#include "tools/plan/tables.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "model/core/text.h"
#include "platform/document/fitted_table.h"
#include "platform/document/text.h"
#include "platform/record/csv.h"
#include "tools/cli/cli.h"

namespace weft::tools {

using cluster::ArrayBoard;
using cluster::ArrayReading;
using cluster::ArrayResult;
using cluster::BatchResult;
using cluster::NadaBoard;
using cluster::NadaLayer;
using cluster::NadaResult;
using report::FittedTable;

namespace {

std::string cluster_line(const cluster::ResultHead& head) {
  return fmt::format("{}: {} on {} x {}", head.cluster, head.network, head.number_of_boards, head.board);
}

template <class Plan>
std::string rate_line(const Plan& plan) {
  return headed_line("rate", fmt::format("{:.1f} images/s, one in {} cycles at {} MHz", plan.images_per_s,
                                         thousands(plan.cycles_an_image), plan.head.clock_mhz));
}

std::string percent_text(std::int64_t part, std::int64_t whole) {
  return fmt::format("{:.1f}", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

// "features.0, features.3 1-81/192"
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

std::string boards(const ArrayResult& plan) {
  FittedTable table({{"board", true},
                     {"DSPs", true},
                     {"cycles/image", true},
                     {"busy %", true},
                     {"stored words", true},
                     {"% of memory", true},
                     {"weights %", true},
                     {"filters of layers"}});
  const std::int64_t room = plan.memory.board_words;
  std::size_t number = 0;
  for (const ArrayBoard& board : plan.boards) {
    table.add({std::to_string(++number), thousands(board.dsp), thousands(board.cycles),
               percent_text(board.cycles, plan.cycles_an_image), thousands(board.stored_words),
               percent_text(board.stored_words, room), percent_text(board.weights, room), parts_text(board)});
  }
  return table.text(page_width());
}

std::string scaling(const ArrayResult& plan) {
  FittedTable table({{"reading"},
                     {"linear up to", true},
                     {"Gb/s a direction", true},
                     {fmt::format("busiest at {}", plan.head.number_of_boards), true},
                     {"busiest link"}});
  for (const ArrayReading& reading : plan.readings) {
    const char* const least = reading.linear_boards == plan.scaling_to ? ">= " : "";
    table.add({reading.name, fmt::format("{}{}", least, reading.linear_boards),
               fmt::format("{:.2f}", reading.link_gbits_per_s), fmt::format("{:.2f}", reading.busiest_gbits_per_s),
               reading.busiest_link});
  }
  return table.text(page_width());
}

std::string storage(const ArrayResult& plan) {
  const cluster::ArrayMemory& memory = plan.memory;
  const auto most = [&](std::int64_t ArrayBoard::*words) {
    std::int64_t most = 0;
    for (const ArrayBoard& board : plan.boards) most = std::max(most, board.*words);
    return percent_text(most, memory.board_words);
  };
  const std::string lack = fmt::format("INFEASIBLE, {} words too many", thousands(memory.words - memory.room));
  std::string out = headed_line(
      "memory", fmt::format("{} of {} words of the array ({} %): {}", thousands(memory.words), thousands(memory.room),
                            percent_text(memory.words, memory.room), memory.fits ? "it fits" : lack));
  out += headed_line("", fmt::format("fullest is board {} with {} % of its own{}", memory.fullest_board,
                                     most(&ArrayBoard::stored_words),
                                     memory.fullest_excess_words > 0 && memory.fits ? "; others hold the rest" : ""));
  const double fetch = memory.weight_fetch_gbits_per_s;
  out += headed_line(
      "weights alone",
      fmt::format("fullest is board {} with {} %{}", memory.fullest_board_of_weights, most(&ArrayBoard::weights),
                  fetch > 0 ? fmt::format("; what is beyond its own takes {:.2f} Gb/s", fetch) : ""));
  return out;
}

// A use beside its limit; nothing: none is known.
std::string of_limit(std::int64_t used, std::optional<std::int64_t> limit) {
  const double percent = limit.value_or(0) == 0 ? 0 : 100. * static_cast<double>(used) / static_cast<double>(*limit);
  return fmt::format("{} ({:.1f})", thousands(used), percent);
}

std::string layers_of(const NadaResult& plan, const NadaBoard& board) {
  if (board.layers == 0) return "none";
  if (plan.placement != "any") return board.first_layer + " to " + board.last_layer;
  return fmt::format("{} of {} ... {}", board.layers, board.first_layer, board.last_layer);
}

std::string boards(const NadaResult& plan) {
  FittedTable table({{"board", true},
                     {"layers"},
                     {"DSP (%)", true},
                     {"blocks (%)", true},
                     {"MLAB (%)", true},
                     {"registers (%)", true, 0, 1},
                     {"DRAM GB/s", true},
                     {"Gb/s to the next", true}});
  std::size_t number = 0;
  for (const NadaBoard& board : plan.boards) {
    table.add({std::to_string(++number), layers_of(plan, board), of_limit(board.used.dsp, plan.limit.dsp),
               of_limit(board.used.m20k, plan.limit.block_ram), of_limit(board.used.mlab, plan.limit.mlab),
               of_limit(board.used.registers, plan.limit.registers), fmt::format("{:.1f}", board.dram_gbytes_per_s),
               board.link_gbits_per_s ? fmt::format("{:.1f}", *board.link_gbits_per_s) : ""});
  }
  return table.text(page_width());
}

std::string layers(const NadaResult& plan) {
  FittedTable table({{"layer"},
                     {"board", true},
                     {"a x b x taps", true},
                     {"cycles/pixel", true},
                     {"cycles/image", true},
                     {"busy %", true},
                     {"DSP", true},
                     {"blocks", true},
                     {"MLAB", true}});
  for (const NadaLayer& layer : plan.layers) {
    if (layer.passes == 0) continue;
    const double busy_percent = 100. * static_cast<double>(layer.cycles) / static_cast<double>(plan.cycles_an_image);
    table.add({layer.layer, std::to_string(layer.board),
               fmt::format("{} x {} x {}", layer.lanes.a, layer.lanes.b, layer.lanes.taps), thousands(layer.interval),
               thousands(layer.cycles), fmt::format("{:.1f}", busy_percent), thousands(layer.used.dsp),
               thousands(layer.used.m20k), thousands(layer.used.mlab)});
  }
  return table.text(page_width());
}

std::string binds(const NadaResult& plan) {
  if (!plan.next_images_per_s) return "nothing: every layer is as fast as it can be";
  const std::string next = fmt::format("the next better rate, {:.1f} images/s", *plan.next_images_per_s);
  if (plan.binds.empty()) return fmt::format("more than one resource: {} needs more of several", next);
  return fmt::format("{}: without that bound alone there would be {}", config::join(plan.binds, " or "), next);
}

std::string gap(const NadaResult& plan) {
  if (plan.placement == "contiguous") {
    return fmt::format(
        "0 for boards that take layers in their order; no placement whatever is above {:.1f} images/s "
        "({:.1f} % more)",
        plan.pooled_images_per_s, 100 * plan.gap);
  }
  const std::optional<double>& in_order = plan.contiguous_images_per_s;
  return fmt::format(
      "{:.1f} %: no placement is above {:.1f} images/s; {} questions that Z3 gave up; with layers in their order, but "
      "for their FIFOs, {}",
      100 * plan.proven_gap, plan.proven_images_per_s, plan.questions_given_up,
      in_order ? fmt::format("{:.1f} images/s", *in_order) : "there is no plan");
}

std::string simulated(const NadaResult& plan) {
  const cluster::NadaSimulated& of = plan.simulated;
  std::string lack;
  std::int64_t number = 0;
  for (const NadaBoard& board : plan.boards) {
    const std::int64_t more = board.used.m20k + board.fifo_block_ram - plan.limit.block_ram;
    ++number;
    if (more > 0) lack += fmt::format("{}board {} LACKS {}", lack.empty() ? ": " : ", ", number, thousands(more));
  }
  std::string out =
      headed_line("simulated", fmt::format("one image in {} cycles; the first is trained on after {} ({:.2f} images)",
                                           of.cycles_an_image, thousands(of.latency_cycles), of.latency_images));
  out += headed_line(
      "", fmt::format("at that rate nothing stands still: stores from F to GW hold {} words, all other FIFOs "
                      "{}, which are {} blocks at least, of {} that all boards have left{}",
                      thousands(of.store_words), thousands(of.fifo_words), thousands(of.fifo_block_ram),
                      thousands(of.block_ram_left), lack));
  if (plan.fifos == "within") {
    out += headed_line("", fmt::format("each board holds its own FIFOs; without any room for them {:.1f} images/s",
                                       plan.images_per_s_with_fifos_beside));
  }
  return out;
}

std::string published(const cluster::NadaPublished& row) {
  const double part = static_cast<double>(row.measured) / static_cast<double>(row.planned);
  std::string out = headed_line(
      "published",
      fmt::format("{}, {}: {} images/s planned, {} measured ({:.3f}): {:.2f} ms an image more; planned in {} min, run "
                  "in {} h ({} epochs at that rate: {:.1f} h)",
                  row.network, row.cluster, row.planned, row.measured, part, row.overhead_ms_an_image, row.plan_minutes,
                  row.run_hours, row.epochs, row.hours));
  if (!row.implied_batch) return out;
  return out +
         headed_line("",
                     fmt::format("as a batch that fills and drains this pipeline: {:.1f} images; with an update of {} "
                                 "words, one a cycle, {:.1f}",
                                 row.implied_batch->images, thousands(row.implied_batch->update_words),
                                 row.implied_batch->images_with_update));
}

constexpr std::array<std::pair<const char*, const char*>, 4> kSteps{
    {{"fill", "up to the first image's last gradient, or the last pixel's entering"},
     {"steady", "images come and go"},
     {"drain", "behind the last pixel's entering"},
     {"update", "of the slowest layer's weights"}}};

const char* meaning_of(const std::string& step) {
  for (const auto& [name, meaning] : kSteps) {
    if (step == name) return meaning;
  }
  return "";
}

std::string steps(const BatchResult& timeline) {
  FittedTable table({{"step"}, {"cycles", true}, {"ms", true}, {"%", true}, {"what"}});
  double all = 0;
  for (const cluster::BatchStep& step : timeline.steps) all += static_cast<double>(step.cycles);
  for (const cluster::BatchStep& step : timeline.steps) {
    table.add({step.step, thousands(step.cycles), fmt::format("{:.3f}", 1000 * step.seconds),
               fmt::format("{:.1f}", 100 * static_cast<double>(step.cycles) / all), meaning_of(step.step)});
  }
  return table.text(page_width());
}

}  // namespace

std::string table_of(const ArrayResult& plan) {
  std::string out = cluster_line(plan.head) + "\n\n" + boards(plan) + "\n";
  out += headed_line(
      "balance", fmt::format("{:.4f}, mean over maximum of the cycles an image, whole DSPs and filters", plan.balance));
  out += rate_line(plan);
  out += headed_line("simulated",
                     fmt::format("one image in {} cycles as a pipeline that a pixel enters a cycle; the first is "
                                 "trained on after {}",
                                 plan.simulated.cycles_an_image, thousands(plan.simulated.latency_cycles)));
  out += storage(plan);
  out += fmt::format("\nWith {:.2f} images/s of each board:\n", plan.images_per_s_per_board);
  out += scaling(plan) + "\n";
  for (const cluster::PublishedBoards& each : plan.published) {
    out += headed_line("published", fmt::format("{} boards ({})", each.boards, each.source));
  }
  out += headed_line("readings", plan.storage_reading);
  for (const ArrayReading& reading : plan.readings) out += headed_line("", reading.name + ": " + reading.reading);
  return out + assumed_line(plan.assumed);
}

std::string csv_of(const ArrayResult& plan) {
  std::string csv = "boards";
  for (const ArrayReading& reading : plan.readings) csv += "," + report::csv_field(reading.name);
  csv += '\n';
  for (std::size_t i = 0; i < static_cast<std::size_t>(plan.scaling_to); ++i) {
    csv += std::to_string(i + 1);
    for (const ArrayReading& reading : plan.readings) csv += fmt::format(",{}", reading.images_per_s.at(i));
    csv += '\n';
  }
  return csv;
}

std::string table_of(const NadaResult& plan) {
  std::string out = cluster_line(plan.head) + "\n\n" + boards(plan) + "\n" + layers(plan) + "\n";
  out += rate_line(plan);
  out += headed_line("binds", binds(plan));
  out += headed_line("gap", gap(plan));
  out += simulated(plan);
  for (const cluster::NadaPublished& row : plan.published) out += published(row);
  out += assumed_line(plan.assumed);
  return out + headed_line("", plan.placement + " placement, each pass of a layer alike; updates are not in the rate");
}

std::string csv_of(const NadaResult& plan) {
  return record::csv_text(plan.layers, "layer,board,a,b,taps,interval,cycles,dsp,registers,block_ram,mlab\n");
}

std::string table_of(const BatchResult& timeline) {
  std::string out = fmt::format("{}, batches of {}\n\n", cluster_line(timeline.head), thousands(timeline.batch));
  out += steps(timeline) + "\n";
  out +=
      headed_line("efficiency", fmt::format("{:.4f} of the rate without end: {:.1f} of {:.1f} images/s",
                                            timeline.efficiency, timeline.images_per_s, timeline.endless_images_per_s));
  out += headed_line("epoch",
                     fmt::format("{:.3f} h of {} images", timeline.epoch_hours, thousands(timeline.dataset_images)));
  FittedTable over({{"batch", true}, {"efficiency", true}});
  for (const cluster::BatchEfficiency& each : timeline.efficiencies) {
    over.add({thousands(each.batch), fmt::format("{:.4f}", each.efficiency)});
  }
  out += "\n" + over.text(page_width()) + "\n";
  FittedTable stores({{"store"}, {"pixels at most", true}, {"words", true}, {"images", true}});
  for (const cluster::StoreUse& each : timeline.stores) {
    stores.add({each.store, thousands(each.pixels), thousands(each.words), fmt::format("{:.2f}", each.images)});
  }
  out += stores.text(page_width()) + "\n";
  for (const cluster::LinkUse& each : timeline.links) {
    out += headed_line("link", fmt::format("board {} to {}: {:.2f} Gb/s a direction, {:.1f} %", each.from,
                                           each.from + 1, each.gbits_per_s, 100 * each.part));
  }
  out += assumed_line(timeline.assumed);
  return out + headed_line("", "links take no time in it: their latency is microseconds");
}

std::string csv_of(const BatchResult& timeline) {
  return record::csv_text(timeline.steps);
}

}  // namespace weft::tools
