#pragma once

#include "model/core/frequency.h"
#include "model/core/units.h"
#include "model/stream/ports.h"

namespace weft::batchlane {

// alpha: the compile-time parameters of a batch-lane kernel (CONTRACT.md, section 2).
struct Alpha {
  int lanes = 32;             // MACs of a PE: images side by side
  int pes = 32;               // a multiple of split
  int outputs_per_pe = 4;     // of a block in F and GI: a block has pes * outputs_per_pe
  int split = 4;              // PEs that split the pixels of a kernel in GW
  bool split_pixels = false;  // in F and GI too: then a block has pes / split * outputs_per_pe
  int tile_pixels = 64;       // that the accumulators of an output hold
  int ahead = 2;              // channel buffers; kUnlimited: more than any layer has channels
  int strips = 4;             // buffers of ranges of kernels
  int csb_beats = 64;         // of kernels that have been asked for and not taken
  stream::PortConfig feature_port, csb_port, result_port;
  Frequency clock = 250;

  static constexpr int kUnlimited = 1 << 16;  // no layer has more channels
  static constexpr Bytes kBeatBytes = 64;

  int block() const { return pes * outputs_per_pe; }
  int groups() const { return pes / split; }
  // Bytes of one of the two banks of accumulators: 32 bits a pixel, lane and output.
  Bytes bank_bytes() const { return Bytes{4} * block() * tile_pixels * lanes; }
};

}  // namespace weft::batchlane
