#pragma once

#include "model/fpgpt/kernel.h"
#include "model/fpgpt/plan.h"
#include "model/fpgpt/result.h"
#include "model/memory/memory.h"
#include "model/memory/store.h"

namespace weft::fpgpt::exact {

using DataMemory = memory::PortStores<kPorts>;

// Hands a kernel what is known to become visible to its ports by cycle `now`.
void deliver(Kernel& kernel, memory::Memory& memory, Cycles now);

// One cycle of a kernel by itself: every block is stepped, and what it did is counted.
inline void step(Kernel& kernel, Cycles now, BlockActivities& activities) {
  kernel.step(now);
  account(kernel, activities);
}
// One cycle of a kernel and its memory: what has become visible is delivered, and what the ports sent is passed on.
// `data` holds the tensors in data mode and is nullptr in timing mode.
void step(Kernel& kernel, memory::Memory& memory, Cycles now, DataMemory* data, BlockActivities& activities);

// The blocks of one convolution, stepped cycle by cycle without the SystemC kernel: the reference that every faster way
// of driving the same objects must equal.
class Clocked {
 public:
  // The memory and `data` outlive it. `data` holds the tensors in data mode and is nullptr in timing mode.
  Clocked(const Plan& plan, memory::Memory& memory, DataMemory* data);

  bool done() const { return kernel_.done(); }
  Cycles cycles() const { return cycles_; }                          // so far
  const BlockActivities& activities() const { return activities_; }  // in them
  // One cycle more, before it is done. Throws Deadlock if nothing can ever move again.
  void step();
  // Once it is done.
  ConvolutionResult result();

 private:
  memory::Memory& memory_;
  DataMemory* data_;
  Kernel kernel_;
  BlockActivities activities_{};
  Cycles cycles_ = 0;
};

// All of one convolution. Throws Deadlock as above.
ConvolutionResult run_clocked(const Plan& plan, memory::Memory& memory, DataMemory* data);

}  // namespace weft::fpgpt::exact
