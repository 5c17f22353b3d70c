#include "tools/run/report.h"

#include <fmt/core.h>

#include <algorithm>

#include "model/core/error.h"
#include "platform/catalogue/designs.h"
#include "platform/run/columns.h"
#include "tools/cli/options.h"

namespace weft::tools {

using run::Record;

namespace {

void check_unusual(TableView view, const std::vector<std::string>& known, bool simulated) {
  // Columns that are not in the usual table.
  for (const report::Column& column : usual_columns(simulated)) {
    view.columns.erase(std::remove(view.columns.begin(), view.columns.end(), column.title), view.columns.end());
  }
  tools::check(view, known);
}

}  // namespace

void check(const TableView& view, const config::RunConfig& run) {
  std::vector<std::string> known;
  const bool simulated = run.rung != config::Rung::Analytical;
  for (const auto& column : run::csv_columns(design::design_of(run), simulated)) known.push_back(column.name);
  check_unusual(view, known, simulated);
}

Report report(const Record& record, const TableView& view) {
  Report report{"", record::json_text(record), run::csv_text(record)};
  check_unusual(view, report::columns_of(report.csv), record.simulated());
  report.table = report::text(view_of(record), view, report.csv);
  return report;
}

Record load_run(const std::filesystem::path& folder) {
  if (!record::is_result(folder))
    throw Error(fmt::format("'{}' is not a directory of results of weft run", folder.string()));
  if (const ResultKind kind = saved_kind(folder); kind != ResultKind::Run) {
    const std::string runs = kind == ResultKind::Explain
                                 ? fmt::format("; the runs of its steps are files in it: weft run {}",
                                               (folder / "step-00-as_is.yaml").string())
                                 : "";
    throw Error(fmt::format("'{}' is a result of weft {}, not of weft run{}", folder.string(), to_string(kind), runs));
  }
  return run::read_record(folder / record::kResultJson);
}

config::Node saved_config(const std::filesystem::path& folder) {
  config::Node config = config::parse_file(folder / record::kResultConfig);
  config.erase("inputs");
  config::Node* const network = config.find("network");
  if (network && std::filesystem::path(network->text).extension() == ".onnx") {  // absolute path, as in a run
    network->text = std::filesystem::absolute(folder / network->text).lexically_normal().string();
  }
  return config;
}

}  // namespace weft::tools
