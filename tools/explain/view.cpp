#include "tools/explain/view.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "model/core/text.h"
#include "platform/record/csv.h"

namespace weft::tools {

using namespace report;
using explain::Ending;
using explain::Explanation;
using explain::LadderLines;
using explain::Line;

namespace {

// True for the unchanged run and for kept changes.
bool is_step(const Line& line) {
  return line.step && line.figures.seconds && line.figures.shares;
}

std::string change_of(const Line& line) {
  return line.change.value_or("as is");
}

std::string limiter_text(const Line& line, double least, std::size_t most) {
  switch (line.ending) {
    case Ending::NoGain:
      return "no faster";
    case Ending::Slower:
      return "slower";
    case Ending::Impossible:
      return "not possible";
    case Ending::AsIs:
    case Ending::Kept:
      break;
  }
  std::string text;
  const auto& shares = line.figures.shares;
  for (std::size_t i = 0; shares && i < std::min(most, shares->size()); ++i) {
    const explain::Share& share = shares->at(i);
    if (share.of_time >= least) {
      text += fmt::format("{}{} {:.1f}%", text.empty() ? "" : ", ", share.name, 100 * share.of_time);
    }
  }
  return text;
}

Cell share_or_none(const std::optional<double>& share) {
  return cell_if(share, [](double of) { return share_cell(of); });
}
Cell seconds_cell(double seconds) {
  return {explain::duration_text(seconds), seconds};
}

// `cycles`: the ladder is of kernels, whose cycles are known.
Table lines_table(const LadderLines& ladder, bool cycles) {
  Table table{"What each change gains",
              {{"step"},
               {"change", "in addition to those above"},
               {"time"},
               {"gain", "saved share of the previous time"},
               {"alone", "share of the unchanged run's time that the change saves alone", 0, cycles ? 1 : 2},
               {"last", "share of the time that the change saves as the last of all kept changes", 0, cycles ? 1 : 2}}};
  if (cycles) {
    table.columns.insert(table.columns.begin() + 2, {"cycles", "of the kernel clock", 0, 4});
    for (const char* kind : {"F M", "GI M", "GW M"}) table.columns.push_back({kind, "millions of cycles", 0, 5});
    table.columns.push_back({"util", "useful multiply-accumulates as a share of the array's maximum", 0, 2});
    table.columns.push_back({"limiter", "largest part of the time, or outcome of the change", 0, 3});
  } else {
    table.columns.push_back({"made of", "parts of the time, or outcome of the change", 0, 1});
  }
  table.columns.push_back({"why not", "", 0, 0, On::Both, true});
  table.chosen = cycles;
  if (!cycles) table.how = "a wider terminal has them";
  for (const Line& line : ladder.lines) {
    const explain::Figures& f = line.figures;
    std::vector<Cell> row{line.step ? Cell(std::to_string(*line.step), static_cast<double>(*line.step)) : Cell("-"),
                          change_of(line),
                          cell_if(f.seconds, seconds_cell),
                          share_or_none(line.gain),
                          share_or_none(line.alone),
                          share_or_none(line.last)};
    if (cycles) {
      row.insert(row.begin() + 2, cell_if(f.cycles, count_cell));
      for (const std::optional<Cycles>& of : f.kinds.value_or(explain::KindCycles()).of) {
        row.push_back(cell_if(of, [](Cycles count) { return fixed_cell(1e-6 * static_cast<double>(count), 1); }));
      }
      row.push_back(share_or_none(f.utilisation));
    }
    row.emplace_back(cycles ? limiter_text(line, 0, 1) : limiter_text(line, 0.001, 4));
    row.emplace_back(line.why_not.value_or(""));
    table.rows.push_back(std::move(row));
  }
  for (const explain::Bound& bound : ladder.bounds) {
    if (!cycles) break;
    std::vector<Cell> row(table.columns.size());
    row[0] = "-";
    row[1] = fmt::format("bound: {}", bound.name);
    row[2] = count_cell(bound.cycles);
    row[3] = seconds_cell(bound.seconds);
    row[row.size() - 2] = bound.of;
    table.rows.push_back(std::move(row));
  }
  return table;
}

// One bar per step, split by what limits the run after it.
Bars ladder_chart(const std::string& id, const LadderLines& ladder) {
  Bars chart{id, "Time after each kept change, split by what limits it"};
  chart.form = Form::Time;
  for (const Line& line : ladder.lines) {
    if (!is_step(line)) continue;
    const double seconds = *line.figures.seconds;
    Bar& bar = chart.bars.emplace_back(Bar{chart.bars.empty() ? change_of(line) : "+ " + change_of(line)});
    bar.note = duration_text(seconds);
    if (line.gain) bar.note += ", saves " + share_cell(*line.gain).text;
    for (const explain::Share& share : *line.figures.shares) {
      const auto same = [&](const Part& part) { return part.name == share.name; };
      const auto part = std::find_if(chart.parts.begin(), chart.parts.end(), same) - chart.parts.begin();
      if (static_cast<std::size_t>(part) == chart.parts.size()) chart.parts.push_back({share.name});
      bar.parts.emplace_back(part, share.of_time * seconds);
    }
  }
  for (const explain::Bound& bound : ladder.bounds) {
    if (bound.of != ladder.bounds.back().of) continue;
    chart.rules.push_back({bound.seconds, fmt::format("{} bound: {}", bound.name, duration_text(bound.seconds))});
  }
  return chart;
}

Section ladder_section(const Explanation& e, const LadderLines& ladder, bool kernels) {
  const std::string id = kernels ? "ladder-kernels" : "ladder-iteration";
  Section section{id, kernels ? "What to change first" : "What to change first, of a whole training iteration"};
  if (!kernels) section.blocks.emplace_back(Text{"The training iteration:\n", On::Terminal});
  if (std::any_of(ladder.lines.begin(), ladder.lines.end(), is_step)) {
    section.blocks.emplace_back(ladder_chart(id, ladder));
  }
  section.blocks.emplace_back(lines_table(ladder, kernels));
  Facts names;
  names.indent = 0;
  for (const explain::Change& change : e.changes) {
    const bool here = std::any_of(ladder.lines.begin(), ladder.lines.end(),
                                  [&](const Line& line) { return line.change == change.name; });
    if (!here) continue;
    names.add(change.name, change.meaning + (change.caveat.empty() ? "" : "; " + change.caveat));
    names.indent = std::max(names.indent, change.name.size() + 2);
  }
  section.blocks.emplace_back(Text{"", On::Terminal});
  section.blocks.emplace_back(std::move(names));
  section.blocks.emplace_back(Text{"", On::Terminal});
  for (const std::string& sentence : ladder.sentences) section.blocks.emplace_back(Text{sentence});
  return section;
}

// Line of the CSV: a line of a ladder, or a bound.
struct CsvLine {
  std::string ladder, ending;
  Line line;
  explain::KindCycles kinds;
  std::optional<std::string> most;  // the largest share of the time
  std::optional<double> most_share;
};

void fields(record::Visitor& io, CsvLine& x) {
  explain::Figures& f = x.line.figures;
  io("ladder", "", x.ladder);
  io("ending", "", x.ending);
  io("step", "", x.line.step);
  io("change", "", x.line.change);
  io("seconds", "", f.seconds);
  io("gain", "", x.line.gain);
  io("alone", "", x.line.alone);
  io("last", "", x.line.last);
  io("cycles", "", f.cycles);
  io("cycles_f", "", x.kinds.of[0]);
  io("cycles_gi", "", x.kinds.of[1]);
  io("cycles_gw", "", x.kinds.of[2]);
  io("array_utilisation", "", f.utilisation);
  io("stall_share", "", f.stall_share);
  io("ddr_efficiency", "", f.ddr_efficiency);
  io("do_not_fit", "", f.do_not_fit);
  io("most", "", x.most);
  io("most_share", "", x.most_share);
  io("kernel", "", f.kernel);
  io("memory", "", f.memory);
  io("config", "", x.line.config);
  io("why_not", "", x.line.why_not);
}

}  // namespace

std::vector<Section> ladder_sections(const Explanation& e) {
  std::vector<Section> sections{ladder_section(e, e.kernels, true)};
  if (!e.iteration.lines.empty()) sections.push_back(ladder_section(e, e.iteration, false));
  return sections;
}

Document view_of(const Explanation& e) {
  Document d{"explain", e.run};
  d.lead = fmt::format("what limits {} on {}, {}, batch {}, {} rung", e.network, e.board, e.kernel, e.batch, e.rung);
  if (e.search_batch != e.batch) d.lead += fmt::format("\norder, alone and last: at batch {}", e.search_batch);
  d.weft_version = e.weft_version;
  std::vector<const Line*> steps;
  for (const Line& line : e.kernels.lines) {
    if (is_step(line)) steps.push_back(&line);
  }
  if (!steps.empty()) {
    const double first = *steps.front()->figures.seconds, last = *steps.back()->figures.seconds;
    d.figures = {
        {"As it is", duration_text(first), fmt::format("{} convolutions", thousands(e.convolutions))},
        {"With all kept changes", duration_text(last), fmt::format("{:.4g} times as fast", first / last)},
        {"Steps", fmt::format("{}", steps.size() - 1), fmt::format("of {} changes tried", e.kernels.lines.size() - 1)}};
  }
  if (steps.size() > 1) {
    const std::optional<double>& gain = steps[1]->gain;
    d.figures.push_back({"First", change_of(*steps[1]), gain ? "saves " + share_cell(*gain).text : ""});
  }
  d.sections = ladder_sections(e);
  if (e.iteration.lines.empty()) {
    d.sections.push_back({"ladder-iteration",
                          "The training iteration",
                          {Facts{{{"iteration", "no ladder: " + e.no_iteration.value_or("")}}}}});
  }
  return d;
}

std::vector<std::string> ladder_columns() {
  return report::columns_of(record::csv_head(CsvLine()));
}

std::string csv_of(const Explanation& e) {
  std::vector<CsvLine> lines;
  for (const auto& [name, ladder] :
       {std::pair<const char*, const LadderLines&>{"kernels", e.kernels}, {"iteration", e.iteration}}) {
    for (const Line& line : ladder.lines) {
      CsvLine& of = lines.emplace_back(CsvLine{name, to_string(line.ending), line, {}, {}, {}});
      of.kinds = line.figures.kinds.value_or(of.kinds);
      if (!line.figures.shares || line.figures.shares->empty()) continue;
      of.most = line.figures.shares->front().name;
      of.most_share = line.figures.shares->front().of_time;
    }
    for (const explain::Bound& bound : ladder.bounds) {
      CsvLine& of = lines.emplace_back(CsvLine{name, "bound", {}, {}, {}, {}});
      of.line.change = bound.name + " " + bound.of;
      of.line.figures.seconds = bound.seconds;
      of.line.figures.cycles = bound.cycles;
    }
  }
  return record::csv_text(lines);
}

}  // namespace weft::tools
