#include "model/fpgpt/systemc/subsystems.h"

#include "model/systemc/accounting.h"
#include "model/systemc/axi_port.h"

namespace weft::systemc {

using sc_core::sc_module_name;
using sc_core::sc_time;

template <auto kSubsystem, fpgpt::Block kFirst>
LoadModule<kSubsystem, kFirst>::LoadModule(const sc_module_name& name, Host host)
    : Stepped(name, host.clock), memory("memory"), tokens("tokens"), host_(host) {
  memory.bind(*this);
  SC_HAS_PROCESS(LoadModule);
  SC_METHOD(step);
  sensitive << host_.clock.tick();
  dont_initialize();
}

template <auto kSubsystem, fpgpt::Block kFirst>
void LoadModule<kSubsystem, kFirst>::step() {
  if (waking()) return;
  const Cycles now = this->now();
  auto& blocks = subsystem();
  Fifo& out = tokens->fifo();
  const auto pushed = out.pushed();
  blocks.step(now, *host_.kernel.plan, host_.kernel.fifos);
  if (out.pushed() != pushed) tokens->consumer().wake(now);
  forward_read(memory, blocks.port, now);
  account(1);
  if (any_active(blocks.last)) {
    clock().moved(now);
  } else if (blocks.port.outstanding == 0 && !out.touched(now)) {
    sleep();
  }
}

template <auto kSubsystem, fpgpt::Block kFirst>
void LoadModule<kSubsystem, kFirst>::account(Cycles cycles) {
  add_activities(host_.activities, kFirst, subsystem().last, cycles);
}

template <auto kSubsystem, fpgpt::Block kFirst>
tlm::tlm_sync_enum LoadModule<kSubsystem, kFirst>::nb_transport_bw(AxiTransfer& transfer, AxiPhase&, sc_time&) {
  subsystem().port.data.push(transfer.cycle, transfer.beats);
  return tlm::TLM_ACCEPTED;
}

template class LoadModule<&fpgpt::Kernel::inp, fpgpt::Block::InpReader>;
template class LoadModule<&fpgpt::Kernel::kern, fpgpt::Block::KernReader>;

ArrayModule::ArrayModule(const sc_module_name& name, Host host)
    : Stepped(name, host.clock), column("column"), kern_row("kern_row"), out_row("out_row"), host_(host) {
  SC_HAS_PROCESS(ArrayModule);
  SC_METHOD(step);
  sensitive << host_.clock.tick();
  dont_initialize();
}

void ArrayModule::step() {
  if (waking()) return;
  const Cycles now = this->now();
  fpgpt::Kernel& kernel = host_.kernel;
  Fifo &inp = column->fifo(), &kern = kern_row->fifo(), &out = out_row->fifo();
  const auto columns = inp.popped(), rows = kern.popped(), pushed = out.pushed();
  kernel.array_last = kernel.array.step(now, *kernel.plan, inp, kern, out);
  if (inp.popped() != columns) column->producer().wake(now);
  if (kern.popped() != rows) kern_row->producer().wake(now);
  if (out.pushed() != pushed) out_row->consumer().wake(now);
  account(1);
  if (kernel.array_last == Activity::Active) {
    clock().moved(now);
  } else if (!inp.touched(now) && !kern.touched(now) && !out.touched(now)) {
    sleep();
  }
}

void ArrayModule::account(Cycles cycles) {
  fpgpt::Kernel& kernel = host_.kernel;
  host_.activities[static_cast<std::size_t>(fpgpt::Block::Array)].add(kernel.array_last, cycles);
  if (kernel.array_last == Activity::Starved) kernel.array.count_starved(cycles);
}

OutModule::OutModule(const sc_module_name& name, Host host)
    : Stepped(name, host.clock), memory("memory"), row("row"), host_(host) {
  memory.bind(*this);
  SC_HAS_PROCESS(OutModule);
  SC_METHOD(step);
  sensitive << host_.clock.tick();
  dont_initialize();
}

void OutModule::step() {
  if (waking()) return;
  const Cycles now = this->now();
  fpgpt::OutSubsystem& out = host_.kernel.out;
  Fifo& in = row->fifo();
  const auto popped = in.popped();
  out.step(now, *host_.kernel.plan, host_.kernel.fifos);
  if (in.popped() != popped) row->producer().wake(now);
  forward_write(memory, out.port, host_.kernel.plan->with_data, now);
  account(1);
  if (out.writer.done(host_.kernel.plan->out, out.port)) clock().stop();
  if (any_active(out.last)) {
    clock().moved(now);
  } else if (out.port.outstanding == 0 && !in.touched(now)) {
    sleep();
  }
}

void OutModule::account(Cycles cycles) {
  add_activities(host_.activities, fpgpt::Block::OutConstructor, host_.kernel.out.last, cycles);
}

tlm::tlm_sync_enum OutModule::nb_transport_bw(AxiTransfer& transfer, AxiPhase&, sc_time&) {
  host_.kernel.out.port.responses.push(transfer.cycle, transfer.beats);
  return tlm::TLM_ACCEPTED;
}

}  // namespace weft::systemc
