#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "platform/document/document.h"
#include "platform/record/json.h"
#include "platform/run/saved_result.h"
#include "tools/cli/cache.h"
#include "tools/cli/cli.h"

// Options that several commands have, and what they do.
namespace weft::tools {

// What a saved result is a result of.
enum class ResultKind { Run, Timeline, Sweep, Dse, Validate, Link, Explain, Train, Plan, ArrayPlan, ClusterTimeline };

// The command that makes it: "run", "validate" for a link's, too.
std::string to_string(ResultKind kind);

// By its key `kind`; nothing if it is another, as those of earlier versions, or none.
std::optional<ResultKind> kind_of(const Value& key);

// Of a directory with a result in it. Throws InputError if its JSON is none.
ResultKind saved_kind(const std::filesystem::path& folder);

// Name of its CSV file.
const char* csv_file(ResultKind kind);

// As many as the option says; "auto" or nothing: one a processor. Throws Error.
int workers_of(const std::string& text);

// The whole number that an option gives. Throws Error that says what is allowed.
std::int64_t whole_number(const std::string& text, const std::string& flag, std::int64_t low,
                          std::int64_t high = std::numeric_limits<std::int64_t>::max());

// Where a command saves its result.
struct SaveOptions {
  std::string out;
  bool no_save = false;
};

// Options of most commands that make a result of a configuration; a command declares those that it takes.
struct ResultOptions {
  std::string config;
  std::vector<std::string> sets;
  std::string rung, only, workers, columns, format = "table";
  bool summary = false;
  SaveOptions save;
  CacheOptions cache;
};

// Adds what an option stands for, unless it was not given. `text`: it is a text as it stands, not YAML.
void add_override(std::vector<config::Override>& overrides, const std::string& key, const std::string& flag,
                  const std::string& value, bool text);

// Options of weft show, for databases of weft sweep, too.
struct ShowOptions {
  std::string what;
  std::vector<std::string> sets;
  bool yaml = false;
  // Of a network:
  bool training = false;
  std::string batch, loss;
  // Of a database of results:
  std::vector<std::string> where, minimize, maximize;
  std::string sort, columns, limit, point, sweep;
  std::string format = "table";
  bool summary = false;  // of a result of weft run
  bool descending = false, pareto = false, feasible = false, failed = false, convolutions = false, rerank = false;

  bool of_database_only() const {
    return !where.empty() || !minimize.empty() || !maximize.empty() || !sort.empty() || !limit.empty() ||
           !point.empty() || !sweep.empty() || descending || pareto || feasible || failed || convolutions || rerank;
  }
  bool of_database() const { return of_database_only() || !columns.empty() || summary; }
  bool of_results() const { return of_database() || (format != "table" && !training); }
};

// --set, --rung and --only: what makes another result of a configuration.
std::vector<config::Override> changes_of(const ResultOptions& options);
// The same and --workers.
std::vector<config::Override> overrides_of(const ResultOptions& options);

using run::changed_name;
using run::result_name;
using run::SavedResult;

// Prints and saves the result of a command. Format, columns and place are checked before any work is spent.
class Output {
 public:
  // Throws Error if options contradict each other.
  explicit Output(const ResultOptions& options);

  Format format() const { return format_; }
  const TableView& view() const { return view_; }
  // Where the result will be saved, unless --no-save is given. Throws Error if something is in the way.
  void place(const std::string& name) { place(name, save_.out); }
  void place(const std::string& name, const std::filesystem::path& out);

  // As SavedResult::write(), if there is a place.
  template <class... Arguments>
  void save(Arguments&&... arguments) const {
    if (saved_) saved_->write(std::forward<Arguments>(arguments)...);
  }
  // `csv`: of the result.
  Report report(const report::Document& document, const record::Any& result, const std::string& csv) const {
    return {report::text(document, view_, csv), record::json_text(result), csv};
  }
  void print(const Report& report) const;  // and, below a table, where it was saved

 private:
  SaveOptions save_;
  Format format_;
  TableView view_;
  std::optional<SavedResult> saved_;
};

}  // namespace weft::tools
