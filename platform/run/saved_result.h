#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platform/config/compose.h"
#include "platform/config/run_config.h"
#include "platform/record/csv.h"
#include "platform/record/result_dir.h"

// Results as weft saves them, and their names.
namespace weft::run {

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

  // `library`: has noted what the result was made from; with `keep_inputs` copies go with it. `csv`: its CSV file.
  void write(const report::Report& report, const std::string& config_yaml, const config::Library& library,
             bool keep_inputs, const char* csv = record::kResultCsv) const;
  void write(std::map<std::string, std::string> files, const config::Library& library, bool keep_inputs) const;
  std::string line() const;  // what the table ends with

 private:
  std::optional<record::DefaultOutput> standard_;  // goes after the result, and takes its folder along if that is empty
  std::filesystem::path folder_;                   // as it was given, absolute
  record::ResultDir dir_;
};

}  // namespace weft::run
