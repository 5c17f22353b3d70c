#include "model/barista/systemc/subsystems.h"

#include "model/systemc/accounting.h"
#include "model/systemc/axi_port.h"

namespace weft::barista::systemc {

using sc_core::sc_module_name;
using sc_core::sc_time;
using weft::systemc::add_activities;
using weft::systemc::any_active;
using weft::systemc::AxiPhase;
using weft::systemc::AxiTransfer;
using weft::systemc::forward_read;
using weft::systemc::forward_write;

LoadModule::LoadModule(const sc_module_name& name, Host host, LoadSubsystem Kernel::*subsystem,
                       void (Kernel::*step_subsystem)(Cycles), Block first)
    : Stepped(name, host.clock),
      memory("memory"),
      tile("tile"),
      host_(host),
      subsystem_(subsystem),
      step_subsystem_(step_subsystem),
      first_(static_cast<std::size_t>(first)) {
  memory.bind(*this);
  SC_HAS_PROCESS(LoadModule);
  SC_METHOD(step);
  sensitive << host_.clock.tick();
  dont_initialize();
}

void LoadModule::step() {
  if (waking()) return;
  const Cycles now = this->now();
  LoadSubsystem& blocks = subsystem();
  Fifo& out = tile->fifo();
  const auto pushed = out.pushed();
  (host_.kernel.*step_subsystem_)(now);
  if (out.pushed() != pushed) tile->consumer().wake(now);
  forward_read(memory, blocks.port, now);
  account(1);
  if (any_active(blocks.last)) {
    clock().moved(now);
  } else if (blocks.port.outstanding == 0 && !out.touched(now)) {
    sleep();
  }
}

void LoadModule::account(Cycles cycles) {
  add_activities(host_.activities, first_, subsystem().last, cycles);
}

tlm::tlm_sync_enum LoadModule::nb_transport_bw(AxiTransfer& transfer, AxiPhase&, sc_time&) {
  subsystem().port.data.push(transfer.cycle, transfer.beats);
  return tlm::TLM_ACCEPTED;
}

MeshModule::MeshModule(const sc_module_name& name, Host host)
    : Stepped(name, host.clock), a_tile("a_tile"), b_tile("b_tile"), c_tile("c_tile"), host_(host) {
  SC_HAS_PROCESS(MeshModule);
  SC_METHOD(step);
  sensitive << host_.clock.tick();
  dont_initialize();
}

void MeshModule::step() {
  if (waking()) return;
  const Cycles now = this->now();
  Kernel& kernel = host_.kernel;
  Fifo &a = a_tile->fifo(), &b = b_tile->fifo(), &c = c_tile->fifo();
  const auto popped = a.popped(), pushed = c.pushed();
  kernel.step_mesh(now);
  if (a.popped() != popped) {
    a_tile->producer().wake(now);
    b_tile->producer().wake(now);
  }
  if (c.pushed() != pushed) c_tile->consumer().wake(now);
  account(1);
  if (kernel.mesh_last == Activity::Active) {
    if (!kernel.mesh.steady()) clock().moved(now);
  } else if (!a.touched(now) && !b.touched(now) && !c.touched(now)) {
    sleep();
  }
}

void MeshModule::account(Cycles cycles) {
  Kernel& kernel = host_.kernel;
  host_.activities[static_cast<std::size_t>(Block::Mesh)].add(kernel.mesh_last, cycles);
  if (kernel.mesh_last == Activity::Starved) kernel.mesh.count_starved(cycles);
}

StoreModule::StoreModule(const sc_module_name& name, Host host)
    : Stepped(name, host.clock), memory("memory"), tile("tile"), host_(host) {
  memory.bind(*this);
  SC_HAS_PROCESS(StoreModule);
  SC_METHOD(step);
  sensitive << host_.clock.tick();
  dont_initialize();
}

void StoreModule::step() {
  if (waking()) return;
  const Cycles now = this->now();
  Kernel& kernel = host_.kernel;
  StoreSubsystem& blocks = kernel.c;
  Fifo& in = tile->fifo();
  const auto popped = in.popped();
  kernel.step_c(now);
  if (in.popped() != popped) tile->producer().wake(now);
  forward_write(memory, blocks.port, kernel.plan->with_data, now);
  account(1);
  if (kernel.done()) clock().stop();
  if (any_active(blocks.last)) {
    clock().moved(now);
  } else if (blocks.port.outstanding == 0 && !in.touched(now)) {
    sleep();
  }
}

void StoreModule::account(Cycles cycles) {
  add_activities(host_.activities, static_cast<std::size_t>(Block::Drain), host_.kernel.c.last, cycles);
}

tlm::tlm_sync_enum StoreModule::nb_transport_bw(AxiTransfer& transfer, AxiPhase&, sc_time&) {
  host_.kernel.c.port.responses.push(transfer.cycle, transfer.beats);
  return tlm::TLM_ACCEPTED;
}

}  // namespace weft::barista::systemc
