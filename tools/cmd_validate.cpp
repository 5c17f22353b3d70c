#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "platform/validate/baseline.h"
#include "platform/validate/comparison.h"
#include "platform/validate/link_validation.h"
#include "tools/cli.h"
#include "tools/commands.h"
#include "tools/link_report.h"
#include "tools/network.h"
#include "tools/output_file.h"
#include "tools/progress.h"
#include "tools/result_dir.h"
#include "tools/validate_report.h"

namespace weft::tools {

namespace {

std::vector<config::Override> overrides_of(const ValidateOptions& options) {
  std::vector<config::Override> overrides = parse_overrides(options.sets);
  add_override(overrides, "only", "--only", options.only, true);
  add_override(overrides, "workers", "--workers", options.workers, false);
  add_override(overrides, "validate.rungs.model", "--model", options.model, true);
  add_override(overrides, "validate.rungs.against", "--against", options.against, true);
  return overrides;
}

// What of the options says which validation it is, for the name of its result.
std::vector<config::Override> changes_of(const ValidateOptions& options) {
  ValidateOptions changes = options;
  changes.workers.clear();
  std::vector<config::Override> overrides = overrides_of(changes);
  add_override(overrides, "kernel", "--kernel", options.kernels, true);
  return overrides;
}

bool changed(const ValidateOptions& options) {
  return !options.sets.empty() || !options.only.empty() || !options.kernels.empty() || !options.model.empty() ||
         !options.against.empty();
}

// Whether options left convolutions out, which a baseline of all of them must not complain about.
bool subset(const std::vector<config::Override>& overrides, const ValidateOptions& options) {
  return !options.kernels.empty() || std::any_of(overrides.begin(), overrides.end(), [](const config::Override& one) {
    return one.key == "only" || one.key == "kinds";
  });
}

std::string result_name(const validate::ValidateConfig& config, const ValidateOptions& options) {
  std::string name = "validate-" + config.name;
  if (!changed(options)) return name;
  validate::ValidateConfig what = config;
  what.baseline.clear();
  for (validate::KernelRun& kernel : what.kernels) kernel.run.workers.reset();
  return changed_name(name, changes_of(options), validate::resolved_yaml(what));
}

// Where a run's files go; every place is checked before any work is spent.
struct Outputs {
  std::optional<SavedResult> result;
  std::optional<OutputFile> baseline, junit;

  Outputs(const validate::ValidateConfig& config, const ValidateOptions& options) {
    if (!options.save_baseline.empty()) baseline.emplace(options.save_baseline, "--save-baseline");
    if (!options.junit.empty()) junit.emplace(options.junit, "--junit");
    if (!options.save.no_save) result.emplace(options.save.out, result_name(config, options));
  }
};

std::vector<validate::Pair> measure(const validate::ValidateConfig& config) {
  // Kernels differ in nothing that the network depends on.
  const workloads::Network network = load_network(config.kernels.front().run, project_library());
  const cosim::Workshop workshop{WEFT_SOURCE_DIR, WEFT_COSIM_CACHE};
  Progress bar(config.name, 0);
  return validate::compare(config, network, workshop, [&](std::int64_t done, std::int64_t total) {
    bar.set_total(total);
    bar.update(done);
  });
}

int link_command(const ValidateOptions& options, const std::vector<config::Override>& overrides, Format format) {
  if (!options.kernels.empty() || !options.baseline.empty() || !options.save_baseline.empty() ||
      !options.junit.empty()) {
    throw Error(fmt::format("{} validates a link: it has no kernels, baseline or JUnit XML", options.config));
  }
  const validate::LinkValidation validation =
      validate::load_link_validation(options.config, overrides, project_library());
  const std::string name = "validate-" + validation.name;
  const std::string place = changed(options) ? changed_name(name, changes_of(options), validation.resolved_yaml) : name;
  std::optional<SavedResult> saved;
  if (!options.save.no_save) saved.emplace(options.save.out, place);
  const std::vector<validate::LinkRow> rows = validate::compare(validation);
  const Report all = report(validation, rows);
  if (saved) saved->write(all, validation.resolved_yaml);
  print(all.in(format));
  if (saved && format == Format::Table) print(saved->line());
  return std::all_of(rows.begin(), rows.end(), [](const validate::LinkRow& row) { return row.holds(); }) ? 0 : 1;
}

}  // namespace

int validate_command(const ValidateOptions& options) {
  const Format format = parse_format(options.format, true);
  check(options.save);
  const std::vector<config::Override> overrides = overrides_of(options);
  if (validate::is_link_validation(options.config, project_library())) return link_command(options, overrides, format);
  validate::ValidateConfig config =
      validate::load_validate(options.config, overrides, options.kernels, project_library());
  if (options.baseline == "none") config.baseline.clear();
  if (!options.baseline.empty() && options.baseline != "none") config.baseline = options.baseline;
  std::optional<validate::Baseline> baseline;
  if (!config.baseline.empty()) {
    baseline = validate::read_baseline(config.baseline);
    validate::require_same_rungs(*baseline, config);
  }
  const Outputs outputs(config, options);
  const std::vector<validate::Pair> pairs = measure(config);
  std::optional<BaselineVerdict> verdict;
  if (baseline) {
    verdict = BaselineVerdict{config.baseline.string(),
                              validate::deviations(*baseline, config, pairs, subset(overrides, options))};
  }
  const Report all = report(config, pairs, verdict);
  if (outputs.result) outputs.result->write(all, validate::resolved_yaml(config));
  if (outputs.baseline) outputs.baseline->write(validate::to_json(validate::make_baseline(config, pairs)));
  if (outputs.junit) outputs.junit->write(junit_xml(config, pairs, verdict));
  print(all.in(format));
  if (outputs.result && format == Format::Table) print(outputs.result->line());
  if (!verdict || verdict->deviations.empty()) return 0;
  if (format != Format::Table) {
    for (const validate::Deviation& one : verdict->deviations) fmt::print(stderr, "weft: {}\n", one.text());
  }
  return 1;
}

}  // namespace weft::tools
