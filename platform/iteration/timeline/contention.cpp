#include "platform/iteration/timeline/contention.h"

#include <algorithm>

#include "platform/catalogue/designs.h"

namespace weft::timeline {

namespace {

// Bytes a second of a transfer alone, rounded down.
std::int64_t rate_of(const link::Transfer& transfer, Bytes bytes) {
  __extension__ using Wide = unsigned __int128;
  const auto ps = static_cast<Wide>(std::max<Picoseconds>(transfer.end.rounded_up(), 1));
  return std::max<std::int64_t>(static_cast<std::int64_t>(static_cast<Wide>(bytes) * 1'000'000'000'000 / ps), 1);
}

// `time` in cycles, rounded up.
Cycles cycles(Picoseconds time, Frequency clock) {
  __extension__ using Wide = unsigned __int128;
  const Wide us = static_cast<Wide>(clock.denominator()) * 1'000'000;
  return static_cast<Cycles>((static_cast<Wide>(time) * static_cast<Wide>(clock.numerator()) + us - 1) / us);
}

}  // namespace

Contention::Contention(const std::vector<PartView>& parts, const link::PcieConfig& link)
    : parts_(parts), config_(link), link_(link), works_(parts.size()) {}

const design::Work& Contention::work(std::size_t part) {
  if (!works_[part]) works_[part] = design::design_of(*parts_[part].run).plan(*parts_[part].run, *parts_[part].network);
  return *works_[part];
}

Contended Contention::of(const Job& job, const std::vector<Contender>& transfers) {
  const config::RunConfig& run = *parts_.at(job.part).run;
  const std::vector<design::Work::Unit> units = work(job.part).units();
  const auto last = std::find_if(units.rbegin(), units.rend(), [&](const auto& unit) { return unit.row == job.row; });
  const std::size_t unit = static_cast<std::size_t>(units.rend() - last) - 1;
  const design::Launch launch = work(job.part).launch(unit);
  const Frequency clock = run.kernel->clock;
  std::vector<design::Beside> beside;
  beside.reserve(transfers.size());
  for (const Contender& transfer : transfers) {
    memory::Traffic traffic;
    traffic.start = std::max<Cycles>(cycles(transfer.from, clock) - launch.to_start, 0);
    traffic.pause = cycles(transfer.pause, clock);
    traffic.bytes = transfer.bytes;
    traffic.write = transfer.direction == link::Direction::HostToCard;
    traffic.rate = {rate_of(link_.transfer(transfer.direction, 0, transfer.bytes), transfer.bytes), 1};
    traffic.buffer_bytes = config_.dma.buffer_bytes;
    beside.push_back({transfer.channel, traffic});
  }
  const design::UnitBeside result =
      design::offered<design::SharesChannels>(work(job.part)).simulate_beside(unit, beside, {});
  Contended contended;
  contended.launch = {
      duration(launch.to_start, clock),
      duration(launch.to_start + result.unit.cycles + result.unit.drain_cycles + launch.to_done, clock)};
  for (const Cycles end : result.ends) contended.ends.push_back(duration(launch.to_start + end, clock));
  return contended;
}

}  // namespace weft::timeline
