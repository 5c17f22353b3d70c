#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/engine/intern.h"
#include "model/engine/key_map.h"
#include "model/fpgpt/kernel.h"
#include "model/memory/ddr4_memory.h"

namespace weft::fpgpt::exact {

// A kernel of F or GI in the midst of an X-set, where beats of INP are all that it waits for: KERN is loaded, OUT of
// the set before is written and none of this one is made before its end. What it does up to the next beat is a function
// of its state relative to the window that im2col emits, of the cycles until the beat, and of how the ranges that it
// turns to meanwhile lie in beats and pages. So it is stepped once for each of these, and looked up from then on,
// wherever in whatever set: there are few of them, where of kernel and memory together there are ever new ones.
class MidSet {
 public:
  // The plan of the kernel that goes on; what is known holds for every plan that differs in where its tensors lie
  // alone.
  void begin(const Plan& plan);

  // Goes on with a kernel and its memory from the start of cycle `now`, as stepping both would, until `windows` are
  // near or the kernel does something else. `activities` gets what the blocks did, `last` the address that INP asked
  // for last, if it did. Returns the cycles, 0 where this is none of its business.
  Cycles pass(Kernel& kernel, memory::Ddr4Memory& memory, Cycles now, std::int64_t windows, BlockActivities& activities,
              Address& last);

  void forget();
  std::size_t memory() const;  // bytes that are remembered, about

 private:
  static constexpr std::size_t kMostRequests = 3;
  struct Request {
    std::uint8_t cycle = 0;             // of the step
    std::int32_t range = 0;             // from the window's on
    std::int32_t first = 0, beats = 0;  // of the range
  };
  // Some cycles, the last of which takes a beat if the step has one.
  struct Step {
    bool holds = false;
    std::uint8_t cycles = 0, windows = 0;
    std::uint8_t requests = 0;
    std::array<Request, kMostRequests> request;
    // Cycles of the blocks by what they did; of the array, starved of either input; of INP's port, busy and waiting.
    std::array<std::uint8_t, 4 * kBlocks + 4> counts{};
    std::uint32_t next = 0;  // the state after it
  };
  // From the window on: the ranges that blocks are at, and the KERN tokens that were fed. Equal ranges have one `kind`.
  struct Front {
    std::int32_t construct = 0, receive = 0, request = 0, feed = 0;
    std::uint32_t kind = 0;
  };
  static constexpr std::uint32_t kNotAsked = 0xFFFFFFFF, kNone = kNotAsked - 1;
  // No step begins when a pass has taken so many cycles: 16 bits hold what it counts.
  static constexpr Cycles kMostCycles = 1 << 15;

  bool usable() const { return !shapes_.empty(); }
  bool begins(const Kernel& kernel, std::int64_t window) const;
  Anchor anchor(std::int64_t window) const;
  void relative(Relative& state, Kernel& kernel, const Anchor& at) const;
  std::uint32_t number(Kernel& kernel, std::int64_t window);
  void load(Kernel& kernel, std::uint32_t state, std::int64_t window) const;
  void shape_ranges();
  std::uint64_t shapes_of(const Front& front, Words word) const;
  std::uint32_t look_of(const Front& front, Words word);
  Step learn(const Kernel& kernel, std::uint32_t state, std::int64_t window, Cycles gap, bool beat);

  const Plan* plan_ = nullptr;
  Words page_words_ = 1, pitch_ = 0;  // of a page; from a range to the next one, without whole pages
  std::vector<std::uint8_t> shapes_;  // how a range lies, by where in a page it starts
  engine::States states_;
  std::vector<Front> fronts_;           // of each state
  engine::KeyMap<1> looks_;             // how the ranges lie that are looked at, ...
  std::vector<std::uint32_t> look_of_;  // ... by the kind of the front and where in a page the window's range starts
  engine::KeyMap<1> step_of_;           // by the state, the cycles until a beat, and that
  std::vector<Step> steps_;
  std::string bytes_;
};

}  // namespace weft::fpgpt::exact
