#include "tools/sweep/view.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <sstream>

#include "model/core/error.h"
#include "platform/config/difference.h"
#include "platform/design/value_json.h"
#include "platform/document/text.h"
#include "platform/studies/sweep/definition.h"
#include "platform/studies/sweep/fields.h"
#include "platform/studies/sweep/results.h"
#include "tools/cli/cli.h"
#include "tools/cli/options.h"
#include "tools/sweep/judge.h"
#include "tools/sweep/rerank.h"

namespace weft::tools {

using report::csv_field;

using sweep::Expression;
using sweep::ResultRow;

namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, ',');) {
    word.erase(0, word.find_first_not_of(' '));
    while (!word.empty() && word.back() == ' ') word.pop_back();
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

// Numbers before texts before nothing.
bool before(const Value& a, const Value& b) {
  const auto number = [](const Value& value) {
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
    if (const auto* real = std::get_if<double>(&value)) return *real;
    return std::numeric_limits<double>::quiet_NaN();
  };
  const double x = number(a), y = number(b);
  if (!std::isnan(x) && !std::isnan(y)) return x < y;
  const auto rank = [&](const Value& value, double n) {
    return !std::isnan(n) ? 0 : std::holds_alternative<std::string>(value) ? 1 : 2;
  };
  if (rank(a, x) != rank(b, y)) return rank(a, x) < rank(b, y);
  return weft::to_text(a) < weft::to_text(b);
}

bool is_word(const std::string& text) {
  return text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$") ==
         std::string::npos;
}

class SweepTable {
 public:
  explicit SweepTable(const ShowOptions& options)
      : options_(options),
        results_(options.what, options.sweep.empty() ? 0 : whole_number(options.sweep, "--sweep", 0)),
        fields_(options.convolutions ? sweep::convolution_fields() : sweep::point_fields()),
        names_(results_.axes(), fields_),
        objectives_(results_.objectives()) {
    if (options.minimize.empty() && options.maximize.empty()) return;
    objectives_.clear();
    for (const bool maximize : {false, true}) {
      for (const std::string& each : maximize ? options.maximize : options.minimize) {
        expression_of(each, maximize ? "--maximize" : "--minimize");
        objectives_.push_back({each, maximize});
      }
    }
  }

  std::string text() {
    if (options_.yaml) {
      if (options_.point.empty()) throw Error("--yaml prints the run of one point; say which with --point N");
      return results_.config(whole_number(options_.point, "--point", 0));
    }
    if (options_.rerank) return rerank_report(results_).in(parse_format(options_.format, true));
    rows_ = options_.convolutions ? results_.read_convolutions() : results_.read_points();
    recorded_ = options_.convolutions ? 0 : rows_.size();
    failed_ = static_cast<std::size_t>(std::count_if(rows_.begin(), rows_.end(), [](auto& row) { return !row.done; }));
    select();
    sort();
    if (!options_.limit.empty()) {
      rows_.resize(
          std::min<std::size_t>(rows_.size(), static_cast<std::size_t>(whole_number(options_.limit, "--limit", 0))));
    }
    switch (parse_format(options_.format, true)) {
      case Format::Json:
        return json();
      case Format::Csv:
        return csv();
      case Format::Table:
        break;
    }
    return head() + table() + foot();
  }

 private:
  bool pareto() const { return options_.pareto || !options_.minimize.empty() || !options_.maximize.empty(); }

  sweep::Lookup lookup(const ResultRow& row) const {
    return [this, &row](const std::string& name) { return names_.value(row, name); };
  }

  template <class Keep>
  void keep(Keep predicate) {
    rows_.erase(std::remove_if(rows_.begin(), rows_.end(), [&](const ResultRow& row) { return !predicate(row); }),
                rows_.end());
  }

  bool feasible(const ResultRow& row) const { return options_.convolutions ? row.done : judge_->feasible(row); }

  void select() {
    judge_.emplace(names_, results_.constraints(), objectives_, options_.what);
    for (const std::string& text : options_.where) {
      const Expression where = expression_of(text, "--where");
      keep([&](const ResultRow& row) { return where.holds(lookup(row)); });
    }
    if (!options_.point.empty()) {
      const std::int64_t point = whole_number(options_.point, "--point", 0);
      keep([&](const ResultRow& row) { return row.point == point; });
    }
    if (options_.failed) keep([](const ResultRow& row) { return !row.done; });
    if (options_.feasible || pareto()) keep([&](const ResultRow& row) { return feasible(row); });
    if (pareto()) keep_front();
  }

  void keep_front() {
    if (objectives_.empty()) {
      throw Error(fmt::format("'{}' was recorded without objectives; give them, as --minimize seconds --minimize dsp",
                              options_.what));
    }
    const std::vector<bool> front = judge_->front(rows_);
    std::vector<ResultRow> kept;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (front[i]) kept.push_back(std::move(rows_[i]));
    }
    rows_ = std::move(kept);
  }

  // A field, an axis or an expression of a row.
  Value cell(const ResultRow& row, const std::string& name) const {
    if (is_word(name)) return names_.value(row, name);
    const double value = Expression(name).number(lookup(row));
    return std::isnan(value) ? Value() : Value(value);
  }

  void sort() {
    std::string by = options_.sort;
    if (by.empty() && pareto()) by = objectives_.front().expression;
    if (by.empty()) return;
    if (!is_word(by)) expression_of(by, options_.sort.empty() ? options_.what + ": a recorded objective" : "--sort");
    std::vector<std::pair<Value, std::size_t>> keys;
    for (std::size_t i = 0; i < rows_.size(); ++i) keys.emplace_back(cell(rows_[i], by), i);
    std::stable_sort(keys.begin(), keys.end(), [&](const auto& a, const auto& b) {
      const bool nothing_a = a.first.index() == 0, nothing_b = b.first.index() == 0;
      if (nothing_a || nothing_b) return !nothing_a && nothing_b;  // last either way
      return options_.descending ? before(b.first, a.first) : before(a.first, b.first);
    });
    std::vector<ResultRow> sorted;
    sorted.reserve(rows_.size());
    for (const auto& key : keys) sorted.push_back(std::move(rows_[key.second]));
    rows_ = std::move(sorted);
  }

  // Column titles and what they show. A table has what a reader wants, the other formats have everything.
  std::vector<std::pair<std::string, std::string>> columns(bool everything) const {
    std::vector<std::pair<std::string, std::string>> list{{"point", "point"}};
    const auto add = [&](const std::string& title, const std::string& name) {
      const auto same = [&](const auto& each) { return each.second == name; };
      if (std::none_of(list.begin(), list.end(), same)) list.emplace_back(title, name);
    };
    const auto add_known = [&](const char* name) {
      const auto known = [&](const ResultRow& row) {
        return row.done && !std::holds_alternative<std::monostate>(cell(row, name));
      };
      if (std::any_of(rows_.begin(), rows_.end(), known)) add(name, name);
    };
    // LUTs and registers are known only under readings.resources: synthesis.
    const auto add_logic = [&] {
      for (const char* name : {"lut", "ff"}) add_known(name);
    };
    if (!options_.columns.empty()) {
      for (const std::string& name : split(options_.columns)) {
        if (!is_word(name)) expression_of(name, "--columns");
        add(name, name);
      }
      return list;
    }
    if (everything || failed_ > 0) add("status", "status");
    for (const std::string& axis : results_.axes()) add(everything ? axis : title_of(axis), axis);
    if (everything) {
      for (const sweep::Field& field : fields_) add(field.name, field.name);
      return list;
    }
    if (options_.convolutions) {
      for (const char* name : {"layer", "kind", "cycles", "gops", "array_utilisation", "limiter", "dsp", "bram18"}) {
        add(name, name);
      }
      add_logic();
      return list;
    }
    if (options_.failed) return list;  // a point without a result has nothing else but its error
    for (const sweep::Objective& each : objectives_) add(each.expression, each.expression);
    // Nothing else of a point goes by these.
    if (std::any_of(results_.axes().begin(), results_.axes().end(), sweep::of_iteration)) {
      add("hours_per_epoch", "hours_per_epoch");
    }
    if (of_clusters()) {
      for (const char* name : {"images_per_second", "binds", "gap", "balance", "link_load", "block_ram_share",
                               "latency_seconds", "linear_boards", "fits"}) {
        add_known(name);
      }
      return list;
    }
    for (const char* name : {"cycles", "seconds", "gops", "array_utilisation", "dsp", "bram18"}) {
      add(name, name);
    }
    add_logic();
    add("fits", "fits");
    return list;
  }

  // Points that are plans have no run's cycles.
  bool of_clusters() const {
    return std::any_of(rows_.begin(), rows_.end(), [&](const ResultRow& row) {
      return row.done && !std::holds_alternative<std::monostate>(cell(row, "cycles_an_image"));
    });
  }

  std::string title_of(const std::string& axis) const {
    const std::string name = sweep::short_name(axis);
    const auto& axes = results_.axes();
    const auto same = [&](const std::string& each) { return sweep::short_name(each) == name; };
    return std::count_if(axes.begin(), axes.end(), same) > 1 ? axis : name;
  }

  static std::string shown(const Value& value) {
    const auto* const real = std::get_if<double>(&value);
    return real ? fmt::format("{:.6g}", *real) : weft::to_text(value);
  }

  std::string head() const {
    std::string text = "sweep        " + results_.name();
    if (!results_.title().empty()) text += ": " + results_.title();
    text += fmt::format("\nweft         {}\n", results_.code_version());
    if (results_.sweeps() > 1) {
      text +=
          fmt::format("in this file sweep {} of {}; --sweep N shows another\n", results_.sweep(), results_.sweeps());
    }
    if (!options_.convolutions) {
      text += fmt::format("points       {} of {} recorded", recorded_, results_.points());
      if (failed_ > 0) text += fmt::format(", {} failed", failed_);
      text += fmt::format("; {} shown{}\n", rows_.size(), pareto() ? ", the Pareto front" : "");
    }
    for (const sweep::Objective& each : objectives_) {
      text += fmt::format("{}     {}\n", each.maximize ? "maximize" : "minimize", each.expression);
    }
    for (const std::string& each : results_.constraints()) text += fmt::format("constraint   {}\n", each);
    return text + "\n";
  }

  std::string table() const {
    auto list = columns(false);
    const bool constrained = !options_.convolutions && !results_.constraints().empty() && options_.columns.empty();
    if (constrained) list.emplace_back("constraints", "");
    std::vector<std::vector<std::string>> cells(1);
    for (const auto& column : list) cells.front().push_back(column.first);
    for (const ResultRow& row : rows_) {
      cells.emplace_back();
      for (const auto& [title, name] : list) {
        cells.back().push_back(!name.empty() ? shown(cell(row, name))
                               : !row.done   ? ""
                                             : (feasible(row) ? "met" : "not met"));
      }
    }
    const report::FittedTable table = report::table_of(cells);
    return table.text(page_width()) + left_out_line(table, "--columns chooses, --format csv has them");
  }

  std::string foot() const {
    if (options_.convolutions) return "";
    std::string text;
    if (options_.failed) {
      // Sentences, longer than any column.
      for (const ResultRow& row : rows_) text += fmt::format("\npoint {}: {}\n", row.point, row.error);
    } else if (failed_ > 0) {
      text += fmt::format("\n{} points failed: weft show {} --failed\n", failed_, options_.what);
    }
    for (const auto& [rung, rows] : results_.read_reranked()) {
      text += fmt::format("\n{} points were re-ranked on the {} rung: weft show {} --rerank\n", rows.size(), rung,
                          options_.what);
    }
    return text;
  }

  std::string csv() const {
    const auto list = columns(true);
    std::string text;
    for (const auto& column : list) text += (text.empty() ? "" : ",") + csv_field(column.first);
    if (options_.columns.empty()) text += ",error";
    text += '\n';
    for (const ResultRow& row : rows_) {
      std::string line;
      for (const auto& column : list)
        line += (line.empty() ? "" : ",") + csv_field(weft::to_text(cell(row, column.second)));
      if (options_.columns.empty()) line += "," + csv_field(row.error);
      text += line + '\n';
    }
    return text;
  }

  std::string json() const {
    nlohmann::ordered_json all{{"sweep", results_.name()},
                               {"code_version", results_.code_version()},
                               {"points", results_.points()},
                               {"rows", nlohmann::ordered_json::array()}};
    const auto list = columns(true);
    for (const ResultRow& row : rows_) {
      nlohmann::ordered_json each = nlohmann::ordered_json::object();
      for (const auto& [title, name] : list) each[title] = weft::json_of<nlohmann::ordered_json>(cell(row, name));
      if (!row.error.empty()) each["error"] = row.error;
      all["rows"].push_back(std::move(each));
    }
    return all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  }

  const ShowOptions& options_;
  sweep::Results results_;
  const std::vector<sweep::Field>& fields_;
  sweep::RowNames names_;
  std::vector<sweep::Objective> objectives_;
  std::optional<SweepJudge> judge_;
  std::vector<ResultRow> rows_;
  std::size_t recorded_ = 0, failed_ = 0;
};

}  // namespace

