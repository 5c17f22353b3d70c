#include "model/batchlane/exact/exact.h"

#include <memory>

namespace weft::batchlane::exact {

PassResult run_exact(const Plan& plan, memory::Memory& memory, DataMemory* data, const stream::SteppingOptions& options,
                     Fault fault) {
  Kernel kernel(std::make_shared<const Plan>(plan));
  if (fault == Fault::PingPong) kernel.buffers.break_ping_pong();
  BlockActivities activities{};
  const stream::Stepped stepped = stream::step_until_done(
      kernel, memory, options, [&](memory::PortId port) { return data ? &data->of(static_cast<Port>(port)) : nullptr; },
      [&](Cycles count) { account(kernel, activities, count); },
      [&](Cycles now) { return describe_deadlock(kernel, now); });
  PassResult result = collect(kernel, activities, stepped.cycles, memory);
  result.skipped_cycles = stepped.skipped;
  return result;
}

}  // namespace weft::batchlane::exact
