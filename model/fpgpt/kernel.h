#pragma once

#include <array>
#include <memory>
#include <string>

#include "model/core/activity.h"
#include "model/core/fifo.h"
#include "model/fpgpt/array.h"
#include "model/fpgpt/im2col.h"
#include "model/fpgpt/kern_feeder.h"
#include "model/fpgpt/out_constructor.h"
#include "model/fpgpt/plan.h"
#include "model/fpgpt/topology.h"
#include "model/stream/ddr_reader.h"
#include "model/stream/ddr_writer.h"
#include "model/stream/ports.h"
#include "model/stream/regroup.h"

namespace weft::fpgpt {

using BlockActivities = std::array<Activities, kBlocks>;

using Fifos = weft::Fifos<FifoId, kFifos>;

// The three memory subsystems. step() steps a subsystem's blocks on the kernel's FIFOs and stores their activity in
// last[]. Plain values: a copy is a snapshot.
struct InpSubsystem {
  stream::DdrReader reader;
  stream::Decode decode;
  stream::Regroup construct;
  Im2col im2col;
  stream::ReadPort port;
  std::array<Activity, 4> last{};

  InpSubsystem() = default;
  explicit InpSubsystem(const Plan& plan);
  void step(Cycles now, const Plan& plan, Fifos& fifos) {
    last[0] = reader.step(now, plan.inp, port, fifos[FifoId::InpBeat]);
    last[1] = decode.step(now, plan.inp, fifos[FifoId::InpBeat], fifos[FifoId::InpWord]);
    last[2] = construct.step(now, plan.inp, fifos[FifoId::InpWord], fifos[FifoId::InpGroup]);
    last[3] = im2col.step(now, plan, fifos[FifoId::InpGroup], fifos[FifoId::InpColumn]);
  }
  void relative(Relative& state, const Plan& plan, const Anchor& at);
};

struct KernSubsystem {
  stream::DdrReader reader;
  stream::Decode decode_wide;  // F/GI with wide_kern_load
  stream::Regroup decode;      // otherwise
  KernFeederFgi feeder_fgi;
  KernFeederGw feeder_gw;
  stream::ReadPort port;
  std::array<Activity, 3> last{};

  KernSubsystem() = default;
  explicit KernSubsystem(const Plan& plan);
  void step(Cycles now, const Plan& plan, Fifos& fifos) {
    Fifo &beat = fifos[FifoId::KernBeat], &word = fifos[FifoId::KernWord], &row = fifos[FifoId::KernRow];
    last[0] = reader.step(now, plan.kern, port, beat);
    const bool wide = !plan.gw() && plan.alpha.profile.wide_kern_load;
    last[1] = wide ? decode_wide.step(now, plan.kern, beat, word) : decode.step(now, plan.kern, beat, word);
    last[2] = plan.gw() ? feeder_gw.step(now, plan, word, row) : feeder_fgi.step(now, plan, word, row);
  }
  void relative(Relative& state, const Plan& plan, const Anchor& at);
};

struct OutSubsystem {
  OutConstructorFgi constructor_fgi;
  OutConstructorGw constructor_gw;
  Encode encode;
  stream::DdrWriter writer;
  stream::WritePort port;
  std::array<Activity, 3> last{};

  OutSubsystem() = default;
  explicit OutSubsystem(const Plan& plan);
  void step(Cycles now, const Plan& plan, Fifos& fifos) {
    Fifo &row = fifos[FifoId::OutRow], &group = fifos[FifoId::OutGroup], &beat = fifos[FifoId::OutBeat];
    last[0] = plan.gw() ? constructor_gw.step(now, plan, row, group) : constructor_fgi.step(now, plan, row, group);
    last[1] = encode.step(now, plan, group, beat);
    last[2] = writer.step(now, plan.out, beat, port);
  }
  void relative(Relative& state, const Plan& plan, const Anchor& at);
};

// The whole state of a kernel during one convolution.
struct Kernel {
  std::shared_ptr<const Plan> plan;
  InpSubsystem inp;
  KernSubsystem kern;
  Array array;
  OutSubsystem out;
  Fifos fifos;
  Activity array_last = Activity::Idle;

  using BlockId = Block;
  using ChannelOfPort = std::array<int, kPorts>;
  Kernel() = default;
  explicit Kernel(std::shared_ptr<const Plan> plan_of_convolution);

  // Steps every block by one cycle, in any order: each sees only the state at the start of the cycle.
  void step(Cycles now) {
    step_up_to_array(now);
    step_out(now);
  }
  void step_up_to_array(Cycles now) {
    step_inp(now);
    step_kern(now);
    step_array(now);
  }
  void step_inp(Cycles now) { inp.step(now, *plan, fifos); }
  void step_kern(Cycles now) { kern.step(now, *plan, fifos); }
  void step_array(Cycles now) {
    array_last = array.step(now, *plan, fifos[FifoId::InpColumn], fifos[FifoId::KernRow], fifos[FifoId::OutRow]);
  }
  void step_out(Cycles now) { out.step(now, *plan, fifos); }
  std::array<Activity, kBlocks> last() const {
    return {inp.last[0],  inp.last[1], inp.last[2], inp.last[3], kern.last[0], kern.last[1],
            kern.last[2], array_last,  out.last[0], out.last[1], out.last[2]};
  }
  static constexpr bool steady(Block) { return false; }
  void count(Block block, Cycles cycles) {
    if (block == Block::Array && array_last == Activity::Starved) array.count_starved(cycles);
  }
  template <class Visit>
  void for_each_port(Visit visit) {
    visit(port_id(Port::Inp), inp.port);
    visit(port_id(Port::Kern), kern.port);
    visit(port_id(Port::Out), out.port);
  }
  bool done() const { return out.writer.done(plan->out, out.port); }
  // Returns the earliest cycle >= now in which a block may act other than in now - 1, if none was active then; kNever
  // if nothing can ever move.
  Cycles quiet_until(Cycles now) const;
  // Saves or restores the state at the start of a cycle, in timing mode, without the readers' requests and read data in
  // flight; KERN of F and GI must be loaded.
  void relative(Relative& state, const Anchor& at);
};

// Returns the block that was active most; ties go to the most upstream. Feeder and array of F/GI count together as
// compute (rule 6).
std::string limiter(conv::Kind kind, const BlockActivities& activities);

}  // namespace weft::fpgpt
