#include "platform/document/table_view.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

#include "model/core/text.h"
#include "platform/document/fitted_table.h"

namespace weft::report {

namespace {

bool is_number(const std::string& text) {
  return !std::holds_alternative<std::string>(parse_value(text));
}

std::string shown(const std::string& text) {
  const Value value = parse_value(text);
  if (const auto* const whole_number = std::get_if<std::int64_t>(&value)) return thousands(*whole_number);
  const auto* const real = std::get_if<double>(&value);
  return real ? fmt::format("{:.6g}", *real) : text;
}

}  // namespace

std::vector<std::string> columns_of(const std::string& csv) {
  return csv_lines(csv.substr(0, csv.find('\n')) + "\n").front();
}

std::string chosen_csv(const std::string& csv, const std::vector<std::string>& columns) {
  const std::vector<std::vector<std::string>> lines = csv_lines(csv);
  std::string text;
  for (const std::vector<std::string>& line : lines) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::vector<std::string>& names = lines.front();
      const auto at = static_cast<std::size_t>(std::find(names.begin(), names.end(), columns[i]) - names.begin());
      text += (i == 0 ? "" : ",") + (at < line.size() ? csv_field(line[at]) : "");
    }
    text += '\n';
  }
  return text;
}

std::string chosen_table(const std::string& csv, const TableView& view, const FittedTable* usual) {
  const std::vector<std::vector<std::string>> lines = csv_lines(csv);
  const std::vector<std::string>& names = lines.front();
  std::vector<TableColumn> columns;
  std::vector<std::vector<std::string>> rows(lines.size() - 1);
  for (const std::string& name : view.columns) {
    const bool in_csv = std::find(names.begin(), names.end(), name) != names.end();
    if (usual && !in_csv) {
      const FittedTable::Column column = usual->column(name);
      for (std::size_t i = 0; i < rows.size(); ++i) rows[i].push_back(column.cells.at(i));
      columns.push_back({name, column.right, 0, static_cast<int>(columns.size())});
      continue;
    }
    const auto at = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    const auto cell = [&](std::size_t line) { return at < lines[line].size() ? lines[line][at] : std::string(); };
    bool numbers = true;
    for (std::size_t i = 1; i < lines.size(); ++i) numbers = numbers && (cell(i).empty() || is_number(cell(i)));
    for (std::size_t i = 1; i < lines.size(); ++i) rows[i - 1].push_back(numbers ? shown(cell(i)) : cell(i));
    columns.push_back({name, numbers, 0, static_cast<int>(columns.size())});
  }
  FittedTable table(std::move(columns));
  for (std::vector<std::string>& row : rows) table.add(std::move(row));
  return table.text(view.width) + left_out_line(table, view.width, "use a wider terminal or --format csv");
}

std::string trimmed(std::string line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line + "\n";
}

namespace {

// True if a spreadsheet would compute it, or an apostrophe in front of it would be mistaken for csv_field()'s.
bool needs_apostrophe(const std::string& text) {
  const std::size_t at = text.find_first_not_of('\'');
  if (at == std::string::npos || std::string_view("=+-@\t\r").find(text[at]) == std::string_view::npos) return false;
  return at > 0 || std::holds_alternative<std::string>(parse_value(text));
}

std::string without_apostrophe(std::string text) {
  if (!text.empty() && text[0] == '\'' && needs_apostrophe(text)) text.erase(0, 1);
  return text;
}

}  // namespace

std::string csv_field(const std::string& text) {
  std::string cell = (needs_apostrophe(text) ? "'" : "") + text;
  if (cell.find_first_of(",\"\n\r") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::vector<std::vector<std::string>> csv_lines(const std::string& csv) {
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string> line;
  std::string field;
  bool quoted = false;
  for (std::size_t i = 0; i < csv.size(); ++i) {
    const char c = csv[i];
    if (quoted && c == '"' && i + 1 < csv.size() && csv[i + 1] == '"') {
      field += csv[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (quoted || (c != ',' && c != '\n')) {
      field += c;
    } else {
      line.push_back(without_apostrophe(std::exchange(field, {})));
      if (c == '\n') lines.push_back(std::exchange(line, {}));
    }
  }
  return lines;
}

}  // namespace weft::report
