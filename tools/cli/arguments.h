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

// What a command takes on the command line: it declares its arguments itself, with CLI11 behind this interface, because
// each file that includes CLI11 takes seconds to compile.
namespace weft::tools {

// One argument of a command.
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

 private:
  CLI::Option* option_;
};

// The arguments of one command. Values that are given are written to the variables once all were read.
class Arguments {
 public:
  explicit Arguments(CLI::App& command) : command_(command) {}

  // "--name"; `type`: what --help calls its value.
  template <class T>
  Argument add_option(const std::string& name, T& value, const std::string& type, const std::string& help);
  template <class T>
  Argument add_argument(const std::string& name, T& value, const std::string& help);  // by its place
  Argument add_flag(const std::string& name, bool& value, const std::string& help);
  // An option that may be given several times, each time with one value.
  Argument add_list(const std::string& name, std::vector<std::string>& values, const std::string& type,
                    const std::string& help);

  void heading(const std::string& text);  // of --help, for what is declared from here on

  // Options that several commands have. `what`: "a value of the run, by its dotted key".
  Argument add_set(std::vector<std::string>& sets, const std::string& what);
  Argument add_only(std::string& only);
  void add_rung(std::string& rung);
  void add_format(std::string& format, bool csv = true);
  void add_columns(std::string& columns);
  void add_workers(std::string& workers, const std::string& who = "Processes");  // `who` works
  void add_cache(CacheOptions& options);
  // `name`: of the folder in results/ without --out; `what`: what options may have changed.
  void add_save(SaveOptions& options, const std::string& name, const std::string& what);
  // --format, --columns, what add_save() adds, and --workers.
  void add_result(ResultOptions& options, const std::string& name, const std::string& what,
                  const std::string& who = "Processes");

  void footer(const std::string& text);  // examples, and what else --help says

 private:
  Argument added(CLI::Option* option) const;

  CLI::App& command_;
  std::string heading_{};
};

// A command of weft. `declare` declares its arguments and returns what it does, which gives the exit code.
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
