#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/conv/convolution.h"
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

// `pixels` tokens an image, one in `cycles`: images enter at most that fast (the throttle of the source).
Block source(const std::string& name, std::int64_t pixels, Cycles cycles = 1);
Block sink(const std::string& name, std::int64_t pixels, Cycles cycles = 1);
// A token in, `cycles` later a token out: the multipliers of an entity (II of a pixel), fork, add, concatenation.
Block each(const std::string& name, std::int64_t pixels, Cycles cycles = 1);
// All of an image in, then one token: global pooling, the input of a fully connected layer.
Block whole(const std::string& name, std::int64_t pixels, Cycles cycles = 1);
// The way back of `whole`: a token in, then all of an image out.
Block spread(const std::string& name, std::int64_t pixels, Cycles cycles = 1);
// `tokens` in a packet: to a link, and back into tokens. The last of an image, if it is not full, is sent at the
// image's end; without `flush` it is kept until more come.
Block packetiser(const std::string& name, std::int64_t pixels, std::int64_t tokens, bool flush = true);
Block depacketiser(const std::string& name, std::int64_t pixels, std::int64_t tokens);
// What streams share, one token at a time: a port of a DRAM, a link that several tensors cross.
Block port(const std::string& name, std::vector<Stream> streams, Arbitration arbitration = Arbitration::RoundRobin);
// The line buffer of a convolution or pool: reads a pixel a cycle, and gives a token for each window once its last
// pixel has come; the windows of the padding at the end go out one a cycle before the next image is read.
Block windows(const std::string& name, const conv::LayerAxis& h, const conv::LayerAxis& w);
// The way back of `windows`: reads the gradients of its outputs, one a cycle, and gives each pixel of its input once
// the last output has come that read it, one a cycle. Pixels that no output read go out like the others.
Block gradient_windows(const std::string& name, const conv::LayerAxis& h, const conv::LayerAxis& w);

// Pixels that have been read when window (0, 0) is complete; as many is the first output behind its own place:
// (k - 1 - p) rows and k - p pixels.
std::int64_t lag(const conv::LayerAxis& h, const conv::LayerAxis& w);

}  // namespace weft::pipeline
