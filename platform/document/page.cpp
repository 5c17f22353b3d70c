#include "platform/document/page.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "platform/document/page_assets.h"

namespace weft::report {

namespace {

// Text as HTML, between tags or in the quotes of an attribute.
std::string escaped(std::string_view text) {
  std::string all;
  for (const char c : text) {
    switch (c) {
      case '&':
        all += "&amp;";
        break;
      case '<':
        all += "&lt;";
        break;
      case '>':
        all += "&gt;";
        break;
      case '"':
        all += "&quot;";
        break;
      default:
        all += c;
    }
  }
  return all;
}

// JSON that no HTML reader takes for markup, whatever its texts are: '<' stands in texts alone, where \u003c is the
// same.
std::string inert(const nlohmann::ordered_json& json) {
  std::string all;
  for (const char c : json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)) {
    if (c == '<') {
      all += "\\u003c";
    } else {
      all += c;
    }
  }
  return all;
}

// Whether a column's cells are numbers, which stand to the right: all that have a text.
std::vector<bool> numbers(const Table& table) {
  std::vector<bool> all(table.columns.size(), true);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = std::all_of(table.rows.begin(), table.rows.end(),
                         [i](const auto& row) { return row[i].text.empty() || row[i].number; });
  }
  return all;
}

// `title`: of its section, which a caption need not say again.
std::string table_html(const Table& table, const std::string& title) {
  const std::vector<bool> number = numbers(table);
  std::string text = fmt::format(
      "<div class=scroll tabindex=0 role=group aria-label=\"{0}\"><table{1}><caption{2}>{0}</caption><thead><tr>",
      escaped(table.caption), table.search ? " data-search" : "", table.caption == title ? " class=quiet" : "");
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Heading& heading = table.columns[i];
    text += fmt::format("<th scope=col{}{}>{}", number[i] ? " class=n" : "",
                        heading.meaning.empty() ? "" : fmt::format(" title=\"{}\"", escaped(heading.meaning)),
                        escaped(heading.title));
  }
  text += "</thead><tbody>\n";
  for (const auto& row : table.rows) {
    text += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += i == 0 ? "<th scope=row" : "<td";
      if (number[i]) text += " class=n";
      if (row[i].number) text += fmt::format(" data-v={}", *row[i].number);
      text += ">" + escaped(row[i].text);
    }
    text += "\n";
  }
  text += "</tbody></table></div>\n";
  // Open, for readers without the script, which closes it.
  if (table.folded) {
    return fmt::format("<details open data-fold><summary>{}</summary>{}</details>\n", escaped(table.caption), text);
  }
  return text;
}

std::string section_html(const Section& section) {
  std::string text = fmt::format("<section id={0} aria-labelledby={0}-title>\n<h2 id={0}-title>{1}</h2>\n", section.id,
                                 escaped(section.title));
  for (const std::string& paragraph : section.text) text += fmt::format("<p>{}</p>\n", escaped(paragraph));
  if (section.chart) text += fmt::format("<div class=chart data-chart={}></div>\n", section.id);
  for (const Table& table : section.tables) text += table_html(table, section.title);
  return text + "</section>\n";
}

std::string figures_html(const std::vector<Figure>& figures) {
  std::string text = "<dl class=figures>\n";
  for (const Figure& figure : figures) {
    text += fmt::format("<div><dt>{}</dt><dd>{}{}</dd></div>\n", escaped(figure.label), escaped(figure.value),
                        figure.note.empty() ? "" : fmt::format(" <small>{}</small>", escaped(figure.note)));
  }
  return text + "</dl>\n";
}

// Nothing may be fetched: what the page needs is in it.
constexpr std::string_view kPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

}  // namespace

std::string html(const Page& page) {
  std::string text = fmt::format(
      "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
      "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=Content-Security-Policy content=\"{}\">\n"
      "{}\n"
      "<title>{} - weft {}</title>\n<style>\n{}</style>\n</head>\n<body data-kind={}>\n",
      kPolicy, kPageMark, escaped(page.title), page.command, kPageStyle, page.kind);
  text += fmt::format("<header>\n<p class=kicker>weft {}</p>\n<h1>{}</h1>\n<p class=lead>{}</p>\n{}</header>\n",
                      page.command, escaped(page.title), escaped(page.lead), figures_html(page.figures));
  text += "<nav aria-label=\"On this page\"><ul>\n";
  for (const Section& section : page.sections) {
    text += fmt::format("<li><a href=\"#{}\">{}</a>\n", section.id, escaped(section.title));
  }
  text +=
      "</ul></nav>\n<main>\n<noscript><p class=note>The charts need JavaScript. Every table is here without "
      "it.</p></noscript>\n";
  for (const Section& section : page.sections) text += section_html(section);
  text += fmt::format(
      "</main>\n<footer>\n<p>Written by weft {}.</p>\n<details><summary>Charts by Observable Plot and D3: their "
      "licences</summary><pre tabindex=0>{}</pre></details>\n</footer>\n",
      escaped(page.weft_version), escaped(kPageLicences));
  text += fmt::format("<script type=application/json id=weft-data>{}</script>\n<script>{}</script>\n</body>\n</html>\n",
                      inert(page.data), kPageScript);
  return text;
}

}  // namespace weft::report
