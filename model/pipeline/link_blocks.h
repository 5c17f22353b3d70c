#pragma once

#include <string>

#include "model/core/frequency.h"
#include "model/link/ethernet/framed_link.h"
#include "model/pipeline/pipeline.h"

namespace weft::pipeline {

// A link between two boards as blocks. Assumed: a packet holds whole tokens, as many as fit in a frame, and a token
// that is longer takes as many frames as it needs; a packet lasts whole cycles of the blocks' clock, and so does its
// way; a credit is a place for a full packet and comes back as late as a packet arrives.
struct LinkBlocks {
  ethernet::FramedConfig frames;  // its receive_bytes are places for packets
  Bytes token_bytes = 1;
  Frequency clock = 1;  // MHz, of the blocks

  std::int64_t tokens_per_packet() const;
  Cycles packet_cycles(std::int64_t tokens) const;  // on the wire
  Cycles latency() const;
  std::int64_t places() const;  // packets that its receive FIFO holds
};

// Packetiser, wire, receive FIFO and depacketiser behind `from`, which gives `pixels` tokens an image; the
// depacketiser, to be joined to what comes next. Throws Error if the receive FIFO does not hold a packet.
BlockId add_link(Pipeline& pipeline, const std::string& name, BlockId from, std::int64_t pixels,
                 const LinkBlocks& link);

}  // namespace weft::pipeline
