#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "model/core/error.h"
#include "platform/catalogue/designs.h"
#include "platform/catalogue/load.h"
#include "platform/catalogue/rtl_designs.h"
#include "platform/config/reader.h"
#include "platform/hardware/synth/synthesis.h"
#include "tools/cli/cache.h"
#include "tools/cli/cli.h"
#include "tools/cli/commands.h"
#include "tools/cli/progress.h"
#include "tools/results/output_file.h"
#include "tools/run/network.h"
#include "tools/synth/report.h"

namespace weft::tools {

namespace {

namespace fs = std::filesystem;

std::optional<std::size_t> block_of(const synth::Subject& subject, const std::string& name) {
  if (name.empty()) return std::nullopt;
  const std::vector<std::string_view> blocks = subject.blocks();
  const auto found = std::find(blocks.begin(), blocks.end(), name);
  if (found != blocks.end()) return static_cast<std::size_t>(found - blocks.begin());
  throw Error(
      fmt::format("--block: there is no block '{}'; there are {}", name, config::join({blocks.begin(), blocks.end()})));
}

std::vector<conv::Layer> layers_of(const std::string& run_name) {
  const config::RunConfig run = design::load_run(run_name, {}, project_library());
  return load_network(run, project_library()).layers;
}

// Every place is checked before the first file is written. A calibration file is known by its first line.
void write_calibration(const fs::path& folder, const synth::Calibration& calibration) {
  std::vector<OutputFile> places;
  for (const auto& [name, text] : calibration.files) {
    places.emplace_back(folder / name, "--calibrate", text.substr(0, text.find('\n')));
  }
  for (std::size_t i = 0; i < places.size(); ++i) places[i].write(calibration.files[i].second);
}

int calibrate(const SynthOptions& options, const synth::Subject& subject, synth::Synthesis& synthesis) {
  const synth::Calibration calibration = subject.calibrate(synthesis);
  write_calibration(options.calibrate, calibration);
  print(fmt::format("{} blocks of {} kernels in {}\n", calibration.blocks, calibration.kernels, options.calibrate));
  return 0;
}

}  // namespace

int synth_command(const SynthOptions& options) {
  const Format format = parse_format(options.format, true);
  if (int{!options.kernel.empty()} + int{!options.calibrate.empty()} + int{options.errors} != 1) {
    throw Error("weft synth takes a KERNEL or --calibrate DIR or --errors (see weft synth --help)");
  }
  if (!options.kernel.empty() && !options.design.empty()) {
    throw Error("--design goes with --calibrate and --errors: a KERNEL has its own (see weft synth --help)");
  }
  config::KernelPtr kernel;
  if (!options.kernel.empty()) {
    kernel = design::load_kernel(options.kernel, parse_overrides(options.sets), project_library());
  }
  const synth::Subject& subject =
      design::synth_subject_of(kernel                   ? design::design_of(*kernel)
                               : options.design.empty() ? design::design_with_rtl()
                                                        : design::design_named(options.design));
  if (options.errors) {
    print(calibration_errors(subject.calibration_errors(WEFT_SOURCE_DIR), options.columns, format), format);
    return 0;
  }
  const TableView view = table_view(options.columns, format);
  check(view, report::columns_of(synth_columns()));
  const std::optional<std::size_t> only = block_of(subject, options.block);
  const rtl::Workshop workshop{WEFT_SOURCE_DIR, build_cache(WEFT_SYNTH_CACHE)};
  Progress progress("synth", 1);
  const auto report_progress = [&](std::int64_t done, std::int64_t total) {
    progress.set_total(total);
    progress.update(done);
  };
  synth::Synthesis synthesis(subject, workshop, workers_of(options.workers), report_progress);
  if (!kernel) return calibrate(options, subject, synthesis);

  const std::unique_ptr<synth::PreparedKernel> sized = subject.sized(*kernel, [&] { return layers_of(options.run); });
  if (only && !sized->has_block(*only)) {
    throw Error(fmt::format("--block: a kernel of this variant has no {}; set variant=both", options.block));
  }
  const std::vector<synth::Line> lines = sized->lines(synthesis.blocks({sized->kernel()}, only).front(), only);
  Report report{"", "", synth_csv(lines)};
  report.table = report::wrapped(sized->text(), view.width);
  report.table += view.columns.empty() ? synth_table(lines, view.width) : "\n" + report::chosen_table(report.csv, view);
  nlohmann::ordered_json json{{"kernel", kernel->name}, {"blocks", synth_json(lines)}};
  if (options.whole) {
    const LogicUse whole = synthesis.flattened(sized->kernel());
    report.table += fmt::format("\nas one, boundaries dissolved: DSP {}, LUT {}, FF {}, BRAM18 {}, URAM {}\n",
                                whole.dsp, whole.lut, whole.ff, whole.bram18, whole.uram);
    json["flattened"] = use_json(whole);
    report.csv += flattened_csv(whole);
  }
  report.json = json.dump(2) + "\n";
  print(report, format);
  return 0;
}

}  // namespace weft::tools
