#include "model/memory/read_schedules.h"

namespace weft::memory {

std::uint32_t ReadSchedules::packed(std::uint32_t bursts, const ReadSchedule& schedule) {
  return ((bursts << kEdgeBits | schedule.end) << kEdgeBits | schedule.free) << 1 | (schedule.holds ? 1 : 0);
}

std::uint32_t ReadSchedules::learn(const Key<1>& key, const Ddr4Controller& controller, const ReadBurst* first,
                                   int count) {
  if (schedules_.size() == kMost) return 0;
  const auto number = static_cast<std::uint32_t>(schedules_.size());
  schedules_.push_back(controller.schedule_of(first, count));
  return known_.number(key, packed(number, schedules_.back()));
}

}  // namespace weft::memory
