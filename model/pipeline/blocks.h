#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/conv/convolution.h"
#include "model/core/frequency.h"
#include "model/link/ethernet/framed_link.h"
#include "model/pipeline/pipeline.h"

namespace weft::pipeline {

// A link between two boards as blocks. Assumptions: a packet holds as many whole tokens as fit in a frame, and a longer
// token takes as many frames as it needs; duration and latency of a packet are whole cycles of the blocks' clock; a
// credit is a place for a full packet and returns with the latency of a packet.
struct LinkBlocks {
  ethernet::FramedConfig frames;  // receive_bytes: places for packets
  Bytes token_bytes = 1;
  Frequency clock = 1;  // MHz, clock of the blocks

  std::int64_t tokens_per_packet() const;
  Cycles packet_cycles(std::int64_t tokens) const;  // time on the wire
  Cycles latency() const;
  std::int64_t places() const;  // packets that the receive FIFO holds
};

// Adds packetiser, wire, receive FIFO and depacketiser after `from`, which gives `pixels` tokens per image. Returns the
// depacketiser, to be joined to the next block. Throws Error if the receive FIFO does not hold a packet.
BlockId add_link(Pipeline& pipeline, const std::string& name, BlockId from, std::int64_t pixels,
                 const LinkBlocks& link);

// `pixels` tokens per image, one every `cycles`: the maximum rate at which images enter (throttle of the source).
Block source(const std::string& name, std::int64_t pixels, Cycles cycles = 1);
Block sink(const std::string& name, std::int64_t pixels, Cycles cycles = 1);
// Takes a token and gives one after `cycles`: multipliers of an entity (II of a pixel), fork, add, concatenation.
Block each(const std::string& name, std::int64_t pixels, Cycles cycles = 1);
// Takes a whole image, then gives one token: global pooling, the input of a fully connected layer.
Block whole(const std::string& name, std::int64_t pixels, Cycles cycles = 1);
// Inverse of `whole`: takes one token, then gives a whole image.
Block spread(const std::string& name, std::int64_t pixels, Cycles cycles = 1);
// `tokens` tokens per packet: to a link, and back to tokens. A partial last packet of an image is sent at the end of
// the image; without `flush` it waits for more tokens.
Block packetiser(const std::string& name, std::int64_t pixels, std::int64_t tokens, bool flush = true);
Block depacketiser(const std::string& name, std::int64_t pixels, std::int64_t tokens);
// Block shared by streams, one token at a time: a DRAM port, a link that several tensors cross.
Block port(const std::string& name, std::vector<Stream> streams, Arbitration arbitration = Arbitration::RoundRobin);
// Line buffer of a convolution or pool: reads one pixel per cycle and gives each window when its last pixel has
// arrived. Windows of the trailing padding are given one per cycle before the next image is read.
Block windows(const std::string& name, const conv::LayerAxis& h, const conv::LayerAxis& w);
// Inverse of `windows`: reads the gradients of its outputs, one per cycle, and gives each input pixel, one per cycle,
// when the last output that read it has arrived. Pixels that no output read are given in the same way.
Block gradient_windows(const std::string& name, const conv::LayerAxis& h, const conv::LayerAxis& w);

// Pixels read when window (0, 0) is complete, which is also the delay of the first output: (k - 1 - p) rows and k - p
// pixels.
std::int64_t lag(const conv::LayerAxis& h, const conv::LayerAxis& w);

}  // namespace weft::pipeline
