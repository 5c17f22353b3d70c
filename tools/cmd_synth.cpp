#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "model/core/error.h"
#include "model/fpgpt/analytical/resources.h"
#include "model/fpgpt/sizing.h"
#include "platform/config/reader.h"
#include "platform/synth/calibration.h"
#include "platform/synth/synthesis.h"
#include "tools/cli.h"
#include "tools/commands.h"
#include "tools/network.h"
#include "tools/progress.h"
#include "workloads/lowering.h"

namespace weft::tools {

using fpgpt::kRtlBlocks;
using fpgpt::LogicUse;
using fpgpt::RtlBlock;

CLI::App* add_synth(CLI::App& app, SynthOptions& options) {
  CLI::App* command =
      app.add_subcommand("synth", "What a kernel's RTL takes of an FPGA, beside the resource equations");
  command->add_option("KERNEL", options.kernel, "A kernel: a file, or a name in configs/kernels");
  command->add_option("--set", options.sets, "Override a value of the kernel, by its dotted key; repeatable")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--run", options.run, "The run to whose convolutions sizes that are no numbers are fitted")
      ->type_name("RUN");
  command->add_option("--block", options.block, "Only this block, by its name in the table")->type_name("NAME");
  command->add_flag("--whole", options.whole, "Also the kernel as one, module boundaries dissolved: minutes to hours");
  command->add_option("--workers", options.workers, "How many yosys run at a time (default: as many as processors)")
      ->type_name("N");
  command
      ->add_option("--calibrate", options.calibrate,
                   "Fit the reading `resources: synthesis` instead, and write it to DIR")
      ->type_name("DIR");
  command->add_option("--format", options.format, "What is printed: table, json or csv")->type_name("FORMAT");
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
  weft synth --calibrate model/fpgpt/analytical
      about half an hour: the points, and the coefficients fitted to them)");
  return command;
}

namespace {

namespace fs = std::filesystem;

// What `weft synth` reports of one block: nothing in `thesis` where the equations say nothing.
struct Line {
  std::string block;
  LogicUse synthesised, model;
  std::optional<std::int64_t> thesis_dsp, thesis_bram18, thesis_uram;
};

int workers_of(const std::string& text) {
  if (text.empty()) return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return static_cast<int>(config::read_integer(config::scalar_node(text), "--workers", 1, 1024));
}

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
  const config::RunConfig run = config::load_run(run_name, {}, project_library());
  std::vector<conv::Convolution> all;
  for (const conv::Layer& layer : load_network(run, project_library()).layers) {
    for (const conv::Kind kind : {conv::Kind::F, conv::Kind::GI, conv::Kind::GW}) {
      if (fpgpt::runs(variant, kind)) all.push_back(workloads::lower(layer, kind, 0));
    }
  }
  return all;
}

