#include "model/fpgpt/exact/replayed_counts.h"

namespace weft::fpgpt::exact {

void count_requesting(std::size_t port, Cycles cycles, BlockActivities& activities) {
  const auto block = static_cast<std::size_t>(port == 0 ? Block::InpReader : Block::KernReader);
  activities[block].add(Activity::Active, cycles);
  activities[block].add(Activity::Blocked, -cycles);
}

void add_rows(const std::array<std::array<std::int64_t, 3>, kPorts>& rows, ConvolutionResult& result) {
  for (std::size_t i = 0; i < kPorts; ++i) {
    result.ports[i].row_hits += rows[i][0];
    result.ports[i].row_misses += rows[i][1];
    result.ports[i].row_conflicts += rows[i][2];
  }
}

void ReplayedCounts::count() {
  for (MemoEntry* const entry : used_) {
    const std::int64_t uses = entry->uses;
    const Interval& interval = entry->kernel->interval;
    for (std::size_t block = 0; block < kBlocks; ++block) activities_[block].add(interval.activities[block], uses);
    for (std::size_t i = 0; i < array_starved_.size(); ++i) array_starved_[i] += uses * interval.array_starved[i];
    for (std::size_t i = 0; i < 2; ++i) {
      const ReadAhead& ahead = entry->readers[i]->ahead;
      memory::PortStats& port = ports_[i];
      port.read_beats += uses * entry->kernel->schedules[i]->taken();
      port.busy_cycles += uses * entry->kernel->schedules[i]->taken();
      port.read_bursts += uses * ahead.bursts;
      port.wait_cycles += uses * ahead.wait;
      count_requesting(i, uses * ahead.request_only, activities_);
    }
    memory::PortStats& out = ports_[static_cast<std::size_t>(Port::Out)];
    out.write_bursts += uses * interval.writes;
    out.write_beats += uses * interval.written;
    out.busy_cycles += uses * interval.write_busy;
    out.wait_cycles += uses * interval.write_wait;
    entry->uses = 0;
  }
  used_.clear();
  for (JointCounts* const step : used_steps_) {
    for (std::size_t block = 0; block < kBlocks; ++block) activities_[block].add(step->activities[block], step->uses);
    for (std::size_t i = 0; i < array_starved_.size(); ++i) array_starved_[i] += step->uses * step->array_starved[i];
    for (std::size_t port = 0; port < kPorts; ++port) {
      for (const memory::PortStats::Field& field : memory::PortStats::fields()) {
        ports_[port].*field.count += step->uses * step->ports[port].*field.count;
      }
    }
    step->uses = 0;
  }
  used_steps_.clear();
}

void ReplayedCounts::add_to(ConvolutionResult& result) const {
  for (std::size_t block = 0; block < kBlocks; ++block) result.activities[block] += activities_[block];
  for (std::size_t i = 0; i < array_starved_.size(); ++i) result.array_starved[i] += array_starved_[i];
  for (std::size_t i = 0; i < kPorts; ++i) result.ports[i] += ports_[i];
}

}  // namespace weft::fpgpt::exact
