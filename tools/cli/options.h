#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "platform/document/document.h"
#include "platform/dse/explorer.h"
#include "platform/record/json.h"
#include "platform/run/saved_result.h"
#include "tools/cli/cache.h"
#include "tools/cli/cli.h"

// Options of several commands, and their effects.
namespace weft::tools {

// Kind of a saved result.
enum class ResultKind { Run, Timeline, Sweep, Dse, Validate, Link, Explain, Train, Plan, ArrayPlan, ClusterTimeline };

// Command that produces it: "run", ...; "validate" also for links.
std::string to_string(ResultKind kind);

// Parses the key `kind`; nothing for an unknown kind (e.g. of earlier versions) or a missing key.
std::optional<ResultKind> kind_of(const Value& key);

// Kind of the result in a directory. Throws InputError if its JSON is not a result.
ResultKind saved_kind(const std::filesystem::path& folder);

// Name of its CSV file.
const char* csv_file(ResultKind kind);

// Number of workers; "auto" or empty: one per processor. Throws Error.
int workers_of(const std::string& text);

// Whole number given by an option. Throws Error with the allowed range.
std::int64_t whole_number(const std::string& text, const std::string& flag, std::int64_t low,
                          std::int64_t high = std::numeric_limits<std::int64_t>::max());

// Destination of a command's result.
struct SaveOptions {
  std::string out;
  bool no_save = false;
};

// Options of most commands that turn a configuration into a result; each command declares the ones it takes.
struct ResultOptions {
  std::string config;
  std::vector<std::string> sets;
  std::string rung, only, workers, columns, rows, format = "table";
  bool verbose = false;
  SaveOptions save;
  CacheOptions cache;
};

// Adds the override of an option if it was given. `text`: the value is plain text, not YAML.
void add_override(std::vector<config::Override>& overrides, const std::string& key, const std::string& flag,
                  const std::string& value, bool text);
// The same for an option with the name of its key: "--rung", "--strict-fit".
void add_override(std::vector<config::Override>& overrides, const std::string& flag, const std::string& value,
                  bool text = true);

// Options of weft timeline.
struct TimelineOptions : ResultOptions {
  std::string perfetto;
  std::optional<std::string> from;
};

// Options of weft show, including those for databases of weft sweep.
struct ShowOptions {
  std::string what;
  std::vector<std::string> sets;
  bool yaml = false;
  // For a network:
  bool training = false;
  std::string batch, loss;
  dse::OneKernel kernel;  // for a result of weft dse
  // For a database of results:
  std::vector<std::string> where, minimize, maximize;
  std::string sort, columns, limit, point, sweep;
  std::string format = "table";
  std::string rows;      // for a result of weft run
  bool verbose = false;  // for a result of weft run
  bool descending = false, pareto = false, feasible = false, failed = false, convolutions = false, rerank = false;

  bool of_database_only() const {
    return !where.empty() || !minimize.empty() || !maximize.empty() || !sort.empty() || !limit.empty() ||
           !point.empty() || !sweep.empty() || descending || pareto || feasible || failed || convolutions || rerank;
  }
  bool of_database() const { return of_database_only() || !columns.empty() || of_run(); }
  bool of_run() const { return !rows.empty() || verbose; }
  bool of_results() const { return of_database() || (format != "table" && !training); }
};

// Throws Error if `given` as a run is neither a file nor a run's name but a result, with the commands for it.
void refuse_result(const std::string& given);

// Overrides of --set, --rung and --only, which change the result.
std::vector<config::Override> changes_of(const ResultOptions& options);
// changes_of() and --workers.
std::vector<config::Override> overrides_of(const ResultOptions& options);

using run::changed_name;
using run::result_name;
using run::SavedResult;

// Prints and saves the result of a command. Format, columns and destination are checked before any work is done.
class Output {
 public:
  // Throws Error if options contradict each other.
  explicit Output(const ResultOptions& options);

  Format format() const { return format_; }
  const TableView& view() const { return view_; }
  // Sets the destination, unless --no-save is given. Throws Error if something else is there.
  void place(const std::string& name) { place(name, save_.out); }
  void place(const std::string& name, const std::filesystem::path& out);

  // Calls SavedResult::write() if there is a destination.
  template <class... Arguments>
  void save(Arguments&&... arguments) const {
    if (!saved_) return;
    const std::string before = saved_config();
    saved_->write(std::forward<Arguments>(arguments)...);
    note_replaced(before);
  }
  // `csv`: CSV of the result.
  Report report(const report::Document& document, const record::Any& result, const std::string& csv) const {
    return {report::text(document, view_, csv), record::json_text(result), csv};
  }
  void print(const Report& report) const;  // below a table also the destination

 private:
  // Configuration in the destination; empty if there is none.
  std::string saved_config() const;
  // Says on standard error which result of another configuration was replaced. `before`: its configuration.
  void note_replaced(const std::string& before) const;

  SaveOptions save_;
  bool quiet_;
  Format format_;
  TableView view_;
  std::optional<SavedResult> saved_;
};

}  // namespace weft::tools
