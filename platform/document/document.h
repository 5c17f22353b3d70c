#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "model/core/text.h"
#include "platform/document/table_view.h"

// A result for readers: one description, which text() prints and html() writes as a page. Texts are plain.
namespace weft::report {

// Outputs that show a part.
enum class On { Both, Terminal, Page, Verbose };  // Verbose: page, and terminal with --verbose

// A text, and the number that it sorts by; without a number it sorts as text.
struct Cell {
  // NOLINTNEXTLINE(google-explicit-constructor): a text is a cell
  Cell(std::string text = "", std::optional<double> number = {}) : text(std::move(text)), number(number) {}
  // NOLINTNEXTLINE(google-explicit-constructor): see above
  Cell(const char* text) : text(text) {}

  std::string text;
  std::optional<double> number;
};

template <class T>
double ratio(T part, T whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

Cell count_cell(std::int64_t value);                                    // "1,234,567"
Cell fixed_cell(double value, int digits, std::string_view unit = "");  // "0.25 s"
Cell real_cell(double value);                                           // four digits: "1.235"
Cell share_cell(double share, int digits = 1);                          // 0.1234: "12.3%"
Cell change_cell(double share, int digits = 2);                         // 0.1234: "+12.34%"
Cell time_cell(double seconds);                                         // in a suitable unit
Cell value_cell(const Value& value);                                    // up to six digits
Cell value_cell(const Value& value, const std::string& unit);           // the same; s as times, h as hours, 1 as shares
template <class T, class Make>
Cell cell_if(const std::optional<T>& value, Make make) {
  return value ? make(*value) : Cell();
}

// A paragraph.
struct Text {
  std::string text{};
  On on = On::Both;
};

// Names, each with a text; a line without a name continues the one above.
struct Facts {
  std::vector<std::pair<std::string, std::string>> lines{};
  std::size_t indent = 13;  // of the texts, on a terminal
  On on = On::Both;

  void add(std::string name, std::string what) { lines.emplace_back(std::move(name), std::move(what)); }
};

struct Column {
  std::string title{};
  std::string meaning{};  // explanation, a sentence; may be empty
  std::size_t least = 0;  // minimum of characters, on a terminal that has room
  int spare = 0;          // order of omission on a narrow terminal: larger numbers first; 0: never omitted
  On on = On::Both;
  bool below = false;  // on a terminal, its text is on a line of its own below the row
};

// A table. Columns of numbers are right-aligned; the first column names the row.
struct Table {
  std::string caption{};  // on the page
  std::vector<Column> columns{};
  std::vector<std::vector<Cell>> rows{};
  On on = On::Both;
  bool search = false;  // sortable and searchable, on the page
  bool folded = false;  // closed on the page, because a chart shows the same
  bool chosen = false;  // --columns replaces it with columns of the CSV
  bool more = false;    // its rows are those of the frame: on the page, any series can be added as a column
  std::size_t most = std::numeric_limits<std::size_t>::max();  // maximum of rows on a terminal
  std::vector<std::size_t> ranking{};     // indices of all rows, most important first: a terminal prints the first ones
  bool no_zeros = false;                  // a terminal omits rows without a figure other than 0 unless --verbose
  std::vector<std::vector<Cell>> foot{};  // totals below the rows
  std::string how{};                      // how to see columns that a terminal omits; empty: the default text
};

// True if all cells of a column are numbers, apart from those that are empty or "-".
bool of_numbers(const Table& table, std::size_t column);

// Format of a number on the page.
enum class Form { Plain, Time, Share, Change, Ratio, Bytes };

// Values of one kind, one for each row that the charts show.
struct Series {
  std::string name{}, meaning{};
  Form form = Form::Plain;
  std::vector<Value> values{};
};
template <class Rows, class Of>
Series series_of(std::string name, std::string meaning, Form form, const Rows& rows, Of value) {
  Series series{std::move(name), std::move(meaning), form, {}};
  series.values.reserve(rows.size());
  for (const auto& row : rows) series.values.emplace_back(value(row));
  return series;
}

// A category with a colour: a variable of page.css, or empty for the next one of its list.
struct Part {
  std::string name{}, color{}, note{};
};
// Uses of PE-cycles, named as columns ("starved_inp_column") with a note each, in colours of their group: useful,
// starved, blocked, idle or wasted.
std::vector<Part> use_parts(const std::vector<std::pair<std::string, std::string>>& uses);

// Returns the first `most` texts, and the number of the others: "a, b and 3 more".
std::string first_of(const std::vector<std::string>& texts, std::size_t most);

// Returns the common form of names, with * for the part in which they differ: "layer3.*.conv".
std::string common_form(const std::vector<std::string>& names);

struct Mark {
  double at = 0;
  std::string name{};
};
using Point = std::pair<double, double>;

struct Bar {
  std::string name{};
  std::vector<std::pair<std::size_t, double>> parts{};  // index in Bars::parts, and value; stacked
  std::string note{};
  std::vector<std::pair<std::string, std::string>> tip{};  // other facts about it
  double width = 1;                                        // of an upright bar
};
// Horizontal bars below each other, or upright bars side by side.
struct Bars {
  std::string id{}, name{};  // of the chart
  bool upright = false;
  std::string label{};
  Form form = Form::Plain;
  std::vector<Part> parts{};
  std::vector<Bar> bars{};
  std::vector<Mark> rules{}, ticks{};  // at values; below upright bars, in units of their widths
  std::vector<double> borders{};       // between groups of upright bars
};

struct Lines {
  std::string id{}, name{};
  std::string across{}, label{};  // of the axes
  Form across_form = Form::Plain, form = Form::Plain;
  bool log = false;
  std::vector<Part> parts{};
  std::vector<std::vector<Point>> lines{};  // one for each part
  std::vector<Mark> rules{}, levels{};      // published values of x, of y
};

// Split of each lane's time between parts, for each interval between two borders. The reader selects a choice.
struct Strips {
  struct Choice {
    std::string name{};
    std::vector<std::int64_t> borders{};
    std::vector<std::string> stretches{};                          // names of the intervals, if they have any
    std::vector<std::vector<std::vector<std::int64_t>>> values{};  // by interval, lane and part
  };
  std::string id{}, name{}, label{}, choose{};
  std::vector<Part> parts{};
  std::vector<std::string> lanes{};
  std::vector<Choice> choices{};
};

struct Interval {
  std::string row{}, name{};
  double low = 0, mean = 0, high = 0;
};
// A chart of the rows of the document; names are those of series.
struct Points {
  enum class Kind { Scatter, Dots, Lanes, Parallel, Rows };

  Kind kind = Kind::Scatter;
  std::string id{}, name{};
  std::vector<std::string> title{}, tip{};  // series that name a row, series with other facts
  std::string x{}, y{};                     // Dots: value and strip; Lanes: start and length, in seconds
  std::string row{};                        // Lanes: the resource
  std::string size{}, color{};
  std::vector<Part> parts{};  // of colours
  std::string label{};
  bool log = false;
  double level = 0;                                   // a rule across a scatter; 0: none
  std::vector<std::string> choose{}, choose_color{};  // series for the axes and the colours of a scatter
  std::vector<std::size_t> front{};                   // highlighted rows
  std::vector<std::string> front_names{};             // of the highlighted rows, or empty; written where there is room
  std::string faint{};                                // series that is "not met" for rows to draw faintly
  std::vector<Part> line_parts{};                     // lines over a scatter
  std::vector<std::vector<Point>> lines{};            // one for each part of line_parts
  std::vector<Interval> intervals{};                  // of Dots
  std::vector<std::string> lanes{};                   // of Lanes, from the top
  double end = 0;                                     // of Lanes, in seconds
  std::vector<std::string> columns{};                 // of Parallel and Rows
};

// Returns the indices of at most `most` rows with the largest figures, largest first; of equal ones the first.
template <class Rows, class Of>
std::vector<std::size_t> largest(const Rows& rows, std::size_t most, Of figure) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return figure(rows[a]) > figure(rows[b]); });
  order.resize(std::min(order.size(), most));
  return order;
}

using Block = std::variant<Text, Facts, Table, Bars, Lines, Strips, Points>;

struct Section {
  std::string id{};  // [a-z-]+
  std::string title{};
  std::vector<Block> blocks{};
};

// A headline figure: "60,791,777,808", "cycles".
struct Figure {
  std::string label{}, value{}, note{};
};

struct Document {
  std::string command{};  // of the result: "run", for "weft run"
  std::string title{};    // the name of the result
  std::string lead{};     // subject of the result
  std::vector<Figure> figures{};
  std::vector<Section> sections{};
  std::vector<Series> frame{};  // series of the charts of rows
  std::string weft_version{};
};

// Returns the text for a terminal. `csv`: of the result, for the columns that the view selects.
std::string text(const Document& document, const TableView& view, const std::string& csv);
std::string text(const Section& section, const TableView& view, const std::string& csv);

// Returns one self-contained HTML file. Tables and figures are HTML; its script (page/src) draws the charts.
std::string html(const Document& document);
// Text near the beginning of every page.
inline constexpr const char* kPageMark =
    "<meta name=color-scheme content=\"light dark\">\n<link rel=icon href=\"data:,\">";

}  // namespace weft::report
