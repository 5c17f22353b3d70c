#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/core/logic_form.h"
#include "model/fpgpt/alpha.h"

// Reading `resources: synthesis`: resources of a kernel's RTL on UltraScale+ as yosys maps it, per block. Memories
// follow from their shapes by the mapper's rule. DSPs, LUTs and registers are linear forms in the shapes of the blocks,
// with coefficients that `weft synth --calibrate` fits to synthesised kernels (docs/explanation/resources.md has the
// errors).
namespace weft::fpgpt {

// Blocks of the RTL, which are counted one by one.
enum class RtlBlock : std::uint8_t {
  Registers,   // AXI4-Lite registers and activity counters
  Precompute,  // values derived from beta
  InpReader,   // with both walkers over the windows
  InpDecode,
  InpConstruct,
  Im2col,      // with the line buffer, the INP memory of 5.14
  KernReader,  // with both walkers over the ranges
  KernDecodeFgi,
  KernDecodeGw,
  KernFeederFgi,  // with its buffer, 5.15
  KernFeederGw,
  Array,              // 9 or 3 DSPs per PE in the thesis
  OutConstructorFgi,  // with its buffer, 5.16
  OutConstructorGw,
  OutEncode,
  OutWriter,
  Fifos,   // the ten between the blocks
  Wiring,  // selection between the variants
};
inline constexpr std::size_t kRtlBlocks = 18;
inline constexpr std::array<std::string_view, kRtlBlocks> kRtlBlockNames{
    "registers",           "precompute",         "inp_reader",     "inp_decode",      "inp_construct",  "im2col",
    "kern_reader",         "kern_decode_fgi",    "kern_decode_gw", "kern_feeder_fgi", "kern_feeder_gw", "array",
    "out_constructor_fgi", "out_constructor_gw", "out_encode",     "out_writer",      "fifos",          "wiring"};

// True if a kernel of `variant` has the block.
bool has_block(Variant variant, RtlBlock block);

using weft::LogicUse;

// Most X-sets that alpha's OUT memory can hold: the depth of the table of start(s).
std::int64_t max_sets_of(const Alpha& alpha);

// Returns the resources of one memory with a write and a registered read port. It is in LUTs, with a separate read
// register, where yosys estimates them as cheaper: up to 64 words always, and up to some hundred of a few bits. Others
// take the BRAM18 or BRAM36 shape that needs the fewest, with parity bits as data; with `storage` URAM, URAM.
LogicUse ram_use(std::int64_t width, std::int64_t depth, Storage storage);

// Buffer of a block (im2col, the feeders, the constructors): `count` RAMs of `depth` words of `width` bits; count 0 for
// other blocks.
struct RtlBuffer {
  std::int64_t width = 0, depth = 0, count = 0;
  Storage storage = Storage::BRAM;
};
RtlBuffer buffer_of(RtlBlock block, const Alpha& alpha);

// Returns the features in which the block's DSPs, LUTs and registers are linear, without memories in LUTs; the first is
// always 1. Their number and order are the same for all alphas of FP32, and for all of fixed point.
std::vector<double> features(RtlBlock block, const Alpha& alpha, std::int64_t max_sets);

// Returns the resources of the block's memories: exact, no fit.
LogicUse memory_use(RtlBlock block, const Alpha& alpha, std::int64_t max_sets);

// Returns all resources of the block: memory_use plus the linear forms, rounded, at least 0. Zero if the kernel does
// not have the block.
LogicUse synthesised(RtlBlock block, const Alpha& alpha, std::int64_t max_sets);
LogicUse synthesised(const Alpha& alpha, std::int64_t max_sets);

// Returns one coefficient per feature; FP32 and fixed point have forms of their own.
const LogicForm& coefficients(RtlBlock block, NumberFormat::Kind numbers);

}  // namespace weft::fpgpt
