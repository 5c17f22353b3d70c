#include "tools/synth_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "model/fpgpt/analytical/resources.h"
#include "platform/fpgpt/kernel_config.h"

namespace weft::tools {

using fpgpt::kRtlBlocks;
using fpgpt::LogicUse;
using fpgpt::RtlBlock;
using Line = SynthLine;

namespace {

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

constexpr int kKernelWidth = 66;

double relative(std::int64_t model, std::int64_t measured) {
  return static_cast<double>(model - measured) / static_cast<double>(std::max<std::int64_t>(measured, 1));
}

// One kernel of the calibration.
struct Checked {
  synth::Point point;
  LogicUse measured, model;
};

// The samples of a kernel follow each other.
std::vector<Checked> checked(const std::vector<synth::Sample>& samples) {
  std::vector<Checked> kernels;
  for (const synth::Sample& sample : samples) {
    if (sample.block == RtlBlock::Registers) kernels.push_back({sample.point, {}, {}});
    const synth::Kernel& kernel = sample.point.kernel;
    kernels.back().measured += sample.use;
    kernels.back().model += fpgpt::synthesised(sample.block, kernel.alpha, kernel.max_sets);
  }
  return kernels;
}

std::string summary(const std::vector<Checked>& kernels, bool test) {
  std::string text =
      fmt::format("{:<{}}", test ? "largest error, kept out of the fit" : "largest error, fitted", kKernelWidth);
  for (const Column& column : kColumns) {
    if (column.of == &LogicUse::uram) continue;
    double largest = 0;
    for (const Checked& each : kernels) {
      if (each.point.test == test) {
        largest = std::max(largest, std::abs(relative(each.model.*column.of, each.measured.*column.of)));
      }
    }
    text += fmt::format("  {:>23.1f}%", 100 * largest);
  }
  return text + "\n";
}

}  // namespace

std::vector<Line> synth_lines(const synth::Kernel& kernel, const synth::BlockUse& use, std::optional<RtlBlock> only) {
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

std::string synth_table(const std::vector<Line>& lines) {
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

nlohmann::ordered_json synth_json(const std::vector<Line>& lines) {
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

std::string synth_csv(const std::vector<Line>& lines) {
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

std::string flattened_csv(const LogicUse& use) {
  std::string text = "flattened";
  for (const Column& column : kColumns) text += fmt::format(",{},{}", use.*column.of, column.thesis ? "," : "");
  return text + "\n";
}

Report calibration_errors(const std::vector<synth::Sample>& samples) {
  const std::vector<Checked> kernels = checked(samples);
  Report report;
  report.table = fmt::format("{:<{}}", "kernel", kKernelWidth);
  report.csv = "set,x,y,z,band,profile,variant";
  for (const Column& column : kColumns) {
    if (column.of == &LogicUse::uram) continue;
    report.table += fmt::format("  {:>8} {:>7} {:>7}", column.name, "model", "error");
    report.csv += fmt::format(",{0},{0}_model", column.name);
  }
  report.table += '\n';
  report.csv += '\n';
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Checked& each : kernels) {
    const fpgpt::Alpha& a = each.point.kernel.alpha;
    const char* set = each.point.test ? "test" : "fit";
    const std::string profile = fpgpt::profile_text(a.profile), variant = fpgpt::to_string(a.variant);
    report.table += fmt::format(
        "{:<{}}", fmt::format("{:<4} {}x{} z {} band {} {} {}", set, a.x, a.y, a.z, a.band, variant, profile),
        kKernelWidth);
    report.csv += fmt::format("{},{},{},{},{},{},{}", set, a.x, a.y, a.z, a.band, profile, variant);
    for (const Column& column : kColumns) {
      if (column.of == &LogicUse::uram) continue;
      const std::int64_t measured = each.measured.*column.of, model = each.model.*column.of;
      report.table += fmt::format("  {:>8} {:>7} {:>+6.1f}%", measured, model, 100 * relative(model, measured));
      report.csv += fmt::format(",{},{}", measured, model);
    }
    report.table += '\n';
    report.csv += '\n';
    json.push_back({{"set", set},
                    {"x", a.x},
                    {"y", a.y},
                    {"z", a.z},
                    {"band", a.band},
                    {"profile", profile},
                    {"variant", variant},
                    {"synthesised", use_json(each.measured)},
                    {"model", use_json(each.model)}});
  }
  report.table += summary(kernels, false) + summary(kernels, true);
  report.json = json.dump(2) + "\n";
  return report;
}

}  // namespace weft::tools
