#include "model/fpgpt/execution/known_times.h"

#include <algorithm>
#include <tuple>
#include <type_traits>
#include <utility>

#include "model/fpgpt/exact/exact.h"
#include "model/memory/ddr4_address.h"

namespace weft::fpgpt {

namespace {

// Cache key: all numbers of the structures, by their lists of fields. Of a convolution it omits the
// multiply-accumulates that reports call useful, and its bases are relative to the rows of their channel.
class KeyOf {
 public:
  KeyOf(const Alpha& alpha, conv::Convolution beta, const memory::MemoryConfig& memory) {
    add(alpha);
    add(memory);
    add_bases(beta, memory.port_channel);
    beta.useful_macs = 0;
    beta.inp.base = beta.kern.base = beta.out.base = 0;
    add(beta);
  }
  std::vector<std::int64_t> take() { return std::move(key_); }

 private:
  void add(const Rational& value) {
    add(value.numerator());
    add(value.denominator());
  }
  void add(const std::vector<int>& values) {
    add(values.size());
    for (const int value : values) add(value);
  }
  void add(const std::array<int, kPorts>& values) {
    for (const int value : values) add(value);
  }
  void add(const FifoDepths& depths) {
    for (const auto depth : depths.all()) add(depth);
  }
  template <class Value>
  void add(const Value& value) {
    if constexpr (std::is_arithmetic_v<Value> || std::is_enum_v<Value>) {
      key_.push_back(static_cast<std::int64_t>(value));
    } else {
      std::apply([&](const auto&... fields) { (add(fields), ...); }, Value::all(value));
    }
  }
  void add_bases(const conv::Convolution& beta, const std::vector<int>& port_channel) {
    const std::array<Address, kPorts> bases{beta.inp.base, beta.kern.base, beta.out.base};
    for (std::size_t port = 0; port < kPorts; ++port) {
      Address lowest = bases.at(port);
      for (std::size_t other = 0; other < kPorts; ++other) {
        if (port_channel.at(other) == port_channel.at(port)) lowest = std::min(lowest, bases.at(other));
      }
      add(bases.at(port) - (lowest >> memory::kRowBit << memory::kRowBit));
    }
  }

  std::vector<std::int64_t> key_;
};

Extent in_bytes(std::int64_t first_beat, std::int64_t end_beat, Bytes beat_bytes, Address base) {
  return {first_beat * beat_bytes - base, end_beat * beat_bytes - base};
}

// Extent of a loop whose pitches are not negative.
Extent extent_of(const stream::RangeLoop& loop, Bytes beat_bytes, Address base) {
  const auto [least, most] = std::minmax_element(loop.start.begin(), loop.start.end());
  const Words last =
      loop.base + (loop.a - 1) * loop.pitch_a + (loop.n - 1) * loop.pitch_n + (loop.c - 1) * loop.pitch_c + *most;
  return in_bytes((loop.base + *least) / loop.band,
                  std::max(ceil_div(last + loop.words, loop.band), last / loop.band + loop.floor_beats), beat_bytes,
                  base);
}

Extent extent_of(const stream::WriteLoop& loop, Bytes beat_bytes, Address base) {
  const Words end = loop.base + (loop.runs - 1) * loop.run_pitch + loop.run_words;
  return in_bytes(loop.base / loop.band, ceil_div(end, loop.band), beat_bytes, base);
}

}  // namespace

Extents extents(const Plan& plan) {
  const auto of = [&](Port port, const auto& loop, Address base) {
    return extent_of(loop, plan.alpha.beat_bytes(port), base);
  };
  return {of(Port::Inp, plan.inp, plan.beta.inp.base), of(Port::Kern, plan.kern, plan.beta.kern.base),
          of(Port::Out, plan.out, plan.beta.out.base)};
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
