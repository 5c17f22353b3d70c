#include "platform/designs/fpgpt/synth/estimate.h"

#include <fmt/core.h>

#include <string>
#include <string_view>

#include "model/fpgpt/analytical/resources.h"
#include "platform/designs/fpgpt/kernel_config.h"

namespace weft::fpgpt {

namespace {

// What the equations say of a block: the PEs' DSPs, and the memories of INP, KERN and OUT.
void add_thesis(synth::Line& line, RtlBlock block, const Resources& thesis) {
  const char* memory = nullptr;
  switch (block) {
    case RtlBlock::Array:
      line.thesis = {thesis.dsp, {}, {}};
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
  for (const MemoryUse& each : thesis.memories) {
    if (std::string_view(each.name) != memory) continue;
    line.thesis.emplace();
    (each.storage == Storage::BRAM ? line.thesis->bram18 : line.thesis->uram) = each.blocks();
  }
}

}  // namespace

std::vector<synth::Line> synth_lines(const SizedKernel& kernel, const synth::BlockUse& use,
                                     std::optional<std::size_t> only) {
  const Resources thesis = resources(kernel.alpha);
  std::vector<synth::Line> lines;
  synth::Line sum{"sum", {}, {}, synth::Thesis{thesis.dsp, thesis.bram18, thesis.uram}};
  for (std::size_t i = 0; i < kRtlBlocks; ++i) {
    const auto block = static_cast<RtlBlock>(i);
    if (!has_block(kernel.alpha.variant, block) || (only && *only != i)) continue;
    synth::Line line{std::string(to_string(block)), use[i], synthesised(block, kernel.alpha, kernel.max_sets), {}};
    add_thesis(line, block, thesis);
    sum.synthesised += line.synthesised;
    sum.model += line.model;
    lines.push_back(line);
  }
  if (!only) lines.push_back(sum);
  return lines;
}

// The samples of a kernel follow each other.
std::vector<synth::CheckedKernel> checked(const std::vector<Sample>& samples) {
  std::vector<synth::CheckedKernel> kernels;
  for (const Sample& sample : samples) {
    const SizedKernel& kernel = sample.point.kernel;
    if (sample.block == RtlBlock::Registers) {
      const Alpha& a = kernel.alpha;
      const std::string profile = profile_text(a.profile), variant = to_string(a.variant);
      const std::string numbers =
          a.format.is_fixed() ? fmt::format(" {} {}", to_string(a.packing), to_string(a.format)) : "";
      kernels.push_back(
          {sample.point.test,
           fmt::format("{}x{} z {} band {} {}{} {}", a.x, a.y, a.z, a.bus_words(), variant, numbers, profile),
           {{"x", a.x},
            {"y", a.y},
            {"z", a.z},
            {"band", a.bus_words()},
            {"profile", profile},
            {"variant", variant},
            {"format", to_string(a.format)},
            {"packing", to_string(a.packing)}},
           {},
           {}});
    }
    kernels.back().measured += sample.use;
    kernels.back().model += synthesised(sample.block, kernel.alpha, kernel.max_sets);
  }
  return kernels;
}

}  // namespace weft::fpgpt
