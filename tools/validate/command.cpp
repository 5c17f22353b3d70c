#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <system_error>

#include "platform/config/reader.h"
#include "platform/os/data_root.h"
#include "platform/os/standard_streams.h"
#include "platform/studies/sweep/store/store.h"
#include "platform/studies/validate/baseline.h"
#include "platform/studies/validate/comparison.h"
#include "platform/studies/validate/limits.h"
#include "tools/cli/commands.h"
#include "tools/cli/views.h"

namespace weft::tools {

namespace fs = std::filesystem;

namespace {

struct ValidateOptions : ResultOptions {
  std::string kernels, model, against, baseline, save_baseline, junit;
};

void declare(Arguments& command, ValidateOptions& options) {
  command.add_argument("CONFIG", options.config, "Validation or run: a file, a name in configs/, or a saved result")
      .required();
  command.add_set(options.sets, "a key of the run, or validate.KEY");
  command.add_only(options.only);
  command.add_option("--kernel", options.kernels, "PATTERN", "Comma-separated kernels by name, with * and ?");
  command.add_option("--model", options.model, "RUNG", "Rung to validate: analytical, systemc, exact or rtl");
  command.add_option("--against", options.against, "RUNG", "Reference rung");
  command.add_option("--baseline", options.baseline, "FILE", "Expected cycles, or none (default: CONFIG's baseline)");
  command.add_result(options, "validate-NAME");
  command.heading(headings::kFiles);
  command.add_option("--save-baseline", options.save_baseline, "FILE", "Measured cycles, as a baseline for later runs");
  command.add_option("--junit", options.junit, "FILE", "JUnit XML for a CI system");
}

void add_rungs(std::vector<config::Override>& overrides, const ValidateOptions& options) {
  add_override(overrides, "validate.rungs.model", "--model", options.model, true);
  add_override(overrides, "validate.rungs.against", "--against", options.against, true);
}

// Name of a result. `resolved`: its configuration.
std::string result_name(const std::string& validation, const ValidateOptions& options, const std::string& resolved) {
  std::vector<config::Override> changes = changes_of(options);
  add_rungs(changes, options);
  add_override(changes, "--kernel", options.kernels);
  return changed_name("validate-" + validation, changes, resolved);
}

// Subject named by CONFIG: a validation, or a run to validate. A saved result is replaced by its configuration.
struct Subject {
  std::string config;
  bool run = false;
};

// Returns the file of `kind` with this name, if there is one.
std::optional<std::string> named(config::FileKind kind, const std::string& name, const config::Library& library) {
  try {
    return config::locate(kind, name, library).string();
  } catch (const InputError&) {
    return std::nullopt;
  }
}

Error neither(const std::string& given, const std::string& what) {
  return Error(fmt::format("{}: is {}, neither a validation nor a run: give one of the two", given, what));
}
Error neither(const std::string& given, config::FileKind kind) {
  return neither(given, fmt::format("{} {}", kind == config::FileKind::Dse ? "an" : "a", config::kind_word(kind)));
}

Subject subject_in(const fs::path& directory) {
  if (!record::is_result(directory)) {
    throw neither(directory.string(), fmt::format("a directory, but no result of weft ({}, {})", record::kResultJson,
                                                  record::kResultConfig));
  }
  const ResultKind kind = saved_kind(directory);
  const bool validation = kind == ResultKind::Validate || kind == ResultKind::Link;
  if (!validation && kind != ResultKind::Run) {
    throw neither(directory.string(), fmt::format("a result of weft {}", to_string(kind)));
  }
  return {(directory / record::kResultConfig).string(), !validation};
}

Subject subject_in_file(const std::string& file, const config::Library& library) {
  if (sweep::is_sqlite(file)) throw neither(file, "a database of weft sweep");
  const config::FileKind kind = config::kind_of_file(file, library);
  if (kind == config::FileKind::Validate) return {file, false};
  if (kind != config::FileKind::Run) throw neither(file, kind);
  // A file about a run may lack every key that only validations have.
  return {file, config::parse_file(file).find("run") == nullptr};
}

Subject subject_of(const std::string& given) {
  using config::FileKind;
  const config::Library library = project_library();
  const fs::path path(given);
  std::error_code code;
  if (fs::is_directory(path, code)) return subject_in(path);
  if (fs::is_regular_file(path, code)) return subject_in_file(given, library);
  if (path.has_parent_path() || path.has_extension()) return {given, false};  // missing file: the reader reports it
  if (const auto validation = named(FileKind::Validate, given, library)) return {*validation, false};
  if (const auto run = named(FileKind::Run, given, library)) return {*run, true};
  if (fs::exists(library.configs / config::kind_folder(FileKind::Network) / (given + ".onnx"), code)) {
    throw neither(given, FileKind::Network);
  }
  for (const FileKind kind :
       {FileKind::Board, FileKind::Kernel, FileKind::Network, FileKind::Host, FileKind::Sweep, FileKind::Dse}) {
    if (named(kind, given, library)) throw neither(given, kind);
  }
  std::vector<std::string> known = library.names(FileKind::Validate);
  const std::vector<std::string> runs = library.names(FileKind::Run);
  known.insert(known.end(), runs.begin(), runs.end());
  throw Error(fmt::format("there is no validation or run '{}'{}", given, config::suggestion(given, known)));
}

// True if options leave convolutions out, which a full baseline must not report as missing.
bool subset(const std::vector<config::Override>& overrides, const ValidateOptions& options) {
  return !options.kernels.empty() || std::any_of(overrides.begin(), overrides.end(), [](const config::Override& one) {
    return one.key == "only" || one.key == "kinds";
  });
}

int link_command(const std::string& file, const ValidateOptions& options,
                 const std::vector<config::Override>& overrides, Output& output) {
  check(output.view(), link_columns());
  if (!options.kernels.empty() || !options.baseline.empty() || !options.save_baseline.empty() ||
      !options.junit.empty()) {
    throw Error(fmt::format("{} validates a link: it has no kernels, baseline or JUnit XML", file));
  }
  const config::Library library = project_library();
  const validate::LinkValidation validation = validate::load_link_validation(file, overrides, library);
  output.place(result_name(validation.name, options, validation.resolved_yaml));
  validate::LinkResult result = validate::compare(validation);
  result.inputs = *library.inputs;
  const Report all = output.report(view_of(result), result, csv_of(result));
  output.save(all, validation.resolved_yaml, library, false);
  output.print(all);
  return result.holds() ? 0 : 1;
}

int execute(const ValidateOptions& options) {
  Output output(options);
  std::vector<config::Override> overrides = overrides_of(options);
  add_rungs(overrides, options);
  const Subject subject = subject_of(options.config);
  if (!subject.run && validate::is_link_validation(subject.config, project_library())) {
    return link_command(subject.config, options, overrides, output);
  }
  check(output.view(), validate_columns());
  const config::Library library = project_library();
  validate::ValidateConfig config = subject.run
                                        ? validate::validate_run(subject.config, overrides, options.kernels, library)
                                        : validate::load_validate(subject.config, overrides, options.kernels, library);
  if (options.baseline == "none") config.baseline.clear();
  if (!options.baseline.empty() && options.baseline != "none") config.baseline = options.baseline;
  const bool part = subset(overrides, options);
  std::optional<validate::Baseline> old, measured;
  if (!config.baseline.empty() || !options.save_baseline.empty()) measured = validate::begin_baseline(config, library);
  if (!config.baseline.empty()) {
    library.note(config.baseline);
    old = validate::read_baseline(config.baseline);
    validate::require_same_subject(config.baseline.string(), *old, *measured);
  }
  std::optional<OutputFile> save_baseline, junit;
  if (!options.save_baseline.empty()) save_baseline.emplace(options.save_baseline, "--save-baseline", "\"rungs\": {");
  if (std::error_code code; save_baseline && part && fs::exists(options.save_baseline, code)) {
    throw Error(
        fmt::format("--save-baseline {}: exists, and a part of the convolutions does not replace a baseline: "
                    "leave out --only, --kernel and kinds, or give another name",
                    options.save_baseline));
  }
  if (!options.junit.empty()) junit.emplace(options.junit, "--junit", validate::kJunitMark);
  output.place(result_name(config.name, options, validate::deciding_yaml(config)));
  Progress bar(config.name, 0);
  const cosim::BuildContext build_context{os::data_root(), build_cache(WEFT_COSIM_CACHE)};
  validate::ValidateResult result =
      validate::result_of(config, validate::compare(config, library, build_context, bar.watcher()));
  if (measured) validate::add(*measured, config, result.convolutions);
  if (old) result.baseline = {config.baseline.string(), validate::deviations(*old, *measured, part)};
  result.inputs = *library.inputs;
  const Report all = output.report(view_of(result, output.view().width), result, csv_of(result));
  output.save(all, validate::resolved_yaml(config), library, config.kernels.front().run.keep_inputs);
  if (save_baseline) save_baseline->write(validate::to_json(*measured));
  if (junit) junit->write(junit_xml(result));
  output.print(all);
  if (result.holds()) return 0;
  if (output.format() != Format::Table) {
    if (result.baseline && !result.baseline->deviations.empty()) os::say("weft: " + result.baseline->text() + "\n");
    if (result.limits && !result.limits->holds) os::say(fmt::format("weft: {}", limits_text(result)));
  }
  return 1;
}

}  // namespace

Command validate_command() {
  return command<ValidateOptions>("validate", "Measure the error of one rung against another and check a baseline",
                                  declare, execute);
}

}  // namespace weft::tools
