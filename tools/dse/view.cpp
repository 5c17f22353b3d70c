#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "model/core/text.h"
#include "platform/document/fitted_table.h"
#include "platform/record/json.h"
#include "tools/cli/views.h"

namespace weft::tools {

using namespace report;
using namespace dse;

namespace {

constexpr std::size_t kShown = 10;  // kernels for all convolutions shown on a terminal
constexpr std::size_t kKeys = 3;    // keys of an array shown on a terminal

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

std::string name_of(const Convolution& c) {
  return fmt::format("{}:{}", c.layer, conv::to_string(c.kind));
}

// Text of a tile: "<32, 20, 16>".
std::string tile_text(const Kernel& kernel) {
  std::string text;
  for (const auto& each : kernel) text += (text.empty() ? "<" : ", ") + to_text(value_in(kernel, each.first));
  return text + ">";
}

// Number (from 1) of the kernel that runs the convolution; 0 if none does.
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
      if (r.split) text += fmt::format(",{}", best.parts.value_or(1));
      text += fmt::format(",{},{}", best.resources.dsp, best.resources.bram18);
      if (r.budget.uram) text += fmt::format(",{}", best.resources.uram.value_or(0));
      text += fmt::format(",{},{},{},{}", r.cycles_of(c), best.seconds, best.gops, best.limiter);
    } else {
      text += std::string(r.searched.size() + (r.budget.uram ? 7 : 6) + (r.split ? 1 : 0), ',');
    }
    for (const Sharing& sharing : r.sharing) {
      text += fmt::format(",{}", kernel_number(sharing.heuristic, name_of(c)));
      if (sharing.minimum) text += fmt::format(",{}", kernel_number(*sharing.minimum, name_of(c)));
    }
    text += "\n";
  }
  return text;
}

// Source of published results for all convolutions of the network.
std::string source(const Result& r) {
  return r.published->source ? " (" + *r.published->source + ")" : "";
}

std::string lead(const Result& r) {
  std::string text = fmt::format("{} on {}, batch {}, {} MHz; budget DSP {}, BRAM18 {}", r.network, r.board, r.batch,
                                 r.clock_mhz, thousands(r.budget.dsp), thousands(r.budget.bram18));
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
  return text + "\nequations: " + r.equations_text;
}

std::string misfit_text(const Convolution& c) {
  if (c.arrays == 0) return "no array in the space";
  if (!c.smallest) return fmt::format("none of {} arrays is within the DSP budget", c.arrays);
  return fmt::format("no kernel fits: at least BRAM18 {}, URAM {}", c.smallest->bram18, c.smallest->uram);
}

// Columns of a best kernel: the searched keys, and its resources.
void add_keys(const Result& r, std::vector<Column>& columns) {
  const std::size_t shown = r.combinations ? r.searched.size() : kKeys;
  for (std::size_t i = 0; i < r.searched.size(); ++i) {
    const std::string& name = r.searched[i];
    columns.push_back({name.size() == 1 ? upper(name) : name, "of the kernel", 4, 0, i < shown ? On::Both : On::Page});
  }
}
void add_keys(const Result& r, const Kernel& kernel, std::vector<Cell>& cells) {
  for (const std::string& name : r.searched) cells.push_back(value_cell(value_in(kernel, name)));
}
void add_counts(const Resources& resources, std::vector<Column>& columns) {
  int spare = 2;
  for (const auto& each : resources.counts()) columns.push_back({upper(each.first), "of the kernel", 4, spare++});
}
void add_counts(const Resources& resources, std::vector<Cell>& cells) {
  for (const auto& each : resources.counts()) cells.push_back(count_cell(each.second));
}

