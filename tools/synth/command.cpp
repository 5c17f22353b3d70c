#include <fmt/core.h>

#include <algorithm>

#include "model/core/error.h"
#include "platform/catalogue/designs.h"
#include "platform/catalogue/rtl_designs.h"
#include "platform/config/reader.h"
#include "platform/hardware/synth/calibration.h"
#include "platform/iteration/training/trained_network.h"
#include "platform/os/data_root.h"
#include "tools/cli/commands.h"
#include "tools/synth/report.h"

namespace weft::tools {

namespace {

struct SynthOptions : ResultOptions {
  std::string kernel, run = "conv-small", block, calibrate, design;
  bool whole = false, errors = false;
};

void declare(Arguments& command, SynthOptions& options) {
  command.add_argument("KERNEL", options.kernel, "Kernel: a file, or a name in configs/kernels");
  command.add_set(options.sets, "a key of the kernel");
  command.add_option("--run", options.run, "RUN", "Run that auto and shared sizes are fitted to (default conv-small)");
  command.add_option("--block", options.block, "NAME", "Only this block, by its name in the table");
  command.add_flag("--whole", options.whole, "Also the flattened kernel as one module: minutes to hours");
  command.add_flag("--errors", options.errors, "Errors of the design's estimate, instead of KERNEL");
  command.add_option("--calibrate", options.calibrate, "DIR", "Fit the design's estimate and write it to DIR");
  command.add_option("--design", options.design, "NAME", "Design of --errors or --calibrate (default fpgpt)");
  command.add_format(options.format);
  command.add_columns(options.columns);
  command.add_workers(options.workers, "Processes of yosys");
}

namespace fs = std::filesystem;

std::optional<std::size_t> block_of(const synth::SynthDesign& synth_design, const std::string& name) {
  if (name.empty()) return std::nullopt;
  const std::vector<std::string_view> blocks = synth_design.blocks();
  const auto found = std::find(blocks.begin(), blocks.end(), name);
  if (found != blocks.end()) return static_cast<std::size_t>(found - blocks.begin());
  throw Error(
      fmt::format("--block: there is no block '{}'; there are {}", name, config::join({blocks.begin(), blocks.end()})));
}

std::vector<conv::Layer> layers_of(const std::string& run_name) {
  const config::RunConfig run = design::load_run(run_name, {}, project_library());
  return training::load_network(run, project_library()).layers;
}

// All destinations are checked before the first file is written. A calibration file is recognised by its first line.
void write_calibration(const fs::path& folder, const synth::Calibration& calibration) {
  std::vector<OutputFile> places;
  for (const auto& [name, text] : calibration.files) {
    places.emplace_back(folder / name, "--calibrate", text.substr(0, text.find('\n')));
  }
  for (std::size_t i = 0; i < places.size(); ++i) places[i].write(calibration.files[i].second);
}

int calibrate(const SynthOptions& options, const synth::SynthDesign& synth_design, synth::Synthesis& synthesis) {
  const synth::Calibration calibration = synth::calibrate(synth_design, synthesis, os::data_root());
  write_calibration(options.calibrate, calibration);
  print(fmt::format("{} blocks of {} kernels in {}\n", calibration.blocks, calibration.kernels, options.calibrate));
  return 0;
}

int execute(const SynthOptions& options) {
  const Format format = parse_format(options.format, true);
  if (int{!options.kernel.empty()} + int{!options.calibrate.empty()} + int{options.errors} != 1) {
    throw Error("weft synth takes a KERNEL or --calibrate DIR or --errors (see weft synth --help)");
  }
  if (!options.kernel.empty() && !options.design.empty()) {
    throw Error("--design needs --calibrate or --errors; a KERNEL has its own design (see weft synth --help)");
  }
  config::KernelPtr kernel;
  if (!options.kernel.empty()) {
    kernel = design::load_kernel(options.kernel, parse_overrides(options.sets), project_library());
  }
  const synth::SynthDesign& synth_design =
      design::synth_design_of(kernel                   ? design::design_of(*kernel)
                              : options.design.empty() ? design::design_with_rtl()
                                                       : design::design_named(options.design));
  if (options.errors) {
    print(
        calibration_errors(synth::checked(synth::read_samples(synth_design, os::data_root())), options.columns, format),
        format);
    return 0;
  }
  const TableView view = table_view(options.columns, format);
  check(view, report::columns_of(synth_columns()));
  const std::optional<std::size_t> only = block_of(synth_design, options.block);
  const rtl::BuildContext build_context{os::data_root(), build_cache(WEFT_SYNTH_CACHE)};
  Progress progress("synth", 1);
  synth::Synthesis synthesis(synth_design, build_context, workers_of(options.workers), progress.watcher());
  if (!kernel) return calibrate(options, synth_design, synthesis);

  const std::unique_ptr<synth::PreparedKernel> sized =
      synth_design.sized(*kernel, [&] { return layers_of(options.run); });
  if (only && !sized->has_block(*only)) {
    throw Error(fmt::format("--block: a kernel of this variant has no {}; give --set variant=both", options.block));
  }
  synth::SynthResult result{
      kernel->name, synth::lines_of(synth_design, *sized, synthesis.blocks({sized->kernel()}, only).front(), only), {}};
  if (options.whole) result.flattened = synthesis.flattened(sized->kernel());
  print(report(result, sized->text(), view), format);
  return 0;
}

}  // namespace

Command synth_command() {
  return command<SynthOptions>("synth", "Synthesise a kernel's RTL with yosys and compare with the estimates", declare,
                               execute);
}

}  // namespace weft::tools
