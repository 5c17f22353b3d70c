#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "model/core/activity.h"
#include "model/core/error.h"
#include "model/core/topology.h"
#include "model/core/units.h"
#include "model/memory/memory.h"
#include "model/stream/observer.h"
#include "model/stream/port_traffic.h"

namespace weft::stream {

// Result of one launch, on any rung that steps blocks.
template <std::size_t kBlocks, std::size_t kPorts, std::size_t kPeClasses>
struct KernelResult {
  Cycles cycles = 0;  // from cycle 0 to the one that takes the last write response, inclusive
  std::array<Activities, kBlocks> activities;
  std::array<std::int64_t, kPeClasses> pe_cycles{};  // they sum to PEs times cycles
  std::array<memory::PortStats, kPorts> ports;
  Cycles skipped_cycles = 0;   // cycles in which nothing could change, skipped without stepping blocks
  std::int64_t overflows = 0;  // data mode, fixed point: sums that exceeded 32 bits (CONTRACT.md, section 10)
};

// Returns a result with the counts of blocks and ports; the design adds the PE-cycles.
template <class Result, class Kernel>
Result counted(Kernel& kernel, const ActivitiesOf<Kernel>& activities, Cycles cycles, memory::Memory& memory) {
  Result result;
  result.cycles = cycles;
  result.activities = activities;
  kernel.for_each_port([&](memory::PortId id, const auto& port) {
    result.ports[static_cast<std::size_t>(id)] = port_stats(memory, id, port);
  });
  return result;
}

// True if the next cycle may differ from the last one.
template <class Kernel>
bool moved(const Kernel& kernel) {
  const auto last = kernel.last();
  for (std::size_t i = 0; i < last.size(); ++i) {
    if (last[i] == Activity::Active && !kernel.steady(static_cast<typename Kernel::BlockId>(i))) return true;
  }
  return false;
}

// Adds `count` times the activities of the blocks in their last cycle.
template <class Kernel>
void account(Kernel& kernel, ActivitiesOf<Kernel>& activities, Cycles count = 1) {
  const auto last = kernel.last();
  for (std::size_t i = 0; i < last.size(); ++i) {
    activities[i].add(last[i], count);
    kernel.count(static_cast<typename Kernel::BlockId>(i), count);
  }
}

struct SteppingOptions {
  bool every_cycle = false;                 // skips no cycle
  std::function<void(Cycles)> report = {};  // called about every 2^20 cycles with the current cycle; may be empty
  Observer* observer = nullptr;             // may end the launch early; its ready() says what the memory side accepts
};

// Steps the blocks of a kernel without SystemC until it is done, and skips cycles in which nothing can change.
// `Kernel`: as for VirtualPlatform, plus step(now), which steps every block. `data`: nullptr in timing mode. Returns
// collect(kernel, activities, cycles, memory), of the cycles so far if the observer ended the launch. Throws Deadlock
// if nothing can ever move again.
template <class Kernel, class Data>
auto run_stepped(Kernel& kernel, const Topology& topology, memory::Memory& memory, Data* data,
                 const SteppingOptions& options) {
  constexpr Cycles kReportEvery = Cycles{1} << 20;
  std::optional<KernelView> view;
  if (options.observer) view.emplace(topology);
  ActivitiesOf<Kernel> activities{};
  Cycles skipped = 0, next_report = kReportEvery;
  memory.reset();
  for (Cycles now = 0;; ++now) {
    const std::vector<PortReady>* const ready = options.observer ? options.observer->ready() : nullptr;
    const bool refused = ready && !set_ready(kernel, *ready);
    memory.advance(now);
    kernel.for_each_port([&](memory::PortId id, auto& port) { deliver(memory, id, port); });
    kernel.step(now);
    kernel.for_each_port(
        [&](memory::PortId id, auto& port) { send(memory, id, port, now, data ? &data->of(id) : nullptr); });
    account(kernel, activities);
    const bool goes_on = !view || options.observer->after(now, view->look(kernel));
    if (const bool done = kernel.done(); done || !goes_on) {
      if (done) memory.finish();  // an observer may end a launch before the last beats of a burst
      auto result = collect(kernel, activities, now + 1, memory);
      result.skipped_cycles = skipped;
      return result;
    }
    if (options.report && now >= next_report) {
      options.report(now);
      next_report = now + kReportEvery;
    }
    if (moved(kernel) || refused) continue;
    // The memory passes on a beat or response one cycle before it is visible.
    const Cycles event = memory.next_event();
    const Cycles next = std::min(kernel.quiet_until(now + 1), event == kNever ? kNever : std::max(now + 1, event - 1));
    if (next == kNever) throw Deadlock(deadlock_text(topology, now, kernel));
    if (options.every_cycle) continue;
    const Cycles count = next - now - 1;
    account(kernel, activities, count);
    account_waits(kernel, count);
    skipped += count;
    now = next - 1;
  }
}

}  // namespace weft::stream