Table rows_table(const Result& r) {
  const auto found =
      std::find_if(r.convolutions.begin(), r.convolutions.end(), [](const Convolution& c) { return c.optimal; });
  const auto known = [&](auto of) { return std::any_of(r.convolutions.begin(), r.convolutions.end(), of); };
  const bool shapes = known([](const Convolution& c) { return c.shape; });
  Table table{"The best kernel of every convolution", {{"layer"}, {"kind", "", 4}}};
  if (shapes) table.columns.push_back({"shape", "", 0, 8});
  add_keys(r, table.columns);
  if (r.split) table.columns.push_back({"parts", "launches of each group", 6});
  table.columns.insert(
      table.columns.end(),
      {{"cycles", "", 15}, {"time", "of an iteration", 10, 1}, {"GOPS", "", 7, 6}, {"limiter", "", 15}});
  if (found != r.convolutions.end()) add_counts(found->optimal->resources, table.columns);
  table.columns.push_back({"fit/arrays", "kernels that fit, of all examined", 13, 7});
  table.columns.push_back({"why none", "", 0, 0, On::Both, true});
  table.search = table.chosen = true;
  for (const Convolution& c : r.convolutions) {
    std::vector<Cell> cells{c.layer, conv::to_string(c.kind)};
    if (shapes) cells.emplace_back(c.shape.value_or(""));
    if (c.optimal) {
      const Optimum& best = *c.optimal;
      add_keys(r, best.kernel, cells);
      if (r.split) cells.push_back(count_cell(best.parts.value_or(1)));
      cells.insert(cells.end(),
                   {count_cell(r.cycles_of(c)), time_cell(best.seconds), fixed_cell(best.gops, 2), best.limiter});
      add_counts(best.resources, cells);
    }
    cells.resize(table.columns.size(), "-");
    cells[cells.size() - 2] = {fmt::format("{}/{}", c.fitting, c.arrays), static_cast<double>(c.fitting)};
    cells.back() = c.optimal ? "" : misfit_text(c);
    table.rows.push_back(std::move(cells));
  }
  return table;
}

// One point per convolution that has a kernel.
Points shapes_chart(const Result& r, std::vector<Series>& frame) {
  std::vector<const Convolution*> rows;
  for (const Convolution& c : r.convolutions) {
    if (c.optimal) rows.push_back(&c);
  }
  Points chart{Points::Kind::Scatter, "shapes", "The best kernel of every convolution", {"layer", "kind"}};
  const auto add = [&](const std::string& name, auto value) {
    frame.push_back(series_of(name, "", Form::Plain, rows, value));
  };
  add("layer", [](const Convolution* c) { return c->layer; });
  add("kind", [](const Convolution* c) { return conv::to_string(c->kind); });
  add("limiter", [](const Convolution* c) { return c->optimal->limiter; });
  chart.tip = {"cycles", "limiter"};
  const auto figure = [&](const std::string& name, auto value) {
    add(name, value);
    chart.choose.push_back(name);
    if (name != "cycles") chart.tip.push_back(name);
  };
  for (const auto& [name, parameter] : rows.front()->optimal->kernel) {
    const auto* const value = std::get_if<Value>(&parameter);
    if (!value || std::holds_alternative<std::string>(*value)) continue;
    figure(name, [&name = name](const Convolution* c) { return value_in(c->optimal->kernel, name); });
  }
  for (std::size_t i = 0; i < rows.front()->optimal->resources.counts().size(); ++i) {
    figure(rows.front()->optimal->resources.counts()[i].first,
           [i](const Convolution* c) { return c->optimal->resources.counts().at(i).second; });
  }
  figure("cycles", [](const Convolution* c) { return c->optimal->cycles; });
  chart.x = chart.choose.at(0);
  chart.y = chart.choose.at(1);
  chart.size = "cycles";
  chart.color = "kind";
  for (const char* kind : {"F", "GI", "GW"}) chart.parts.push_back({kind});
  return chart;
}

Facts optimal(const Result& r) {
  const Optimal& o = r.optimal;
  const std::string epoch =
      fmt::format("{} an epoch of {} images (dataset_images)", hours_text(o.epoch_hours), thousands(r.dataset_images));
  Facts facts;
  if (r.tiles) {
    facts.add("optimal",
              fmt::format("{} convolutions of {} sizes, each on its own tile: {} an iteration by the minimised "
                          "time; kernels alone {} cycles, {}",
                          o.convolutions, o.shapes, duration_text(o.seconds.value_or(0)), thousands(o.cycles), epoch));
  } else {
    const std::string some = o.misfits > 0 ? fmt::format("{} of ", o.convolutions - o.misfits) : "";
    facts.add("optimal", fmt::format("{}{} convolutions of {} shapes, each on its own kernel: {} cycles, {} an "
                                     "iteration, {}; convolutions only",
                                     some, o.convolutions, o.shapes, thousands(o.cycles),
                                     duration_text(o.seconds_per_iteration), epoch));
  }
  if (o.misfits > 0 && !r.tiles) {
    facts.add("misfits",
              fmt::format("{} of {} convolutions have no kernel within the budget; the figures are without them",
                          o.misfits, o.convolutions));
  }
  facts.add("in a run", "weft show RESULT --convolution LAYER:KIND --yaml > k.yaml; weft run RUN --set kernel=k.yaml");
  return facts;
}

