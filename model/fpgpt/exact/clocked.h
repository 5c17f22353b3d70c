#pragma once

#include "model/fpgpt/kernel.h"
#include "model/fpgpt/plan.h"
#include "model/fpgpt/result.h"
#include "model/memory/memory.h"
#include "model/memory/store.h"

namespace weft::fpgpt::exact {

using DataMemory = memory::PortStores<kPorts>;

// Passes the beats and responses visible by cycle `now` to the kernel's ports.
void deliver(Kernel& kernel, memory::Memory& memory, Cycles now);

// Steps every block of a kernel for one cycle and counts their activities.
inline void step(Kernel& kernel, Cycles now, BlockActivities& activities) {
  kernel.step(now);
  account(kernel, activities);
}
// Steps a kernel and its memory for one cycle. `data`: tensors in data mode, nullptr in timing mode.
void step(Kernel& kernel, memory::Memory& memory, Cycles now, DataMemory* data, BlockActivities& activities);

// Blocks of one convolution, stepped cycle by cycle without the SystemC kernel. Reference for every faster rung that
// uses the same objects.
class Clocked {
 public:
  // The memory and `data` must outlive it. `data`: tensors in data mode, nullptr in timing mode.
  Clocked(const Plan& plan, memory::Memory& memory, DataMemory* data);

  bool done() const { return kernel_.done(); }
  Cycles cycles() const { return cycles_; }                          // stepped
  const BlockActivities& activities() const { return activities_; }  // of these
  // Steps one cycle; not after done(). Throws Deadlock if nothing can ever move again.
  void step();
  // Requires done().
  ConvolutionResult result();

 private:
  memory::Memory& memory_;
  DataMemory* data_;
  Kernel kernel_;
  BlockActivities activities_{};
  Cycles cycles_ = 0;
};

// Runs one convolution. Throws Deadlock as above.
ConvolutionResult run_clocked(const Plan& plan, memory::Memory& memory, DataMemory* data);

}  // namespace weft::fpgpt::exact
