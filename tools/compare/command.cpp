#include <fmt/core.h>

#include <cmath>
#include <system_error>

#include "model/core/error.h"
#include "platform/catalogue/designs.h"
#include "platform/iteration/training/trained_network.h"
#include "platform/os/standard_streams.h"
#include "platform/run/simulate.h"
#include "tools/cli/commands.h"
#include "tools/compare/view.h"
#include "tools/run/report.h"

namespace weft::tools {

namespace fs = std::filesystem;

namespace {

struct CompareOptions : ResultOptions {
  std::string a, b, fail_above, most = "20";
};

void declare(Arguments& command, CompareOptions& options) {
  command.add_argument("A", options.a, "Result of weft run, timeline, validate or plan, or a run").required();
  command.add_argument("B", options.b, "Same as A").required();
  command.add_set(options.sets, "a key of the runs that are simulated");
  command.add_only(options.only);
  command.add_option("--fail-above", options.fail_above, "PERCENT", "Exit code 1 if cycles or times differ by more");
  command.add_format(options.format);
  command.add_columns(options.columns);
  command.add_option("--most", options.most, "N", "Maximum number of rows of the table (default 20)")
      .heading(headings::kOutput);
  command.add_workers(options.workers);
}

double percent_of(const std::string& text) {
  const std::string number = !text.empty() && text.back() == '%' ? text.substr(0, text.size() - 1) : text;
  std::size_t end = 0;
  double value = -1;
  try {
    value = std::stod(number, &end);
  } catch (const std::exception&) {
    end = std::string::npos;
  }
  if (end != number.size() || !(value >= 0) || value > 1e9) {
    throw Error(fmt::format("--fail-above: must be a percentage of 0 or more, such as 1%, not '{}'", text));
  }
  return value / 100;
}

void refuse_changes(const std::string& result, const CompareOptions& options) {
  if (options.sets.empty() && options.only.empty()) return;
  throw Error(fmt::format("'{}' is a result: --set and --only are for runs that are simulated", result));
}

run::Compared compared(const std::string& what, const CompareOptions& options) {
  std::error_code code;
  if (fs::is_directory(what, code)) {
    refuse_changes(what, options);
    return {what, load_run(what), saved_config(what)};
  }
  const config::RunConfig run = design::load_run(what, overrides_of(options), project_library());
  if (run.rung != config::Rung::Analytical) config::require_simulated_memory(run);
  Progress progress(run.name, 0);
  return {what,
          run::record_of(run::simulate(run, training::load_network(run, project_library()), progress.watcher()),
                         std::nullopt),
          config::write_run(run)};
}

// Returns the exit code. `change`: largest change of `what`; infinite if some `of` the results are in one only.
int judged(double change, double fail_above, const char* what, const char* of = "convolutions") {
  if (fail_above < 0 || change <= fail_above) return 0;
  os::say(fmt::format("weft: {}\n", std::isinf(change)
                                        ? fmt::format("some {} are in one result only", of)
                                        : fmt::format("{} {:.4g}%, more than the {:.4g}% of --fail-above", what,
                                                      100 * change, 100 * fail_above)));
  return 1;
}

int compare_iterations(const CompareOptions& options, Format format, const TableView& view, double fail_above) {
  timeline::TimelineComparison comparison =
      timeline::compare(timeline::read_result(fs::path(options.a) / record::kResultJson),
                        timeline::read_result(fs::path(options.b) / record::kResultJson));
  comparison.a = options.a;
  comparison.b = options.b;
  comparison.keys = run::differing_keys(saved_config(options.a), saved_config(options.b));
  print(compare_timelines(comparison, view), format);
  const timeline::ComparedPart& whole = comparison.where.back();
  return judged(std::abs(run::change(whole.a_image_s, whole.b_image_s)), fail_above, "the iteration moved by");
}

int compare_validations(const CompareOptions& options, Format format, const TableView& view, double fail_above) {
  const validate::ValidationComparison comparison = validate::compare(options.a, options.b, project_library());
  print(compare_report(comparison, view), format);
  return judged(comparison.largest_change(), fail_above, "cycles moved by up to");
}

template <class Plan>
int compare_plans(const CompareOptions& options, Format format, const TableView& view, double fail_above) {
  cluster::PlanComparison comparison =
      cluster::compare(record::from_file<Plan>(fs::path(options.a) / record::kResultJson),
                       record::from_file<Plan>(fs::path(options.b) / record::kResultJson));
  comparison.a = options.a;
  comparison.b = options.b;
  comparison.keys = run::differing_keys(saved_config(options.a), saved_config(options.b));
  print(tools::compare_plans(comparison, view), format);
  return judged(comparison.largest_change(), fail_above, "figures moved by up to", "figures");
}

int execute(const CompareOptions& options) {
  const Format format = parse_format(options.format, true);
  const TableView view = table_view(options.columns, format);
  const auto most = static_cast<std::size_t>(whole_number(options.most, "--most", 0));
  const double fail_above = options.fail_above.empty() ? -1 : percent_of(options.fail_above);
  std::error_code code;
  if (fs::is_directory(options.a, code) && fs::is_directory(options.b, code)) {
    const ResultKind a = saved_kind(options.a), b = saved_kind(options.b);
    const bool plans = a == ResultKind::Plan || a == ResultKind::ArrayPlan;
    if (a != b || (a != ResultKind::Run && a != ResultKind::Timeline && a != ResultKind::Validate && !plans)) {
      throw Error(
          fmt::format("cannot compare '{}' (weft {}) and '{}' (weft {}): give two results of weft run, two of "
                      "weft timeline, two of weft validate, or two of weft plan of one design",
                      options.a, to_string(a), options.b, to_string(b)));
    }
    refuse_changes(options.a, options);
    if (a == ResultKind::Timeline) return compare_iterations(options, format, view, fail_above);
    if (a == ResultKind::Plan) return compare_plans<cluster::NadaResult>(options, format, view, fail_above);
    if (a == ResultKind::ArrayPlan) return compare_plans<cluster::ArrayResult>(options, format, view, fail_above);
    if (a == ResultKind::Validate) return compare_validations(options, format, view, fail_above);
  }
  const run::Comparison comparison = run::compare(compared(options.a, options), compared(options.b, options));
  print(compare_report(comparison, most, view), format);
  return judged(comparison.largest_change(), fail_above, "cycles moved by up to");
}

}  // namespace

Command compare_command() {
  return command<CompareOptions>("compare", "Compare two results: which keys differ and what moved", declare, execute);
}

}  // namespace weft::tools