std::string describe_sweep(const sweep::Definition& definition) {
  constexpr std::size_t kShown = 8;
  std::string text =
      "sweep " + definition.name() + (definition.title().empty() ? "" : ": " + definition.title()) + "\n";
  text += fmt::format("  {:<11} {}\n", definition.of_clusters() ? "cluster" : "run", definition.run_name());
  for (const sweep::Axis& axis : definition.axes()) {
    std::string values;
    for (std::size_t i = 0; i < std::min(kShown, axis.values.size()); ++i) {
      values += (i ? ", " : "") + config::flow_text(axis.values[i]);
    }
    if (axis.values.size() > kShown) values += fmt::format(", ... {}", config::flow_text(axis.values.back()));
    text += fmt::format("  axis        {}: {} values: {}\n", axis.key, axis.values.size(), values);
  }
  for (const std::string& each : definition.filters()) text += "  where       " + each + "\n";
  text += fmt::format("  points      {} of {} in the space\n", definition.points(), definition.candidates());
  for (const sweep::Objective& each : definition.objectives()) {
    text += fmt::format("  {}    {}\n", each.maximize ? "maximize" : "minimize", each.expression);
  }
  for (const std::string& each : definition.constraints()) text += "  constraint  " + each + "\n";
  if (const auto& rerank = definition.rerank()) {
    text += fmt::format("  rerank      the best {} on the {} rung\n", rerank->count, config::to_string(rerank->rung));
  }
  return text;
}

std::string show_sweep(const ShowOptions& options) {
  return SweepTable(options).text();
}

}  // namespace weft::tools
