#pragma once

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

}  // namespace weft::ethernet
