#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <fstream>

#include "model/core/error.h"
#include "platform/card/card.h"
#include "platform/design/load.h"
#include "platform/os/packages.h"
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
  command->footer(
      R"(The program is started with XRT's hardware emulation set up for it; it needs no change. What XRT needs is installed
when it first runs. The line at the end, on standard error, says the simulated time to the picosecond. Examples:
  weft card conv-small --xclbin conv.xclbin
      the bitstream of one convolution, as a host program loads it
  weft card conv-small -- ./host conv.xclbin
      a host program on a U250 with FPGPT; its exit code is passed on
  weft card resnet20-u250 --xclbin resnet20/ --transcript calls.csv -- ./train resnet20
      the kernels that the network needs, a program that loads them, and each of its calls

docs/card.md follows one launch from the program to the memory and back.)");
  return command;
}

namespace {

design::Execution execution_of(const std::string& text) {
  if (text == "fast") return design::Execution::Fast;
  if (text == "data") return design::Execution::Data;
  throw Error(fmt::format("--execution: must be one of fast, data, not '{}'", text));
}

}  // namespace

int card_command(const CardOptions& options) {
  card::CardSettings settings;
  settings.execution = execution_of(options.execution);
  if (!options.check.empty()) {
    settings.check_percent = static_cast<int>(whole_number(options.check, "--check", 0, 100));
    if (settings.execution != design::Execution::Fast) throw Error("--check compares fast with data: it needs fast");
  }
  settings.run = design::load_run(options.config, parse_overrides(options.sets), project_library());
  if (options.program.empty() && options.xclbin.empty()) {
    throw Error("there is nothing to do: name a program behind --, or --xclbin FILE (see weft card --help)");
  }
  if (options.program.empty() && !options.transcript.empty())
    throw Error("--transcript: there is no program to follow");
  if (!options.transcript.empty()) const OutputFile place(options.transcript, "--transcript");
  if (!options.xclbin.empty()) {
    const std::string written = write_xclbins(settings.run, options.xclbin);
    if (options.program.empty()) print(written);
  }
  if (options.program.empty()) return 0;

  os::require_packages(WEFT_SOURCE_DIR, "card");
  const design::AddressMap memory = card::memory_of(settings.run);
  const xrt::Device device{xrt::platform_name(settings.run.board), memory.banks(), memory.bytes_per_bank()};
  return xrt::run_on_card(options.program, device,
                          [&](xrt::Visits& visits) { return xrt::serve_card(visits, settings, options.transcript); });
}

}  // namespace weft::tools
