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

// A result as people read it: one description, printed by text() and written as a page by html(). Texts are plain.
namespace weft::report {

// Which of the two shows a part.
enum class On { Both, Terminal, Page };

// A text, and the number that it sorts by; without one it sorts as text.
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
Cell time_cell(double seconds);                                         // in the unit that suits
Cell value_cell(const Value& value);                                    // up to six digits
template <class T, class Make>
Cell cell_if(const std::optional<T>& value, Make make) {
  return value ? make(*value) : Cell();
}

// A paragraph.
struct Text {
  std::string text{};
  On on = On::Both;
};

// Names and what is to be said of each; a line without a name goes on with the one above.
struct Facts {
  std::vector<std::pair<std::string, std::string>> lines{};
  std::size_t indent = 13;  // of what is said, on a terminal
  On on = On::Both;

  void add(std::string name, std::string what) { lines.emplace_back(std::move(name), std::move(what)); }
};

struct Column {
  std::string title{};
  std::string meaning{};  // a sentence, for those who ask; may be empty
  std::size_t least = 0;  // characters, on a terminal that has room
  int spare = 0;          // left out of a narrow terminal before those of smaller numbers; 0: never
  On on = On::Both;
  bool below = false;  // a text of its own line below its row, on a terminal
};

// Columns of numbers stand to the right. The first column names the row.
struct Table {
  std::string caption{};  // on the page
  std::vector<Column> columns{};
  std::vector<std::vector<Cell>> rows{};
  On on = On::Both;
  bool search = false;  // sortable and searchable, on the page
  bool folded = false;  // closed there, where a chart says the same
  bool chosen = false;  // --columns takes others of the CSV instead
  bool more = false;    // its rows are those of the frame: every series can be added as a column, on the page
  std::size_t most = std::numeric_limits<std::size_t>::max();  // rows on a terminal
  std::vector<std::vector<Cell>> foot{};                       // totals below it
  std::string how{};  // to see columns that a terminal leaves out; empty: the usual way
};

// Whether all cells of a column that say something are numbers.
bool of_numbers(const Table& table, std::size_t column);

// How the page writes a number.
enum class Form { Plain, Time, Share, Change, Ratio, Bytes };

// Values of one kind, one for each row that the charts are of.
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

// A kind of thing with a colour: a variable of page.css, or empty for the next of its list.
struct Part {
  std::string name{}, color{}, note{};
};
struct Mark {
  double at = 0;
  std::string name{};
};
using Point = std::pair<double, double>;

struct Bar {
  std::string name{};
  std::vector<std::pair<std::size_t, double>> parts{};  // of Bars::parts, on each other
  std::string note{};
  std::vector<std::pair<std::string, std::string>> tip{};  // what else to say of it
  double width = 1;                                        // of an upright one
};
// Bars below each other, or upright ones side by side.
struct Bars {
  std::string id{}, name{};  // of the chart
  bool upright = false;
  std::string label{};
  Form form = Form::Plain;
  std::vector<Part> parts{};
  std::vector<Bar> bars{};
  std::vector<Mark> rules{}, ticks{};  // at values; below upright bars, by their widths
  std::vector<double> borders{};       // between groups of upright bars
};

struct Lines {
  std::string id{}, name{};
  std::string across{}, label{};  // of the axes
  Form across_form = Form::Plain, form = Form::Plain;
  bool log = false;
  std::vector<Part> parts{};
  std::vector<std::vector<Point>> lines{};  // one a part
  std::vector<Mark> rules{}, levels{};      // published values of x, of y
};

// How the time of each lane is split between parts, from border to border; the reader chooses of what.
struct Strips {
  struct Choice {
    std::string name{};
    std::vector<std::int64_t> borders{};
    std::vector<std::string> stretches{};                          // names, where they have any
    std::vector<std::vector<std::vector<std::int64_t>>> values{};  // by stretch, lane and part
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
// A chart of the rows of the document: names are those of series.
struct Points {
  enum class Kind { Scatter, Dots, Lanes, Parallel, Rows };

  Kind kind = Kind::Scatter;
  std::string id{}, name{};
  std::vector<std::string> title{}, tip{};  // what names a row, what else is said of it
  std::string x{}, y{};                     // Dots: value and strip; Lanes: start and length, in seconds
  std::string row{};                        // Lanes: the resource
  std::string size{}, color{};
  std::vector<Part> parts{};  // of colours
  std::string label{};
  bool log = false;
  double level = 0;                                   // a rule across a scatter; 0: none
  std::vector<std::string> choose{}, choose_color{};  // series for the axes and the colours of a scatter
  std::vector<std::size_t> front{};                   // rows that stand out
  std::string faint{};                                // a series that is "not met" where a row should not
  std::vector<Part> line_parts{};                     // lines over a scatter
  std::vector<std::vector<Point>> lines{};            // one a part of line_parts
  std::vector<Interval> intervals{};                  // of Dots
  std::vector<std::string> lanes{};                   // of Lanes, from the top
  double end = 0;                                     // of Lanes, in seconds
  std::vector<std::string> columns{};                 // of Parallel and Rows
};

// Places of rows, those of the largest figures first, at most `most` of them; of equal ones the first.
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
  std::string command{};  // that the result is of: "run", for "weft run"
  std::string title{};    // the name of the result
  std::string lead{};     // what it is a result of
  std::vector<Figure> figures{};
  std::vector<Section> sections{};
  std::vector<Series> frame{};  // of the charts of rows
  std::string weft_version{};
};

// For a terminal. `csv`: that of the result, for the columns that the view chooses.
std::string text(const Document& document, const TableView& view, const std::string& csv);
std::string text(const Section& section, const TableView& view, const std::string& csv);

// One HTML file that asks for nothing else. Tables and figures stand in the HTML; its charts are drawn by the script
// that it carries (page/src).
std::string html(const Document& document);
// Stands near the beginning of every page.
inline constexpr const char* kPageMark =
    "<meta name=color-scheme content=\"light dark\">\n<link rel=icon href=\"data:,\">";

}  // namespace weft::report
