#pragma once

#include <cstdint>
#include <vector>

#include "model/core/key_map.h"
#include "model/memory/ddr4_controller.h"

namespace weft::memory {

// What comes of the read bursts that a controller gets from where nothing waits to where nothing waits again. Which
// command is issued at which edge follows from how far apart they come, from how they lie in banks and from what they
// find there, as long as no command before puts off one of theirs. So it is found out once for each of these, and
// followed from then on: there are some hundred, where of all that a device keeps there are ever new states.
class ReadSchedules {
 public:
  static constexpr std::uint32_t kNoBurst = 0;

  // What the controller, which is idle, does for the first `all` of some reads in one row, those from `before` on being
  // the last burst of them. `bursts` stands for the bursts before that one, and then for all. nullptr if that is not
  // kept. What is found may move with the next call.
  const ReadSchedule* after(std::uint32_t& bursts, const Ddr4Controller& controller, const TimedRead* reads, int before,
                            int all);
  const ReadSchedule& of(std::uint32_t bursts) const { return schedules_[bursts]; }

 private:
  static constexpr int kBurstBits = 14, kGapBits = 8;
  static constexpr std::size_t kMost = std::size_t{1} << kBurstBits;

  KeyMap<1> numbers_;                       // by the last burst, the gap before it, and those before
  std::vector<ReadSchedule> schedules_{1};  // by number
};

}  // namespace weft::memory
