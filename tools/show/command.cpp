#include <fmt/core.h>

#include <algorithm>
#include <system_error>

#include "platform/catalogue/load.h"
#include "platform/config/reader.h"
#include "platform/dse/explorer.h"
#include "platform/os/content.h"
#include "platform/studies/sweep/store.h"
#include "platform/studies/validate/validate_config.h"
#include "tools/cli/cli.h"
#include "tools/cli/commands.h"
#include "tools/explain/report.h"
#include "tools/host_profile/report.h"
#include "tools/plan/nada_report.h"
#include "tools/plan/report.h"
#include "tools/plan/tables.h"
#include "tools/results/result_dir.h"
#include "tools/results/result_kind.h"
#include "tools/run/interrupted_run.h"
#include "tools/run/load_result.h"
#include "tools/run/network.h"
#include "tools/run/report.h"
#include "tools/run/simulate.h"
#include "tools/schema/schema.h"
#include "tools/show/list_results.h"
#include "tools/show/show.h"
#include "tools/show/training.h"
#include "tools/sweep/view.h"
#include "tools/timeline/report.h"
#include "tools/train/report.h"
#include "tools/validate/link_report.h"
#include "tools/validate/load.h"
#include "tools/validate/report.h"
#include "workloads/catalogue.h"

namespace weft::tools {

namespace fs = std::filesystem;

namespace {

constexpr const char* kYaml = "yaml";  // beside the formats
void print_as(const std::string& format, const std::string& text) {
  format == "table" ? print_page(text) : print(text);
}

constexpr const char* kSchema = "schema";  // a word of `weft show`: what its results mean

config::FileKind kind_of_name(const std::string& name, const config::Library& library) {
  std::vector<std::string> known;
  for (const config::FileKind kind : {config::FileKind::Run, config::FileKind::Board, config::FileKind::Host,
                                      config::FileKind::Kernel, config::FileKind::Sweep}) {
    const std::vector<std::string> names = library.names(kind);
    if (std::find(names.begin(), names.end(), name) != names.end()) return kind;
    known.insert(known.end(), names.begin(), names.end());
  }
  const std::vector<std::string> networks = workloads::known_networks({(library.configs / "networks").string()});
  if (std::find(networks.begin(), networks.end(), name) != networks.end()) return config::FileKind::Network;
  known.insert(known.end(), networks.begin(), networks.end());
  for (const config::FileKind kind :
       {config::FileKind::Dse, config::FileKind::Train, config::FileKind::Validate, config::FileKind::Cluster}) {
    const std::vector<std::string> names = library.names(kind);
    if (std::find(names.begin(), names.end(), name) != names.end()) return kind;
    known.insert(known.end(), names.begin(), names.end());
  }
  throw Error(fmt::format(
      "there is no file, run, board, host, kernel, network, sweep, exploration, training, validation or cluster '{}'{}",
      name, config::suggestion(name, known)));
}

std::string show(config::FileKind kind, const ShowOptions& options) {
  const config::Library library = project_library();
  const std::vector<config::Override> overrides = parse_overrides(options.sets);
  if (kind == config::FileKind::Network) return describe_network(load_network(options.what, library));
  if (kind == config::FileKind::Sweep) {
    if (options.yaml)
      throw Error("--yaml prints runs, boards, hosts and kernels; a sweep's points have runs once they are recorded");
    return describe_sweep(sweep::Definition(options.what, overrides, library));
  }
  if (kind == config::FileKind::Kernel) {
    const config::KernelPtr kernel = design::load_kernel(options.what, overrides, library);
    return options.yaml ? config::to_yaml(kernel->write()) : describe_kernel(*kernel);
  }
  if (kind == config::FileKind::Board) {
    const config::Board board = config::load_board(options.what, overrides, library);
    return options.yaml ? config::to_yaml(config::write_board(board)) : describe_board(board);
  }
  if (kind == config::FileKind::Host) {
    const config::Host host = config::load_host(options.what, overrides, library);
    return options.yaml ? config::to_yaml(config::write_host(host)) : describe_host(host) + published_table(host);
  }
  if (kind == config::FileKind::Dse) {
    const config::Study study = config::load_study(config::FileKind::Dse, options.what, overrides, library);
    const auto exploration = design::explorer_of(study, library).load(study, library);
    return options.yaml ? exploration->resolved_yaml(true) : describe_exploration(*exploration);
  }
  if (kind == config::FileKind::Train) {
    const train::TrainConfig training = train::load_train(options.what, overrides, library);
    return options.yaml ? train::resolved_yaml(training) : describe_training(training);
  }
  if (kind == config::FileKind::Cluster && cluster::is_nada(options.what, library)) {
    const cluster::NadaConfig nada = cluster::load_nada(options.what, overrides, library);
    return options.yaml ? cluster::resolved_yaml(nada) : describe_nada(nada);
  }
  if (kind == config::FileKind::Cluster) {
    const cluster::ArrayConfig array = cluster::load_array(options.what, overrides, library);
    return options.yaml ? cluster::resolved_yaml(array) : describe_array(array);
  }
  if (kind == config::FileKind::Validate && validate::is_link_validation(options.what, library)) {
    const validate::LinkValidation validation = validate::load_link_validation(options.what, overrides, library);
    return options.yaml ? validation.resolved_yaml : describe_link_validation(validation);
  }
  if (kind == config::FileKind::Validate) {
    const validate::ValidateConfig validation = validate::load_validate(options.what, overrides, "", library);
    return options.yaml ? validate::resolved_yaml(validation) : describe_validation(validation);
  }
  const config::RunConfig run = design::load_run(options.what, overrides, library);
  return options.yaml ? config::resolved_yaml(run) : describe_run(run);
}

// What --training shows is a network's; of nothing else there is one.
void check_training(const ShowOptions& options) {
  std::error_code code;
  const fs::path path(options.what);
  if (options.yaml || !options.sets.empty() || options.of_results()) {
    throw Error("--training takes --batch, --loss and --format, no other option");
  }
  const bool is_file = fs::exists(path, code) || path.has_parent_path() || path.has_extension();
  const bool network = is_file ? path.extension() == ".onnx"
                               : kind_of_name(options.what, project_library()) == config::FileKind::Network;
  if (!network) throw Error(fmt::format("'{}' is no network; --training is for networks", options.what));
}

// What weft dse printed of a result.
std::string exploration_table(const fs::path& folder, const TableView& view) {
  const config::Library library = project_library();
  const config::Study study = config::load_study(config::FileKind::Dse, (folder / kResultConfig).string(), {}, library);
  const dse::Explorer& explorer = design::explorer_of(study, library);
  const auto exploration = explorer.load(study, library);
  check(view, report::columns_of(exploration->csv_head()));
  const std::string file = (folder / kResultJson).string();
  const auto explored = explorer.read(*exploration, load_network(exploration->run(), library), os::content(file), file);
  return explorer.report({explored.get()}, view).table;
}

std::string saved_table(const fs::path& folder, ResultKind kind, const TableView& view) {
  switch (kind) {
    case ResultKind::Timeline:
      return saved_timeline_tables(folder, view);
    case ResultKind::Train:
      return saved_train_tables(folder, view);
    case ResultKind::Dse:
      return exploration_table(folder, view);
    case ResultKind::Validate: {
      check(view, report::columns_of(kValidateColumns));
      const SavedValidation saved = load_validation(folder);
      return report(saved.config, saved.pairs, saved.verdicts, view).table;
    }
    case ResultKind::Link:
      check(view, link_columns());
      return report(load_link_result(folder), view).table;
    case ResultKind::Plan:
    case ResultKind::ClusterTimeline:
      if (!view.columns.empty()) throw Error("--columns is not for results of clusters: --format csv has all of them");
      return saved_cluster_report(folder).table;
    case ResultKind::Explain:
    case ResultKind::Run:
    case ResultKind::Sweep:
      break;
  }
  throw Error(fmt::format("'{}' is a result of weft {}", folder.string(), to_string(kind)));
}

const char* csv_of(ResultKind kind) {
  if (kind == ResultKind::Plan) return kPlanCsv;
  const bool steps = kind == ResultKind::Timeline || kind == ResultKind::ClusterTimeline;
  return steps ? kStepsCsv : kind == ResultKind::Train ? kEpochsCsv : kResultCsv;
}

// What its command printed, in the format that is asked for.
std::string show_result(const fs::path& path, const ShowOptions& options) {
  const Format format = parse_format(options.format, true);
  const TableView view = table_view(options.columns, format, options.summary);
  if (is_result(path) && saved_kind(path) == ResultKind::Run) {
    const SavedRun saved = load_result(path);
    if (format == Format::Table) return report(saved.result, saved.around, view).table;
    return os::content(path / (format == Format::Json ? kResultJson : kResultCsv));
  }
  if (options.summary || (!options.columns.empty() && !is_result(path))) {
    throw Error(fmt::format("{} is for results of weft run{}; '{}' is {}", options.summary ? "--summary" : "--columns",
                            options.summary ? "" : ", timeline, dse, train, validate or explain", path.string(),
                            is_result(path) ? fmt::format("of weft {}", to_string(saved_kind(path))) : "none"));
  }
  if (is_interrupted(path)) return fmt::format("interrupted: {}\n", interrupted_text(path));
  if (!is_result(path)) return list_results(path, format);
  const ResultKind kind = saved_kind(path);
  if (kind == ResultKind::Explain) return explain_report(load_explanation(path), view).in(format);
  if (format == Format::Json) return os::content(path / kResultJson);
  if (format == Format::Csv) return os::content(path / csv_of(kind));
  return saved_table(path, kind, view);
}

}  // namespace

int show_command(const ShowOptions& options) {
  std::error_code code;
  const fs::path path(options.what);
  if (options.what == kSchema && !fs::exists(path, code)) {
    if (options.yaml || options.training || !options.sets.empty() || options.of_database()) {
      throw Error(fmt::format("weft show {} takes --format, no other option", kSchema));
    }
    print(results_schema(), parse_format(options.format, true));
    return 0;
  }
  if (options.training) {
    check_training(options);
    print_as(options.format, show_training(options));
    return 0;
  }
  if (!options.batch.empty() || !options.loss.empty()) {
    throw Error(fmt::format("{} is for --training", options.batch.empty() ? "--loss" : "--batch"));
  }
  if (fs::is_regular_file(path, code) && (sweep::is_sqlite(path) || path.extension() == ".db")) {
    print_as(options.yaml ? kYaml : options.format, show_sweep(options));
    return 0;
  }
  const bool directory = fs::is_directory(path, code) &&
                         (path.has_parent_path() || is_result(path) || is_interrupted(path) || has_results(path));
  if (directory && !options.of_database_only()) {
    print_as(options.format, show_result(path, options));
    return 0;
  }
  if (options.of_results()) {
    throw Error(
        fmt::format("'{}' is no database of results; --where, --sort, --pareto, --format and the like are for "
                    "what weft sweep writes",
                    options.what));
  }
  if (fs::is_regular_file(path, code) || path.has_parent_path() || path.has_extension()) {
    print_as(options.yaml ? kYaml : options.format, show(config::kind_of_file(path, project_library()), options));
  } else {
    print_as(options.yaml ? kYaml : options.format, show(kind_of_name(options.what, project_library()), options));
  }
  return 0;
}

}  // namespace weft::tools
