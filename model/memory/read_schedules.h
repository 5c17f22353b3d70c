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

  // `edges_of_a_beat`: of ReadSchedule::Run. Where so many lie in any cycle of a port that gets one beat a cycle, the
  // beats of a run follow each other.
  explicit ReadSchedules(Nck edges_of_a_beat) : edges_of_a_beat_(edges_of_a_beat) {}

  // What is asked of a schedule before it is followed.
  struct Known {
    std::uint32_t bursts = kNoBurst;  // stands for them
    bool holds = false;               // if not, nothing is known of them
    std::uint8_t end = 0, free = 0;
  };

  // What the controller, which is idle, does for the `count` bursts from `first` on, all in one row, which find
  // `found`. `before` stands for those before the last of them.
  Known after(std::uint32_t before, const Ddr4Controller& controller, const Ddr4Controller::Banks& found,
              const ReadBurst* first, int count) {
    const ReadBurst& last = first[count - 1];
    const Nck gap = count > 1 ? last.edge - first[count - 2].last_edge() : 0;
    if (gap >> kGapBits != 0) return {};
    const std::uint64_t kind = controller.kind_of(last, found);
    const Key<1> key{(kind << kBurstBits | before) << kGapBits | static_cast<std::uint64_t>(gap)};
    std::uint32_t known = known_.find(key);
    if (known == KeyMap<1>::kNone) known = learn(key, controller, first, count);
    return {known >> (2 * kEdgeBits + 1), (known & 1) != 0, static_cast<std::uint8_t>(known >> (kEdgeBits + 1)),
            static_cast<std::uint8_t>(known >> 1)};
  }
  // It may move with the next call of after().
  const ReadSchedule& of(std::uint32_t bursts) const { return schedules_[bursts]; }

 private:
  static constexpr int kBurstBits = 14, kGapBits = 8, kEdgeBits = 8;
  static constexpr std::size_t kMost = std::size_t{1} << kBurstBits;

  void gather_runs(ReadSchedule& schedule, int reads) const;
  static std::uint32_t packed(std::uint32_t bursts, const ReadSchedule& schedule);
  std::uint32_t learn(const Key<1>& key, const Ddr4Controller& controller, const ReadBurst* first, int count);

  // By the last burst, the gap before it, and those before: what is known of them in one word, so that their schedule,
  // which lies elsewhere, is not touched unless it is followed.
  KeyMap<1> known_;
  std::vector<ReadSchedule> schedules_{1};  // by number
  Nck edges_of_a_beat_;
};

}  // namespace weft::memory
