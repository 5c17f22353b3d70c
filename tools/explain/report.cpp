#include "tools/explain/report.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "model/core/text.h"
#include "platform/document/fitted_table.h"
#include "platform/document/text.h"
#include "platform/record/csv.h"
#include "platform/record/json.h"
#include "platform/record/result_dir.h"
#include "platform/studies/explain/sentences.h"

namespace weft::tools {

using explain::Ending;
using explain::Explanation;
using explain::Figures;
using explain::LadderLines;
using explain::Line;
using report::trimmed;

namespace {

using Cells = std::vector<std::string>;

// The rows under the titles of the columns, within the width of the page.
std::string fitted(std::vector<report::TableColumn> columns, std::vector<Cells> rows, std::size_t width) {
  report::FittedTable table(std::move(columns));
  for (Cells& row : rows) table.add(std::move(row));
  return table.text(width) + report::left_out_line(table, width, "--columns chooses any that --format csv has");
}

std::string percent(const std::optional<double>& share) {
  return share ? fmt::format("{:.1f}%", 100 * *share) : "";
}

std::string step_text(const Line& line) {
  return line.step ? std::to_string(*line.step) : "-";
}

// What became of a change that is not kept.
std::string ending_text(const Line& line) {
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
  return "";
}

std::string time_text(const Figures& figures) {
  return figures.seconds ? explain::duration_text(*figures.seconds) : "";
}

std::string shares_text(const Figures& figures, double least, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; figures.shares && i < std::min(most, figures.shares->size()); ++i) {
    const explain::Share& share = figures.shares->at(i);
    if (share.of_time < least) continue;
    text += fmt::format("{}{} {:.1f}%", text.empty() ? "" : ", ", share.name, 100 * share.of_time);
  }
  return text;
}

// A line of the CSV: one of a ladder, or a bound.
struct CsvLine {
  std::string ladder, ending;
  Line line;
  explain::KindCycles kinds;
  std::optional<std::string> most;  // what takes most of the time
  std::optional<double> most_share;
};

void fields(record::Visitor& io, CsvLine& x) {
  Figures& f = x.line.figures;
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

std::string csv(const Explanation& e) {
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

class Formatter {
 public:
  Formatter(const Explanation& explanation, const std::string& csv, const TableView& view)
      : e_(explanation), csv_(csv), view_(view) {}

  std::string table() const {
    std::string text = fmt::format("{}: what limits {} on {}, {}, batch {}, {} rung\n", e_.run, e_.network, e_.board,
                                   e_.kernel, e_.batch, e_.rung);
    if (e_.search_batch != e_.batch) {
      text += fmt::format("order, alone and last are those of batch {}\n", e_.search_batch);
    }
    const bool chosen = !view_.columns.empty();
    text += "\n" + (chosen ? report::chosen_table(csv_, view_) : kernels_table()) + notes(e_.kernels);
    if (e_.iteration.lines.empty())
      return text + fmt::format("\niteration    no ladder of it: {}\n", e_.no_iteration.value_or(""));
    return text + "\nThe training iteration:\n\n" + (chosen ? "" : iteration_table()) + notes(e_.iteration);
  }

 private:
  std::string kernels_table() const {
    std::vector<Cells> rows;
    for (const Line& line : e_.kernels.lines) {
      const Figures& f = line.figures;
      Cells row{step_text(line),
                line.change.value_or("as is"),
                f.cycles ? thousands(*f.cycles) : "",
                time_text(f),
                percent(line.gain),
                percent(line.alone),
                percent(line.last)};
      const explain::KindCycles kinds = f.kinds.value_or(explain::KindCycles());
      for (const std::optional<Cycles>& cycles : kinds.of) {
        row.push_back(cycles ? fmt::format("{:.1f}", 1e-6 * static_cast<double>(*cycles)) : "");
      }
      const std::string ending = ending_text(line);
      row.insert(row.end(), {percent(f.utilisation), ending.empty() ? shares_text(f, 0, 1) : ending});
      rows.push_back(std::move(row));
    }
    for (const explain::Bound& bound : e_.kernels.bounds) {
      rows.push_back({"", fmt::format("bound: {}", bound.name), thousands(bound.cycles),
                      explain::duration_text(bound.seconds), "", "", "", "", "", "", "", bound.of});
    }
    return fitted({{"step", true},
                   {"change"},
                   {"cycles", true, 0, 4},
                   {"time", true},
                   {"gain", true},
                   {"alone", true, 0, 1},
                   {"last", true, 0, 1},
                   {"F M", true, 0, 5},
                   {"GI M", true, 0, 5},
                   {"GW M", true, 0, 5},
                   {"util", true, 0, 2},
                   {"limiter", false, 0, 3}},
                  std::move(rows), view_.width);
  }

  std::string iteration_table() const {
    std::vector<Cells> rows;
    for (const Line& line : e_.iteration.lines) {
      const std::string ending = ending_text(line);
      rows.push_back({step_text(line), line.change.value_or("as is"), time_text(line.figures), percent(line.gain),
                      percent(line.alone), percent(line.last),
                      ending.empty() ? shares_text(line.figures, 0.001, 4) : ending});
    }
    return fitted({{"step", true},
                   {"change"},
                   {"time", true},
                   {"gain", true},
                   {"alone", true, 0, 2},
                   {"last", true, 0, 2},
                   {"made of", false, 0, 1}},
                  std::move(rows), view_.width);
  }

  // What the names mean, why what is not possible is not, and the sentences.
  std::string notes(const LadderLines& ladder) const {
    std::size_t width = 0;
    std::vector<const explain::Change*> used;
    for (const explain::Change& change : e_.changes) {
      const bool here = std::any_of(ladder.lines.begin(), ladder.lines.end(),
                                    [&](const Line& line) { return line.change == change.name; });
      if (!here) continue;
      used.push_back(&change);
      width = std::max(width, change.name.size());
    }
    std::string text = "\n";
    for (const explain::Change* change : used) {
      text += trimmed(fmt::format("{:<{}}  {}{}", change->name, width, change->meaning,
                                  change->caveat.empty() ? "" : "; " + change->caveat));
    }
    std::string impossible;
    for (const Line& line : ladder.lines) {
      if (line.why_not) impossible += fmt::format("not possible: {}: {}\n", line.change.value_or(""), *line.why_not);
    }
    if (!impossible.empty()) text += "\n" + impossible;
    text += "\n";
    for (const std::string& sentence : ladder.sentences) text += sentence + "\n";
    return text;
  }

  const Explanation& e_;
  const std::string& csv_;
  const TableView& view_;
};

}  // namespace

std::vector<std::string> ladder_columns() {
  return report::columns_of(record::csv_head(CsvLine()));
}

Report explain_report(const Explanation& explanation, const TableView& view) {
  check(view, ladder_columns());
  Report report{"", record::json_text(explanation), csv(explanation)};
  report.table = Formatter(explanation, report.csv, view).table();
  return report;
}

std::map<std::string, std::string> explanation_files(const Report& report, const std::string& config,
                                                     std::map<std::string, std::string> runs) {
  std::map<std::string, std::string> files = std::move(runs);
  files[record::kResultJson] = report.json;
  files[record::kLadderCsv] = report.csv;
  files[record::kResultConfig] = config;
  return files;
}

}  // namespace weft::tools
