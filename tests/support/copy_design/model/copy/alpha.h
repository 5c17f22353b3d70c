#pragma once

#include "model/copy/topology.h"
#include "model/core/frequency.h"
#include "model/core/units.h"
#include "model/stream/ports.h"

namespace weft::copy {

using FifoDepths = weft::FifoDepths<FifoId, kFifoInfos>;

// alpha: the compile-time parameters of a kernel (CONTRACT.md, section 2).
struct Alpha {
  int band = 16;  // FP32 words per beat
  FifoDepths fifo;
  stream::PortConfig in, out;
  Frequency clock = 100;

  Bytes beat_bytes() const { return Bytes{band} * 4; }
};

}  // namespace weft::copy
