#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "model/core/error.h"
#include "model/core/text.h"
#include "platform/config/reader.h"
#include "tools/cli.h"
#include "tools/commands.h"

namespace {

constexpr int kOk = 0;
constexpr int kInternalError = 1;
constexpr int kUserError = 2;
constexpr int kDeadlock = 3;

// CLI11's own message for a wrong command word is about unexpected arguments; this one says what was meant.
void check_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    known.push_back(command->get_name());
  }
  if (word == "test" || word == "install" || word == "build") {
    throw weft::Error(fmt::format("'{0}' belongs to the launcher: run ./weft {0} at the root of the project", word));
  }
  if (std::find(known.begin(), known.end(), word) == known.end()) {
    throw weft::Error(fmt::format("there is no command '{}'{}", word, weft::config::suggestion(word, known)));
  }
}

// What is wrong with arguments that the command does not have: the first option among them is what was misspelt, and
// what follows it is only its value.
std::string unexpected(const CLI::App& command, const std::string& word) {
  const std::vector<std::string> rest = command.remaining();
  const auto option =
      std::find_if(rest.begin(), rest.end(), [](const std::string& each) { return each.size() > 1 && each[0] == '-'; });
  if (option == rest.end()) {
    return fmt::format("unexpected argument '{}' (see weft {}--help)", rest.empty() ? "" : rest.front(), word);
  }
  std::vector<std::string> known;
  for (const CLI::Option* each : command.get_options()) {
    for (const std::string& name : each->get_lnames()) known.push_back("--" + name);
  }
  const std::string given = option->substr(0, option->find('='));
  const std::string near = weft::config::nearest(given, known);
  return fmt::format("unknown option {}{} (see weft {}--help)", given,
                     near.empty() ? "" : fmt::format("; did you mean {}?", near), word);
}

int run(int argc, char** argv) {
  CLI::App app("weft: a cycle-accurate simulator of CNN-training accelerators", "weft");
  app.set_version_flag("--version", WEFT_VERSION);
  app.require_subcommand(1);
  app.footer(
      R"(weft test [NAME] runs the project's tests, weft install [LIST] installs the packages that commands need (the
launcher ./weft does both).

Start with:
  weft show googlenet-u250
  weft run conv-small
  weft run --help

Exit codes: 0 done, 2 wrong input, 3 the model cannot make progress, 1 an internal error, or a comparison that
failed (compare, cosim, validate, mutants).)");

  weft::tools::RunOptions run_options;
  weft::tools::TimelineOptions timeline_options;
  weft::tools::CardOptions card_options;
  weft::tools::SweepOptions sweep_options;
  weft::tools::DseOptions dse_options;
  weft::tools::ShowOptions show_options;
  weft::tools::HostProfileOptions host_profile_options;
  weft::tools::CompareOptions compare_options;
  weft::tools::DramOptions dram_options;
  weft::tools::CosimOptions cosim_options;
  weft::tools::SynthOptions synth_options;
  weft::tools::ValidateOptions validate_options;
  weft::tools::MutantsOptions mutants_options;
  weft::tools::BenchOptions bench_options;
  const CLI::App* run_app = add_run(app, run_options);
  const CLI::App* timeline_app = add_timeline(app, timeline_options);
  const CLI::App* card_app = add_card(app, card_options);
  const CLI::App* sweep_app = add_sweep(app, sweep_options);
  const CLI::App* dse_app = add_dse(app, dse_options);
  const CLI::App* show_app = add_show(app, show_options);
  const CLI::App* compare_app = add_compare(app, compare_options);
  const CLI::App* host_profile_app = add_host_profile(app, host_profile_options);
  const CLI::App* dram_app = add_dram(app, dram_options);
  const CLI::App* cosim_app = add_cosim(app, cosim_options);
  const CLI::App* synth_app = add_synth(app, synth_options);
  const CLI::App* validate_app = add_validate(app, validate_options);
  const CLI::App* mutants_app = add_mutants(app, mutants_options);
  const CLI::App* bench_app = add_bench(app, bench_options);

  if (argc < 2) {
    fmt::print(stderr, "{}", app.help());
    return kUserError;
  }
  for (int i = 1; i < argc; ++i) {
    if (weft::find_non_utf8(argv[i]) != std::string::npos) {
      throw weft::Error(fmt::format("argument '{}' is not UTF-8 text", argv[i]));
    }
  }
  const std::string word = argv[1];
  if (!word.empty() && word[0] != '-') check_command(app, word);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    weft::tools::print(app.help());
    return kOk;
  } catch (const CLI::CallForVersion&) {
    weft::tools::print(fmt::format("weft {}\n", WEFT_VERSION));
    return kOk;
  } catch (const CLI::ExtrasError&) {
    const auto parsed = app.get_subcommands();
    throw weft::Error(unexpected(parsed.empty() ? app : *parsed.front(), parsed.empty() ? "" : word + " "));
  } catch (const CLI::ParseError& error) {
    const auto parsed = app.get_subcommands();
    throw weft::Error(fmt::format("{} (see weft {}--help)", error.what(), parsed.empty() ? "" : word + " "));
  }
  if (*run_app) return run_command(run_options);
  if (*timeline_app) return timeline_command(timeline_options);
  if (*card_app) return card_command(card_options);
  if (*sweep_app) return sweep_command(sweep_options);
  if (*dse_app) return dse_command(dse_options);
  if (*show_app) return show_command(show_options);
  if (*compare_app) return compare_command(compare_options);
  if (*host_profile_app) return host_profile_command(host_profile_options);
  if (*dram_app) return dram_command(dram_options);
  if (*cosim_app) return cosim_command(cosim_options);
  if (*synth_app) return synth_command(synth_options);
  if (*validate_app) return validate_command(validate_options);
  if (*mutants_app) return mutants_command(mutants_options);
  if (*bench_app) return bench_command(bench_options);
  return kUserError;
}

// One line, whatever a user's file or argument contained.
void report(const char* kind, const std::string& message) {
  fmt::print(stderr, "weft: {}: {}\n", kind, weft::printable(message));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const weft::Error& error) {
    report("error", error.what());
    return kUserError;
  } catch (const weft::Deadlock& error) {
    report("deadlock", error.what());
    return kDeadlock;
  } catch (const std::exception& error) {
    report("internal error", error.what());
    return kInternalError;
  }
}
