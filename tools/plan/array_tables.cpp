#include <algorithm>
#include <cstdint>

#include "platform/document/fitted_table.h"
#include "platform/document/text.h"
#include "tools/cli/cli.h"
#include "tools/plan/tables.h"

namespace weft::tools {

using cluster::ArrayBoard;
using cluster::ArrayReading;
using cluster::ArrayResult;
using report::FittedTable;
using report::thousands;

namespace {

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

}  // namespace weft::tools