Section sharing_section(const Result& r) {
  const bool minimum = r.sharing.front().minimum.has_value();
  Table table{"Shared kernels",
              {{"penalty", "how much slower a convolution may become"},
               {"Algorithms 1 and 2", "kernels"},
               {"time", "more than with a kernel for each shape"}}};
  Lines kernels{"sharing",         "Kernels that a network needs, against the penalty allowed",
                "penalty allowed", "kernels",
                Form::Share,       Form::Plain};
  Lines loss{"sharing-loss",    "Time that sharing kernels costs, against the penalty allowed",
             "penalty allowed", "time more",
             Form::Share,       Form::Change};
  for (Lines* chart : {&kernels, &loss}) {
    chart->parts = {{"Algorithms 1 and 2", "k-2"}};
    if (minimum) chart->parts.push_back({"the fewest there are", "k-1"});
    chart->lines.resize(chart->parts.size());
  }
  if (minimum) {
    table.columns.insert(table.columns.end(), {{"fewest there are", "kernels"},
                                               {"time more", "than with a kernel for each shape"},
                                               {"proved", "no smaller number meets the penalty"}});
  }
  for (const Sharing& one : r.sharing) {
    const double penalty = one.penalty_percent / 100;
    const auto add = [&](std::size_t line, const Shared& shared) {
      kernels.lines[line].emplace_back(penalty, shared.kernels);
      loss.lines[line].emplace_back(penalty, shared.loss);
      table.rows.back().push_back(count_cell(shared.kernels));
      table.rows.back().push_back(change_cell(shared.loss));
    };
    table.rows.push_back({{fmt::format("{}%", one.penalty_percent), penalty}});
    add(0, one.heuristic);
    if (!one.minimum) continue;
    add(1, *one.minimum);
    table.rows.back().emplace_back(
        one.minimum->at_least == one.minimum->kernels ? "yes" : fmt::format("at least {}", one.minimum->at_least));
  }
  Section section{"sharing",
                  "Sharing against penalty",
                  {Text{"shared kernels: their number, and the added time of an iteration"}, table}};
  if (r.whole_network && r.published && r.published->kernels) {
    section.blocks.emplace_back(
        Text{fmt::format("published: {} kernels with a penalty of zero{}", *r.published->kernels, source(r))});
    kernels.levels.push_back(
        {static_cast<double>(*r.published->kernels), fmt::format("{} kernels", *r.published->kernels)});
  }
  section.blocks.insert(section.blocks.begin() + 1, {kernels, loss});
  return section;
}

Section readings_section(const Result& r) {
  Section section{"readings", "Hours an epoch, by reading of the equations"};
  const bool published = r.published && r.published->epoch_hours;
  if (r.epoch_hours_by_reading) {
    Bars chart{"readings", "Hours an epoch under each reading of the equations"};
    chart.label = "hours an epoch";
    chart.parts = {{"", "k-1"}, {"", "k-6"}};
    for (const auto& [key, alternatives] : r.epoch_hours_by_reading->values) {
      Table table{"Readings of " + key,
                  {{"reading"},
                   {"hours an epoch"},
                   {"cycles", "of an iteration"},
                   {"do not fit", "convolutions without a kernel that fits"}}};
      if (!r.compared_reading || section.blocks.size() > 1) table.on = On::Page;
      table.folded = true;
      for (const auto& [name, of] : alternatives.values) {
        table.rows.push_back({name, fixed_cell(of.epoch_hours, 2), count_cell(of.cycles), count_cell(of.misfits)});
        chart.bars.push_back(
            {fmt::format("{}: {}", key, name), {{0, of.epoch_hours}}, fmt::format("{:.2f}", of.epoch_hours)});
      }
      if (table.on == On::Both) {
        section.blocks.emplace_back(Text{"hours an epoch, optimal kernels, by the reading of " + *r.compared_reading});
      }
      section.blocks.emplace_back(std::move(table));
    }
    if (published)
      chart.bars.push_back(
          {"published", {{1, *r.published->epoch_hours}}, fmt::format("{:.2f}", *r.published->epoch_hours)});
    section.blocks.insert(section.blocks.begin(), chart);
  }
  if (r.whole_network && published) {
    section.blocks.emplace_back(
        Text{fmt::format("published hours an epoch: {:.2f}{}", *r.published->epoch_hours, source(r))});
  }
  if (!section.blocks.empty()) {
    section.blocks.emplace_back(
        Text{"convolutions only: without the host's layers, PCIe, launches and reconfigurations"});
  }
  return section;
}

