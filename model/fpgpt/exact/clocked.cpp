#include "model/fpgpt/exact/clocked.h"

#include <algorithm>
#include <memory>

#include "kernels/fp32.h"
#include "model/core/error.h"
#include "model/fpgpt/drain.h"

namespace weft::fpgpt::exact {

Clocked::Clocked(const Plan& plan, memory::Memory& memory, DataMemory* data)
    : memory_(memory), data_(data), kernel_(std::make_shared<const Plan>(plan)) {
  memory_.reset();
}

void Clocked::step() {
  const Cycles now = cycles_++;
  exact::step(kernel_, memory_, now, data_, activities_);
  if (kernel_.done()) return;
  const auto last = kernel_.last();
  const bool moved = std::find(last.begin(), last.end(), Activity::Active) != last.end();
  if (!moved && kernel_.quiet_until(now + 1) == kNever && memory_.next_event() == kNever) {
    throw Deadlock(describe_deadlock(kernel_, now));
  }
}

ConvolutionResult Clocked::result() {
  const Cycles drain = drain_cycles(kernel_, memory_, cycles_);
  memory_.finish();
  ConvolutionResult result = collect(kernel_, activities_, cycles_, memory_);
  result.drain_cycles = drain;
  return result;
}

ConvolutionResult run_clocked(const Plan& plan, memory::Memory& memory, DataMemory* data) {
  const fp32::PeArithmetic arithmetic;
  Clocked clocked(plan, memory, data);
  while (!clocked.done()) clocked.step();
  return clocked.result();
}

}  // namespace weft::fpgpt::exact
