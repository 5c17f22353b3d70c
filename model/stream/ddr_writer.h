#pragma once

#include <algorithm>

#include "model/core/activity.h"
#include "model/core/fifo.h"
#include "model/stream/ports.h"
#include "model/stream/write_loop.h"

namespace weft::stream {

// Writes the beats of a WriteLoop in bursts (A.3.5; CONTRACT.md, "Writer"). The address of a burst is sent in the cycle
// of its first beat. The writer is done with the last write response.
class DdrWriter {
 public:
  DdrWriter() = default;
  DdrWriter(const WriteLoop& loop, const PortConfig& port, Bytes beat_bytes)
      : config_(port), beat_bytes_(beat_bytes), beats_(loop) {}

  Activity step(Cycles now, const WriteLoop& loop, Fifo& in, WritePort& port);
  // The earliest cycle >= now in which step() may act differently than in now - 1, given that it was not active in now
  // - 1 and `in` does not change.
  Cycles quiet_until(Cycles now, const WritePort& port) const { return std::max(now, port.responses.next_visible()); }
  // `words_before`: words of the loop before the reference position.
  void relative(Relative& state, const WriteLoop& loop, Words words_before) {
    beats_.relative(state, loop, words_before);
    // An open burst usually ends with its page, so the rest of it follows from the address of the tensor.
    const Address in_page = beats_.beat() * beat_bytes_ % kPageBytes;
    bool open = burst_left_ > 0;
    state.value(open);
    if (open) state.from(burst_left_, (kPageBytes - in_page) / beat_bytes_);
    if (!open) burst_left_ = 0;
    state.value(address_offered_);
  }
  // True if beats of the open burst are left to send.
  bool burst_open() const { return burst_left_ > 0; }
  int burst_left() const { return burst_left_; }
  // Beats that are left to send, or fewer.
  std::int64_t beats_left(const WriteLoop& loop) const { return beats_.left(loop); }
  bool done(const WriteLoop& loop, const WritePort& port) const { return beats_.done(loop) && port.outstanding == 0; }

 private:
  void open(WritePort& port);
  void send(Cycles now, const WriteLoop& loop, Fifo& in, WritePort& port);

  PortConfig config_;
  Bytes beat_bytes_ = 64;
  WriteBeats beats_;
  int burst_left_ = 0;            // beats of the open burst left to send
  bool address_offered_ = false;  // the open burst's address is not yet accepted
};

}  // namespace weft::stream
