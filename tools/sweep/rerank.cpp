#include "platform/studies/sweep/store/rerank.h"

#include <fmt/core.h>

#include <cmath>

#include "model/core/error.h"
#include "platform/document/table_view.h"
#include "platform/record/json.h"
#include "tools/sweep/view.h"

namespace weft::tools {

using report::csv_field;
using sweep::OnRung;
using sweep::RerankedPoint;
using sweep::Reranking;

namespace {

double objective_of(const OnRung& point) {
  return point.objective.value_or(std::nan(""));
}

std::string winner_text(const Reranking& of) {
  if (!of.winner) return "none: every point simulated again failed or violates the constraints";
  const sweep::RerankWinner& winner = *of.winner;
  if (!winner.changed) return fmt::format("point {} on both rungs", winner.from);
  std::string text = fmt::format("changed: point {} on the {} rung, point {} on the {} rung", winner.from, of.from,
                                 winner.reranked, of.rung);
  if (winner.first_costs) {
    text += fmt::format(", where point {} has {:+.3g}% {}", winner.from, 100 * *winner.first_costs,
                        of.objective.front().second);
  }
  return text;
}

report::Section section(const Reranking& of) {
  const auto& [direction, expression] = of.objective.front();
  report::Table table{fmt::format("Both ranks, {} and {} rung", of.from, of.rung), {{"point"}}};
  table.how = "--format csv has them";
  for (const auto& axis : of.rows.front().axes) table.columns.push_back({sweep::short_name(axis.first), axis.first});
  table.columns.push_back({"rank, " + of.from, "among all points within the constraints"});
  table.columns.push_back({"rank, " + of.rung, "among the points simulated again"});
  for (const std::string& rung : {of.from, of.rung}) table.columns.push_back({fmt::format("{}, {}", expression, rung)});
  for (const std::string& rung : {of.from, of.rung}) table.columns.push_back({"cycles, " + rung, "", 0, 1});
  table.columns.push_back({"error", fmt::format("({0} - {1}) / {1}, of the cycles", of.from, of.rung)});
  report::Facts facts{{{"winner", winner_text(of)}}};
  for (const RerankedPoint& line : of.rows) {
    std::vector<report::Cell> row{report::count_cell(line.point)};
    for (const auto& axis : line.axes) row.push_back(report::value_cell(axis.second));
    row.push_back(report::count_cell(line.rank));
    row.push_back(line.reranked ? report::count_cell(*line.reranked) : line.again ? "not met" : "failed");
    row.push_back(report::value_cell(objective_of(line.first)));
    row.push_back(line.again ? report::value_cell(objective_of(*line.again)) : "");
    row.push_back(report::value_cell(line.first.cycles));
    row.push_back(line.again ? report::value_cell(line.again->cycles) : "");
    row.push_back(line.error ? report::change_cell(*line.error, 3) : "");
    table.rows.push_back(std::move(row));
    if (line.failed) facts.add("failed", fmt::format("point {}: {}", line.point, *line.failed));
  }
  return {"rerank",
          "The best, simulated again",
          {report::Text{fmt::format("re-ranked    {} of {} points by {} {}, on the {} rung", of.rows.size(), of.ranked,
                                    direction, expression, of.rung)},
           table, facts}};
}

std::string csv(const Reranking& of) {
  std::string text;
  for (const RerankedPoint& line : of.rows) {
    const auto again = [&](auto text_of) { return line.again ? fmt::format("{}", text_of(*line.again)) : ""; };
    text += fmt::format("{},{},{},{},{}", line.point, of.from, of.rung, line.rank,
                        line.reranked ? std::to_string(*line.reranked) : "");
    for (const auto& axis : line.axes) text += "," + csv_field(to_text(axis.second));
    text += fmt::format(",{},{},{},{},{},{}\n", objective_of(line.first), again(objective_of), line.first.cycles,
                        again([](const OnRung& point) { return point.cycles; }),
                        line.error ? fmt::format("{}", *line.error) : "", csv_field(line.failed.value_or("")));
  }
  return text;
}

std::string csv_head(const Reranking& of) {
  std::string text = "point,from,rung,rank,reranked";
  for (const auto& axis : of.rows.front().axes) text += "," + csv_field(axis.first);
  return text + ",objective_from,objective,cycles_from,cycles,error,failed\n";
}

}  // namespace

std::vector<report::Section> rerank_sections(const sweep::Results& results) {
  std::vector<report::Section> sections;
  for (const Reranking& each : sweep::rerank_result(results).rerankings) sections.push_back(section(each));
  return sections;
}

Report rerank_report(const sweep::Results& results) {
  const sweep::RerankResult result = sweep::rerank_result(results);
  if (result.rerankings.empty()) {
    throw Error(fmt::format("sweep {} has no re-ranked points; weft sweep --rerank N simulates the best N again",
                            results.name()));
  }
  Report report{"", record::json_text(result), csv_head(result.rerankings.front())};
  const TableView view{page_width(), {}};
  for (const Reranking& each : result.rerankings) {
    report.table += report::text(section(each), view, "");
    report.csv += csv(each);
  }
  return report;
}

}  // namespace weft::tools
