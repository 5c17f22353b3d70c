#include <fmt/core.h>

#include <algorithm>

#include "model/core/text.h"
#include "platform/record/json.h"
#include "tools/pages/cells.h"
#include "tools/pages/pages.h"

namespace weft::tools {

using report::Cell;
using report::Page;
using report::Section;
using report::Table;
using Json = nlohmann::ordered_json;

namespace {

// A parameter of a kernel, whatever the design calls it.
Cell value_cell(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return count_cell(*number);
  if (const auto* number = std::get_if<double>(&value)) return real_cell(*number);
  return text_cell(to_text(value));
}

// Columns of a kernel and what it takes: the parameters that are values, and resources.
void add_columns(const dse::Kernel& kernel, const char* of_kernel, const dse::Resources& resources,
                 const char* of_resources, Table& table) {
  for (const auto& [name, parameter] : kernel) {
    if (std::holds_alternative<Value>(parameter)) table.columns.push_back({name, of_kernel});
  }
  for (const auto& each : resources.counts()) table.columns.push_back({each.first, of_resources});
}
void add_cells(const dse::Kernel& kernel, const dse::Resources& resources, std::vector<Cell>& cells) {
  for (const auto& [name, parameter] : kernel) {
    if (const auto* value = std::get_if<Value>(&parameter)) cells.push_back(value_cell(*value));
  }
  for (const auto& each : resources.counts()) cells.push_back(count_cell(each.second));
}

template <class T, class Make>
Cell cell_of(const std::optional<T>& value, Make make) {
  return value ? make(*value) : text_cell("");
}

Section sharing_section(const dse::Result& result) {
  Table table{"Shared kernels",
              {{"penalty", "how much slower a convolution may become"},
               {"kernels", "by Algorithms 1 and 2"},
               {"time", "more than with a kernel for each shape"},
               {"fewest kernels", "that there are"},
               {"time", "more than with a kernel for each shape"},
               {"proved", "no smaller number keeps the penalty"}},
              {},
              false,
              false};
  for (const dse::Sharing& one : result.sharing) {
    std::vector<Cell> cells{{fmt::format("{} %", one.penalty_percent), one.penalty_percent},
                            count_cell(one.heuristic.kernels),
                            change_cell(one.heuristic.loss)};
    if (one.minimum) {
      const std::int64_t kernels = one.minimum->kernels, least = one.minimum->at_least;
      cells.push_back(count_cell(kernels));
      cells.push_back(change_cell(one.minimum->loss));
      cells.push_back(text_cell(kernels == least ? "yes" : fmt::format("at least {}", least)));
    } else {
      cells.insert(cells.end(), 3, text_cell(""));
    }
    table.rows.push_back(std::move(cells));
  }
  Section section{"sharing",
                  "Sharing against penalty",
                  {"How many kernels the network needs if a convolution may take so much longer than on its own best "
                   "one, and what that costs in all."},
                  true,
                  {table}};
  if (result.published && result.published->kernels) {
    section.text.push_back(
        fmt::format("Published: {} kernels ({}).", *result.published->kernels, result.published->source.value_or("")));
  }
  return section;
}

Section readings_section(const dse::Result& result) {
  Section section{"readings",
                  "Hours an epoch, by reading of the equations",
                  {"The best kernels under each reading; convolutions only."},
                  true,
                  {}};
  for (const auto& [key, alternatives] : result.hours_per_epoch_by_reading->values) {
    Table table{fmt::format("Readings of {}", key),
                {{"reading", ""},
                 {"hours an epoch", ""},
                 {"cycles", "of an iteration"},
                 {"do not fit", "convolutions without a kernel that fits"}},
                {},
                false,
                true};
    for (const auto& [name, of] : alternatives.values) {
      table.rows.push_back(
          {text_cell(name), real_cell(of.hours_per_epoch), count_cell(of.cycles), count_cell(of.misfits)});
    }
    section.tables.push_back(std::move(table));
  }
  return section;
}

Section rerank_section(const dse::Rerank& rerank) {
  Table table{"The best by the equations, simulated",
              {{"convolution", ""},
               {"rank", "by the equations"},
               {"simulated rank", ""},
               {"equations", "cycles"},
               {"simulated", "cycles"}},
              {},
              true,
              false};
  for (const dse::Reranked& one : rerank.convolutions) {
    for (const dse::RankedKernel& design : one.designs) {
      table.rows.push_back({text_cell(one.convolution), count_cell(design.rank), count_cell(design.simulated_rank),
                            count_cell(design.equations), count_cell(design.simulated)});
    }
  }
  return {"rerank",
          fmt::format("Simulated on the {} rung", rerank.rung),
          {fmt::format("The best arrays by the equations, at batch {}.", rerank.batch)},
          false,
          {table}};
}

// One tile for several convolutions, beside the one that others found.
Section tiles_section(const dse::Result& result) {
  const dse::Tile& any = result.network_tile->least_time.optimal;
  Table table{"One tile for each layer, and for the network", {{"of", ""}, {"tile", ""}}, {}, false, false};
  add_columns(any.kernel, "of the tile", any.resources, "that it takes", table);
  for (const char* column : {"ms", "GOPS", "GOPS/W"}) table.columns.push_back({column, "transfers over PCIe included"});
  table.columns.push_back({"published", "GOPS/W that others found"});
  table.columns.push_back({"better", "tiles that are better than the published one"});
  const auto add = [&](const std::string& of, const char* which, const dse::Tile& tile,
                       const std::optional<std::int64_t>& better) {
    std::vector<Cell> cells{text_cell(of), text_cell(which)};
    add_cells(tile.kernel, tile.resources, cells);
    cells.push_back(real_cell(1000 * tile.seconds));
    cells.push_back(real_cell(tile.gops));
    cells.push_back(real_cell(tile.gops_per_watt));
    cells.push_back(cell_of(tile.published_gops_per_watt, real_cell));
    cells.push_back(cell_of(better, count_cell));
    table.rows.push_back(std::move(cells));
  };
  const auto both = [&](const std::string& of, const dse::Tiles& tiles) {
    add(of, "best", tiles.optimal, {});
    if (tiles.published) add(of, "published", *tiles.published, tiles.better_than_published);
  };
  for (const dse::LayerTiles& layer : *result.layers) both(layer.layer, layer);
  both("network, least time", result.network_tile->least_time);
  both("network, highest mean", result.network_tile->highest_mean);
  Section section{
      "tiles",
      "One tile for several convolutions",
      {fmt::format("{} of {} tiles are within the budget.", thousands(*result.fitting), thousands(*result.tiles))},
      false,
      {std::move(table)}};
  if (result.source) section.text.push_back(fmt::format("Published: {}.", *result.source));
  return section;
}

// One kernel for all convolutions, the best few.
Section kernels_section(const dse::Result& result) {
  const std::vector<dse::NetworkKernel>& found = *result.network_kernels;
  Table table{"One kernel for all convolutions", {{"rank", ""}}, {}, false, true};
  add_columns(found.front().kernel, "of the kernel", found.front().resources, "the most that a convolution takes",
              table);
  table.columns.push_back({"cycles", "of an iteration, by the equations"});
  table.columns.push_back({"simulated", "cycles, where it was simulated"});
  for (std::size_t i = 0; i < found.size(); ++i) {
    std::vector<Cell> cells{count_cell(static_cast<std::int64_t>(i) + 1)};
    add_cells(found[i].kernel, found[i].resources, cells);
    cells.push_back(count_cell(found[i].cycles));
    cells.push_back(cell_of(found[i].simulated, count_cell));
    table.rows.push_back(std::move(cells));
  }
  return {"kernels",
          "One kernel for all convolutions",
          {fmt::format("{} of {} kernels are within the budget.", thousands(*result.fitting),
                       thousands(*result.combinations))},
          false,
          {std::move(table)}};
}

Section rows_section(const dse::Result& result) {
  Table table{"The best kernel of every convolution",
              {{"layer", ""}, {"kind", ""}, {"cycles", ""}, {"limiter", ""}},
              {},
              true,
              false};
  const auto& rows = result.convolutions;
  const auto found = std::find_if(rows.begin(), rows.end(), [](const dse::Convolution& row) { return row.optimal; });
  if (found != rows.end()) {
    add_columns(found->optimal->kernel, "of its kernel", found->optimal->resources, "of its kernel", table);
  }
  table.columns.push_back({"fitting", "arrays with a kernel that fits"});
  table.columns.push_back({"arrays", "that were looked at"});
  for (const dse::Convolution& row : rows) {
    std::vector<Cell> cells{text_cell(row.layer), text_cell(conv::to_string(row.kind))};
    if (row.optimal) {
      cells.push_back(count_cell(row.optimal->cycles));
      cells.push_back(text_cell(row.optimal->limiter));
      add_cells(row.optimal->kernel, row.optimal->resources, cells);
    } else {
      cells.resize(table.columns.size() - 2, text_cell(""));
      cells[3] = text_cell("no kernel fits");
    }
    cells.push_back(count_cell(row.fitting));
    cells.push_back(count_cell(row.arrays));
    table.rows.push_back(std::move(cells));
  }
  return {"rows", "All convolutions", {}, false, {table}};
}

// What the charts draw, of the result's JSON.
Json data_of(const Json& saved) {
  const auto some = [](const Json& of, std::initializer_list<const char*> keys) {
    Json json = Json::object();
    for (const char* key : keys) {
      if (of.contains(key)) json[key] = of.at(key);
    }
    return json;
  };
  Json data{{"rows", Json::array()}, {"sharing", Json::array()}};
  for (const Json& row : saved.at("convolutions")) {
    if (!row.contains("optimal")) continue;
    Json& one = data["rows"].emplace_back(some(row, {"layer", "kind"}));
    one.update(some(row.at("optimal"), {"cycles", "limiter", "kernel", "resources"}));
  }
  for (const Json& one : saved.at("sharing")) {
    Json& point = data["sharing"].emplace_back(some(one, {"penalty_percent"}));
    for (const char* how : {"heuristic", "minimum"}) {
      if (one.contains(how)) point[how] = some(one.at(how), {"kernels", "loss"});
    }
  }
  data.update(some(saved, {"published", "hours_per_epoch_by_reading"}));
  return data;
}

}  // namespace

Page dse_page(const dse::Result& result) {
  const dse::Optimal& optimal = result.optimal;
  Page page;
  page.kind = page.command = "dse";
  page.title = result.exploration;
  std::string budget;
  for (const auto& [name, most] : result.budget.counts())
    budget += fmt::format("{}{} {}", budget.empty() ? "" : ", ", thousands(most), name);
  page.lead = fmt::format("{} on {}: batch {}, {} MHz, at most {}. By the equations; convolutions only.",
                          result.network, result.board, result.batch, result.clock_mhz, budget);
  page.weft_version = result.weft_version;
  page.figures = {
      {"Optimal", real_text(optimal.hours_per_epoch) + " h", "an epoch, each convolution on its own kernel"},
      {"Iteration", time_cell(optimal.seconds_per_iteration).text, fmt::format("{} cycles", thousands(optimal.cycles))},
      {"Shapes", thousands(optimal.shapes), fmt::format("of {} convolutions", optimal.convolutions)},
      {"Without a kernel", thousands(optimal.misfits), "convolutions that nothing fits"}};
  if (result.published && result.published->hours_per_epoch) {
    page.figures.push_back({"Published", real_text(*result.published->hours_per_epoch) + " h",
                            "an epoch, " + result.published->source.value_or("")});
  }
  page.sections.push_back({"shapes",
                           "The best kernel of each convolution",
                           {"A dot a convolution, where its best kernel lies; the larger, the more cycles it takes."},
                           true,
                           {}});
  if (!result.sharing.empty()) page.sections.push_back(sharing_section(result));
  if (result.network_tile) page.sections.push_back(tiles_section(result));
  if (result.network_kernels) page.sections.push_back(kernels_section(result));
  if (result.hours_per_epoch_by_reading) page.sections.push_back(readings_section(result));
  if (result.rerank) page.sections.push_back(rerank_section(*result.rerank));
  page.sections.push_back(rows_section(result));
  page.data = data_of(record::to_json(result));
  return page;
}

}  // namespace weft::tools
