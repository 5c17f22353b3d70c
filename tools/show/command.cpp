#include <fmt/core.h>

#include <algorithm>
#include <system_error>

#include "platform/catalogue/designs.h"
#include "platform/config/reader.h"
#include "platform/iteration/training/trained_network.h"
#include "platform/os/content.h"
#include "platform/studies/sweep/store/store.h"
#include "tools/cli/commands.h"
#include "tools/host_profile/report.h"
#include "tools/run/report.h"
#include "tools/show/show.h"
#include "tools/sweep/view.h"

namespace weft::tools {

namespace fs = std::filesystem;

namespace {

void declare(Arguments& command, ShowOptions& options) {
  command.add_argument("X", options.what, "What to print (see below)").required();
  command.add_set(options.sets, "a key of the configuration");
  command.add_flag("--yaml", options.yaml, "Every key with its value, as a file that weft reads");
  command.heading(headings::kNetwork);
  command.add_flag("--training", options.training, "Operators of a training iteration: work, reads and writes");
  command.add_option("--batch", options.batch, "N", "Images per iteration (default 1)");
  command.add_option("--loss", options.loss, "NAME", "Output of the network that the loss is computed from");
  command.heading("Exploration");
  command.add_option("--convolution", options.kernel.convolution, "L:KIND", "With --yaml, the kernel of this one");
  command.add_option("--group", options.kernel.group, "N", "With --yaml, the kernel of the group N of a sharing");
  command.add_option("--penalty", options.kernel.penalty, "P", "Penalty of --group in % (default: the first)");
  command.heading(headings::kDatabase);
  command.add_flag("--pareto", options.pareto, "Only points of the Pareto front, within the sweep's constraints");
  command.add_list("--where", options.where, "EXPR", "Only rows that satisfy EXPR, as 'fits == 1'; repeatable");
  command.add_option("--sort", options.sort, "EXPR", "Sort by a field, axis or expression");
  command.add_flag("--descending", options.descending, "Sort in descending order");
  command.add_option("--limit", options.limit, "N", "Maximum number of rows");
  command.add_option("--point", options.point, "N", "Only point N; with --yaml, its run as a file for weft run");
  command.add_list("--minimize", options.minimize, "EXPR", "Objective to minimise, instead of the sweep's; repeatable");
  command.add_list("--maximize", options.maximize, "EXPR", "Objective to maximise, instead of the sweep's; repeatable");
  command.add_flag("--feasible", options.feasible, "Only points within the sweep's constraints");
  command.add_flag("--failed", options.failed, "Only failed points, with their errors");
  command.add_flag("--convolutions", options.convolutions, "One row per convolution instead of one per point");
  command.add_flag("--rerank", options.rerank, "Points simulated again by weft sweep --rerank, with both ranks");
  command.add_option("--sweep", options.sweep, "N", "Sweep of a database with several (default: the newest)");
  command.heading(headings::kOutput);
  command.add_format(options.format);
  command.add_option("--columns", options.columns, "LIST", "Comma-separated columns, or fields, axes and expressions");
  command.add_rows(options.rows, options.verbose);
}

constexpr const char* kYaml = "yaml";  // accepted in addition to the formats
void print_as(const std::string& format, const std::string& text) {
  format == "table" ? print_page(text) : print(text);
}

config::FileKind kind_of_name(const std::string& name, const config::Library& library) {
  using config::FileKind;
  std::vector<std::string> known;
  for (const FileKind kind :
       {FileKind::Run, FileKind::Board, FileKind::Host, FileKind::Kernel, FileKind::Sweep, FileKind::Network,
        FileKind::Dse, FileKind::Train, FileKind::Validate, FileKind::Cluster}) {
    const std::vector<std::string> names = names_of(kind, library);
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
  if (kind == config::FileKind::Network) return describe_network(training::load_named(options.what, library));
  if (kind == config::FileKind::Sweep) {
    if (options.yaml)
      throw Error("--yaml cannot print a sweep; weft show FILE.db --point N --yaml prints the run of a recorded point");
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
    const config::Experiment experiment =
        config::load_experiment(config::FileKind::Dse, options.what, overrides, library);
    const auto exploration = design::explorer_of(experiment, library).load(experiment, library);
    return options.yaml ? exploration->resolved_yaml(true) : describe_exploration(*exploration);
  }
  if (kind == config::FileKind::Train) {
    const train::TrainConfig training = train::load_train(options.what, overrides, library);
    return options.yaml ? train::resolved_yaml(training) : describe_training(training);
  }
  if (kind == config::FileKind::Cluster) {
    const auto cluster = cluster::read_cluster(cluster::cluster_file(options.what, overrides, library), library);
    return options.yaml ? cluster->resolved_yaml() : describe_cluster(*cluster);
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

// Throws Error unless --training is used with a network and its own options only.
void check_training(const ShowOptions& options) {
  std::error_code code;
  const fs::path path(options.what);
  if (options.yaml || !options.sets.empty() || options.of_results()) {
    throw Error("only --batch, --loss and --format may be given with --training: remove the others");
  }
  const bool is_file = fs::exists(path, code) || path.has_parent_path() || path.has_extension();
  const bool network = is_file ? path.extension() == ".onnx"
                               : kind_of_name(options.what, project_library()) == config::FileKind::Network;
  if (!network) throw Error(fmt::format("'{}' is not a network; give a network with --training", options.what));
}

std::string saved_table(const fs::path& folder, ResultKind kind, const TableView& view) {
  if (kind == ResultKind::Run) return report(load_run(folder), view).table;
  std::string csv;
  if (!view.columns.empty()) {
    if (of_cluster(kind)) throw Error("--columns is not for results of clusters; --format csv has all columns");
    csv = os::content(folder / csv_file(kind));
    check(view, report::columns_of(csv));
  }
  return report::text(saved_view(folder, view.width), view, csv);
}

std::string kernel_of_result(const fs::path& folder, const ShowOptions& options) {
  if (!record::is_result(folder) || saved_kind(folder) != ResultKind::Dse || !options.yaml) {
    throw Error("--convolution and --group are for a result of weft dse, with --yaml");
  }
  const config::Library library = project_library();
  const auto of = config::load_experiment(config::FileKind::Dse, folder / record::kResultConfig, {}, library);
  const dse::Explorer& explorer = design::explorer_of(of, library);
  return dse::kernel_file(explorer, record::from_file<dse::Result>(folder / record::kResultJson),
                          explorer.load(of, library)->run, options.kernel);
}

// Shows a saved result in the requested format.
std::string show_result(const fs::path& path, const ShowOptions& options) {
  const Format format = parse_format(options.format, true);
  const TableView view = table_view(options.columns, format, options.rows, options.verbose);
  const bool saved = record::is_result(path);
  const bool run = saved && saved_kind(path) == ResultKind::Run;
  if (!run && (options.of_run() || (!options.columns.empty() && !saved))) {
    throw Error(fmt::format("{} is for results of weft run{}; '{}' is {}",
                            !options.rows.empty() ? "--rows"
                            : options.verbose     ? "--verbose"
                                                  : "--columns",
                            options.of_run() ? "" : ", timeline, dse, train, validate or explain", path.string(),
                            saved ? fmt::format("a result of weft {}", to_string(saved_kind(path))) : "not a result"));
  }
  if (!saved) return list_results(path, format);
  const ResultKind kind = saved_kind(path);
  if (format == Format::Table) return saved_table(path, kind, view);
  if (run) load_run(path);  // reports faults of the result
  return os::content(path / (format == Format::Json ? record::kResultJson : csv_file(kind)));
}

int execute(const ShowOptions& options) {
  std::error_code code;
  const fs::path path(options.what);
  if (options.what == kResultsSchema && !fs::exists(path, code)) {
    if (options.yaml || options.training || !options.sets.empty() || options.of_database()) {
      throw Error(fmt::format("only --format may be given with weft show {}", kResultsSchema));
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
    throw Error(fmt::format("{} needs --training", options.batch.empty() ? "--loss" : "--batch"));
  }
  if (fs::is_regular_file(path, code) && (sweep::is_sqlite(path) || path.extension() == ".db")) {
    print_as(options.yaml ? kYaml : options.format, show_sweep(options));
    return 0;
  }
  if (options.kernel.given()) {
    print_as(kYaml, kernel_of_result(path, options));
    return 0;
  }
  const bool directory =
      fs::is_directory(path, code) && (path.has_parent_path() || record::is_result(path) || has_results(path));
  if (directory && !options.of_database_only()) {
    print_as(options.format, show_result(path, options));
    return 0;
  }
  if (options.of_results()) {
    throw Error(fmt::format(
        "'{}' is not a database of weft sweep; --where, --sort, --pareto, --format and similar options need one",
        options.what));
  }
  const config::Library library = project_library();
  const bool file = fs::is_regular_file(path, code) || path.has_parent_path() || path.has_extension();
  const config::FileKind kind = file ? config::kind_of_file(path, library) : kind_of_name(options.what, library);
  print_as(options.yaml ? kYaml : options.format, show(kind, options));
  return 0;
}

}  // namespace

Command show_command() {
  return command<ShowOptions>("show", "Print a configuration, network, saved result or sweep database", declare,
                              execute);
}

}  // namespace weft::tools
