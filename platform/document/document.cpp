#include "platform/document/document.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "model/core/text.h"
#include "platform/document/fitted_table.h"

namespace weft::report {

Cell count_cell(std::int64_t value) {
  return {thousands(value), static_cast<double>(value)};
}

Cell fixed_cell(double value, int digits, std::string_view unit) {
  return {fmt::format("{:.{}f}{}{}", value, digits, unit.empty() ? "" : " ", unit), value};
}

Cell real_cell(double value) {
  return {fmt::format("{:.4g}", value), value};
}

Cell share_cell(double share, int digits) {
  return {fmt::format("{:.{}f}%", 100 * share, digits), share};
}

Cell change_cell(double share, int digits) {
  return {fmt::format("{:+.{}f}%", 100 * share, digits), share};
}

Cell time_cell(double seconds) {
  return {duration_text(seconds), seconds};
}

Cell value_cell(const Value& value) {
  if (const auto* const integer = std::get_if<std::int64_t>(&value)) return count_cell(*integer);
  if (const auto* const real = std::get_if<double>(&value)) return {fmt::format("{:.6g}", *real), *real};
  return to_text(value);
}

Cell value_cell(const Value& value, const std::string& unit) {
  const auto* const real = std::get_if<double>(&value);
  if (!real) return value_cell(value);
  if (unit == "s") return time_cell(*real);
  if (unit == "h") return {hours_text(*real), *real};
  return unit == "1" ? share_cell(*real) : value_cell(value);
}

std::vector<Part> use_parts(const std::vector<std::pair<std::string, std::string>>& uses) {
  std::map<std::string, int> counts;
  std::vector<Part> parts;
  for (const auto& [use, note] : uses) {
    std::string name = use;
    const std::string first = name.substr(0, name.find('_'));
    const bool useful = first == "useful" || first == "products", shaded = first == "starved" || first == "blocked";
    if (shaded && first.size() < name.size()) name.insert(first.size(), "_by");
    std::replace(name.begin(), name.end(), '_', ' ');
    const std::string family = useful ? "useful" : shaded || first == "idle" ? first : "waste";
    const bool single = useful || family == "idle";
    const int most = family == "waste" ? 5 : 4;
    parts.push_back({name, single ? family : fmt::format("{}-{}", family, 1 + counts[family]++ % most), note});
  }
  return parts;
}

std::string first_of(const std::vector<std::string>& texts, std::size_t most) {
  std::string list;
  for (std::size_t i = 0; i < std::min(texts.size(), most); ++i) list += (i == 0 ? "" : ", ") + texts[i];
  if (texts.size() > most) list += fmt::format(" and {} more", texts.size() - most);
  return list;
}

std::string common_form(const std::vector<std::string>& names) {
  std::string head = names.front(), tail = names.front();
  for (const std::string& name : names) {
    const auto same = std::mismatch(head.begin(), head.end(), name.begin(), name.end());
    head.erase(same.first, head.end());
    const auto last = std::mismatch(tail.rbegin(), tail.rend(), name.rbegin(), name.rend());
    tail.erase(tail.begin(), last.first.base());
  }
  std::size_t shortest = names.front().size();
  for (const std::string& name : names) shortest = std::min(shortest, name.size());
  if (std::all_of(names.begin(), names.end(), [&](const auto& name) { return name == names.front(); })) return head;
  // Head and tail do not overlap in the shortest name.
  tail.erase(0, head.size() + tail.size() - std::min(head.size() + tail.size(), shortest));
  return head + "*" + tail;
}

namespace {

class Terminal {
 public:
  Terminal(const TableView& view, const std::string& csv) : view_(view), csv_(csv) {}

  std::string operator()(const Text& text) const { return hidden(text.on) ? "" : text.text + "\n"; }

  std::string operator()(const Facts& facts) const {
    std::string text;
    if (hidden(facts.on)) return text;
    for (const auto& [name, what] : facts.lines) text += fmt::format("{:<{}}{}\n", name, facts.indent, what);
    return text;
  }

  std::string operator()(const Table& table) const {
    if (hidden(table.on)) return "";
    if (table.chosen && !view_.columns.empty()) {
      TableView every;
      every.rows = TableView::kAll;
      const FittedTable all = fitted(table, every);
      return chosen_table(csv_, view_, &all);
    }
    const FittedTable shown = fitted(table, view_);
    const char* const usual =
        table.chosen ? "--columns selects any column of --format csv" : "--format json lists them";
    const std::string omitted = left_out_line(shown, view_.width, table.how.empty() ? usual : table.how);
    const std::size_t more = table.ranking.size() - std::min(table.ranking.size(), view_.rows);
    return shown.text(view_.width) +
           (more == 0 ? omitted
                      : fmt::format("{} more rows: --rows all{}{}", more, omitted.empty() ? "\n" : "; ", omitted));
  }

  template <class Chart>
  std::string operator()(const Chart&) const {
    return "";
  }

 private:
  bool hidden(On on) const { return on == On::Page || (on == On::Verbose && !view_.verbose); }

  static FittedTable fitted(const Table& table, const TableView& view) {
    std::vector<std::size_t> kept;
    std::vector<TableColumn> columns;
    std::size_t below = table.columns.size();
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const Column& column = table.columns[i];
      if (column.below) below = i;
      if (column.below || column.on == On::Page) continue;
      kept.push_back(i);
      columns.push_back({column.title, of_numbers(table, i), column.least, column.spare});
    }
    FittedTable fitted(std::move(columns));
    const auto add = [&](const std::vector<Cell>& row) {
      std::vector<std::string> cells;
      cells.reserve(kept.size());
      for (const std::size_t i : kept) cells.push_back(row[i].text);
      fitted.add(std::move(cells));
      if (below < row.size() && !row[below].text.empty()) fitted.add_note(row[below].text);
    };
    const bool ranked = table.ranking.size() > view.rows;
    const std::size_t most = ranked ? view.rows : std::min(table.rows.size(), table.most);
    for (std::size_t i = 0; i < most; ++i) {
      const std::vector<Cell>& row = table.rows[ranked ? table.ranking[i] : i];
      if (!table.no_zeros || view.verbose || has_figure(row)) add(row);
    }
    if (!table.foot.empty() && most > 0) fitted.add_gap();
    for (const std::vector<Cell>& row : table.foot) add(row);
    return fitted;
  }

  // True if a cell after the first shows a digit other than 0.
  static bool has_figure(const std::vector<Cell>& row) {
    return std::any_of(row.begin() + 1, row.end(),
                       [](const Cell& cell) { return cell.text.find_first_of("123456789") != std::string::npos; });
  }

  const TableView& view_;
  const std::string& csv_;
};

}  // namespace

bool of_numbers(const Table& table, std::size_t column) {
  return std::all_of(table.rows.begin(), table.rows.end(), [column](const std::vector<Cell>& row) {
    return row[column].number || row[column].text.empty() || row[column].text == "-";
  });
}

std::string text(const Section& section, const TableView& view, const std::string& csv) {
  std::string text;
  for (const Block& block : section.blocks) text += std::visit(Terminal(view, csv), block);
  return text;
}

std::string text(const Document& document, const TableView& view, const std::string& csv) {
  std::string all = document.title + ": " + document.lead + "\n";
  for (const Section& section : document.sections) {
    const std::string body = text(section, view, csv);
    if (!body.empty()) all += "\n" + body;
  }
  return all;
}

}  // namespace weft::report
