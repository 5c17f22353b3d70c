#include "model/systemc/subsystems.h"

#include <algorithm>
#include <array>

namespace weft::systemc {

using sc_core::sc_module_name;
using sc_core::sc_time;
using sc_core::SC_ZERO_TIME;

namespace {

void forward(AxiInitiatorSocket& socket, AxiTransfer& transfer, AxiPhase phase) {
  sc_time delay = SC_ZERO_TIME;
  socket->nb_transport_fw(transfer, phase, delay);
}

// Sends the burst that the reader asked for in cycle `now`, if any.
void forward_read(AxiInitiatorSocket& socket, const fpgpt::Plan& plan, fpgpt::ReadPort& port, Cycles now) {
  if (!port.requested) return;
  AxiTransfer transfer{port.request.address, port.request.beats, now};
  forward(socket, transfer, AxiPhase::ReadAddress);
  if (transfer.words) {
    port.data.push_words(transfer.words, static_cast<std::size_t>(port.request.beats) * plan.alpha.band);
  }
}

template <std::size_t N>
bool none_active(const std::array<Activity, N>& last) {
  return std::find(last.begin(), last.end(), Activity::Active) == last.end();
}

}  // namespace

InpModule::InpModule(const sc_module_name& name, Host host)
    : Sleeper(name), memory("memory"), column("column"), host_(host) {
  memory.bind(*this);
  SC_HAS_PROCESS(InpModule);
  SC_METHOD(step);
  sensitive << host_.clock.tick();
  dont_initialize();
}

void InpModule::step() {
  if (waking()) return;
  const Cycles now = host_.clock.now();
  fpgpt::InpSubsystem& inp = host_.kernel.inp;
  Fifo& out = column->fifo();
  const auto pushed = out.pushed();
  inp.step(now, *host_.kernel.plan, out);
  if (out.pushed() != pushed) column->consumer().wake();
  forward_read(memory, *host_.kernel.plan, inp.port, now);
  if (inp.port.outstanding == 0 && none_active(inp.last) && !out.touched(now)) sleep();
}

tlm::tlm_sync_enum InpModule::nb_transport_bw(AxiTransfer& transfer, AxiPhase&, sc_time&) {
  host_.kernel.inp.port.data.push(transfer.cycle, transfer.beats);
  return tlm::TLM_ACCEPTED;
}

KernModule::KernModule(const sc_module_name& name, Host host)
    : Sleeper(name), memory("memory"), row("row"), host_(host) {
  memory.bind(*this);
  SC_HAS_PROCESS(KernModule);
  SC_METHOD(step);
  sensitive << host_.clock.tick();
  dont_initialize();
}

void KernModule::step() {
  if (waking()) return;
  const Cycles now = host_.clock.now();
  fpgpt::KernSubsystem& kern = host_.kernel.kern;
  Fifo& out = row->fifo();
  const auto pushed = out.pushed();
  kern.step(now, *host_.kernel.plan, out);
  if (out.pushed() != pushed) row->consumer().wake();
  forward_read(memory, *host_.kernel.plan, kern.port, now);
  if (kern.port.outstanding == 0 && none_active(kern.last) && !out.touched(now)) sleep();
}

tlm::tlm_sync_enum KernModule::nb_transport_bw(AxiTransfer& transfer, AxiPhase&, sc_time&) {
  host_.kernel.kern.port.data.push(transfer.cycle, transfer.beats);
  return tlm::TLM_ACCEPTED;
}

ArrayModule::ArrayModule(const sc_module_name& name, Host host)
    : Sleeper(name), column("column"), kern_row("kern_row"), out_row("out_row"), host_(host) {
  SC_HAS_PROCESS(ArrayModule);
  SC_METHOD(step);
  sensitive << host_.clock.tick();
  dont_initialize();
}

void ArrayModule::step() {
  if (waking()) return;
  const Cycles now = host_.clock.now();
  fpgpt::Kernel& kernel = host_.kernel;
  Fifo &inp = column->fifo(), &kern = kern_row->fifo(), &out = out_row->fifo();
  const auto columns = inp.popped(), rows = kern.popped(), pushed = out.pushed();
  kernel.array_last = kernel.array.step(now, *kernel.plan, inp, kern, out);
  if (inp.popped() != columns) column->producer().wake();
  if (kern.popped() != rows) kern_row->producer().wake();
  if (out.pushed() != pushed) out_row->consumer().wake();
  if (kernel.array_last != Activity::Active && !inp.touched(now) && !kern.touched(now) && !out.touched(now)) sleep();
}

OutModule::OutModule(const sc_module_name& name, Host host) : Sleeper(name), memory("memory"), row("row"), host_(host) {
  memory.bind(*this);
  SC_HAS_PROCESS(OutModule);
  SC_METHOD(step);
  sensitive << host_.clock.tick();
  dont_initialize();
}

void OutModule::step() {
  if (waking()) return;
  const Cycles now = host_.clock.now();
  fpgpt::OutSubsystem& out = host_.kernel.out;
  Fifo& in = row->fifo();
  const auto popped = in.popped();
  out.step(now, *host_.kernel.plan, in);
  if (in.popped() != popped) row->producer().wake();
  if (out.port.outstanding == 0 && none_active(out.last) && !in.touched(now)) sleep();
  if (out.port.requested) {
    AxiTransfer transfer{out.port.request.address, out.port.request.beats, now};
    forward(memory, transfer, AxiPhase::WriteAddress);
  }
  if (out.port.beat_sent) {
    AxiTransfer transfer{out.port.beat_address, 1, now};
    transfer.words = host_.kernel.plan->with_data ? out.port.beat.data() : nullptr;
    transfer.first_lane = out.port.first_lane;
    transfer.lanes = out.port.lanes;
    forward(memory, transfer, AxiPhase::WriteData);
  }
}

tlm::tlm_sync_enum OutModule::nb_transport_bw(AxiTransfer& transfer, AxiPhase&, sc_time&) {
  host_.kernel.out.port.responses.push(transfer.cycle, transfer.beats);
  return tlm::TLM_ACCEPTED;
}

}  // namespace weft::systemc
