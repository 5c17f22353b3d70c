#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "model/core/error.h"
#include "platform/config/reader.h"
#include "platform/mutation/model_faults.h"
#include "platform/os/packages.h"
#include "tools/cli.h"
#include "tools/commands.h"
#include "tools/progress.h"

namespace weft::tools {

CLI::App* add_mutants(CLI::App& app, MutantsOptions& options) {
  CLI::App* command = app.add_subcommand("mutants", "Faults put into a copy of the model: its tests must notice all");
  command->add_option("NAME", options.name, "Only the faults that have NAME in their names");
  add_format(*command, options.format);
  command->footer(
      R"(Each fault of configs/mutants/model.yaml is put into a copy of the project (kept in build/release/mutants), alone; the
test programs that are to notice it are built there and run. Before that they must pass without a fault. A fault that
survives ends with exit code 1. The first start builds these tests, some minutes; a fault takes about half a minute.
Faults in the RTL: weft cosim --mutants.

Examples:
  weft mutants
      all of them
  weft mutants drain
      those of the write drain)");
  return command;
}

namespace {

Report report(const std::vector<mutation::ModelFaultResult>& results) {
  using Json = nlohmann::ordered_json;
  Report report;
  Json json{{"mutants", Json::array()}};
  std::size_t noticed = 0;
  report.csv = "mutant,file,noticed_by\n";
  for (const mutation::ModelFaultResult& each : results) {
    const bool survived = each.noticed_by.empty();
    noticed += survived ? 0 : 1;
    report.table += fmt::format("{:<24}  {}\n{:26}{}\n{:26}{}\n", each.fault.name, each.fault.file, "", each.fault.what,
                                "", survived ? "SURVIVED" : "noticed by " + each.noticed_by);
    json["mutants"].push_back({{"name", each.fault.name},
                               {"file", each.fault.file},
                               {"what", each.fault.what},
                               {"noticed_by", each.noticed_by}});
    report.csv += fmt::format("{},{},{}\n", each.fault.name, each.fault.file, each.noticed_by);
  }
  json["noticed"] = noticed;
  report.table += fmt::format("{} of {} faults noticed; without a fault all tests pass.\n", noticed, results.size());
  report.json = json.dump(2) + "\n";
  return report;
}

}  // namespace

int mutants_command(const MutantsOptions& options) {
  const Format format = parse_format(options.format, true);
  std::vector<mutation::ModelFault> faults =
      mutation::load_model_faults(project_library().configs / "mutants/model.yaml");
  std::vector<std::string> names;
  for (const mutation::ModelFault& fault : faults) names.push_back(fault.name);
  const auto other = [&](const mutation::ModelFault& fault) {
    return fault.name.find(options.name) == std::string::npos;
  };
  faults.erase(std::remove_if(faults.begin(), faults.end(), other), faults.end());
  if (faults.empty())
    throw Error(fmt::format("no fault has '{}' in its name (known: {})", options.name, config::join(names)));
  for (const char* list : {"test", "cosim", "synth"}) os::require_packages(WEFT_SOURCE_DIR, list);  // as ./weft test
  Progress progress("mutants", static_cast<std::int64_t>(faults.size()));
  const std::vector<mutation::ModelFaultResult> results = mutation::run_model_faults(
      faults, WEFT_SOURCE_DIR, WEFT_MUTANTS_BUILD,
      [&](std::size_t done, std::size_t) { progress.update(static_cast<std::int64_t>(done)); });
  progress.clear();
  print(report(results).in(format));
  return std::all_of(results.begin(), results.end(), [](const auto& each) { return !each.noticed_by.empty(); }) ? 0 : 1;
}

}  // namespace weft::tools
