#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace weft::report {

// Helpers for the reports of several commands.
// Returns a line of a table without the padding of its last column, with a line break.
std::string trimmed(std::string line);

// Returns a field of a CSV file as in RFC 4180: quoted if it has a comma, a quote or a line break. A text that begins
// with =, +, -, @, a tab or a carriage return gets an apostrophe in front, so that no spreadsheet computes it. Numbers
// stay as they are.
std::string csv_field(const std::string& text);

// Returns the fields of each line of such a file as they were before csv_field(); each line ends with a line break.
std::vector<std::vector<std::string>> csv_lines(const std::string& csv);

enum class Format { Table, Json, Csv };

// Output of a command in every format.
struct Report {
  std::string table;
  std::string json;
  std::string csv;

  const std::string& in(Format format) const {
    return format == Format::Table ? table : format == Format::Json ? json : csv;
  }
};

class FittedTable;

// Part of a command's output that is shown.
struct TableView {
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

  std::size_t width = 120;           // maximum of characters
  std::vector<std::string> columns;  // by their names in CSV; empty: the default ones
  std::size_t rows = 10;             // maximum in tables with a ranking; kAll: every row, in the order of the result
  bool verbose = false;              // also what a user rarely needs
};

// Returns the names in the first line of a CSV file.
std::vector<std::string> columns_of(const std::string& csv);

// Returns a CSV file with only these of its columns, in their order.
std::string chosen_csv(const std::string& csv, const std::vector<std::string>& columns);

// Returns the rows of a CSV file with the columns of the view, and a line that lists columns without room. A column
// that the file lacks is taken from `usual`, whose first rows are the file's.
std::string chosen_table(const std::string& csv, const TableView& view, const FittedTable* usual = nullptr);

}  // namespace weft::report
