#include "model/memory/read_schedules.h"

#include <numeric>

namespace weft::memory {

std::uint32_t ReadSchedules::packed(std::uint32_t bursts, const ReadSchedule& schedule) {
  return ((bursts << kEdgeBits | schedule.end) << kEdgeBits | schedule.free) << 1 | (schedule.holds ? 1 : 0);
}

void ReadSchedules::gather_runs(ReadSchedule& schedule, int reads) const {
  for (int read = 0; read < reads; ++read) {
    const std::uint8_t edge = schedule.edge[read];
    if (schedule.runs > 0) {
      ReadSchedule::Run& last = schedule.run[schedule.runs - 1];
      if (edge <= last.edge + last.reads * edges_of_a_beat_) {
        ++last.reads;
        continue;
      }
    }
    schedule.run[schedule.runs++] = {edge, 1};
  }
}

std::uint32_t ReadSchedules::learn(const Key<1>& key, const Ddr4Controller& controller, const ReadBurst* first,
                                   int count) {
  if (schedules_.size() == kMost) return 0;
  const auto number = static_cast<std::uint32_t>(schedules_.size());
  schedules_.push_back(controller.schedule_of(first, count));
  const auto add = [](int reads, const ReadBurst& burst) { return reads + burst.reads; };
  gather_runs(schedules_.back(), std::accumulate(first, first + count, 0, add));
  return known_.number(key, packed(number, schedules_.back()));
}

}  // namespace weft::memory
