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

bool kept(const Json& line) {
  return line.contains("step");
}
std::string change_of(const Json& line) {
  return line.value("change", "as is");
}

template <class Make>
Cell cell_if(const Json& line, const char* key, Make make) {
  return line.contains(key) ? make(line.at(key).get<double>()) : text_cell("");
}
Cell gain_cell(double gain) {
  return percent_cell(gain);
}

Table steps_table(const Json& ladder) {
  Table table{"Step by step",
              {{"change", "on top of those above it"},
               {"time", ""},
               {"gain", "share of the time before it that it saves"},
               {"alone", "share of the time of the run as it is that it saves by itself"},
               {"last", "share of the time that it saves as the last of all kept changes"},
               {"cycles", "of the kernel clock"},
               {"limited by", "what takes most of the time"}},
              {},
              false,
              false};
  for (const Json& line : ladder.at("lines")) {
    if (!kept(line)) continue;
    const Json& shares = line.at("shares");
    table.rows.push_back(
        {text_cell(change_of(line)), time_cell(line.at("seconds").get<double>()), cell_if(line, "gain", gain_cell),
         cell_if(line, "alone", gain_cell), cell_if(line, "last", gain_cell),
         cell_if(line, "cycles", [](double cycles) { return count_cell(static_cast<std::int64_t>(cycles)); }),
         text_cell(shares.empty() ? ""
                                  : fmt::format("{}, {}", text(shares.front(), "name"),
                                                percent_text(shares.front().at("of_time").get<double>(), 0)))});
  }
  for (const Json& bound : ladder.at("bounds")) {
    std::vector<Cell> cells(table.columns.size(), text_cell(""));
    cells[0] = text_cell(fmt::format("bound of the {}, {}", text(bound, "name"), text(bound, "of")));
    cells[1] = time_cell(bound.at("seconds").get<double>());
    cells[5] = count_cell(bound.at("cycles").get<std::int64_t>());
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Table others_table(const Json& ladder) {
  Table table{"Tried and not kept",
              {{"change", ""},
               {"came to", ""},
               {"time", "with it and all kept ones"},
               {"alone", ""},
               {"last", ""},
               {"why not", ""}},
              {},
              false,
              false};
  for (const Json& line : ladder.at("lines")) {
    if (kept(line)) continue;
    std::string ending = text(line, "ending");
    std::replace(ending.begin(), ending.end(), '_', ' ');
    table.rows.push_back({text_cell(change_of(line)), text_cell(ending), cell_if(line, "seconds", time_cell),
                          cell_if(line, "alone", gain_cell), cell_if(line, "last", gain_cell),
                          text_cell(line.value("why_not", ""))});
  }
  return table;
}

}  // namespace

// "kernels" is the ladder of the convolutions, "iteration" that of the training iteration.
std::vector<Section> ladder_sections(const Json& saved) {
  std::vector<Section> sections;
  for (const auto& [id, title] : {std::pair("kernels", "What to change first"),
                                  std::pair("iteration", "What to change first, of a whole training iteration")}) {
    const Json& ladder = saved.at(id);
    if (ladder.at("lines").empty()) continue;
    Section section{fmt::format("ladder-{}", id), title, {}, true, {steps_table(ladder)}};
    for (const Json& sentence : ladder.at("sentences")) section.text.push_back(sentence.get<std::string>());
    if (Table others = others_table(ladder); !others.rows.empty()) section.tables.push_back(std::move(others));
    sections.push_back(std::move(section));
  }
  if (!sections.empty()) {
    Table table{"What each change is", {{"change", ""}, {"meaning", ""}, {"caveat", ""}}, {}, false, true};
    for (const Json& change : saved.at("changes")) {
      table.rows.push_back(
          {text_cell(text(change, "name")), text_cell(text(change, "meaning")), text_cell(text(change, "caveat"))});
    }
    sections.back().tables.push_back(std::move(table));
  }
  return sections;
}

Json ladder_data(const Json& saved) {
  Json ladders = Json::array();
  for (const char* id : {"kernels", "iteration"}) {
    const Json& ladder = saved.at(id);
    Json one{{"id", fmt::format("ladder-{}", id)}, {"lines", Json::array()}, {"bounds", ladder.at("bounds")}};
    for (const Json& line : ladder.at("lines")) {
      if (!kept(line)) continue;
      one["lines"].push_back({{"change", change_of(line)},
                              {"seconds", line.at("seconds")},
                              {"shares", line.at("shares")},
                              {"gain", line.contains("gain") ? line.at("gain") : Json()}});
    }
    if (!one["lines"].empty()) ladders.push_back(std::move(one));
  }
  return ladders;
}

Page explain_page(const Json& saved) {
  Page page;
  page.kind = page.command = "explain";
  page.title = text(saved, "explained");
  page.lead = fmt::format("What limits {} on {}, and what each change gains: {}, batch {}, {} rung.",
                          text(saved, "network"), text(saved, "board"), text(saved, "kernel"),
                          saved.at("batch").get<std::int64_t>(), text(saved, "rung"));
  page.weft_version = WEFT_VERSION;
  const Json& lines = saved.at("kernels").at("lines");
  std::vector<const Json*> steps;
  for (const Json& line : lines) {
    if (kept(line)) steps.push_back(&line);
  }
  if (!steps.empty()) {
    const double first = steps.front()->at("seconds").get<double>(), last = steps.back()->at("seconds").get<double>();
    page.figures = {
        {"As it is", time_cell(first).text,
         fmt::format("{} convolutions", thousands(saved.at("convolutions").get<std::int64_t>()))},
        {"With all that gains", time_cell(last).text, fmt::format("{} times as fast", real_text(first / last))},
        {"Steps", fmt::format("{}", steps.size() - 1), fmt::format("of {} changes tried", lines.size() - 1)}};
  }
  if (steps.size() > 1) {
    page.figures.push_back(
        {"First", change_of(*steps[1]),
         steps[1]->contains("gain") ? fmt::format("saves {}", percent_text(steps[1]->at("gain").get<double>())) : ""});
  }
  page.sections = ladder_sections(saved);
  page.data = {{"ladders", ladder_data(saved)}};
  return page;
}

}  // namespace weft::tools
