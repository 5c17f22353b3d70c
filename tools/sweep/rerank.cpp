#include "tools/sweep/rerank.h"

#include <fmt/core.h>

#include <cmath>

#include "platform/document/text.h"
#include "platform/record/json.h"

namespace weft::tools {

using report::csv_field;
using sweep::OnRung;
using sweep::RerankedPoint;
using sweep::Reranking;

namespace {

double objective_of(const OnRung& point) {
  return point.objective.value_or(std::nan(""));
}

std::string table(const Reranking& of) {
  const auto& [direction, expression] = of.objective.front();
  std::string text = fmt::format("re-ranked    {} of {} points by {} {}, on the {} rung\n", of.rows.size(), of.ranked,
                                 direction, expression, of.rung);
  std::vector<std::vector<std::string>> cells(1, {"rank", "point"});
  for (const auto& axis : of.rows.front().axes) cells.front().push_back(sweep::short_name(axis.first));
  for (const std::string& what : {expression, std::string("cycles")}) {
    for (const std::string& rung : {of.from, of.rung}) cells.front().push_back(what + ", " + rung);
  }
  cells.front().emplace_back("error");
  for (const RerankedPoint& line : of.rows) {
    const std::string second = line.reranked ? std::to_string(*line.reranked) : line.again ? "not met" : "failed";
    std::vector<std::string>& row = cells.emplace_back();
    row = {fmt::format("{} -> {}", line.rank, second), std::to_string(line.point)};
    for (const auto& axis : line.axes) row.push_back(to_text(axis.second));
    row.push_back(fmt::format("{:.6g}", objective_of(line.first)));
    row.push_back(line.again ? fmt::format("{:.6g}", objective_of(*line.again)) : "");
    row.push_back(std::to_string(line.first.cycles));
    row.push_back(line.again ? std::to_string(line.again->cycles) : "");
    row.push_back(line.error ? fmt::format("{:+.3f}%", 100 * *line.error) : "");
  }
  const report::FittedTable table = report::table_of(cells);
  return text + table.text(page_width()) + left_out_line(table, "--format csv has them");
}

std::string winner_text(const Reranking& of) {
  if (!of.winner) return "winner       none: every run again failed or leaves the constraints\n";
  const sweep::RerankWinner& winner = *of.winner;
  if (!winner.changed) return fmt::format("winner       point {} on both rungs\n", winner.from);
  std::string text = fmt::format("winner       changed: point {} on the {} rung, point {} on the {} rung", winner.from,
                                 of.from, winner.reranked, of.rung);
  if (winner.first_costs) {
    text += fmt::format(", where point {} has {:+.3g}% {}", winner.from, 100 * *winner.first_costs,
                        of.objective.front().second);
  }
  return text + "\n";
}

std::string failed_text(const Reranking& of) {
  std::string text;
  for (const RerankedPoint& line : of.rows) {
    if (line.failed) text += fmt::format("failed       point {}: {}\n", line.point, *line.failed);
  }
  return text;
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

Report rerank_report(const sweep::Results& results) {
  const sweep::RerankResult result = sweep::rerank_result(results);
  Report report{"", record::json_text(result), csv_head(result.rerankings.front())};
  for (const Reranking& each : result.rerankings) {
    report.table += table(each) + winner_text(each) + failed_text(each);
    report.csv += csv(each);
  }
  return report;
}

}  // namespace weft::tools
