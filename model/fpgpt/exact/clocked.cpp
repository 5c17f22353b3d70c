#include "model/fpgpt/exact/clocked.h"

#include <algorithm>
#include <memory>

#include "kernels/fpgpt/fp32.h"
#include "model/core/error.h"
#include "model/fpgpt/drain.h"

namespace weft::fpgpt::exact {

ConvolutionResult run_clocked(const Plan& plan, memory::Memory& memory, DataMemory* data) {
  const PeArithmetic arithmetic;
  Kernel kernel(std::make_shared<const Plan>(plan));
  BlockActivities activities{};
  memory.reset();
  for (Cycles now = 0;; ++now) {
    step(kernel, memory, now, data, activities);
    if (kernel.done()) {
      const Cycles drain = drain_cycles(kernel, memory, now + 1);
      memory.finish();
      ConvolutionResult result = collect(kernel, activities, now + 1, memory);
      result.drain_cycles = drain;
      return result;
    }
    const auto last = kernel.last();
    const bool moved = std::find(last.begin(), last.end(), Activity::Active) != last.end();
    if (!moved && kernel.quiet_until(now + 1) == kNever && memory.next_event() == kNever) {
      throw Deadlock(describe_deadlock(kernel, now));
    }
  }
}

}  // namespace weft::fpgpt::exact
