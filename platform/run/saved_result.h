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

// Saved results and their names.
namespace weft::run {

// "NAME-batch-8-profile-rtl-DIGEST": result name that shows the changed options and is made unique by the digest of
// `resolved`, the configuration. Without overrides: `name`.
std::string changed_name(const std::string& name, const std::vector<config::Override>& overrides,
                         const std::string& resolved);

// Name in results/ of a run that `changes` derived from another: "NAME-batch-8-DIGEST". The digest covers everything
// that decides the result, so that different runs have different names. Without changes: `name`.
std::string result_name(const std::string& name, config::RunConfig run, const std::vector<config::Override>& changes);

// Result of a command. Its destination is chosen and checked before any work is done.
class SavedResult {
 public:
  // Saves to `out`, or to results/NAME if `out` is empty.
  SavedResult(const std::filesystem::path& out, const std::string& name);

  // `library`: has recorded the inputs; with `keep_inputs` copies of them are saved too. `csv`: name of the CSV file.
  void write(const report::Report& report, const std::string& config_yaml, const config::Library& library,
             bool keep_inputs, const char* csv = record::kResultCsv) const;
  void write(std::map<std::string, std::string> files, const config::Library& library, bool keep_inputs) const;
  std::string line() const;
  const std::filesystem::path& path() const { return dir_.path(); }  // last line of the table

 private:
  std::optional<record::DefaultOutput> standard_;  // destroyed after dir_; removes its folder if that is empty
  std::filesystem::path folder_;                   // as given, made absolute
  record::ResultDir dir_;
};

}  // namespace weft::run
