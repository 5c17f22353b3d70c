#include "tools/sweep/view.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <sstream>

#include "model/core/error.h"
#include "platform/config/difference.h"
#include "platform/record/csv.h"
#include "platform/studies/sweep/definition/figures.h"
#include "platform/studies/sweep/store/judge.h"
#include "platform/studies/sweep/store/results.h"
#include "tools/cli/options.h"

namespace weft::tools {

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

// Orders numbers before texts.
bool before(const Value& a, const Value& b) {
  const auto number = [](const Value& value) {
    const auto* const integer = std::get_if<std::int64_t>(&value);
    const auto* const real = std::get_if<double>(&value);
    return integer ? static_cast<double>(*integer) : real ? *real : std::numeric_limits<double>::infinity();
  };
  const bool text_a = std::holds_alternative<std::string>(a), text_b = std::holds_alternative<std::string>(b);
  return text_a && text_b ? a < b : text_a != text_b ? text_b : number(a) < number(b);
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
        fields_(options.convolutions ? sweep::convolution_columns() : sweep::point_columns()),
        names_(results_.axes(), fields_),
        objectives_(results_.objectives()) {
    if (options.minimize.empty() && options.maximize.empty()) return;
    objectives_.clear();
    for (const bool maximize : {false, true}) {
      for (const std::string& each : maximize ? options.maximize : options.minimize) {
        sweep::expression_of(each, maximize ? "--maximize" : "--minimize");
        objectives_.push_back({each, maximize});
      }
    }
  }

  std::string text() {
    if (options_.yaml) {
      if (options_.point.empty()) throw Error("--yaml prints the run of one point: give --point N");
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
    const Format format = parse_format(options_.format, true);
    if (format != Format::Table) return listed(format);
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
      const Expression where = sweep::expression_of(text, "--where");
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
      throw Error(fmt::format(
          "'{}' was recorded without objectives; give them, for example --minimize convolutions_seconds --minimize dsp",
          options_.what));
    }
    const std::vector<bool> front = judge_->front(rows_);
    std::size_t next = 0;
    keep([&](const ResultRow&) { return front[next++]; });
  }

  // Value of a field, an axis or an expression for a row.
  Value cell(const ResultRow& row, const std::string& name) const {
    if (is_word(name)) return names_.value(row, name);
    const double value = Expression(name).number(lookup(row));
    return std::isnan(value) ? Value() : Value(value);
  }

  void sort() {
    std::string by = options_.sort;
    if (by.empty() && pareto()) by = objectives_.front().expression;
    if (by.empty()) return;
    if (!is_word(by))
      sweep::expression_of(by, options_.sort.empty() ? options_.what + ": a recorded objective" : "--sort");
    std::vector<std::pair<Value, std::size_t>> keys;
    for (std::size_t i = 0; i < rows_.size(); ++i) keys.emplace_back(cell(rows_[i], by), i);
    std::stable_sort(keys.begin(), keys.end(), [&](const auto& a, const auto& b) {
      const bool nothing_a = a.first.index() == 0, nothing_b = b.first.index() == 0;
      if (nothing_a || nothing_b) return !nothing_a && nothing_b;  // empty values last in both directions
      return options_.descending ? before(b.first, a.first) : before(a.first, b.first);
    });
    std::vector<ResultRow> sorted;
    sorted.reserve(rows_.size());
    for (const auto& key : keys) sorted.push_back(std::move(rows_[key.second]));
    rows_ = std::move(sorted);
  }

  // Column titles and their fields. A table has a selection, the other formats have all columns.
  std::vector<std::pair<std::string, std::string>> columns(bool everything) const {
    std::vector<std::pair<std::string, std::string>> list{{"point", "point"}};
    const auto add = [&](const std::string& title, const std::string& name) {
      const auto same = [&](const auto& each) { return each.second == name; };
      if (std::none_of(list.begin(), list.end(), same)) list.emplace_back(title, name);
    };
    const auto add_known = [&](std::initializer_list<const char*> fields) {
      for (const char* name : fields) {
        if (is_known(name)) add(name, name);
      }
    };
    if (!options_.columns.empty()) {
      for (const std::string& name : split(options_.columns)) {
        if (!is_word(name)) sweep::expression_of(name, "--columns");
        add(name, name);
      }
      return list;
    }
    if (everything || failed_ > 0) add("status", "status");
    for (const std::string& axis : results_.axes()) add(everything ? axis : results_.title_of(axis), axis);
    if (everything) {
      for (const record::Column& each : fields_) add(each.name, each.name);
      return list;
    }
    if (options_.convolutions) {
      for (const char* name : {"layer", "kind", "cycles", "gops", "array_utilisation", "limiter", "dsp", "bram18"}) {
        add(name, name);
      }
      add_known({"lut", "ff"});  // with readings.resources: synthesis
      return list;
    }
    if (options_.failed) return list;  // points without a result have only an error
    for (const sweep::Objective& each : objectives_) add(each.expression, each.expression);
    // Only the hours per epoch depend on such axes.
    if (std::any_of(results_.axes().begin(), results_.axes().end(), sweep::of_iteration)) {
      add("epoch_hours", "epoch_hours");
    }
    if (is_known("cycles_an_image")) {  // plans, which have no cycles of a run
      add_known({"images_per_second", "binds", "pooled_gap", "balance", "link_load", "block_ram_share",
                 "latency_seconds", "linear_boards", "fits"});
      return list;
    }
    for (const char* name :
         {"cycles", "convolutions_seconds", "array_utilisation", "limiter", "fits", "gops", "dsp", "bram18"})
      add(name, name);
    add_known({"lut", "ff"});
    return list;
  }

  // True if a finished row has a value for the field.
  bool is_known(const char* name) const {
    return std::any_of(rows_.begin(), rows_.end(),
                       [&](const ResultRow& row) { return row.done && cell(row, name).index() > 0; });
  }

  std::string shown(const ResultRow& row, const std::string& name) const {
    const Value value = cell(row, name);
    const int field = record::find_named_column(fields_, name);
    const record::Column column = field < 0 ? record::Column() : fields_[static_cast<std::size_t>(field)];
    return column.type == "BOOLEAN" ? record::cell_text(column.type, value)
                                    : report::value_cell(value, column.unit).text;
  }

  std::string head() const {
    std::string text = "sweep        " + results_.name();
    if (!results_.title().empty()) text += ": " + results_.title();
    text += fmt::format("\nweft         {}\n", results_.weft_version());
    for (const auto& [name, what] : results_.about()) text += fmt::format("{:<13}{}\n", name, what);
    if (results_.sweeps() > 1) {
      text +=
          fmt::format("sweep {} of {} in this file; --sweep N shows another\n", results_.sweep(), results_.sweeps());
    }
    if (!options_.convolutions) {
      text += fmt::format("points       {} of {} recorded", recorded_, results_.points());
      if (failed_ > 0) text += fmt::format(", {} failed", failed_);
      text += fmt::format("; {} shown{}{}\n", rows_.size(), pareto() ? ", the Pareto front" : "",
                          pareto() && names_.swept("rung") ? " of each rung" : "");
    }
    for (const sweep::Objective& each : objectives_) {
      text += fmt::format("{}     {}\n", each.direction(), each.expression);
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
        cells.back().push_back(!name.empty() ? shown(row, name) : !row.done ? "" : (feasible(row) ? "met" : "not met"));
      }
    }
    const report::FittedTable table = report::table_of(cells);
    return table.text(page_width()) + left_out_line(table, "--columns selects, --format csv has them");
  }

