#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/core/divider.h"
#include "model/core/key_map.h"
#include "model/engine/intern.h"
#include "model/fpgpt/kernel.h"
#include "model/memory/ddr4_memory.h"

namespace weft::fpgpt::exact {

// A kernel of F or GI whose KERN is loaded, so that beats of INP are all that INP, the feeder and the array wait for.
// What these do up to the next beat, or the next few that follow each other, is a function of their state relative to
// the window that im2col emits, of the cycles until the beat, of how many follow, and of how the ranges that they turn
// to meanwhile lie in beats and pages. So they are stepped once for each of these, and looked up from then on, wherever
// in whatever set and round: there are few of them, where of kernel and memory together there are ever new ones. OUT
// hangs on the array alone, which never waits for it here, and is stepped where it has something to do.
//
// With overlap_drain, and where sets follow each other without gaps, an end of a set or a round is like any other
// place; otherwise it is for the midst of a set.
class BeatToBeat {
 public:
  // One cycle of OUT, what it sends included.
  using StepOut = std::function<void(Cycles now)>;

  // The plan of the kernel that goes on; what is known valid for every plan that differs in where its tensors lie
  // alone.
  void begin(const Plan& plan);

  // Goes on with a kernel and its memory from the start of cycle `now`, as stepping both would, until `windows` are
  // near or the kernel does something else. `activities` gets what the blocks did, `last` the address that INP asked
  // for last, if it did. Without `step_out` OUT must rest. Returns the cycles, 0 where this is none of its business.
  Cycles pass(Kernel& kernel, memory::Ddr4Memory& memory, Cycles now, std::int64_t windows, const StepOut& step_out,
              BlockActivities& activities, Address& last);

  void evict();
  std::size_t memory() const;  // bytes that are remembered, about

 private:
  static constexpr std::size_t kMostRequests = 8;
  struct Request {
    std::uint8_t cycle = 0;  // of the step
    std::uint8_t beats = 0;
    std::uint8_t range = 0;  // from the window's on
    std::uint8_t first = 0;  // beat of the range
  };
  // From the window on: the ranges that blocks are at, and the KERN tokens that were fed.
  struct Front {
    std::int16_t construct = 0, receive = 0, request = 0, feed = 0;
  };
  // A state, and what of it is asked before a step from it is looked for.
  struct State {
    std::uint32_t number = 0;
    Front front;
  };
  // Some cycles, the last of which take a beat each, if the step has any.
  struct alignas(64) Step {  // one line of a cache
    bool valid = false;
    std::uint8_t cycles = 0, windows = 0, requests = 0;
    State next;
    std::uint32_t counts = 0;
    std::array<Request, kMostRequests> request;
    std::uint64_t array = 0;  // the cycles in which it advances, one bit each
  };
  // Cycles of the blocks but OUT's by what they did; of the array, starved of either input; of INP's port, busy and
  // waiting.
  static constexpr std::size_t kBlocksUpToArray = static_cast<std::size_t>(Block::OutConstructor);
  static constexpr std::size_t kCounts = kActivities * kBlocksUpToArray + std::tuple_size_v<ArrayStarved> + 2;
  static constexpr std::size_t kCountsOfAStep = (kCounts + 15) / 16 * 16;  // of whole vectors
  using Counts = std::array<std::uint8_t, kCountsOfAStep>;
  // That are looked at from one place on, that are made known before they are, and that are known at a time.
  static constexpr std::int64_t kMostRanges = 127, kRangesAhead = 64, kRanges = 256;
  static_assert(1 + kMostRanges + kRangesAhead <= kRanges);
  // No step begins when a pass has taken so many cycles: 16 bits hold what it counts.
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
  bool flat_ = false;                   // ends of sets are like any other place
  Divider band_{1};                     // words of a beat
  std::int64_t page_beats_ = 0;         // of a page of memory, a power of two
  std::vector<std::uint8_t> shapes_;    // how a range lies, by where in a page it starts
  std::vector<std::uint8_t> beats_of_;  // of a range that lies so, kMostBeats at most
  // Of ranges of INP: the beat that each begins in; how it lies, and of how many beats it is, kMostBeats at most, both
  // twice, so that some in a row are read at once.
  std::array<std::int64_t, kRanges> beats_{};
  std::array<std::uint8_t, 2 * kRanges> range_shapes_{}, sizes_{};
  std::int64_t ranges_from_ = 0, ranges_to_ = 0;  // those that are known
  stream::RangeCursor cursor_;                    // the next that is not
  engine::States states_;
  KeyMap<3> step_of_;  // by the state, the gap and the beats; by how the ranges lie
  std::vector<Step> steps_;
  engine::States counts_of_;  // as bytes
  std::vector<Counts> counts_;
  std::string bytes_;
  Kernel scratch_;  // steps are learnt with; kept for its buffers
};

}  // namespace weft::fpgpt::exact
