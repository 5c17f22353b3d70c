#pragma once

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <vector>

#include "model/core/relative.h"
#include "model/core/units.h"
#include "model/memory/memory.h"
#include "model/stream/lanes.h"

namespace weft::stream {

// Beats (or responses) on their way to a port, in order, with the cycle from which each may be taken. Consecutive beats
// are stored as runs. In data mode the queue also holds the words of the beats.
class BeatQueue {
 public:
  BeatQueue() = default;
  // Queue of a port whose beats carry words (data mode).
  explicit BeatQueue(const Lanes& lanes) : lanes_(lanes), words_per_beat_(static_cast<std::size_t>(lanes.band)) {}

  void push(Cycles visible, std::int64_t count = 1) {
    if (tail_ > head_ && runs_[index(tail_ - 1)].first + runs_[index(tail_ - 1)].count == visible) {
      runs_[index(tail_ - 1)].count += count;
      return;
    }
    if (tail_ - head_ > mask_) grow();
    runs_[index(tail_++)] = {visible, count};
  }
  // Adds the words of `beats` beats in flight, in memory layout.
  void push_words(const std::byte* memory, std::int64_t beats) {
    const std::size_t before = words_.size();
    words_.resize(before + static_cast<std::size_t>(beats) * words_per_beat_);
    lanes_.load(memory, beats, words_.data() + before);
  }

  bool visible(Cycles now) const { return head_ != tail_ && runs_[index(head_)].first <= now; }
  Cycles next_visible() const { return head_ == tail_ ? kNever : runs_[index(head_)].first; }
  std::int64_t size() const {
    std::int64_t beats = 0;
    for (std::size_t i = head_; i != tail_; ++i) beats += runs_[index(i)].count;
    return beats;
  }
  // Calls visit(first, count) for each run: its beats may be taken from cycles first, first + 1, ...
  template <typename Visit>
  void for_each_run(Visit visit) const {
    for (std::size_t i = head_; i != tail_; ++i) visit(runs_[index(i)].first, runs_[index(i)].count);
  }
  // Number of next beats that may be taken one per cycle from `now` on, as one run.
  std::int64_t in_a_row(Cycles now) const { return visible(now) ? runs_[index(head_)].count : 0; }
  const Word* front() const { return words_.data() + first_word_; }
  // `count`: at most in_a_row().
  void pop(std::int64_t count = 1) {
    Run& run = runs_[index(head_)];
    run.first += count;
    run.count -= count;
    head_ += run.count == 0 ? 1 : 0;
    first_word_ += words_per_beat_ * static_cast<std::size_t>(count);
    if (first_word_ >= kCompactWords) {
      words_.erase(words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(std::min(first_word_, words_.size())));
      first_word_ = 0;
    }
  }

 private:
  struct Run {
    Cycles first = 0;
    std::int64_t count = 0;
  };
  static constexpr std::size_t kCompactWords = 4096;

  std::size_t index(std::size_t position) const { return position & mask_; }
  void grow() {
    const std::size_t mask = 2 * mask_ + 1;
    std::vector<Run> larger(mask + 1);
    for (std::size_t i = head_; i < tail_; ++i) larger[i & mask] = runs_[index(i)];
    runs_ = std::move(larger);
    mask_ = mask;
  }

  Lanes lanes_;
  std::size_t words_per_beat_ = 0;  // 0: no words
  std::size_t mask_ = 7;            // number of runs - 1; the number is a power of two
  std::vector<Run> runs_ = std::vector<Run>(mask_ + 1);
  std::size_t head_ = 0, tail_ = 0;
  std::vector<Word> words_;
  std::size_t first_word_ = 0;
};

struct PortConfig {
  int max_burst_beats = 64;  // 1..256; a burst never crosses 4 KB either
  int outstanding = 16;      // bursts sent and not finished, 1..256

  template <class Self>
  static auto all(const Self& self) {
    return std::tie(self.max_burst_beats, self.outstanding);
  }
  friend bool operator==(const PortConfig& a, const PortConfig& b) { return all(a) == all(b); }
};

inline constexpr Bytes kPageBytes = 4096;  // no burst crosses it (AXI4 A3.4.1)

struct BurstRequest {
  Address address = 0;
  int beats = 0;
};

// Block side of an AXI4 read port. The host sets `ready` before each cycle, takes `request` after it, and fills `data`.
struct ReadPort {
  bool ready = true;  // ARREADY
  bool requested = false;
  BurstRequest request;  // valid in cycles with `requested`
  BeatQueue data;
  std::int64_t outstanding = 0;  // bursts sent and not completely taken
  std::int64_t beats_left = 0;   // beats of these bursts not yet taken
  Cycles busy_cycles = 0;        // cycles that moved a beat
  Cycles wait_cycles = 0;        // cycles with an outstanding burst and no beat

  // State without `data`, which belongs to the memory.
  void relative(Relative& state) {
    state.value(outstanding);
    state.value(beats_left);
  }
};

// Block side of an AXI4 write port.
struct WritePort {
  bool address_ready = true, data_ready = true;  // AWREADY, WREADY
  bool requested = false;
  BurstRequest request;
  bool beat_sent = false;         // a W beat in this cycle, with its words in `beat`
  Address beat_address = 0;       // address of the beat's first byte
  int first_lane = 0, lanes = 0;  // strobes: words first_lane .. first_lane + lanes - 1 are written
  std::vector<Word> beat;         // data mode only
  BeatQueue responses;
  bool response_taken = false;   // true if taken in this cycle
  std::int64_t outstanding = 0;  // bursts sent whose response is not yet taken
  Cycles busy_cycles = 0;
  Cycles wait_cycles = 0;

  void relative(Relative& state, Cycles now);
};

inline void WritePort::relative(Relative& state, Cycles now) {
  state.value(outstanding);
  std::int64_t left = responses.size();
  state.value(left);
  if (!state.loading()) {
    responses.for_each_run([&](Cycles first, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) state.from(first, now - i);
    });
    return;
  }
  responses = BeatQueue();
  for (; left > 0; --left) {
    Cycles visible = 0;
    state.from(visible, now);
    responses.push(visible);
  }
}

// Length of the longest legal burst from `address`: at most `beats`, at most `max_beats`, not across a 4 KB boundary
// (AXI4 A3.4.1).
inline int burst_beats(Address address, std::int64_t beats, int max_beats, Bytes beat_bytes) {
  const std::int64_t to_boundary = (kPageBytes - address % kPageBytes) / beat_bytes;
  return static_cast<int>(std::min({beats, std::int64_t{max_beats}, to_boundary}));
}

// Statistics of a port: counts of the memory, and the port's own cycle counts.
template <class Port>
memory::PortStats port_stats(memory::Memory& memory, memory::PortId id, const Port& port) {
  memory::PortStats stats = memory.stats(id);
  stats.busy_cycles = port.busy_cycles;
  stats.wait_cycles = port.wait_cycles;
  return stats;
}

}  // namespace weft::stream
