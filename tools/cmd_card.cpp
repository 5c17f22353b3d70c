#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>

#include "model/core/error.h"
#include "platform/card/card.h"
#include "platform/design/load.h"
#include "platform/os/packages.h"
#include "platform/os/process.h"
#include "platform/os/temporary_folder.h"
#include "platform/xrt/bitstream.h"
#include "platform/xrt/card_process.h"
#include "platform/xrt/launch.h"
#include "tools/card_xclbins.h"
#include "tools/cli.h"
#include "tools/commands.h"
#include "tools/output_file.h"

namespace weft::tools {

CLI::App* add_card(CLI::App& app, CardOptions& options) {
  CLI::App* command = app.add_subcommand("card", "An unmodified XRT or OpenCL program on the simulated card");
  command->add_option("CONFIG", options.config, "A run: a file, or a name in configs/runs")->required();
  command->add_option("PROGRAM", options.program, "Behind --: a program and its arguments");
  add_set(*command, options.sets, "a value of the run, by its dotted key");
  command
      ->add_option("--execution", options.execution,
                   "How convolutions are carried out: fast (values directly, cycles of the exact rung), or data (every "
                   "word through every FIFO of the SystemC model)")
      ->type_name("HOW");
  command->add_option("--check", options.check, "Percent of the launches that fast carries out both ways and compares")
      ->type_name("N");
  command
      ->add_option("--transcript", options.transcript, "Write every call with its simulated times to this file (CSV)")
      ->type_name("FILE");
  command
      ->add_option("--xclbin", options.xclbin,
                   "Write the run's xclbin to this file; to a folder, with a slash at its end, all that the run needs, "
                   "and index.json, which says which convolution needs which")
      ->type_name("FILE");
  command
      ->add_option(
          "--train", options.train,
          "In place of a program: train this network (a name, or an ONNX file) by LibTorch, its convolutions on "
          "the card")
      ->type_name("NETWORK");
  command->add_option("--steps", options.steps, "--train: steps, a batch each; 20 unless given")->type_name("N");
  command->add_option("--batch", options.batch, "--train: short for --set batch=")->type_name("N");
  command->add_option("--rate", options.rate, "--train: the learning rate of SGD; 0.001 unless given")->type_name("R");
  command->add_option("--data", options.data, "--train: a folder with CIFAR-10's binary files; else synthetic images")
      ->type_name("FOLDER");
  command->add_flag("--compare", options.compare,
                    "--train: the same network by LibTorch alone beside; exit code 1 if losses or gradients differ");
  command->footer(
      R"(The program is started with XRT's hardware emulation set up for it; it needs no change. What XRT needs is installed
when it first runs. The line at the end, on standard error, says the simulated time to the picosecond. Examples:
  weft card conv-small --xclbin conv.xclbin
      the bitstream of one convolution, as a host program loads it
  weft card conv-small -- ./host conv.xclbin
      a host program on a U250 with FPGPT; its exit code is passed on
  weft card resnet20-u250 --xclbin resnet20/ --transcript calls.csv -- ./train resnet20
      the kernels that the network needs, a program that loads them, and each of its calls
  weft card resnet20-card --train resnet20 --steps 20 --compare
      training without a program: losses, and the simulated time of an iteration beside weft timeline

docs/card.md follows one launch from the program to the memory and back; docs/torch.md is about training.)");
  return command;
}

namespace {

design::Execution execution_of(const std::string& text) {
  if (text == "fast") return design::Execution::Fast;
  if (text == "data") return design::Execution::Data;
  throw Error(fmt::format("--execution: must be one of fast, data, not '{}'", text));
}

// What of the trainer's options was given, as the trainer takes it.
std::vector<std::string> trainer_words(const CardOptions& options) {
  std::vector<std::string> words;
  const auto add = [&](const char* flag, const std::string& value) {
    if (value.empty()) return;
    if (options.train.empty()) throw Error(fmt::format("{} is an option of --train", flag));
    words.insert(words.end(), {flag, value});
  };
  if (!options.steps.empty()) whole_number(options.steps, "--steps", 1, 1 << 30);
  add("--steps", options.steps);
  add("--rate", options.rate);
  add("--data", options.data);
  if (options.compare) {
    if (options.train.empty()) throw Error("--compare is an option of --train");
    words.emplace_back("--compare");
  }
  return words;
}

// The trainer is a program as any other, but one that the launcher builds when it is first started.
std::filesystem::path built_trainer() {
  const std::filesystem::path source(WEFT_SOURCE_DIR);
  if (os::run({{source / "weft", "build", "train"}}) != 0) throw Error("--train: weft-train could not be built");
  return source / "build/release/torch/weft-train";
}

}  // namespace

int card_command(const CardOptions& options) {
  card::CardSettings settings;
  settings.execution = execution_of(options.execution);
  if (!options.check.empty()) {
    settings.check_percent = static_cast<int>(whole_number(options.check, "--check", 0, 100));
    if (settings.execution != design::Execution::Fast) throw Error("--check compares fast with data: it needs fast");
  }
  std::vector<config::Override> overrides = parse_overrides(options.sets);
  const std::vector<std::string> of_trainer = trainer_words(options);
  if (!options.batch.empty() && options.train.empty()) throw Error("--batch is an option of --train");
  add_override(overrides, "network", "--train", options.train, true);
  add_override(overrides, "batch", "--batch", options.batch, false);
  settings.run = design::load_run(options.config, overrides, project_library());
  std::vector<std::string> program = options.program;
  std::string xclbins = options.xclbin;
  std::optional<os::TemporaryFolder> folder;
  if (!options.train.empty()) {
    if (!program.empty()) throw Error("--train is in place of a program, but one is named behind --");
    if (xclbins.empty()) xclbins = folder.emplace(std::filesystem::temp_directory_path(), "weft-train-").path() / "";
    if (xclbins.back() != '/') throw Error("--xclbin: with --train it is a folder, with a slash at its end");
    os::require_packages(WEFT_SOURCE_DIR, "card");
    program = {built_trainer(), "--kernels", xclbins};
    program.insert(program.end(), of_trainer.begin(), of_trainer.end());
  }
  if (program.empty() && xclbins.empty()) {
    throw Error(
        "there is nothing to do: name a program behind --, --train NETWORK or --xclbin FILE (see weft card --help)");
  }
  if (program.empty() && !options.transcript.empty()) throw Error("--transcript: there is no program to follow");
  if (!options.transcript.empty()) const OutputFile place(options.transcript, "--transcript");
  if (!xclbins.empty()) {
    const std::string written = write_xclbins(settings.run, xclbins);
    if (program.empty()) print(written);
  }
  if (program.empty()) return 0;

  os::require_packages(WEFT_SOURCE_DIR, "card");
  const design::AddressMap memory = card::memory_of(settings.run);
  const xrt::Device device{xrt::platform_name(settings.run.board), memory.banks(), memory.bytes_per_bank()};
  return xrt::run_on_card(program, device, [&](xrt::Visits& visits, const std::filesystem::path& of_run) {
    return xrt::serve_card(visits, of_run, settings, options.transcript);
  });
}

}  // namespace weft::tools
