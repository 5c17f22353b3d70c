#include <fmt/core.h>

#include <system_error>

#include "model/core/error.h"
#include "platform/studies/sweep/store/store.h"
#include "tools/cli/commands.h"
#include "tools/cli/views.h"
#include "tools/compare/view.h"
#include "tools/run/report.h"
#include "tools/show/show.h"

namespace weft::tools {

namespace fs = std::filesystem;

namespace {

struct ReportOptions {
  std::vector<std::string> results;
  std::string out;
};

void declare(Arguments& command, ReportOptions& options) {
  command.add_argument("RESULT", options.results, "Result directory or sweep database; two results are compared")
      .required();
  command.add_option("--out", options.out, "FILE", "HTML file (default RESULT.html next to the result)");
}

// Path of a result that ends with its name: "results/A/" is results/A, "." is the name of the current folder.
fs::path named(const fs::path& result) {
  fs::path path = result.lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  if (path.empty() || path.filename() == "." || path.filename() == "..") path = fs::absolute(path).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

bool is_database(const fs::path& path) {
  std::error_code code;
  return fs::is_regular_file(path, code) && sweep::is_sqlite(path);
}

ResultKind kind_of(const fs::path& path) {
  std::error_code code;
  if (!fs::exists(path, code))
    throw Error(fmt::format("there is no result '{}' (weft show results lists all results)", path.string()));
  if (is_database(path)) return ResultKind::Sweep;
  if (!record::is_result(path)) {
    throw Error(
        fmt::format("'{}' is no result of weft: neither a directory with {} and {}, nor a database of weft sweep",
                    path.string(), record::kResultJson, record::kResultConfig));
  }
  return saved_kind(path);
}

// `explanation`: folder of an explanation of the same run.
report::Document run_view(const fs::path& run, const fs::path& explanation) {
  const run::Record record = load_run(run);
  const auto of = record::from_file<explain::Explanation>(explanation / record::kResultJson);
  if (of.run != record.run) {
    throw Error(fmt::format("'{}' explains run '{}', but '{}' is a result of run '{}'", explanation.string(), of.run,
                            run.string(), record.run));
  }
  return view_of(record, run, ladder_sections(of));
}

report::Document view_of_two(const fs::path& a, const fs::path& b) {
  const ResultKind of_a = kind_of(a), of_b = kind_of(b);
  if (of_a == ResultKind::Run && of_b == ResultKind::Explain) return run_view(a, b);
  if (of_a == ResultKind::Explain && of_b == ResultKind::Run) return run_view(b, a);
  if (of_a == ResultKind::Run && of_b == ResultKind::Run) {
    return view_of(run::compare({named(a).filename().string(), load_run(a), saved_config(a)},
                                {named(b).filename().string(), load_run(b), saved_config(b)}));
  }
  throw Error(
      fmt::format("cannot combine '{}' (weft {}) and '{}' (weft {}): give two results of weft run, or one with its "
                  "weft explain result",
                  a.string(), to_string(of_a), b.string(), to_string(of_b)));
}

// Default output next to the first result, named after the run or both runs.
fs::path default_output(const std::vector<std::string>& results) {
  const fs::path path = named(results.front());
  std::string name = (is_database(path) ? path.stem() : path.filename()).string();
  if (results.size() == 2) {
    const fs::path other = named(results.back());
    const bool run = kind_of(path) == ResultKind::Run;
    if (run && kind_of(other) == ResultKind::Run) name += "-vs-" + other.filename().string();
    if (!run) name = other.filename().string();
  }
  return path.parent_path() / (name + ".html");
}

int execute(const ReportOptions& options) {
  if (options.results.size() > 2) {
    throw Error(fmt::format("give one result, or two results of weft run to compare, not {}", options.results.size()));
  }
  for (const std::string& result : options.results) kind_of(result);
  const OutputFile file(options.out.empty() ? default_output(options.results) : fs::path(options.out),
                        options.out.empty() ? "the report" : "--out", report::kPageMark);
  const report::Document document = options.results.size() == 1
                                        ? saved_view(options.results.front())
                                        : view_of_two(options.results.front(), options.results.back());
  file.write(report::html(document));
  print(fmt::format("saved        {}\n", file.path().string()));
  return 0;
}

}  // namespace

Command report_command() {
  return command<ReportOptions>("report", "Write a self-contained HTML page of a result or of two compared runs",
                                declare, execute);
}

}  // namespace weft::tools
