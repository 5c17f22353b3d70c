#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/conv/convolution.h"
#include "model/core/error.h"
#include "model/core/frequency.h"
#include "model/core/units.h"
#include "model/sparse/csb.h"
#include "model/sparse/mask.h"
#include "model/stream/ports.h"
#include "model/stream/transfer.h"

namespace weft::batchlane {

// Items on which the PEs work in parallel: outputs, where each PE has its own accumulators; or streamed channels of one
// output, whose products are added before accumulation (the dense alpha).
enum class Across : std::uint8_t { Outputs, Channels };

// alpha: the compile-time parameters of a batch-lane kernel (CONTRACT.md, section 2).
struct Alpha {
  int lanes = 32;             // MACs of a PE, each for one image
  int pes = 32;               // a multiple of split
  int outputs_per_pe = 4;     // a block in F and GI has pes * outputs_per_pe outputs; across channels outputs_per_pe
  int split = 4;              // PEs that split the pixels of a kernel in GW
  bool split_pixels = false;  // also in F and GI; a block then has pes / split * outputs_per_pe outputs
  Across across = Across::Outputs;
  int tile_pixels = 64;  // pixels for which an output has accumulators
  bool accumulators_in_uram = false;
  int ahead = 2;       // channel buffers; kUnlimited: one for each channel
  int strips = 4;      // buffers for ranges of kernels
  int csb_beats = 64;  // beats of kernels requested and not yet consumed
  stream::PortConfig feature_port, csb_port, result_port;
  Frequency clock = 250;

  static constexpr int kUnlimited = 1 << 16;  // no layer has more channels
  static constexpr Bytes kBeatBytes = 64;

  bool dense() const { return across == Across::Channels; }
  int block() const { return dense() ? outputs_per_pe : pes * outputs_per_pe; }
  // Streamed channels of a step.
  int group() const { return dense() ? pes : 1; }
  int groups() const { return pes / split; }
  // Bytes of one of the two accumulator banks: 32 bits per pixel, lane and output.
  Bytes bank_bytes() const { return Bytes{4} * block() * tile_pixels * lanes; }
};

// Base addresses of the tensors: bytes in the memory channel of their port, multiples of 4096.
struct Bases {
  Address features = 0;   // streamed tensor: X in F and GW, dY in GI
  Address gradients = 0;  // dY in GW, on the same port
  Address csb = 0;
  Address results = 0;
};

// Height and width of a map.
struct MapSize {
  int h = 1, w = 1;
  int pixels() const { return h * w; }
};

// Rows of a result tile, and the rows of a streamed channel that they need: one or more. In GW a tile is all of dY.
struct Tile {
  int first_row = 0, rows = 0;
  int first_in_row = 0, in_rows = 0;
  std::int64_t products = 0;  // of one kernel and lane (PE-2)
  Cycles cycles = 0;          // of one kernel
};

// Work of the blocks of a kernel for one pass, that is one convolution of a layer over a batch of `lanes` images. A
// pass is a sequence of steps: for each block of outputs, each tile, each streamed channel.
struct Plan {
  Alpha alpha;
  conv::Layer layer;
  conv::Kind kind = conv::Kind::F;
  Bases bases;
  bool with_data = false;

  MapSize in, out;        // of a streamed channel; of a result, in GW of dY
  int channels = 0;       // streamed channels
  int streamed = 0;       // groups of channels per block and tile; a group is one channel unless dense
  int outputs = 0;        // channels that are divided into blocks
  int block_outputs = 0;  // of a block; the last may have fewer
  int blocks = 0;
  int workers = 0;         // PEs, or groups of PEs that split pixels; output o of a block is on worker o mod workers
  int split = 1;           // PEs of a worker that share pixels
  int worker_pes = 1;      // PEs of a worker
  Bytes kernel_bytes = 0;  // of a kernel in memory: weights and two coordinates; dense: weights of a group's channels
  std::vector<Tile> tiles;
  sparse::Csb csb;                       // data mode; rows: outputs of the layer, columns: inputs; in GI transposed
  std::vector<std::int8_t> weights;      // dense, data mode: in memory order (DN-3)
  std::vector<std::uint16_t> kept;       // kernels of each block, channel and worker
  std::vector<std::uint32_t> strip_end;  // kernels before the end of each block and channel, in memory order

