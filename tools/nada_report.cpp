#include "tools/nada_report.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "platform/config/reader.h"
#include "platform/report/fitted_table.h"
#include "platform/report/text.h"
#include "tools/cli.h"
#include "tools/plan_report.h"

namespace weft::tools {

using cluster::NadaConfig;
using cluster::NadaPlan;
using cluster::PublishedRate;
using report::FittedTable;
using report::thousands;
using Json = nlohmann::ordered_json;

namespace {

constexpr double kEpochImages = 1'281'167;  // of ImageNet
constexpr double kEpochs = 150;             // a run of NADA's table is about as many

std::string line(const char* what, const std::string& text) {
  return fmt::format("{:<14}{}\n", what, text);
}

std::string of_limit(std::int64_t used, std::int64_t limit) {
  return fmt::format("{} ({:.1f})", thousands(used),
                     limit > 0 ? 100. * static_cast<double>(used) / static_cast<double>(limit) : 0.);
}

class Formatter {
 public:
  Formatter(const NadaConfig& config, const NadaPlan& plan) : config_(config), all_(plan), plan_(plan.plan) {}

  std::string table() const {
    std::string out =
        fmt::format("{}: {} on {} x {}\n\n", config_.name, config_.network, config_.boards, config_.board.name);
    out += boards() + "\n" + layers() + "\n";
    out += line("rate", fmt::format("{:.1f} images/s, one in {} cycles at {} MHz", rate(), thousands(plan_.period),
                                    config::exact_text(config_.clock_mhz)));
    out += line("binds", binds());
    out +=
        line("gap", fmt::format("0 for boards that take layers in their order; no placement whatever is above {:.1f} "
                                "images/s ({:.1f} % more)",
                                all_.images_per_s(plan_.pooled_period), gap_percent()));
    out += line("simulated", fmt::format("one image in {} cycles; the first is trained on after {} ({:.2f} images)",
                                         config::exact_text(all_.simulated.period), thousands(all_.simulated.latency),
                                         latency_images()));
    out += line(
        "",
        fmt::format(
            "at that rate nothing stands still: stores from F to GW hold {} words, all other FIFOs {}, which are {}",
            thousands(all_.simulated.words.stores), thousands(all_.simulated.words.others), fifo_blocks()));
    for (const PublishedRate& row : config_.published) out += published(row);
    if (!config_.assumed.empty()) out += line("assumed", config::join(config_.assumed));
    out += line("", "contiguous placement, each pass of a layer alike; links' latency and updates are not in the rate");
    return out;
  }

  std::string json() const {
    Json json{{"schema", kPlanSchema},
              {"weft_version", WEFT_VERSION},
              {"cluster", config_.name},
              {"network", config_.network},
              {"board", config_.board.name},
              {"cycles_an_image", plan_.period},
              {"images_per_s", rate()},
              {"pooled_images_per_s", all_.images_per_s(plan_.pooled_period)},
              {"binds", plan_.binds},
              {"simulated",
               {{"cycles_an_image", boost::rational_cast<double>(all_.simulated.period)},
                {"latency_cycles", all_.simulated.latency},
                {"store_words", all_.simulated.words.stores},
                {"fifo_words", all_.simulated.words.others}}}};
    for (std::size_t i = 0; i < plan_.boards.size(); ++i) {
      const nada::Placed& board = plan_.boards[i];
      Json entry{{"first_layer", board.first == board.last ? "" : all_.problem.entities[board.first].name},
                 {"layers", board.last - board.first},
                 {"dsp", board.use.dsp},
                 {"registers", board.use.registers},
                 {"block_ram", board.use.m20k},
                 {"mlab", board.use.mlab},
                 {"dram_gbytes_per_s", dram(board) / 1e9}};
      if (i < plan_.link_words.size()) entry["link_gbits_per_s"] = link(i) / 1e9;
      json["boards"].push_back(entry);
    }
    for (std::size_t i = 0; i < all_.problem.entities.size(); ++i) {
      const nada::Entity& entity = all_.problem.entities[i];
      const nada::Choice& choice = plan_.chosen[i];
      json["layers"].push_back({{"layer", entity.name},
                                {"board", board_of(i) + 1},
                                {"a", choice.parallelism.a},
                                {"b", choice.parallelism.b},
                                {"taps", choice.parallelism.taps},
                                {"interval", entity.passes == 0 ? 1 : nada::interval(entity, choice.parallelism)},
                                {"cycles", nada::cycles(entity, choice.parallelism)},
                                {"dsp", choice.use.dsp},
                                {"block_ram", choice.use.m20k},
                                {"mlab", choice.use.mlab}});
    }
    json["published"] = Json::array();
    for (const PublishedRate& row : config_.published) {
      json["published"].push_back({{"network", row.network},
                                   {"cluster", row.cluster},
                                   {"measured", row.measured},
                                   {"planned", row.planned},
                                   {"plan_minutes", row.plan_minutes},
                                   {"run_hours", row.run_hours},
                                   {"overhead_ms_an_image", overhead_ms(row)},
                                   {"hours", hours(row)}});
    }
    json["assumed"] = config_.assumed;
    return json.dump(2) + "\n";
  }

