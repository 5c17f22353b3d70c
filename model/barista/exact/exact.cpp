#include "model/barista/exact/exact.h"

#include <algorithm>
#include <memory>

#include "kernels/fp32.h"
#include "model/core/error.h"
#include "model/stream/port_traffic.h"

namespace weft::barista::exact {

namespace {

constexpr Cycles kReportEvery = Cycles{1} << 20;

// Both are forced into run(), which is there twice: called, they would cost a GEMM that nobody watches 0.6 %.

// Hands the ports what becomes visible by cycle `now`.
[[gnu::always_inline]] inline void deliver(Kernel& kernel, memory::Memory& memory, Cycles now) {
  memory.advance(now);
  stream::deliver(memory, port_id(Port::A), kernel.a.port);
  stream::deliver(memory, port_id(Port::B), kernel.b.port);
  stream::deliver(memory, port_id(Port::C), kernel.c.port);
}

// Passes on what the ports asked for and wrote in cycle `now`.
[[gnu::always_inline]] inline void send(Kernel& kernel, memory::Memory& memory, Cycles now, DataMemory* data) {
  const auto channel = [data](Port port) { return data ? &data->of(port) : nullptr; };
  stream::send(memory, port_id(Port::A), kernel.a.port, now, channel(Port::A));
  stream::send(memory, port_id(Port::B), kernel.b.port, now, channel(Port::B));
  stream::send(memory, port_id(Port::C), kernel.c.port, now, channel(Port::C));
}

// `after`: as an observer's, resolved at compile time so that a GEMM that nobody watches pays nothing.
template <class After>
GemmResult run(const Plan& plan, memory::Memory& memory, DataMemory* data, const std::function<void(Cycles)>& report,
               bool every_cycle, After after) {
  const fp32::PeArithmetic arithmetic;
  Kernel kernel(std::make_shared<const Plan>(plan));
  BlockActivities activities{};
  Cycles skipped = 0, next_report = kReportEvery;
  memory.reset();
  for (Cycles now = 0;; ++now) {
    deliver(kernel, memory, now);
    kernel.step(now);
    send(kernel, memory, now, data);
    account(kernel, activities);
    const bool goes_on = after(now, kernel), done = kernel.done();
    if (done || !goes_on) {
      if (done) memory.finish();  // else a burst may be without its last beats
      GemmResult result = collect(kernel, activities, now + 1, memory);
      result.skipped_cycles = skipped;
      return result;
    }
    if (report && now >= next_report) {
      report(now);
      next_report = now + kReportEvery;
    }
    if (kernel.moved()) continue;
    // A beat or a response is handed on one cycle before it is visible.
    const Cycles event = memory.next_event();
    const Cycles next = std::min(kernel.quiet_until(now + 1), event == kNever ? kNever : std::max(now + 1, event - 1));
    if (next == kNever) throw Deadlock(describe_deadlock(kernel, now));
    if (every_cycle) continue;
    const Cycles count = next - now - 1;
    account(kernel, activities, count);
    stream::account_waits(kernel, count);
    skipped += count;
    now = next - 1;
  }
}

}  // namespace

GemmResult run_exact(const Plan& plan, memory::Memory& memory, DataMemory* data,
                     const std::function<void(Cycles)>& report, bool every_cycle) {
  return run(plan, memory, data, report, every_cycle, [](Cycles, Kernel&) { return true; });
}

GemmResult run_exact(const Plan& plan, memory::Memory& memory, stream::Observer& observer,
                     const std::function<void(Cycles)>& report) {
  stream::KernelView view(topology());
  return run(plan, memory, nullptr, report, false,
             [&](Cycles now, Kernel& kernel) { return observer.after(now, view.look(kernel)); });
}

}  // namespace weft::barista::exact
