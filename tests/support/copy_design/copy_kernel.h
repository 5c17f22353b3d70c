#pragma once

#include <array>
#include <cstdint>

#include "model/core/activity.h"
#include "model/core/fifo.h"
#include "model/core/frequency.h"
#include "model/core/topology.h"
#include "model/memory/store.h"
#include "model/stream/ddr_reader.h"
#include "model/stream/ddr_writer.h"
#include "platform/design/design.h"

namespace weft::copy_design {

// Smallest possible design: a reader, a FIFO and a writer that copy a tensor from one place in DDR to another, beat by
// beat.
const Topology& topology();

struct CopyPlan {
  stream::RangeLoop source;
  stream::WriteLoop target;
  stream::PortConfig in_port, out_port;
  Bytes beat_bytes = 64;
  int depth = 4;  // depth of the FIFO, in beats
  Frequency clock = 100;
  bool with_data = false;
};

enum class Block : std::uint8_t { Reader, Writer };
enum class FifoId : std::uint8_t { Beat };
inline constexpr memory::PortId kIn = 0, kOut = 1;

// State of a copy in progress.
struct CopyKernel {
  using BlockId = Block;
  using ChannelOfPort = std::array<int, 2>;
  CopyPlan plan;
  stream::DdrReader reader;
  stream::DdrWriter writer;
  Fifos<FifoId, 1> fifos;
  stream::ReadPort in;
  stream::WritePort out;
  Activity reader_last = Activity::Idle, writer_last = Activity::Idle;

  CopyKernel() = default;
  explicit CopyKernel(const CopyPlan& copy_plan);

  void step_reader(Cycles now) { reader_last = reader.step(now, plan.source, in, fifos[FifoId::Beat]); }
  void step_writer(Cycles now) { writer_last = writer.step(now, plan.target, fifos[FifoId::Beat], out); }
  void step(Cycles now) {
    step_reader(now);
    step_writer(now);
  }
  std::array<Activity, 2> last() const { return {reader_last, writer_last}; }
  static constexpr bool steady(Block) { return false; }
  void count(Block, Cycles) {}
  template <class Visit>
  void for_each_port(Visit visit) {
    visit(kIn, in);
    visit(kOut, out);
  }
  bool done() const { return writer.done(plan.target, out); }
  Cycles quiet_until(Cycles now) const;
};
design::UnitResult collect(CopyKernel& kernel, const ActivitiesOf<CopyKernel>& blocks, Cycles cycles,
                           memory::Memory& memory);

// Copies by stepping the blocks cycle by cycle, without SystemC. `channels`: contents of the memory channels, in data
// mode.
design::UnitResult run_stepped(const CopyPlan& plan, memory::Memory& memory, std::vector<memory::Store>* channels,
                               const std::vector<int>& channel_of_port);

// Copies through SystemC modules: a reader, a writer, the FIFO and the memory between them.
design::UnitResult run_systemc(const CopyPlan& plan, memory::Memory& memory, std::vector<memory::Store>* channels,
                               const std::vector<int>& channel_of_port);

}  // namespace weft::copy_design