  std::string foot() const {
    if (options_.convolutions) return "";
    std::string text;
    if (options_.failed) {
      // Errors are sentences, longer than any column.
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

  std::string listed(Format format) const {
    const auto names = columns(true);
    std::string head = names.front().first;
    std::vector<record::Column> cells;
    for (auto name = names.begin() + 1; name != names.end(); ++name) {
      head += "," + report::csv_field(name->first);
      const int field = record::find_named_column(fields_, name->second);
      cells.push_back({name->first, field < 0 ? "" : fields_[static_cast<std::size_t>(field)].type, "", ""});
    }
    sweep::Listing listing{results_.name(), results_.weft_version(), results_.points(), {}};
    for (const ResultRow& row : rows_) {
      sweep::ListedRow& each = listing.rows.emplace_back();
      each.point = row.point;
      each.columns = &cells;
      for (auto name = names.begin() + 1; name != names.end(); ++name) each.cells.push_back(cell(row, name->second));
      if (!row.error.empty()) each.error = row.error;
    }
    if (format == Format::Json) return record::json_text(listing);
    return record::csv_text(listing.rows, head + (options_.columns.empty() ? ",error\n" : "\n"));
  }

  const ShowOptions& options_;
  sweep::Results results_;
  const std::vector<record::Column>& fields_;
  sweep::RowNames names_;
  std::vector<sweep::Objective> objectives_;
  std::optional<sweep::Judge> judge_;
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
    text += fmt::format("  {}    {}\n", each.direction(), each.expression);
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
