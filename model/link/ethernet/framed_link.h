#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <string>

#include "model/link/ethernet/framed_config.h"

namespace weft::ethernet {

// `per_ps` of a link are a picosecond, so that a byte takes a whole number of them.
using Ticks = std::int64_t;
inline constexpr Ticks kNoEvent = std::numeric_limits<Ticks>::max();

struct LinkCounts {
  Bytes pushed = 0, sent = 0, received = 0, taken = 0;  // of payload
  std::int64_t frames_sent = 0, frames_received = 0;
  Bytes send_high_water = 0, receive_high_water = 0;
  Ticks busy = 0;            // the wire, overheads included
  Ticks without_credit = 0;  // a frame was ready and the wire free
};

// Packetiser, one queue, wire and receive FIFO of one direction. Whoever drives it calls with times that never
// decrease. At one tick what arrives comes first, then credits, then departures, then what the caller pushes and takes:
// so a slot that is taken at t is no room for a frame that arrives at t. Left out: loss and reordering on the wire, and
// the bytes of credits, which go beside the data of the other direction.
class FramedLink {
 public:
  FramedLink(std::string name, const FramedConfig& config);

  Ticks per_ps() const { return config_.byte_ps.denominator(); }
  Ticks next() const;  // the next thing that happens of itself; kNoEvent: none
  void advance(Ticks now);
  // `last`: of its image.
  void push(Ticks now, Bytes bytes, std::int64_t image, bool last);
  void take(Ticks now, Bytes bytes);
  Bytes available() const { return received_; }
  const LinkCounts& counts() const { return counts_; }

 private:
  struct Frame {
    Bytes bytes;
    std::int64_t image;  // of its first byte
    Ticks time;          // when it was whole; on the wire, when it arrives
  };
  struct Credit {
    Ticks time;
    Bytes bytes;
  };
  Ticks departure() const;
  void depart(Ticks now);
  void arrive();
  void close(Ticks now);

  std::string name_;
  FramedConfig config_;
  Ticks byte_, latency_;
  Frame open_{0, 0, 0};  // being filled
  std::deque<Frame> queue_, wire_;
  std::deque<Credit> credits_;  // on their way back
  Bytes queued_ = 0;            // with the open frame
  Bytes credit_;
  Ticks credit_since_ = 0;  // the last one came
  Ticks free_ = 0;          // the wire
  Bytes received_ = 0;
  LinkCounts counts_;
};

}  // namespace weft::ethernet
