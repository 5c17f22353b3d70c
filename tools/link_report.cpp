#include "tools/link_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "model/link/closed_form.h"
#include "platform/report/text.h"

namespace weft::tools {

namespace {

using Json = nlohmann::ordered_json;
using link::Direction;
using validate::LinkRow;

const char* short_name(Direction direction) {
  return direction == Direction::HostToCard ? "H2C" : "C2H";
}

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

std::string table(const validate::LinkValidation& v, const std::vector<LinkRow>& rows) {
  std::string text = head(v);
  text += fmt::format("{:<12} {:<20} {:<4} {:>14} {:>14} {:>14} {:<6} {:>9} {:>8}\n", "held to", "what", "", "bytes",
                      "model", "reference", "", "error", "allowed");
  for (const LinkRow& row : rows) {
    text += fmt::format("{:<12} {:<20} {:<4} {:>14} {:>14.4f} {:>14.4f} {:<6} {:>+8.3f}% {:>7}%{}\n", row.group,
                        row.what, short_name(row.direction), row.bytes, row.model, row.reference, row.unit,
                        row.error_percent(), row.tolerance_percent, row.holds() ? "" : "  EXCEEDED");
  }
  const auto out = std::count_if(rows.begin(), rows.end(), [](const LinkRow& row) { return !row.holds(); });
  text += fmt::format("\n{}\n", out == 0 ? "every figure is within its tolerance"
                                         : fmt::format("{} of {} figures leave their tolerance", out, rows.size()));
  if (!v.measured_source.empty()) text += fmt::format("measured     {}\n", v.measured_source);
  if (!v.beside_source.empty()) text += fmt::format("beside       {}; nothing is fitted to it\n", v.beside_source);
  return text;
}

}  // namespace

Report report(const validate::LinkValidation& validation, const std::vector<LinkRow>& rows) {
  Report report;
  report.table = table(validation, rows);
  Json json{{"schema", kLinkSchema},
            {"name", validation.name},
            {"board", validation.board.name},
            {"host", validation.host.name},
            {"rows", Json::array()}};
  report.csv = "held_to,what,direction,bytes,unit,model,reference,error_percent,tolerance_percent,holds\n";
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
  report.json = json.dump(2) + "\n";
  return report;
}

}  // namespace weft::tools
