#include "tools/plan/nada_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "platform/config/reader.h"
#include "platform/document/text.h"
#include "tools/plan/report.h"
#include "tools/plan/tables.h"

namespace weft::tools {

using cluster::NadaConfig;
using cluster::NadaPlan;
using cluster::PublishedRate;
using report::thousands;
using Json = nlohmann::ordered_json;

namespace {

constexpr double kEpochImages = 1'281'167;  // of ImageNet
constexpr double kEpochs = 150;             // a run of NADA's table is about as many

// What a board does not say bounds nothing: null.
Json bound(std::int64_t limit) {
  return limit >= std::numeric_limits<std::int64_t>::max() / 4 ? Json() : Json(limit);
}

Json head(const NadaConfig& config) {
  return {{"schema", kPlanSchema},
          {"weft_version", WEFT_VERSION},
          {"cluster", config.name},
          {"design", "nada"},
          {"network", config.network},
          {"board", config.board.name},
          {"number_of_boards", config.boards},
          {"clock_mhz", boost::rational_cast<double>(config.clock_mhz)}};
}

class PlanJson {
 public:
  PlanJson(const NadaConfig& config, const NadaPlan& plan) : config_(config), all_(plan), plan_(plan.plan) {}

  Json json() const {
    Json json = head(config_);
    json["cycles_an_image"] = plan_.period;
    json["images_per_s"] = rate();
    json["pooled_images_per_s"] = all_.images_per_s(plan_.pooled_period);
    json["gap"] = static_cast<double>(plan_.period) / static_cast<double>(plan_.pooled_period) - 1;
    json["placement"] = config_.placement == nada::Placement::Any ? "any" : "contiguous";
    json["contiguous_images_per_s"] =
        plan_.contiguous_period == 0 ? Json() : Json(all_.images_per_s(plan_.contiguous_period));
    json["proven_images_per_s"] = all_.images_per_s(plan_.proven_period);
    json["proven_gap"] = static_cast<double>(plan_.period) / static_cast<double>(plan_.proven_period) - 1;
    json["questions_given_up"] = plan_.unknown;
    json["binds"] = plan_.binds;
    json["next_images_per_s"] = plan_.next_period == 0 ? Json() : Json(all_.images_per_s(plan_.next_period));
    json["simulated"] = simulated();
    json["fifos"] = config_.fifos_within ? "within" : "beside";
    json["images_per_s_with_fifos_beside"] = all_.images_per_s(all_.period_beside);
    const nada::Board of_each = config_.usable();
    json["limit"] = {{"dsp", of_each.limit.dsp},
                     {"registers", bound(of_each.limit.registers)},
                     {"block_ram", of_each.limit.m20k},
                     {"mlab", of_each.limit.mlab},
                     {"dram_gbytes_per_s", dram_limit(of_each)},
                     {"link_gbits_per_s", static_cast<double>(config_.link_goodput()) / 1e9}};
    json["boards"] = boards();
    json["layers"] = layers();
    json["published"] = Json::array();
    for (const PublishedRate& row : config_.published) json["published"].push_back(published(row));
    json["assumed"] = config_.assumed;
    return json;
  }

 private:
  double rate() const { return all_.images_per_s(plan_.period); }
  double latency_images() const {
    return static_cast<double>(all_.simulated.latency) / boost::rational_cast<double>(all_.simulated.period);
  }
  static Json dram_limit(const nada::Board& board) {
    const Json bytes = bound(board.dram_bytes_per_s);
    return bytes.is_null() ? bytes : Json(static_cast<double>(board.dram_bytes_per_s) / 1e9);
  }

  Json simulated() const {
    const cluster::SimulatedPlan& simulated = all_.simulated;
    std::int64_t left = 0;
    left += config_.usable().limit.m20k * config_.boards;
    for (const nada::Placed& board : plan_.boards) left -= board.use.m20k;
    return {{"cycles_an_image", boost::rational_cast<double>(simulated.period)},
            {"latency_cycles", simulated.latency},
            {"latency_images", latency_images()},
            {"store_words", simulated.words.stores},
            {"fifo_words", simulated.words.others},
            {"fifo_block_ram", ceil_div(simulated.words.others, config_.costs.m20k_words)},
            {"block_ram_left", left}};
  }

  Json boards() const {
    Json list = Json::array();
    const auto name = [&](const nada::Placed& board, std::size_t at) {
      return board.entities == 0 ? "" : all_.problem.entities[at].name;
    };
    for (std::size_t i = 0; i < plan_.boards.size(); ++i) {
      const nada::Placed& board = plan_.boards[i];
      Json entry{{"first_layer", name(board, board.first)},
                 {"last_layer", name(board, board.last - 1)},
                 {"layers", board.entities},
                 {"dsp", board.use.dsp},
                 {"registers", board.use.registers},
                 {"block_ram", board.use.m20k},
                 {"mlab", board.use.mlab},
                 {"fifo_block_ram", all_.fifo_blocks[i]},
                 {"dram_gbytes_per_s", static_cast<double>(board.dram_bytes) * rate() / 1e9}};
      if (i < plan_.link_words.size()) {
        entry["link_gbits_per_s"] = static_cast<double>(plan_.link_words[i]) * config_.word_bits * rate() / 1e9;
      }
      list.push_back(std::move(entry));
    }
    return list;
  }

