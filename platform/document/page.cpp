#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "platform/document/document.h"
#include "platform/document/page_assets.h"

namespace weft::report {

// Charts in the form that the script reads (page/src).

using Json = nlohmann::ordered_json;

static void to_json(Json& json, Form form) {
  constexpr std::array<const char*, 6> kNames{"plain", "time", "share", "change", "ratio", "bytes"};
  json = kNames.at(static_cast<std::size_t>(form));
}
static void to_json(Json& json, const Part& part) {
  json = {{"name", part.name}, {"color", part.color}, {"note", part.note}};
}
static void to_json(Json& json, const Mark& mark) {
  json = {{"at", mark.at}, {"name", mark.name}};
}
static void to_json(Json& json, const Series& of) {
  Json values = Json::array();
  for (const Value& value : of.values) {
    if (value.index() == 0) values.push_back(nullptr);
    if (const auto* const integer = std::get_if<std::int64_t>(&value)) values.push_back(*integer);
    if (const auto* const real = std::get_if<double>(&value)) values.push_back(*real);
    if (const auto* const text = std::get_if<std::string>(&value)) values.push_back(*text);
  }
  json = {{"name", of.name}, {"meaning", of.meaning}, {"form", of.form}, {"values", std::move(values)}};
}
static void to_json(Json& json, const Bar& bar) {
  json = {{"name", bar.name}, {"values", bar.parts}, {"note", bar.note}, {"tip", bar.tip}, {"width", bar.width}};
}
static void to_json(Json& json, const Bars& of) {
  json = {{"kind", of.upright ? "columns" : "bars"},
          {"id", of.id},
          {"name", of.name},
          {"label", of.label},
          {"form", of.form},
          {"parts", of.parts},
          {"bars", of.bars},
          {"rules", of.rules},
          {"ticks", of.ticks},
          {"borders", of.borders}};
}
static void to_json(Json& json, const Lines& of) {
  json = {{"kind", "lines"},
          {"id", of.id},
          {"name", of.name},
          {"across", of.across},
          {"across_form", of.across_form},
          {"label", of.label},
          {"form", of.form},
          {"log", of.log},
          {"parts", of.parts},
          {"lines", of.lines},
          {"rules", of.rules},
          {"levels", of.levels}};
}
static void to_json(Json& json, const Strips::Choice& of) {
  json = {{"name", of.name}, {"borders", of.borders}, {"stretches", of.stretches}, {"values", of.values}};
}
static void to_json(Json& json, const Strips& of) {
  json = {{"kind", "strips"},    {"id", of.id},       {"name", of.name},   {"label", of.label},
          {"choose", of.choose}, {"parts", of.parts}, {"lanes", of.lanes}, {"choices", of.choices}};
}
static void to_json(Json& json, const Interval& of) {
  json = {{"row", of.row}, {"name", of.name}, {"low", of.low}, {"mean", of.mean}, {"high", of.high}};
}
static void to_json(Json& json, const Points& of) {
  constexpr std::array<const char*, 5> kKinds{"scatter", "dots", "lanes", "parallel", "rows"};
  json = {{"kind", kKinds.at(static_cast<std::size_t>(of.kind))},
          {"id", of.id},
          {"name", of.name},
          {"title", of.title},
          {"tip", of.tip},
          {"x", of.x},
          {"y", of.y},
          {"row", of.row},
          {"size", of.size},
          {"color", of.color},
          {"parts", of.parts},
          {"label", of.label},
          {"log", of.log},
          {"level", of.level},
          {"choose", of.choose},
          {"choose_color", of.choose_color},
          {"front", of.front},
          {"front_names", of.front_names},
          {"faint", of.faint},
          {"line_parts", of.line_parts},
          {"lines", of.lines},
          {"intervals", of.intervals},
          {"lanes", of.lanes},
          {"end", of.end},
          {"columns", of.columns}};
}

namespace {

// Escapes text for HTML, between tags or in the quotes of an attribute.
std::string escaped(std::string_view text) {
  constexpr std::array<std::pair<char, const char*>, 4> kNames{
      {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}}};
  std::string all;
  for (const char c : text) {
    const auto* const found =
        std::find_if(kNames.begin(), kNames.end(), [c](const auto& each) { return each.first == c; });
    found == kNames.end() ? all += c : all += found->second;
  }
  return all;
}

// Returns JSON that is safe within HTML: '<' occurs only in its texts, where \u003c means the same.
std::string inert(const Json& json) {
  std::string all;
  for (const char c : json.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    if (c == '<') {
      all += "\\u003c";
    } else {
      all += c;
    }
  }
  return all;
}

// Returns HTML of the blocks that the page shows; appends the data of their charts to `charts`.
class Page {
 public:
  Page(const std::string& title, Json& charts) : title_(title), charts_(charts) {}

  std::string operator()(const Text& text) const {
    return text.on == On::Terminal ? "" : fmt::format("<p>{}</p>\n", escaped(text.text));
  }

  std::string operator()(const Facts& facts) const {
    if (facts.on == On::Terminal || facts.lines.empty()) return "";
    std::string text;
    for (const auto& [name, what] : facts.lines) {
      if (!name.empty()) text += "<dt>" + escaped(name);
      text += "<dd>" + escaped(what) + "\n";
    }
    return "<dl class=facts>\n" + text + "</dl>\n";
  }

