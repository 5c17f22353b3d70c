#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "model/barista/mesh.h"
#include "model/barista/plan.h"
#include "model/barista/topology.h"
#include "model/core/activity.h"
#include "model/core/fifo.h"
#include "model/memory/memory.h"
#include "model/memory/store.h"
#include "model/stream/ddr_reader.h"
#include "model/stream/ddr_writer.h"
#include "model/stream/ports.h"
#include "model/stream/stepping.h"

namespace weft::barista {

using BlockActivities = std::array<Activities, kBlocks>;

using Fifos = weft::Fifos<FifoId, kFifos>;

// A reader and the fill of its double buffer. The step() of a subsystem leaves the activities of its blocks in `last`.
struct LoadSubsystem {
  stream::DdrReader reader;
  TileFill fill;
  stream::ReadPort port;
  std::array<Activity, 2> last{};

  void step(Cycles now, const stream::RangeLoop& loop, Fifo& beat, Fifo& tile) {
    last[0] = reader.step(now, loop, port, beat);
    last[1] = fill.step(now, beat, tile);
  }
};

struct StoreSubsystem {
  Drain drain;
  Encode encode;
  stream::DdrWriter writer;
  stream::WritePort port;
  std::array<Activity, 3> last{};

  void step(Cycles now, const Plan& plan, Fifos& fifos) {
    last[0] = drain.step(now, plan, fifos[FifoId::CTile], fifos[FifoId::CRow]);
    last[1] = encode.step(now, plan, fifos[FifoId::CRow], fifos[FifoId::CBeat]);
    last[2] = writer.step(now, plan.c, fifos[FifoId::CBeat], port);
  }
};

// The complete state of a kernel during one GEMM. A copy is a snapshot.
struct Kernel {
  using BlockId = Block;
  using ChannelOfPort = std::array<int, kPorts>;
  std::shared_ptr<const Plan> plan;
  LoadSubsystem a, b;
  Mesh mesh;
  StoreSubsystem c;
  Fifos fifos;
  Activity mesh_last = Activity::Idle;

  Kernel() = default;
  explicit Kernel(std::shared_ptr<const Plan> plan_of_gemm);

  void step_a(Cycles now) { a.step(now, plan->a, fifos[FifoId::ABeat], fifos[FifoId::ATile]); }
  void step_b(Cycles now) { b.step(now, plan->b, fifos[FifoId::BBeat], fifos[FifoId::BTile]); }
  void step_mesh(Cycles now) {
    mesh_last = mesh.step(now, *plan, fifos[FifoId::ATile], fifos[FifoId::BTile], fifos[FifoId::CTile]);
  }
  void step_c(Cycles now) { c.step(now, *plan, fifos); }
  // Steps every block by one cycle. The order is free: each block sees only the state at the start of the cycle.
  void step(Cycles now) {
    step_a(now);
    step_b(now);
    step_mesh(now);
    step_c(now);
  }
  std::array<Activity, kBlocks> last() const {
    return {a.last[0], a.last[1], b.last[0], b.last[1], mesh_last, c.last[0], c.last[1], c.last[2]};
  }
  bool steady(Block block) const { return block == Block::Mesh && mesh.steady(); }
  void count(Block block, Cycles cycles) {
    if (block == Block::Mesh && mesh_last == Activity::Starved) mesh.count_starved(cycles);
  }
  template <class Visit>
  void for_each_port(Visit visit) {
    visit(port_id(Port::A), a.port);
    visit(port_id(Port::B), b.port);
    visit(port_id(Port::C), c.port);
  }
  bool done() const { return c.writer.done(plan->c, c.port); }
  // The earliest cycle >= now in which a block may act differently than in the previous one, given that nothing moved
  // then; kNever if nothing will ever move.
  Cycles quiet_until(Cycles now) const;
};

using PeCycles = std::array<std::int64_t, kPeClasses>;
using GemmResult = stream::KernelResult<kBlocks, kPorts, kPeClasses>;

// PE-cycles that follow from the products, without the classes that a simulation counts (CONTRACT.md, "Where the
// PE-cycles go").
PeCycles pe_cycles_of_products(const Alpha& alpha, const Gemm& gemm);

GemmResult collect(Kernel& kernel, const BlockActivities& activities, Cycles cycles, memory::Memory& memory);

using DataMemory = memory::PortStores<kPorts>;

// Simulates one GEMM without the SystemC kernel. Cycles in which nothing can change (the mesh computes, both buffers
// are full) are skipped in one step. `data` is nullptr in timing mode. Throws Deadlock if nothing can ever move again.
GemmResult run_exact(const Plan& plan, memory::Memory& memory, DataMemory* data,
                     const stream::SteppingOptions& options = {});

}  // namespace weft::barista
