#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tools/cli/cache.h"
#include "tools/cli/options.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

// Command-line arguments, declared by each command. This interface hides CLI11, which takes seconds to compile in each
// file that includes it.
namespace weft::tools {

// Headings of options in --help, the same for all commands. Options without one, the most used, are under "Options".
namespace headings {
inline constexpr const char* kTraining = "Training";
inline constexpr const char* kNetwork = "Network";
inline constexpr const char* kDatabase = "Database";
inline constexpr const char* kCampaign = "Campaign";
inline constexpr const char* kOutput = "Output";
inline constexpr const char* kExecution = "Execution";
inline constexpr const char* kFiles = "Files";
inline constexpr const char* kCluster = "Cluster";
}  // namespace headings

// Argument of a command.
class Argument {
 public:
  explicit Argument(CLI::Option* option) : option_(option) {}

  Argument& required();
  Argument& needs(const Argument& other);
  Argument& excludes(const Argument& other);
  Argument& excludes(const std::string& name);
  Argument& range(std::int64_t low, std::int64_t high);
  Argument& positive();
  Argument& not_negative();
  Argument& heading(const std::string& text);  // in --help

 private:
  CLI::Option* option_;
};

// Arguments of one command. The variables are written after all arguments are read.
class Arguments {
 public:
  explicit Arguments(CLI::App& command) : command_(command) {}

  // "--name"; `type`: name of its value in --help.
  template <class T>
  Argument add_option(const std::string& name, T& value, const std::string& type, const std::string& help);
  template <class T>
  Argument add_argument(const std::string& name, T& value, const std::string& help);  // positional
  Argument add_flag(const std::string& name, bool& value, const std::string& help);
  // Option that may be repeated, with one value each time.
  Argument add_list(const std::string& name, std::vector<std::string>& values, const std::string& type,
                    const std::string& help);

  void heading(const std::string& text);  // in --help, for the arguments declared after it

  // Options of several commands, under the same headings in all. `what`: e.g. "a key of the run".
  Argument add_set(std::vector<std::string>& sets, const std::string& what);
  Argument add_only(std::string& only);
  void add_rung(std::string& rung);
  void add_format(std::string& format, bool csv = true);
  void add_columns(std::string& columns);
  void add_rows(std::string& rows, bool& verbose);
  void add_workers(std::string& workers, const std::string& who = "Processes");  // `who`: noun in the help
  void add_cache(CacheOptions& options);
  // `name`: default folder in results/.
  void add_save(SaveOptions& options, const std::string& name);
  // Adds --format, --columns, the options of add_save(), and --workers.
  void add_result(ResultOptions& options, const std::string& name, const std::string& who = "Processes");

  // Puts a text in the place of {} in the end of --help, the command's file in tools/texts.
  void complete_footer(const std::string& text);

 private:
  Argument added(CLI::Option* option) const;

  CLI::App& command_;
  std::string heading_{};
};

// Command of weft. `declare` declares its arguments and returns its action, which returns the exit code.
struct Command {
  const char* name;
  const char* description;
  std::function<std::function<int()>(Arguments&)> declare;
};

template <class Options>
Command command(const char* name, const char* description, void (*declare)(Arguments&, Options&),
                int (*execute)(const Options&)) {
  return {name, description, [declare, execute](Arguments& arguments) {
            const auto options = std::make_shared<Options>();
            declare(arguments, *options);
            return [options, execute] { return execute(*options); };
          }};
}

}  // namespace weft::tools
