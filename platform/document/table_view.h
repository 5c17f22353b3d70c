#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace weft::report {

// Pieces of text that the reports of several commands are made of.
// "6.94 s", "4.2 min": in the unit that suits.
std::string duration_text(double seconds);

// A line of a table without the padding of its last column, and its end.
std::string trimmed(std::string line);

// A field of a CSV file as RFC 4180 has it: with a comma, a quote or a line break in it, it is quoted. A text that
// begins with =, +, -, @, a tab or a carriage return gets an apostrophe in front, so that no spreadsheet computes it;
// numbers stay as they are.
std::string csv_field(const std::string& text);

// The lines of such a file, each in its fields as they were before csv_field(); each line ends with a line break.
std::vector<std::vector<std::string>> csv_lines(const std::string& csv);

enum class Format { Table, Json, Csv };

// What a command prints or writes, in every format it may be asked for.
struct Report {
  std::string table;
  std::string json;
  std::string csv;

  const std::string& in(Format format) const {
    return format == Format::Table ? table : format == Format::Json ? json : csv;
  }
};

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
