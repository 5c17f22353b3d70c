#include "model/link/dma_transfer.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "model/core/error.h"

namespace weft::link {

namespace {

constexpr Bytes kPage = 4096;  // no TLP crosses a multiple of it
constexpr Bytes kDoubleWord = 4;

constexpr Address align_down(Address address, Bytes unit) {
  return address - address % unit;
}

// Payload of a TLP for [begin, end), in whole double words.
constexpr Bytes payload_of(Address begin, Address end) {
  return align_up(end, kDoubleWord) - align_down(begin, kDoubleWord);
}

std::int64_t descriptors_of(const DmaConfig& dma, Address begin, Bytes bytes) {
  if (bytes == 0) return 0;
  const Bytes page = dma.host_page_bytes, most = dma.descriptor_max_bytes;
  const Bytes first = std::min(bytes, page - begin % page), rest = bytes - first;
  return ceil_div(first, most) + rest / page * ceil_div(page, most) + ceil_div(rest % page, most);
}

}  // namespace

void Pool::relative(Relative& state, Ticks now, Ticks from) {
  if (!state.loading()) {
    while (!returns_.empty() && returns_.front().at <= from) collect();
  } else {
    returns_.clear();
    freed_ = 0;
  }
  state.value(free_);
  std::size_t count = returns_.size();
  state.value(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (state.loading()) returns_.push({});
    Return& one = returns_.at(returns_.begin_index() + static_cast<memory::Ring<Return>::Index>(i));
    state.from(one.at, now);
    state.value(one.amount);
  }
}

DmaTransfer::DmaTransfer(const PcieConfig& config, const WireTime& time, Direction direction, Address host_address,
                         Bytes bytes)
    : config_(config),
      time_(time),
      to_card_(direction == Direction::HostToCard),
      bytes_(bytes),
      round_trip_(time.of_ps(config.read_round_trip_ps)),
      credit_return_(time.of_ps(config.credit_return_ps)),
      host_write_latency_(time.of_ps(config.host_write_latency_ps)),
      card_latency_(time.of_ps(to_card_ ? config.card_write_latency_ps : config.card_read_latency_ps)),
      address_(host_address),
      descriptor_end_(host_address),
      descriptors_(descriptors_of(config.dma, host_address, bytes)),
      request_end_(host_address),
      up_(config, time.byte),
      down_(config, time.byte),
      tags_(config.dma.tags),
      buffer_(config.dma.buffer_bytes),
      nonposted_(config.nonposted_headers),
      posted_headers_(config.posted.headers),
      posted_data_(config.posted.data) {
  if (fetch_pending()) fetch_descriptors(0);
}

void DmaTransfer::begin_descriptor() {
  const Address page_end = align_down(address_, config_.dma.host_page_bytes) + config_.dma.host_page_bytes;
  descriptor_end_ = std::min({page_end, address_ + config_.dma.descriptor_max_bytes, address_ + (bytes_ - offset_)});
  block_begins_ = descriptors_begun_ % config_.dma.descriptors_per_fetch == 0;
  ++descriptors_begun_;
}

void DmaTransfer::wait_for(Ticks& from, Ticks at, Bound why) {
  if (at <= from) return;
  from = at;
  if (begun_) wait_ = why;
}

Ticks DmaTransfer::send_data(Wire& wire, Ticks from, Bytes bytes) {
  const Ticks free = wire.free(), last = wire.end();
  const Ticks end = wire.send(from, bytes);
  if (begun_) {
    ticks_[static_cast<std::size_t>(wait_)] += wire.start() - free;
    ticks_[static_cast<std::size_t>(Bound::Wire)] += free - last;  // DLLPs
  } else {
    begun_ = true;
    first_ = wire.start();
    ticks_[static_cast<std::size_t>(Bound::SetUp)] = first_;
  }
  ticks_[static_cast<std::size_t>(Bound::Wire)] += end - wire.start();
  return end;
}

Ticks DmaTransfer::send_descriptors(Wire& wire, Ticks from, Bytes bytes) {
  const bool with_data = &wire == (to_card_ ? &down_ : &up_);
  return begun_ && with_data ? send_data(wire, from, bytes) : wire.send(from, bytes);
}

void DmaTransfer::fetch_descriptors(Ticks from) {
  const std::int64_t count =
      std::min<std::int64_t>(config_.dma.descriptors_per_fetch, descriptors_ - descriptors_fetched_);
  descriptors_fetched_ += count;
  // A block is aligned to its full size, so only MRRS and MPS split it.
  for (Bytes left = count * config_.dma.descriptor_bytes; left > 0;) {
    const Bytes asked = std::min<Bytes>(left, config_.max_read_request_bytes);
    left -= asked;
    nonposted_.room(1, from);
    const Ticks sent = send_descriptors(up_, from, config_.read_overhead_bytes);
    nonposted_.take(1);
    nonposted_.give_back(1, sent + credit_return_);
    ++count_.descriptor_reads;
    for (Bytes rest = asked; rest > 0;) {
      const Bytes part = std::min<Bytes>(rest, config_.max_payload_bytes);
      rest -= part;
      descriptors_ready_ =
          send_descriptors(down_, sent + round_trip_, align_up(part, kDoubleWord) + config_.completion_overhead_bytes);
      ++count_.descriptor_completions;
    }
  }
}

Address DmaTransfer::end_of_tlp(Bytes most) const {
  const Address begin = align_down(address_, kDoubleWord);
  return std::min({descriptor_end_, begin + most, align_down(address_, kPage) + kPage});
}

bool DmaTransfer::request() {
  if (address_ == descriptor_end_) begin_descriptor();
  if (block_begins_) {
    block_begins_ = false;
    block_ready_ = descriptors_ready_;
    if (fetch_pending()) fetch_descriptors(std::max(up_.free(), block_ready_));
  }
  Ticks from = up_.free();
  wait_for(from, block_ready_, Bound::Descriptors);
  const Address end = end_of_tlp(config_.max_read_request_bytes);
  Ticks tag = from, room = from, credit = from;
  if (!tags_.room(1, tag) || !buffer_.room(end - address_, room)) return false;
  nonposted_.room(1, credit);  // credits return without an access
  wait_for(from, tag, Bound::Tags);
  wait_for(from, room, Bound::Buffer);
  wait_for(from, credit, Bound::Credits);
  tags_.take(1);
  buffer_.take(end - address_);
  nonposted_.take(1);
  const Ticks sent = up_.send(from, config_.read_overhead_bytes);
  nonposted_.give_back(1, sent + credit_return_);
  ++count_.reads;
  request_end_ = end;
  request_ready_ = sent + round_trip_;
  return true;
}

bool DmaTransfer::next_to_card(CardAccess& access) {
  if (offset_ == bytes_) return false;
  if (address_ == request_end_ && !request()) return false;
  const Address most = align_down(address_, kDoubleWord) + config_.max_payload_bytes;
  const Address end = std::min(request_end_, align_down(most, config_.read_completion_boundary_bytes));
  const Bytes payload = payload_of(address_, end);
  const Ticks arrived = send_data(down_, request_ready_, payload + config_.completion_overhead_bytes);
  ++count_.completions;
  access = {offset_, end - address_, arrived};
  pieces_.push({access.bytes, payload, arrived, end == request_end_, false, Bound::SetUp});
  offset_ += access.bytes;
  address_ = end;
  return true;
}

void DmaTransfer::landed(Ticks at) {
  const Piece piece = pieces_.front();
  pieces_.pop();
  buffer_.give_back(piece.bytes, at);
  if (piece.last) tags_.give_back(1, at);
  end_ = at;
  done_bytes_ += piece.bytes;
}

bool DmaTransfer::next_to_host(CardAccess& access) {
  if (offset_ == bytes_) return false;
  if (address_ == descriptor_end_) begin_descriptor();
  if (block_begins_ && descriptors_fetched_ < descriptors_begun_) return false;
  const Address end = end_of_tlp(config_.max_payload_bytes);
  Ticks room = last_read_;
  if (!buffer_.room(end - address_, room)) return false;
  if (block_begins_) block_ready_ = descriptors_ready_;
  const Ticks asked = std::max(room, block_ready_);
  buffer_.take(end - address_);
  last_read_ = asked;
  access = {offset_, end - address_, asked};
  pieces_.push({access.bytes, payload_of(address_, end), asked, false, block_begins_,
                block_ready_ > room ? Bound::Descriptors : Bound::Buffer});
  block_begins_ = false;
  offset_ += access.bytes;
  address_ = end;
  return true;
}

void DmaTransfer::write(Ticks at) {
  const Piece piece = pieces_.front();
  pieces_.pop();
  if (piece.first_of_block && fetch_pending()) fetch_descriptors(piece.asked);
  Ticks from = up_.free(), header = from, data = from;
  const std::int64_t units = ceil_div(piece.payload, 16);
  posted_headers_.room(1, header);  // credits return without an access
  posted_data_.room(units, data);
  wait_for(from, at, piece.wait);
  wait_for(from, std::max(header, data), Bound::Credits);
  posted_headers_.take(1);
  posted_data_.take(units);
  const Ticks sent = send_data(up_, from, piece.payload + config_.write_overhead_bytes);
  posted_headers_.give_back(1, sent + credit_return_);
  posted_data_.give_back(units, sent + credit_return_);
  buffer_.give_back(piece.bytes, sent);
  ++count_.writes;
  end_ = sent + host_write_latency_;
  done_bytes_ += piece.bytes;
}

void DmaTransfer::step_page() {
  CardAccess access;
  do {
    if (!next(access)) throw std::logic_error("a transfer waits for itself");
    done(access.earliest + card_latency_);
  } while (offset_ != bytes_ && address_ % kPage != 0);
  if (std::max(up_.free(), down_.free()) > kLastTick) {
    throw Error(fmt::format("a transfer of {} bytes takes longer than can be counted", bytes_));
  }
}

void DmaTransfer::relative(Relative& state, Ticks now) {
  up_.relative(state, now, !to_card_);
  down_.relative(state, now, to_card_);
  if (!to_card_) state.from(last_read_, now);
  // No request to the host or the FIFO happens before these times.
  const Ticks requests = up_.free(), reads = to_card_ ? up_.free() : last_read_;
  state.timer(descriptors_ready_, reads);
  state.timer(block_ready_, reads);
  tags_.relative(state, now, requests);
  buffer_.relative(state, now, reads);
  nonposted_.relative(state, now, requests);
  posted_headers_.relative(state, now, requests);
  posted_data_.relative(state, now, requests);
  state.value(wait_);
  state.from(end_, now);
}

std::string DmaTransfer::relative() {
  std::string bytes;
  Relative state(bytes, false);
  relative(state, up_.free());
  return bytes;
}

void DmaTransfer::repeat(std::int64_t times, const DmaTransfer& since) {
  const Ticks period = up_.free() - since.up_.free();
  if (times > (kLastTick - up_.free()) / period) {
    throw Error(fmt::format("a transfer of {} bytes takes longer than can be counted", bytes_));
  }
  std::string bytes = relative();
  const auto add = [&](auto& value, const auto& before) { value += times * (value - before); };
  add(offset_, since.offset_);
  add(address_, since.address_);
  add(done_bytes_, since.done_bytes_);
  if (descriptors_begun_ != since.descriptors_begun_) descriptor_end_ = address_;  // only whole descriptors repeat
  request_end_ = address_;
  add(descriptors_begun_, since.descriptors_begun_);
  add(descriptors_fetched_, since.descriptors_fetched_);
  for (std::size_t i = 0; i < kBounds; ++i) add(ticks_[i], since.ticks_[i]);
  add(count_.reads, since.count_.reads);
  add(count_.completions, since.count_.completions);
  add(count_.writes, since.count_.writes);
  add(count_.descriptor_reads, since.count_.descriptor_reads);
  add(count_.descriptor_completions, since.count_.descriptor_completions);
  up_.repeat(times, since.up_);
  down_.repeat(times, since.down_);
  const Ticks now = up_.free() + times * period;
  Relative state(bytes, true);
  relative(state, now);
}

// The past is the same for both sizes if every fetched block was full and had a successor, and if the new transfer has
// all fetched descriptors: the last fetched block has not begun.
bool DmaTransfer::resize(Bytes bytes) {
  const std::int64_t descriptors = descriptors_of(config_.dma, address_ - offset_, bytes);
  if (descriptors_fetched_ >= descriptors_ || descriptors_fetched_ > descriptors) return false;
  bytes_ = bytes;
  descriptors_ = descriptors;
  return true;
}

Transfer DmaTransfer::result() const {
  Transfer transfer;
  transfer.first = {first_, time_.per_ps};
  transfer.end = {end_, time_.per_ps};
  transfer.ticks = ticks_;
  transfer.ticks[static_cast<std::size_t>(Bound::SetUp)] += end_ - (to_card_ ? down_.end() : up_.end());
  if (bytes_ == 0) transfer.ticks = {};
  transfer.count = count_;
  transfer.count.upstream_dllps = up_.dllps();
  transfer.count.downstream_dllps = down_.dllps();
  transfer.count.upstream_bytes = up_.bytes();
  transfer.count.downstream_bytes = down_.bytes();
  const auto largest = std::max_element(transfer.ticks.begin(), transfer.ticks.end());
  transfer.bound = static_cast<Bound>(largest - transfer.ticks.begin());
  return transfer;
}

}  // namespace weft::link
