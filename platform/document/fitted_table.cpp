#include "platform/document/fitted_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <sstream>
#include <utility>
#include <variant>

#include "model/core/text.h"
#include "platform/document/table_view.h"

namespace weft::report {

namespace {

constexpr const char* kGap = "  ";
constexpr std::size_t kGapWidth = 2;
constexpr std::size_t kShortest = 12;  // minimum of a shortened text

std::size_t total(const std::vector<std::size_t>& widths) {
  std::size_t sum = 0;
  for (const std::size_t width : widths) sum += width > 0 ? width + kGapWidth : 0;
  return sum - std::min(sum, kGapWidth);
}

// Returns the indent of the continuation of a line.
std::size_t indent_of(const std::string& line, std::size_t width) {
  const std::size_t start = line.find_first_not_of(' ');
  const std::size_t gap = line.find("  ", start);
  if (gap != std::string::npos) {
    const std::size_t behind = line.find_first_not_of(' ', gap);
    if (behind != std::string::npos && behind <= width / 3) return behind;
  }
  return start + kGapWidth;
}

}  // namespace

std::vector<std::size_t> FittedTable::widths(std::size_t width) const {
  std::vector<std::size_t> content(columns_.size(), 1);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    content[i] = std::max(content[i], columns_[i].title.size());
    for (const Row& row : rows_) {
      if (!row.cells.empty()) content[i] = std::max(content[i], row.cells[i].size());
    }
  }
  std::vector<std::size_t> widths = content;
  for (std::size_t i = 0; i < columns_.size(); ++i) widths[i] = std::max(widths[i], columns_[i].least);
  if (total(widths) <= width) return widths;
  widths = content;
  std::vector<std::size_t> order(columns_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return columns_[a].spare > columns_[b].spare; });
  for (const std::size_t i : order) {
    if (total(widths) <= width || columns_[i].spare == 0) break;
    widths[i] = 0;
  }
  if (const std::size_t now = total(widths); now > width && widths.front() > kShortest) {
    widths.front() -= std::min(now - width, widths.front() - kShortest);
  }
  return widths;
}

FittedTable::Column FittedTable::column(const std::string& title) const {
  const auto found =
      std::find_if(columns_.begin(), columns_.end(), [&](const TableColumn& column) { return column.title == title; });
  if (found == columns_.end()) return {};
  Column column{found->right, {}};
  for (const Row& row : rows_) {
    if (!row.cells.empty()) column.cells.push_back(row.cells[static_cast<std::size_t>(found - columns_.begin())]);
  }
  return column;
}

std::string FittedTable::text(std::size_t width) const {
  const std::vector<std::size_t> widths = this->widths(width);
  std::string text;
  const auto line = [&](auto cell) {
    std::string all;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (widths[i] == 0) continue;
      if (!all.empty()) all += kGap;
      const std::string content = shortened(cell(i), widths[i]);
      all += columns_[i].right ? fmt::format("{:>{}}", content, widths[i]) : fmt::format("{:<{}}", content, widths[i]);
    }
    text += trimmed(std::move(all));
  };
  line([&](std::size_t i) { return columns_[i].title; });
  for (const Row& row : rows_) {
    if (row.cells.empty()) {
      text += '\n';
    } else {
      line([&](std::size_t i) { return row.cells[i]; });
    }
    if (!row.note.empty()) text += wrapped("    " + row.note, width);
  }
  return text;
}

std::vector<std::string> FittedTable::left_out(std::size_t width) const {
  const std::vector<std::size_t> widths = this->widths(width);
  std::vector<std::string> titles;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (widths[i] == 0) titles.push_back(columns_[i].title);
  }
  return titles;
}

std::string left_out_line(const FittedTable& table, std::size_t width, const std::string& how) {
  std::string titles;
  for (const std::string& title : table.left_out(width)) titles += (titles.empty() ? "" : ", ") + title;
  return titles.empty() ? "" : fmt::format("left out at {} columns: {}; {}\n", width, titles, how);
}

std::string stacked(const std::vector<std::string>& first, const std::vector<std::vector<std::string>>& groups,
                    std::size_t width) {
  std::string text;
  for (std::size_t from = 0, to = 0; from < groups.size(); from = to) {
    std::size_t wide = first.front().size();
    do {
      wide += kGapWidth + groups[to++].front().size();
    } while (to < groups.size() && wide + kGapWidth + groups[to].front().size() <= width);
    if (from > 0) text += '\n';
    for (std::size_t i = 0; i < first.size(); ++i) {
      std::string line = first[i];
      for (std::size_t group = from; group < to; ++group) line += kGap + groups[group][i];
      text += trimmed(std::move(line));
    }
  }
  return text;
}

// True for "12", "1,234", "18.8%" and "6.02 ms".
static bool is_quantity(const std::string& text) {
  std::string number = text.substr(0, text.find(' '));
  number.erase(std::remove(number.begin(), number.end(), ','), number.end());
  if (!number.empty() && number.back() == '%') number.pop_back();
  return !std::holds_alternative<std::string>(weft::parse_value(number));
}

FittedTable table_of(const std::vector<std::vector<std::string>>& cells) {
  std::vector<TableColumn> columns;
  columns.reserve(cells.front().size());
  for (std::size_t i = 0; i < cells.front().size(); ++i) {
    const bool numbers = std::all_of(cells.begin() + 1, cells.end(), [&](const std::vector<std::string>& row) {
      return row[i].empty() || is_quantity(row[i]);
    });
    columns.push_back({cells.front()[i], numbers, 0, static_cast<int>(i)});
  }
  FittedTable table(std::move(columns));
  for (std::size_t row = 1; row < cells.size(); ++row) table.add(cells[row]);
  return table;
}

std::string shortened(const std::string& text, std::size_t width) {
  if (text.size() <= width) return text;
  const std::size_t end = (width - 2) / 2;
  return text.substr(0, width - 2 - end) + ".." + text.substr(text.size() - end);
}

std::string wrapped(const std::string& text, std::size_t width) {
  std::istringstream lines(text);
  std::string all;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t indent = line.size() <= width ? 0 : indent_of(line, width);
    while (line.size() > width) {
      std::size_t at = line.rfind(' ', width);
      if (at == std::string::npos || at <= indent) at = line.find(' ', width);
      if (at == std::string::npos) break;
      all += trimmed(line.substr(0, at));
      line = std::string(indent, ' ') + line.substr(std::min(line.find_first_not_of(' ', at), line.size()));
    }
    all += trimmed(std::move(line));
  }
  return all;
}

}  // namespace weft::report
