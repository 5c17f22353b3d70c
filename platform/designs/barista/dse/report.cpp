#include "platform/designs/barista/dse/report.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "platform/config/reader.h"
#include "platform/design/equations.h"
#include "platform/designs/barista/design.h"
#include "platform/document/fitted_table.h"
#include "platform/document/text.h"
#include "platform/dse/range_field.h"

namespace weft::barista::exploration {

namespace {

using report::csv_field;
using report::duration_text;
using report::thousands;
using Json = nlohmann::ordered_json;

constexpr const char* kCsvHead =
    "exploration,network,layer,kind,batch,launches,macs,tiles,fitting,tile_r,tile_c,tile_p,dsp,bram18,cycles,time_s,"
    "gops,limiter\n";

std::string tile_text(const dse::Tile& tile) {
  return fmt::format("<{}, {}, {}>", tile.r, tile.c, tile.p);
}

Json tile_json(const dse::Tile& tile) {
  return {{"tile_r", tile.r}, {"tile_c", tile.c}, {"tile_p", tile.p}};
}

const char* limiter_of(const EquationTerms& terms) {
  return terms.memory_bound ? "memory" : "mesh";
}

class Formatter {
 public:
  Formatter(const Exploration& exploration, const report::TableView& view)
      : e_(exploration), view_(view), frequency_(e_.config.run.kernel->clock) {}

  std::string table() const {
    return head() + (view_.columns.empty() ? convolutions_table() : report::chosen_table(kCsvHead + csv(), view_)) +
           optimal_line() + layers_table() + network_table();
  }
  Json json() const;
  std::string csv() const;

 private:
  double seconds(Cycles cycles) const { return weft::seconds(cycles, frequency_); }
  double hours_per_epoch() const {
    return seconds(e_.optimal_cycles()) / 3600 * static_cast<double>(e_.config.run.iterations_per_epoch());
  }
  double gops_per_watt(const dse::Found& found) const { return found.gops / e_.config.watts; }
  const char* objective() const {
    return e_.config.objective == dse::Objective::Overall ? "transfers over PCIe and kernel (Eq. 4.12)"
                                                          : "kernel (Eq. 4.6)";
  }

  std::string head() const;
  std::string convolutions_table() const;
  std::string optimal_line() const;
  std::string layers_table() const;
  std::string network_table() const;
  Json found_json(const dse::Found& found) const;
  Json optimum_json(const dse::Optimum& optimum, const std::optional<Published>& published) const;

