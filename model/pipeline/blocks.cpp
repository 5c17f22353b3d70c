#include "model/pipeline/blocks.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "model/core/error.h"

namespace weft::pipeline {
namespace {

void append(Block& block, bool takes, bool gives) {
  if (!block.image.empty() && block.image.back().takes == takes && block.image.back().gives == gives) {
    ++block.image.back().count;
  } else {
    block.image.push_back({1, takes, gives, 1});
  }
}

// Returns the last stored coordinate that window `o` reads; 0 for a window in the leading padding.
int last_read(const conv::LayerAxis& axis, int o) {
  return std::clamp(o * axis.stride - axis.pad_begin + axis.kernel_extent() - 1, 0, axis.size - 1);
}

// Returns the last output whose window reaches stored coordinate `i`.
int last_reader(const conv::LayerAxis& axis, int i) {
  return std::clamp((i + axis.pad_begin) / axis.stride, 0, axis.out() - 1);
}

}  // namespace

Block source(const std::string& name, std::int64_t pixels, Cycles cycles) {
  return {name, {{pixels, false, true, cycles}}};
}

Block sink(const std::string& name, std::int64_t pixels, Cycles cycles) {
  return {name, {{pixels, true, false, cycles}}};
}

Block each(const std::string& name, std::int64_t pixels, Cycles cycles) {
  return {name, {{pixels, true, true, cycles}}};
}

Block whole(const std::string& name, std::int64_t pixels, Cycles cycles) {
  Block block{name, {}};
  if (pixels > 1) block.image.push_back({pixels - 1, true, false, 1});
  block.image.push_back({1, true, true, cycles});
  return block;
}

Block spread(const std::string& name, std::int64_t pixels, Cycles cycles) {
  Block block{name, {{1, true, true, cycles}}};
  if (pixels > 1) block.image.push_back({pixels - 1, false, true, 1});
  return block;
}

Block packetiser(const std::string& name, std::int64_t pixels, std::int64_t tokens, bool flush) {
  Block block{name, {}};
  for (std::int64_t i = 1; i <= pixels; ++i) append(block, true, i % tokens == 0 || (flush && i == pixels));
  block.kept = !flush && pixels % tokens != 0 ? 1 : 0;
  return block;
}

Block depacketiser(const std::string& name, std::int64_t pixels, std::int64_t tokens) {
  Block block{name, {}};
  for (std::int64_t i = 0; i < pixels; ++i) append(block, i % tokens == 0, true);
  return block;
}

Block port(const std::string& name, std::vector<Stream> streams, Arbitration arbitration) {
  Block block{name, {}};
  block.streams = std::move(streams);
  block.arbitration = arbitration;
  return block;
}

Block windows(const std::string& name, const conv::LayerAxis& h, const conv::LayerAxis& w) {
  Block block{name, {}};
  const std::int64_t pixels = std::int64_t{h.size} * w.size;
  std::int64_t read = 0;
  for (int row = 0; row < h.out(); ++row) {
    for (int column = 0; column < w.out(); ++column) {
      const std::int64_t needed = std::int64_t{last_read(h, row)} * w.size + last_read(w, column) + 1;
      while (read + 1 < needed) {
        append(block, true, false);
        ++read;
      }
      // A window that waits for no pixel is given while the next pixel is read.
      const bool more = read < pixels;
      append(block, more, true);
      read += more ? 1 : 0;
    }
  }
  for (; read < pixels; ++read) append(block, true, false);
  return block;
}

Block gradient_windows(const std::string& name, const conv::LayerAxis& h, const conv::LayerAxis& w) {
  Block block{name, {}};
  const std::int64_t pixels = std::int64_t{h.out()} * w.out();
  std::int64_t read = 0;
  for (int row = 0; row < h.size; ++row) {
    for (int column = 0; column < w.size; ++column) {
      const std::int64_t needed = std::int64_t{last_reader(h, row)} * w.out() + last_reader(w, column) + 1;
      while (read + 1 < needed) {
        append(block, true, false);
        ++read;
      }
      // With strides there are more pixels to give than to read: each is read only when it is needed.
      const bool more = read < needed;
      append(block, more, true);
      read += more ? 1 : 0;
    }
  }
  for (; read < pixels; ++read) append(block, true, false);
  return block;
}

std::int64_t lag(const conv::LayerAxis& h, const conv::LayerAxis& w) {
  return std::int64_t{last_read(h, 0)} * w.size + last_read(w, 0) + 1;
}

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
  if (link.token_bytes < 1)
    throw Error(fmt::format("link '{}': a token has {} bytes, but must have at least 1", name, link.token_bytes));
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
  constexpr std::int64_t kDouble = 2;  // places: one packet being filled, one being sent
  pipeline.join(from, pack, kDouble);
  pipeline.join(pack, sent, kDouble);
  Fifo& receive = pipeline.fifos[pipeline.join(sent, unpack, link.places())];
  receive.name = name;
  receive.latency = link.latency();
  receive.flow = link.frames.flow == ethernet::Flow::None ? Flow::None : Flow::Credit;
  return unpack;
}

}  // namespace weft::pipeline
