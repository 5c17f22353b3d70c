#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <string>

#include "model/core/frequency.h"
#include "model/core/units.h"

namespace weft::ethernet {

// Plain UDP has neither backpressure nor recovery: with `None`, overflow of a receiver ends the run.
enum class Flow { None, Credit };

// One direction between two boards: a byte stream cut into frames.
struct FramedConfig {
  Rational byte_ps = 80;       // time of a byte on the wire, over all lanes
  Bytes payload = 1472;        // of a full frame
  Bytes overhead = 66;         // of every frame, independent of its payload
  Picoseconds latency_ps = 0;  // from the last byte of a frame on the wire to its reception; also of a returned credit
  Bytes receive_bytes = 65536;
  Flow flow = Flow::Credit;
  bool flush = true;  // the last partial frame of an image is sent at the image's end

  // Throws Error that names the value out of range and the allowed range.
  void validate() const;
  Rational goodput_mbps() const;
};

// UDP/IP over Ethernet. 66 bytes: preamble and delimiter 8, Ethernet 14, IP 20, UDP 8, FCS 4, gap 12.
struct EthernetRates {
  Rational mbps = 100000;
  Picoseconds direct_ps = 535'000;      // half the round trip of 1.07 us measured between two U280 at 100G
  Picoseconds per_switch_ps = 844'000;  // round trip with one switch: 2.758 us, measured 2.76
  int switches = 0;
};
FramedConfig ethernet(const EthernetRates& rates);

// Parallel serial transceivers with Aurora 64B/66B framing.
struct SerialRates {
  Rational lane_mbps = 10000;
  int lanes = 1;
  // One in this many cycles carries no user data. Modelled as spread evenly; the error is less than one cycle.
  int pause_interval_cycles = 32;
  int latency_cycles = 55;  // of the user clock, with 64 bits per lane and cycle
  Bytes frame = 1472;       // assumed: the user chooses the frame size
};
inline constexpr Bytes kSeparatorBytes = 8;
FramedConfig serial(const SerialRates& rates);

// `per_ps` ticks of a link are one picosecond, so a byte takes a whole number of ticks.
using Ticks = std::int64_t;
inline constexpr Ticks kNoEvent = std::numeric_limits<Ticks>::max();

struct LinkCounts {
  Bytes pushed = 0, sent = 0, received = 0, taken = 0;  // payload bytes
  std::int64_t frames_sent = 0, frames_received = 0;
  Bytes send_high_water = 0, receive_high_water = 0;
  Ticks busy = 0;            // time in which the wire was busy, including overheads
  Ticks without_credit = 0;  // time in which a frame was ready and the wire free
};

// Packetiser, queue, wire and receive FIFO of one direction. Call times must not decrease. Order within one tick:
// arrivals, credits, departures, then push() and take(). So a slot taken at t is no room for a frame that arrives at t.
// Not modelled: loss and reordering on the wire, and the bytes of credits, which travel with the data of the other
// direction.
class FramedLink {
 public:
  FramedLink(std::string name, const FramedConfig& config);

  Ticks per_ps() const { return config_.byte_ps.denominator(); }
  Ticks next() const;  // the next internal event; kNoEvent: none
  void advance(Ticks now);
  // `last`: true for the last bytes of the image.
  void push(Ticks now, Bytes bytes, std::int64_t image, bool last);
  void take(Ticks now, Bytes bytes);
  Bytes available() const { return received_; }
  const LinkCounts& counts() const { return counts_; }

 private:
  struct Frame {
    Bytes bytes;
    std::int64_t image;  // image of the first byte
    Ticks time;          // time of completion; on the wire: time of arrival
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
  Frame open_{0, 0, 0};  // frame being filled
  std::deque<Frame> queue_, wire_;
  std::deque<Credit> credits_;  // credits in flight
  Bytes queued_ = 0;            // including the open frame
  Bytes credit_;
  Ticks credit_since_ = 0;  // arrival of the last credit
  Ticks free_ = 0;          // time at which the wire is free
  Bytes received_ = 0;
  LinkCounts counts_;
};

}  // namespace weft::ethernet