  const Exploration& e_;
  const report::TableView& view_;
  Frequency frequency_;
};

std::string Formatter::head() const {
  const DseConfig& c = e_.config;
  return fmt::format(
      "{}: {} on {}, batch {}, {} MHz; budget DSP {}, BRAM18 {}\nspace: Tr {}, Tc {}, Tp {}: {} tiles, {} fit; least "
      "time of {}\nequations: {}\n\n",
      c.name, e_.network, c.run.board.name, c.run.batch, config::exact_text(frequency_), thousands(c.budget.dsp),
      thousands(c.budget.bram18), weft::dse::range_text(c.r), weft::dse::range_text(c.c), weft::dse::range_text(c.p),
      thousands(e_.tiles), thousands(e_.fitting), objective(), report::equations_text(design().equations_note(c.run)));
}

std::string Formatter::convolutions_table() const {
  report::FittedTable table({{"layer"},
                             {"kind", false, 4},
                             {"tile", false, 14},
                             {"time", true, 10},
                             {"GOPS", true, 8, 3},
                             {"limiter", false, 7, 2},
                             {"DSP", true, 6, 4},
                             {"BRAM18", true, 6, 5}});
  for (const Convolution& c : e_.convolutions) {
    const dse::Found& best = e_.best(c);
    table.add({c.layer.name, conv::to_string(c.kind), tile_text(best.tile),
               duration_text(best.seconds * static_cast<double>(c.launches)), fmt::format("{:.2f}", best.gops),
               limiter_of(c.best), thousands(best.dsp), std::to_string(ceil_div(best.bram_bits, kBlockBits))});
  }
  return table.text(view_.width) +
         report::left_out_line(table, view_.width, "--columns chooses any that --format csv has");
}

std::string Formatter::optimal_line() const {
  return fmt::format(
      "\noptimal      {} convolutions of {} sizes, each on its own tile: {} an iteration by what is minimized; kernels "
      "alone {} cycles, {:.2f} hours an epoch of {} images\n",
      e_.convolutions.size(), e_.gemms.size(), duration_text(e_.optimal_seconds()), thousands(e_.optimal_cycles()),
      hours_per_epoch(), thousands(e_.config.run.dataset_images));
}

std::string Formatter::layers_table() const {
  const bool published = std::any_of(e_.layers.begin(), e_.layers.end(),
                                     [](const LayerTile& layer) { return layer.published.has_value(); });
  std::vector<report::TableColumn> columns{{"layer"}, {"best tile", false, 14}, {"GOPS/W", true, 7}};
  if (published) {
    columns.insert(columns.end(),
                   {{"published tile", false, 14}, {"GOPS/W", true, 7}, {"published", true, 9}, {"better", true, 9}});
  }
  report::FittedTable table(columns);
  for (const LayerTile& layer : e_.layers) {
    const dse::Found& best = *layer.optimum.best;
    std::vector<std::string> cells{layer.layer, tile_text(best.tile), fmt::format("{:.3f}", gops_per_watt(best))};
    if (layer.published) {
      const std::optional<double>& printed = layer.published->gops_per_watt;
      cells.insert(cells.end(),
                   {tile_text(layer.published->tile), fmt::format("{:.3f}", gops_per_watt(*layer.optimum.rival)),
                    printed ? fmt::format("{}", *printed) : "-", thousands(layer.optimum.better_than_rival)});
    }
    cells.resize(columns.size(), "-");
    table.add(std::move(cells));
  }
  std::string text = fmt::format("\none tile for the convolutions of a layer, GOPS/W of {} W\n", e_.config.watts) +
                     table.text(view_.width) + report::left_out_line(table, view_.width, "--format json has them");
  if (published) {
    text += fmt::format("better: tiles of the space that fit and take less time than the published one{}\n",
                        e_.config.source.empty() ? "" : " (" + e_.config.source + ")");
  }
  return text;
}

std::string Formatter::network_table() const {
  std::string text = "\none tile for all convolutions; GOPS/W: mean over the layers\n";
  const auto line = [&](const char* what, const dse::Found& found) {
    text += fmt::format("{:<13}{:<16}  {:>10}  {:>7.3f} GOPS/W  {:>6} DSP  {:>5} BRAM18\n", what, tile_text(found.tile),
                        duration_text(found.seconds), gops_per_watt(found), thousands(found.dsp),
                        ceil_div(found.bram_bits, kBlockBits));
  };
  line("least time", *e_.least_time.best);
  line("highest mean", *e_.highest_mean.best);
  if (!e_.published) return text;
  line("published", *e_.highest_mean.rival);
  text += fmt::format("             {} tiles have a higher mean", thousands(e_.highest_mean.better_than_rival));
  if (e_.published->gops_per_watt) text += fmt::format("; published {} GOPS/W", *e_.published->gops_per_watt);
  return text + (e_.config.source.empty() ? "\n" : fmt::format(" ({})\n", e_.config.source));
}

Json Formatter::found_json(const dse::Found& found) const {
  return {{"kernel", tile_json(found.tile)},
          {"resources",
           {{"dsp", found.dsp}, {"bram18", ceil_div(found.bram_bits, kBlockBits)}, {"bram_bits", found.bram_bits}}},
          {"seconds", found.seconds},
          {"gops", found.gops},
          {"gops_per_watt", gops_per_watt(found)}};
}

Json Formatter::optimum_json(const dse::Optimum& optimum, const std::optional<Published>& published) const {
  Json json{{"optimal", found_json(*optimum.best)}};
  if (published) {
    json["published"] = found_json(*optimum.rival);
    if (published->gops_per_watt) json["published"]["published_gops_per_watt"] = *published->gops_per_watt;
    json["better_than_published"] = optimum.better_than_rival;
  }
  return json;
}

Json Formatter::json() const {
  const DseConfig& c = e_.config;
  Json json{{"schema", kDseSchema},
            {"weft_version", WEFT_VERSION},
            {"exploration", c.name},
            {"network", e_.network},
            {"board", c.run.board.name},
            {"batch", c.run.batch},
            {"clock_mhz", config::exact_text(frequency_)},
            {"budget", {{"dsp", c.budget.dsp}, {"bram18", c.budget.bram18}}},
            {"minimize", c.objective == dse::Objective::Overall ? "overall" : "kernel"},
            {"watts", c.watts},
            {"tiles", e_.tiles},
            {"fitting", e_.fitting}};
  json.update(report::equations_json(design().equations_note(c.run)));
  json["optimal"] = {{"cycles", e_.optimal_cycles()},
                     {"seconds", e_.optimal_seconds()},
                     {"conv_only_seconds_per_iteration", seconds(e_.optimal_cycles())},
                     {"conv_only_hours_per_epoch", hours_per_epoch()},
                     {"convolutions", e_.convolutions.size()},
                     {"shapes", e_.gemms.size()},
                     {"misfits", 0}};
  json["sharing"] = Json::array();
  json["network_tile"] = {{"least_time", optimum_json(e_.least_time, e_.published)},
                          {"highest_mean", optimum_json(e_.highest_mean, e_.published)}};
  json["layers"] = Json::array();
  for (const LayerTile& layer : e_.layers) {
    Json one{{"layer", layer.layer}};
    one.update(optimum_json(layer.optimum, layer.published));
    json["layers"].push_back(std::move(one));
  }
  if (!c.source.empty()) json["source"] = c.source;
  json["convolutions"] = Json::array();
  for (const Convolution& each : e_.convolutions) {
    const dse::Found& best = e_.best(each);
    Json one{{"layer", each.layer.name},  {"kind", conv::to_string(each.kind)},
             {"launches", each.launches}, {"macs", each.macs},
             {"arrays", e_.tiles},        {"fitting", e_.fitting}};
    one["optimal"] = found_json(best);
    one["optimal"]["seconds_each"] = best.seconds;
    one["optimal"]["seconds"] = best.seconds * static_cast<double>(each.launches);
    one["optimal"]["cycles"] = each.best.cycles;
    one["optimal"]["limiter"] = limiter_of(each.best);
    json["convolutions"].push_back(std::move(one));
  }
  return json;
}

std::string Formatter::csv() const {
  std::string text;
  for (const Convolution& c : e_.convolutions) {
    const dse::Found& best = e_.best(c);
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(e_.config.name),
                        csv_field(e_.network), csv_field(c.layer.name), conv::to_string(c.kind), c.layer.batch,
                        c.launches, c.macs, e_.tiles, e_.fitting, best.tile.r, best.tile.c, best.tile.p, best.dsp,
                        ceil_div(best.bram_bits, kBlockBits), c.best.cycles * c.launches,
                        best.seconds * static_cast<double>(c.launches), best.gops, limiter_of(c.best));
  }
  return text;
}

}  // namespace

report::Report report(const std::vector<Exploration>& explorations, const report::TableView& view) {
  report::Report report;
  report.csv = kCsvHead;
  Json list = Json::array();
  for (const Exploration& e : explorations) {
    const Formatter formatter(e, view);
    if (!report.table.empty()) report.table += "\n";
    report.table += formatter.table();
    list.push_back(formatter.json());
    report.csv += formatter.csv();
  }
  report.json = (explorations.size() == 1 ? list.front() : list).dump(2) + "\n";
  return report;
}

std::string csv_head() {
  return kCsvHead;
}

}  // namespace weft::barista::exploration
