#pragma once

#include <cstdint>

#include "model/core/frequency.h"
#include "model/core/units.h"
#include "model/stream/ports.h"

namespace weft::batchlane {

// What the PEs work on side by side: outputs, so that a PE has accumulators of its own, or streamed channels of one
// output, whose products are added before they are accumulated (the dense alpha).
enum class Across : std::uint8_t { Outputs, Channels };

// alpha: the compile-time parameters of a batch-lane kernel (CONTRACT.md, section 2).
struct Alpha {
  int lanes = 32;             // MACs of a PE: images side by side
  int pes = 32;               // a multiple of split
  int outputs_per_pe = 4;     // of a block in F and GI: a block has pes * outputs_per_pe; across channels just these
  int split = 4;              // PEs that split the pixels of a kernel in GW
  bool split_pixels = false;  // in F and GI too: then a block has pes / split * outputs_per_pe
  Across across = Across::Outputs;
  int tile_pixels = 64;  // that the accumulators of an output hold
  bool accumulators_in_uram = false;
  int ahead = 2;       // channel buffers; kUnlimited: more than any layer has channels
  int strips = 4;      // buffers of ranges of kernels
  int csb_beats = 64;  // of kernels that have been asked for and not taken
  stream::PortConfig feature_port, csb_port, result_port;
  Frequency clock = 250;

  static constexpr int kUnlimited = 1 << 16;  // no layer has more channels
  static constexpr Bytes kBeatBytes = 64;

  bool dense() const { return across == Across::Channels; }
  int block() const { return dense() ? outputs_per_pe : pes * outputs_per_pe; }
  // Streamed channels of a step.
  int group() const { return dense() ? pes : 1; }
  int groups() const { return pes / split; }
  // Bytes of one of the two banks of accumulators: 32 bits a pixel, lane and output.
  Bytes bank_bytes() const { return Bytes{4} * block() * tile_pixels * lanes; }
};

}  // namespace weft::batchlane
