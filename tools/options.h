#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "platform/config/compose.h"
#include "tools/cli.h"
#include "tools/result_dir.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

// Options that several commands have, and what they do.
namespace weft::tools {

// An option that may be given several times, each time with one value.
CLI::Option* add_list(CLI::App& command, const std::string& flag, std::vector<std::string>& values,
                      const std::string& type, const std::string& help);
// --set. `what`: "a value of the run, by its dotted key".
CLI::Option* add_set(CLI::App& command, std::vector<std::string>& sets, const std::string& what);
CLI::Option* add_only(CLI::App& command, std::string& only);
// --format, with csv unless the command has none.
void add_format(CLI::App& command, std::string& format, bool csv = true);
// --workers: "auto" or a number. `who` works: "Processes".
void add_workers(CLI::App& command, std::string& workers, const std::string& who);

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
// --out and --no-save. `name`: what results/ calls it unless --out is given; `what`: what options may have changed.
void add_save(CLI::App& command, SaveOptions& options, const std::string& name, const std::string& what);
// Throws Error if they contradict each other.
void check(const SaveOptions& options);

// Adds what an option stands for, unless it was not given. `text`: it is a text as it stands, not YAML.
void add_override(std::vector<config::Override>& overrides, const std::string& key, const std::string& flag,
                  const std::string& value, bool text);

// A result of a command: where it goes is settled and checked before any work is spent.
class SavedResult {
 public:
  // In `out`, or if that is empty in results/NAME.
  SavedResult(const std::filesystem::path& out, const std::string& name);

  void write(const Report& report, const std::string& config_yaml) const;
  std::string line() const;  // what the table ends with

 private:
  std::optional<DefaultOutput> standard_;  // goes after the result, and takes its folder along if that is empty
  ResultDir dir_;
};

}  // namespace weft::tools
