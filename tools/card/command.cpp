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
  bool compare = false, emulate = false;
  std::vector<std::string> program;  // with its arguments
};

void declare(Arguments& command, CardOptions& options) {
  command.add_argument("CONFIG", options.config, "A run: a file, or a name in configs/runs").required();
  command.add_argument("PROGRAM", options.program, "Behind --: a program and its arguments");
  command.add_set(options.sets, "a value of the run, by its dotted key");
  command.add_option("--execution", options.execution, "HOW",
                     "How convolutions are carried out: fast (values directly, cycles of the exact rung), or data "
                     "(every word through every FIFO of the SystemC model)");
  command.add_option("--check", options.check, "N",
                     "Percent of the launches that fast carries out both ways and compares");
  command.add_option("--transcript", options.transcript, "FILE",
                     "Write every call with its simulated times to this file (CSV)");
  command.add_option("--xclbin", options.xclbin, "FILE",
                     "Write the run's xclbin to this file; to a folder, with a slash at its end, all that the run "
                     "needs, and index.json, which says which convolution needs which");
  command.add_option(
      "--train", options.train, "NETWORK",
      "In place of a program: train this network (a name, or an ONNX file) by LibTorch, its convolutions on the card");
  command.add_option("--live", options.live, "FOLDER",
                     "Train under a policy: CONFIG is a training (configs/train), whose MuPPET or GM chooses the "
                     "formats; what it measures is written to this folder, for weft train to be replayed from");
  command.add_option("--steps", options.steps, "N", "--train: steps, a batch each; 20 unless given");
  command.add_option("--batch", options.batch, "N", "--train: short for --set batch=");
  command.add_option("--rate", options.rate, "R", "--train: the learning rate of SGD; 0.001 unless given");
  command.add_option("--data", options.data, "FOLDER",
                     "--train: a folder with CIFAR-10's binary files; else synthetic images");
  command.add_flag("--compare", options.compare,
                   "--train: the same network by LibTorch alone beside; exit code 1 if losses or gradients differ");
  command.add_flag("--emulate", options.emulate,
                   "--train, --live: each convolution of fixed point by a plain loop nest, too; exit code 1 if a word "
                   "of OUT differs");
  command.footer(
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
  weft card resnet20-card --set kernel.format=fxp8 --train resnet20 --steps 30 --emulate
      the same in 8 bits, every OUT held against plain C++
  weft card gm-resnet20-live --live traces/
      a training under GM, whose traces weft train can be replayed from

docs/explanation/card.md follows one launch from the program to the memory and back; docs/how-to/torch.md is about training.)");
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
    if (!trains) throw Error(fmt::format("{} is an option of --train", flag));
    words.insert(words.end(), {flag, value});
  };
  if (!options.live.empty()) {
    if (!options.steps.empty()) throw Error("--steps: with --live the policy says when a training is over");
    if (options.compare) throw Error("--compare is an option of --train without --live");
    add("--live", options.live);
  }
  if (!options.steps.empty()) whole_number(options.steps, "--steps", 1, 1 << 30);
  add("--steps", options.steps);
  add("--rate", options.rate);
  add("--data", options.data);
  if (options.compare) {
    if (options.train.empty()) throw Error("--compare is an option of --train");
    words.emplace_back("--compare");
  }
  if (options.emulate) {
    if (!trains) throw Error("--emulate is an option of --train and --live");
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
  const std::filesystem::path source(WEFT_SOURCE_DIR);
  if (os::run({{source / "weft", "build", "train"}}) != 0) throw Error("--train: weft-train could not be built");
  return source / "build/release/torch/weft-train";
}

int execute(const CardOptions& options) {
  card::CardSettings settings;
  settings.execution = execution_of(options.execution);
  if (!options.check.empty()) {
    settings.check_percent = static_cast<int>(whole_number(options.check, "--check", 0, 100));
    if (settings.execution != design::Execution::Fast) throw Error("--check compares fast with data: it needs fast");
  }
  std::vector<config::Override> overrides = parse_overrides(options.sets);
  const std::vector<std::string> of_trainer = trainer_words(options);
  const bool trains = !options.train.empty() || !options.live.empty();
  if (!options.batch.empty() && !trains) throw Error("--batch is an option of --train");
  add_override(overrides, "network", "--train", options.train, true);
  add_override(overrides, "batch", "--batch", options.batch, false);
  std::optional<train::TrainConfig> training;
  if (options.live.empty()) {
    settings.run = design::load_run(options.config, overrides, project_library());
  } else {
    training = train::load_train(options.config, overrides, project_library());
    settings.run = training->run();
  }
  std::vector<std::string> program = options.program;
  std::string xclbins = options.xclbin;
  std::optional<os::TemporaryFolder> folder;
  if (trains) {
    if (!program.empty()) throw Error("--train is in place of a program, but one is named behind --");
    if (xclbins.empty()) xclbins = folder.emplace(std::filesystem::temp_directory_path(), "weft-train-").path() / "";
    if (xclbins.back() != '/') throw Error("--xclbin: with --train it is a folder, with a slash at its end");
    if (training && !options.xclbin.empty())
      throw Error("--xclbin: with --live the kernels of all levels are kept nowhere");
    os::require_packages(WEFT_SOURCE_DIR, "card");
    program = {built_trainer(), "--kernels", xclbins};
    program.insert(program.end(), of_trainer.begin(), of_trainer.end());
  }
  if (program.empty() && xclbins.empty()) {
    throw Error(
        "there is nothing to do: name a program behind --, --train NETWORK or --xclbin FILE (see weft card --help)");
  }
  if (program.empty() && !options.transcript.empty()) throw Error("--transcript: there is no program to follow");
  if (!options.transcript.empty()) const OutputFile place(options.transcript, "--transcript", xrt::kTranscriptColumns);
  if (training) {
    write_kernels(*training, xclbins);
  } else if (!xclbins.empty()) {
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

}  // namespace

Command card_command() {
  return command("card", "An unmodified XRT or OpenCL program on the simulated card", declare, execute);
}

}  // namespace weft::tools
