#include "model/link/closed_form.h"

#include <algorithm>

namespace weft::link {

namespace {

constexpr double kPsPerSecond = 1e12;

// Terms of one configuration: times in picoseconds, sizes in bytes on the wire.
class Terms {
 public:
  explicit Terms(const PcieConfig& config)
      : c_(config),
        byte_(symbol_ps(config) / config.lanes * skp_stretch(config)),
        dllp_share_(2.0 * config.dllp_bytes / (config.dllp_interval_bytes - 2.0 * config.dllp_bytes)) {}

  double time(double bytes) const { return bytes * byte_; }
  double dllps(double bytes) const { return bytes * byte_ * dllp_share_; }
  double wire(double bytes) const { return time(bytes) + dllps(bytes); }

  // Bytes of the completions of `bytes` contiguous bytes.
  double completions(double bytes) const {
    return bytes + c_.completion_overhead_bytes * static_cast<double>(pieces(bytes, c_.max_payload_bytes));
  }
  static std::int64_t pieces(double bytes, double most) {
    return ceil_div(static_cast<std::int64_t>(bytes), static_cast<std::int64_t>(most));
  }

  // Fetch of a block of descriptors: bytes of its MRds, bytes of its CplDs, and time from its start to its last byte.
  double block_bytes() const { return static_cast<double>(c_.dma.descriptor_bytes) * c_.dma.descriptors_per_fetch; }
  double block_requests() const {
    return static_cast<double>(pieces(block_bytes(), c_.max_read_request_bytes)) * c_.read_overhead_bytes;
  }
  double block_completions() const { return completions(block_bytes()); }
  double block_time() const {
    // The completions of the first request arrive one round trip later, the others directly after them.
    return time(c_.read_overhead_bytes) + static_cast<double>(c_.read_round_trip_ps) +
           std::max(time(block_requests()) - time(c_.read_overhead_bytes), wire(block_completions()));
  }

 private:
  static double symbol_ps(const PcieConfig& c) {
    constexpr double kGigatransfers[] = {2.5, 5, 8, 16, 32};
    const double bits = c.generation <= 2 ? 10.0 : 8.0 * 130 / 128;
    return 1000 * bits / kGigatransfers[c.generation - 1];
  }
  static double skp_stretch(const PcieConfig& c) {
    return static_cast<double>(c.skp_interval_symbols) / (c.skp_interval_symbols - c.skp_symbols);
  }

  const PcieConfig& c_;
  double byte_, dllp_share_;
};

// Bounds on the time of one block of descriptors with `count` equal data TLPs, or requests with their completions. Each
// takes `step_ps` of the wire, and the block's descriptors take `block_ps` more.
class Block {
 public:
  Block(double count, double step_ps, double block_ps)
      : count_(count),
        step_ps_(step_ps),
        block_ps_(block_ps),
        longest_ps_(count * step_ps + block_ps),
        run_ps_(count * step_ps) {}

  void consider(double ps, Bound why) {
    runner_up_ps_ = std::max(runner_up_ps_, std::min(ps, longest_ps_));
    lengthen(ps, why);
  }

  // Adds the limit of at most `window` TLPs in flight, each for `loop_ps`. The time of a long transfer is its longest
  // path: a step leads to the next TLP on the wire, or to the TLP `window` later that waits for this one. If both are
  // nearly equally slow, the longest path uses the windows, and the wire only where descriptors are between two TLPs.
  // Over q blocks the windows leave a remainder of wire steps, each of which loses the slack.
  void window(double window, double loop_ps, Bound why) {
    const double each_ps = loop_ps / window, slack_ps = each_ps - step_ps_;
    const double windows_ps = count_ * each_ps;
    consider(windows_ps, why);
    const auto tlps = static_cast<std::int64_t>(count_), held = static_cast<std::int64_t>(window);
    const std::int64_t windows = (tlps - 1) / held, steps = (tlps - 1) % held + 1;
    run_ps_ = std::max(run_ps_, static_cast<double>(windows) * loop_ps + static_cast<double>(steps) * step_ps_);
    if (slack_ps < 0 || static_cast<double>(tlps) != count_) return;
    for (std::int64_t q = 1; q <= held; ++q) {
      const auto steps = static_cast<double>((q * tlps - 1) % held + 1);
      lengthen(windows_ps + (block_ps_ - steps * slack_ps) / static_cast<double>(q), why);
    }
  }

  double longest_ps() const { return longest_ps_; }
  // Time from the first TLP of a block to the end of its last, if they wait only for each other.
  double run_ps() const { return run_ps_; }
  Bound bound() const { return bound_; }
  double margin() const { return runner_up_ps_ > 0 ? longest_ps_ / runner_up_ps_ : kNoOther; }

