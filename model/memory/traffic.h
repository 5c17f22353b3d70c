#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "model/core/frequency.h"
#include "model/core/units.h"
#include "model/memory/memory.h"

namespace weft::memory {

// Exactly `bytes` every `seconds` seconds, both positive.
struct ByteRate {
  std::int64_t bytes = 1;
  std::int64_t seconds = 1;
};

// A transfer between a link and one memory channel, through the buffer of a DMA engine.
struct Traffic {
  Cycles start = 0;     // kernel cycle, at the earliest
  Cycles pause = 0;     // kernel cycles from the end of the transfer before it, at the least
  Address address = 0;  // a multiple of 4096, counted through the channels (MemoryConfig::dma_ports)
  Bytes bytes = 0;
  bool write = false;       // into the memory; else out of it
  ByteRate rate;            // of the link
  Bytes burst_bytes = 256;  // a power of two up to 4096, and at least a beat; the last burst ends with a whole beat
  Bytes buffer_bytes = 64 << 10;  // at least a burst
  int outstanding = 32;           // bursts open at the memory, at most
};

// A burst that the engine sends: within 4 KB, of whole beats.
struct TrafficBurst {
  Address address = 0;
  int beats = 0;
  bool write = false;
};

// The DMA engine between link and memory (CONTRACT.md, DMA-1..6): one port that reads and one that writes, transfers
// one behind the other. Whoever hosts it gives it beats and responses as they become visible, steps it in every cycle
// in which it may move, and sends what it asks for.
class DmaMaster {
 public:
  // Throws Error for traffic that is not as said above, or whose rate and clock have no common measure in 62 bits.
  DmaMaster(std::vector<Traffic> transfers, Frequency kernel_clock, Bytes beat_bytes);

  // From the memory: visible from these cycles on.
  void beat(Cycles visible) { beats_.push_back(visible); }
  void response(Cycles visible) { responses_.push_back(visible); }

  // The burst whose address is sent in cycle `now`, if any; of a write all beats are sent with it.
  std::optional<TrafficBurst> step(Cycles now);
  bool moved() const { return moved_; }  // in the last step
  // The earliest cycle >= now in which step() may do something; kNever: not before something comes back.
  Cycles quiet_until(Cycles now) const;

  // Everything was sent and has come back. Then ends() has U of DMA-6 of each transfer.
  bool done() const { return ends_.size() == transfers_.size(); }
  const std::vector<Cycles>& ends() const { return ends_; }

 private:
  // A time in kernel cycles: whole + part / parts_.
  struct Time {
    Cycles whole = 0;
    std::int64_t part = 0;
    Cycles rounded_up() const { return whole + (part > 0 ? 1 : 0); }
  };
  struct Open {
    Bytes bytes = 0;  // of the transfer
    int beats = 0;    // to come
  };

  const Traffic& traffic() const { return transfers_[ends_.size()]; }  // under way
  void set_rate();
  void begin(Cycles earliest);
  static Time later(Time a, Time b);
  Time after(Time from, Bytes bytes) const;  // the link has moved them
  Bytes next_bytes() const;                  // of the transfer, in the next burst
  int beats_of(Bytes bytes) const { return static_cast<int>(ceil_div(bytes, beat_bytes_)); }
  void prepare();
  void finish(Cycles now);

  std::vector<Traffic> transfers_;
  Frequency clock_;
  Bytes beat_bytes_;
  std::vector<Cycles> ends_;

  // Of the transfer under way.
  std::int64_t whole_ = 0, part_ = 0, parts_ = 1;  // a byte takes the link whole_ + part_ / parts_ cycles

  Bytes sent_ = 0;
  std::optional<Cycles> ready_;  // from when the next burst may be sent, once there is a place for it
  std::deque<Time> places_;      // of bursts in the buffer: from when each is free
  Time link_;                    // it is busy until then
  std::deque<Open> open_;        // bursts
  std::deque<Cycles> beats_, responses_;
  bool moved_ = false;
};

// One cycle of a master whose ports are `read` and `write` of the memory, which was advanced to `now`. For hosts
// without SystemC.
void step(DmaMaster& master, Memory& memory, PortId read, PortId write, Cycles now);

}  // namespace weft::memory
