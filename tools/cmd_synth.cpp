#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "model/core/error.h"
#include "model/fpgpt/analytical/resources.h"
#include "model/fpgpt/sizing.h"
#include "platform/config/reader.h"
#include "platform/design/load.h"
#include "platform/fpgpt/kernel_config.h"
#include "platform/fpgpt/synth/calibration.h"
#include "platform/synth/synthesis.h"
#include "tools/cli.h"
#include "tools/commands.h"
#include "tools/network.h"
#include "tools/progress.h"
#include "tools/synth_report.h"
#include "workloads/lowering.h"

namespace weft::tools {

using fpgpt::kRtlBlocks;
using fpgpt::LogicUse;
using fpgpt::RtlBlock;

CLI::App* add_synth(CLI::App& app, SynthOptions& options) {
  CLI::App* command =
      app.add_subcommand("synth", "What a kernel's RTL takes of an FPGA, beside the resource equations");
  command->add_option("KERNEL", options.kernel, "A kernel: a file, or a name in configs/kernels");
  add_set(*command, options.sets, "a value of the kernel, by its dotted key");
  command->add_option("--run", options.run, "The run to whose convolutions sizes that are no numbers are fitted")
      ->type_name("RUN");
  command->add_option("--block", options.block, "Only this block, by its name in the table")->type_name("NAME");
  command->add_flag("--whole", options.whole, "Also the kernel as one, module boundaries dissolved: minutes to hours");
  add_workers(*command, options.workers, "How many yosys run at a time");
  command
      ->add_option("--calibrate", options.calibrate,
                   "Fit the reading `resources: synthesis` instead, and write it to DIR")
      ->type_name("DIR");
  command->add_flag("--errors", options.errors,
                    "Print how wrong that reading is on the kernels it was fitted to, and on others");
  add_format(*command, options.format);
  command->footer(
      R"(yosys synthesises each module of the kernel once for UltraScale+, which takes one to five minutes for a kernel that is new and
nothing for one that is not; everything that is replicated is counted as often as the kernel has it.

Columns: synth, what yosys maps to; model, the reading `readings.resources=synthesis`; thesis, Eqs. 5.14-5.22 and 9 DSPs a PE.

Examples:
  weft synth fpgpt-4x8-hls
      sizes fitted to the convolution of the run conv-small
  weft synth fpgpt-8x8-hls --set kern_words=65536 --set profile=rtl --block kern_feeder_fgi
      one block: what wide_kern_load costs
  weft synth fpgpt-4x8-hls --run resnet20-u250 --set variant=fgi --format json
      sizes for every F and GI convolution of a run
  weft synth --errors
      how far the reading is from yosys, kernel by kernel
  weft synth --calibrate model/fpgpt/analytical
      about half an hour: the points, and the coefficients fitted to them)");
  return command;
}

namespace {

namespace fs = std::filesystem;

constexpr const char* kCalibrationData = "model/fpgpt/analytical/rtl_resources.csv";

std::optional<RtlBlock> block_of(const std::string& name) {
  if (name.empty()) return std::nullopt;
  std::vector<std::string> known;
  for (std::size_t i = 0; i < kRtlBlocks; ++i) {
    known.emplace_back(fpgpt::to_string(static_cast<RtlBlock>(i)));
    if (known.back() == name) return static_cast<RtlBlock>(i);
  }
  throw Error(fmt::format("--block: there is no block '{}'; there are {}", name, config::join(known)));
}

// Every training convolution of the run that a kernel of `variant` runs.
std::vector<conv::Convolution> convolutions_of(const std::string& run_name, fpgpt::Variant variant) {
  const config::RunConfig run = design::load_run(run_name, {}, project_library());
  std::vector<conv::Convolution> all;
  for (const conv::Layer& layer : load_network(run, project_library()).layers) {
    for (const conv::Kind kind : {conv::Kind::F, conv::Kind::GI, conv::Kind::GW}) {
      if (fpgpt::runs(variant, kind)) all.push_back(workloads::lower(layer, kind, 0));
    }
  }
  return all;
}

// Sizes that are no numbers are fitted to the largest of the run's convolutions; variant auto is both.
synth::Kernel kernel_of(const fpgpt::KernelConfig& given, const std::string& run_name) {
  fpgpt::KernelConfig kernel = given;
  if (kernel.variant == fpgpt::VariantChoice::Auto) kernel.variant = fpgpt::VariantChoice::Both;
  synth::Kernel result;
  result.alpha = fpgpt::alpha_of(kernel);
  if (kernel.band < 2) throw Error(fmt::format("band: the RTL's bus has 2 words a beat or more, not {}", kernel.band));
  if (kernel.fixed_sizes()) {
    result.max_sets = fpgpt::max_sets_of(result.alpha);
    return result;
  }
  const std::vector<conv::Convolution> all = convolutions_of(run_name, result.alpha.variant);
  const fpgpt::Alpha fitted = fpgpt::fitted(result.alpha, all);
  const auto pick = [&](const fpgpt::Size& size, auto member) {
    if (size.fit != fpgpt::Size::Fit::Fixed) result.alpha.*member = fitted.*member;
  };
  pick(kernel.z, &fpgpt::Alpha::z);
  pick(kernel.z_channel, &fpgpt::Alpha::z_channel);
  pick(kernel.k_range, &fpgpt::Alpha::k_range);
  pick(kernel.kern_words, &fpgpt::Alpha::kern_words);
  pick(kernel.out_words, &fpgpt::Alpha::out_words);
  for (const conv::Convolution& c : all) {
    result.max_sets = std::max(result.max_sets, ceil_div(c.out_map(), result.alpha.x));
  }
  return result;
}

std::string kernel_text(const fpgpt::KernelConfig& kernel, const synth::Kernel& k) {
  const fpgpt::Alpha& a = k.alpha;
  return fmt::format(
      "{}: {} x {} PEs, profile {}, variant {}, band {}, z {}, z_channel {}, kern_words {}, out_words {}, up to {} "
      "sets\n",
      kernel.name, a.x, a.y, fpgpt::profile_text(a.profile), fpgpt::to_string(a.variant), a.band, a.z, a.z_channel,
      a.kern_words, a.out_words, k.max_sets);
}

// Both files or none: each is written beside its place and then renamed.
void write_calibration(const fs::path& folder, const std::vector<synth::Sample>& samples) {
  if (!fs::is_directory(folder)) throw Error(fmt::format("--calibrate: there is no directory '{}'", folder.string()));
  const std::pair<fs::path, std::string> files[] = {
      {folder / "rtl_resources.csv", synth::to_csv(samples)},
      {folder / "rtl_coefficients.inc", synth::to_source(synth::fit(samples))}};
  for (const auto& [path, text] : files) {
    std::ofstream out(path.string() + ".part", std::ios::binary);
    out << text;
    out.close();
    if (!out) throw Error(fmt::format("cannot write '{}.part'", path.string()));
  }
  for (const auto& file : files) fs::rename(file.first.string() + ".part", file.first);
}

int calibrate(const SynthOptions& options, synth::Synthesis& synthesis) {
  const std::vector<synth::Sample> samples = synth::measure(synthesis);
  write_calibration(options.calibrate, samples);
  print(fmt::format("{} blocks of {} kernels in {}\n", samples.size(), synth::calibration_points().size(),
                    options.calibrate));
  return 0;
}

}  // namespace

int synth_command(const SynthOptions& options) {
  const Format format = parse_format(options.format, true);
  if (int{!options.kernel.empty()} + int{!options.calibrate.empty()} + int{options.errors} != 1) {
    throw Error("weft synth takes a KERNEL or --calibrate DIR or --errors (see weft synth --help)");
  }
  if (options.errors) {
    const fs::path data = fs::path(WEFT_SOURCE_DIR) / kCalibrationData;
    print(calibration_errors(synth::read_csv(rtl::content(data), data.filename().string())).in(format));
    return 0;
  }
  const std::optional<RtlBlock> only = block_of(options.block);
  const rtl::Workshop workshop{WEFT_SOURCE_DIR, WEFT_SYNTH_CACHE};
  Progress progress("synth", 1);
  const auto report_progress = [&](std::int64_t done, std::int64_t total) {
    progress.set_total(total);
    progress.update(done);
  };
  synth::Synthesis synthesis(workshop, workers_of(options.workers), report_progress);
  if (!options.calibrate.empty()) return calibrate(options, synthesis);

  const config::KernelPtr loaded =
      design::load_kernel(options.kernel, parse_overrides(options.sets), project_library());
  const auto& config = dynamic_cast<const fpgpt::KernelConfig&>(*loaded);
  const synth::Kernel kernel = kernel_of(config, options.run);
  if (only && !fpgpt::has_block(kernel.alpha.variant, *only)) {
    throw Error(fmt::format("--block: a kernel of this variant has no {}; set variant=both", options.block));
  }
  const std::vector<SynthLine> lines = synth_lines(kernel, synthesis.blocks({kernel}, only).front(), only);
  Report report{kernel_text(config, kernel) + synth_table(lines), "", synth_csv(lines)};
  nlohmann::ordered_json json{{"kernel", config.name}, {"blocks", synth_json(lines)}};
  if (options.whole) {
    const LogicUse whole = synthesis.flattened(kernel);
    report.table += fmt::format("\nas one, boundaries dissolved: DSP {}, LUT {}, FF {}, BRAM18 {}, URAM {}\n",
                                whole.dsp, whole.lut, whole.ff, whole.bram18, whole.uram);
    json["flattened"] = use_json(whole);
    report.csv += flattened_csv(whole);
  }
  report.json = json.dump(2) + "\n";
  print(report.in(format));
  return 0;
}

}  // namespace weft::tools
