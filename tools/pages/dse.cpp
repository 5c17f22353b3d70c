#include <fmt/core.h>

#include <algorithm>

#include "platform/document/text.h"
#include "tools/pages/cells.h"
#include "tools/pages/pages.h"
#include "tools/results/json_at.h"

namespace weft::tools {

using report::Cell;
using report::Page;
using report::Section;
using report::Table;
using report::thousands;
using Json = nlohmann::ordered_json;

namespace {

// A parameter of a kernel, whatever the design calls it.
Cell value_cell(const Json& value) {
  if (value.is_number_integer()) return count_cell(value.get<std::int64_t>());
  if (value.is_number()) return real_cell(value.get<double>());
  return text_cell(value.is_string() ? value.get<std::string>() : value.dump());
}

Section sharing_section(const Json& saved) {
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
  for (const Json& one : saved.at("sharing")) {
    const Json& heuristic = one.at("heuristic");
    const double penalty = one.at("penalty_percent").get<double>();
    std::vector<Cell> cells{{fmt::format("{} %", penalty), penalty},
                            count_cell(count(heuristic, "kernels")),
                            change_cell(heuristic.at("loss").get<double>())};
    if (one.contains("minimum")) {
      const Json& minimum = one.at("minimum");
      const std::int64_t kernels = count(minimum, "kernels"), least = count(minimum, "at_least");
      cells.push_back(count_cell(kernels));
      cells.push_back(change_cell(minimum.at("loss").get<double>()));
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
  if (saved.contains("published") && saved.at("published").contains("kernels")) {
    section.text.push_back(fmt::format("Published: {} kernels ({}).", count(saved.at("published"), "kernels"),
                                       saved.at("published").value("source", "")));
  }
  return section;
}

Section readings_section(const Json& saved) {
  Section section{"readings",
                  "Hours an epoch, by reading of the equations",
                  {"The best kernels under each reading; convolutions only."},
                  true,
                  {}};
  for (const auto& [key, readings] : saved.at("hours_per_epoch_by_reading").items()) {
    Table table{fmt::format("Readings of {}", key),
                {{"reading", ""},
                 {"hours an epoch", ""},
                 {"cycles", "of an iteration"},
                 {"do not fit", "convolutions without a kernel that fits"}},
                {},
                false,
                true};
    for (const auto& [name, of] : readings.items()) {
      table.rows.push_back({text_cell(name), real_cell(of.at("conv_only_hours_per_epoch").get<double>()),
                            count_cell(count(of, "cycles")), count_cell(count(of, "misfits"))});
    }
    section.tables.push_back(std::move(table));
  }
  return section;
}

Section rerank_section(const Json& saved) {
  const Json& rerank = saved.at("rerank");
  Table table{"The best by the equations, simulated",
              {{"convolution", ""},
               {"rank", "by the equations"},
               {"simulated rank", ""},
               {"equations", "cycles"},
               {"simulated", "cycles"}},
              {},
              true,
              false};
  for (const Json& one : rerank.at("convolutions")) {
    for (const Json& design : one.at("designs")) {
      table.rows.push_back({text_cell(text(one, "convolution")), count_cell(count(design, "rank")),
                            count_cell(count(design, "simulated_rank")), count_cell(count(design, "equations_cycles")),
                            count_cell(count(design, "simulated_cycles"))});
    }
  }
  return {"rerank",
          fmt::format("Simulated on the {} rung", text(rerank, "rung")),
          {fmt::format("The best arrays by the equations, at batch {}.", count(rerank, "batch"))},
          false,
          {table}};
}

void add_keys(const Json& of, const char* meaning, Table& table) {
  for (const auto& each : of.items()) table.columns.push_back({each.key(), meaning});
}

// One tile for several convolutions, beside the one that others found.
Section tiles_section(const Json& saved) {
  const Json& any = saved.at("network_tile").at("least_time").at("optimal");
  Table table{"One tile for each layer, and for the network", {{"of", ""}, {"tile", ""}}, {}, false, false};
  add_keys(any.at("kernel"), "of the tile", table);
  add_keys(any.at("resources"), "that it takes", table);
  for (const char* column : {"ms", "GOPS", "GOPS/W"}) table.columns.push_back({column, "transfers over PCIe included"});
  table.columns.push_back({"published", "GOPS/W that others found"});
  table.columns.push_back({"better", "tiles that are better than the published one"});
  const auto add = [&](const std::string& of, const Json& json, const char* which) {
    if (!json.contains(which)) return;
    const Json& tile = json.at(which);
    const bool published = which == std::string("published");
    std::vector<Cell> cells{text_cell(of), text_cell(published ? "published" : "best")};
    for (const char* part : {"kernel", "resources"}) {
      for (const Json& value : tile.at(part)) cells.push_back(value_cell(value));
    }
    cells.push_back(real_cell(1000 * tile.at("seconds").get<double>()));
    cells.push_back(real_cell(tile.at("gops").get<double>()));
    cells.push_back(real_cell(tile.at("gops_per_watt").get<double>()));
    cells.push_back(tile.contains("published_gops_per_watt")
                        ? real_cell(tile.at("published_gops_per_watt").get<double>())
                        : text_cell(""));
    cells.push_back(published ? count_cell(count(json, "better_than_published")) : text_cell(""));
    table.rows.push_back(std::move(cells));
  };
  const auto both = [&](const std::string& of, const Json& json) {
    for (const char* which : {"optimal", "published"}) add(of, json, which);
  };
  for (const Json& layer : saved.at("layers")) both(text(layer, "layer"), layer);
  both("network, least time", saved.at("network_tile").at("least_time"));
  both("network, highest mean", saved.at("network_tile").at("highest_mean"));
  Section section{"tiles",
                  "One tile for several convolutions",
                  {fmt::format("{} of {} tiles are within the budget.", thousands(count(saved, "fitting")),
                               thousands(count(saved, "tiles")))},
                  false,
                  {std::move(table)}};
  if (saved.contains("source")) section.text.push_back(fmt::format("Published: {}.", text(saved, "source")));
  return section;
}

// One kernel for all convolutions, the best few.
Section kernels_section(const Json& saved) {
  const Json& found = saved.at("network_kernels");
  Table table{"One kernel for all convolutions", {{"rank", ""}}, {}, false, true};
  add_keys(found.at(0).at("kernel"), "of the kernel", table);
  add_keys(found.at(0).at("resources"), "the most that a convolution takes", table);
  table.columns.push_back({"cycles", "of an iteration, by the equations"});
  table.columns.push_back({"simulated", "cycles, where it was simulated"});
  for (std::size_t i = 0; i < found.size(); ++i) {
    std::vector<Cell> cells{count_cell(static_cast<std::int64_t>(i) + 1)};
    for (const char* part : {"kernel", "resources"}) {
      for (const Json& value : found[i].at(part)) cells.push_back(value_cell(value));
    }
    cells.push_back(count_cell(count(found[i], "cycles")));
    cells.push_back(found[i].contains("simulated_cycles") ? count_cell(count(found[i], "simulated_cycles"))
                                                          : text_cell(""));
    table.rows.push_back(std::move(cells));
  }
  return {"kernels",
          "One kernel for all convolutions",
          {fmt::format("{} of {} kernels are within the budget.", thousands(count(saved, "fitting")),
                       thousands(count(saved, "combinations")))},
          false,
          {std::move(table)}};
}

Section rows_section(const Json& saved) {
  Table table{"The best kernel of every convolution",
              {{"layer", ""}, {"kind", ""}, {"cycles", ""}, {"limiter", ""}},
              {},
              true,
              false};
  const Json& rows = saved.at("convolutions");
  const auto found = std::find_if(rows.begin(), rows.end(), [](const Json& row) { return row.contains("optimal"); });
  if (found != rows.end()) {
    for (const auto& each : found->at("optimal").at("kernel").items()) {
      if (!each.value().is_structured()) table.columns.push_back({each.key(), "of its kernel"});
    }
    for (const auto& each : found->at("optimal").at("resources").items())
      table.columns.push_back({each.key(), "of its kernel"});
  }
  table.columns.push_back({"fitting", "arrays with a kernel that fits"});
  table.columns.push_back({"arrays", "that were looked at"});
  for (const Json& row : rows) {
    std::vector<Cell> cells{text_cell(text(row, "layer")), text_cell(text(row, "kind"))};
    if (row.contains("optimal")) {
      const Json& best = row.at("optimal");
      cells.push_back(count_cell(count(best, "cycles")));
      cells.push_back(text_cell(text(best, "limiter")));
      for (const char* part : {"kernel", "resources"}) {
        for (const Json& value : best.at(part)) {
          if (!value.is_structured()) cells.push_back(value_cell(value));
        }
      }
    } else {
      cells.resize(table.columns.size() - 2, text_cell(""));
      cells[3] = text_cell("no kernel fits");
    }
    cells.push_back(count_cell(count(row, "fitting")));
    cells.push_back(count_cell(count(row, "arrays")));
    if (cells.size() != table.columns.size())
      throw Json::other_error::create(501, "kernels with different parameters", &row);
    table.rows.push_back(std::move(cells));
  }
  return {"rows", "All convolutions", {}, false, {table}};
}

}  // namespace

Page dse_page(const Json& saved) {
  const Json& optimal = saved.at("optimal");
  Page page;
  page.kind = page.command = "dse";
  page.title = text(saved, "exploration");
  std::string budget;
  for (const auto& [name, most] : saved.at("budget").items())
    budget += fmt::format("{}{} {}", budget.empty() ? "" : ", ", thousands(most.get<std::int64_t>()), name);
  page.lead = fmt::format("{} on {}: batch {}, {} MHz, at most {}. By the equations; convolutions only.",
                          text(saved, "network"), text(saved, "board"), count(saved, "batch"), text(saved, "clock_mhz"),
                          budget);
  page.weft_version = text(saved, "weft_version");
  page.figures = {{"Optimal", real_text(optimal.at("conv_only_hours_per_epoch").get<double>()) + " h",
                   "an epoch, each convolution on its own kernel"},
                  {"Iteration", time_cell(optimal.at("conv_only_seconds_per_iteration").get<double>()).text,
                   fmt::format("{} cycles", thousands(count(optimal, "cycles")))},
                  {"Shapes", thousands(count(optimal, "shapes")),
                   fmt::format("of {} convolutions", count(optimal, "convolutions"))},
                  {"Without a kernel", thousands(count(optimal, "misfits")), "convolutions that nothing fits"}};
  if (saved.contains("published") && saved.at("published").contains("hours_per_epoch")) {
    page.figures.push_back({"Published", real_text(saved.at("published").at("hours_per_epoch").get<double>()) + " h",
                            "an epoch, " + saved.at("published").value("source", "")});
  }
  page.sections.push_back({"shapes",
                           "The best kernel of each convolution",
                           {"A dot a convolution, where its best kernel lies; the larger, the more cycles it takes."},
                           true,
                           {}});
  if (!saved.at("sharing").empty()) page.sections.push_back(sharing_section(saved));
  if (saved.contains("network_tile")) page.sections.push_back(tiles_section(saved));
  if (saved.contains("network_kernels")) page.sections.push_back(kernels_section(saved));
  if (saved.contains("hours_per_epoch_by_reading")) page.sections.push_back(readings_section(saved));
  if (saved.contains("rerank")) page.sections.push_back(rerank_section(saved));
  page.sections.push_back(rows_section(saved));
  page.data = {{"rows", Json::array()}, {"sharing", Json::array()}};
  for (const Json& row : saved.at("convolutions")) {
    if (!row.contains("optimal")) continue;
    page.data["rows"].push_back({{"layer", row.at("layer")},
                                 {"kind", row.at("kind")},
                                 {"cycles", row.at("optimal").at("cycles")},
                                 {"limiter", row.at("optimal").at("limiter")},
                                 {"kernel", row.at("optimal").at("kernel")},
                                 {"resources", row.at("optimal").at("resources")}});
  }
  for (const Json& one : saved.at("sharing")) {
    Json& point = page.data["sharing"].emplace_back(Json{{"penalty_percent", one.at("penalty_percent")}});
    for (const char* how : {"heuristic", "minimum"}) {
      if (one.contains(how)) point[how] = {{"kernels", one.at(how).at("kernels")}, {"loss", one.at(how).at("loss")}};
    }
  }
  for (const char* key : {"published", "hours_per_epoch_by_reading"}) {
    if (saved.contains(key)) page.data[key] = saved.at(key);
  }
  return page;
}

}  // namespace weft::tools
