#pragma once

#include <memory>
#include <vector>

#include "model/fpgpt/drain.h"
#include "model/fpgpt/result.h"
#include "model/fpgpt/systemc/subsystems.h"
#include "model/systemc/dma_module.h"
#include "model/systemc/memory_module.h"
#include "model/systemc/timekeeper.h"

namespace weft::systemc {

// Which AXI handshakes the surroundings accept in a cycle.
struct Ready {
  bool inp_address = true, kern_address = true, out_address = true, out_data = true;
  bool all() const { return inp_address && kern_address && out_address && out_data; }
  friend bool operator==(const Ready& a, const Ready& b) {
    return a.inp_address == b.inp_address && a.kern_address == b.kern_address && a.out_address == b.out_address &&
           a.out_data == b.out_data;
  }
  friend bool operator!=(const Ready& a, const Ready& b) { return !(a == b); }
};

// Stands beside a run, cycle by cycle: sees every handshake and may refuse those of the AXI side.
class Observer {
 public:
  virtual ~Observer() = default;
  // For the coming cycle, and those that are skipped up to the next that is stepped.
  virtual Ready ready() = 0;
  // After each cycle that was stepped; in the cycles between two of them nothing moved. False ends the run.
  virtual bool after(Cycles cycle, const fpgpt::Kernel& kernel) = 0;
};

// One FPGPT kernel with its memory, elaborated once per process (SystemC allows no more), running convolutions one
// after the other with different beta, as hardware does; alpha may differ from one to the next, as if the card was
// reconfigured.
class VirtualPlatform : public sc_core::sc_module {
 public:
  explicit VirtualPlatform(const sc_core::sc_module_name& name);

  // Runs one convolution from cycle 0. `channels` holds the tensors in data mode (plan.with_data) and is ignored
  // otherwise. `observer`, if there is one, may end the run early; the result is then that of the cycles so far.
  // `transfers`: on channels of the memory at the same time, in timing mode without an observer; `memory` has its two
  // ports then. Throws Deadlock if nothing can ever move again.
  fpgpt::ConvolutionResult run(const fpgpt::Plan& plan, memory::Memory& memory,
                               const std::array<int, fpgpt::kPorts>& channel_of_port = {0, 1, 2},
                               std::vector<memory::Store>* channels = nullptr, Observer* observer = nullptr,
                               fpgpt::DmaTransfers* transfers = nullptr);

  // Called every 2^20 cycles or so with the cycle that is reached; empty: never.
  std::function<void(Cycles)> on_progress;

 private:
  Cycles settle(Cycles finished);
  bool observe(Observer& observer, Cycles finished);
  void set(const Ready& ready);

  fpgpt::Kernel kernel_;
  fpgpt::BlockActivities activities_{};
  EventClock clock_;
  InpModule inp_;
  KernModule kern_;
  ArrayModule array_;
  OutModule out_;
  DmaModule dma_;
  FifoChannel column_, kern_row_, out_row_;
  MemoryModule memory_;

  Timekeeper time_;
  Ready ready_;  // of an observed run
};

// The process's one platform: builds it at the first call.
VirtualPlatform& virtual_platform();

}  // namespace weft::systemc
