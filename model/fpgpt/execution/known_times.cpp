#include "model/fpgpt/execution/known_times.h"

#include <algorithm>
#include <utility>

#include "model/fpgpt/exact/exact.h"
#include "model/memory/ddr4_address.h"

namespace weft::fpgpt {

namespace {

// Takes structs apart by all of their members, so that one with a new member does not compile here.
class KeyOf {
 public:
  KeyOf(const Alpha& alpha, const conv::Convolution& beta, const memory::MemoryConfig& memory) {
    add(alpha);
    add(memory);
    add(beta);
    add_bases(beta, memory.port_channel);
  }
  std::vector<std::int64_t> take() { return std::move(key_); }

 private:
  template <class... Values>
  void add_all(const Values&... values) {
    (key_.push_back(static_cast<std::int64_t>(values)), ...);
  }
  void add(const Rational& value) { add_all(value.numerator(), value.denominator()); }
  void add(const Profile& profile) {
    const auto& [exact_bursts, overlap_drain, wide_kern_load, early_kern_feed, packed_gw_sets] = profile;
    add_all(exact_bursts, overlap_drain, wide_kern_load, early_kern_feed, packed_gw_sets);
  }
  void add(const stream::PortConfig& port) {
    const auto& [max_burst_beats, outstanding] = port;
    add_all(max_burst_beats, outstanding);
  }
  void add(const Alpha& alpha) {
    const auto& [x, y, z, z_channel, k_range, kern_words, out_words, bus_bits, format, packing, variant, profile, fifo,
                 inp_port, kern_port, out_port, clock, inp_storage, kern_storage, out_storage] = alpha;
    add_all(x, y, z, z_channel, k_range, kern_words, out_words, bus_bits, format.kind, format.bits, packing, variant,
            inp_storage, kern_storage, out_storage);
    add(profile);
    for (const int depth : fifo.all()) add_all(depth);
    for (const stream::PortConfig* port : {&inp_port, &kern_port, &out_port}) add(*port);
    add(clock);
  }
  void add(const memory::Ddr4Timing& timing) {
    const auto& [cl, cwl, burst_length, rcd, rp, ras, rc, rrd_s, rrd_l, faw, ccd_s, ccd_l, rtp, wr, wtr_s, wtr_l,
                 turnaround, refi, rfc] = timing;
    add_all(cl, cwl, burst_length, rcd, rp, ras, rc, rrd_s, rrd_l, faw, ccd_s, ccd_l, rtp, wr, wtr_s, wtr_l, turnaround,
            refi, rfc);
  }
  void add(const memory::Ddr4Config& ddr4) {
    const auto& [data_rate, timing, capacity, map, auto_precharge_a3, refresh, read_queue, write_queue, bank_queue,
                 write_high, write_low, row_hit_limit] = ddr4;
    add(data_rate);
    add(timing);
    add_all(capacity, map, auto_precharge_a3, refresh, read_queue, write_queue, bank_queue, write_high, write_low,
            row_hit_limit);
  }
  void add(const memory::MemoryConfig& memory) {
    const auto& [kind, kernel_clock, beat_bytes, port_channel, dma_ports, channels, latency, response, ideal_latency,
                 ddr4] = memory;
    add_all(kind, beat_bytes, port_channel.size(), dma_ports, channels, latency, response, ideal_latency);
    for (const int channel : port_channel) add_all(channel);
    add(kernel_clock);
    add(ddr4);
  }
  void add(const conv::Axis& axis) {
    const auto& [inp, kern, out, stride, pad_begin, inp_dilation, kern_dilation] = axis;
    add_all(inp, kern, out, stride, pad_begin, inp_dilation, kern_dilation);
  }
  // The multiply-accumulates that a report calls useful, and the bases, which follow apart, are left out.
  void add(const conv::Convolution& beta) {
    const auto& [kind, a, n_inp, n_kern, c, h, w, inp, kern, out, useful_macs] = beta;
    static_cast<void>(useful_macs);
    add_all(kind, a, n_inp, n_kern, c);
    add(h);
    add(w);
    for (const conv::TensorView* view : {&inp, &kern, &out}) {
      const auto& [base, pitch_a, pitch_n, pitch_c, first] = *view;
      static_cast<void>(base);
      add_all(pitch_a, pitch_n, pitch_c, first);
    }
  }
  void add_bases(const conv::Convolution& beta, const std::vector<int>& port_channel) {
    const std::array<Address, kPorts> bases{beta.inp.base, beta.kern.base, beta.out.base};
    for (std::size_t port = 0; port < kPorts; ++port) {
      Address lowest = bases.at(port);
      for (std::size_t other = 0; other < kPorts; ++other) {
        if (port_channel.at(other) == port_channel.at(port)) lowest = std::min(lowest, bases.at(other));
      }
      add_all(bases.at(port) - (lowest >> memory::kRowBit << memory::kRowBit));
    }
  }

  std::vector<std::int64_t> key_;
};

Extent in_bytes(std::int64_t first_beat, std::int64_t end_beat, const Alpha& alpha, Address base) {
  return {first_beat * alpha.beat_bytes() - base, end_beat * alpha.beat_bytes() - base};
}

// Of a loop whose pitches are not negative.
Extent extent_of(const stream::RangeLoop& loop, const Alpha& alpha, Address base) {
  const auto [least, most] = std::minmax_element(loop.start.begin(), loop.start.end());
  const Words last =
      loop.base + (loop.a - 1) * loop.pitch_a + (loop.n - 1) * loop.pitch_n + (loop.c - 1) * loop.pitch_c + *most;
  return in_bytes((loop.base + *least) / loop.band,
                  std::max(ceil_div(last + loop.words, loop.band), last / loop.band + loop.floor_beats), alpha, base);
}

Extent extent_of(const stream::WriteLoop& loop, const Alpha& alpha, Address base) {
  const Words end = loop.base + (loop.runs - 1) * loop.run_pitch + loop.run_words;
  return in_bytes(loop.base / loop.band, ceil_div(end, loop.band), alpha, base);
}

}  // namespace

Extents extents(const Plan& plan) {
  return {extent_of(plan.inp, plan.alpha, plan.beta.inp.base), extent_of(plan.kern, plan.alpha, plan.beta.kern.base),
          extent_of(plan.out, plan.alpha, plan.beta.out.base)};
}

const KnownTime& KnownTimes::of(const Alpha& alpha, const conv::Convolution& beta, const memory::MemoryConfig& memory) {
  Key key = KeyOf(alpha, beta, memory).take();
  const auto known = times_.find(key);
  if (known != times_.end()) return known->second;
  const Plan plan = make_plan(alpha, beta, false);
  KnownTime time;
  time.result = exact::run_exact(plan, memory, {}).convolution;
  time.extents = extents(plan);
  ++simulated_;
  if (times_.size() >= most_) times_.clear();
  return times_.emplace(std::move(key), std::move(time)).first->second;
}

}  // namespace weft::fpgpt
