#pragma once

#include <cstdint>
#include <vector>

#include "model/core/key_map.h"
#include "model/memory/ddr4_controller.h"

namespace weft::memory {

// Memo of schedules for the read bursts that a controller gets between two states in which nothing waits. Gaps between
// the bursts, their place in banks and the row state they meet determine the commands and their edges, as long as no
// earlier command delays one of theirs. Each such case is simulated once and then replayed: there are some hundred,
// whereas complete states of a device hardly ever repeat.
class ReadSchedules {
 public:
  static constexpr std::uint32_t kNoBurst = 0;

  // `edges_of_a_beat`: see ReadSchedule::Run. If every cycle of a port that gets one beat a cycle has at least this
  // number of edges, the beats of a run follow each other.
  explicit ReadSchedules(Nck edges_of_a_beat) : edges_of_a_beat_(edges_of_a_beat) {}

  // Summary of a schedule, to be checked before it is replayed.
  struct Known {
    std::uint32_t bursts = kNoBurst;  // key of the bursts
    bool holds = false;               // false: nothing is known of them
    std::uint8_t end = 0, free = 0;
  };

  // Returns the schedule of the idle controller for the `count` bursts from `first` on, all in one row, which meet the
  // row state `found`. `before`: key of the bursts before the last one.
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
  // Returns a reference that the next call of after() may invalidate.
  const ReadSchedule& of(std::uint32_t bursts) const { return schedules_[bursts]; }

 private:
  static constexpr int kBurstBits = 14, kGapBits = 8, kEdgeBits = 8;
  static constexpr std::size_t kMost = std::size_t{1} << kBurstBits;

  void gather_runs(ReadSchedule& schedule, int reads) const;
  static std::uint32_t packed(std::uint32_t bursts, const ReadSchedule& schedule);
  std::uint32_t learn(const Key<1>& key, const Ddr4Controller& controller, const ReadBurst* first, int count);

  // Packed Known by last burst, gap before it, and key of earlier bursts, so that the schedule itself, which is stored
  // elsewhere, is not touched unless it is replayed.
  KeyMap<1> known_;
  std::vector<ReadSchedule> schedules_{1};  // by number
  Nck edges_of_a_beat_;
};

}  // namespace weft::memory
