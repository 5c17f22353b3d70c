#include "tests/support/copy_design/copy_kernel.h"

#include <algorithm>
#include <systemc>

#include "model/core/error.h"
#include "model/stream/port_traffic.h"
#include "model/systemc/axi_port.h"
#include "model/systemc/event_clock.h"
#include "model/systemc/fifo_channel.h"
#include "model/systemc/memory_module.h"

namespace weft::copy_design {

namespace {

constexpr memory::PortId kIn = 0, kOut = 1;
constexpr const char* kStuck = "the copy cannot make progress";

design::UnitResult result_of(const CopyKernel& kernel, std::vector<Activities> blocks, Cycles cycles,
                             memory::Memory& memory) {
  memory.finish();
  design::UnitResult result;
  result.cycles = cycles;
  result.blocks = std::move(blocks);
  result.ports = {memory.stats(kIn), memory.stats(kOut)};
  result.ports[kIn].busy_cycles = kernel.in.busy_cycles;
  result.ports[kIn].wait_cycles = kernel.in.wait_cycles;
  result.ports[kOut].busy_cycles = kernel.out.busy_cycles;
  result.ports[kOut].wait_cycles = kernel.out.wait_cycles;
  return result;
}

}  // namespace

const Topology& topology() {
  static const Topology table{
      {{"reader", "asks for the beats of the tensor"}, {"writer", "writes them"}},
      {{"beat", "reader", "writer", 4, "one beat"}},
      {{"in", "reader", PortDirection::Read, "the tensor"}, {"out", "writer", PortDirection::Write, "its copy"}}};
  return table;
}

CopyKernel::CopyKernel(const CopyPlan& copy_plan)
    : plan(copy_plan),
      reader(plan.source, plan.in_port, plan.beat_bytes),
      writer(plan.target, plan.out_port, plan.beat_bytes),
      beat(plan.depth, plan.source.band, plan.with_data) {
  in.data = stream::BeatQueue(stream::Lanes::of_words(plan.with_data ? plan.source.band : 0));
}

Cycles CopyKernel::quiet_until(Cycles now) const {
  return std::min(reader.quiet_until(now, plan.source, in, beat), writer.quiet_until(now, out));
}

design::UnitResult run_stepped(const CopyPlan& plan, memory::Memory& memory, std::vector<memory::Store>* channels,
                               const std::vector<int>& channel_of_port) {
  const auto store = [&](memory::PortId port) -> memory::Store& {
    return (*channels)[static_cast<std::size_t>(channel_of_port[static_cast<std::size_t>(port)])];
  };
  CopyKernel kernel(plan);
  std::vector<Activities> blocks(topology().blocks.size());
  memory.reset();
  for (Cycles now = 0;; ++now) {
    memory.advance(now);
    stream::deliver(memory, kIn, kernel.in);
    stream::deliver(memory, kOut, kernel.out);
    kernel.reader_last = kernel.reader.step(now, plan.source, kernel.in, kernel.beat);
    kernel.writer_last = kernel.writer.step(now, plan.target, kernel.beat, kernel.out);
    stream::send(memory, kIn, kernel.in, now, plan.with_data ? &store(kIn) : nullptr);
    stream::send(memory, kOut, kernel.out, now, plan.with_data ? &store(kOut) : nullptr);
    blocks[0].add(kernel.reader_last);
    blocks[1].add(kernel.writer_last);
    if (kernel.done()) return result_of(kernel, blocks, now + 1, memory);
    const bool moved = kernel.reader_last == Activity::Active || kernel.writer_last == Activity::Active;
    if (!moved && kernel.quiet_until(now + 1) == kNever && memory.next_event() == kNever) throw Deadlock(kStuck);
  }
}

namespace {

using sc_core::sc_time;
using systemc::AxiPhase;
using systemc::AxiTransfer;

// What the modules host: replaced as a whole for the next copy.
struct Host {
  systemc::EventClock& clock;
  CopyKernel& kernel;
  std::vector<Activities>& blocks;
};

class ReaderModule : public systemc::Stepped, public systemc::AxiInitiator {
 public:
  ReaderModule(const sc_core::sc_module_name& name, Host host)
      : Stepped(name, host.clock), memory("memory"), beat("beat"), host_(host) {
    memory.bind(*this);
    SC_HAS_PROCESS(ReaderModule);
    SC_METHOD(step);
    sensitive << host_.clock.tick();
    dont_initialize();
  }
  systemc::AxiInitiatorSocket memory;
  sc_core::sc_port<systemc::FifoIf> beat;

