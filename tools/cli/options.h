#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "platform/config/compose.h"
#include "platform/config/run_config.h"
#include "platform/record/result_dir.h"
#include "tools/cli/cli.h"

// Options that several commands have, and what they do.
namespace weft::tools {

// What a saved result is a result of.
enum class ResultKind { Run, Timeline, Sweep, Dse, Validate, Link, Explain, Train, Plan, ArrayPlan, ClusterTimeline };

// The command that makes it: "run", "validate" for a link's, too.
std::string to_string(ResultKind kind);

// By its key `kind`; nothing if it has none, as those of earlier versions, or another.
std::optional<ResultKind> kind_of_json(const nlohmann::json& json);

// Of a directory with a result in it. Throws InputError if its JSON is none.
ResultKind saved_kind(const std::filesystem::path& folder);

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
// Throws Error if they contradict each other.
void check(const SaveOptions& options);

// Adds what an option stands for, unless it was not given. `text`: it is a text as it stands, not YAML.
void add_override(std::vector<config::Override>& overrides, const std::string& key, const std::string& flag,
                  const std::string& value, bool text);

// "NAME-batch-8-profile-rtl-DIGEST": a name for a result that says what options changed, and is its own by the digest
// of `resolved`, the configuration.
std::string changed_name(const std::string& name, const std::vector<config::Override>& overrides,
                         const std::string& resolved);

// What results/ calls the result of a run that `changes` made of another: "NAME-batch-8-DIGEST", the digest of all that
// decides the result, so that it replaces no other run's; without changes `name`.
std::string result_name(const std::string& name, config::RunConfig run, const std::vector<config::Override>& changes);

// A result of a command: where it goes is settled and checked before any work is spent.
class SavedResult {
 public:
  // In `out`, or if that is empty in results/NAME.
  SavedResult(const std::filesystem::path& out, const std::string& name);

  // `library`: has noted what the result was made from; with `keep_inputs` copies go with it. `csv`: what its CSV file
  // is called.
  void write(const Report& report, const std::string& config_yaml, const config::Library& library, bool keep_inputs,
             const char* csv = record::kResultCsv) const;
  void write(std::map<std::string, std::string> files, const config::Library& library, bool keep_inputs) const;
  std::string line() const;  // what the table ends with

 private:
  std::optional<record::DefaultOutput> standard_;  // goes after the result, and takes its folder along if that is empty
  std::filesystem::path folder_;                   // as it was given, absolute
  record::ResultDir dir_;
};

}  // namespace weft::tools
