#include "model/link/link.h"

#include <fmt/core.h>

#include <optional>
#include <string>

#include "model/core/error.h"
#include "model/link/dma_transfer.h"

namespace weft::link {

namespace {

constexpr Bytes kBoundary = 4096;

// Detects that a transfer is back in an earlier state, with one stored state (Brent's algorithm): the mark moves to the
// present after 1, 2, 4, ... calls.
class Repetition {
 public:
  // Returns the mark if `transfer` is now in the marked state.
  const DmaTransfer* look(DmaTransfer& transfer) {
    if (mark_ && transfer.in_step_with(*mark_) && transfer.relative() == state_) return &*mark_;
    if (++looks_ == limit_) {
      state_ = transfer.relative();
      mark_ = transfer;
      limit_ *= 2;
      looks_ = 0;
    }
    return nullptr;
  }

 private:
  std::optional<DmaTransfer> mark_;
  std::string state_;
  std::int64_t looks_ = 0, limit_ = 1;
};

// Skips provable repetitions. Equal states of the engine behave equally while it processes equal work: pages of one
// long descriptor, or blocks of descriptors of one whole host page each. The first block may begin inside a page. The
// last ones differ: the block fetched during a block must be full, and the last descriptor may be short.
class Skipper {
 public:
  explicit Skipper(const DmaConfig& dma)
      : per_fetch_(dma.descriptors_per_fetch), block_like_(dma.host_page_bytes <= dma.descriptor_max_bytes) {}

  // `transfer` is back in its state at `since` for the first time.
  void skip_blocks(DmaTransfer& transfer, const DmaTransfer& since) {
    const std::int64_t block = transfer.descriptors_begun() / per_fetch_;
    const std::int64_t period = block - since.descriptors_begun() / per_fetch_;
    const std::int64_t times = (transfer.descriptors() / per_fetch_ - 1 - block) / period;
    if (times > 0) transfer.repeat(times, since);
    skipped_blocks_ = true;
  }
  // The transfer at the first repetition by blocks: in the earlier state, and now; empty before that.
  const std::optional<DmaTransfer>& since() const { return since_; }
  const std::optional<DmaTransfer>& now() const { return now_; }

  void look(DmaTransfer& transfer) {
    if (transfer.descriptors_begun() != descriptor_) {
      descriptor_ = transfer.descriptors_begun();
      pages_ = {};
    }
    if (transfer.host_address() == transfer.descriptor_end()) {
      if (block_like_ && !skipped_blocks_ && descriptor_ % per_fetch_ == 0) look_at_block(transfer);
    } else if (transfer.descriptor_end() - transfer.host_address() >= kLeastRest) {
      look_at_page(transfer);
    }
  }

 private:
  static constexpr Bytes kLeastRest = 16 * kBoundary;

  void look_at_block(DmaTransfer& transfer) {
    const DmaTransfer* const since = blocks_.look(transfer);
    if (!since) return;
    since_ = *since;
    now_ = transfer;
    skip_blocks(transfer, *since_);
  }
  void look_at_page(DmaTransfer& transfer) {
    const DmaTransfer* const since = pages_.look(transfer);
    if (!since) return;
    const Bytes period = transfer.host_address() - since->host_address();
    const std::int64_t times = (transfer.descriptor_end() - transfer.host_address()) / period;
    if (times > 0) transfer.repeat(times, *since);
    pages_ = {};
  }