  // A line a layer.
  std::string csv() const {
    std::string csv = "layer,board,a,b,taps,interval,cycles,dsp,registers,block_ram,mlab\n";
    for (std::size_t i = 0; i < all_.problem.entities.size(); ++i) {
      const nada::Entity& entity = all_.problem.entities[i];
      const nada::Choice& c = plan_.chosen[i];
      csv += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", report::csv_field(entity.name), board_of(i) + 1,
                         c.parallelism.a, c.parallelism.b, c.parallelism.taps,
                         entity.passes == 0 ? 1 : nada::interval(entity, c.parallelism),
                         nada::cycles(entity, c.parallelism), c.use.dsp, c.use.registers, c.use.m20k, c.use.mlab);
    }
    return csv;
  }

 private:
  double rate() const { return all_.images_per_s(plan_.period); }
  double dram(const nada::Placed& board) const { return static_cast<double>(board.dram_bytes) * rate(); }
  double link(std::size_t i) const { return static_cast<double>(plan_.link_words[i]) * config_.word_bits * rate(); }
  double gap_percent() const {
    return 100 * (static_cast<double>(plan_.period) / static_cast<double>(plan_.pooled_period) - 1);
  }
  double latency_images() const {
    return static_cast<double>(all_.simulated.latency) / boost::rational_cast<double>(all_.simulated.period);
  }
  std::size_t board_of(std::size_t entity) const {
    std::size_t board = 0;
    while (plan_.boards[board].last <= entity) ++board;
    return board;
  }

  // Blocks that FIFOs but the stores would take, and that the entities leave.
  std::string fifo_blocks() const {
    const Words need = ceil_div(all_.simulated.words.others, config_.costs.m20k_words);
    std::int64_t left = 0;
    for (const nada::Board& board : all_.problem.boards) left += board.limit.m20k;
    for (const nada::Placed& board : plan_.boards) left -= board.use.m20k;
    return fmt::format("{} blocks at least, of {} that all boards have left{}", thousands(need), thousands(left),
                       need > left ? ": MORE THAN THERE ARE" : "");
  }

  std::string boards() const {
    FittedTable table({{"board", true},
                       {"layers"},
                       {"DSP (%)", true},
                       {"blocks (%)", true},
                       {"MLAB (%)", true},
                       {"registers (%)", true, 0, 1},
                       {"DRAM GB/s", true},
                       {"Gb/s to the next", true}});
    const nada::Use limit = config_.usable().limit;
    for (std::size_t i = 0; i < plan_.boards.size(); ++i) {
      const nada::Placed& board = plan_.boards[i];
      const auto name = [&](std::size_t at) { return all_.problem.entities[at].name; };
      table.add({std::to_string(i + 1),
                 board.first == board.last ? "none" : name(board.first) + " to " + name(board.last - 1),
                 of_limit(board.use.dsp, limit.dsp), of_limit(board.use.m20k, limit.m20k),
                 of_limit(board.use.mlab, limit.mlab), of_limit(board.use.registers, limit.registers),
                 fmt::format("{:.1f}", dram(board) / 1e9),
                 i < plan_.link_words.size() ? fmt::format("{:.1f}", link(i) / 1e9) : ""});
    }
    return table.text(page_width());
  }