// Sizes that are no numbers are fitted to the largest of the run's convolutions; variant auto is both.
synth::Kernel kernel_of(const config::Kernel& given, const std::string& run_name) {
  config::Kernel kernel = given;
  if (kernel.variant == config::VariantChoice::Auto) kernel.variant = config::VariantChoice::Both;
  synth::Kernel result;
  result.alpha = config::alpha_of(kernel);
  if (kernel.band < 2) throw Error(fmt::format("band: the RTL's bus has 2 words a beat or more, not {}", kernel.band));
  if (kernel.fixed_sizes()) {
    result.max_sets = fpgpt::max_sets_of(result.alpha);
    return result;
  }
  const std::vector<conv::Convolution> all = convolutions_of(run_name, result.alpha.variant);
  const fpgpt::Alpha fitted = fpgpt::fitted(result.alpha, all);
  const auto pick = [&](const config::Size& size, auto member) {
    if (size.fit != config::Size::Fit::Fixed) result.alpha.*member = fitted.*member;
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

// What the equations say of a block: the PEs' DSPs, and the memories of INP, KERN and OUT.
void add_thesis(Line& line, RtlBlock block, const fpgpt::Resources& thesis) {
  const char* memory = nullptr;
  switch (block) {
    case RtlBlock::Array:
      line.thesis_dsp = thesis.dsp;
      return;
    case RtlBlock::Im2col:
      memory = "INP";
      break;
    case RtlBlock::KernFeederFgi:
      memory = "KERN (F/GI)";
      break;
    case RtlBlock::KernFeederGw:
      memory = "KERN (GW)";
      break;
    case RtlBlock::OutConstructorFgi:
      memory = "OUT (F/GI)";
      break;
    case RtlBlock::OutConstructorGw:
      memory = "OUT (GW)";
      break;
    default:
      return;
  }
  for (const fpgpt::MemoryUse& each : thesis.memories) {
    if (std::string_view(each.name) != memory) continue;
    (each.storage == fpgpt::Storage::BRAM ? line.thesis_bram18 : line.thesis_uram) = each.blocks();
  }
}

std::vector<Line> lines_of(const synth::Kernel& kernel, const synth::BlockUse& use, std::optional<RtlBlock> only) {
  const fpgpt::Resources thesis = fpgpt::resources(kernel.alpha);
  std::vector<Line> lines;
  Line sum{"sum", {}, {}, thesis.dsp, thesis.bram18, thesis.uram};
  for (std::size_t i = 0; i < kRtlBlocks; ++i) {
    const auto block = static_cast<RtlBlock>(i);
    if (!fpgpt::has_block(kernel.alpha.variant, block) || (only && *only != block)) continue;
    Line line{std::string(fpgpt::to_string(block)),
              use[i],
              fpgpt::synthesised(block, kernel.alpha, kernel.max_sets),
              {},
              {},
              {}};
    add_thesis(line, block, thesis);
    sum.synthesised += line.synthesised;
    sum.model += line.model;
    lines.push_back(line);
  }
  if (!only) lines.push_back(sum);
  return lines;
}

std::string kernel_text(const config::Kernel& kernel, const synth::Kernel& k) {
  const fpgpt::Alpha& a = k.alpha;
  return fmt::format(
      "{}: {} x {} PEs, profile {}, variant {}, band {}, z {}, z_channel {}, kern_words {}, out_words {}, up to {} "
      "sets\n",
      kernel.name, a.x, a.y, config::profile_text(a.profile),
      a.variant == fpgpt::Variant::Both ? "both"
      : a.variant == fpgpt::Variant::GW ? "gw"
                                        : "fgi",
      a.band, a.z, a.z_channel, a.kern_words, a.out_words, k.max_sets);
}

struct Column {
  const char* name;
  std::int64_t LogicUse::*of;
  std::optional<std::int64_t> Line::*thesis;
};
constexpr Column kColumns[] = {{"dsp", &LogicUse::dsp, &Line::thesis_dsp},
                               {"lut", &LogicUse::lut, nullptr},
                               {"ff", &LogicUse::ff, nullptr},
                               {"bram18", &LogicUse::bram18, &Line::thesis_bram18},
                               {"uram", &LogicUse::uram, &Line::thesis_uram}};

std::string table_of(const std::vector<Line>& lines) {
  std::string text =
      fmt::format("\n{:<19}  {:<20}  {:<15}  {:<15}  {:<20}  {:<17}\n", "", "DSP", "LUT", "FF", "BRAM18", "URAM");
  text += fmt::format("{:<19}", "block");
  for (const Column& column : kColumns) {
    const int width = column.of == &LogicUse::uram ? 5 : column.thesis ? 6 : 7;
    text += fmt::format("  {:>{}} {:>{}}", "synth", width, "model", width);
    if (column.thesis) text += fmt::format(" {:>6}", "thesis");
  }
  text += '\n';
  for (const Line& line : lines) {
    text += fmt::format("{:<19}", line.block);
    for (const Column& column : kColumns) {
      const int width = column.of == &LogicUse::uram ? 5 : column.thesis ? 6 : 7;
      text += fmt::format("  {:>{}} {:>{}}", line.synthesised.*column.of, width, line.model.*column.of, width);
      if (!column.thesis) continue;
      const std::optional<std::int64_t>& thesis = line.*column.thesis;
      text += fmt::format(" {:>6}", thesis ? std::to_string(*thesis) : "-");
    }
    text += '\n';
  }
  return text;
}

nlohmann::ordered_json use_json(const LogicUse& use) {
  nlohmann::ordered_json json;
  for (const Column& column : kColumns) json[column.name] = use.*column.of;
  return json;
}

nlohmann::ordered_json json_of(const std::vector<Line>& lines) {
  nlohmann::ordered_json blocks = nlohmann::ordered_json::array();
  for (const Line& line : lines) {
    nlohmann::ordered_json json{
        {"block", line.block}, {"synthesised", use_json(line.synthesised)}, {"model", use_json(line.model)}};
    for (const Column& column : kColumns) {
      if (column.thesis && line.*column.thesis) json["thesis"][column.name] = *(line.*column.thesis);
    }
    blocks.push_back(json);
  }
  return blocks;
}

std::string csv_of(const std::vector<Line>& lines) {
  std::string text = "block";
  for (const Column& column : kColumns) {
    text += fmt::format(",{0},{0}_model{1}", column.name, column.thesis ? fmt::format(",{}_thesis", column.name) : "");
  }
  text += '\n';
  for (const Line& line : lines) {
    text += line.block;
    for (const Column& column : kColumns) {
      text += fmt::format(",{},{}", line.synthesised.*column.of, line.model.*column.of);
      if (column.thesis) text += "," + (line.*column.thesis ? std::to_string(*(line.*column.thesis)) : "");
    }
    text += '\n';
  }
  return text;
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
  if (options.kernel.empty() == options.calibrate.empty()) {
    throw Error("weft synth takes a KERNEL or --calibrate DIR (see weft synth --help)");
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

  const config::Kernel config = config::load_kernel(options.kernel, parse_overrides(options.sets), project_library());
  const synth::Kernel kernel = kernel_of(config, options.run);
  if (only && !fpgpt::has_block(kernel.alpha.variant, *only)) {
    throw Error(fmt::format("--block: a kernel of this variant has no {}; set variant=both", options.block));
  }
  const std::vector<Line> lines = lines_of(kernel, synthesis.blocks({kernel}, only).front(), only);
  Report report{kernel_text(config, kernel) + table_of(lines), "", csv_of(lines)};
  nlohmann::ordered_json json{{"kernel", config.name}, {"blocks", json_of(lines)}};
  if (options.whole) {
    const LogicUse whole = synthesis.flattened(kernel);
    report.table += fmt::format("\nas one, boundaries dissolved: DSP {}, LUT {}, FF {}, BRAM18 {}, URAM {}\n",
                                whole.dsp, whole.lut, whole.ff, whole.bram18, whole.uram);
    json["flattened"] = use_json(whole);
  }
  report.json = json.dump(2) + "\n";
  print(report.in(format));
  return 0;
}

}  // namespace weft::tools
