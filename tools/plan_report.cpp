#include "tools/plan_report.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "platform/config/reader.h"
#include "platform/report/fitted_table.h"
#include "platform/report/text.h"
#include "tools/cli.h"

namespace weft::tools {

using cluster::ArrayConfig;
using cluster::ArrayPlan;
using cluster::Scaling;
using report::FittedTable;
using report::thousands;
using Json = nlohmann::ordered_json;

namespace {

double percent(Words part, Words whole) {
  return 100 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string percent_text(Words part, Words whole) {
  return fmt::format("{:.1f}", percent(part, whole));
}

std::string parts_text(const ArrayPlan& plan, const fpdeep::BoardWork& board) {
  std::string text;
  for (const fpdeep::Part& part : board.parts) {
    const fpdeep::ChainLayer& layer = plan.chain.layers[part.layer];
    text += fmt::format("{}{}", text.empty() ? "" : ", ", layer.name);
    if (part.filters() < layer.filters) text += fmt::format(" {}-{}/{}", part.first + 1, part.last, layer.filters);
  }
  return text;
}

std::string boards_table(const ArrayConfig& config, const ArrayPlan& plan) {
  FittedTable table({{"board", true},
                     {"DSPs", true},
                     {"cycles/image", true},
                     {"busy %", true},
                     {"stored words", true},
                     {"% of memory", true},
                     {"weights %", true},
                     {"filters of layers"}});
  const Cycles slowest = fpdeep::period(plan.boards);
  for (std::size_t i = 0; i < plan.boards.size(); ++i) {
    const fpdeep::BoardWork& board = plan.boards[i];
    const fpdeep::Storage& stored = plan.stored[i];
    table.add({fmt::format("{}", i + 1), thousands(board.dsp), thousands(board.cycles),
               percent_text(board.cycles, slowest), thousands(stored.all()),
               percent_text(stored.all(), config.board_words()), percent_text(stored.weights, config.board_words()),
               parts_text(plan, board)});
  }
  return table.text(page_width());
}

// Where the busiest link is: "behind features.0", "within features.3, .42 of it left".
std::string place_text(const ArrayPlan& plan, const Scaling& scaling) {
  if (!scaling.busiest) return "no link";
  const fpdeep::Cut& cut = *scaling.busiest;
  const std::string& layer = plan.chain.layers[cut.layer].name;
  if (cut.left == 1) return "behind " + layer;
  const bool output = fpdeep::link_words(plan.chain, cut, scaling.reading.links).partition == fpdeep::Partition::Output;
  return fmt::format("within {} ({:.2f} left, {} features)", layer, boost::rational_cast<double>(cut.left),
                     output ? "output" : "input");
}

std::string linear_text(const ArrayConfig& config, const Scaling& scaling) {
  return fmt::format("{}{}", scaling.linear_boards == config.scaling_to ? ">= " : "", scaling.linear_boards);
}

std::string scaling_table(const ArrayConfig& config, const ArrayPlan& plan) {
  FittedTable table({{"reading"},
                     {"linear up to", true},
                     {"Gb/s a direction", true},
                     {fmt::format("busiest at {}", config.boards), true},
                     {"busiest link"}});
  for (const Scaling& scaling : plan.scalings) {
    table.add({scaling.reading.name, linear_text(config, scaling),
               fmt::format("{:.2f}", scaling.reading.bits_per_s() / 1e9),
               fmt::format("{:.2f}", scaling.busiest_bits_per_s / 1e9), place_text(plan, scaling)});
  }
  return table.text(page_width());
}

std::string line(const char* what, const std::string& text) {
  return fmt::format("{:<14}{}\n", what, text);
}

std::string storage_lines(const ArrayConfig& config, const ArrayPlan& plan) {
  const fpdeep::Balanced& all = plan.storage;
  const std::size_t fullest = all.fullest;
  std::string out = line(
      "memory",
      fmt::format("{} of {} words of the array ({:.1f} %): {}", thousands(all.all), thousands(all.room),
                  percent(all.all, all.room),
                  all.fits ? "it fits" : fmt::format("INFEASIBLE, {} words too many", thousands(all.all - all.room))));
  out += line("", fmt::format("fullest is board {} with {:.1f} % of its own{}", fullest + 1,
                              percent(plan.stored[fullest].all(), config.board_words()),
                              all.excess[fullest] > 0 && all.fits ? "; others hold the rest" : ""));
  const fpdeep::Balanced& weights = plan.weights_only;
  out += line("weights alone",
              fmt::format("fullest is board {} with {:.1f} %{}", weights.fullest + 1,
                          percent(plan.stored[weights.fullest].weights, config.board_words()),
                          plan.fetch_bits_per_s > 0
                              ? fmt::format("; what is beyond its own takes {:.2f} Gb/s", plan.fetch_bits_per_s / 1e9)
                              : ""));
  return out;
}

std::string table_of(const ArrayConfig& config, const ArrayPlan& plan) {
  std::string out = fmt::format("{}: {} on {} x {}\n\n", config.name, config.network, config.boards, config.board.name);
  out += boards_table(config, plan) + "\n";
  out += line("balance", fmt::format("{:.4f}, mean over maximum of the cycles an image, whole DSPs and filters",
                                     fpdeep::balance(plan.boards)));
  out += line("rate", fmt::format("{:.1f} images/s, one in {} cycles at {} MHz", plan.images_per_s(config),
                                  thousands(fpdeep::period(plan.boards)), config::exact_text(config.clock_mhz)));
  out += storage_lines(config, plan);
  out += fmt::format("\nWith {:.2f} images/s of each board:\n", plan.images_per_s_per_board);
  out += scaling_table(config, plan) + "\n";
  for (const cluster::PublishedBoards& each : config.published) {
    out += line("published", fmt::format("{} boards ({})", each.boards, each.source));
  }
  out += line("readings", cluster::storage_text(config.storage));
  for (const Scaling& scaling : plan.scalings) {
    out += line("", scaling.reading.name + ": " + cluster::reading_text(scaling.reading));
  }
  if (!config.assumed.empty()) out += line("assumed", config::join(config.assumed));
  return out;
}

Json json_of(const ArrayConfig& config, const ArrayPlan& plan) {
  Json json{{"schema", kPlanSchema},
            {"weft_version", WEFT_VERSION},
            {"cluster", config.name},
            {"network", config.network},
            {"board", config.board.name},
            {"balance", fpdeep::balance(plan.boards)},
            {"cycles_an_image", fpdeep::period(plan.boards)},
            {"images_per_s", plan.images_per_s(config)},
            {"images_per_s_per_board", plan.images_per_s_per_board},
            {"memory",
             {{"words", plan.storage.all},
              {"room", plan.storage.room},
              {"fits", plan.storage.fits},
              {"weight_fetch_gbits_per_s", plan.fetch_bits_per_s / 1e9}}},
            {"storage_reading", cluster::storage_text(config.storage)}};
  for (std::size_t i = 0; i < plan.boards.size(); ++i) {
    Json board{{"dsp", plan.boards[i].dsp},           {"cycles", plan.boards[i].cycles},
               {"weights", plan.stored[i].weights},   {"gradients", plan.stored[i].gradients},
               {"features", plan.stored[i].features}, {"lines", plan.stored[i].lines}};
    for (const fpdeep::Part& part : plan.boards[i].parts) {
      board["parts"].push_back({{"layer", plan.chain.layers[part.layer].name},
                                {"first_filter", part.first},
                                {"filters", part.filters()},
                                {"dsp_a_pass", part.dsp},
                                {"cycles_a_pixel", part.cycles_a_pixel},
                                {"cycles", part.cycles}});
    }
    json["boards"].push_back(board);
  }
  for (const Scaling& scaling : plan.scalings) {
    json["readings"].push_back({{"name", scaling.reading.name},
                                {"reading", cluster::reading_text(scaling.reading)},
                                {"linear_boards", scaling.linear_boards},
                                {"link_gbits_per_s", scaling.reading.bits_per_s() / 1e9},
                                {"busiest_gbits_per_s", scaling.busiest_bits_per_s / 1e9},
                                {"images_per_s", scaling.images_per_s}});
  }
  json["published"] = Json::array();
  for (const cluster::PublishedBoards& each : config.published) {
    json["published"].push_back({{"boards", each.boards}, {"source", each.source}});
  }
  json["assumed"] = config.assumed;
  return json;
}

// A line for each number of boards: images a second under each reading.
std::string csv_of(const ArrayConfig& config, const ArrayPlan& plan) {
  std::string csv = "boards";
  for (const Scaling& scaling : plan.scalings) csv += "," + report::csv_field(scaling.reading.name);
  csv += '\n';
  for (int boards = 1; boards <= config.scaling_to; ++boards) {
    csv += std::to_string(boards);
    for (const Scaling& scaling : plan.scalings) {
      csv += fmt::format(",{}", scaling.images_per_s[static_cast<std::size_t>(boards) - 1]);
    }
    csv += '\n';
  }
  return csv;
}

}  // namespace

report::Report plan_report(const ArrayConfig& config, const ArrayPlan& plan) {
  return {table_of(config, plan), json_of(config, plan).dump(2) + "\n", csv_of(config, plan)};
}

std::string describe_array(const ArrayConfig& config) {
  std::string out = fmt::format("cluster {}{}{}\n\n", config.name, config.title.empty() ? "" : ": ", config.title);
  out += line("network", config.network);
  out += line("boards", fmt::format("{} x {}, a chain", config.boards, config.board.name));
  out += line("each",
              fmt::format("{} DSPs at {} MHz, {} words of {} bits", thousands(config.dsp),
                          config::exact_text(config.clock_mhz), thousands(config.board_words()), config.word_bits));
  out += line("storage", cluster::storage_text(config.storage));
  for (const cluster::NamedReading& each : config.readings) {
    out += line("links", each.name + ": " + cluster::reading_text(each));
  }
  if (!config.assumed.empty()) out += line("assumed", config::join(config.assumed));
  return out;
}

}  // namespace weft::tools
