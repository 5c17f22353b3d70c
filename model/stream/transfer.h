#pragma once

#include "model/core/units.h"
#include "model/stream/ports.h"

namespace weft::stream {

// Contiguous bytes in memory, transferred together in as many back-to-back bursts as AXI4 requires. All beats are
// complete, including the first and the last.
struct Transfer {
  Address address = 0;
  Bytes bytes = 0;

  std::int64_t beats(Bytes beat_bytes) const { return ceil_div(address + bytes, beat_bytes) - address / beat_bytes; }
};

// Reads one transfer at a time.
class TransferReader {
 public:
  TransferReader() = default;
  TransferReader(const PortConfig& config, Bytes beat_bytes) : config_(config), beat_bytes_(beat_bytes) {}

  bool busy() const { return beats_left_ > 0; }
  // Begins a transfer; to be called before step(), in a cycle in which the reader is not busy.
  void begin(const Transfer& transfer) {
    next_ = transfer.address / beat_bytes_ * beat_bytes_;
    unasked_ = beats_left_ = transfer.beats(beat_bytes_);
  }
  // Steps one cycle: requests the next burst if the port is ready and has room, and takes an available beat. In data
  // mode `take` is called before the beat is removed. Returns true if something moved.
  template <class Take>
  bool step(Cycles now, ReadPort& port, Take take) {
    port.requested = false;
    const bool waits = port.outstanding > 0;
    bool moved = false;
    if (unasked_ > 0 && port.ready && port.outstanding < config_.outstanding) {
      const int beats = burst_beats(next_, unasked_, config_.max_burst_beats, beat_bytes_);
      port.request = {next_, beats};
      port.requested = moved = true;
      burst_ends_.push_back(asked_ += beats);
      ++port.outstanding;
      next_ += beats * beat_bytes_;
      unasked_ -= beats;
    }
    if (port.data.visible(now)) {
      take();
      port.data.pop();
      ++port.busy_cycles;
      --beats_left_;
      if (++taken_ == burst_ends_.front()) {
        burst_ends_.erase(burst_ends_.begin());
        --port.outstanding;
      }
      return true;
    }
    if (waits || port.requested) ++port.wait_cycles;
    return moved;
  }
  // The earliest cycle >= now in which step() acts, given that nothing moved in now - 1.
  Cycles quiet_until(Cycles now, const ReadPort& port) const { return std::max(now, port.data.next_visible()); }

 private:
  PortConfig config_;
  Bytes beat_bytes_ = 64;
  Address next_ = 0;
  std::int64_t unasked_ = 0, beats_left_ = 0;
  std::int64_t asked_ = 0, taken_ = 0;    // beats since the start
  std::vector<std::int64_t> burst_ends_;  // value of taken_ at the end of each burst in flight
};

// Writes one transfer at a time; a transfer ends with its last response.
class TransferWriter {
 public:
  TransferWriter() = default;
  TransferWriter(const PortConfig& config, Bytes beat_bytes) : config_(config), beat_bytes_(beat_bytes) {}

  bool busy() const { return beats_left_ > 0 || responses_left_ > 0; }
  void begin(const Transfer& transfer) {
    transfer_ = transfer;
    next_ = transfer.address / beat_bytes_ * beat_bytes_;
    beats_left_ = transfer.beats(beat_bytes_);
    responses_left_ = 0;
  }
  // Steps one cycle: sends a beat, the first of a burst with the burst's address, and takes a response. In data mode
  // `fill(offset, first_lane, lanes)` writes the beat's words: those of the transfer from byte `offset` on.
  template <class Fill>
  bool step(Cycles now, WritePort& port, Fill fill) {
    port.requested = port.beat_sent = port.response_taken = false;
    const bool waits = port.outstanding > 0;
    if (port.responses.visible(now)) {
      port.responses.pop();
      port.response_taken = true;
      --port.outstanding;
      --responses_left_;
    }
    const bool opens = burst_left_ == 0;
    if (beats_left_ > 0 && port.data_ready &&
        (!opens || (port.address_ready && port.outstanding < config_.outstanding))) {
      if (opens) {
        burst_left_ = burst_beats(next_, beats_left_, config_.max_burst_beats, beat_bytes_);
        port.request = {next_, burst_left_};
        port.requested = true;
        ++port.outstanding;
        ++responses_left_;
      }
      send(port, fill);
      return true;
    }
    if (port.response_taken) {
      ++port.wait_cycles;
      return true;
    }
    if (waits) ++port.wait_cycles;
    return false;
  }
  Cycles quiet_until(Cycles now, const WritePort& port) const { return std::max(now, port.responses.next_visible()); }

 private:
  template <class Fill>
  void send(WritePort& port, Fill fill) {
    constexpr Bytes kLane = 4;
    const Address first = std::max(next_, transfer_.address);
    const Address end = std::min(next_ + beat_bytes_, transfer_.address + transfer_.bytes);
    port.beat_sent = true;
    port.beat_address = next_;
    port.first_lane = static_cast<int>((first - next_) / kLane);
    port.lanes = static_cast<int>((end - first) / kLane);
    fill(first - transfer_.address, port.first_lane, port.lanes);
    ++port.busy_cycles;
    next_ += beat_bytes_;
    --beats_left_;
    --burst_left_;
  }

  PortConfig config_;
  Bytes beat_bytes_ = 64;
  Transfer transfer_;
  Address next_ = 0;
  std::int64_t beats_left_ = 0, responses_left_ = 0;
  int burst_left_ = 0;
};

}  // namespace weft::stream
