#include <fmt/core.h>

#include <algorithm>

#include "model/core/text.h"
#include "platform/record/json.h"
#include "tools/pages/cells.h"
#include "tools/pages/pages.h"

namespace weft::tools {

using explain::Explanation;
using explain::LadderLines;
using explain::Line;
using report::Cell;
using report::Page;
using report::Section;
using report::Table;
using Json = nlohmann::ordered_json;

namespace {

// The run as it is, or a change that is kept.
bool is_step(const Line& line) {
  return line.step && line.figures.seconds && line.figures.shares;
}
std::string change_of(const Line& line) {
  return line.change.value_or("as is");
}
Cell gain_cell(const std::optional<double>& gain) {
  return gain ? percent_cell(*gain) : text_cell("");
}

Table steps_table(const LadderLines& ladder) {
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
  for (const Line& line : ladder.lines) {
    if (!is_step(line)) continue;
    const explain::Figures& f = line.figures;
    table.rows.push_back({text_cell(change_of(line)), time_cell(*f.seconds), gain_cell(line.gain),
                          gain_cell(line.alone), gain_cell(line.last), f.cycles ? count_cell(*f.cycles) : text_cell(""),
                          text_cell(f.shares->empty() ? ""
                                                      : fmt::format("{}, {}", f.shares->front().name,
                                                                    percent_text(f.shares->front().of_time, 0)))});
  }
  for (const explain::Bound& bound : ladder.bounds) {
    std::vector<Cell> cells(table.columns.size(), text_cell(""));
    cells[0] = text_cell(fmt::format("bound of the {}, {}", bound.name, bound.of));
    cells[1] = time_cell(bound.seconds);
    cells[5] = count_cell(bound.cycles);
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Table others_table(const LadderLines& ladder) {
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
  for (const Line& line : ladder.lines) {
    if (is_step(line)) continue;
    std::string ending = to_string(line.ending);
    std::replace(ending.begin(), ending.end(), '_', ' ');
    table.rows.push_back({text_cell(change_of(line)), text_cell(ending),
                          line.figures.seconds ? time_cell(*line.figures.seconds) : text_cell(""),
                          gain_cell(line.alone), gain_cell(line.last), text_cell(line.why_not.value_or(""))});
  }
  return table;
}

}  // namespace

std::vector<Section> ladder_sections(const Explanation& explanation) {
  std::vector<Section> sections;
  const auto add = [&](const char* id, const char* title, const LadderLines& ladder) {
    if (ladder.lines.empty()) return;
    Section section{id, title, ladder.sentences, true, {steps_table(ladder)}};
    if (Table others = others_table(ladder); !others.rows.empty()) section.tables.push_back(std::move(others));
    sections.push_back(std::move(section));
  };
  add("ladder-kernels", "What to change first", explanation.kernels);
  add("ladder-iteration", "What to change first, of a whole training iteration", explanation.iteration);
  if (!sections.empty()) {
    Table table{"What each change is", {{"change", ""}, {"meaning", ""}, {"caveat", ""}}, {}, false, true};
    for (const explain::Change& change : explanation.changes) {
      table.rows.push_back({text_cell(change.name), text_cell(change.meaning), text_cell(change.caveat)});
    }
    sections.back().tables.push_back(std::move(table));
  }
  return sections;
}

Json ladder_data(const Explanation& explanation) {
  Json ladders = Json::array();
  const auto add = [&](const char* id, const LadderLines& ladder) {
    const Json saved = record::to_json(ladder);
    Json one{{"id", id}, {"lines", Json::array()}, {"bounds", saved.at("bounds")}};
    for (std::size_t i = 0; i < ladder.lines.size(); ++i) {
      if (!is_step(ladder.lines[i])) continue;
      const Json& line = saved.at("lines").at(i);
      one["lines"].push_back({{"change", change_of(ladder.lines[i])},
                              {"seconds", line.at("seconds")},
                              {"shares", line.at("shares")},
                              {"gain", line.value("gain", Json())}});
    }
    if (!one["lines"].empty()) ladders.push_back(std::move(one));
  };
  add("ladder-kernels", explanation.kernels);
  add("ladder-iteration", explanation.iteration);
  return ladders;
}

Page explain_page(const Explanation& e) {
  Page page;
  page.kind = page.command = "explain";
  page.title = e.run;
  page.lead = fmt::format("What limits {} on {}, and what each change gains: {}, batch {}, {} rung.", e.network,
                          e.board, e.kernel, e.batch, e.rung);
  page.weft_version = WEFT_VERSION;
  std::vector<const Line*> steps;
  for (const Line& line : e.kernels.lines) {
    if (is_step(line)) steps.push_back(&line);
  }
  if (!steps.empty()) {
    const double first = *steps.front()->figures.seconds, last = *steps.back()->figures.seconds;
    page.figures = {
        {"As it is", time_cell(first).text, fmt::format("{} convolutions", thousands(e.convolutions))},
        {"With all that gains", time_cell(last).text, fmt::format("{} times as fast", real_text(first / last))},
        {"Steps", fmt::format("{}", steps.size() - 1), fmt::format("of {} changes tried", e.kernels.lines.size() - 1)}};
  }
  if (steps.size() > 1) {
    page.figures.push_back(
        {"First", change_of(*steps[1]), steps[1]->gain ? fmt::format("saves {}", percent_text(*steps[1]->gain)) : ""});
  }
  page.sections = ladder_sections(e);
  page.data = {{"ladders", ladder_data(e)}};
  return page;
}

}  // namespace weft::tools