 private:
  static constexpr double kNoOther = 1e9;
  void lengthen(double ps, Bound why) {
    if (ps <= longest_ps_) return;
    longest_ps_ = ps;
    bound_ = why;
  }

  double count_, step_ps_, block_ps_, longest_ps_, run_ps_, runner_up_ps_ = 0;
  Bound bound_ = Bound::Wire;
};

// Mean data bytes per block of descriptors.
double bytes_of_block(const PcieConfig& c) {
  const auto per_page = static_cast<double>(ceil_div(c.dma.host_page_bytes, c.dma.descriptor_max_bytes));
  return static_cast<double>(c.dma.host_page_bytes) * c.dma.descriptors_per_fetch / per_page;
}

ClosedForm result(const PcieConfig& c, const Block& block, double tlp, double first_ps) {
  const double bytes_per_ps = bytes_of_block(c) / block.longest_ps();
  return {(first_ps - tlp / bytes_per_ps) / kPsPerSecond, bytes_per_ps * kPsPerSecond, block.bound(), block.margin()};
}

ClosedForm to_card(const PcieConfig& c) {
  const Terms terms(c);
  const double request = c.max_read_request_bytes, requests = bytes_of_block(c) / request;
  const double part = std::min(c.max_payload_bytes, c.max_read_request_bytes);
  // Time from a request until its `parts`-th completion is in the card's memory, with the DLLPs in between.
  const auto loop = [&](double parts) {
    const double each = part + c.completion_overhead_bytes;
    return terms.time(c.read_overhead_bytes) + static_cast<double>(c.read_round_trip_ps) + terms.time(parts * each) +
           terms.dllps((parts - 1) * each) + static_cast<double>(c.card_write_latency_ps);
  };
  const double whole = loop(request / part);
  Block block(requests, terms.wire(terms.completions(request)), terms.wire(terms.block_completions()));
  block.consider(terms.wire(requests * c.read_overhead_bytes + terms.block_requests()), Bound::Wire);
  block.window(c.dma.tags, whole, Bound::Tags);
  // The FIFO holds whole requests and part of the next one, which is sent when the rest of its room is free.
  const Bytes held = c.dma.buffer_bytes / c.max_read_request_bytes;
  const double rest = request - static_cast<double>(c.dma.buffer_bytes % c.max_read_request_bytes);
  block.window(static_cast<double>(held), loop(static_cast<double>(Terms::pieces(rest, part))), Bound::Buffer);
  if (c.nonposted_headers > 0) {
    const double credit = terms.time(c.read_overhead_bytes) + static_cast<double>(c.credit_return_ps);
    const double all = requests + terms.block_requests() / c.read_overhead_bytes;
    block.consider(all * credit / c.nonposted_headers, Bound::Credits);
  }
  block.consider(terms.block_time(), Bound::Descriptors);
  return result(c, block, request, terms.block_time() + whole);
}

ClosedForm to_host(const PcieConfig& c) {
  const Terms terms(c);
  const double payload = c.max_payload_bytes, bytes = payload + c.write_overhead_bytes;
  Block block(bytes_of_block(c) / payload, terms.wire(bytes), terms.wire(terms.block_requests()));
  const Bytes pieces = c.dma.buffer_bytes / c.max_payload_bytes;
  const auto held = static_cast<double>(pieces);
  block.window(held, static_cast<double>(c.card_read_latency_ps) + terms.time(bytes), Bound::Buffer);
  const double credit = terms.time(bytes) + static_cast<double>(c.credit_return_ps);
  if (c.posted.headers > 0) block.window(c.posted.headers, credit, Bound::Credits);
  if (c.posted.data > 0) {
    const int writes = c.posted.data / (c.max_payload_bytes / 16);
    block.window(writes, credit, Bound::Credits);
  }
  // A block is fetched before the first write of the previous block, hence after the last write of the one before that.
  block.consider(terms.block_time(), Bound::Descriptors);
  block.consider((terms.block_time() + static_cast<double>(c.card_read_latency_ps) + block.run_ps()) / 2,
                 Bound::Descriptors);
  const double first = static_cast<double>(c.card_read_latency_ps + c.host_write_latency_ps) + terms.time(bytes);
  return result(c, block, payload, terms.block_time() + first);
}

}  // namespace

ClosedForm closed_form(const PcieConfig& config, Direction direction) {
  return direction == Direction::HostToCard ? to_card(config) : to_host(config);
}

}  // namespace weft::link
