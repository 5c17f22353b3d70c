#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/core/divider.h"
#include "model/core/intern.h"
#include "model/core/key_map.h"
#include "model/fpgpt/kernel.h"
#include "model/memory/ddr4_memory.h"

namespace weft::fpgpt::exact {

// Memoised steps of INP, the KERN feeder and the array between beats of INP, for F and GI with KERN loaded: beats of
// INP are then all that these blocks wait for. A step ends after the next beat, or the next few consecutive ones. It
// depends on their state relative to the window of im2col, the cycles to the beat, the number of beats, and the beat
// and page alignment of the ranges processed. Few steps exist for all sets and rounds, whereas states of kernel and
// memory together rarely recur. OUT depends only on the array, which never waits for it here, and is stepped where it
// is active.
// With overlap_drain and sets that follow each other without gaps, ends of sets and rounds are like any other window;
// otherwise steps stay within a set.
class BeatToBeat {
 public:
  // Steps OUT one cycle, including its transfers.
  using StepOut = std::function<void(Cycles now)>;

  // Begins a convolution. Steps stay valid if it differs from the last one only in the addresses of its tensors.
  void begin(const Plan& plan);

  // Advances kernel and memory from cycle `now`, as stepping both would, until shortly before `windows` or until no
  // step applies. Adds to `activities`; sets `last` to the address of INP's last request, if any. Without `step_out`
  // OUT must be idle. Returns the cycles advanced; 0: the preconditions do not hold, and the caller must step the
  // kernel.
  Cycles pass(Kernel& kernel, memory::Ddr4Memory& memory, Cycles now, std::int64_t windows, const StepOut& step_out,
              BlockActivities& activities, Address& last);

  void evict();
  std::size_t memory() const;  // approximate bytes

 private:
  static constexpr std::size_t kMostRequests = 8;
  struct Request {
    std::uint8_t cycle = 0;  // of the step
    std::uint8_t beats = 0;
    std::uint8_t range = 0;  // relative to the window's
    std::uint8_t first = 0;  // beat of the range
  };
  // Positions relative to the window: ranges of the blocks, and KERN tokens fed.
  struct Front {
    std::int16_t construct = 0, receive = 0, request = 0, feed = 0;
  };
  // State with the positions that the look-up of a step needs.
  struct State {
    std::uint32_t number = 0;
    Front front;
  };
  // Consecutive cycles, with one beat in each of the last ones, if the step has beats.
  struct alignas(64) Step {  // one cache line
    bool valid = false;
    std::uint8_t cycles = 0, windows = 0, requests = 0;
    State next;
    std::uint32_t counts = 0;
    std::array<Request, kMostRequests> request;
    std::uint64_t array = 0;  // cycles in which the array advances, one bit each
  };
  // Counts of a step: cycles of each block up to the array by activity; cycles of the array starved of either input;
  // busy and waiting cycles of INP's port.
  static constexpr std::size_t kBlocksUpToArray = static_cast<std::size_t>(Block::OutConstructor);
  static constexpr std::size_t kCounts = kActivities * kBlocksUpToArray + std::tuple_size_v<ArrayStarved> + 2;
  static constexpr std::size_t kCountsOfAStep = (kCounts + 15) / 16 * 16;  // multiple of 16 for vector instructions
  using Counts = std::array<std::uint8_t, kCountsOfAStep>;
  // Ranges: most that a step looks at, prepared in advance, and held at a time.
  static constexpr std::int64_t kMostRanges = 127, kRangesAhead = 64, kRanges = 256;
  static_assert(1 + kMostRanges + kRangesAhead <= kRanges);
  // Limit of a pass, after which no step begins: its counts fit 16 bits.
  static constexpr Cycles kMostCycles = 1 << 15;

  bool usable() const { return !shapes_.empty(); }
  bool begins(const Kernel& kernel, std::int64_t window) const;
  std::int64_t windows_left(std::int64_t window) const;
  Anchor anchor(std::int64_t window) const;
  void relative(Relative& state, Kernel& kernel, const Anchor& at) const;
  State state_of(Kernel& kernel, std::int64_t window);
  void load(Kernel& kernel, std::uint32_t state, std::int64_t window) const;
  void shape_ranges();
  void look_at(std::int64_t first, std::int64_t last);
  static std::size_t slot(std::int64_t range) { return static_cast<std::size_t>(range) & (kRanges - 1); }
  std::uint64_t shapes_from(std::int64_t range, std::int64_t count) const;
  std::int64_t ranges_of(std::int64_t range, std::int64_t beats) const;
  const Step* step_from(const Kernel& kernel, const State& state, std::int64_t window, std::int64_t left, Cycles gap,
                        std::int64_t beats);
  Step simulate(const Kernel& kernel, std::uint32_t state, std::int64_t window, Cycles gap, std::int64_t beats,
                std::int64_t last_requested);

  const Plan* plan_ = nullptr;
  bool flat_ = false;                   // ends of sets are like any other window
  Divider band_{1};                     // words of a beat
  std::int64_t page_beats_ = 0;         // of a memory page, a power of two
  std::vector<std::uint8_t> shapes_;    // alignment class of a range by its first word in a page
  std::vector<std::uint8_t> beats_of_;  // beats of a range by its alignment class, at most kMostBeats
  // Ring buffers of INP's ranges: first beat; alignment class; beats, at most kMostBeats. The latter two are stored
  // twice, so that consecutive ones are read at once.
  std::array<std::int64_t, kRanges> beats_{};
  std::array<std::uint8_t, 2 * kRanges> range_shapes_{}, sizes_{};
  std::int64_t ranges_from_ = 0, ranges_to_ = 0;  // ranges in the ring buffers
  stream::RangeCursor cursor_;                    // next range to be added
  States states_;
  KeyMap<3> step_of_;  // key: state, gap and beats; alignment of the ranges
  std::vector<Step> steps_;
  States counts_of_;  // as bytes
  std::vector<Counts> counts_;
  std::string bytes_;
  Kernel scratch_;  // simulates new steps; a member to reuse its buffers
};

}  // namespace weft::fpgpt::exact
