#pragma once

#include <string>
#include <vector>

namespace weft::tools {

struct ShowOptions {
  std::string what;
  std::vector<std::string> sets;
  bool yaml = false;
  // Of a network:
  bool training = false;
  std::string batch, loss;
  // Of a database of results:
  std::vector<std::string> where, minimize, maximize;
  std::string sort, columns, limit, point, sweep;
  std::string format = "table";
  bool summary = false;  // of a result of weft run
  bool descending = false, pareto = false, feasible = false, failed = false, convolutions = false, rerank = false;

  bool of_database_only() const {
    return !where.empty() || !minimize.empty() || !maximize.empty() || !sort.empty() || !limit.empty() ||
           !point.empty() || !sweep.empty() || descending || pareto || feasible || failed || convolutions || rerank;
  }
  bool of_database() const { return of_database_only() || !columns.empty() || summary; }
  bool of_results() const { return of_database() || (format != "table" && !training); }
};

}  // namespace weft::tools