 private:
  void step() {
    if (waking()) return;
    CopyKernel& kernel = host_.kernel;
    kernel.reader_last = kernel.reader.step(now(), kernel.plan.source, kernel.in, beat->fifo());
    systemc::forward_read(memory, kernel.in, now());
    account(1);
    if (kernel.reader_last == Activity::Active) clock().moved(now());
  }
  void account(Cycles cycles) override { host_.blocks[0].add(host_.kernel.reader_last, cycles); }
  tlm::tlm_sync_enum nb_transport_bw(AxiTransfer& transfer, AxiPhase&, sc_time&) override {
    host_.kernel.in.data.push(transfer.cycle, transfer.beats);
    return tlm::TLM_ACCEPTED;
  }
  Host host_;
};

class WriterModule : public systemc::Stepped, public systemc::AxiInitiator {
 public:
  WriterModule(const sc_core::sc_module_name& name, Host host)
      : Stepped(name, host.clock), memory("memory"), beat("beat"), host_(host) {
    memory.bind(*this);
    SC_HAS_PROCESS(WriterModule);
    SC_METHOD(step);
    sensitive << host_.clock.tick();
    dont_initialize();
  }
  systemc::AxiInitiatorSocket memory;
  sc_core::sc_port<systemc::FifoIf> beat;

 private:
  void step() {
    if (waking()) return;
    CopyKernel& kernel = host_.kernel;
    kernel.writer_last = kernel.writer.step(now(), kernel.plan.target, beat->fifo(), kernel.out);
    systemc::forward_write(memory, kernel.out, kernel.plan.with_data, now());
    account(1);
    if (kernel.done()) clock().stop();
    if (kernel.writer_last == Activity::Active) clock().moved(now());
  }
  void account(Cycles cycles) override { host_.blocks[1].add(host_.kernel.writer_last, cycles); }
  tlm::tlm_sync_enum nb_transport_bw(AxiTransfer& transfer, AxiPhase&, sc_time&) override {
    host_.kernel.out.responses.push(transfer.cycle, transfer.beats);
    return tlm::TLM_ACCEPTED;
  }
  Host host_;
};

class CopyPlatform : public sc_core::sc_module {
 public:
  explicit CopyPlatform(const sc_core::sc_module_name& name)
      : sc_module(name),
        clock_("clock"),
        reader_("reader", Host{clock_, kernel_, blocks_}),
        writer_("writer", Host{clock_, kernel_, blocks_}),
        beat_("beat", kernel_.beat, reader_, writer_),
        memory_("memory", clock_, topology().ports) {
    reader_.beat(beat_);
    writer_.beat(beat_);
    reader_.memory.bind(memory_.socket(kIn));
    writer_.memory.bind(memory_.socket(kOut));
    clock_.settle = [this](Cycles finished) { return settle(finished); };
  }

  design::UnitResult run(const CopyPlan& plan, memory::Memory& memory, std::vector<memory::Store>* channels,
                         const std::vector<int>& channel_of_port) {
    kernel_ = CopyKernel(plan);
    memory_.load(memory, plan.with_data ? channels : nullptr, channel_of_port);
    blocks_.assign(topology().blocks.size(), {});
    cycles_ = skipped_ = 0;
    for (systemc::Stepped* process : std::initializer_list<systemc::Stepped*>{&reader_, &writer_, &memory_}) {
      process->restart();
    }
    clock_.start(plan.clock);
    sc_core::sc_start();
    if (!kernel_.done()) throw Deadlock(kStuck);
    design::UnitResult result = result_of(kernel_, blocks_, cycles_, memory);
    result.skipped_cycles = skipped_;
    return result;
  }

 private:
  Cycles settle(Cycles finished) {
    cycles_ = finished + 1;
    if (kernel_.done()) return kNever;
    const Cycles event = memory_.memory().next_event();
    const Cycles next = std::min(kernel_.quiet_until(cycles_), event == kNever ? kNever : std::max(cycles_, event - 1));
    if (next == kNever) return kNever;
    if (kernel_.in.outstanding > 0) kernel_.in.wait_cycles += next - cycles_;
    if (kernel_.out.outstanding > 0) kernel_.out.wait_cycles += next - cycles_;
    skipped_ += next - cycles_;
    return next;
  }

  CopyKernel kernel_;
  std::vector<Activities> blocks_;
  systemc::EventClock clock_;
  ReaderModule reader_;
  WriterModule writer_;
  systemc::FifoChannel beat_;
  systemc::MemoryModule memory_;
  Cycles cycles_ = 0, skipped_ = 0;
};

}  // namespace

design::UnitResult run_systemc(const CopyPlan& plan, memory::Memory& memory, std::vector<memory::Store>* channels,
                               const std::vector<int>& channel_of_port) {
  static const std::unique_ptr<CopyPlatform> platform = [] {
    systemc::prepare_process();
    return std::make_unique<CopyPlatform>("copy");
  }();
  return platform->run(plan, memory, channels, channel_of_port);
}

}  // namespace weft::copy_design