Section rerank_section(const Rerank& rerank) {
  Table table{"The best by the equations, simulated",
              {{"layer"},
               {"kind", "", 4},
               {"rank", "by the equations, simulated", 9},
               {"X", "", 4},
               {"Y", "", 4},
               {"equations", "cycles", 15, 1},
               {"simulated", "cycles", 15},
               {"error", "", 8}}};
  table.search = true;
  std::int64_t changed = 0;
  double largest_loss = 0;
  for (const Reranked& one : rerank.convolutions) {
    const std::size_t colon = one.convolution.rfind(':');
    for (const RankedKernel& d : one.designs) {
      const double error = static_cast<double>(d.equations - d.simulated) / static_cast<double>(d.simulated);
      table.rows.push_back({one.convolution.substr(0, colon),
                            one.convolution.substr(colon + 1),
                            {fmt::format("{} -> {}", d.rank, d.simulated_rank), static_cast<double>(d.rank)},
                            value_cell(value_in(d.kernel, "x")),
                            value_cell(value_in(d.kernel, "y")),
                            count_cell(d.equations),
                            count_cell(d.simulated),
                            change_cell(error)});
      if (d.simulated_rank == 1 && d.rank != 1) ++changed;
    }
    largest_loss = std::max(largest_loss, one.loss_of_equations_choice);
  }
  return {"rerank",
          "The best, simulated",
          {Text{fmt::format("the best {} by the equations, simulated ({} rung, batch {})", rerank.count, rerank.rung,
                            rerank.batch)},
           table,
           Text{fmt::format("the simulation prefers another kernel for {} of {} shapes; the equations' choice costs at "
                            "most {:.2f}% more",
                            changed, rerank.convolutions.size(), 100 * largest_loss)}}};
}

// One tile for several convolutions, next to the published one.
Section tiles_section(const Result& r) {
  Table table{"One tile for each layer, and for the network",
              {{"of"}, {"which"}, {"tile"}, {"time", "transfers over PCIe included"}, {"GOPS", "", 0, 1}, {"GOPS/W"}}};
  add_counts(r.network_tile->least_time.optimal.resources, table.columns);
  table.columns.push_back({"published", "published GOPS/W"});
  table.columns.push_back({"better", "tiles that fit and are better than the published one"});
  const auto add = [&](const std::string& of, const char* which, const Tile& tile,
                       const std::optional<std::int64_t>& better) {
    std::vector<Cell> cells{of,
                            which,
                            tile_text(tile.kernel),
                            time_cell(tile.seconds),
                            fixed_cell(tile.gops, 2),
                            fixed_cell(tile.gops_per_watt, 3)};
    add_counts(tile.resources, cells);
    cells.push_back(cell_if(tile.published_gops_per_watt, [](double of) { return Cell(fmt::format("{}", of), of); }));
    cells.push_back(cell_if(better, count_cell));
    table.rows.push_back(std::move(cells));
  };
  const auto both = [&](const std::string& of, const Tiles& tiles) {
    add(of, "best", tiles.optimal, {});
    if (tiles.published) add(of, "published", *tiles.published, tiles.better_than_published);
  };
  for (const LayerTiles& layer : *r.layers) both(layer.layer, layer);
  both("network, least time", r.network_tile->least_time);
  both("network, highest mean", r.network_tile->highest_mean);
  return {"tiles",
          "One tile for several convolutions",
          {Text{fmt::format("one tile for the convolutions of a layer, and one for the network; GOPS/W at {} W "
                            "(network: mean of the layers)",
                            r.watts.value_or(0))},
           table,
           Text{"better: tiles of the space that fit and take less time than the published one" +
                (r.source ? " (" + *r.source + ")" : "")}}};
}

// Each layer on the card or on a CPU.
Section mix_section(const Result& r) {
  const Mix& mix = *r.network_tile->mix;
  Table table{"Each layer on the card or on a CPU",
              {{"of"},
               {"CPU", "published GOPS/W"},
               {"published tile", "GOPS/W"},
               {"best tile", "GOPS/W"},
               {"where", "with the published tile"}}};
  for (const LayerTiles& layer : *r.layers) {
    const bool on_card = std::count(mix.on_card.begin(), mix.on_card.end(), layer.layer) > 0;
    table.rows.push_back({layer.layer, real_cell(*layer.cpu_gops_per_watt),
                          fixed_cell(layer.published->gops_per_watt, 3), fixed_cell(layer.optimal.gops_per_watt, 3),
                          on_card ? "card" : "CPU"});
  }
  const auto published = [](const std::optional<double>& of) { return of ? fmt::format(", published {}", *of) : ""; };
  return {"mix",
          "Card and CPU",
          {Text{"each layer on the card or on a CPU; GOPS/W"}, table,
           Text{fmt::format("mean of the layers: CPU alone {:.3f}{}; mix with the published tiles {:.3f}{}; mix with "
                            "the best tiles {:.3f}",
                            mix.cpu, published(mix.published_cpu), mix.published_tiles, published(mix.published),
                            mix.optimal)}}};
}

