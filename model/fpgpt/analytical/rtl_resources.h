#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/core/logic_form.h"
#include "model/fpgpt/alpha.h"

// The reading `resources: synthesis`: what the RTL of a kernel takes on UltraScale+ as yosys maps it, per block.
// Memories follow from their shapes by the rule that the mapper uses; DSPs, LUTs and registers are linear forms in the
// shapes of the blocks, whose coefficients `weft synth --calibrate` fits to synthesised kernels (docs/resources.md has
// the errors).
namespace weft::fpgpt {

// A block of the RTL as it is counted.
enum class RtlBlock : std::uint8_t {
  Registers,   // AXI4-Lite registers and activity counters
  Precompute,  // what follows from beta
  InpReader,   // with both walkers over the windows
  InpDecode,
  InpConstruct,
  Im2col,      // with the line buffer, the INP memory of 5.14
  KernReader,  // with both walkers over the ranges
  KernDecodeFgi,
  KernDecodeGw,
  KernFeederFgi,  // with its buffer, 5.15
  KernFeederGw,
  Array,              // 9 or 3 DSPs a PE in the thesis
  OutConstructorFgi,  // with its buffer, 5.16
  OutConstructorGw,
  OutEncode,
  OutWriter,
  Fifos,   // the ten between the blocks
  Wiring,  // what chooses between the variants
};
inline constexpr std::size_t kRtlBlocks = 18;
inline constexpr std::array<std::string_view, kRtlBlocks> kRtlBlockNames{
    "registers",           "precompute",         "inp_reader",     "inp_decode",      "inp_construct",  "im2col",
    "kern_reader",         "kern_decode_fgi",    "kern_decode_gw", "kern_feeder_fgi", "kern_feeder_gw", "array",
    "out_constructor_fgi", "out_constructor_gw", "out_encode",     "out_writer",      "fifos",          "wiring"};

// Whether a kernel of `variant` has the block.
bool has_block(Variant variant, RtlBlock block);

using weft::LogicUse;

// The table of start(s) is as deep as the largest number of X-sets; this is what alpha's OUT memory can hold of them.
std::int64_t max_sets_of(const Alpha& alpha);

// The blocks for one memory with a write and a registered read port. It lies in LUTs, its read register outside, where
// yosys reckons them cheaper: up to 64 words always, and up to some hundred of a few bits. Others take the BRAM18 or
// BRAM36 shape that needs the fewest, parity bits used as data. `storage` URAM takes that.
LogicUse ram_use(std::int64_t width, std::int64_t depth, Storage storage);

// The buffer of a block (im2col, the feeders, the constructors): `count` RAMs of `depth` words of `width` bits. Others:
// count 0.
struct RtlBuffer {
  std::int64_t width = 0, depth = 0, count = 0;
  Storage storage = Storage::BRAM;
};
RtlBuffer buffer_of(RtlBlock block, const Alpha& alpha);

// What the block's DSPs, LUTs and registers are linear in, memories in LUTs apart; the first is always 1. As many and
// in the same order for every alpha of FP32, and for every one of fixed point.
std::vector<double> features(RtlBlock block, const Alpha& alpha, std::int64_t max_sets);

// What the block's memories take: exact, no fit.
LogicUse memory_use(RtlBlock block, const Alpha& alpha, std::int64_t max_sets);

// Everything the block takes: memory_use plus the linear forms, rounded, never below 0. Zero if the kernel does not
// have it.
LogicUse synthesised(RtlBlock block, const Alpha& alpha, std::int64_t max_sets);
LogicUse synthesised(const Alpha& alpha, std::int64_t max_sets);

// One per feature; FP32 and fixed point have forms of their own.
const LogicForm& coefficients(RtlBlock block, NumberFormat::Kind numbers);

}  // namespace weft::fpgpt
