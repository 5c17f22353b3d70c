#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "model/core/text.h"
#include "platform/config/reader.h"
#include "tools/cli/views.h"

namespace weft::tools {

using namespace report;
using explain::Explanation;
using explain::Line;

namespace {

// True for the unchanged run and for kept changes.
bool is_step(const Line& line) {
  return line.step && line.figures.seconds && line.figures.shares;
}

std::string change_of(const Line& line) {
  return line.change.value_or("as is");
}

Cell hours_cell(double hours) {
  return {hours_text(hours), hours};
}

std::string limiter_text(const Line& line, double least, std::size_t most) {
  constexpr std::array<const char*, 5> kOutcomes{nullptr, nullptr, "no faster", "slower", "not possible"};
  if (const char* const outcome = kOutcomes.at(static_cast<std::size_t>(line.ending))) return outcome;
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

const char* what_of(const Explanation& e) {
  return e.no_iteration ? "convolutions" : "iteration";
}

Table lines_table(const Explanation& e) {
  Table table{
      "What each change gains",
      {{"step"},
       {"change", "in addition to those above"},
       {what_of(e), "time of one"},
       {"epoch"},
       {"gain", "saved share of the previous time"},
       {"alone", "share of the unchanged run's time that the change saves alone, by the equations", 0, 2},
       {"last", "share of the time that the change saves as the last of all kept changes, by the equations", 0, 1},
       {"convs", "time of the convolutions", 0, 3},
       {"util", "multiply-accumulates of the layers as a share of the array's maximum", 0, 4},
       {"loads", "of bitstreams in an iteration", 0, 5},
       {"misfits", "convolutions whose kernels do not fit the board", 0, 6},
       {"largest part", "largest part of the time, or outcome of the change"},
       {"why not", "", 0, 0, On::Both, true}}};
  table.chosen = true;
  for (const Line& line : e.lines) {
    const explain::Figures& f = line.figures;
    table.rows.push_back({line.step ? Cell(std::to_string(*line.step), static_cast<double>(*line.step)) : Cell("-"),
                          change_of(line), cell_if(f.seconds, time_cell), cell_if(f.epoch_hours, hours_cell),
                          share_or_none(line.gain), share_or_none(line.alone), share_or_none(line.last),
                          cell_if(f.convolutions_seconds, time_cell), share_or_none(f.utilisation),
                          cell_if(f.loads, count_cell), cell_if(f.misfits, count_cell), limiter_text(line, 0, 1),
                          line.why_not.value_or("")});
  }
  return table;
}

Table bounds_table(const Explanation& e) {
  Table table{"What no change reaches", {{"bound"}, {"as is"}, {"at the end"}, {"epoch", "at the end"}, {"meaning"}}};
  for (const explain::Bound& bound : e.bounds) {
    if (bound.of != "as is") continue;
    std::vector<Cell> row{bound.name, time_cell(bound.seconds), "", "", bound.meaning};
    const bool only = e.bounds.back().of == bound.of;  // there is no end but the run as it is
    if (bound.epoch_hours && only) row[3] = hours_cell(*bound.epoch_hours);
    for (const explain::Bound& end : e.bounds) {
      if (end.name != bound.name || end.of == bound.of) continue;
      row[2] = time_cell(end.seconds);
      if (end.epoch_hours) row[3] = hours_cell(*end.epoch_hours);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table question_table(const Explanation& e) {
  Table table{"What changes the question, at the end",
              {{"change"},
               {"epoch"},
               {"gain", "saved share of the hours at the end of the steps"},
               {"misfits", "convolutions whose kernels do not fit the board"},
               {"needs"},
               {"in addition to the last step", "option of weft run"},
               {"why not", "", 0, 0, On::Both, true}}};
  for (const Line& line : e.question) {
    const auto change = std::find_if(e.changes.begin(), e.changes.end(),
                                     [&](const explain::Change& each) { return each.name == line.change; });
    table.rows.push_back({change_of(line), cell_if(line.figures.epoch_hours, hours_cell), share_or_none(line.gain),
                          cell_if(line.figures.misfits, count_cell), change->caveat, e.added(line),
                          line.why_not.value_or("")});
  }
  return table;
}

// One bar per step, split by the parts of its time.
Bars ladder_chart(const Explanation& e) {
  Bars chart{"ladder", "Time after each step, by its parts"};
  chart.form = Form::Time;
  for (const Line& line : e.lines) {
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
  for (const explain::Bound& bound : e.bounds) {
    if (bound.of != e.bounds.back().of || bound.name != "array") continue;
    chart.rules.push_back({bound.seconds, fmt::format("{} bound: {}", bound.name, duration_text(bound.seconds))});
  }
  return chart;
}

// Changes by name, with their meanings, if `chosen`.
template <class Chosen>
Facts meanings(const Explanation& e, Chosen chosen, On on) {
  Facts names;
  names.indent = 0;
  names.on = on;
  for (const explain::Change& change : e.changes) {
    if (!chosen(change)) continue;
    names.add(change.name, change.meaning + (change.caveat.empty() ? "" : "; " + change.caveat));
    names.indent = std::max(names.indent, change.name.size() + 2);
  }
  return names;
}

Facts commands(const std::vector<Line>& lines) {
  Facts facts;
  for (const Line& line : lines) {
    if (line.command && line.change) facts.add(line.step ? std::to_string(*line.step) : change_of(line), *line.command);
  }
  facts.indent = 0;
  for (const auto& [name, text] : facts.lines) facts.indent = std::max(facts.indent, name.size() + 2);
  return facts;
}

}  // namespace

std::vector<Section> ladder_sections(const Explanation& e) {
  const Text gap{"", On::Terminal};
  const auto kept = [&](const explain::Change& change) { return explain::is_of(e.lines, change, true); };
  const auto left = [&](const explain::Change& change) {
    return explain::is_of(e.lines, change, false) && !kept(change);
  };
  const auto asked = [&](const explain::Change& change) { return explain::is_of(e.question, change, false); };
  Section ladder{"ladder", "What to change first"};
  for (const std::string& sentence : e.verdict) ladder.blocks.emplace_back(Text{sentence});
  ladder.blocks.insert(ladder.blocks.end(),
                       {gap, ladder_chart(e), lines_table(e), gap, meanings(e, kept, On::Both),
                        meanings(e, left, On::Page), gap, Text{"Commands of the steps:"}, commands(e.lines)});
  Section bounds{"bound", "Bounds and other questions", {bounds_table(e)}};
  if (!e.question.empty()) {
    bounds.blocks.insert(bounds.blocks.end(), {gap, question_table(e), gap, meanings(e, asked, On::Both)});
  }
  return {std::move(ladder), std::move(bounds)};
}

Document view_of(const Explanation& e) {
  Document d{"explain", e.run};
  d.lead = fmt::format("what limits {} on {}, {}, batch {}, {} rung", e.network, e.board, e.kernel, e.batch, e.rung);
  if (!e.held.empty()) d.lead += "\nheld: " + config::join(e.held);
  if (e.no_iteration) d.lead += fmt::format("\nof the convolutions alone: {}", *e.no_iteration);
  d.weft_version = e.weft_version;
  const Line &first = e.lines.front(), &last = e.end();
  d.figures = {
      {"As it is", hours_cell(*first.figures.epoch_hours).text, fmt::format("an epoch, of the {}", what_of(e))},
      {"With all steps", hours_cell(*last.figures.epoch_hours).text,
       fmt::format("{:.4g} times as fast", *first.figures.seconds / *last.figures.seconds)},
      {"Steps", fmt::format("{}", *last.step), fmt::format("of {} changes tried", e.changes.size())}};
  if (*last.step > 0)
    d.figures.push_back({"First", change_of(e.lines[1]), "saves " + share_cell(*e.lines[1].gain).text});
  d.sections = ladder_sections(e);
  return d;
}

}  // namespace weft::tools
