#include <fmt/core.h>

#include "model/core/text.h"
#include "platform/record/csv.h"
#include "platform/record/json.h"
#include "tools/compare/view.h"

namespace weft::tools {

namespace {

using timeline::TimelineComparison;
using timeline::TimelineResult;

double seconds(Picoseconds time) {
  return static_cast<double>(time) / 1e12;
}

std::string tables(const TimelineComparison& c, const TableView& view) {
  report::FittedTable where({{"where it goes"},
                             {"A seconds", true, 14},
                             {"B seconds", true, 14},
                             {"A ms an image", true, 13, 1},
                             {"B ms an image", true, 13, 1},
                             {"change", true, 9}});
  constexpr double kMs = 1e3;
  for (const timeline::ComparedPart& part : c.where) {
    where.add({part.part, fmt::format("{:.6f}", seconds(part.a)), fmt::format("{:.6f}", seconds(part.b)),
               fmt::format("{:.3f}", kMs * part.a_image_s), fmt::format("{:.3f}", kMs * part.b_image_s),
               part.change ? signed_percent(*part.change) : "-"});
  }
  const TimelineResult &a = c.iteration_a, &b = c.iteration_b;
  std::string text = where.text(view.width);
  text += a.batch == b.batch ? "\n"
                             : fmt::format("batch {} and {}: changes compare the time per image\n\n", a.batch, b.batch);
  report::FittedTable counts({{"an iteration"}, {"A", true, 16}, {"B", true, 16}});
  counts.add({"GOPS while kernels run", fmt::format("{:.1f}", a.conv_gops), fmt::format("{:.1f}", b.conv_gops)});
  counts.add({"GOPS over the iteration", fmt::format("{:.1f}", a.gops), fmt::format("{:.1f}", b.gops)});
  const auto count = [&](const char* name, std::int64_t of_a, std::int64_t of_b) {
    counts.add({name, thousands(of_a), thousands(of_b)});
  };
  count("kernels", static_cast<std::int64_t>(a.counts.kernels), static_cast<std::int64_t>(b.counts.kernels));
  count("loads", a.counts.loads, b.counts.loads);
  count("launches", a.counts.launches, b.counts.launches);
  count("calls", a.counts.calls, b.counts.calls);
  count("bytes to the card", a.counts.to_card, b.counts.to_card);
  count("bytes to the host", a.counts.to_host, b.counts.to_host);
  return text + counts.text(view.width);
}

}  // namespace

Report compare_timelines(const TimelineComparison& c, const TableView& view) {
  const std::string csv = record::csv_text(c.where);
  check(view, report::columns_of(csv));
  const std::string head = fmt::format("A  {}\nB  {}\n\n", c.a, c.b) + keys_table(c.keys, view);
  return {head + (view.columns.empty() ? tables(c, view) : report::chosen_table(csv, view)), record::json_text(c), csv};
}

Report compare_plans(const cluster::PlanComparison& c, const TableView& view) {
  const std::string csv = record::csv_text(c.figures);
  check(view, report::columns_of(csv));
  const std::string head = fmt::format("A  {}\nB  {}\n\n", c.a, c.b) + keys_table(c.keys, view);
  if (!view.columns.empty()) return {head + report::chosen_table(csv, view), record::json_text(c), csv};
  report::FittedTable table({{"plan"}, {"A", true, 16}, {"B", true, 16}, {"unit", false, 12}, {"change", true, 9}});
  const auto number = [](const std::optional<double>& value) { return value ? fmt::format("{:.7g}", *value) : "-"; };
  for (const cluster::ComparedFigure& each : c.figures) {
    table.add(
        {each.figure, number(each.a), number(each.b), each.unit, each.change ? signed_percent(*each.change) : "-"});
  }
  return {head + table.text(view.width), record::json_text(c), csv};
}

Report compare_report(const validate::ValidationComparison& c, const TableView& view) {
  const std::string csv = record::csv_text(c.verdict.deviations);
  check(view, report::columns_of(csv));
  const std::string head = fmt::format("A  {}\nB  {}\n\n", c.a, c.b) + keys_table(c.keys, view);
  return {head + (view.columns.empty() ? "A            " + c.verdict.text() + "\n" : report::chosen_table(csv, view)),
          record::json_text(c), csv};
}

}  // namespace weft::tools
