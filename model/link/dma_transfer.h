#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "model/core/relative.h"
#include "model/link/link.h"
#include "model/link/wire.h"
#include "model/memory/ring.h"

namespace weft::link {

// Resource taken and returned in order: tags, credits, a data FIFO.
class Pool {
 public:
  explicit Pool(std::int64_t capacity) : unlimited_(capacity == 0), free_(capacity) {}

  // Returns true if the time at which `amount` will be free is known, and delays `from` to it. Called in time order.
  bool room(std::int64_t amount, Ticks& from) {
    if (unlimited_) return true;
    while (free_ < amount) {
      if (returns_.empty()) return false;
      collect();
    }
    if (freed_ > from) from = freed_;
    return true;
  }
  void take(std::int64_t amount) {
    if (!unlimited_) free_ -= amount;
  }
  void give_back(std::int64_t amount, Ticks at) {
    if (!unlimited_) returns_.push({at, amount});
  }

  // `from`: nothing is taken before it; `now`: reference of the stored times.
  void relative(Relative& state, Ticks now, Ticks from);

 private:
  struct Return {
    Ticks at;
    std::int64_t amount;
  };
  void collect() {
    freed_ = returns_.front().at;
    free_ += returns_.front().amount;
    returns_.pop();
  }

  bool unlimited_;
  std::int64_t free_;
  Ticks freed_ = 0;
  memory::Ring<Return> returns_;
};

// Access of the DMA engine to the card's memory: the data of one received CplD, or of one MWr to be sent.
struct CardAccess {
  Bytes offset = 0;  // from the first byte of the transfer
  Bytes bytes = 0;
  Ticks earliest = 0;  // time at which the write data is there, or at which the engine requests a read
};

// A transfer, TLP by TLP. It requests accesses to the card's memory in order and is notified when each is done. So the
// memory may be a plain latency, or a memory shared with others:
//     while (!transfer.finished()) { while (transfer.next(access)) ...; transfer.done(at); }
// The object has no external state: a copy is an independent transfer.
//
//   - A descriptor ends with a host page, with the transfer, or at descriptor_max_bytes. The first block of
//     descriptors is read at time 0, each other block with the first data TLP of the previous block.
//   - H2C: a read request extends to MRRS, the 4 KB boundary or the end of the descriptor. It is sent when the wire, a
//     tag, FIFO room for its data and a credit are available. Its completions follow those of the previous request;
//     each except the last ends at a multiple of the RCB and is as long as the MPS allows.
//   - C2H: the card's memory is read ahead as far as the FIFO has room, in pieces up to MPS, the 4 KB boundary of host
//     memory or the end of the descriptor. Each is one write, sent when its data, the wire and credits are available.
class DmaTransfer {
 public:
  DmaTransfer(const PcieConfig& config, const WireTime& time, Direction direction, Address host_address, Bytes bytes);

  // Returns true with the next access, unless it depends on an unfinished one.
  bool next(CardAccess& access) { return to_card_ ? next_to_card(access) : next_to_host(access); }
  // Reports that the oldest unfinished access is done at `at`: not before its `earliest` nor before its predecessor.
  void done(Ticks at) {
    if (to_card_) {
      landed(at);
    } else {
      write(at);
    }
  }
  bool finished() const { return done_bytes_ == bytes_; }
  Transfer result() const;

  // Advances to the end of the current 4 KB of host memory, or of the transfer, with the configured latency for every
  // access to the card's memory. No access is in flight before or after.
  void step_page();
  // Returns the state at the end of a page, except the position: equal bytes mean equal future behaviour.
  std::string relative();
  // Cheap necessary condition for equal relative() states.
  bool in_step_with(const DmaTransfer& other) const {
    return up_.in_step_with(other.up_) && down_.in_step_with(other.down_);
  }
  // Repeats the events since `since` another `times` times. `since`: an earlier, equivalent state of this transfer.
  void repeat(std::int64_t times, const DmaTransfer& since);

  // Changes the size to `bytes` at the end of a block of descriptors. Returns false if the past would have differed.
  bool resize(Bytes bytes);

  Bytes bytes() const { return bytes_; }
  // Offset of the first byte not yet requested.
  Bytes offset() const { return offset_; }
  Address host_address() const { return address_; }
  Address descriptor_end() const { return descriptor_end_; }  // end of the current descriptor
  std::int64_t descriptors() const { return descriptors_; }   // of the whole transfer
  std::int64_t descriptors_begun() const { return descriptors_begun_; }

 private:
  // An access to the card's memory that is requested and not done.
  struct Piece {
    Bytes bytes;
    Bytes payload;        // on the wire: in whole double words
    Ticks asked;          // its `earliest` time
    bool last;            // H2C: last piece of its read request
    bool first_of_block;  // C2H
    Bound wait;           // C2H: reason for which its data wait
  };

  void begin_descriptor();
  bool fetch_pending() const { return descriptors_fetched_ < descriptors_; }
  void fetch_descriptors(Ticks from);
  Address end_of_tlp(Bytes most) const;
  void wait_for(Ticks& from, Ticks at, Bound why);
  Ticks send_data(Wire& wire, Ticks from, Bytes bytes);
  Ticks send_descriptors(Wire& wire, Ticks from, Bytes bytes);
  bool next_to_card(CardAccess& access);
  bool request();
  bool next_to_host(CardAccess& access);
  void landed(Ticks at);
  void write(Ticks at);
  void relative(Relative& state, Ticks now);

  PcieConfig config_;
  WireTime time_;
  bool to_card_;
  Bytes bytes_;
  Ticks round_trip_, credit_return_, host_write_latency_, card_latency_;

  // Position of the engine.
  Address address_;
  Bytes offset_ = 0;
  Address descriptor_end_;
  std::int64_t descriptors_ = 0, descriptors_begun_ = 0, descriptors_fetched_ = 0;
  bool block_begins_ = false;  // the next data TLP is the first of its block
  Address request_end_ = 0;    // H2C: end of the request whose completions arrive
  Ticks request_ready_ = 0;
  Bytes done_bytes_ = 0;

  Wire up_, down_;
  Ticks descriptors_ready_ = 0;  // of the last fetched block
  Ticks block_ready_ = 0;        // of the block in progress
  Ticks last_read_ = 0;          // C2H: last read of the card's memory
  Pool tags_, buffer_, nonposted_, posted_headers_, posted_data_;
  memory::Ring<Piece> pieces_;

  Bound wait_ = Bound::SetUp;  // reason for the delay of the last request that waited
  bool begun_ = false;         // a data TLP has been on the wire
  Ticks first_ = 0, end_ = 0;
  std::array<Ticks, kBounds> ticks_{};
  TlpCounts count_;
};

}  // namespace weft::link
