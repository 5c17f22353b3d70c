#include <fmt/core.h>

#include <algorithm>

#include "model/core/error.h"
#include "platform/config/reader.h"
#include "platform/hardware/mutation/model_faults.h"
#include "platform/os/data_root.h"
#include "platform/os/process.h"
#include "tools/cli/commands.h"

namespace weft::tools {

namespace {

struct MutantsOptions {
  std::string name;
  std::string format = "table";
};

void declare(Arguments& command, MutantsOptions& options) {
  command.add_argument("NAME", options.name, "Only faults with NAME in their names");
  command.add_format(options.format);
}

struct FaultLine {
  mutation::ModelFaultResult result;
};
void fields(record::Visitor& io, FaultLine& line) {
  bool as_said = line.result.as_said();
  io("name", "name", line.result.fault.name);
  io("file", "file that it changes", line.result.fault.file);
  io("what", "effect", line.result.fault.what);
  io("noticed_by", "test that detects it; empty: none", line.result.noticed_by);
  io("equivalent", "reason why no test can detect it; empty: a test must", line.result.fault.equivalent);
  io("as_said", "detected, or equivalent and not detected", as_said);
}
struct FaultLines {
  std::vector<FaultLine> mutants;
  std::size_t noticed = 0, equivalent = 0;
};
void fields(record::Visitor& io, FaultLines& lines) {
  io("mutants", "the faults", lines.mutants);
  io("noticed", "faults", "detected by a test", lines.noticed);
  io("equivalent", "faults", "that no test can detect", lines.equivalent);
}

Report report_of_faults(const std::vector<mutation::ModelFaultResult>& results) {
  Report report;
  FaultLines lines;
  report.csv = "mutant,file,noticed_by,as_said\n";
  for (const mutation::ModelFaultResult& each : results) {
    const mutation::ModelFault& fault = each.fault;
    const bool survived = each.noticed_by.empty();
    lines.noticed += survived ? 0 : 1;
    lines.equivalent += survived && each.as_said() ? 1 : 0;
    std::string verdict = survived ? "SURVIVED" : "noticed by " + each.noticed_by;
    if (!fault.equivalent.empty()) {
      verdict = survived ? fmt::format("equivalent: {}", fault.equivalent)
                         : fmt::format("NOT EQUIVALENT, {}: {}", verdict, fault.equivalent);
    }
    report.table += fmt::format("{:<24}  {}\n{:26}{}\n{:26}{}\n", fault.name, fault.file, "", fault.what, "", verdict);
    lines.mutants.push_back({each});
    report.csv += fmt::format("{},{},{},{}\n", fault.name, fault.file, each.noticed_by, each.as_said() ? "yes" : "no");
  }
  report.table += fmt::format("{} of {} faults noticed, {} equivalent; without a fault all tests pass.\n",
                              lines.noticed, results.size(), lines.equivalent);
  report.json = record::json_text(lines);
  return report;
}

int execute(const MutantsOptions& options) {
  const Format format = parse_format(options.format, true);
  std::vector<mutation::ModelFault> faults =
      mutation::load_model_faults(project_library().configs / "mutants/model.yaml");
  std::vector<std::string> names;
  names.reserve(faults.size());
  for (const mutation::ModelFault& fault : faults) names.push_back(fault.name);
  const auto other = [&](const mutation::ModelFault& fault) {
    return fault.name.find(options.name) == std::string::npos;
  };
  faults.erase(std::remove_if(faults.begin(), faults.end(), other), faults.end());
  if (faults.empty())
    throw Error(fmt::format("no fault has '{}' in its name (known: {})", options.name, config::join(names)));
  os::require_checkout(os::data_root(), "tests/CMakeLists.txt", "weft mutants");
  for (const char* list : {"test", "cosim", "synth"}) os::require_packages(os::data_root(), list);  // as in ./weft test
  Progress progress("mutants", static_cast<std::int64_t>(faults.size()));
  const std::vector<mutation::ModelFaultResult> results = mutation::run_model_faults(
      faults, os::data_root(), build_cache(WEFT_MUTANTS_BUILD),
      [&](std::size_t done, std::size_t) { progress.update(static_cast<std::int64_t>(done)); });
  progress.clear();
  print(report_of_faults(results), format);
  return std::all_of(results.begin(), results.end(), [](const auto& each) { return each.as_said(); }) ? 0 : 1;
}

}  // namespace

Command mutants_command() {
  return command<MutantsOptions>("mutants", "Check that the tests detect faults put into a copy of the model", declare,
                                 execute);
}

}  // namespace weft::tools
