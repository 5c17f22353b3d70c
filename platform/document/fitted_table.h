#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace weft::report {

struct TableColumn {
  std::string title;
  bool right = false;     // aligned, as numbers are
  std::size_t least = 0;  // characters, where there is room
  int spare = 0;          // left out before those of smaller numbers; 0: never
};

// Rows of text under titles, made to fit a width. Where it is too wide, columns shrink to what they hold, then the
// spare ones are left out, then texts of the first column are shortened.
class FittedTable {
 public:
  explicit FittedTable(std::vector<TableColumn> columns) : columns_(std::move(columns)) {}

  void add(std::vector<std::string> cells) { rows_.push_back({std::move(cells), ""}); }  // as many as columns
  void add_gap() { rows_.emplace_back(); }                                               // an empty line
  void add_note(const std::string& text) { rows_.back().note = text; }  // of the last row: below it, in lines

  // A column by its title, or empty: the cells of all rows but gaps.
  struct Column {
    bool right = false;
    std::vector<std::string> cells;
  };
  Column column(const std::string& title) const;

  // Lines of at most `width` characters, if that is possible at all.
  std::string text(std::size_t width) const;
  // The titles of what text() leaves out.
  std::vector<std::string> left_out(std::size_t width) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    std::string note;
  };

  std::vector<std::size_t> widths(std::size_t width) const;  // of the columns; 0: left out

  std::vector<TableColumn> columns_;
  std::vector<Row> rows_;
};

// Rows of cells, the first of them the titles: columns of numbers to the right, of texts to the left. Behind the first
// column, the further to the right the less it matters.
FittedTable table_of(const std::vector<std::vector<std::string>>& cells);

// "left out at 80 columns: shape, GOPS; ..." with `how` to get them; empty if nothing is.
std::string left_out_line(const FittedTable& table, std::size_t width, const std::string& how);

// Groups of columns beside `first`, as many as the width takes, the others with `first` again in tables below: nothing
// is left out. Each has as many lines, titles included, and lines of one length.
std::string stacked(const std::vector<std::string>& first, const std::vector<std::vector<std::string>>& groups,
                    std::size_t width);

// "inception..conv": the start and the end of what does not fit.
std::string shortened(const std::string& text, std::size_t width);

// The lines of `text` that are longer than `width`, broken at spaces; what follows stands under what the line says
// behind its first word and two spaces or more, if that is in the first third. A word that does not fit stays whole.
std::string wrapped(const std::string& text, std::size_t width);

}  // namespace weft::report
