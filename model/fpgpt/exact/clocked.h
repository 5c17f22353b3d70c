#pragma once

#include "model/fpgpt/exact/cycle.h"
#include "model/fpgpt/plan.h"
#include "model/fpgpt/result.h"
#include "model/memory/memory.h"

namespace weft::fpgpt::exact {

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
