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

// The three memory subsystems. Plain values: a copy is a snapshot.
struct InpSubsystem {
  stream::DdrReader reader;
  stream::Decode decode;
  stream::Regroup construct;
  Im2col im2col;
  stream::ReadPort port;

  InpSubsystem() = default;
  explicit InpSubsystem(const Plan& plan);
  void relative(Relative& state, const Plan& plan, const Anchor& at);
};

struct KernSubsystem {
  stream::DdrReader reader;
  stream::Decode decode_wide;  // F/GI with wide_kern_load
  stream::Regroup decode;      // otherwise
  KernFeederFgi feeder_fgi;
  KernFeederGw feeder_gw;
  stream::ReadPort port;

  KernSubsystem() = default;
  explicit KernSubsystem(const Plan& plan);
  void relative(Relative& state, const Plan& plan, const Anchor& at);
};

struct OutSubsystem {
  OutConstructorFgi constructor_fgi;
  OutConstructorGw constructor_gw;
  Encode encode;
  stream::DdrWriter writer;
  stream::WritePort port;

  OutSubsystem() = default;
  explicit OutSubsystem(const Plan& plan);
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

  using BlockId = Block;
  using ChannelOfPort = std::array<int, kPorts>;
  Kernel() = default;
  explicit Kernel(std::shared_ptr<const Plan> plan_of_convolution);

  // Steps every block by one cycle, in any order: each sees only the state at the start of the cycle.
  void step(Cycles now) {
    step_inp(now);
    step_kern(now);
    step_array(now);
    step_out(now);
  }
  void step_inp(Cycles now) { step<Block::InpReader, Block::InpDecode, Block::InpConstruct, Block::InpIm2col>(now); }
  void step_kern(Cycles now) { step<Block::KernReader, Block::KernDecode, Block::KernFeeder>(now); }
  void step_array(Cycles now) { step<Block::Array>(now); }
  void step_out(Cycles now) { step<Block::OutConstructor, Block::OutEncode, Block::OutWriter>(now); }
  template <Block... kOf>
  void step(Cycles now) {
    ((last_[static_cast<std::size_t>(kOf)] = act<kOf>(now)), ...);
  }
  // Activity of each block in its last cycle.
  std::array<Activity, kBlocks> last() const { return last_; }
  Activity last(Block block) const { return last_[static_cast<std::size_t>(block)]; }
  Activity& last(Block block) { return last_[static_cast<std::size_t>(block)]; }
  static constexpr bool steady(Block) { return false; }
  void count(Block block, Cycles cycles) {
    if (block == Block::Array && last(block) == Activity::Starved) array.count_starved(cycles);
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

 private:
  template <Block kBlock>
  Activity act(Cycles now);

  std::array<Activity, kBlocks> last_{};
};

template <Block kBlock>
Activity Kernel::act(Cycles now) {
  const auto fifo = [this](FifoId id) -> Fifo& { return fifos[id]; };
  const Plan& p = *plan;
  if constexpr (kBlock == Block::InpReader) return inp.reader.step(now, p.inp, inp.port, fifo(FifoId::InpBeat));
  if constexpr (kBlock == Block::InpDecode) {
    return inp.decode.step(now, p.inp, fifo(FifoId::InpBeat), fifo(FifoId::InpWord));
  }
  if constexpr (kBlock == Block::InpConstruct) {
    return inp.construct.step(now, p.inp, fifo(FifoId::InpWord), fifo(FifoId::InpGroup));
  }
  if constexpr (kBlock == Block::InpIm2col) {
    return inp.im2col.step(now, p, fifo(FifoId::InpGroup), fifo(FifoId::InpColumn));
  }
  if constexpr (kBlock == Block::KernReader) return kern.reader.step(now, p.kern, kern.port, fifo(FifoId::KernBeat));
  if constexpr (kBlock == Block::KernDecode) {
    Fifo &beat = fifo(FifoId::KernBeat), &word = fifo(FifoId::KernWord);
    const bool wide = !p.gw() && p.alpha.profile.wide_kern_load;
    return wide ? kern.decode_wide.step(now, p.kern, beat, word) : kern.decode.step(now, p.kern, beat, word);
  }
  if constexpr (kBlock == Block::KernFeeder) {
    Fifo &word = fifo(FifoId::KernWord), &row = fifo(FifoId::KernRow);
    return p.gw() ? kern.feeder_gw.step(now, p, word, row) : kern.feeder_fgi.step(now, p, word, row);
  }
  if constexpr (kBlock == Block::Array) {
    return array.step(now, p, fifo(FifoId::InpColumn), fifo(FifoId::KernRow), fifo(FifoId::OutRow));
  }
  if constexpr (kBlock == Block::OutConstructor) {
    Fifo &row = fifo(FifoId::OutRow), &group = fifo(FifoId::OutGroup);
    return p.gw() ? out.constructor_gw.step(now, p, row, group) : out.constructor_fgi.step(now, p, row, group);
  }
  if constexpr (kBlock == Block::OutEncode) {
    return out.encode.step(now, p, fifo(FifoId::OutGroup), fifo(FifoId::OutBeat));
  }
  if constexpr (kBlock == Block::OutWriter) return out.writer.step(now, p.out, fifo(FifoId::OutBeat), out.port);
}

// Returns the block that was active most; ties go to the most upstream. Feeder and array of F/GI count together as
// compute (rule 6).
std::string limiter(conv::Kind kind, const BlockActivities& activities);

}  // namespace weft::fpgpt
