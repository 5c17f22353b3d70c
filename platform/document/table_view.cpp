#include "platform/document/table_view.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <variant>

#include "model/core/text.h"
#include "model/core/value.h"
#include "platform/document/fitted_table.h"
#include "platform/document/text.h"

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
  return table.text(view.width) + left_out_line(table, view.width, "a wider terminal or --format csv has them");
}

}  // namespace weft::report