  std::string operator()(const Table& table) const {
    if (table.on == On::Terminal) return "";
    std::vector<bool> numbers;
    for (std::size_t i = 0; i < table.columns.size(); ++i) numbers.push_back(of_numbers(table, i));
    std::string text = fmt::format(
        "<div class=scroll tabindex=0 role=group aria-label=\"{0}\"><table{1}{2}><caption{3}>{0}</caption><thead><tr>",
        escaped(table.caption), table.search ? " data-search" : "", table.more ? " data-more" : "",
        table.caption == title_ ? " class=quiet" : "");
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const Column& column = table.columns[i];
      if (column.on == On::Terminal) continue;
      text += fmt::format("<th scope=col{}{}>{}", class_of(column, numbers[i]),
                          column.meaning.empty() ? "" : fmt::format(" title=\"{}\"", escaped(column.meaning)),
                          escaped(column.title));
    }
    text += "</thead><tbody>\n";
    for (const std::vector<Cell>& row : table.rows) text += line(table, numbers, row);
    text += "</tbody>";
    if (!table.foot.empty()) {
      text += "<tfoot>\n";
      for (const std::vector<Cell>& row : table.foot) text += line(table, numbers, row);
      text += "</tfoot>";
    }
    text += "</table></div>\n";
    // Open for readers without JavaScript; the script closes it.
    return !table.folded ? text
                         : fmt::format("<details open data-fold><summary>{}</summary>{}</details>\n",
                                       escaped(table.caption), text);
  }

  template <class Chart>
  std::string operator()(const Chart& chart) const {
    charts_.push_back(chart);
    return fmt::format("<div class=chart data-chart={}></div>\n", chart.id);
  }

 private:
  static std::string line(const Table& table, const std::vector<bool>& numbers, const std::vector<Cell>& row) {
    std::string text = "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (table.columns[i].on == On::Terminal) continue;
      const bool first = text == "<tr>";
      text += first ? "<th scope=row" : "<td";
      text += class_of(table.columns[i], numbers[i]);
      if (row[i].number) text += fmt::format(" data-v={}", *row[i].number);
      text += ">" + escaped(row[i].text);
      if (!first) continue;
      for (std::size_t m = 1; m < row.size(); ++m) {
        if (is_meaning(table.columns[m]) && !row[m].text.empty()) text += "<small>" + escaped(row[m].text) + "</small>";
      }
    }
    return text + "\n";
  }

  // True for a column of sentences on the names of the rows: a narrow page shows them below the names.
  static bool is_meaning(const Column& column) { return column.title == "meaning" || column.title == "why not"; }
  static const char* class_of(const Column& column, bool number) {
    return number ? " class=n" : is_meaning(column) ? " class=m" : "";
  }

  const std::string& title_;  // of the section; a caption need not repeat it
  Json& charts_;
};

std::string figures_html(const std::vector<Figure>& figures) {
  std::string text = "<dl class=figures>\n";
  for (const Figure& figure : figures) {
    text += fmt::format("<div><dt>{}</dt><dd>{}{}</dd></div>\n", escaped(figure.label), escaped(figure.value),
                        figure.note.empty() ? "" : fmt::format(" <small>{}</small>", escaped(figure.note)));
  }
  return text + "</dl>\n";
}

// Forbids all fetches: the page contains everything that it needs.
constexpr std::string_view kPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

}  // namespace

std::string html(const Document& document) {
  std::string text = fmt::format(
      "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
      "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=Content-Security-Policy content=\"{}\">\n"
      "{}\n"
      "<title>{} - weft {}</title>\n<style>\n{}</style>\n</head>\n<body>\n",
      kPolicy, kPageMark, escaped(document.title), document.command, kPageStyle);
  text +=
      fmt::format("<header>\n<p class=kicker>weft {}</p>\n<h1>{}</h1>\n<p class=lead>{}</p>\n{}</header>\n",
                  document.command, escaped(document.title), escaped(document.lead), figures_html(document.figures));
  std::string links, sections;
  Json charts = Json::array();
  for (const Section& section : document.sections) {
    std::string body;
    for (const Block& block : section.blocks) body += std::visit(Page(section.title, charts), block);
    if (body.empty()) continue;
    links += fmt::format("<li><a href=\"#{}\">{}</a>\n", section.id, escaped(section.title));
    sections += fmt::format("<section id={0} aria-labelledby={0}-title>\n<h2 id={0}-title>{1}</h2>\n{2}</section>\n",
                            section.id, escaped(section.title), body);
  }
  text += "<nav aria-label=\"On this page\"><ul>\n" + links +
          "</ul></nav>\n<main>\n<noscript><p class=note>The charts need JavaScript; the tables do not.</p>"
          "</noscript>\n" +
          sections;
  text += fmt::format(
      "</main>\n<footer>\n<p>Written by weft {}.</p>\n<details><summary>Licences of Observable Plot and D3, which draw "
      "the charts</summary><pre tabindex=0>{}</pre></details>\n</footer>\n",
      escaped(document.weft_version), escaped(kPageLicences));
  text += fmt::format("<script type=application/json id=weft-data>{}</script>\n<script>{}</script>\n</body>\n</html>\n",
                      inert({{"frame", document.frame}, {"charts", charts}}), kPageScript);
  return text;
}

}  // namespace weft::report
