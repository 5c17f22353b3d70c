#include "model/memory/read_schedules.h"

namespace weft::memory {

const ReadSchedule* ReadSchedules::after(std::uint32_t& bursts, const Ddr4Controller& controller,
                                         const TimedRead* reads, int before, int all) {
  const Nck gap = before > 0 ? reads[before].edge - reads[before - 1].edge : 0;
  if (gap >> kGapBits != 0) return nullptr;
  const std::uint64_t kind = controller.kind_of(reads + before, all - before);
  const Key<1> key{(kind << kBurstBits | bursts) << kGapBits | static_cast<std::uint64_t>(gap)};
  std::uint32_t number = numbers_.find(key);
  if (number == KeyMap<1>::kNone) {
    if (schedules_.size() == kMost) return nullptr;
    number = numbers_.number(key, static_cast<std::uint32_t>(schedules_.size()));
    schedules_.push_back(controller.schedule_of(reads, all));
  }
  bursts = number;
  return schedules_[number].holds ? &schedules_[number] : nullptr;
}

}  // namespace weft::memory
