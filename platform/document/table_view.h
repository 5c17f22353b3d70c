#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace weft::report {

class FittedTable;

// What of its rows the table of a command shows.
struct TableView {
  std::size_t width = 120;           // that it may take
  std::vector<std::string> columns;  // by their names in CSV; empty: the usual ones
  bool summary = false;              // no rows
};

// What the first line of a CSV file names.
std::vector<std::string> columns_of(const std::string& csv);

// The rows of a CSV file with the columns of the view, and a line that says which of them have no room. A column that
// the file does not have is that of `usual`, whose first rows are the file's.
std::string chosen_table(const std::string& csv, const TableView& view, const FittedTable* usual = nullptr);

}  // namespace weft::report
