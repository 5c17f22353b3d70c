#include "tools/explain/report.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "model/core/error.h"
#include "platform/document/fitted_table.h"
#include "platform/document/text.h"
#include "platform/os/content.h"
#include "platform/studies/explain/sentences.h"
#include "tools/cli/cli.h"
#include "tools/results/result_dir.h"

namespace weft::tools {

namespace fs = std::filesystem;
using explain::Ending;
using explain::Explanation;
using explain::Figures;
using explain::LadderLines;
using explain::Line;
using report::csv_field;
using report::thousands;
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
  return line.ending == Ending::AsIs || line.ending == Ending::Kept ? std::to_string(line.step) : "-";
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

std::string shares_text(const Figures& figures, double least, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(most, figures.shares.size()); ++i) {
    if (figures.shares[i].of_time < least) continue;
    text +=
        fmt::format("{}{} {:.1f}%", text.empty() ? "" : ", ", figures.shares[i].name, 100 * figures.shares[i].of_time);
  }
  return text;
}

class Formatter {
 public:
  Formatter(const Explanation& explanation, const TableView& view) : e_(explanation), view_(view) {}

  std::string table() const {
    std::string text = fmt::format("{}: what limits {} on {}, {}, batch {}, {} rung\n", e_.run, e_.network, e_.board,
                                   e_.kernel, e_.batch, e_.rung);
    if (e_.search_batch != e_.batch) {
      text += fmt::format("order, alone and last are those of batch {}\n", e_.search_batch);
    }
    const bool chosen = !view_.columns.empty();
    text += "\n" + (chosen ? report::chosen_table(csv(), view_) : kernels_table()) + notes(e_.kernels);
    if (e_.iteration.lines.empty()) return text + fmt::format("\niteration    no ladder of it: {}\n", e_.no_iteration);
    return text + "\nThe training iteration:\n\n" + (chosen ? "" : iteration_table()) + notes(e_.iteration);
  }

  std::string csv() const {
    std::string text = kLadderColumns;
    for (const auto& [name, ladder] :
         {std::pair<const char*, const LadderLines&>{"kernels", e_.kernels}, {"iteration", e_.iteration}}) {
      for (const Line& line : ladder.lines) text += csv_line(name, line);
      for (const explain::Bound& bound : ladder.bounds) {
        text += fmt::format("{},bound,,{} {},{},,,,{},,,,,,,,,,,,,\n", name, bound.name, bound.of, bound.seconds,
                            bound.cycles);
      }
    }
    return text;
  }

 private:
  static std::string millions(const Figures& figures, const char* kind) {
    const auto found = figures.kinds.find(kind);
    return found == figures.kinds.end() ? "" : fmt::format("{:.1f}", 1e-6 * static_cast<double>(found->second));
  }

  std::string kernels_table() const {
    std::vector<Cells> rows;
    for (const Line& line : e_.kernels.lines) {
      Cells row{step_text(line), line.ending == Ending::AsIs ? "as is" : line.change};
      const Figures none;
      const Figures& f = line.figures ? *line.figures : none;
      row.push_back(f.cycles ? thousands(*f.cycles) : "");
      row.push_back(line.figures ? explain::duration_text(f.seconds) : "");
      row.insert(row.end(), {percent(line.gain), percent(line.alone), percent(line.last), millions(f, "F"),
                             millions(f, "GI"), millions(f, "GW"), percent(f.utilisation)});
      const std::string ending = ending_text(line);
      row.push_back(ending.empty() ? shares_text(f, 0, 1) : ending);
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
      rows.push_back({step_text(line), line.ending == Ending::AsIs ? "as is" : line.change,
                      line.figures ? explain::duration_text(line.figures->seconds) : "", percent(line.gain),
                      percent(line.alone), percent(line.last),
                      !ending.empty() ? ending
                      : !line.figures ? ""
                                      : shares_text(*line.figures, 0.001, 4)});
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
      if (!line.why_not.empty()) impossible += fmt::format("not possible: {}: {}\n", line.change, line.why_not);
    }
    if (!impossible.empty()) text += "\n" + impossible;
    text += "\n";
    for (const std::string& sentence : ladder.sentences) text += sentence + "\n";
    return text;
  }

  static std::string csv_line(const char* ladder, const Line& line) {
    const auto number = [](const auto& value) { return value ? fmt::format("{}", *value) : std::string(); };
    const bool on_ladder = line.ending == Ending::AsIs || line.ending == Ending::Kept;
    Cells cells{ladder,
                explain::to_string(line.ending),
                on_ladder ? std::to_string(line.step) : "",
                line.change,
                line.figures ? fmt::format("{}", line.figures->seconds) : "",
                number(line.gain),
                number(line.alone),
                number(line.last)};
    const Figures none;
    const Figures& f = line.figures ? *line.figures : none;
    cells.push_back(number(f.cycles));
    for (const char* kind : {"F", "GI", "GW"}) {
      const auto found = f.kinds.find(kind);
      cells.push_back(found == f.kinds.end() ? "" : std::to_string(found->second));
    }
    cells.insert(cells.end(), {number(f.utilisation), number(f.stall_share), number(f.ddr_efficiency),
                               number(f.do_not_fit), f.shares.empty() ? "" : f.shares.front().name,
                               f.shares.empty() ? "" : fmt::format("{}", f.shares.front().of_time), f.kernel, f.memory,
                               line.config, line.why_not});
    std::string text;
    for (const std::string& cell : cells) text += (text.empty() ? "" : ",") + csv_field(cell);
    return text + "\n";
  }

  const Explanation& e_;
  const TableView& view_;
};

}  // namespace

Report explain_report(const Explanation& explanation, const TableView& view) {
  check(view, report::columns_of(kLadderColumns));
  const Formatter formatter(explanation, view);
  return {formatter.table(), explain::to_json(explanation).dump(2) + "\n", formatter.csv()};
}

std::map<std::string, std::string> explanation_files(const Report& report, const std::string& config,
                                                     std::map<std::string, std::string> runs) {
  std::map<std::string, std::string> files = std::move(runs);
  files[kResultJson] = report.json;
  files[kLadderCsv] = report.csv;
  files[kResultConfig] = config;
  return files;
}

Explanation load_explanation(const fs::path& folder) {
  const fs::path path = folder / kResultJson;
  try {
    const auto json = nlohmann::ordered_json::parse(os::content(path), nullptr, false);
    if (!explain::is_explanation(json)) throw Error("is not a result of weft explain");
    return explain::from_json(json);
  } catch (const Error& error) {
    throw InputError(path.string(), 0, "", error.what());
  }
}

}  // namespace weft::tools