  std::string layers() const {
    FittedTable table({{"layer"},
                       {"board", true},
                       {"a x b x taps", true},
                       {"cycles/pixel", true},
                       {"cycles/image", true},
                       {"busy %", true},
                       {"DSP", true},
                       {"blocks", true},
                       {"MLAB", true}});
    for (std::size_t i = 0; i < all_.problem.entities.size(); ++i) {
      const nada::Entity& entity = all_.problem.entities[i];
      if (entity.passes == 0) continue;
      const nada::Choice& choice = plan_.chosen[i];
      const nada::Parallelism& p = choice.parallelism;
      const Cycles cycles = nada::cycles(entity, p);
      table.add({entity.name, std::to_string(board_of(i) + 1), fmt::format("{} x {} x {}", p.a, p.b, p.taps),
                 thousands(nada::interval(entity, p)), thousands(cycles),
                 fmt::format("{:.1f}", 100. * static_cast<double>(cycles) / static_cast<double>(plan_.period)),
                 thousands(choice.use.dsp), thousands(choice.use.m20k), thousands(choice.use.mlab)});
    }
    return table.text(page_width());
  }

  std::string binds() const {
    if (plan_.next_period == 0) return "nothing: every layer is as fast as it can be";
    const std::string next = fmt::format("the next better rate, {:.1f} images/s", all_.images_per_s(plan_.next_period));
    if (plan_.binds.empty()) return fmt::format("more than one resource: {} needs more of several", next);
    return fmt::format("{}: without that bound alone there would be {}", config::join(plan_.binds, " or "), next);
  }

  static double overhead_ms(const PublishedRate& row) {
    return 1000. / static_cast<double>(row.measured) - 1000. / static_cast<double>(row.planned);
  }
  static double hours(const PublishedRate& row) {
    return kEpochImages * kEpochs / static_cast<double>(row.measured) / 3600;
  }

  std::string published(const PublishedRate& row) const {
    const double efficiency = static_cast<double>(row.measured) / static_cast<double>(row.planned);
    std::string out =
        line("published", fmt::format("{}, {}: {} images/s planned, {} measured ({:.3f}): {:.2f} ms an image "
                                      "more; planned in {} min, run in {} h ({} epochs at that rate: {:.1f} h)",
                                      row.network, row.cluster, row.planned, row.measured, efficiency, overhead_ms(row),
                                      row.plan_minutes, row.run_hours, kEpochs, hours(row)));
    if (row.network != config_.network) return out;
    const auto period = static_cast<double>(all_.problem.clock_hz) / static_cast<double>(row.planned);
    const double latency = latency_images() * period;
    out += line(
        "", fmt::format("as a batch that fills and drains this pipeline: {:.1f} images; with an update of {} words, "
                        "one a cycle, {:.1f}",
                        cluster::implied_batch(efficiency, period, latency, 0), thousands(all_.update),
                        cluster::implied_batch(efficiency, period, latency, static_cast<double>(all_.update))));
    return out;
  }

  const NadaConfig& config_;
  const NadaPlan& all_;
  const nada::Plan& plan_;
};

}  // namespace

report::Report nada_report(const NadaConfig& config, const NadaPlan& plan) {
  const Formatter formatter(config, plan);
  return {formatter.table(), formatter.json(), formatter.csv()};
}