  std::int64_t per_fetch_;
  bool block_like_;
  bool skipped_blocks_ = false;
  std::int64_t descriptor_ = 0;
  Repetition blocks_, pages_;
  std::optional<DmaTransfer> since_, now_;
};

}  // namespace

const char* to_string(Bound bound) {
  constexpr std::array<const char*, kBounds> kNames{"set-up", "wire", "tags", "credits", "buffer", "descriptors"};
  return kNames[static_cast<std::size_t>(bound)];
}

Link::Link(const PcieConfig& config) : config_(config) {
  config_.validate();
}

// Two times of a transfer, by blocks of descriptors, with the same state.
struct Link::Repeated {
  DmaTransfer since, now;
};

namespace {

void check(Address host_address, Bytes bytes) {
  if (bytes < 0 || bytes > kMaxTransfer) {
    throw Error(fmt::format("a transfer must be of 0 to {} bytes, but is of {}", kMaxTransfer, bytes));
  }
  if (host_address < 0) throw Error(fmt::format("a host address must not be negative, but is {}", host_address));
}

void finish(DmaTransfer& transfer, Skipper& skipper) {
  while (!transfer.finished()) {
    transfer.step_page();
    skipper.look(transfer);
  }
}

}  // namespace

Transfer simulate(const PcieConfig& config, Direction direction, Address host_address, Bytes bytes, Stepping stepping) {
  check(host_address, bytes);
  DmaTransfer transfer(config, WireTime(config), direction, host_address % config.dma.host_page_bytes, bytes);
  if (stepping == Stepping::Skip) {
    Skipper skipper(config.dma);
    finish(transfer, skipper);
  }
  while (!transfer.finished()) transfer.step_page();
  return transfer.result();
}

const Transfer& Link::transfer(Direction direction, Address host_address, Bytes bytes) {
  check(host_address, bytes);
  const Address place = host_address % config_.dma.host_page_bytes;
  const auto key = std::make_tuple(direction, place, bytes);
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  std::shared_ptr<const Repeated>& repeated = repeated_[{direction, place}];
  DmaTransfer transfer(config_, WireTime(config_), direction, place, bytes);
  Skipper skipper(config_.dma);
  if (repeated) {
    DmaTransfer later = repeated->now;
    if (later.resize(bytes)) {
      transfer = std::move(later);
      skipper.skip_blocks(transfer, repeated->since);
    }
  }
  finish(transfer, skipper);
  if (!repeated && skipper.now()) {
    DmaTransfer now = *skipper.now();
    // Stored only if transfers of other sizes can continue from it.
    if (now.resize(kMaxTransfer))
      repeated = std::make_shared<const Repeated>(Repeated{*skipper.since(), std::move(now)});
  }
  return known_.emplace(key, transfer.result()).first->second;
}

Picoseconds call_time(const ExactTime& transfer, Direction direction, Bytes bytes, const CallCost& cost, bool copied) {
  const std::int64_t rate =
      direction == Direction::HostToCard ? cost.copy_to_card_bytes_per_s : cost.copy_to_host_bytes_per_s;
  if (!copied || rate == 0 || bytes == 0) return cost.setup_ps + transfer.rounded_up();
  if (rate < 0 || rate > kMaxCopyRate) {
    throw Error(fmt::format("the rate of a copy must be between 0 and {} bytes/s, but is {}", kMaxCopyRate, rate));
  }
  // bytes * 10^12 / rate in two steps, so that no product exceeds 2^62: bytes <= 2^40, rate <= 2^38,
  // ticks_per_ps <= 2^23.
  constexpr std::int64_t kMillion = 1'000'000;
  const std::int64_t micro = bytes * kMillion / rate, micro_rest = bytes * kMillion % rate * kMillion;
  const Picoseconds whole = micro * kMillion + micro_rest / rate + transfer.ticks / transfer.ticks_per_ps;
  const std::int64_t copy_rest = micro_rest % rate, rest = transfer.ticks % transfer.ticks_per_ps;
  return cost.setup_ps + whole +
         ceil_div(copy_rest * transfer.ticks_per_ps + rest * rate, rate * transfer.ticks_per_ps);
}

Picoseconds Link::time(Direction direction, Address host_address, Bytes bytes, const CallCost& cost, bool copied) {
  return call_time(transfer(direction, host_address, bytes).end, direction, bytes, cost, copied);
}

}  // namespace weft::link
