#include "tools/main/command_line.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "model/core/error.h"
#include "model/core/text.h"
#include "platform/config/reader.h"
#include "platform/config/run_config.h"
#include "platform/os/standard_streams.h"
#include "platform/record/record.h"
#include "tools/cli/commands.h"

// Whole command line of weft, parsed by CLI11.
namespace weft::tools {

namespace {

// Help with one line per option: without types, checks and relations to other options.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    constexpr const char* kGap = "\n\n\n";  // printed between groups of options
    std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
    for (std::size_t at = text.find(kGap); at != std::string::npos; at = text.find(kGap, at)) text.erase(at, 1);
    return text;
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    return option->get_option_text().empty() ? "" : " " + option->get_option_text();
  }
};

struct CompletionOptions {
  std::string shell;
};

void declare_completion(Arguments& command, CompletionOptions& options) {
  command.add_argument("SHELL", options.shell, "Shell: bash").required();
}

int print_completion(const CompletionOptions& options) {
  if (options.shell != "bash") throw Error(fmt::format("SHELL: must be bash, not '{}'", options.shell));
  print(text_file("completion.bash"));
  return kOk;
}

// End of the --help of a command, or of weft.
std::string footer_of(const std::string& command) {
  std::string text = text_file(command + ".txt");
  if (!text.empty()) text.pop_back();  // CLI11 adds the last line break
  return text;
}

// Commands and their options, for completion.
CommandInfo described(const CLI::App& command) {
  CommandInfo info{command.get_name(), {}};
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional() && option->get_lnames().empty()) continue;
    OptionInfo each;
    for (const std::string& name : option->get_snames()) each.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) each.names.push_back("--" + name);
    each.takes_value = option->get_items_expected_max() > 0;
    info.options.push_back(std::move(each));
  }
  return info;
}

std::vector<CommandInfo> described_commands(const CLI::App& app) {
  std::vector<CommandInfo> commands;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    commands.push_back(described(*command));
  }
  return commands;
}

using Chosen = std::function<int()>;

// Reports an unknown command with suggestions; CLI11's own message mentions unexpected arguments only.
void check_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    known.push_back(command->get_name());
  }
  const auto& of_launcher = kLauncherCommands;
  if (std::find(std::begin(of_launcher), std::end(of_launcher), word) != std::end(of_launcher)) {
    throw Error(fmt::format("'{0}' belongs to the launcher: run ./weft {0} at the root of the project", word));
  }
  if (std::find(known.begin(), known.end(), word) == known.end()) {
    throw Error(fmt::format("there is no command '{}'{}", word, config::suggestion(word, known)));
  }
}

// Message for unexpected arguments. The first option among them is the misspelt one; the words after it are only its
// value.
std::string unexpected(const CLI::App& command, const std::string& word) {
  const std::vector<std::string> rest = command.remaining();
  const auto option =
      std::find_if(rest.begin(), rest.end(), [](const std::string& each) { return each.size() > 1 && each[0] == '-'; });
  if (option == rest.end()) {
    if (!word.empty() && word[0] == '-') {
      return fmt::format("unknown option {}; options come after a command (see weft --help)",
                         word.substr(0, word.find(' ')));
    }
    return fmt::format("unexpected argument{} (see weft {}--help)", rest.empty() ? "" : " '" + rest.front() + "'",
                       word);
  }
  std::vector<std::string> known;
  for (const CLI::Option* each : command.get_options()) {
    for (const std::string& name : each->get_lnames()) known.push_back("--" + name);
  }
  const std::string given = option->substr(0, option->find('='));
  std::string near = config::nearest(given, known);
  // A key of a run, where the command takes --set.
  const std::string key = given.substr(given.find_first_not_of('-'));
  if (std::find(known.begin(), known.end(), "--set") != known.end() &&
      config::find_path(config::describe_run(), "properties." + key))
    near = "--set " + key + "=...";
  return fmt::format("unknown option {}{} (see weft {}--help)", given,
                     near.empty() ? "" : fmt::format("; did you mean {}?", near), word);
}

}  // namespace

std::function<int()> parse_command_line(int argc, char** argv) {
  CLI::App app("weft: a cycle-accurate simulator of CNN-training accelerators", "weft");
  app.set_version_flag("--version", record::weft_version());
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpFormatter>());  // subcommands inherit it
  app.footer(footer_of("weft"));

  Chosen chosen;
  const std::vector<std::pair<const char*, std::vector<Command>>> groups{
      {"Simulate", {init_command(), run_command(), timeline_command(), train_command(), dram_command()}},
      {"Understand", {show_command(), explain_command(), compare_command(), report_command()}},
      {"Explore", {sweep_command(), dse_command(), plan_command()}},
      {"Check", {validate_command(), cosim_command(), mutants_command(), bench_command()}},
      {"Hardware", {card_command(), rtl_command(), synth_command(), host_profile_command()}},
      {"Manage",
       {schema_command(), cache_command(),
        command<CompletionOptions>("completion", "Print a script that completes commands, options and names in bash",
                                   declare_completion, print_completion)}}};
  for (const auto& [group, commands] : groups) {
    for (const Command& each : commands) {
      CLI::App* const command = app.add_subcommand(each.name, each.description)->group(group);
      command->footer(footer_of(each.name));
      Arguments arguments(*command);
      command->callback([execute = each.declare(arguments), &chosen] { chosen = execute; });
    }
  }

  if (argc > 1 && std::string(argv[1]) == "__complete") {
    std::string found;
    for (const std::string& each : completions(described_commands(app), {argv + 2, argv + argc})) found += each + '\n';
    return [found] {
      print(found);
      return kOk;
    };
  }
  if (argc < 2) {
    os::say(app.help());
    return [] { return kUserError; };
  }
  for (int i = 1; i < argc; ++i) {
    if (find_non_utf8(argv[i]) != std::string::npos)
      throw Error(fmt::format("argument '{}' is not UTF-8 text", argv[i]));
  }
  const std::string word = argv[1];
  if (!word.empty() && word[0] != '-') check_command(app, word);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return [text = app.help()] {
      print(text);
      return kOk;
    };
  } catch (const CLI::CallForVersion&) {
    return [] {
      print(fmt::format("weft {}\n", record::weft_version()));
      return kOk;
    };
  } catch (const CLI::ExtrasError&) {
    const auto parsed = app.get_subcommands();
    throw Error(unexpected(parsed.empty() ? app : *parsed.front(), parsed.empty() ? "" : word + " "));
  } catch (const CLI::ParseError& error) {
    const auto parsed = app.get_subcommands();
    throw Error(fmt::format("{} (see weft {}--help)", error.what(), parsed.empty() ? "" : word + " "));
  }
  return chosen;
}

}  // namespace weft::tools
