#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace weft::report {

struct TableColumn {
  std::string title;
  bool right = false;     // right-aligned, as numbers are
  std::size_t least = 0;  // minimum of characters, if there is room
  int spare = 0;          // order of omission: larger numbers first; 0: never omitted
};

// Rows of text under titles, fitted to a width. If they are too wide, columns first shrink to their contents, then
// spare ones are omitted, then texts of the first column are shortened.
class FittedTable {
 public:
  explicit FittedTable(std::vector<TableColumn> columns) : columns_(std::move(columns)) {}

  void add(std::vector<std::string> cells) { rows_.push_back({std::move(cells), ""}); }  // one for each column
  void add_gap() { rows_.emplace_back(); }                                               // an empty line
  void add_note(const std::string& text) { rows_.back().note = text; }  // of the last row: below it, wrapped

  // Cells of a column, of all rows but gaps; empty if no column has the title.
  struct Column {
    bool right = false;
    std::vector<std::string> cells;
  };
  Column column(const std::string& title) const;

  // Returns lines of at most `width` characters, if that is possible.
  std::string text(std::size_t width) const;
  // Returns the titles of the columns that text() omits.
  std::vector<std::string> left_out(std::size_t width) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    std::string note;
  };

  std::vector<std::size_t> widths(std::size_t width) const;  // of the columns; 0: omitted

  std::vector<TableColumn> columns_;
  std::vector<Row> rows_;
};

// Returns a table of rows of cells; the first row has the titles. Columns of numbers are right-aligned, columns of
// texts left-aligned. The further right a column, the earlier it is omitted; the first stays.
FittedTable table_of(const std::vector<std::vector<std::string>>& cells);

// Returns "left out at 80 columns: shape, GOPS; ..." with `how` to see them; empty if none is omitted.
std::string left_out_line(const FittedTable& table, std::size_t width, const std::string& how);

// Returns groups of columns after `first`, as many as fit the width, the others in tables below with `first` again. All
// must have the same number of lines, titles included; the lines of each must have one length.
std::string stacked(const std::vector<std::string>& first, const std::vector<std::vector<std::string>>& groups,
                    std::size_t width);

// Shortens a text to its start and its end: "inception..conv".
std::string shortened(const std::string& text, std::size_t width);

// Breaks the lines of `text` that are longer than `width` at spaces. The rest is indented like the text after the first
// word and two or more spaces, if that begins in the first third. A word that does not fit stays whole.
std::string wrapped(const std::string& text, std::size_t width);

}  // namespace weft::report