  std::int64_t steps() const { return static_cast<std::int64_t>(blocks) * units_per_block() * streamed; }
  std::int64_t units_per_block() const { return static_cast<std::int64_t>(tiles.size()); }
  // A unit is a block and a tile; its results fill one bank.
  std::int64_t units() const { return blocks * units_per_block(); }
  std::int64_t unit_of(std::int64_t step) const { return step / streamed; }
  int block_of(std::int64_t step) const { return static_cast<int>(unit_of(step) / units_per_block()); }
  const Tile& tile_of(std::int64_t step) const {
    return tiles[static_cast<std::size_t>(unit_of(step) % units_per_block())];
  }
  int channel_of(std::int64_t step) const { return static_cast<int>(step % streamed); }  // or group
  int channels_of(std::int64_t step) const {
    return std::min(alpha.group(), channels - channel_of(step) * alpha.group());
  }
  int outputs_of(int block) const { return std::min(block_outputs, outputs - block * block_outputs); }
  std::size_t strip(std::int64_t step) const {
    return static_cast<std::size_t>(block_of(step)) * static_cast<std::size_t>(streamed) +
           static_cast<std::size_t>(channel_of(step));
  }
  int kept_of(std::int64_t step, int worker) const {
    return kept[strip(step) * static_cast<std::size_t>(workers) + static_cast<std::size_t>(worker)];
  }
  std::uint32_t strip_begin_of(std::size_t strip) const { return strip == 0 ? 0 : strip_end[strip - 1]; }
  std::uint32_t kernels_of(std::int64_t step) const {
    const std::size_t s = strip(step);
    return strip_end[s] - strip_begin_of(s);
  }
  int taps() const { return layer.h.kernel * layer.w.kernel; }
  int pixels(const Tile& tile) const { return tile.rows * out.w; }
  Bytes channel_bytes() const { return Bytes{in.pixels()} * alpha.lanes; }
  Bytes output_bytes() const { return Bytes{out.pixels()} * alpha.lanes; }  // of 8-bit samples

  stream::Transfer channel_transfer(std::int64_t step, int of_group = 0) const;
  stream::Transfer gradient_transfer(int output) const;
  // Transfer of the CSB reader for a unit: the kernels of its block.
  stream::Transfer csb_transfer(std::int64_t unit) const;
  Address strip_end_address(std::size_t strip) const { return bases.csb + kernel_bytes * strip_end[strip]; }
  stream::Transfer result_transfer(std::int64_t unit, int output) const;  // F, GI: an output of a unit
  stream::Transfer sum_transfer(std::int64_t step) const;                 // GW: the kernels of a strip
  // Adder cycles for one strip (ADD-1).
  Cycles adder_cycles() const;
  // Kernels stored in memory.
  std::int64_t kept_kernels() const { return strip_end.empty() ? 0 : strip_end.back(); }
  // Pairs of an output and a channel that are multiplied.
  std::int64_t kept_pairs() const { return alpha.dense() ? std::int64_t{outputs} * channels : kept_kernels(); }
  // Result words of one kernel in GW.
  int sums_of_kernel() const { return taps() * alpha.group(); }
  Bytes csb_bytes() const { return kernel_bytes * kept_kernels(); }
  Bytes result_bytes() const {
    return Bytes{4} * (kind == conv::Kind::GW ? sums_of_kernel() * kept_kernels() : outputs * output_bytes());
  }
};

// Writes the kernels of a plan with data in their memory layout (CSB-2, CSB-3), from `at` on.
void lay_csb(const Plan& plan, std::byte* at);

// The accumulators are too few for a layer. The message names the layer but not the key (alpha's tile_pixels).
class TooFewAccumulators : public Error {
 public:
  using Error::Error;
};

// Throws Error unless the layer's numbers of kernels, weights and samples fit the integer types of a plan.
void require_countable(const conv::Layer& layer);

// Throws TooFewAccumulators, and Error if the kernel cannot compute the layer otherwise. `weights`: of all kernels,
// outputs outermost; ignored in timing mode.
Plan make_plan(const Alpha& alpha, const conv::Layer& layer, conv::Kind kind, const sparse::Mask& mask,
               const std::vector<std::int8_t>& weights, const Bases& bases, bool with_data);

}  // namespace weft::batchlane
