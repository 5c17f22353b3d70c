#pragma once

#include <algorithm>
#include <functional>

#include "model/core/error.h"
#include "model/core/units.h"
#include "model/memory/memory.h"
#include "model/stream/port_traffic.h"

namespace weft::stream {

// Steps the blocks of a kernel without SystemC until it is done, and accounts at once for cycles in which nothing can
// change. `Kernel` has step(now), moved(), done(), quiet_until(now) and for_each_port(visit).
struct Stepped {
  Cycles cycles = 0;
  Cycles skipped = 0;
};

struct SteppingOptions {
  bool every_cycle = false;                 // skips none
  std::function<void(Cycles)> report = {};  // called every 2^20 cycles or so; may be empty
};

// `store(port)`: what the channel of a port holds, nullptr in timing mode. `account(count)`: what the blocks did last,
// `count` times. `stuck(now)`: says why nothing will ever move again.
template <class Kernel, class StoreOf, class Account, class Stuck>
Stepped step_until_done(Kernel& kernel, memory::Memory& memory, const SteppingOptions& options, StoreOf store,
                        Account account, Stuck stuck) {
  constexpr Cycles kReportEvery = Cycles{1} << 20;
  Stepped result;
  Cycles next_report = kReportEvery;
  memory.reset();
  for (Cycles now = 0;; ++now) {
    memory.advance(now);
    kernel.for_each_port([&](memory::PortId id, auto& port) { deliver(memory, id, port); });
    kernel.step(now);
    kernel.for_each_port([&](memory::PortId id, auto& port) { send(memory, id, port, now, store(id)); });
    account(1);
    if (kernel.done()) {
      memory.finish();
      result.cycles = now + 1;
      return result;
    }
    if (options.report && now >= next_report) {
      options.report(now);
      next_report = now + kReportEvery;
    }
    if (kernel.moved()) continue;
    // A beat or a response is handed on one cycle before it is visible.
    const Cycles event = memory.next_event();
    const Cycles next = std::min(kernel.quiet_until(now + 1), event == kNever ? kNever : std::max(now + 1, event - 1));
    if (next == kNever) throw Deadlock(stuck(now));
    if (options.every_cycle) continue;
    const Cycles count = next - now - 1;
    account(count);
    account_waits(kernel, count);
    result.skipped += count;
    now = next - 1;
  }
}

}  // namespace weft::stream
