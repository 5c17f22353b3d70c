#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "model/core/relative.h"
#include "model/link/link.h"
#include "model/link/wire.h"
#include "model/memory/ring.h"

namespace weft::link {

// Room that is taken in order and comes back in order: tags, credits, a data FIFO.
class Pool {
 public:
  explicit Pool(std::int64_t capacity) : unlimited_(capacity == 0), free_(capacity) {}

  // Whether it is known when `amount` will be free; then `from` is put off until it is. Asked in the order of time.
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

  // `from`: nothing is taken before; `now`: what times are kept as distances from.
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

// An access of the card's memory by the DMA engine: what one CplD brought, or what one MWr will carry.
struct CardAccess {
  Bytes offset = 0;  // from the first byte of the transfer
  Bytes bytes = 0;
  Ticks earliest = 0;  // when the data is there to be written, or the engine asks for it
};

// A transfer, TLP by TLP. It asks for accesses of the card's memory, in order, and is told when each is done; so a
// plain latency can stand behind it, or a memory that others use too:
//     while (!transfer.finished()) { while (transfer.next(access)) ...; transfer.done(at); }
// All state is its own; copying it copies the transfer.
//
//   - A descriptor ends with a host page, with the transfer, or with descriptor_max_bytes. The first block of
//     descriptors is read at time 0, each further one with the first data TLP of the block before it.
//   - H2C: read requests are as long as MRRS, the 4 KB boundary and the descriptor allow. One goes out when the wire, a
//     tag, room for its data in the FIFO and a credit are there. Its completions follow those of the request before it;
//     each but the last ends at a multiple of the RCB and is as long as the MPS allows.
//   - C2H: the card's memory is read ahead as far as the FIFO has room, in pieces as long as MPS, the 4 KB boundary of
//     host memory and the descriptor allow; each is one write, sent when its data, the wire and credits are there.
class DmaTransfer {
 public:
  DmaTransfer(const PcieConfig& config, const WireTime& time, Direction direction, Address host_address, Bytes bytes);

  // The next access, if it does not hang on one that is not done.
  bool next(CardAccess& access) { return to_card_ ? next_to_card(access) : next_to_host(access); }
  // The oldest access not yet done is done at `at`, not before its `earliest` and not before the one before it.
  void done(Ticks at) {
    if (to_card_) {
      landed(at);
    } else {
      write(at);
    }
  }
  bool finished() const { return done_bytes_ == bytes_; }
  Transfer result() const;

  // Goes on to the end of the 4 KB of host memory that the engine is in, or of the transfer, every access of the card's
  // memory at the latency of the configuration. No access is under way before or after it.
  void step_page();
  // At the end of a page: all that decides what follows but for where the engine is, as bytes that are equal for equal
  // states.
  std::string relative();
  // A cheap necessary condition for two of these to be equal.
  bool in_step_with(const DmaTransfer& other) const {
    return up_.in_step_with(other.up_) && down_.in_step_with(other.down_);
  }
  // As if what happened since `since`, an earlier state of this transfer that was alike, had happened `times` more.
  void repeat(std::int64_t times, const DmaTransfer& since);

  // At the end of a block of descriptors: makes it a transfer of so many bytes, if it would have done the same so far,
  // or returns false.
  bool resize(Bytes bytes);

  Bytes bytes() const { return bytes_; }
  // Of the next byte that no access was asked for.
  Bytes offset() const { return offset_; }
  Address host_address() const { return address_; }
  Address descriptor_end() const { return descriptor_end_; }  // where the descriptor ends that it is in
  std::int64_t descriptors() const { return descriptors_; }   // of the transfer
  std::int64_t descriptors_begun() const { return descriptors_begun_; }

 private:
  // A piece of the card's memory that was asked for and is not done.
  struct Piece {
    Bytes bytes;
    Bytes payload;        // on the wire: in whole double words
    Ticks asked;          // its `earliest`
    bool last;            // H2C: of its read request
    bool first_of_block;  // C2H
    Bound wait;           // C2H: what its data wait for
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

  // Where the engine is.
  Address address_;
  Bytes offset_ = 0;
  Address descriptor_end_;
  std::int64_t descriptors_ = 0, descriptors_begun_ = 0, descriptors_fetched_ = 0;
  bool block_begins_ = false;  // the next data TLP is the first of its block
  Address request_end_ = 0;    // H2C: of the request whose completions are coming
  Ticks request_ready_ = 0;
  Bytes done_bytes_ = 0;

  Wire up_, down_;
  Ticks descriptors_ready_ = 0;  // of the block that was fetched last
  Ticks block_ready_ = 0;        // of the block being worked off
  Ticks last_read_ = 0;          // C2H: of the card's memory
  Pool tags_, buffer_, nonposted_, posted_headers_, posted_data_;
  memory::Ring<Piece> pieces_;

  Bound wait_ = Bound::SetUp;  // what put off the last request that had to wait
  bool begun_ = false;         // a data TLP was on the wire
  Ticks first_ = 0, end_ = 0;
  std::array<Ticks, kBounds> ticks_{};
  TlpCounts count_;
};

}  // namespace weft::link
