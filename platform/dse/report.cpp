#include "platform/dse/report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "model/core/error.h"
#include "model/core/text.h"
#include "platform/document/fitted_table.h"
#include "platform/document/text.h"
#include "platform/record/json.h"

namespace weft::dse {

namespace {

using report::duration_text;
using report::FittedTable;
using report::TableColumn;

constexpr std::size_t kShown = 10;  // kernels for all convolutions, in the table

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

std::string name_of(const Convolution& c) {
  return fmt::format("{}:{}", c.layer, conv::to_string(c.kind));
}

// "<32, 20, 16>"
std::string tile_text(const Kernel& kernel) {
  std::string text;
  for (const auto& each : kernel) text += (text.empty() ? "<" : ", ") + to_text(value_in(kernel, each.first));
  return text + ">";
}

std::string fitted(const FittedTable& table, const report::TableView& view, const char* how) {
  return table.text(view.width) + report::left_out_line(table, view.width, how);
}
constexpr const char* kChoose = "--columns chooses any that --format csv has";
constexpr const char* kInJson = "--format json has them";

// The number (from 1) of the kernel that runs the convolution; 0 for none.
std::size_t kernel_number(const Shared& shared, const std::string& name) {
  for (std::size_t k = 0; k < shared.groups.size(); ++k) {
    const std::vector<std::string>& members = shared.groups[k].convolutions;
    if (std::find(members.begin(), members.end(), name) != members.end()) return k + 1;
  }
  return 0;
}

std::string csv(const Result& r) {
  std::string text;
  for (const Convolution& c : r.convolutions) {
    text += fmt::format("{},{},{},{},{},{},{},{}", report::csv_field(r.exploration), report::csv_field(r.network),
                        report::csv_field(c.layer), conv::to_string(c.kind), r.batch, c.launches, c.macs, c.arrays);
    if (c.within_dsp) text += fmt::format(",{}", *c.within_dsp);
    text += fmt::format(",{}", c.fitting);
    if (c.optimal) {
      const Optimum& best = *c.optimal;
      for (const std::string& name : r.searched) text += "," + to_text(value_in(best.kernel, name));
      text += fmt::format(",{},{}", best.resources.dsp, best.resources.bram18);
      if (r.budget.uram) text += fmt::format(",{}", best.resources.uram.value_or(0));
      text += fmt::format(",{},{},{},{}", r.cycles_of(c), best.seconds, best.gops, best.limiter);
    } else {
      text += std::string(r.searched.size() + (r.budget.uram ? 7 : 6), ',');
    }
    for (const Sharing& sharing : r.sharing) {
      text += fmt::format(",{}", kernel_number(sharing.heuristic, name_of(c)));
      if (sharing.minimum) text += fmt::format(",{}", kernel_number(*sharing.minimum, name_of(c)));
    }
    text += "\n";
  }
  return text;
}

std::string head(const Result& r) {
  std::string text = fmt::format("{}: {} on {}, batch {}, {} MHz; budget DSP {}, BRAM18 {}", r.exploration, r.network,
                                 r.board, r.batch, r.clock_mhz, thousands(r.budget.dsp), thousands(r.budget.bram18));
  if (r.budget.uram) text += ", URAM " + thousands(*r.budget.uram);
  text += "\nspace: " + r.space_text;
  if (r.tiles) {
    text += fmt::format(": {} tiles, {} fit; least time of {}", thousands(*r.tiles), thousands(r.fitting.value_or(0)),
                        r.minimize == "overall" ? "transfers over PCIe and kernel (Eq. 4.12)" : "kernel (Eq. 4.6)");
  }
  if (r.combinations) {
    text +=
        fmt::format(": {} combinations, {} are kernels that compute the network, {} fit", thousands(*r.combinations),
                    thousands(r.possible.value_or(0)), thousands(r.fitting.value_or(0)));
  }
  return text + "\nequations: " + r.equations_text + "\n\n";
}

// Of an exploration of arrays.

std::string misfit_text(const Convolution& c) {
  if (c.arrays == 0) return "no array in the space";
  if (!c.smallest) return fmt::format("none of {} arrays has the DSPs", c.arrays);
  return fmt::format("no kernel fits: at least BRAM18 {}, URAM {}", c.smallest->bram18, c.smallest->uram);
}

FittedTable arrays_table(const Result& r) {
  const std::vector<TableColumn> columns{{"layer"},
                                         {"kind", false, 4},
                                         {"shape", false, 0, 7},
                                         {"X", true, 4},
                                         {"Y", true, 4},
                                         {"Z", true, 4, 4},
                                         {"cycles", true, 15},
                                         {"time", true, 10, 1},
                                         {"GOPS", true, 7, 5},
                                         {"limiter", false, 15},
                                         {"BRAM18", true, 6, 2},
                                         {"URAM", true, 4, 3},
                                         {"fit/arrays", true, 13, 6}};
  FittedTable table(columns);
  for (const Convolution& c : r.convolutions) {
    std::vector<std::string> cells{c.layer, conv::to_string(c.kind), c.shape.value_or("")};
    if (!c.optimal) {
      cells.resize(columns.size(), "-");
      table.add(std::move(cells));
      table.add_note(misfit_text(c));
      continue;
    }
    const Optimum& best = *c.optimal;
    for (const char* axis : {"x", "y", "z"}) cells.push_back(to_text(value_in(best.kernel, axis)));
    cells.insert(cells.end(),
                 {thousands(r.cycles_of(c)), fmt::format("{:.3f} s", best.seconds), fmt::format("{:.2f}", best.gops),
                  best.limiter, std::to_string(best.resources.bram18), std::to_string(best.resources.uram.value_or(0)),
                  fmt::format("{}/{}", c.fitting, c.arrays)});
    table.add(std::move(cells));
  }
  return table;
}

std::string arrays_text(const Result& r) {
  const Optimal& o = r.optimal;
  std::string text = fmt::format(
      "\noptimal      {} convolutions of {} shapes, each on its own kernel: {} cycles, {:.2f} s an iteration, {:.2f} "
      "hours an epoch of {} images (convolutions only)\n",
      o.convolutions - o.misfits, o.shapes, thousands(o.cycles), o.seconds_per_iteration, o.hours_per_epoch,
      thousands(r.dataset_images));
  if (o.misfits > 0) {
    text +=
        fmt::format("misfits      {} of {} convolutions have no kernel within the budget and are in no figure below\n",
                    o.misfits, o.convolutions);
  }
  return text;
}

// Others found something about all convolutions of the network.
std::string source(const Result& r) {
  return r.published->source ? " (" + *r.published->source + ")" : "";
}

std::string sharing_table(const Result& r) {
  if (r.sharing.empty()) return "";
  const bool minimum = r.sharing.front().minimum.has_value();
  std::string text = "\nshared kernels: how many, with how much more time an iteration\n";
  text += report::trimmed(
      fmt::format("{:>8}  {:>20}  {:>20}", "penalty", "Algorithms 1 and 2", minimum ? "fewest there are" : ""));
  bool proved = true;
  for (const Sharing& sharing : r.sharing) {
    text += fmt::format("{:>7}%  {:>10}  {:>+7.2f}%", sharing.penalty_percent, sharing.heuristic.kernels,
                        100 * sharing.heuristic.loss);
    if (sharing.minimum) {
      const Fewest& fewest = *sharing.minimum;
      text += fmt::format("  {:>11}  {:>+7.2f}%", fewest.kernels, 100 * fewest.loss);
      if (fewest.at_least < fewest.kernels) text += fmt::format("  not proved: at least {}", fewest.at_least);
      proved = proved && fewest.at_least == fewest.kernels;
    }
    text += "\n";
  }
  if (minimum && proved) text += "the fewest are proved: no smaller number of kernels keeps the penalty\n";
  if (r.whole_network && r.published && r.published->kernels) {
    text += fmt::format("published: {} kernels with a penalty of zero{}\n", *r.published->kernels, source(r));
  }
  return text;
}

std::string readings_table(const Result& r) {
  std::string text;
  if (r.compared_reading) {
    text += fmt::format("\nhours an epoch, optimal kernels, by the reading of {}\n", *r.compared_reading);
    for (const auto& [name, each] : r.hours_per_epoch_by_reading->values.front().second.values) {
      text += fmt::format("{:>10}  {:>9.2f}", name, each.hours_per_epoch);
      if (each.misfits > 0) text += fmt::format("  without {} convolutions that do not fit", each.misfits);
      text += "\n";
    }
  }
  if (r.whole_network && r.published && r.published->hours_per_epoch) {
    text += fmt::format("{} {:>9.2f}{}\n", text.empty() ? "\npublished hours an epoch:" : " published ",
                        *r.published->hours_per_epoch, source(r));
  }
  if (!text.empty()) text += "convolutions only: without the host's layers, PCIe, launches and reconfigurations\n";
  return text;
}

std::string rerank_table(const Result& r, const report::TableView& view) {
  if (!r.rerank) return "";
  FittedTable table({{"layer"},
                     {"kind", false, 4},
                     {"rank", true, 9},
                     {"X", true, 4},
                     {"Y", true, 4},
                     {"equations", true, 15, 1},
                     {"simulated", true, 15},
                     {"error", true, 8}});
  std::int64_t changed = 0;
  double largest_loss = 0;
  for (const Reranked& one : r.rerank->convolutions) {
    const std::size_t colon = one.convolution.rfind(':');
    for (const RankedKernel& d : one.designs) {
      const double error = static_cast<double>(d.equations - d.simulated) / static_cast<double>(d.simulated);
      table.add({one.convolution.substr(0, colon), one.convolution.substr(colon + 1),
                 fmt::format("{} -> {}", d.rank, d.simulated_rank), to_text(value_in(d.kernel, "x")),
                 to_text(value_in(d.kernel, "y")), thousands(d.equations), thousands(d.simulated),
                 fmt::format("{:+.2f}%", 100 * error)});
      if (d.simulated_rank == 1 && d.rank != 1) ++changed;
    }
    largest_loss = std::max(largest_loss, one.loss_of_equations_choice);
  }
  return fmt::format("\nthe best {} by the equations, simulated ({} rung, batch {})\n", r.rerank->count, r.rerank->rung,
                     r.rerank->batch) +
         fitted(table, view, kInJson) +
         fmt::format(
             "the simulation prefers another kernel for {} of {} shapes; the equations' choice costs at most "
             "{:.2f}% more\n",
             changed, r.rerank->convolutions.size(), 100 * largest_loss);
}

// Of an exploration of tiles.

FittedTable tiles_table(const Result& r) {
  FittedTable table({{"layer"},
                     {"kind", false, 4},
                     {"tile", false, 14},
                     {"time", true, 10},
                     {"GOPS", true, 8, 3},
                     {"limiter", false, 7, 2},
                     {"DSP", true, 6, 4},
                     {"BRAM18", true, 6, 5}});
  for (const Convolution& c : r.convolutions) {
    const Optimum& best = c.optimal.value();
    table.add({c.layer, conv::to_string(c.kind), tile_text(best.kernel), duration_text(best.seconds),
               fmt::format("{:.2f}", best.gops), best.limiter, thousands(best.resources.dsp),
               std::to_string(best.resources.bram18)});
  }
  return table;
}

std::string tiles_text(const Result& r) {
  return fmt::format(
      "\noptimal      {} convolutions of {} sizes, each on its own tile: {} an iteration by what is minimized; kernels "
      "alone {} cycles, {:.2f} hours an epoch of {} images\n",
      r.optimal.convolutions, r.optimal.shapes, duration_text(r.optimal.seconds.value_or(0)),
      thousands(r.optimal.cycles), r.optimal.hours_per_epoch, thousands(r.dataset_images));
}

std::string layers_table(const Result& r, const report::TableView& view) {
  const bool published = std::any_of(r.layers->begin(), r.layers->end(),
                                     [](const LayerTiles& layer) { return layer.published.has_value(); });
  std::vector<TableColumn> columns{{"layer"}, {"best tile", false, 14}, {"GOPS/W", true, 7}};
  if (published) {
    columns.insert(columns.end(),
                   {{"published tile", false, 14}, {"GOPS/W", true, 7}, {"published", true, 9}, {"better", true, 9}});
  }
  FittedTable table(columns);
  for (const LayerTiles& layer : *r.layers) {
    std::vector<std::string> cells{layer.layer, tile_text(layer.optimal.kernel),
                                   fmt::format("{:.3f}", layer.optimal.gops_per_watt)};
    if (layer.published) {
      const std::optional<double>& printed = layer.published->published_gops_per_watt;
      cells.insert(cells.end(),
                   {tile_text(layer.published->kernel), fmt::format("{:.3f}", layer.published->gops_per_watt),
                    printed ? fmt::format("{}", *printed) : "-", thousands(layer.better_than_published.value_or(0))});
    }
    cells.resize(columns.size(), "-");
    table.add(std::move(cells));
  }
  std::string text = fmt::format("\none tile for the convolutions of a layer, GOPS/W of {} W\n", r.watts.value_or(0)) +
                     fitted(table, view, kInJson);
  if (published) {
    text += fmt::format("better: tiles of the space that fit and take less time than the published one{}\n",
                        r.source ? " (" + *r.source + ")" : "");
  }
  return text;
}

std::string network_table(const Result& r) {
  std::string text = "\none tile for all convolutions; GOPS/W: mean over the layers\n";
  const auto line = [&](const char* name, const Tile& tile) {
    text += fmt::format("{:<13}{:<16}  {:>10}  {:>7.3f} GOPS/W  {:>6} DSP  {:>5} BRAM18\n", name,
                        tile_text(tile.kernel), duration_text(tile.seconds), tile.gops_per_watt,
                        thousands(tile.resources.dsp), tile.resources.bram18);
  };
  const Tiles& mean = r.network_tile->highest_mean;
  line("least time", r.network_tile->least_time.optimal);
  line("highest mean", mean.optimal);
  if (!mean.published) return text;
  line("published", *mean.published);
  text += fmt::format("             {} tiles have a higher mean", thousands(mean.better_than_published.value_or(0)));
  if (const auto& printed = mean.published->published_gops_per_watt) {
    text += fmt::format("; published {} GOPS/W", *printed);
  }
  return text + (r.source ? fmt::format(" ({})\n", *r.source) : "\n");
}

// Of a grid of any keys.

FittedTable grid_table(const Result& r) {
  std::vector<TableColumn> columns{{"layer"}, {"kind", false, 4}};
  for (const std::string& name : r.searched) columns.push_back({name, true});
  for (const char* title : {"cycles", "GOPS"}) columns.push_back({title, true, 8, 4});
  columns.push_back({"limiter", false, 7, 3});
  for (const auto& each : r.network_kernels->front().resources.counts()) {
    columns.push_back({upper(each.first), true, 4, 5});
  }
  FittedTable table(columns);
  for (const Convolution& c : r.convolutions) {
    std::vector<std::string> cells{c.layer, conv::to_string(c.kind)};
    if (c.optimal) {
      for (const std::string& name : r.searched) cells.push_back(to_text(value_in(c.optimal->kernel, name)));
      cells.insert(cells.end(),
                   {thousands(r.cycles_of(c)), fmt::format("{:.1f}", c.optimal->gops), c.optimal->limiter});
      for (const auto& each : c.optimal->resources.counts()) cells.push_back(thousands(each.second));
    }
    cells.resize(columns.size());
    table.add(std::move(cells));
    if (!c.optimal) table.add_note("no kernel fits");
  }
  return table;
}

std::string grid_text(const Result& r) {
  const Optimal& o = r.optimal;
  return fmt::format(
      "\noptimal      {} convolutions, each on its own kernel: {} cycles, {} an iteration, {:.2f} hours an epoch of {} "
      "images{}\n",
      o.convolutions, thousands(o.cycles), duration_text(o.seconds_per_iteration), o.hours_per_epoch,
      thousands(r.dataset_images),
      o.misfits == 0 ? "" : fmt::format("; {} without a kernel that fits are left out", o.misfits));
}

std::string kernels_table(const Result& r, const report::TableView& view) {
  const std::vector<NetworkKernel>& ranked = *r.network_kernels;
  const bool simulated = ranked.front().simulated.has_value();
  std::vector<TableColumn> columns{{"rank"}};
  for (const std::string& name : r.searched) columns.push_back({name, true});
  for (const char* title : {"cycles", "time", "GOPS"}) columns.push_back({title, true, 8});
  for (const auto& each : ranked.front().resources.counts()) columns.push_back({upper(each.first), true, 4, 3});
  if (simulated) columns.push_back({"simulated", true, 9});
  FittedTable table(columns);
  const std::size_t shown = std::min(kShown, ranked.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const NetworkKernel& found = ranked[i];
    std::vector<std::string> cells{std::to_string(i + 1)};
    for (const std::string& name : r.searched) cells.push_back(to_text(value_in(found.kernel, name)));
    cells.insert(cells.end(),
                 {thousands(found.cycles), duration_text(found.seconds), fmt::format("{:.1f}", found.gops)});
    for (const auto& each : found.resources.counts()) cells.push_back(thousands(each.second));
    if (simulated) cells.push_back(found.simulated ? thousands(*found.simulated) : "");
    table.add(std::move(cells));
  }
  return fmt::format("\none kernel for all convolutions: the best {} of {}{}\n", shown,
                     thousands(r.fitting.value_or(0)), simulated ? "; simulated ones first" : ", by the equations") +
         fitted(table, view, kInJson);
}

std::string table(const Result& r, const report::TableView& view) {
  std::string text = head(r);
  if (!view.columns.empty()) {
    text += report::chosen_table(csv_head(r) + csv(r), view);
  } else {
    text += fitted(r.tiles ? tiles_table(r) : r.combinations ? grid_table(r) : arrays_table(r), view, kChoose);
  }
  if (r.tiles) return text + tiles_text(r) + layers_table(r, view) + network_table(r);
  if (r.combinations) return text + grid_text(r) + kernels_table(r, view);
  return text + arrays_text(r) + sharing_table(r) + readings_table(r) + rerank_table(r, view);
}

// Table 5.8 and Table 5.6 of several networks.
std::string comparison(const std::vector<Result>& results, const report::TableView& view) {
  FittedTable table({{"exploration", false, 20},
                     {"convs", true},
                     {"shapes", true, 0, 2},
                     {"Alg. 1+2", true},
                     {"fewest", true},
                     {"published", true, 0, 1},
                     {"hours/epoch", true},
                     {"published h", true, 0, 1}});
  for (const Result& r : results) {
    std::string heuristic = "-", fewest = "-";
    if (!r.sharing.empty() && r.sharing.front().penalty_percent == 0) {
      heuristic = std::to_string(r.sharing.front().heuristic.kernels);
      if (r.sharing.front().minimum) fewest = std::to_string(r.sharing.front().minimum->kernels);
    }
    const Published published = r.published.value_or(Published{});
    table.add({r.exploration, std::to_string(r.optimal.convolutions), std::to_string(r.optimal.shapes), heuristic,
               fewest, published.kernels ? std::to_string(*published.kernels) : "-",
               fmt::format("{:.2f}", r.optimal.hours_per_epoch),
               published.hours_per_epoch ? fmt::format("{:.2f}", *published.hours_per_epoch) : "-"});
  }
  return fitted(table, view, kInJson) + "kernels with a penalty of zero; hours for the convolutions alone\n";
}

}  // namespace

std::string csv_head(const Result& r) {
  std::string head = fmt::format("exploration,network,layer,kind,batch,launches,macs,{},fitting",
                                 r.tiles          ? "tiles"
                                 : r.combinations ? "combinations"
                                                  : "arrays,within_dsp");
  for (const std::string& name : r.searched) {
    const std::size_t dot = name.find('.');
    head += "," + (dot == std::string::npos ? name : name.substr(dot + 1) + "_" + name.substr(0, dot));
  }
  head += r.budget.uram ? ",dsp,bram18,uram" : ",dsp,bram18";
  head += ",cycles,time_s,gops,limiter";
  for (const Sharing& sharing : r.sharing) {
    head += fmt::format(",kernel_at_{}", sharing.penalty_percent);
    if (sharing.minimum) head += fmt::format(",minimum_kernel_at_{}", sharing.penalty_percent);
  }
  return head + "\n";
}

report::Report report(const std::vector<Result>& results, const report::TableView& view) {
  report::Report report;
  report.csv = csv_head(results.front());
  const bool compared = results.size() > 1 && !results.front().tiles && !results.front().combinations;
  for (const Result& r : results) {
    if (!report.table.empty()) report.table += "\n";
    report.table += table(r, view);
    report.csv += csv(r);
  }
  if (compared) report.table += "\n" + comparison(results, view);
  report.json = results.size() == 1 ? record::json_text(results.front())
                                    : record::json_list(std::vector<record::Any>(results.begin(), results.end()));
  return report;
}

}  // namespace weft::dse
