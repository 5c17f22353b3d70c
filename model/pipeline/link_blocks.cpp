#include "model/pipeline/link_blocks.h"

#include <fmt/core.h>

#include <algorithm>

#include "model/core/error.h"
#include "model/pipeline/blocks.h"

namespace weft::pipeline {
namespace {

constexpr std::int64_t kPsPerCycleAtOneMhz = 1'000'000;

}  // namespace

std::int64_t LinkBlocks::tokens_per_packet() const {
  return std::max<std::int64_t>(1, frames.payload / token_bytes);
}

Cycles LinkBlocks::packet_cycles(std::int64_t tokens) const {
  const Bytes bytes = tokens * token_bytes;
  const Bytes wire = bytes + ceil_div(bytes, frames.payload) * frames.overhead;
  return ceil(frames.byte_ps * wire * clock / kPsPerCycleAtOneMhz);
}

Cycles LinkBlocks::latency() const {
  return frames.latency_ps == 0 ? 0 : ceil(Rational(frames.latency_ps) * clock / kPsPerCycleAtOneMhz);
}

std::int64_t LinkBlocks::places() const {
  return frames.receive_bytes / (tokens_per_packet() * token_bytes);
}

BlockId add_link(Pipeline& pipeline, const std::string& name, BlockId from, std::int64_t pixels,
                 const LinkBlocks& link) {
  link.frames.validate();
  if (link.token_bytes < 1) throw Error(fmt::format("link '{}': a token of {} bytes", name, link.token_bytes));
  if (link.places() < 1) {
    throw Error(fmt::format("link '{}': its receive FIFO of {} bytes does not hold a packet of {} bytes", name,
                            link.frames.receive_bytes, link.tokens_per_packet() * link.token_bytes));
  }
  const std::int64_t tokens = std::min(link.tokens_per_packet(), pixels);
  const std::int64_t full = pixels / tokens, rest = pixels % tokens;
  const BlockId pack = pipeline.add(packetiser(name + " packetiser", pixels, tokens, link.frames.flush));
  Block wire{name + " wire", {{full, true, true, link.packet_cycles(tokens)}}};
  if (rest > 0) wire.image.push_back({1, true, true, link.packet_cycles(rest)});
  const BlockId sent = pipeline.add(std::move(wire));
  const BlockId unpack = pipeline.add(depacketiser(name + " depacketiser", pixels, tokens));
  constexpr std::int64_t kDouble = 2;  // places in which one packet is filled and one sent
  pipeline.join(from, pack, kDouble);
  pipeline.join(pack, sent, kDouble);
  Fifo& receive = pipeline.fifos[pipeline.join(sent, unpack, link.places())];
  receive.name = name;
  receive.latency = link.latency();
  receive.flow = link.frames.flow == ethernet::Flow::None ? Flow::None : Flow::Credit;
  return unpack;
}

}  // namespace weft::pipeline
