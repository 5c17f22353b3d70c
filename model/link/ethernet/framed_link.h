#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <string>

#include "model/core/frequency.h"
#include "model/core/units.h"

namespace weft::ethernet {

// Plain UDP has neither back-pressure nor recovery: with `None` a receiver that is full ends the run.
enum class Flow { None, Credit };

// One direction between two boards: a stream of bytes cut into frames.
struct FramedConfig {
  Rational byte_ps = 80;       // of a byte on the wire, all lanes together
  Bytes payload = 1472;        // of a full frame
  Bytes overhead = 66;         // of every frame, whatever it carries
  Picoseconds latency_ps = 0;  // from a frame's last byte on the wire to its being received, and of a credit's way back
  Bytes receive_bytes = 65536;
  Flow flow = Flow::Credit;
  bool flush = true;  // the last partial frame of an image is sent at the image's end

  // An Error that names what is out of range and what is allowed.
  void validate() const;
  Rational goodput_mbps() const;
};

// UDP/IP over Ethernet. 66 bytes: preamble and delimiter 8, Ethernet 14, IP 20, UDP 8, FCS 4, gap 12.
struct EthernetRates {
  Rational mbps = 100000;
  Picoseconds direct_ps = 535'000;      // half of the 1.07 us of a round trip measured between two U280 at 100G
  Picoseconds per_switch_ps = 844'000;  // with one switch 2.758 us come out, measured are 2.76
  int switches = 0;
};
FramedConfig ethernet(const EthernetRates& rates);

// Serial transceivers side by side with framing as Aurora 64B/66B has it.
struct SerialRates {
  Rational lane_mbps = 10000;
  int lanes = 1;
  // One cycle of so many carries none of the user's data. Taken as spread evenly: what it shifts is less than a cycle.
  int pause_interval_cycles = 32;
  int latency_cycles = 55;  // of the user clock, which carries 64 bits a lane
  Bytes frame = 1472;       // assumed: the frame is the user's choice
};
inline constexpr Bytes kSeparatorBytes = 8;
FramedConfig serial(const SerialRates& rates);

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
