#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "platform/config/reader.h"
#include "platform/document/fitted_table.h"
#include "platform/document/text.h"
#include "tools/cli/cli.h"
#include "tools/plan/tables.h"
#include "tools/results/json_at.h"

namespace weft::tools {

using report::FittedTable;
using report::thousands;
using Json = nlohmann::ordered_json;

namespace {

std::string percent_text(std::int64_t part, std::int64_t whole) {
  return fmt::format("{:.1f}", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

// "features.0, features.3 1-81/192"
std::string parts_text(const Json& board) {
  std::string list;
  for (const Json& part : board.at("parts")) {
    const std::int64_t first = count(part, "first_filter"), filters = count(part, "filters");
    list += (list.empty() ? "" : ", ") + text(part, "layer");
    if (filters < count(part, "of_filters")) {
      list += fmt::format(" {}-{}/{}", first + 1, first + filters, count(part, "of_filters"));
    }
  }
  return list;
}

std::string boards(const Json& plan) {
  FittedTable table({{"board", true},
                     {"DSPs", true},
                     {"cycles/image", true},
                     {"busy %", true},
                     {"stored words", true},
                     {"% of memory", true},
                     {"weights %", true},
                     {"filters of layers"}});
  const std::int64_t room = count(plan.at("memory"), "board_words");
  std::size_t number = 0;
  for (const Json& board : plan.at("boards")) {
    table.add({std::to_string(++number), thousands(count(board, "dsp")), thousands(count(board, "cycles")),
               percent_text(count(board, "cycles"), count(plan, "cycles_an_image")),
               thousands(count(board, "stored_words")), percent_text(count(board, "stored_words"), room),
               percent_text(count(board, "weights"), room), parts_text(board)});
  }
  return table.text(page_width());
}

std::string scaling(const Json& plan) {
  FittedTable table({{"reading"},
                     {"linear up to", true},
                     {"Gb/s a direction", true},
                     {fmt::format("busiest at {}", count(plan, "number_of_boards")), true},
                     {"busiest link"}});
  for (const Json& reading : plan.at("readings")) {
    const std::int64_t linear = count(reading, "linear_boards");
    table.add({text(reading, "name"), fmt::format("{}{}", linear == count(plan, "scaling_to") ? ">= " : "", linear),
               fmt::format("{:.2f}", real(reading, "link_gbits_per_s")),
               fmt::format("{:.2f}", real(reading, "busiest_gbits_per_s")), text(reading, "busiest_link")});
  }
  return table.text(page_width());
}

std::string storage(const Json& plan) {
  const Json& memory = plan.at("memory");
  const std::int64_t words = count(memory, "words"), room = count(memory, "room");
  const std::int64_t each = count(memory, "board_words");
  const bool fits = memory.at("fits").get<bool>();
  const auto board = [&](const char* key) { return plan.at("boards").at(count(memory, key) - 1); };
  std::string out = headed_line(
      "memory", fmt::format("{} of {} words of the array ({} %): {}", thousands(words), thousands(room),
                            percent_text(words, room),
                            fits ? "it fits" : fmt::format("INFEASIBLE, {} words too many", thousands(words - room))));
  out +=
      headed_line("", fmt::format("fullest is board {} with {} % of its own{}", count(memory, "fullest_board"),
                                  percent_text(count(board("fullest_board"), "stored_words"), each),
                                  count(memory, "fullest_excess_words") > 0 && fits ? "; others hold the rest" : ""));
  const double fetch = real(memory, "weight_fetch_gbits_per_s");
  out += headed_line("weights alone",
                     fmt::format("fullest is board {} with {} %{}", count(memory, "fullest_board_of_weights"),
                                 percent_text(count(board("fullest_board_of_weights"), "weights"), each),
                                 fetch > 0 ? fmt::format("; what is beyond its own takes {:.2f} Gb/s", fetch) : ""));
  return out;
}

std::string table_of(const Json& plan) {
  std::string out = fmt::format("{}: {} on {} x {}\n\n", text(plan, "cluster"), text(plan, "network"),
                                count(plan, "number_of_boards"), text(plan, "board"));
  out += boards(plan) + "\n";
  out += headed_line("balance", fmt::format("{:.4f}, mean over maximum of the cycles an image, whole DSPs and filters",
                                            real(plan, "balance")));
  out += headed_line("rate", fmt::format("{:.1f} images/s, one in {} cycles at {} MHz", real(plan, "images_per_s"),
                                         thousands(count(plan, "cycles_an_image")), real(plan, "clock_mhz")));
  const Json& simulated = plan.at("simulated");
  out += headed_line("simulated",
                     fmt::format("one image in {} cycles as a pipeline that a pixel enters a cycle; the first is "
                                 "trained on after {}",
                                 real(simulated, "cycles_an_image"), thousands(count(simulated, "latency_cycles"))));
  out += storage(plan);
  out += fmt::format("\nWith {:.2f} images/s of each board:\n", real(plan, "images_per_s_per_board"));
  out += scaling(plan) + "\n";
  for (const Json& each : plan.at("published")) {
    out += headed_line("published", fmt::format("{} boards ({})", count(each, "boards"), text(each, "source")));
  }
  out += headed_line("readings", text(plan, "storage_reading"));
  for (const Json& reading : plan.at("readings"))
    out += headed_line("", text(reading, "name") + ": " + text(reading, "reading"));
  const auto assumed = plan.at("assumed").get<std::vector<std::string>>();
  if (!assumed.empty()) out += headed_line("assumed", config::join(assumed));
  return out;
}

// Images a second under each reading.
std::string csv_of(const Json& plan) {
  std::string csv = "boards";
  for (const Json& reading : plan.at("readings")) csv += "," + report::csv_field(text(reading, "name"));
  csv += '\n';
  for (std::int64_t boards = 1; boards <= count(plan, "scaling_to"); ++boards) {
    csv += std::to_string(boards);
    for (const Json& reading : plan.at("readings")) {
      csv += fmt::format(",{}", reading.at("images_per_s").at(static_cast<std::size_t>(boards) - 1).get<double>());
    }
    csv += '\n';
  }
  return csv;
}

}  // namespace

report::Report array_plan_report(const Json& plan) {
  return {table_of(plan), plan.dump(2) + "\n", csv_of(plan)};
}

}  // namespace weft::tools
