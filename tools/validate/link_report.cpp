#include "tools/validate/link_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "model/link/closed_form.h"
#include "platform/document/fitted_table.h"
#include "platform/document/text.h"

namespace weft::tools {

namespace {

using Json = nlohmann::ordered_json;
using link::Direction;
using validate::LinkRow;

std::string head(const validate::LinkValidation& v) {
  const auto rate = [&](Direction direction) {
    const link::ClosedForm form = link::closed_form(*v.board.pcie, direction);
    return fmt::format("{:.2f} GB/s {}, bound by {}", form.bytes_per_s / 1e9, short_name(direction),
                       to_string(form.bound));
  };
  return fmt::format("{}{}{}: Gen{} x{}, {}, {}; calls of {}\n\n", v.name, v.title.empty() ? "" : ": ", v.title,
                     v.board.pcie->generation, v.board.pcie->lanes, rate(Direction::HostToCard),
                     rate(Direction::CardToHost), v.host.name);
}

std::string figures(const std::vector<LinkRow>& rows, const std::string& csv, const TableView& view) {
  if (!view.columns.empty()) return report::chosen_table(csv, view);
  report::FittedTable table({{"held to", false, 12},
                             {"what"},
                             {"", false, 4},
                             {"bytes", true},
                             {"model", true},
                             {"reference", true, 0, 1},
                             {"unit"},
                             {"error", true, 9},
                             {"allowed", true, 8, 2},
                             {"", false}});
  for (const LinkRow& row : rows) {
    table.add({row.group, row.what, short_name(row.direction), std::to_string(row.bytes),
               fmt::format("{:.4f}", row.model), fmt::format("{:.4f}", row.reference), row.unit,
               fmt::format("{:+.3f}%", row.error_percent()), fmt::format("{}%", row.tolerance_percent),
               row.holds() ? "" : "EXCEEDED"});
  }
  return table.text(view.width) +
         report::left_out_line(table, view.width, "--columns chooses any that --format csv has");
}

std::string table(const validate::LinkValidation& v, const std::vector<LinkRow>& rows, const std::string& csv,
                  const TableView& view) {
  std::string text = head(v) + figures(rows, csv, view);
  const auto out = std::count_if(rows.begin(), rows.end(), [](const LinkRow& row) { return !row.holds(); });
  text += fmt::format("\n{}\n", out == 0 ? "every figure is within its tolerance"
                                         : fmt::format("{} of {} figures leave their tolerance", out, rows.size()));
  if (!v.measured_source.empty()) text += fmt::format("measured     {}\n", v.measured_source);
  if (!v.beside_source.empty()) text += fmt::format("beside       {}; nothing is fitted to it\n", v.beside_source);
  return text;
}

}  // namespace

const char* short_name(Direction direction) {
  return direction == Direction::HostToCard ? "H2C" : "C2H";
}

Report report(const validate::LinkValidation& validation, const std::vector<LinkRow>& rows, const TableView& view) {
  Report report;
  Json json{{"schema", kLinkSchema},
            {"name", validation.name},
            {"board", validation.board.name},
            {"host", validation.host.name},
            {"rows", Json::array()}};
  report.csv = kLinkColumns;
  for (const LinkRow& row : rows) {
    json["rows"].push_back({{"held_to", row.group},
                            {"what", row.what},
                            {"direction", short_name(row.direction)},
                            {"bytes", row.bytes},
                            {"unit", row.unit},
                            {"model", row.model},
                            {"reference", row.reference},
                            {"error_percent", row.error_percent()},
                            {"tolerance_percent", row.tolerance_percent},
                            {"holds", row.holds()}});
    report.csv += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", row.group, report::csv_field(row.what),
                              short_name(row.direction), row.bytes, row.unit, row.model, row.reference,
                              row.error_percent(), row.tolerance_percent, row.holds());
  }
  report.table = table(validation, rows, report.csv, view);
  report.json = json.dump(2) + "\n";
  return report;
}

}  // namespace weft::tools