  Json layers() const {
    Json list = Json::array();
    for (std::size_t i = 0; i < all_.problem.entities.size(); ++i) {
      const nada::Entity& entity = all_.problem.entities[i];
      const nada::Choice& choice = plan_.chosen[i];
      list.push_back({{"layer", entity.name},
                      {"board", plan_.board_of[i] + 1},
                      {"passes", entity.passes},
                      {"a", choice.parallelism.a},
                      {"b", choice.parallelism.b},
                      {"taps", choice.parallelism.taps},
                      {"interval", entity.passes == 0 ? 1 : nada::interval(entity, choice.parallelism)},
                      {"cycles", nada::cycles(entity, choice.parallelism)},
                      {"dsp", choice.use.dsp},
                      {"registers", choice.use.registers},
                      {"block_ram", choice.use.m20k},
                      {"mlab", choice.use.mlab}});
    }
    return list;
  }

  Json published(const PublishedRate& row) const {
    const auto measured = static_cast<double>(row.measured), planned = static_cast<double>(row.planned);
    Json json{{"network", row.network},
              {"cluster", row.cluster},
              {"measured", row.measured},
              {"planned", row.planned},
              {"plan_minutes", row.plan_minutes},
              {"run_hours", row.run_hours},
              {"overhead_ms_an_image", 1000. / measured - 1000. / planned},
              {"epochs", kEpochs},
              {"hours", kEpochImages * kEpochs / measured / 3600}};
    if (row.network != config_.network) return json;
    const double period = static_cast<double>(all_.problem.clock_hz) / planned;
    const auto batch = [&](double update) {
      return cluster::implied_batch(measured / planned, period, latency_images() * period, update);
    };
    json["implied_batch"] = {{"images", batch(0)},
                             {"images_with_update", batch(static_cast<double>(all_.update))},
                             {"update_words", all_.update}};
    return json;
  }

  const NadaConfig& config_;
  const NadaPlan& all_;
  const nada::Plan& plan_;
};

}  // namespace

Json nada_plan_json(const NadaConfig& config, const NadaPlan& plan) {
  return PlanJson(config, plan).json();
}

Json nada_timeline_json(const NadaConfig& config, const cluster::NadaTimeline& timeline) {
  const pipeline::BatchTimes& batch = timeline.batch;
  Json json = head(config);
  json["batch"] = config.batch;
  const Cycles begun = std::min(batch.fill, batch.written);
  const auto step = [&](const char* name, Cycles cycles) {
    json["steps"].push_back({{"step", name}, {"cycles", cycles}, {"seconds", seconds(cycles, config.clock_mhz)}});
  };
  step("fill", begun);
  step("steady", batch.written - begun);
  step("drain", batch.drain());
  step("update", batch.update);
  for (const auto& [images, efficiency] : timeline.efficiencies) {
    json["efficiencies"].push_back({{"batch", images}, {"efficiency", efficiency}});
  }
  json["stores"] = Json::array();
  for (const cluster::StoreUse& each : timeline.stores) {
    json["stores"].push_back(
        {{"store", each.name}, {"pixels", each.pixels}, {"words", each.words}, {"images", each.images}});
  }
  json["links"] = Json::array();
  for (std::size_t i = 0; i < timeline.links.size(); ++i) {
    const cluster::LinkUse& each = timeline.links[i];
    json["links"].push_back({{"from", i + 1}, {"gbits_per_s", each.bits_per_s / 1e9}, {"part", each.part}});
  }
  json["efficiency"] = batch.efficiency();
  json["images_per_s"] = timeline.images_per_s;
  json["endless_images_per_s"] = timeline.plan.images_per_s(timeline.plan.simulated.period);
  json["dataset_images"] = config.dataset_images;
  json["epoch_hours"] = timeline.epoch_hours;
  json["assumed"] = config.assumed;
  return json;
}

std::string describe_nada(const NadaConfig& config) {
  std::string out = fmt::format("cluster {}{}{}\n\n", config.name, config.title.empty() ? "" : ": ", config.title);
  const nada::Board board = config.usable();
  out += headed_line("network", config.network);
  out += headed_line("boards", fmt::format("{} x {}, a chain", config.boards, config.board.name));
  out +=
      headed_line("of each", fmt::format("{} % may be used: {} DSPs, {} blocks, {} MLABs; {} MHz",
                                         config.usable_percent, thousands(board.limit.dsp), thousands(board.limit.m20k),
                                         thousands(board.limit.mlab), config::exact_text(config.clock_mhz)));
  out += headed_line(
      "links", fmt::format("{} Gb/s, of which frames of {} bytes leave {:.2f}", config::exact_text(config.link_gbps),
                           config.payload, static_cast<double>(config.link_goodput()) / 1e9));
  if (!config.assumed.empty()) out += headed_line("assumed", config::join(config.assumed));
  return out;
}

}  // namespace weft::tools