report::Report nada_timeline_report(const NadaConfig& config, const cluster::NadaTimeline& timeline) {
  const pipeline::BatchTimes& batch = timeline.batch;
  const auto ms = [&](Cycles cycles) { return 1000 * seconds(cycles, config.clock_mhz); };
  std::string out = fmt::format("{}: {} on {} x {}, batches of {}\n\n", config.name, config.network, config.boards,
                                config.board.name, thousands(config.batch));
  FittedTable steps({{"step"}, {"cycles", true}, {"ms", true}, {"%", true}, {"what"}});
  Json json{{"schema", kPlanSchema},
            {"weft_version", WEFT_VERSION},
            {"cluster", config.name},
            {"network", config.network},
            {"batch", config.batch}};
  std::string csv = "step,cycles,seconds\n";
  const auto step = [&](const char* name, Cycles cycles, const char* what) {
    steps.add({name, thousands(cycles), fmt::format("{:.3f}", ms(cycles)),
               fmt::format("{:.1f}", 100. * static_cast<double>(cycles) / static_cast<double>(batch.total())), what});
    json["steps"].push_back({{"step", name}, {"cycles", cycles}});
    csv += fmt::format("{},{},{}\n", name, cycles, seconds(cycles, config.clock_mhz));
  };
  const Cycles begun = std::min(batch.fill, batch.written);
  step("fill", begun, "up to the first image's last gradient, or the last pixel's entering");
  step("steady", batch.written - begun, "images come and go");
  step("drain", batch.drain(), "behind the last pixel's entering");
  step("update", batch.update, "of the slowest layer's weights");
  out += steps.text(page_width()) + "\n";
  out += line("efficiency",
              fmt::format("{:.4f} of the rate without end: {:.1f} of {:.1f} images/s", batch.efficiency(),
                          timeline.images_per_s, timeline.plan.images_per_s(timeline.plan.simulated.period)));
  out += line("epoch", fmt::format("{:.3f} h of {} images", timeline.epoch_hours, thousands(config.dataset_images)));
  FittedTable over({{"batch", true}, {"efficiency", true}});
  for (const auto& [images, efficiency] : timeline.efficiencies) {
    over.add({thousands(images), fmt::format("{:.4f}", efficiency)});
    json["efficiencies"].push_back({{"batch", images}, {"efficiency", efficiency}});
  }
  out += "\n" + over.text(page_width()) + "\n";
  FittedTable stores({{"store"}, {"pixels at most", true}, {"words", true}, {"images", true}});
  for (const cluster::StoreUse& each : timeline.stores) {
    stores.add({each.name, thousands(each.pixels), thousands(each.words), fmt::format("{:.2f}", each.images)});
    json["stores"].push_back(
        {{"store", each.name}, {"pixels", each.pixels}, {"words", each.words}, {"images", each.images}});
  }
  out += stores.text(page_width()) + "\n";
  json["links"] = Json::array();
  for (std::size_t i = 0; i < timeline.links.size(); ++i) {
    const cluster::LinkUse& each = timeline.links[i];
    out += line("link", fmt::format("board {} to {}: {:.2f} Gb/s a direction, {:.1f} %", i + 1, i + 2,
                                    each.bits_per_s / 1e9, 100 * each.part));
    json["links"].push_back({{"from", i + 1}, {"gbits_per_s", each.bits_per_s / 1e9}, {"part", each.part}});
  }
  json["efficiency"] = batch.efficiency();
  json["images_per_s"] = timeline.images_per_s;
  json["epoch_hours"] = timeline.epoch_hours;
  json["assumed"] = config.assumed;
  if (!config.assumed.empty()) out += line("assumed", config::join(config.assumed));
  out += line("", "links take no time in it: their latency is microseconds");
  return {out, json.dump(2) + "\n", csv};
}

std::string describe_nada(const NadaConfig& config) {
  std::string out = fmt::format("cluster {}{}{}\n\n", config.name, config.title.empty() ? "" : ": ", config.title);
  const nada::Board board = config.usable();
  out += line("network", config.network);
  out += line("boards", fmt::format("{} x {}, a chain", config.boards, config.board.name));
  out += line("of each", fmt::format("{} % may be used: {} DSPs, {} blocks, {} MLABs; {} MHz", config.usable_percent,
                                     thousands(board.limit.dsp), thousands(board.limit.m20k),
                                     thousands(board.limit.mlab), config::exact_text(config.clock_mhz)));
  out += line("links",
              fmt::format("{} Gb/s, of which frames of {} bytes leave {:.2f}", config::exact_text(config.link_gbps),
                          config.payload, static_cast<double>(config.link_goodput()) / 1e9));
  if (!config.assumed.empty()) out += line("assumed", config::join(config.assumed));
  return out;
}

}  // namespace weft::tools
