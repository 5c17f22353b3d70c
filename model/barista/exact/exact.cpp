#include "model/barista/exact/exact.h"

#include <algorithm>
#include <memory>

#include "kernels/fp32.h"
#include "model/core/error.h"

namespace weft::barista::exact {

namespace {

constexpr Cycles kReportEvery = Cycles{1} << 20;

// Hands the ports what becomes visible by cycle `now`.
void deliver(Kernel& kernel, memory::Memory& memory, Cycles now) {
  memory.advance(now);
  const auto read = [&](Port id, stream::ReadPort& port) {
    for (Cycles visible; (visible = memory.next_read_beat(port_id(id))) != kNever;) {
      memory.take_read_beat(port_id(id), visible);
      port.data.push(visible);
    }
  };
  read(Port::A, kernel.a.port);
  read(Port::B, kernel.b.port);
  for (Cycles visible; (visible = memory.next_write_response(port_id(Port::C))) != kNever;) {
    memory.take_write_response(port_id(Port::C), visible);
    kernel.c.port.responses.push(visible);
  }
}

// Passes on what the ports asked for and wrote in cycle `now`.
void send(Kernel& kernel, memory::Memory& memory, Cycles now, DataMemory* data) {
  const auto read = [&](Port id, stream::ReadPort& port) {
    if (!port.requested) return;
    memory.send_read(port_id(id), now, port.request.address, port.request.beats);
    if (!data) return;
    const std::size_t words = static_cast<std::size_t>(port.request.beats) * kernel.plan->alpha.band;
    port.data.push_words(data->of(id).words(port.request.address), words);
  };
  read(Port::A, kernel.a.port);
  read(Port::B, kernel.b.port);
  stream::WritePort& c = kernel.c.port;
  if (c.requested) memory.send_write(port_id(Port::C), now, c.request.address, c.request.beats);
  if (!c.beat_sent) return;
  memory.send_write_beat(port_id(Port::C), now);
  if (data) std::copy_n(c.beat.begin() + c.first_lane, c.lanes, data->of(Port::C).words(c.beat_address) + c.first_lane);
}

}  // namespace

GemmResult run_exact(const Plan& plan, memory::Memory& memory, DataMemory* data,
                     const std::function<void(Cycles)>& report, bool every_cycle) {
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
    if (kernel.done()) {
      memory.finish();
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
    account_waits(kernel, count);
    skipped += count;
    now = next - 1;
  }
}

}  // namespace weft::barista::exact
