#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "model/copy/plan.h"
#include "model/copy/topology.h"
#include "model/core/activity.h"
#include "model/core/fifo.h"
#include "model/memory/memory.h"
#include "model/memory/store.h"
#include "model/stream/ddr_reader.h"
#include "model/stream/ddr_writer.h"
#include "model/stream/ports.h"
#include "model/stream/stepping.h"

namespace weft::copy {

// The complete state of a kernel during one launch. A snapshot is an object of its own.
struct Kernel {
  using BlockId = Block;
  using ChannelOfPort = std::array<int, kPorts>;
  std::shared_ptr<const Plan> plan;
  stream::DdrReader reader;
  stream::DdrWriter writer;
  Fifos<FifoId, kFifos> fifos;
  stream::ReadPort in;
  stream::WritePort out;
  std::array<Activity, kBlocks> activity{};  // of each block in its last cycle

  Kernel() = default;
  explicit Kernel(std::shared_ptr<const Plan> plan_of_launch);

  void step_reader(Cycles now) { activity[0] = reader.step(now, plan->in, in, fifos[FifoId::Beat]); }
  void step_writer(Cycles now) { activity[1] = writer.step(now, plan->out, fifos[FifoId::Beat], out); }
  // Steps every block by one cycle. The order is free: each block sees only the state at the start of the cycle.
  void step(Cycles now) {
    step_reader(now);
    step_writer(now);
  }
  std::array<Activity, kBlocks> last() const { return activity; }
  // True if an active block will do the same in the next cycle, so that cycles may be skipped.
  static constexpr bool steady(Block) { return false; }
  // Counts the cycles of classes of processing elements; there are none.
  void count(Block, Cycles) {}
  template <class Visit>
  void for_each_port(Visit visit) {
    visit(port_id(Port::In), in);
    visit(port_id(Port::Out), out);
  }
  bool done() const { return writer.done(plan->out, out); }
  // The earliest cycle >= now in which a block may act differently than in the previous one, given that nothing moved
  // then; kNever if nothing will ever move.
  Cycles quiet_until(Cycles now) const;
};

using Result = stream::KernelResult<kBlocks, kPorts, kPeClasses>;
Result collect(Kernel& kernel, const ActivitiesOf<Kernel>& activities, Cycles cycles, memory::Memory& memory);

using DataMemory = memory::PortStores<kPorts>;

// Simulates one launch without the SystemC kernel. `data` is nullptr in timing mode. Throws Deadlock if nothing can
// ever move again.
Result run_exact(const Plan& plan, memory::Memory& memory, DataMemory* data,
                 const stream::SteppingOptions& options = {});

}  // namespace weft::copy