// Ranking of kernels that run all convolutions.
Section kernels_section(const Result& r) {
  const std::vector<NetworkKernel>& ranked = *r.network_kernels;
  const bool simulated = ranked.front().simulated.has_value();
  Table table{"One kernel for all convolutions", {{"rank"}}};
  add_keys(r, table.columns);
  for (const char* title : {"cycles", "time", "GOPS"})
    table.columns.push_back({title, "of an iteration, by the equations", 8});
  add_counts(ranked.front().resources, table.columns);
  if (simulated) table.columns.push_back({"simulated", "cycles, if simulated", 9});
  table.most = kShown;
  table.folded = true;
  for (const NetworkKernel& found : ranked) {
    std::vector<Cell> cells{count_cell(static_cast<std::int64_t>(table.rows.size()) + 1)};
    add_keys(r, found.kernel, cells);
    cells.insert(cells.end(), {count_cell(found.cycles), time_cell(found.seconds), fixed_cell(found.gops, 1)});
    add_counts(found.resources, cells);
    if (simulated) cells.push_back(cell_if(found.simulated, count_cell));
    table.rows.push_back(std::move(cells));
  }
  return {
      "kernels",
      "One kernel for all convolutions",
      {Text{fmt::format("one kernel for all convolutions: the best {} of {}{}", std::min(kShown, ranked.size()),
                        thousands(r.fitting.value_or(0)), simulated ? "; simulated ones first" : ", by the equations")},
       table}};
}

// Comparison of several networks, as in Tables 5.8 and 5.6.
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
               fmt::format("{:.2f}", r.optimal.epoch_hours),
               published.epoch_hours ? fmt::format("{:.2f}", *published.epoch_hours) : "-"});
  }
  return table.text(view.width) + left_out_line(table, view.width, "--format json has them") +
         "kernels with a penalty of zero; hours for the convolutions alone\n";
}

}  // namespace

Document view_of(const Result& r) {
  Document d{"dse", r.exploration, lead(r)};
  d.weft_version = r.weft_version;
  const Optimal& of = r.optimal;
  d.figures = {{"Optimal", hours_text(of.epoch_hours), "an epoch, each convolution on its own kernel"},
               {"Iteration", duration_text(of.seconds_per_iteration), thousands(of.cycles) + " cycles"},
               {"Shapes", thousands(of.shapes), fmt::format("of {} convolutions", of.convolutions)},
               {"Without a kernel", thousands(of.misfits), "convolutions, within the budget"}};
  if (r.published && r.published->epoch_hours) {
    d.figures.push_back({"Published", hours_text(*r.published->epoch_hours), "an epoch" + source(r)});
  }
  Section rows{"rows", "The best kernel of each convolution", {rows_table(r)}};
  if (std::any_of(r.convolutions.begin(), r.convolutions.end(), [](const Convolution& c) { return c.optimal; })) {
    rows.blocks.insert(rows.blocks.begin(),
                       {Text{"Each dot is the best kernel of a convolution; its size is its cycles.", On::Page},
                        shapes_chart(r, d.frame)});
  }
  d.sections = {rows, {"optimal", "In all", {optimal(r)}}};
  if (!r.sharing.empty()) d.sections.push_back(sharing_section(r));
  if (r.network_tile) d.sections.push_back(tiles_section(r));
  if (r.network_tile && r.network_tile->mix) d.sections.push_back(mix_section(r));
  if (r.network_kernels) d.sections.push_back(kernels_section(r));
  if (Section readings = readings_section(r); !readings.blocks.empty() && !r.tiles && !r.combinations)
    d.sections.push_back(std::move(readings));
  if (r.rerank) d.sections.push_back(rerank_section(*r.rerank));
  return d;
}

Report dse_report(const std::vector<Result>& results, const TableView& view) {
  Report report;
  report.csv = csv_head(results.front());
  const bool compared = results.size() > 1 && !results.front().tiles && !results.front().combinations;
  for (const Result& r : results) {
    if (!report.table.empty()) report.table += "\n";
    const std::string lines = csv(r);
    report.table += text(view_of(r), view, csv_head(r) + lines);
    report.csv += lines;
  }
  if (compared) report.table += "\n" + comparison(results, view);
  report.json = results.size() == 1 ? record::json_text(results.front())
                                    : record::json_list(std::vector<record::Any>(results.begin(), results.end()));
  return report;
}

}  // namespace weft::tools
