#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "model/core/frequency.h"
#include "model/core/units.h"
#include "model/memory/memory.h"

namespace weft::memory {

// A rate of exactly `bytes` every `seconds` seconds, both positive.
struct ByteRate {
  std::int64_t bytes = 1;
  std::int64_t seconds = 1;
};

// A transfer between a link and one memory channel, through the buffer of a DMA engine.
struct Traffic {
  Cycles start = 0;     // earliest kernel cycle
  Cycles pause = 0;     // smallest number of kernel cycles from the end of the previous transfer
  Address address = 0;  // a multiple of 4096, counted through the channels (MemoryConfig::dma_ports)
  Bytes bytes = 0;
  bool write = false;       // into the memory; else out of it
  ByteRate rate;            // of the link
  Bytes burst_bytes = 256;  // a power of two up to 4096, and at least a beat; the last burst ends with a whole beat
  Bytes buffer_bytes = 64 << 10;  // at least a burst
  int outstanding = 32;           // largest number of bursts open at the memory
};

// A burst of the engine: within 4 KB, of whole beats.
struct TrafficBurst {
  Address address = 0;
  int beats = 0;
  bool write = false;
};

// DMA engine between link and memory (CONTRACT.md, DMA-1..6): one port that reads and one that writes; transfers run
// one after the other. The host passes beats and responses to it as they become visible, steps it in every cycle in
// which it may move, and sends the bursts that it returns.
class DmaMaster {
 public:
  // Throws Error for traffic beyond the ranges above, or if rate and clock have no common measure in 62 bits.
  DmaMaster(std::vector<Traffic> transfers, Frequency kernel_clock, Bytes beat_bytes);

  // Pass on beats and responses of the memory, visible from these cycles on.
  void beat(Cycles visible) { beats_.push_back(visible); }
  void response(Cycles visible) { responses_.push_back(visible); }

  // Returns the burst whose address is sent in cycle `now`, if any; all beats of a write are sent with it.
  std::optional<TrafficBurst> step(Cycles now);
  bool moved() const { return moved_; }  // in the last step
  // Returns the earliest cycle >= now in which step() may do something; kNever: not before a beat or response.
  Cycles quiet_until(Cycles now) const;

  // True if everything was sent and has come back. Then ends() has U of DMA-6 for each transfer.
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
    int beats = 0;    // still missing
  };

  const Traffic& traffic() const { return transfers_[ends_.size()]; }  // the current one
  void set_rate();
  void begin(Cycles earliest);
  static Time later(Time a, Time b);
  Time after(Time from, Bytes bytes) const;  // when the link has moved the bytes
  Bytes next_bytes() const;                  // bytes of the transfer in the next burst
  int beats_of(Bytes bytes) const { return static_cast<int>(ceil_div(bytes, beat_bytes_)); }
  void prepare();
  void finish(Cycles now);

  std::vector<Traffic> transfers_;
  Frequency clock_;
  Bytes beat_bytes_;
  std::vector<Cycles> ends_;

  // State of the current transfer.
  std::int64_t whole_ = 0, part_ = 0, parts_ = 1;  // a byte takes the link whole_ + part_ / parts_ cycles

  Bytes sent_ = 0;
  std::optional<Cycles> ready_;  // earliest cycle of the next burst, once it has a place in the buffer
  std::deque<Time> places_;      // free places of the buffer, one burst each: the time from which each is free
  Time link_;                    // busy until then
  std::deque<Open> open_;        // bursts in flight
  std::deque<Cycles> beats_, responses_;
  bool moved_ = false;
};

// Performs one cycle of a master with ports `read` and `write` of the memory, which was advanced to `now`. For hosts
// without SystemC.
void step(DmaMaster& master, Memory& memory, PortId read, PortId write, Cycles now);

}  // namespace weft::memory
