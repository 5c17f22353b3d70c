#include <fmt/core.h>

#include "model/core/error.h"
#include "platform/card/card.h"
#include "platform/card/xrt/card_process.h"
#include "platform/card/xrt/kernel_folder.h"
#include "platform/card/xrt/launch.h"
#include "platform/card/xrt/xclbin.h"
#include "platform/catalogue/designs.h"
#include "platform/iteration/train/train_config.h"
#include "platform/iteration/training/trained_network.h"
#include "platform/os/data_root.h"
#include "platform/os/process.h"
#include "platform/os/temporary_folder.h"
#include "platform/run/simulate.h"
#include "tools/cli/commands.h"

namespace weft::tools {

namespace {

struct CardOptions {
  std::string config;
  std::vector<std::string> sets;
  std::string execution = "fast", check, transcript, xclbin;
  std::string train, live, steps, batch, rate, data;
  bool compare = false, emulate = false, strict = false;
  std::vector<std::string> program;  // with its arguments
};

void declare(Arguments& command, CardOptions& options) {
  command.add_argument("CONFIG", options.config, "Run: a file, or a name in configs/runs").required();
  command.add_argument("PROGRAM", options.program, "Program and its arguments, after --");
  command.add_set(options.sets, "a key of the run");
  command.heading(headings::kTraining);
  command.add_option("--train", options.train, "NETWORK", "Network to train, without PROGRAM: a name, or an ONNX file");
  command.add_option("--live", options.live, "DIR", "Train under CONFIG's policy (configs/train); traces go to DIR");
  command.add_option("--steps", options.steps, "N", "Training steps, one batch each (default 20)");
  command.add_option("--batch", options.batch, "N", "Batch size; short for --set batch=N");
  command.add_option("--rate", options.rate, "R", "Learning rate of SGD (default 0.001)");
  command.add_option("--data", options.data, "DIR", "Binary files of CIFAR-10 (default: synthetic images)");
  command.add_flag("--compare", options.compare, "Also train without the card; exit code 1 if they differ");
  command.add_flag("--emulate", options.emulate, "Also compute fixed point in plain C++; exit code 1 if OUT differs");
  command.heading(headings::kExecution);
  command.add_option("--execution", options.execution, "HOW",
                     "fast, or data: every word passes the FIFOs (default fast)");
  command.add_option("--check", options.check, "N", "Percentage of launches of fast compared with data (default 0)");
  command.add_flag("--strict", options.strict, "Exit code 1 if there are warnings of what the program does");
  command.heading(headings::kFiles);
  command.add_option("--xclbin", options.xclbin, "FILE",
                     "xclbin of the run; a name with a / at its end: folder of all kernels");
  command.add_option("--transcript", options.transcript, "FILE", "Every call with its simulated times (CSV)");
}

design::Execution execution_of(const std::string& text) {
  if (text == "fast") return design::Execution::Fast;
  if (text == "data") return design::Execution::Data;
  throw Error(fmt::format("--execution: must be one of fast, data, not '{}'", text));
}

// Options of the trainer in its own syntax.
std::vector<std::string> trainer_words(const CardOptions& options) {
  std::vector<std::string> words;
  const bool trains = !options.train.empty() || !options.live.empty();
  const auto add = [&](const char* flag, const std::string& value) {
    if (value.empty()) return;
    if (!trains) throw Error(fmt::format("{} needs --train or --live", flag));
    words.insert(words.end(), {flag, value});
  };
  if (!options.live.empty()) {
    if (!options.steps.empty()) throw Error("--steps cannot be used with --live: the policy ends the training");
    if (options.compare) throw Error("--compare cannot be used with --live");
    add("--live", options.live);
  }
  if (!options.steps.empty()) whole_number(options.steps, "--steps", 1, 1 << 30);
  add("--steps", options.steps);
  add("--rate", options.rate);
  add("--data", options.data);
  if (options.compare) {
    if (options.train.empty()) throw Error("--compare needs --train");
    words.emplace_back("--compare");
  }
  if (options.emulate) {
    if (!trains) throw Error("--emulate needs --train or --live");
    words.emplace_back("--emulate");
  }
  return words;
}

std::string write_xclbins(const config::RunConfig& run, const std::string& place) {
  return xrt::write_xclbins(run, run::prepare(run, training::load_network(run, project_library())).rows, place);
}

// Writes the kernels of each level of a training, and the training itself, where the trainer looks for them.
void write_kernels(const train::TrainConfig& training, const std::filesystem::path& folder) {
  for (const train::LevelRun& each : training.runs) {
    write_xclbins(each.run, folder / precision::level_name(each.level) / "");
  }
  OutputFile(folder / "training.yaml", "--live", "").write(train::resolved_yaml(training));
}

// Path of the trainer, which the launcher builds on first use.
std::filesystem::path built_trainer() {
  const std::filesystem::path& source = os::data_root();
  if (os::run({{source / "weft", "build", "train"}}) != 0) throw Error("--train: weft-train could not be built");
  return source / "build/release/torch/weft-train";
}

int execute(const CardOptions& options) {
  card::CardSettings settings;
  settings.execution = execution_of(options.execution);
  settings.strict = options.strict;
  if (!options.check.empty()) {
    settings.check_percent = static_cast<int>(whole_number(options.check, "--check", 0, 100));
    if (settings.execution != design::Execution::Fast)
      throw Error("--check compares fast with data and needs --execution fast");
  }
  std::vector<config::Override> overrides = parse_overrides(options.sets);
  const std::vector<std::string> of_trainer = trainer_words(options);
  const bool trains = !options.train.empty() || !options.live.empty();
  if (!options.batch.empty() && !trains) throw Error("--batch needs --train or --live");
  add_override(overrides, "network", "--train", options.train, true);
  add_override(overrides, "--batch", options.batch, false);
  std::optional<train::TrainConfig> training;
  if (options.live.empty()) {
    settings.run = design::load_run(options.config, overrides, project_library());
  } else {
    training = train::load_train(options.config, overrides, project_library());
    if (training->pruning) throw Error("--live trains under MuPPET or GM; the policy of this training is pruning");
    settings.run = training->run();
  }
  std::vector<std::string> program = options.program;
  std::string xclbins = options.xclbin;
  std::optional<os::TemporaryFolder> folder;
  if (trains) {
    if (!program.empty()) throw Error("--train and --live run no other program: remove the program after --");
    if (xclbins.empty()) xclbins = folder.emplace(std::filesystem::temp_directory_path(), "weft-train-").path() / "";
    if (xclbins.back() != '/') throw Error("--xclbin: with --train, give a folder with a slash at its end");
    if (training && !options.xclbin.empty())
      throw Error("--xclbin cannot be used with --live: kernels of changing precision levels are not saved");
    os::require_checkout(os::data_root(), "torch/weft_train.cpp", "weft card --train");
    os::require_packages(os::data_root(), "card");
    program = {built_trainer(), "--kernels", xclbins};
    program.insert(program.end(), of_trainer.begin(), of_trainer.end());
  }
  if (program.empty() && xclbins.empty()) {
    throw Error(
        "there is nothing to do: give a program after --, --train NETWORK or --xclbin FILE (see weft card --help)");
  }
  if (program.empty() && !options.transcript.empty()) throw Error("--transcript needs a program");
  if (!options.transcript.empty()) const OutputFile place(options.transcript, "--transcript", xrt::kTranscriptColumns);
  if (training) {
    write_kernels(*training, xclbins);
  } else if (!xclbins.empty()) {
    const std::string written = write_xclbins(settings.run, xclbins);
    if (program.empty()) print(written);
  }
  if (program.empty()) return 0;

  os::require_packages(os::data_root(), "card");
  const design::AddressMap memory = card::memory_of(settings.run);
  const xrt::Device device{xrt::platform_name(settings.run.board), memory.banks(), memory.bytes_per_bank()};
  return xrt::run_on_card(program, device, [&](xrt::Visits& visits, const std::filesystem::path& of_run) {
    return xrt::serve_card(visits, of_run, settings, options.transcript);
  });
}

}  // namespace

Command card_command() {
  return command<CardOptions>("card", "Run an unmodified XRT or OpenCL program on the simulated card", declare,
                              execute);
}

}  // namespace weft::tools
