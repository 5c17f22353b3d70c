#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "model/barista/mesh.h"
#include "model/barista/plan.h"
#include "model/barista/topology.h"
#include "model/core/activity.h"
#include "model/core/fifo.h"
#include "model/memory/memory.h"
#include "model/stream/ddr_reader.h"
#include "model/stream/ddr_writer.h"
#include "model/stream/ports.h"

namespace weft::barista {

using BlockActivities = std::array<Activities, kBlocks>;

using Fifos = weft::Fifos<FifoId, kFifos>;

// A reader with what fills a double buffer behind it. Each subsystem leaves in last[] what its blocks did.
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

// The whole state of a kernel during one GEMM. Plain values: a copy is a snapshot.
struct Kernel {
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
  // One cycle of every block, in any order: each looks only at the state at the start of the cycle.
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
  // Whether something happened in the last cycle that the next may answer differently to.
  bool moved() const;
  bool done() const { return c.writer.done(plan->c, c.port); }
  // The earliest cycle >= now at which a block may answer otherwise than in now - 1, given that nothing moved then;
  // kNever: nothing will ever move.
  Cycles quiet_until(Cycles now) const;
};

// One sentence: which block waits for which FIFO since which cycle, for the report of a GEMM that is stuck.
std::string describe_deadlock(const Kernel& kernel, Cycles now);

// The block that was active most, ties to the most upstream.
std::string limiter(const BlockActivities& activities);

using PeCycles = std::array<std::int64_t, kPeClasses>;

// What one GEMM took, on any rung that steps blocks.
struct GemmResult {
  Cycles cycles = 0;  // from cycle 0 to the one that takes the last write response, inclusive
  BlockActivities activities;
  std::string limiter;
  PeCycles pe_cycles{};  // they sum to Tr * Tc * cycles
  std::array<memory::PortStats, kPorts> ports;
  Cycles skipped_cycles = 0;  // cycles in which nothing could change, accounted for without stepping blocks
};

// Adds what the blocks did in their last cycle, `count` times.
inline void account(Kernel& kernel, BlockActivities& activities, Cycles count = 1) {
  const auto last = kernel.last();
  for (std::size_t i = 0; i < kBlocks; ++i) activities[i].add(last[i], count);
  kernel.count(Block::Mesh, count);
}

// Of the products alone, without the classes that a simulation counts (CONTRACT.md, "Where the PE-cycles go").
PeCycles pe_cycles_of_products(const Alpha& alpha, const Gemm& gemm);

GemmResult collect(const Kernel& kernel, const BlockActivities& activities, Cycles cycles, memory::Memory& memory);

}  // namespace weft::barista
