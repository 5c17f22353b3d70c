#include "model/memory/traffic.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "model/core/error.h"

namespace weft::memory {

namespace {

constexpr Bytes kBoundary = 4096;
constexpr std::int64_t kMost = std::int64_t{1} << 62;

// Returns a * b; throws Error if it is not below 2^62.
std::int64_t product(std::int64_t a, std::int64_t b) {
  if (a > kMost / b)
    throw Error("the ratio of the rate of a transfer to the kernel clock does not fit 62 bits: use simpler numbers");
  return a * b;
}

void require_allowed(bool allowed, const char* what, std::int64_t value, const std::string& range) {
  if (!allowed) throw Error(fmt::format("{} of a transfer during the kernel is {}; allowed: {}", what, value, range));
}

void check(const Traffic& t, Bytes beat_bytes) {
  require_allowed(t.start >= 0, "start", t.start, "0 or more");
  require_allowed(t.pause >= 0, "pause", t.pause, "0 or more");
  require_allowed(t.address >= 0 && t.address % kBoundary == 0, "address", t.address, "a multiple of 4096");
  require_allowed(t.bytes >= 0, "bytes", t.bytes, "0 or more");
  require_allowed(t.rate.bytes > 0, "rate.bytes", t.rate.bytes, "more than 0");
  require_allowed(t.rate.seconds > 0, "rate.seconds", t.rate.seconds, "more than 0");
  const bool power = t.burst_bytes > 0 && (t.burst_bytes & (t.burst_bytes - 1)) == 0;
  require_allowed(power && t.burst_bytes >= beat_bytes && t.burst_bytes <= kBoundary, "burst_bytes", t.burst_bytes,
                  fmt::format("a power of two from {}, a beat, to {}", beat_bytes, kBoundary));
  require_allowed(t.buffer_bytes >= t.burst_bytes && t.buffer_bytes <= Bytes{1} << 30, "buffer_bytes", t.buffer_bytes,
                  "burst_bytes to 1 GiB");
  require_allowed(t.outstanding > 0, "outstanding", t.outstanding, "1 or more");
}

}  // namespace

DmaMaster::DmaMaster(std::vector<Traffic> transfers, Frequency kernel_clock, Bytes beat_bytes)
    : transfers_(std::move(transfers)), clock_(kernel_clock), beat_bytes_(beat_bytes) {
  for (const Traffic& each : transfers_) check(each, beat_bytes);
  begin(0);
}

// Begins the next transfer that has bytes.
void DmaMaster::begin(Cycles earliest) {
  for (; !done(); ends_.push_back(earliest)) {
    if (!ends_.empty()) earliest += traffic().pause;
    earliest = std::max(earliest, traffic().start);
    if (traffic().bytes > 0) break;
  }
  if (done()) return;
  set_rate();
  sent_ = 0;
  link_ = {earliest, 0};
  places_.assign(static_cast<std::size_t>(traffic().buffer_bytes / traffic().burst_bytes), link_);
  prepare();
}

// Cycles per byte: (numerator / denominator) * 10^6 * seconds / bytes; common factors are cancelled first.
void DmaMaster::set_rate() {
  std::array<std::int64_t, 3> above{clock_.numerator(), 1'000'000, traffic().rate.seconds};
  std::array<std::int64_t, 2> below{clock_.denominator(), traffic().rate.bytes};
  for (std::int64_t& a : above) {
    for (std::int64_t& b : below) {
      const std::int64_t common = std::gcd(a, b);
      a /= common;
      b /= common;
    }
  }
  const std::int64_t cycles = product(product(above[0], above[1]), above[2]);
  parts_ = product(below[0], below[1]);
  whole_ = cycles / parts_;
  part_ = cycles % parts_;
  product(std::max<std::int64_t>(whole_, 1), traffic().bytes);
  product(std::max<std::int64_t>(part_, 1), 2 * traffic().burst_bytes);
}

DmaMaster::Time DmaMaster::later(Time a, Time b) {
  return a.whole != b.whole ? (a.whole > b.whole ? a : b) : (a.part > b.part ? a : b);
}

DmaMaster::Time DmaMaster::after(Time from, Bytes bytes) const {
  const std::int64_t part = from.part + part_ * bytes;
  return {from.whole + whole_ * bytes + part / parts_, part % parts_};
}

Bytes DmaMaster::next_bytes() const {
  return std::min(traffic().burst_bytes, traffic().bytes - sent_);
}

// DMA-2: takes the next place of the buffer for the next burst; a write burst must also come over the link first.
void DmaMaster::prepare() {
  if (ready_ || places_.empty() || sent_ == traffic().bytes) return;
  Time free = places_.front();
  places_.pop_front();
  if (traffic().write) free = link_ = after(later(link_, free), next_bytes());
  ready_ = free.rounded_up();
}

// Completes the oldest burst in flight, which has come back in cycle `now`.
void DmaMaster::finish(Cycles now) {
  Time free{now + 1, 0};
  if (!traffic().write) free = link_ = after(later(link_, free), open_.front().bytes);
  places_.push_back(free);
  open_.pop_front();
  if (sent_ < traffic().bytes || !open_.empty()) return;
  ends_.push_back(free.rounded_up());
  begin(ends_.back());
}

std::optional<TrafficBurst> DmaMaster::step(Cycles now) {
  moved_ = false;
  if (done()) return std::nullopt;
  const bool sending = ready_ && *ready_ <= now && static_cast<int>(open_.size()) < traffic().outstanding;
  moved_ = sending;
  for (; !beats_.empty() && beats_.front() <= now; beats_.pop_front()) {
    if (--open_.front().beats == 0) finish(now);
    moved_ = true;
  }
  for (; !responses_.empty() && responses_.front() <= now; responses_.pop_front()) {
    finish(now);
    moved_ = true;
  }
  std::optional<TrafficBurst> burst;
  if (sending) {
    const Bytes bytes = next_bytes();
    burst = TrafficBurst{traffic().address + sent_, beats_of(bytes), traffic().write};
    open_.push_back({bytes, burst->beats});
    sent_ += bytes;
    ready_.reset();
  }
  if (!done()) prepare();
  return burst;
}

Cycles DmaMaster::quiet_until(Cycles now) const {
  Cycles next = kNever;
  if (done()) return next;
  if (ready_ && static_cast<int>(open_.size()) < traffic().outstanding) next = std::max(now, *ready_);
  if (!beats_.empty()) next = std::min(next, std::max(now, beats_.front()));
  if (!responses_.empty()) next = std::min(next, std::max(now, responses_.front()));
  return next;
}

void step(DmaMaster& master, Memory& memory, PortId read, PortId write, Cycles now) {
  for (Cycles visible; (visible = memory.next_read_beat(read)) != kNever;) {
    memory.take_read_beat(read, visible);
    master.beat(visible);
  }
  for (Cycles visible; (visible = memory.next_write_response(write)) != kNever;) {
    memory.take_write_response(write, visible);
    master.response(visible);
  }
  const std::optional<TrafficBurst> burst = master.step(now);
  if (!burst) return;
  if (!burst->write) return memory.send_read(read, now, burst->address, burst->beats);
  memory.send_write(write, now, burst->address, burst->beats);
  for (int beat = 0; beat < burst->beats; ++beat) memory.send_write_beat(write, now);
}

}  // namespace weft::memory
