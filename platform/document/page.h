#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace weft::report {

// A page of weft report: one HTML file that asks for nothing else. Its tables and figures stand in the HTML; its charts
// are drawn from `data` by the script that it carries (page/src). All texts are plain; what HTML means by some
// characters is taken care of here.

// Stands near the beginning of every page.
inline constexpr const char* kPageMark =
    "<meta name=color-scheme content=\"light dark\">\n<link rel=icon href=\"data:,\">";

// As people read it, and the number that it sorts by; without one it sorts as text.
struct Cell {
  std::string text;
  std::optional<double> number;
};

struct Heading {
  std::string title;
  std::string meaning;  // a sentence, for those who ask; may be empty
};

struct Table {
  std::string caption;
  std::vector<Heading> columns;  // the first names the row
  std::vector<std::vector<Cell>> rows;
  bool search = false;  // sortable and searchable
  bool folded = false;  // behind its caption, where the chart above says the same
};

// A headline figure: "60,791,777,808", "cycles".
struct Figure {
  std::string label, value, note;
};

struct Section {
  std::string id;  // of the place of its chart, too: [a-z-]+
  std::string title;
  std::vector<std::string> text;  // paragraphs
  bool chart = false;
  std::vector<Table> tables;
};

struct Page {
  std::string kind;     // which of the script's charts: "run"
  std::string command;  // that the result is of: "run", for "weft run"
  std::string title;    // the name of the result
  std::string lead;     // what it is a result of, in a sentence
  std::vector<Figure> figures;
  std::vector<Section> sections;
  nlohmann::ordered_json data = nlohmann::ordered_json::object();
  std::string weft_version;
};

std::string html(const Page& page);

}  // namespace weft::report
