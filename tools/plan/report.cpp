#include "tools/plan/report.h"

#include <fmt/core.h>

#include "platform/config/reader.h"
#include "platform/document/text.h"
#include "tools/plan/tables.h"

namespace weft::tools {

using cluster::ArrayConfig;
using cluster::ArrayPlan;
using cluster::Scaling;
using report::thousands;
using Json = nlohmann::ordered_json;

namespace {

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

Json boards_of(const ArrayPlan& plan) {
  Json list = Json::array();
  for (std::size_t i = 0; i < plan.boards.size(); ++i) {
    const fpdeep::Storage& stored = plan.stored[i];
    Json board{{"dsp", plan.boards[i].dsp}, {"cycles", plan.boards[i].cycles}, {"stored_words", stored.all()},
               {"weights", stored.weights}, {"gradients", stored.gradients},   {"features", stored.features},
               {"lines", stored.lines}};
    board["parts"] = Json::array();
    for (const fpdeep::Part& part : plan.boards[i].parts) {
      const fpdeep::ChainLayer& layer = plan.chain.layers[part.layer];
      board["parts"].push_back({{"layer", layer.name},
                                {"first_filter", part.first},
                                {"filters", part.filters()},
                                {"of_filters", layer.filters},
                                {"dsp_a_pass", part.dsp},
                                {"cycles_a_pixel", part.cycles_a_pixel},
                                {"cycles", part.cycles}});
    }
    list.push_back(std::move(board));
  }
  return list;
}

Json memory_of(const ArrayConfig& config, const ArrayPlan& plan) {
  return {{"words", plan.storage.all},
          {"room", plan.storage.room},
          {"fits", plan.storage.fits},
          {"board_words", config.board_words()},
          {"fullest_board", plan.storage.fullest + 1},
          {"fullest_excess_words", plan.storage.excess[plan.storage.fullest]},
          {"fullest_board_of_weights", plan.weights_only.fullest + 1},
          {"weight_fetch_gbits_per_s", plan.fetch_bits_per_s / 1e9}};
}

}  // namespace

Json array_plan_json(const ArrayConfig& config, const ArrayPlan& plan, const cluster::SimulatedArray& simulated) {
  Json json{
      {"schema", kPlanSchema},
      {"weft_version", WEFT_VERSION},
      {"cluster", config.name},
      {"design", "fpdeep"},
      {"network", config.network},
      {"board", config.board.name},
      {"number_of_boards", config.boards},
      {"clock_mhz", boost::rational_cast<double>(config.clock_mhz)},
      {"balance", fpdeep::balance(plan.boards)},
      {"cycles_an_image", fpdeep::period(plan.boards)},
      {"images_per_s", plan.images_per_s(config)},
      {"images_per_s_per_board", plan.images_per_s_per_board},
      {"simulated",
       {{"cycles_an_image", boost::rational_cast<double>(simulated.period)}, {"latency_cycles", simulated.latency}}},
      {"memory", memory_of(config, plan)},
      {"storage_reading", cluster::storage_text(config.storage)},
      {"boards", boards_of(plan)},
      {"scaling_to", config.scaling_to},
      {"readings", Json::array()},
      {"published", Json::array()}};
  for (const Scaling& scaling : plan.scalings) {
    json["readings"].push_back({{"name", scaling.reading.name},
                                {"reading", cluster::reading_text(scaling.reading)},
                                {"linear_boards", scaling.linear_boards},
                                {"link_gbits_per_s", scaling.reading.bits_per_s() / 1e9},
                                {"busiest_gbits_per_s", scaling.busiest_bits_per_s / 1e9},
                                {"busiest_link", place_text(plan, scaling)},
                                {"images_per_s", scaling.images_per_s}});
  }
  for (const cluster::PublishedBoards& each : config.published) {
    json["published"].push_back({{"boards", each.boards}, {"source", each.source}});
  }
  json["assumed"] = config.assumed;
  return json;
}

std::string describe_array(const ArrayConfig& config) {
  std::string out = fmt::format("cluster {}{}{}\n\n", config.name, config.title.empty() ? "" : ": ", config.title);
  out += headed_line("network", config.network);
  out += headed_line("boards", fmt::format("{} x {}, a chain", config.boards, config.board.name));
  out += headed_line(
      "each", fmt::format("{} DSPs at {} MHz, {} words of {} bits", thousands(config.dsp),
                          config::exact_text(config.clock_mhz), thousands(config.board_words()), config.word_bits));
  out += headed_line("storage", cluster::storage_text(config.storage));
  for (const cluster::NamedReading& each : config.readings) {
    out += headed_line("links", each.name + ": " + cluster::reading_text(each));
  }
  if (!config.assumed.empty()) out += headed_line("assumed", config::join(config.assumed));
  return out;
}

}  // namespace weft::tools
